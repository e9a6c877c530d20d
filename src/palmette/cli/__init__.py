"""The command line `palmette`: one module a verb.

`options.py` holds their options, `problem.py` what they work on, `screen.py` how they speak; `cautions.py` and
`translation.py` put warnings and errors of the package into the words of the command line.
"""

from __future__ import annotations

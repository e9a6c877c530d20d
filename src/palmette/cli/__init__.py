"""The command line `palmette`: one module a verb.

`options.py` holds their options, `problem.py` what they work on, `screen.py` how they speak.
"""

from __future__ import annotations

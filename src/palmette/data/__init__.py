"""Data in: from the user's frames, matrices, labels and weights to typed columns that the core takes.

`reading.py` is the door for tables, `labels.py` for y, `weights.py` for sample weights, `files.py` for files.
"""

from __future__ import annotations

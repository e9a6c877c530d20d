"""Pieces of error messages: the closest known name, lists that stay short; for `parameters.py` and `data`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Sequence

__all__ = ["did_you_mean", "listing", "user_stack_level"]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A closing question with the closest known word, or nothing where none is close.

    >>> did_you_mean("gini_index", ["gini", "gain_ratio"])
    " Did you mean 'gini'?"
    """
    by_lower_case = {name.lower(): name for name in known}
    matches = difflib.get_close_matches(word.lower(), by_lower_case, n=1, cutoff=0.5)
    return f" Did you mean {by_lower_case[matches[0]]!r}?" if matches else ""


def listing(items: Sequence[object], limit: int = 10) -> str:
    """The items, separated by commas; of a long list the first few and how many more there are.

    >>> listing(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(item) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"


def user_stack_level() -> int:
    """The `stacklevel` with which a warning of the caller points at the line that called palmette."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "palmette":
        frame = frame.f_back
        level += 1
    return level

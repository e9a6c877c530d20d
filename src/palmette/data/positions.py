"""Reads one column that a parameter gives by name or by position; for `categorical_features`, `keep` and `groups`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

from palmette.support.messages import did_you_mean, listing

__all__ = ["column_position"]


def column_position(
    item: Any, names: tuple[str, ...] | None, n_columns: int, mistake: Callable[[str], Exception]
) -> int:
    """The position of a column; `mistake` makes an exception of the end of a sentence whose subject is the parameter.

    >>> column_position("city", ("age", "city"), 2, ValueError)
    1
    >>> column_position("citty", ("age", "city"), 2, lambda end: ValueError(f"`keep` {end}"))
    Traceback (most recent call last):
    ...
    ValueError: `keep` names 'citty', which is not a column of X. The columns are 'age', 'city'. Did you mean 'city'?
    """
    if isinstance(item, str):
        if names is None:
            raise mistake(f"names {item!r}, but X has no column names. Pass positions, or a data frame with names.")
        if item not in names:
            raise mistake(
                f"names {item!r}, which is not a column of X. The columns are {listing(names)}."
                f"{did_you_mean(item, names)}"
            )
        return names.index(item)
    if not isinstance(item, bool) and isinstance(item, Integral):
        index = int(item)
        if not 0 <= index < n_columns:
            raise mistake(f"holds the index {index}, while X has the columns 0 to {n_columns - 1}.")
        return index
    raise mistake(f"holds {item!r}, which is neither a name nor an index.")

"""Reads the columns that a parameter gives by name, by position or as a mask: `keep`, `initial` and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from palmette.support.messages import did_you_mean, listing
from palmette.support.parameters import InvalidParameterError

__all__ = ["column_list", "column_position"]


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


def column_list(parameter: str, given: object, names: tuple[str, ...] | None, n_columns: int) -> list[int]:
    """The positions of the columns that a parameter lists by name, by index or as a mask, each once, as listed.

    >>> column_list("keep", ["city", "age"], ("age", "zip", "city"), 3)
    [2, 0]
    """

    def mistake(what: str) -> Exception:
        error: Exception = InvalidParameterError(
            f"`{parameter}` must be None, a list of column names or of indices, or a boolean mask with a value for "
            f"each column; it {what}"
        )
        return error

    if given is None:
        return []
    if isinstance(given, str):
        raise mistake(f"is the text {given!r}. Pass [{given!r}] for that column.")
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise mistake(f"is {given!r}.")
    items: list[Any] = list(given)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_columns:
            raise mistake(f"is a mask of {len(items)} values, while X has {n_columns} columns.")
        return [int(column) for column in np.flatnonzero(items)]
    positions = [
        column_position(item, names, n_columns, lambda end: InvalidParameterError(f"`{parameter}` {end}"))
        for item in items
    ]
    return list(dict.fromkeys(positions))

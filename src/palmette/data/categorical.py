"""Reads the parameter `categorical_features`: which columns of a table are nominal whatever their dtype."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from palmette.data.positions import column_position
from palmette.support.messages import did_you_mean
from palmette.support.parameters import InvalidParameterError

__all__ = ["FROM_DTYPE", "chosen_columns"]

FROM_DTYPE = "from_dtype"


def chosen_columns(categorical_features: object, names: tuple[str, ...] | None, n_columns: int) -> frozenset[int]:
    """The positions of the columns that the user declares nominal: none for "from_dtype" and None.

    >>> sorted(chosen_columns(["city", "zip"], ("age", "city", "zip"), 3))
    [1, 2]
    >>> sorted(chosen_columns([True, False, True], None, 3))
    [0, 2]
    """
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str):
        if categorical_features == FROM_DTYPE:
            return frozenset()
        listed = (
            f" Pass [{categorical_features!r}] to choose that column."
            if categorical_features in (names or ())
            else did_you_mean(categorical_features, [FROM_DTYPE])
        )
        raise _error(f"is {categorical_features!r}.{listed}")
    if isinstance(categorical_features, dict) or not isinstance(categorical_features, Iterable):
        raise _error(f"is {categorical_features!r}.")
    items: list[Any] = list(categorical_features)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_columns:
            raise _error(f"is a mask of {len(items)} values, while X has {n_columns} columns.")
        return frozenset(np.flatnonzero(items).tolist())
    return frozenset(column_position(item, names, n_columns, _error) for item in items)


def _error(what: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"`categorical_features` must be {FROM_DTYPE!r}, None, a list of column names or of indices, or a "
        f"boolean mask with a value for each column; it {what}"
    )

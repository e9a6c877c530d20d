"""From typed columns to the core: the rank-coded dataset that is grown on, and the columns that are predicted from.

`table.py` holds the columns; a column of a type that the core does not read is converted here, few at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _core
from palmette.data.table import Column, ContinuousColumn, NominalColumn, Table, refuse_infinity

__all__ = ["encode", "prediction_columns", "resolve_thresholds"]

# As many converted columns are in memory at once, for each thread that ranks them.
COLUMNS_AT_ONCE = 4
# And as many as fit into so many bytes: a walk over all trees of a forest for every few columns takes its time.
SMALL_BYTES = 1 << 22


def encode(
    table: Table,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    n_jobs: int,
) -> _core.Dataset:
    """The table as the core's dataset: columns of rank codes in the narrowest integer type.

    Raises a ValueError where a value is infinite.
    """
    builder = _core.DatasetBuilder()
    at_once = _columns_at_once(table, n_jobs)
    waiting: list[Column] = []
    n_converted = 0
    for column in table.columns:
        if column is None:
            continue
        waiting.append(column)
        n_converted += isinstance(column, ContinuousColumn)
        if n_converted == at_once:
            _add(builder, waiting, n_jobs)
            waiting, n_converted = [], 0
    _add(builder, waiting, n_jobs)
    return builder.build(labels, n_classes, weights, n_jobs)


def _columns_at_once(table: Table, n_jobs: int) -> int:
    """How many columns are converted together: enough for all threads, and few beside a table that is not small."""
    small = SMALL_BYTES // (np.dtype(np.float64).itemsize * max(1, table.n_rows))
    return max(COLUMNS_AT_ONCE * n_jobs, len(table.columns) // 16, small)


def _add(builder: _core.DatasetBuilder, columns: list[Column], n_jobs: int) -> None:
    # The core looks for infinity while it reads, with all its threads; a look of our own would be one more pass on one.
    arrays: list[NDArray[Any]] = []
    n_categories: list[int | None] = []
    for column in columns:
        if isinstance(column, NominalColumn):
            arrays.append(np.ascontiguousarray(column.compact))
            n_categories.append(len(column.categories))
        else:
            arrays.append(column.source())
            n_categories.append(None)
    try:
        builder.add(arrays, n_categories, n_jobs)
    except ValueError:
        for column, values in zip(columns, arrays, strict=True):
            if isinstance(column, ContinuousColumn):
                refuse_infinity(column.name, values)
        raise


def resolve_thresholds(
    grown: _core.GrownTree | _core.GrownForest,
    dataset: _core.Dataset,
    table: Table,
    rule: _core.ThresholdRule,
    n_jobs: int,
) -> None:
    """Turn the cuts between codes into thresholds between values, some columns at a time."""
    continuous = {
        feature: column
        for feature in grown.used_features
        if isinstance(column := table.columns[feature], ContinuousColumn)
    }
    features = list(continuous)
    at_once = _columns_at_once(table, n_jobs)
    for start in range(0, len(features), at_once):
        some = features[start : start + at_once]
        grown.resolve_thresholds(dataset, some, [continuous[feature].source() for feature in some], rule, n_jobs)


def prediction_columns(table: Table, needed: Iterable[int]) -> list[Any]:
    """The needed columns as the core reads them when it predicts; None in the place of the others."""
    columns: list[Any] = [None] * len(table.columns)
    for index in needed:
        column = table.columns[index]
        if isinstance(column, NominalColumn):
            columns[index] = np.ascontiguousarray(column.codes)
        elif isinstance(column, ContinuousColumn):
            columns[index] = column.values()
    return columns

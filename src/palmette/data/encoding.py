"""From typed columns to the core: the rank-coded dataset that is grown on, and the columns that are predicted from.

`table.py` holds the columns; a column of another type than float64 or float32 is converted here, few at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _core
from palmette.data.table import ContinuousColumn, NominalColumn, Table

__all__ = ["encode", "prediction_columns", "resolve_thresholds"]

# As many converted columns are in memory at once, for each thread that ranks them.
COLUMNS_AT_ONCE = 4


def encode(
    table: Table,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    n_jobs: int,
) -> _core.Dataset:
    """The table as the core's dataset: columns of rank codes in the narrowest integer type."""
    builder = _core.DatasetBuilder()
    waiting: list[Any] = []
    for column in table.columns:
        if isinstance(column, NominalColumn):
            builder.add_continuous(waiting, n_jobs)
            waiting = []
            builder.add_nominal(np.ascontiguousarray(column.codes), len(column.categories))
        elif isinstance(column, ContinuousColumn):
            waiting.append(column.values())
            if len(waiting) == COLUMNS_AT_ONCE * n_jobs:
                builder.add_continuous(waiting, n_jobs)
                waiting = []
    builder.add_continuous(waiting, n_jobs)
    return builder.build(labels, n_classes, weights)


def resolve_thresholds(
    grown: _core.GrownTree | _core.GrownForest,
    dataset: _core.Dataset,
    table: Table,
    rule: _core.ThresholdRule,
) -> None:
    """Turn the cuts between codes into thresholds between values, column by column."""
    for feature in grown.used_features:
        column = table.columns[feature]
        if isinstance(column, ContinuousColumn):
            grown.resolve_thresholds(dataset, feature, column.values(), rule)


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

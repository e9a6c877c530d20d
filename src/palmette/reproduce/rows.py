"""Makes rows: means with standard errors, beside a cell of a published table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from palmette import published
from palmette.reproduce.results import Row, Status

__all__ = ["absent", "mean_row", "published_cell"]


def published_cell(table: str, dataset: str, column: str, n: int) -> tuple[float | str | None, float | None]:
    """What the paper prints in a cell, and its standard error where it prints a standard deviation over n folds."""
    row = next((row for row in published.table(table) if row["dataset"] == dataset), None)
    if row is None:
        return None, None
    spread = row.get(f"{column}_sd")
    return row.get(column), spread / math.sqrt(n) if isinstance(spread, float) else None


def mean_row(
    dataset: str,
    quantity: str,
    strategy: str,
    values: Sequence[float],
    *,
    planned: int,
    folds: Sequence[int] | None = None,
    cell: tuple[float | str | None, float | None] = (None, None),
    at: float | str | None = None,
    remark: str = "",
    mark: str | None = None,
    published_mark: str | None = None,
) -> Row:
    """The mean of what was measured; without a measurement, the row is over the limit.

    `folds` tells the fold of each value where several runs share one: they are not independent, so the standard error
    is that of the folds' means.
    """
    if not values:
        return absent(dataset, quantity, strategy, "over the limit", cell=cell, at=at, planned=planned, remark=remark)
    independent = values if folds is None else _means(values, folds)
    n = len(independent)
    return Row(
        dataset,
        quantity,
        strategy,
        ours=statistics.fmean(values),
        standard_error=statistics.stdev(independent) / math.sqrt(n) if n > 1 else None,
        n=len(values),
        planned=planned,
        published=cell[0],
        published_standard_error=cell[1],
        at=at,
        remark=remark,
        mark=mark,
        published_mark=published_mark,
    )


def _means(values: Sequence[float], folds: Sequence[int]) -> list[float]:
    of_fold: dict[int, list[float]] = {}
    for value, fold in zip(values, folds, strict=True):
        of_fold.setdefault(fold, []).append(value)
    return [statistics.fmean(some) for some in of_fold.values()]


def absent(
    dataset: str,
    quantity: str,
    strategy: str,
    status: Status,
    *,
    cell: tuple[float | str | None, float | None] = (None, None),
    at: float | str | None = None,
    planned: int = 0,
    remark: str = "",
) -> Row:
    """A row that has the paper's number and no number of ours, for the reason given."""
    return Row(
        dataset,
        quantity,
        strategy,
        planned=planned,
        published=cell[0],
        published_standard_error=cell[1],
        status=status,
        at=at,
        remark=remark,
    )

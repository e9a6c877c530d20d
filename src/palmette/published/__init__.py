"""The numbers that the papers printed, as tables; the benchmarks and comparisons print ours beside them.

Each table is a CSV file of this folder: one row a dataset (named as in ``palmette.datasets``), columns named
after the paper's. A number with a spread has three columns: ``x`` (the mean), ``x_sd`` (the standard
deviation) and ``x_mark``: ``"best"`` (bold in the paper), ``"star"`` (not different from the best at 95 %) or
nothing. Errors are percentages, times are seconds; a search that ran out of time is the paper's ``">1h"``.

``jmlr2019-table1`` … ``jmlr2019-table8`` are the tables of S. Ruggieri, *Complete Search for Feature
Selection in Decision Trees*, JMLR 20 (2019); ``icml2017-table1`` is that of S. Ruggieri, *Enumerating Distinct
Decision Trees*, ICML 2017. ``jmlr2019-text`` and ``icml2017-text`` hold the numbers that the text gives of a
table or figure, with its words. Where the bold face of a winner was lost in the text we have,
the mark was restored: the winner is the best mean of its row, and the marks then add up to the paper's wins.

``ijcnn2012-table1`` … ``ijcnn2012-table3`` are of H. Deng and G. Runger, *Feature Selection via Regularized Trees*,
IJCNN 2012; ``ijcnn2012-figure4`` has the times that the caption of its Figure 4 gives. Here accuracies are shares, and
``x_mark`` is ``"better"`` or ``"worse"`` than with all features (the paper's + and −, at a level of 0.05).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TypeAlias

__all__ = ["Estimate", "Value", "available", "estimate", "stated", "table"]

Value: TypeAlias = float | str | None
"""A cell: a number, a word (a name, a mark, a time-out) or None where the paper prints nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A published mean over folds with its standard deviation, and the mark that the paper gave it."""

    mean: float
    sd: float
    mark: str | None = None


def available() -> tuple[str, ...]:
    """The names that `table` knows, sorted."""
    return tuple(
        sorted(
            entry.name.removesuffix(".csv").replace("_", "-")
            for entry in files(__name__).iterdir()
            if entry.name.endswith(".csv")
        )
    )


@cache
def table(name: str) -> tuple[Mapping[str, Value], ...]:
    """The rows of a published table, in the paper's order.

    >>> table("jmlr2019-table1")[0]["instances"]
    48842.0
    >>> table("jmlr2019-table1")[-1]["sbe"]
    '>1h'
    """
    if name not in available():
        raise ValueError(f"there is no published table {name!r}. The tables are {', '.join(available())}.")
    text = files(__name__).joinpath(name.replace("-", "_") + ".csv").read_text(encoding="utf-8")
    return tuple(
        MappingProxyType({column: _value(cell) for column, cell in row.items()})
        for row in csv.DictReader(text.splitlines())
    )


def estimate(name: str, dataset: str, column: str) -> Estimate | None:
    """The mean, deviation and mark in one cell of a table, or None where the paper prints nothing.

    >>> estimate("jmlr2019-table2", "letter", "generalization_dtsbe")
    Estimate(mean=12.38, sd=0.71, mark='best')
    """
    row = next((row for row in table(name) if row["dataset"] == dataset), None)
    if row is None or f"{column}_sd" not in row:
        datasets = ", ".join(str(row["dataset"]) for row in table(name))
        raise KeyError(
            f"{name} has no estimate {column!r} of dataset {dataset!r}. "
            f"Its datasets are {datasets}; its columns are {', '.join(table(name)[0])}."
        )
    mean, sd, mark = row[column], row[f"{column}_sd"], row[f"{column}_mark"]
    if not isinstance(mean, float) or not isinstance(sd, float):
        return None
    return Estimate(mean, sd, mark if isinstance(mark, str) else None)


def stated(study: str, quantity: str) -> float:
    """A number that the text of a paper gives of a table or figure.

    >>> stated("jmlr2019-figure8", "greatest_ratio")
    1.00035
    """
    paper = study.partition("-")[0]
    for row in table(f"{paper}-text"):
        if row["study"] == study and row["quantity"] == quantity and isinstance(row["value"], float):
            return row["value"]
    raise KeyError(f"{paper}-text has no number {quantity!r} of {study}.")


def _value(cell: str) -> Value:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return cell

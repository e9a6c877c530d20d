"""The typed columns of a table, between `reading.py`, which makes them, and the core, which ranks them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Category",
    "Column",
    "ContinuousColumn",
    "FloatArray",
    "NominalColumn",
    "NumberArray",
    "Schema",
    "Table",
    "display_name",
]

Category: TypeAlias = str | bool | int | float
FloatArray: TypeAlias = NDArray[np.float64] | NDArray[np.float32]
# What the core reads without a conversion: floats, and integers of at most 32 bits, which a float64 holds exactly.
NumberArray: TypeAlias = FloatArray | NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class ContinuousColumn:
    """A column of numbers, converted only when asked for, so that few at a time are in memory.

    `source` gives them as the core reads them: floats with NaN where missing, or integers of at most 32 bits.
    """

    name: str
    source: Callable[[], NumberArray]

    def values(self) -> FloatArray:
        """The numbers as floats; where the user's are floats already, a view (strided, read-only).

        Raises a ValueError where a value is infinite.
        """
        values: NDArray[Any] = self.source()
        if values.dtype.kind != "f":
            return values.astype(np.float64)
        refuse_infinity(self.name, values)
        return values

    def take(self, rows: NDArray[Any]) -> ContinuousColumn:
        """The column of the given rows only."""
        return ContinuousColumn(self.name, lambda: self.source()[rows])


@dataclass(frozen=True, slots=True, eq=False)
class NominalColumn:
    """A column of categories; `compact` holds the codes in int8, int16 or int32, -1 where missing."""

    name: str
    categories: tuple[Category, ...]
    compact: NDArray[Any]

    @property
    def codes(self) -> NDArray[np.int32]:
        """The codes as int32: `categories[code]` is a value, -1 stands for missing (or unseen in fit)."""
        return self.compact.astype(np.int32, copy=False)

    def take(self, rows: NDArray[Any]) -> NominalColumn:
        """The column of the given rows only; categories without rows stay declared."""
        return NominalColumn(self.name, self.categories, self.compact[rows])


Column: TypeAlias = ContinuousColumn | NominalColumn


@dataclass(frozen=True, slots=True)
class Schema:
    """What a model remembers of its table: names, and the categories of each column (None: continuous)."""

    names: tuple[str, ...] | None
    categories: tuple[tuple[Category, ...] | None, ...]

    @property
    def n_columns(self) -> int:
        return len(self.categories)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length; None stands in the place of a column that nobody needed.

    `names` is None where the user's table had no names, or names that are not text.
    """

    columns: tuple[Column | None, ...]
    n_rows: int
    names: tuple[str, ...] | None

    @property
    def schema(self) -> Schema:
        """The names and categories, to read later tables in the same way."""
        if None in self.columns:
            raise ValueError("Only a table that was read whole has a schema; this one was read with `needed`.")
        return Schema(
            self.names,
            tuple(column.categories if isinstance(column, NominalColumn) else None for column in self.columns),
        )

    def take(self, rows: NDArray[Any]) -> Table:
        """The table of the given rows only, in their order."""
        columns = tuple(None if column is None else column.take(rows) for column in self.columns)
        return Table(columns, len(rows), self.names)


def display_name(names: tuple[str, ...] | None, index: int) -> str:
    """The name of a column in messages and trees: the user's, else x0, x1, ..."""
    return f"x{index}" if names is None else names[index]


def refuse_infinity(name: str, values: NDArray[Any]) -> None:
    """Raise a ValueError where a float is +inf or -inf."""
    # A sum needs no temporary array, and is finite in nearly every column without missing values.
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(values.sum(dtype=np.float64))
    if math.isfinite(total):
        return
    rows = np.flatnonzero(np.isinf(values))
    if rows.size:
        raise ValueError(
            f"Input X contains infinity: column {name!r} holds {float(values[rows[0]])} in row {rows[0]} "
            f"({rows.size} infinite of {values.size} values). Replace it by a large number, "
            "or by NaN if the value is unknown."
        )

"""A column as the user's container holds it, before it is decided whether a tree reads it as nominal or
continuous.

`arrays.py`, `objects.py`, `frames.py` and `sparse.py` make raw columns; `reading.py` turns them into the
columns of a `Table`. The messages about values that no tree can take are here, so that every container gives
the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from numpy.typing import NDArray

from palmette.data.table import Category, NumberArray

__all__ = [
    "LARGEST_EXACT_INTEGER",
    "Container",
    "Encoding",
    "Holds",
    "RawColumn",
    "Unreadable",
    "inexact_integer",
    "unreadable_type",
]

LARGEST_EXACT_INTEGER = 2**53
"""Up to here a double holds every integer."""


class Holds(Enum):
    """What the values of a column are, by dtype, or by looking where the dtype does not tell."""

    numbers = "numbers"
    booleans = "booleans"
    text = "text"
    categories = "categories"


class Unreadable(Enum):
    """What the values of a column are where no tree can take them, and what to do about it."""

    dates = "holds dates or times: turn them into numbers (a year, days since a date), or drop the column"
    nested = "holds nested values: spread them over columns of their own, or drop the column"
    bytes = "holds bytes: decode them to text, or turn them into numbers"
    complex = "holds complex numbers: split it into a real and an imaginary column"
    other = "cannot be read: turn it into numbers or text, or drop the column"


class Encoding(NamedTuple):
    """A code for each row (-1: missing) and the value that each code stands for; values may repeat."""

    codes: NDArray[Any]
    values: list[Category]


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """What a column holds and how to read it; nothing is converted before `numbers` or `encode` is called.

    `numbers` is only for columns that hold numbers or booleans. `encode` is for all; the values of a column
    that holds categories come in their declared order, unused ones included, of other columns in any order.
    """

    holds: Holds
    encode: Callable[[], Encoding]
    numbers: Callable[[], NumberArray] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """The user's table: its size, its names (None: none), and its columns by position."""

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    column: Callable[[int], RawColumn]


def unreadable_type(name: str, dtype: object, why: Unreadable) -> Exception:
    """The error about a column whose type no tree can take."""
    if why is Unreadable.complex:
        return ValueError(f"Complex data not supported: column {name!r} of X {why.value}.")
    return TypeError(f"Column {name!r} of X, of type {dtype}, {why.value}.")


def inexact_integer(name: str, value: int) -> Exception:
    """The error about an integer that a double cannot hold."""
    shown = str(value) if abs(value) < 10**40 else f"of {value.bit_length()} bits"
    return ValueError(
        f"Column {name!r} of X holds the integer {shown}, which float64 would round. If it is an identifier, "
        "drop the column or name it in `categorical_features`; if it is a quantity, subtract an offset, or "
        "convert the column to float64 yourself."
    )

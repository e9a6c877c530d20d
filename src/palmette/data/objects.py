"""Reads arrays of Python objects: looks at the types of the values to tell numbers, text and booleans apart.

Only functions implemented in C run over the rows (`map`, `set`, `dict`): a million texts take about 0.3 s.
Neighbours: `arrays.py` and `frames.py` hand their object columns over, `labels.py` its labels.
"""

from __future__ import annotations

import datetime
import operator
import sys
from decimal import Decimal
from functools import partial
from numbers import Complex, Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from palmette.data.raw import (
    LARGEST_EXACT_INTEGER,
    Encoding,
    Holds,
    RawColumn,
    Unreadable,
    inexact_integer,
    unreadable_type,
)
from palmette.data.table import Category, FloatArray

__all__ = [
    "encode_objects",
    "kind_of_objects",
    "missing_objects",
    "object_column",
    "object_numbers",
    "plain_category",
]

DATES: tuple[type, ...] = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)
PANDAS_DATES = ("NaTType", "Period")


def object_column(name: str, values: NDArray[Any]) -> RawColumn:
    """A raw column of objects that are all numbers, all text or all booleans, apart from missing ones."""
    for kind in set(map(type, values)):
        if issubclass(kind, DATES) or kind.__name__ in PANDAS_DATES:
            raise unreadable_type(name, f"object ({kind.__name__})", Unreadable.dates)
        if issubclass(kind, Complex) and not issubclass(kind, Real):
            raise unreadable_type(name, f"object ({kind.__name__})", Unreadable.complex)
    holds = kind_of_objects(f"column {name!r} of X", values)
    return RawColumn(
        holds,
        partial(encode_objects, values, booleans=holds is Holds.booleans),
        None if holds is Holds.text else partial(object_numbers, name, values),
    )


def kind_of_objects(subject: str, values: NDArray[Any]) -> Holds:
    """What the objects are; numbers, where all are missing. `subject` names them in a message."""
    types = sorted(set(map(type, values)), key=lambda kind: kind.__qualname__)
    found: set[Holds] = set()
    for kind in types:
        if not _stands_for_missing(kind):
            holds = _kind_of_type(kind)
            if holds is None:
                _refuse_object(subject, values, kind)
            found.add(holds)
    # A NaN beside text or booleans is a missing value, not a number.
    if len(found) > 1 and Holds.numbers in found and _first(values, Holds.numbers) is None:
        found.remove(Holds.numbers)
    if len(found) > 1:
        _refuse_mixture(subject, values, found)
    return next(iter(found), Holds.numbers)


def missing_objects(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which objects stand for a missing value: None, pandas.NA and NaN."""
    missing = _are(values, None) | _are(values, _pandas_na())
    others = np.flatnonzero(~missing)
    unequal = np.fromiter(map(operator.ne, values[others], values[others]), dtype=bool, count=others.size)
    missing[others[unequal]] = True
    return missing


def object_numbers(name: str, values: NDArray[Any]) -> FloatArray:
    """Numbers and booleans as float64, missing ones as NaN."""
    absent = _are(values, _pandas_na())
    if absent.any():
        values = values.copy()
        values[absent] = None
    try:
        floats = values.astype(np.float64)
    except OverflowError as error:
        largest = max(abs(int(value)) for value in values if isinstance(value, Integral))
        raise inexact_integer(name, largest) from error
    for row in np.flatnonzero(np.abs(floats) >= LARGEST_EXACT_INTEGER):
        # Python compares an integer with a float exactly.
        if isinstance(values[row], Integral) and int(values[row]) != float(floats[row]):
            raise inexact_integer(name, int(values[row]))
    return floats


def encode_objects(values: NDArray[Any], *, booleans: bool = False) -> Encoding:
    """Distinct objects as categories, in order of appearance (booleans: False, True)."""
    distinct: list[Category] = [False, True] if booleans else []
    code_of: dict[Any, int] = {False: 0, True: 1} if booleans else {}
    # Equal values share a key; a NaN is found again by its identity.
    for value in dict.fromkeys(values):
        if value in code_of:
            continue
        if _stands_for_missing(type(value)) or value != value:
            code_of[value] = -1
        else:
            code_of[value] = len(distinct)
            distinct.append(plain_category(value))
    return Encoding(np.fromiter(map(code_of.__getitem__, values), dtype=np.int32, count=values.size), distinct)


def plain_category(value: Any) -> Category:
    """The value as text, boolean, int or float of Python; anything else as the text that it prints as.

    Intervals, as `pandas.cut` makes them, become "(0, 10]".
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, DATES):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, (Real, Decimal)):
        return float(value)
    return str(value)


def _kind_of_type(kind: type) -> Holds | None:
    if issubclass(kind, str):
        return Holds.text
    if issubclass(kind, (bool, np.bool_)):
        return Holds.booleans
    # For Python a timedelta64 is an integer.
    is_number = issubclass(kind, (Real, Decimal)) and not issubclass(kind, DATES)
    return Holds.numbers if is_number else None


def _stands_for_missing(kind: type) -> bool:
    return kind is type(None) or kind is type(_pandas_na())


def _pandas_na() -> object:
    """pandas.NA; None as long as nobody has imported pandas, so that no value can be NA."""
    return getattr(sys.modules.get("pandas"), "NA", None)


def _are(values: NDArray[Any], single: object) -> NDArray[np.bool_]:
    """Which values are that one object."""
    return np.fromiter(map(partial(operator.is_, single), values), dtype=bool, count=values.size)


def _first(values: NDArray[Any], holds: Holds) -> tuple[int, Any] | None:
    """The first known value of that kind and its row."""
    types = {kind for kind in set(map(type, values)) if _kind_of_type(kind) is holds}
    return next(((row, value) for row, value in enumerate(values) if type(value) in types and value == value), None)


def _refuse_object(subject: str, values: NDArray[Any], kind: type) -> NoReturn:
    row = next(row for row, value in enumerate(values) if type(value) is kind)
    raise TypeError(
        f"argument must be a string or a number, not {kind.__name__!r}: {subject} holds such a value in row "
        f"{row}. Turn the values into text, numbers or booleans; None or NaN stands for a missing one."
    )


def _refuse_mixture(subject: str, values: NDArray[Any], found: set[Holds]) -> NoReturn:
    examples = []
    for holds in sorted(found, key=lambda holds: holds.value):
        first = _first(values, holds)
        if first is not None:
            examples.append(f"{holds.value} ({first[1]!r}, {type(first[1]).__name__}, in row {first[0]})")
    raise TypeError(
        f"{subject[:1].upper()}{subject[1:]} mixes {' and '.join(examples)}. Make it one kind: numbers, for "
        "example with pandas.to_numeric, or text, with astype(str); None or NaN stands for a missing value."
    )

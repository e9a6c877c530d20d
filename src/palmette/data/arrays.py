"""Reads NumPy matrices (and whatever turns into one, such as lists of lists) column by column, without a
copy.

A matrix of objects is passed on to `objects.py`, column by column. `array_column` also serves `sparse.py` and
`frames.py`, where a column comes to be an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from palmette.data.objects import encode_objects, object_column
from palmette.data.raw import (
    LARGEST_EXACT_INTEGER,
    Container,
    Encoding,
    Holds,
    RawColumn,
    Unreadable,
    inexact_integer,
    unreadable_type,
)
from palmette.data.table import NumberArray, display_name

__all__ = ["array_column", "array_container", "array_encoding", "array_numbers", "as_array"]

READ_BY_THE_CORE = tuple(
    np.dtype(kind) for kind in (np.float64, np.float32, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32)
)
UNREADABLE = {
    "c": Unreadable.complex,
    "M": Unreadable.dates,
    "m": Unreadable.dates,
    "S": Unreadable.bytes,
    "V": Unreadable.nested,
}


def array_container(X: object) -> Container:
    """Any dense array-like of two dimensions as a container without names."""
    matrix = as_array(X)
    if matrix.ndim != 2:
        _refuse_dimensions(X, matrix)

    def column(index: int) -> RawColumn:
        return array_column(display_name(None, index), matrix.dtype, lambda: matrix[:, index])

    return Container(matrix.shape[0], matrix.shape[1], None, column)


def as_array(values: Any) -> NDArray[Any]:
    """The array that NumPy makes, but numbers beside text stay numbers, and what is masked is missing."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if not mask.any():
            return np.asarray(values.data)
        if values.dtype.kind == "f":
            return np.asarray(values.filled(np.nan))
        objects = np.array(values.data, dtype=object)
        objects[mask] = None
        return objects
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US" and not hasattr(values, "dtype"):
            # NumPy makes text of every number in [[1, "a"], [2, "b"]].
            objects = np.asarray(values, dtype=object)
            if any(not issubclass(kind, str) for kind in set(map(type, objects.flat))):
                return objects
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(
            f"The rows are not alike: {_unlike_rows(values)}. "
            "Give every row the same number of plain values; None or NaN stands for a missing one."
        ) from error
    return array


def array_column(name: str, dtype: np.dtype[Any], read: Callable[[], NDArray[Any]]) -> RawColumn:
    """A raw column of the array that `read` gives; only objects have to be read to know what they are."""
    match dtype.kind:
        case "f" | "i" | "u":
            return RawColumn(Holds.numbers, lambda: array_encoding(read()), lambda: array_numbers(name, read()))
        case "b":
            return RawColumn(
                Holds.booleans,
                lambda: Encoding(read().astype(np.int8), [False, True]),
                lambda: read().astype(np.float64),
            )
        case "U" | "T":
            return RawColumn(Holds.text, lambda: encode_objects(read().astype(object)))
        case "O":
            return object_column(name, read())
        case kind:
            raise unreadable_type(name, dtype, UNREADABLE.get(kind, Unreadable.other))


def array_numbers(name: str, values: NDArray[Any]) -> NumberArray:
    """Numbers as the core reads them: the array itself where it is of a type that the core reads, and aligned."""
    if values.dtype in READ_BY_THE_CORE:
        return values if values.flags.aligned else values.copy()
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        low, high = int(values.min()), int(values.max())
        if low < -LARGEST_EXACT_INTEGER or high > LARGEST_EXACT_INTEGER:
            rounded = values[~_exact(values)]
            if rounded.size:
                raise inexact_integer(name, int(rounded[0]))
    with np.errstate(over="ignore"):
        return values.astype(np.float64)


def array_encoding(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> Encoding:
    """Distinct numbers as categories; with `known`, the values are those of the rows that it marks."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            values = values.astype(np.float64, copy=False)
    distinct, inverse = np.unique(values, return_inverse=True)
    codes = inverse.astype(np.int32)
    if distinct.size and distinct[-1] != distinct[-1]:
        codes[codes == distinct.size - 1] = -1
        distinct = distinct[:-1]
    if known is not None:
        spread = np.full(known.size, -1, dtype=np.int32)
        spread[known] = codes
        codes = spread
    return Encoding(codes, distinct.tolist())


def _exact(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which 64-bit integers a double holds without rounding."""
    floats = values.astype(np.float64)
    # 2^63 (2^64 for unsigned) has no way back; only a rounded integer gets there.
    within = floats < float(2 ** (63 if values.dtype.kind == "i" else 64))
    back = np.where(within, floats, 0.0).astype(values.dtype)
    return np.asarray(within & (back == values))


def _refuse_dimensions(X: object, array: NDArray[Any]) -> NoReturn:
    """Raise in scikit-learn's words about an array that is not of two dimensions."""
    if array.ndim > 2:
        raise ValueError(
            f"Found array with dim {array.ndim} (shape={array.shape}), while dim <= 2 is required. "
            "Reshape your data to one row for each sample."
        )
    if array.ndim == 0:
        raise ValueError(
            f"Expected 2D array, got scalar array instead: X is of type {type(X).__name__}. "
            "Pass a matrix, a data frame, or a list with a list of values for each row."
        )
    raise ValueError(
        f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either using "
        "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
        "single sample."
    )


def _unlike_rows(rows: Any) -> str:
    """The first row of another length than row 0, in words."""
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in rows]
    row = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if row is None:
        return "some hold nested values"
    return f"row 0 has {lengths[0]} values, row {row} has {lengths[row]}"

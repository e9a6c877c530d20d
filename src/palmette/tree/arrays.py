"""Arrays as a tree keeps them: of the right type, read-only, and with a sentence where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, read-only; one that the caller could still write to is copied first."""
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array


def integers(name: str, values: object, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, not {array.dtype}.")
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {array.shape}.")
    if array.size:
        limits = np.iinfo(dtype)
        place = first_place((array < limits.min) | (array > limits.max))
        if place is not None:
            raise ValueError(f"{name}[{place}] is {array[place]}, which no node number or code can be.")
    return frozen(array.astype(dtype, copy=False))


def floats(name: str, values: object, dimensions: int) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold numbers, not {array.dtype}.")
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have the dimension {dimensions}, but its shape is {array.shape}.")
    return frozen(array.astype(np.float64, copy=False))


def first_place(bad: NDArray[np.bool_]) -> int | None:
    """The place of the first True, or None."""
    if not bad.any():
        return None
    return int(bad.argmax())

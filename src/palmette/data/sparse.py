"""Reads matrices of scipy.sparse, one column at a time made dense; what is not stored is the value zero.

`arrays.py` reads the columns once they are dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.data.arrays import array_column
from palmette.data.raw import Container, RawColumn
from palmette.data.table import display_name

__all__ = ["sparse_container"]


def sparse_container(X: Any) -> Container:
    """A sparse matrix or array, in any of the formats, as a container without names."""
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D input, got input with shape {X.shape}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample."
        )
    if hasattr(X, "check_format"):
        # scipy trusts the indices of a matrix that was made of parts, and writes where they lead.
        X.check_format(full_check=True)
    by_column = X.tocsc()
    if not by_column.has_canonical_format:
        # Entries of the same place add up; the user's matrix must not change.
        by_column = by_column.copy()
        by_column.sum_duplicates()
    n_rows, n_columns = X.shape
    starts, rows, stored = by_column.indptr, by_column.indices, by_column.data

    def dense(index: int) -> NDArray[Any]:
        here = slice(starts[index], starts[index + 1])
        values = np.zeros(n_rows, dtype=stored.dtype)
        values[rows[here]] = stored[here]
        return values

    def column(index: int) -> RawColumn:
        return array_column(display_name(None, index), stored.dtype, lambda: dense(index))

    return Container(n_rows, n_columns, None, column)

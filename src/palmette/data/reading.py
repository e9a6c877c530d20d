"""The door for tables: whatever holds rows and columns comes in, a `Table` of typed columns comes out.

`frames.py`, `sparse.py` and `arrays.py` know the containers; here it is decided which columns are nominal,
and later tables are read with the categories of the first. Nothing is copied that a view can serve.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from palmette.data.arrays import array_container
from palmette.data.categorical import FROM_DTYPE, chosen_columns
from palmette.data.frames import frame_container, is_frame
from palmette.data.objects import object_numbers
from palmette.data.raw import Container, Holds, RawColumn
from palmette.data.sparse import sparse_container
from palmette.data.table import (
    Category,
    Column,
    ContinuousColumn,
    FloatArray,
    NominalColumn,
    Schema,
    Table,
    display_name,
)
from palmette.support.messages import listing

__all__ = ["read_table"]


def read_table(
    X: object,
    categorical_features: object = FROM_DTYPE,
    *,
    reference: Schema | None = None,
    needed: Collection[int] | None = None,
) -> Table:
    """Read a table into typed columns.

    Parameters
    ----------
    X : matrix of NumPy or scipy.sparse, data frame of pandas, polars or Arrow, list of lists
    categorical_features : "from_dtype", None, list of names or indices, or boolean mask
        Columns of categories, text and booleans are nominal, and those listed whatever their dtype. None: no
        column is nominal, and text is an error.
    reference : Schema
        How an earlier table was read. Columns are matched by position, categories by value; what the earlier
        table did not have counts as missing. `categorical_features` is not looked at.
    needed : collection of int
        The positions of the columns to read, where others may be left out. They are None in the result.

    >>> table = read_table([[1.5, "red"], [None, "blue"]])
    >>> table.columns[0].values()
    array([1.5, nan])
    >>> table.columns[1].categories, table.columns[1].codes
    (('blue', 'red'), array([1, 0], dtype=int32))
    """
    container = _open(X, needed)
    _check_size(container, reference)
    chosen = chosen_columns(categorical_features if reference is None else None, container.names, container.n_columns)
    wanted = range(container.n_columns) if needed is None else frozenset(needed)
    columns: list[Column | None] = []
    for index in range(container.n_columns):
        if index not in wanted:
            columns.append(None)
            continue
        raw = container.column(index)
        name = display_name(container.names, index)
        if reference is not None:
            categories = reference.categories[index]
            columns.append(
                _continuous_column(name, raw, "held numbers in fit")
                if categories is None
                else _nominal_column_as_before(name, raw, categories)
            )
        elif index in chosen or (categorical_features is not None and raw.holds is not Holds.numbers):
            columns.append(_nominal_column(name, raw))
        else:
            columns.append(_continuous_column(name, raw, "is continuous under `categorical_features=None`"))
    return Table(tuple(columns), container.n_rows, container.names)


def _open(X: object, needed: Collection[int] | None) -> Container:
    """The container that knows how to read X."""
    if scipy.sparse.issparse(X):
        return sparse_container(X)
    if is_frame(X):
        return frame_container(X, needed)
    if nw.dependencies.is_into_series(X):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X is a {type(X).__module__.split('.')[0]} "
            f"{type(X).__name__}.\nReshape your data to a data frame of one column if it has a single "
            "feature, or of one row if it contains a single sample."
        )
    return array_container(X)


def _check_size(container: Container, reference: Schema | None) -> None:
    """Raise, in scikit-learn's words, about a table without rows or columns, or wider than in fit."""
    shape = (container.n_rows, container.n_columns)
    if container.n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required. Check what the filter or "
            "the split that made X has left."
        )
    if container.n_columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required. If a step before this "
            "one selects columns, it has selected none: look at its `get_support()`, let it keep more, or leave it out."
        )
    if reference is not None and container.n_columns != reference.n_columns:
        raise ValueError(
            f"X has {container.n_columns} features, but {reference.n_columns} features are expected as "
            "input, as in fit. Pass the same columns in the same order."
        )


def _continuous_column(name: str, raw: RawColumn, expectation: str) -> ContinuousColumn:
    """The column as numbers; text and categories only where all their values are numbers (or missing)."""
    if raw.numbers is not None:
        return ContinuousColumn(name, raw.numbers)
    codes, values = raw.encode()
    text = next((value for value in values if not isinstance(value, Number)), None)
    if text is not None:
        raise TypeError(
            f"Column {name!r} of X {expectation}, but holds text, for example {text!r}. Convert it to "
            "numbers, with NaN for a missing value, or fit with the column as a nominal one "
            "(`categorical_features='from_dtype'`)."
        )

    def numbers() -> FloatArray:
        numbers_of_values: NDArray[Any] = object_numbers(name, np.array([*values, None], dtype=object))
        return np.take(numbers_of_values, codes)

    return ContinuousColumn(name, numbers)


def _nominal_column(name: str, raw: RawColumn) -> NominalColumn:
    """The column as categories: in the declared order, or sorted where none is declared."""
    codes, values = raw.encode()
    values = _shown(name, values)
    kinds = {_kind(value): value for value in reversed(values)}
    if len(kinds) > 1:
        mixture = " and ".join(f"{kind} ({value!r})" for kind, value in sorted(kinds.items()))
        raise TypeError(
            f"The categories of column {name!r} of X mix {mixture}. Make them one kind, for example with "
            "rename_categories(str)."
        )
    declared = raw.holds in (Holds.categories, Holds.booleans)
    categories = tuple(dict.fromkeys(values if declared else sorted(values)))
    return NominalColumn(name, categories, _recode(codes, values, categories))


def _nominal_column_as_before(name: str, raw: RawColumn, categories: tuple[Category, ...]) -> NominalColumn:
    """The column in the categories of an earlier table; other values count as missing."""
    codes, values = raw.encode()
    values = _shown(name, values)
    was_text = any(isinstance(category, str) for category in categories)
    strangers = [code for code, value in enumerate(values) if isinstance(value, str) != was_text]
    # Booleans and declared categories have values that no row may hold.
    present = strangers and np.intersect1d(codes, strangers)
    if categories and len(present):
        stranger = values[present[0]]
        raise TypeError(
            f"Column {name!r} of X held {_kind(categories[0])} in fit ({listing(categories, 3)}), but now "
            f"holds {_kind(stranger)}, for example {stranger!r}. Convert it to the type that it had in fit."
        )
    return NominalColumn(name, categories, _recode(codes, values, categories))


def _shown(name: str, values: list[Category]) -> list[Category]:
    """The values as categories are shown: floats as integers where all of them are whole."""
    floats = [value for value in values if isinstance(value, float)]
    if any(math.isinf(value) for value in floats):
        raise ValueError(f"Input X contains infinity: column {name!r} holds it as a category. Replace it by NaN.")
    if all(value.is_integer() for value in floats):
        return [int(value) if isinstance(value, float) else value for value in values]
    return values


def _kind(value: Category) -> str:
    if isinstance(value, str):
        return "text"
    return "booleans" if isinstance(value, bool) else "numbers"


def _recode(codes: NDArray[Any], values: Sequence[Category], categories: tuple[Category, ...]) -> NDArray[Any]:
    """Codes that number the categories, from codes that number the values; in the narrowest integer type."""
    position = {category: index for index, category in enumerate(categories)}
    new_codes = [position.get(value, -1) for value in values]
    narrowest = np.min_scalar_type(-max(len(categories), 1))
    if new_codes == list(range(len(new_codes))):
        return codes.astype(narrowest, copy=False)
    # The code -1 of a missing value takes the last entry.
    return np.take(np.array([*new_codes, -1], dtype=narrowest), codes)

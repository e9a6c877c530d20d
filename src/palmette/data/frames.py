"""Reads data frames of pandas, polars and Arrow, all through narwhals.

narwhals tells names, dtypes, numbers and missing values alike for every library, but not the integer codes
behind a categorical column; `encode_series` asks each library for these, instead of going through the texts.
`arrays.py` and `objects.py` read the columns that are arrays underneath.
"""

from __future__ import annotations

import collections
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from palmette.data.arrays import array_column, array_encoding, array_numbers
from palmette.data.objects import object_column, plain_category
from palmette.data.raw import Container, Encoding, Holds, RawColumn, Unreadable, unreadable_type
from palmette.data.table import NumberArray, display_name
from palmette.support.messages import listing

__all__ = [
    "as_series",
    "eager_frame",
    "encode_series",
    "frame_container",
    "holds_categories",
    "is_frame",
    "series_column",
]

SeriesAny = nw.Series[Any]

# Numbers that NumPy knows only as objects.
WIDE_NUMBERS = (nw.Decimal, nw.Int128, nw.UInt128)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, or speaks Arrow's stream interface as a record batch does."""
    return (
        isinstance(X, nw.LazyFrame)
        or nw.dependencies.is_into_dataframe(X)
        or nw.dependencies.is_polars_lazyframe(X)
        or (hasattr(X, "__arrow_c_stream__") and not nw.dependencies.is_into_series(X))
    )


def as_series(values: Any) -> SeriesAny | None:
    """A series of any library, or an array of Arrow, as a series of narwhals; None for anything else."""
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(values, pyarrow.Array):
        values = pyarrow.chunked_array([values])
    if isinstance(values, nw.Series) or nw.dependencies.is_into_series(values):
        return nw.from_native(values, series_only=True)
    return None


def frame_container(X: Any, needed: Collection[int] | None = None) -> Container:
    """A data frame as a container, perhaps of a few columns only; names that are not text count as none."""
    frame = eager_frame(X)
    names = _text_names(frame.columns)
    n_rows, n_columns = frame.shape
    series = _series_of(frame, needed)

    def column(index: int) -> RawColumn:
        return series_column(display_name(names, index), series[index])

    return Container(n_rows, n_columns, names, column)


def series_column(name: str, series: SeriesAny) -> RawColumn:
    """A raw column of a narwhals series."""
    native: Any = series.to_native()
    native_dtype: Any = getattr(native, "dtype", None)
    if isinstance(native_dtype, np.dtype) and native_dtype.kind in "iuf":
        # Plain numbers of NumPy: a third of the time of the general way, which counts in frames of many columns.
        return array_column(name, native_dtype, native.to_numpy)
    dtype = series.dtype
    if type(native_dtype).__name__ == "SparseDtype":
        return array_column(name, np.dtype(native_dtype.subtype), series.to_numpy)
    if holds_categories(series):
        holds = Holds.text if dtype == nw.String else Holds.categories
        return RawColumn(holds, partial(encode_series, series))
    if dtype in (nw.Object, nw.String):
        return object_column(name, series.to_numpy())
    if dtype == nw.Boolean:
        return RawColumn(
            Holds.booleans,
            lambda: Encoding(series.cast(nw.Int8).fill_null(-1).to_numpy(), [False, True]),
            lambda: series.cast(nw.Float64).to_numpy(),
        )
    if dtype in WIDE_NUMBERS:
        return object_column(name, _objects(series.to_list()))
    if dtype.is_numeric():
        return RawColumn(Holds.numbers, partial(_encode_numbers, series), partial(_series_numbers, name, series))
    if dtype == nw.Unknown:
        values = series.to_numpy()
        return array_column(name, values.dtype, lambda: values)
    raise unreadable_type(name, dtype, _why_unreadable(dtype))


def holds_categories(series: SeriesAny) -> bool:
    """Whether a series is of categories or text by its dtype, so that `encode_series` can read it.

    For pandas' columns of objects narwhals guesses by the first hundred rows; `objects.py` looks at all rows.
    """
    objects = getattr(series.to_native(), "dtype", None) == np.dtype(object)
    return series.dtype in (nw.Categorical, nw.Enum, nw.String) and not objects


def encode_series(series: SeriesAny) -> Encoding:
    """The codes and values of a series of text or categories.

    Declared categories come in their order, whether used or not. polars' Categorical declares none (its pool
    of texts is shared by the whole process), so only the texts of the series itself count.
    """
    native: Any = series.to_native()
    if series.implementation.is_polars():
        if series.dtype == nw.Enum:
            values = native.dtype.categories.to_list()
        else:
            values = sorted(series.drop_nulls().unique().cast(nw.String).to_list())
            native = series.cast(nw.Enum(values)).to_native()
        physical = nw.from_native(native.to_physical(), series_only=True)
        codes = physical.cast(nw.Int64).fill_null(-1).to_numpy()
    elif hasattr(native, "cat"):
        # The accessor of pandas would copy the codes.
        array: Any = getattr(native, "array", None)
        categorical: Any = array if hasattr(array, "codes") else native.cat
        codes, values = np.asarray(categorical.codes), categorical.categories.tolist()
    elif hasattr(native, "factorize") and series.dtype == nw.String:
        codes, values = native.factorize()
        values = values.tolist()
    else:
        codes, values = _encode_arrow(native if series.implementation.is_pyarrow() else series.to_arrow())
    return Encoding(codes, [plain_category(value) for value in values])


def _encode_arrow(values: Any) -> tuple[NDArray[Any], list[Any]]:
    """The codes and values of an Arrow array, chunked or not, of text or of a dictionary."""
    import pyarrow

    if not isinstance(values, pyarrow.ChunkedArray):
        values = pyarrow.chunked_array([values])
    if not pyarrow.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    chunks = values.unify_dictionaries().chunks
    codes = np.concatenate([chunk.indices.cast("int64").fill_null(-1).to_numpy() for chunk in chunks])
    declared = chunks[0].dictionary.to_pylist()
    if None in declared:
        # A dictionary may hold a null, which is no category.
        known = np.array([value is not None for value in declared])
        codes = np.append(np.where(known, np.cumsum(known) - 1, -1), -1)[codes]
        declared = [value for value in declared if value is not None]
    return codes, declared


def _series_numbers(name: str, series: SeriesAny) -> NumberArray:
    """Numbers as the core reads them, missing ones as NaN; without a copy where the library holds such ones."""
    if series.dtype.is_integer() and series.null_count():
        # The integers are checked before NaN makes floats of them.
        array_numbers(name, series.drop_nulls().to_numpy())
    return array_numbers(name, series.to_numpy())


def _encode_numbers(series: SeriesAny) -> Encoding:
    if not series.null_count():
        return array_encoding(series.to_numpy())
    return array_encoding(series.drop_nulls().to_numpy(), ~series.is_null().to_numpy())


def eager_frame(X: Any) -> nw.DataFrame[Any]:
    """A data frame of any library as one of narwhals; a ValueError where two columns have the same name."""
    if not nw.dependencies.is_into_dataframe(X):
        if isinstance(X, nw.LazyFrame) or nw.dependencies.is_polars_lazyframe(X):
            raise TypeError("X is a lazy frame, whose rows are not there yet. Pass X.collect().")
        import pyarrow

        X = pyarrow.table(X)
    try:
        return nw.from_native(X, eager_only=True)
    except DuplicateError as error:
        _refuse_duplicates(X, error)


def _series_of(frame: nw.DataFrame[Any], needed: Collection[int] | None) -> dict[int, SeriesAny]:
    """The columns by position; at least those that are needed."""
    # A few of many columns are taken by name: it is cheap, unlike by position, and all together are not needed.
    names = frame.columns
    if needed is not None and 10 * len(needed) < len(names):
        return {index: frame.get_column(names[index]) for index in needed}
    return dict(enumerate(frame.iter_columns()))


def _text_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True, False}:
        types = sorted({type(name).__qualname__ for name in names})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types. Convert them all to strings, for example with "
            "X.columns = X.columns.astype(str)."
        )
    return tuple(names) if kinds == {True} else None


def _refuse_duplicates(X: Any, error: Exception) -> NoReturn:
    names = X.columns if hasattr(X, "iloc") else X.schema.names
    twice = [name for name, count in collections.Counter(names).items() if count > 1]
    raise ValueError(
        f"X has several columns of the same name: {listing(twice)}. Rename or drop all but one of each."
    ) from error


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _why_unreadable(dtype: Any) -> Unreadable:
    if dtype.is_temporal():
        return Unreadable.dates
    if dtype.is_nested():
        return Unreadable.nested
    return Unreadable.bytes if dtype == nw.Binary else Unreadable.other

"""Tables out: a table in the user's own container, some of its columns replaced by codes or by names.

`reading.py` is the way in. `discretization.py` sends its intervals out here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from palmette.data.arrays import as_array
from palmette.data.frames import eager_frame, is_frame

__all__ = ["CodedColumn", "replace_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """A column of codes from 0 on, -1 where missing; with `names`, each code stands for a name."""

    codes: NDArray[np.int32]
    names: tuple[str, ...] | None = None

    @property
    def missing(self) -> NDArray[np.bool_]:
        return self.codes < 0

    def numbers(self) -> NDArray[np.float64]:
        """The codes as floats, NaN where missing."""
        return np.where(self.missing, np.nan, self.codes)

    def objects(self) -> NDArray[Any]:
        """The names, or the codes as floats; None and NaN where missing."""
        if self.names is None:
            return self.numbers().astype(object)
        return np.array([*self.names, None], dtype=object)[self.codes]


def replace_columns(X: Any, new: Mapping[int, CodedColumn], names: Sequence[str], wanted: str) -> Any:
    """X with some columns replaced, by position; the user's table stays as it is.

    Parameters
    ----------
    X : table
        Any that `read_table` reads.
    new : mapping from positions to columns
    names : sequence of str
        What the columns are called if a matrix becomes a frame.
    wanted : {"default", "pandas", "polars"}
        The kind of frame to return. By default it is of the kind of X: a frame of pandas, polars or Arrow (also for a
        frame of another library), else a dense matrix: of floats, or of objects if it holds names.
    """
    if wanted == "pandas" or (wanted == "default" and nw.dependencies.is_pandas_dataframe(X)):
        return _in_pandas(X, new, names)
    if wanted == "polars" or (wanted == "default" and nw.dependencies.is_polars_dataframe(X)):
        return _in_polars(X, new, names)
    return _in_arrow(X, new) if is_frame(X) else _in_matrix(X, new)


def _dense(X: Any) -> NDArray[Any]:
    return X.toarray() if scipy.sparse.issparse(X) else as_array(X)


def _in_matrix(X: Any, new: Mapping[int, CodedColumn]) -> NDArray[Any]:
    source = _dense(X)
    if source.dtype.kind not in "biuf" or any(column.names is not None for column in new.values()):
        replaced = source.astype(object)
        for index, column in new.items():
            replaced[:, index] = column.objects()
    else:
        replaced = source.astype(np.float64)
        for index, column in new.items():
            replaced[:, index] = column.numbers()
    return replaced


def _in_pandas(X: Any, new: Mapping[int, CodedColumn], names: Sequence[str]) -> Any:
    import pandas as pd

    if nw.dependencies.is_pandas_dataframe(X):
        frame = X.copy(deep=False)
    elif is_frame(X):
        frame = eager_frame(X).to_pandas()
    else:
        frame = pd.DataFrame(_dense(X), columns=list(names))
    for index, column in new.items():
        if column.names is None:
            frame.isetitem(index, column.numbers())
        else:
            frame.isetitem(index, pd.Categorical.from_codes(column.codes, list(column.names), ordered=True))
    return frame


def _in_polars(X: Any, new: Mapping[int, CodedColumn], names: Sequence[str]) -> Any:
    import polars as pl

    if is_frame(X):
        frame = eager_frame(X).to_polars()
    else:
        matrix = _dense(X)
        # Among objects NaN stands for missing beside text, which polars would refuse.
        cells = matrix.copy()
        if cells.dtype == object:
            cells[cells != cells] = None
        frame = pl.DataFrame({name: cells[:, index].tolist() for index, name in enumerate(names)})
    columns = []
    for index, column in new.items():
        codes = pl.Series(frame.columns[index], column.codes)
        indices = codes.zip_with(pl.Series(~column.missing), pl.Series([None], dtype=pl.Int32))
        if column.names is None:
            columns.append(indices.cast(pl.Float64))
        else:
            declared = pl.Enum(list(column.names))
            columns.append(pl.Series(codes.name, declared.categories, dtype=declared).gather(indices))
    return frame.with_columns(columns)


def _in_arrow(X: Any, new: Mapping[int, CodedColumn]) -> Any:
    import pyarrow as pa

    table = eager_frame(X).to_arrow()
    for index, column in new.items():
        if column.names is None:
            array = pa.array(column.codes.astype(np.float64), mask=column.missing)
        else:
            codes = pa.array(column.codes, mask=column.missing)
            array = pa.DictionaryArray.from_arrays(codes, pa.array(column.names), ordered=True)
        table = table.set_column(index, table.column_names[index], array)
    return table

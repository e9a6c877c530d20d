"""One small table in every container that can hold it, and what it must read as; for the tests beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from palmette.data.table import Column, ContinuousColumn, NominalColumn, Table

NUMBERS = [1.5, None, -3.0, 0.0]
COUNTS = [7, 8, None, 7]
TEXTS = ["red", None, "blue", "red"]
FLAGS = [True, False, None, True]
CHOSEN = ["low", "high", None, "low"]
DECLARED = ["low", "middle", "high"]


def expected(*, declared: bool = True) -> dict[str, Any]:
    """What the table reads as: a list of numbers, or categories and codes."""
    return {
        "number": NUMBERS,
        "count": COUNTS,
        "text": (("blue", "red"), [1, -1, 0, 1]),
        "flag": ((False, True), [1, 0, -1, 1]),
        "level": (tuple(DECLARED), [0, 2, -1, 0]) if declared else (("high", "low"), [1, 0, -1, 1]),
    }


def numpy_objects() -> np.ndarray[Any, Any]:
    matrix = np.empty((4, 5), dtype=object)
    for index, values in enumerate([NUMBERS, COUNTS, TEXTS, FLAGS, CHOSEN]):
        matrix[:, index] = values
    return matrix


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": NUMBERS,
            "count": COUNTS,
            "text": TEXTS,
            "flag": pd.Series(FLAGS, dtype=object),
            "level": pd.Categorical(CHOSEN, categories=DECLARED),
        }
    )


def pandas_nullable() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": pd.array(NUMBERS, dtype="Float64"),
            "count": pd.array(COUNTS, dtype="Int64"),
            "text": pd.array(TEXTS, dtype="string"),
            "flag": pd.array(FLAGS, dtype="boolean"),
            "level": pd.Categorical(CHOSEN, categories=DECLARED, ordered=True),
        }
    )


def pandas_arrow() -> pd.DataFrame:
    return arrow_table().to_pandas(types_mapper=pd.ArrowDtype)


def pandas_objects() -> pd.DataFrame:
    columns = {"number": NUMBERS, "count": COUNTS, "text": TEXTS, "flag": FLAGS, "level": CHOSEN}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "number": NUMBERS,
            "count": COUNTS,
            "text": TEXTS,
            "flag": FLAGS,
            "level": pl.Series(CHOSEN, dtype=pl.Enum(DECLARED)),
        }
    )


def arrow_table() -> pa.Table:
    level = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 0], pa.uint8()), DECLARED)
    return pa.table({"number": NUMBERS, "count": COUNTS, "text": TEXTS, "flag": FLAGS, "level": level})


def chunked_arrow_table() -> pa.Table:
    table = arrow_table()
    return pa.concat_tables([table.slice(0, 1), table.slice(1, 3)])


def arrow_batch() -> pa.RecordBatch:
    return arrow_table().to_batches()[0]


def rows() -> list[list[Any]]:
    return [list(row) for row in numpy_objects()]


NAMED = [
    pandas_frame,
    pandas_nullable,
    pandas_arrow,
    polars_frame,
    arrow_table,
    chunked_arrow_table,
    arrow_batch,
]
"""Containers with names and declared categories."""


def content(column: Column | None) -> Any:
    """A column as Python values: numbers with None for NaN, or categories and codes."""
    if isinstance(column, NominalColumn):
        return column.categories, column.codes.tolist()
    assert isinstance(column, ContinuousColumn)
    return [None if value != value else value for value in column.values().tolist()]


def contents(table: Table) -> dict[str, Any]:
    return {column.name: content(column) for column in table.columns if column is not None}

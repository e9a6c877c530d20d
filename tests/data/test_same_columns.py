"""A law: a random table reads the same from NumPy, pandas, polars and Arrow, whatever values are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from data.tables import content
from palmette.data.reading import read_table

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)
VALUES = {
    "numbers": st.floats(allow_nan=False, allow_infinity=False),
    "integers": st.integers(-(2**53), 2**53),
    "text": TEXT,
    "booleans": st.booleans(),
    "categories": st.sampled_from(["b", "a", "c"]),
}
CATEGORIES = ["c", "unused", "a", "b"]


@st.composite
def tables(draw):
    """Columns of one length: (kind, values), None where missing; every first row has a value."""
    n_rows = draw(st.integers(1, 8))
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    columns = []
    for kind in kinds:
        rest = st.lists(st.none() | VALUES[kind], min_size=n_rows - 1, max_size=n_rows - 1)
        columns.append((kind, [draw(VALUES[kind]), *draw(rest)]))
    return columns


def as_objects(columns):
    matrix = np.empty((len(columns[0][1]), len(columns)), dtype=object)
    for index, (_, values) in enumerate(columns):
        matrix[:, index] = values
    return matrix


def as_pandas(columns):
    dtypes = {
        "numbers": "float64",
        "integers": "Int64",
        "text": "str",
        "booleans": "boolean",
        "categories": pd.CategoricalDtype(CATEGORIES),
    }
    return pd.DataFrame({f"c{i}": pd.array(values, dtype=dtypes[kind]) for i, (kind, values) in enumerate(columns)})


def as_pandas_objects(columns):
    return pd.DataFrame({f"c{i}": pd.Series(values, dtype=object) for i, (_, values) in enumerate(columns)})


def as_polars(columns):
    dtypes = {
        "numbers": pl.Float64,
        "integers": pl.Int64,
        "text": pl.String,
        "booleans": pl.Boolean,
        "categories": pl.Enum(CATEGORIES),
    }
    return pl.DataFrame([pl.Series(f"c{i}", values, dtypes[kind]) for i, (kind, values) in enumerate(columns)])


def as_arrow(columns):
    arrays = {}
    for index, (kind, values) in enumerate(columns):
        if kind == "categories":
            codes = pa.array([None if value is None else CATEGORIES.index(value) for value in values], pa.int8())
            arrays[f"c{index}"] = pa.DictionaryArray.from_arrays(codes, CATEGORIES)
        else:
            arrays[f"c{index}"] = pa.array(values)
    return pa.table(arrays)


def read_values(X, schema=None):
    """The values of each column as they were, so that tables with other categories compare equal."""
    table = read_table(X, reference=schema)
    columns = []
    for column in table.columns:
        read = content(column)
        if isinstance(read, tuple):
            categories, codes = read
            read = [None if code < 0 else categories[code] for code in codes]
        columns.append(read)
    return columns


@given(tables())
@settings(max_examples=60, deadline=None)
def test_every_container_gives_the_same_columns(columns):
    frames = [as_pandas(columns), as_polars(columns), as_arrow(columns)]
    read = [[content(column) for column in read_table(frame).columns] for frame in frames]
    assert read[0] == read[1] == read[2]
    for X in [as_objects(columns), as_pandas_objects(columns), *frames]:
        assert read_values(X) == [values for _, values in columns]


@given(tables())
@settings(max_examples=40, deadline=None)
def test_every_container_is_read_alike_with_the_schema_of_another(columns):
    schema = read_table(as_arrow(columns)).schema
    for X in [as_objects(columns), as_pandas(columns), as_pandas_objects(columns), as_polars(columns)]:
        table = read_table(X, reference=schema)
        assert [getattr(column, "categories", None) for column in table.columns] == list(schema.categories)
        assert read_values(X, schema) == [values for _, values in columns]


@given(tables(), st.data())
@settings(max_examples=40, deadline=None)
def test_listed_columns_are_nominal_in_every_container(columns, data):
    chosen = data.draw(st.sets(st.integers(0, len(columns) - 1)))
    for X in [as_objects(columns), as_pandas(columns), as_polars(columns), as_arrow(columns)]:
        table = read_table(X, sorted(chosen))
        for index in chosen:
            assert hasattr(table.columns[index], "categories")
        values = [
            [None if code < 0 else column.categories[code] for code in column.codes]
            if hasattr(column, "categories")
            else content(column)
            for column in table.columns
        ]
        assert values == [values for _, values in columns]

"""Tables read as an earlier one was: categories by value, columns by position, and only those needed."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from data.tables import NAMED, content, contents, expected, numpy_objects, pandas_frame, pandas_objects
from palmette.data.reading import read_table
from palmette.data.table import Schema


@pytest.fixture(scope="module")
def schema():
    return read_table(pandas_frame()).schema


def test_a_schema_is_small_and_survives_a_pickle(schema):
    assert schema == Schema(
        ("number", "count", "text", "flag", "level"),
        (None, None, ("blue", "red"), (False, True), ("low", "middle", "high")),
    )
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert schema.n_columns == 5


@pytest.mark.parametrize("make", [*NAMED, pandas_objects])
def test_every_container_is_read_with_the_categories_of_the_first(make, schema):
    assert contents(read_table(make(), reference=schema)) == expected()


def test_a_matrix_of_objects_is_read_by_position(schema):
    assert list(contents(read_table(numpy_objects(), reference=schema)).values()) == list(expected().values())


def test_values_not_seen_before_count_as_missing():
    reference = Schema(None, (("a", "b"), (1, 2), (False, True)))
    assert list(contents(read_table([["c", 3, 7]], reference=reference)).values()) == [
        (("a", "b"), [-1]),
        ((1, 2), [-1]),
        ((False, True), [-1]),
    ]
    frame = pl.DataFrame({"x": ["c", "b", None], "y": [3.0, 1.5, 2.0], "z": [7, 1, 0]})
    assert [column[1] for column in contents(read_table(frame, reference=reference)).values()] == [
        [-1, 1, -1],
        [-1, -1, 1],
        [-1, 1, 0],
    ]


@pytest.mark.parametrize(
    "values",
    [
        [1, 3],
        [1.0, 3.0],
        pd.Categorical([1, 3], categories=[9, 3, 1]),
        pd.array([1, 3], dtype="Int8"),
        pd.Series([1, 3], dtype=object),
    ],
)
def test_numbers_match_by_value_whatever_their_type(values):
    reference = Schema(("a",), ((3, 1),))
    assert contents(read_table(pd.DataFrame({"a": values}), reference=reference)) == {"a": ((3, 1), [1, 0])}


def test_booleans_and_numbers_match():
    assert contents(read_table(np.array([[True], [False]]), reference=Schema(None, ((0, 1),)))) == {
        "x0": ((0, 1), [1, 0])
    }
    assert contents(read_table(np.array([[1.0], [0.0]]), reference=Schema(None, ((False, True),)))) == {
        "x0": ((False, True), [1, 0])
    }


def test_a_continuous_column_takes_booleans_and_categories_of_numbers():
    reference = Schema(None, (None,))
    assert contents(read_table(np.array([[True], [False]]), reference=reference)) == {"x0": [1, 0]}
    for values in [pd.Categorical([5, None, 2]), pa.array([5, None, 2]).dictionary_encode()]:
        frame = pa.table({"a": values}) if isinstance(values, pa.Array) else pd.DataFrame({"a": values})
        assert contents(read_table(frame, reference=reference)) == {"a": [5, None, 2]}


@pytest.mark.parametrize("categories", [None, ("a",), (1,), ()])
def test_a_column_without_values_fits_every_kind(categories):
    reference = Schema(None, (categories,))
    for X in [
        np.array([[np.nan]]),
        np.array([[None]], dtype=object),
        pd.DataFrame({"a": pd.array([None], dtype="str")}),
        pl.DataFrame({"a": [None]}),
        pl.DataFrame({"a": pl.Series([None], dtype=pl.String)}),
        pa.table({"a": pa.nulls(1)}),
    ]:
        missing = [None] if categories is None else (categories, [-1])
        assert content(read_table(X, reference=reference).columns[0]) == missing


def test_a_column_that_never_had_a_value_takes_any():
    for X in [[["text"]], [[3.5]], [[True]]]:
        assert contents(read_table(X, reference=Schema(None, ((),)))) == {"x0": ((), [-1])}


def test_text_in_a_column_that_held_numbers():
    with pytest.raises(TypeError, match="Column 'a' of X held numbers in fit, but holds text, for example 'red'"):
        read_table(pd.DataFrame({"a": ["red"]}), reference=Schema(("a",), (None,)))


def test_numbers_in_a_column_that_held_text():
    with pytest.raises(
        TypeError, match=r"'a' of X held text in fit \('p', 'q', 'r' and 1 more\), but now holds numbers"
    ):
        read_table(pd.DataFrame({"a": [1]}), reference=Schema(("a",), (("p", "q", "r", "s"),)))


def test_the_example_of_a_boolean_is_one_that_is_there():
    schema = Schema(("a",), (("p", "q"),))
    with pytest.raises(TypeError, match="now holds booleans, for example True"):
        read_table(pd.DataFrame({"a": [True, True]}), reference=schema)
    with pytest.raises(TypeError, match="now holds booleans, for example False"):
        read_table(pd.DataFrame({"a": [False]}), reference=schema)


def test_a_column_of_missing_booleans_is_missing():
    X = pd.DataFrame({"a": pd.array([None, None], dtype="boolean")})
    assert contents(read_table(X, reference=Schema(("a",), (("p", "q"),)))) == {"a": (("p", "q"), [-1, -1])}


def test_text_in_a_column_that_held_numbers_as_categories():
    with pytest.raises(TypeError, match=r"held numbers in fit \(1, 2\), but now holds text, for example '1'"):
        read_table(pd.DataFrame({"a": ["1"]}), reference=Schema(("a",), ((1, 2),)))


def test_another_number_of_columns():
    with pytest.raises(ValueError, match="X has 2 features, but 3 features are expected as input"):
        read_table(np.zeros((1, 2)), reference=Schema(None, (None, None, None)))


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        scipy.sparse.csr_array,
        lambda matrix: pd.DataFrame(matrix, columns=[f"c{i}" for i in range(50)]),
        pd.DataFrame,
        lambda matrix: pl.DataFrame(matrix),
        lambda matrix: pa.table({f"c{i}": matrix[:, i] for i in range(50)}),
    ],
)
@pytest.mark.parametrize("needed", [[7], {3, 40}, range(0, 50, 2), []])
def test_only_the_columns_that_are_needed_are_read(make, needed):
    matrix = np.arange(150.0).reshape(3, 50)
    table = read_table(make(matrix), reference=read_table(matrix).schema, needed=needed)
    assert [index for index, column in enumerate(table.columns) if column is not None] == sorted(needed)
    for index in needed:
        assert content(table.columns[index]) == matrix[:, index].tolist()


def test_columns_that_are_not_needed_may_hold_anything():
    frame = pd.DataFrame({"good": [1.0], "bad": [{"a": 1}]})
    table = read_table(frame, reference=Schema(("good", "bad"), (None, None)), needed=[0])
    assert content(table.columns[0]) == [1]
    with pytest.raises(ValueError, match="read whole"):
        _ = table.schema

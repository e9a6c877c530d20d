"""Tables that cannot be read: each ends in an exception that says which column, why, and what to do."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from palmette.data.reading import read_table


def objects(*values):
    return pd.DataFrame({"a": pd.Series(values, dtype=object)})


DATE = datetime.date(2020, 1, 1)

UNREADABLE_COLUMNS = {
    "datetime": (
        pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}),
        "'a' of X, of type Datetime.* dates or times",
    ),
    "timedelta": (pd.DataFrame({"a": pd.to_timedelta([1])}), "dates or times: turn them into numbers"),
    "period": (pd.DataFrame({"a": pd.period_range("2020", periods=1, freq="Y")}), "dates or times"),
    "polars date": (pl.DataFrame({"a": [DATE]}), "of type Date, holds dates or times"),
    "polars time": (pl.DataFrame({"a": [datetime.time(1)]}), "dates or times"),
    "arrow date": (pa.table({"a": [DATE]}), "dates or times"),
    "numpy dates": (
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
        r"'x0' .* datetime64\[D\], holds dates",
    ),
    "object date": (objects(DATE), r"object \(date\), holds dates or times"),
    "object NaT": (objects(1.0, pd.NaT), "dates or times"),
    "object timedelta64": (objects(np.timedelta64(1, "D")), "dates or times"),
    "list": (pl.DataFrame({"a": [[1]]}), r"List\(Int64\), holds nested values: spread them"),
    "struct": (pl.DataFrame({"a": [{"date": 1}]}), "nested values"),
    "array": (pl.DataFrame({"a": pl.Series([[1]], dtype=pl.Array(pl.Int64, 1))}), "nested values"),
    "binary": (pl.DataFrame({"a": [b"x"]}), "holds bytes: decode them"),
    "numpy bytes": (np.array([[b"x"]]), "holds bytes"),
    "structured": (np.zeros((1, 1), dtype=[("u", float)]), "nested values"),
    "object dict": (
        objects({"foo": "bar"}, 1.0),
        "argument must be a string or a number, not 'dict': column 'a'",
    ),
    "object list": (objects([1], None), "not 'list': column 'a' of X holds such a value in row 0"),
    "object bytes": (objects("a", b"x"), "not 'bytes'.* in row 1"),
    "polars object": (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "not 'object'"),
    "interval": (pd.DataFrame({"a": pd.interval_range(0, 1)}), "not 'Interval'"),
    "text and number": (
        objects("red", None, 2.5),
        r"Column 'a' of X mixes numbers \(2.5, float, in row 2\) and text \('red', str, in row 0\)",
    ),
    "boolean and number": (objects(True, np.nan, 3), r"booleans \(True.* and numbers \(3, int, in row 2\)"),
    "late mixture": (
        objects(*["red"] * 200, 1),
        "mixes numbers .*row 200.* and text .*row 0.*Make it one kind",
    ),
    "mixed categories": (
        pd.DataFrame({"a": pd.Categorical(["x", 1])}),
        "The categories of column 'a' of X mix numbers .* and text .*rename_categories",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE_COLUMNS)
def test_columns_that_no_tree_can_take(case):
    X, message = UNREADABLE_COLUMNS[case]
    with pytest.raises(TypeError, match=f"(?s){message}"):
        read_table(X)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1 + 1j]]),
        np.array([[1j, None]], dtype=object),
        pd.DataFrame({"x0": [1j]}),
        scipy.sparse.csr_array(np.array([[1j]])),
    ],
)
def test_complex_numbers(X):
    with pytest.raises(ValueError, match="Complex data not supported: column 'x0' of X"):
        read_table(X)


INFINITE = [[1.0], [np.inf], [-np.inf]]


@pytest.mark.parametrize(
    "X",
    [
        np.array(INFINITE),
        np.array(INFINITE, dtype=np.float32),
        np.array([*INFINITE, [None]], dtype=object),
        pd.DataFrame(INFINITE, columns=["x0"]),
        pl.DataFrame({"x0": [1.0, np.inf, None]}),
        scipy.sparse.csr_array(INFINITE),
        np.array([[1], [np.longdouble("1e4000")]]) if np.finfo(np.longdouble).max > 1e308 else np.array(INFINITE),
    ],
)
def test_infinity(X):
    with pytest.raises(ValueError, match="Input X contains infinity: column 'x0' holds inf in row 1"):
        read_table(X).columns[0].values()
    with pytest.raises(ValueError, match="infinity"):
        read_table(X, [0])


def test_large_finite_values_are_not_infinity():
    values = np.array([[1e308], [1e308], [-1e308]])
    assert read_table(values).columns[0].values().tolist() == [1e308, 1e308, -1e308]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**64 - 1])
def test_integers_that_a_double_would_round(value):
    tables = [
        np.array([[value]]),
        np.array([[value], [None]], dtype=object),
        pd.DataFrame({"a": [value, 1]}),
        pl.DataFrame({"a": [value, None]}, schema={"a": pl.Int128}),
        pa.table({"a": pa.array([value, None], pa.uint64() if value >= 2**63 else pa.int64())}),
        pd.DataFrame({"a": pd.array([value, None], dtype="UInt64" if value >= 2**63 else "Int64")}),
    ]
    for X in tables:
        with pytest.raises(ValueError, match=f"the integer {value}, which float64 would round.*categorical_features"):
            read_table(X).columns[0].values()


def test_an_integer_beyond_every_double():
    with pytest.raises(ValueError, match="the integer of 2001 bits, which float64 would round"):
        read_table(np.array([[2**2000]], dtype=object)).columns[0].values()


def test_no_rows():
    message = re.escape(
        "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required. Check what the filter"
    )
    for X in [np.empty((0, 3)), pd.DataFrame(columns=list("abc")), pl.DataFrame({"a": [], "b": [], "c": []})]:
        with pytest.raises(ValueError, match=message):
            read_table(X)


def test_no_columns():
    message = re.escape(
        "Found array with 0 feature(s) (shape=(3, 0)) while a minimum of 1 is required. If a step before"
    )
    for X in [np.empty((3, 0)), pd.DataFrame(index=range(3)), scipy.sparse.csr_array((3, 0)), [[], [], []]]:
        with pytest.raises(ValueError, match=message):
            read_table(X)


@pytest.mark.parametrize(
    "X",
    [
        np.arange(3),
        [1, 2],
        ["a", "b"],
        pd.Series([1]),
        pl.Series([1]),
        pa.chunked_array([[1]]),
        pa.array([1]),
    ],
)
def test_one_dimension(X):
    with pytest.raises(ValueError, match=r"(?s)Expected 2D array, got 1D array instead.*Reshape your data"):
        read_table(X)


def test_other_numbers_of_dimensions():
    with pytest.raises(ValueError, match=r"Found array with dim 3 \(shape=\(2, 2, 2\)\).*Reshape your data"):
        read_table(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match=r"Expected 2D input, got input with shape \(2,\)"):
        read_table(scipy.sparse.coo_array([1, 0]))


@pytest.mark.parametrize("X", [None, 3, "a,b", {"a": [1]}, object()])
def test_no_table_at_all(X):
    with pytest.raises(ValueError, match=f"got scalar array instead: X is of type {type(X).__name__}. Pass a matrix"):
        read_table(X)


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="The rows are not alike: row 0 has 2 values, row 2 has 1"):
        read_table([[1, 2], [3, 4], [5]])
    with pytest.raises(ValueError, match="some hold nested values"):
        read_table([[1, [2]], [3, 4]])


def test_a_lazy_frame():
    with pytest.raises(TypeError, match=re.escape("Pass X.collect()")):
        read_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
        pa.record_batch([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
)
def test_duplicate_names(X):
    with pytest.raises(ValueError, match=r"X has several columns of the same name: 'a'. Rename or drop"):
        read_table(X)


def test_names_of_mixed_types():
    with pytest.raises(TypeError, match=r"Feature names are only supported.*\['int', 'str'\]"):
        read_table(pd.DataFrame([[1, 2]], columns=["a", 1]))


def test_text_where_nothing_is_nominal():
    for X in [pd.DataFrame({"a": ["red"]}), objects("red"), pd.DataFrame({"a": pd.Categorical(["red"])})]:
        with pytest.raises(TypeError, match=r"'a' of X is continuous under `categorical_features=None`.*'red'"):
            read_table(X, None)


FRAME = pd.DataFrame({"age": [1], "income": [2], "city": [3]})


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (["incom"], "names 'incom', which is not a column of X. The columns are .* Did you mean 'income'?"),
        (["?"], "names '\\?', which is not a column of X. The columns are 'age', 'income', 'city'.$"),
        ([3], "holds the index 3, while X has the columns 0 to 2"),
        ([-1], "holds the index -1"),
        ([1.5], "holds 1.5, which is neither a name nor an index"),
        ([True, False], "is a mask of 2 values, while X has 3 columns"),
        ("from_dtypes", "is 'from_dtypes'. Did you mean 'from_dtype'?"),
        ("city", r"is 'city'. Pass \['city'\] to choose that column"),
        (3, "is 3"),
        ({"city": True}, "is {'city': True}"),
    ],
)
def test_wrong_categorical_features(choice, message):
    with pytest.raises(ValueError, match=f"(?s)`categorical_features` must be 'from_dtype', None.*{message}"):
        read_table(FRAME, choice)


def test_names_for_a_table_without_names():
    with pytest.raises(ValueError, match=r"names 'age', but X has no column names. Pass positions"):
        read_table(FRAME.to_numpy(), ["age"])

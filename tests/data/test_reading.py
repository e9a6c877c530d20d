"""The same table from every container; what becomes nominal, and what is not copied."""

from __future__ import annotations

import datetime
import decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from data.tables import (
    CHOSEN,
    NAMED,
    arrow_table,
    content,
    contents,
    expected,
    numpy_objects,
    pandas_frame,
    pandas_objects,
    rows,
)
from palmette.data.reading import read_table
from palmette.data.table import ContinuousColumn, NominalColumn


@pytest.mark.parametrize("make", NAMED)
def test_every_frame_reads_as_the_same_table(make):
    table = read_table(make())
    assert table.names == ("number", "count", "text", "flag", "level")
    assert table.n_rows == 4
    assert contents(table) == expected()


def test_a_frame_of_narwhals_reads_as_the_frame_in_it():
    assert contents(read_table(nw.from_native(pandas_frame()))) == expected()


def test_objects_of_pandas_are_told_apart_by_their_values():
    assert contents(read_table(pandas_objects())) == expected(declared=False)


@pytest.mark.parametrize("make", [numpy_objects, rows])
def test_objects_without_names_are_called_by_position(make):
    table = read_table(make())
    assert table.names is None
    assert list(contents(table)) == ["x0", "x1", "x2", "x3", "x4"]
    assert list(contents(table).values()) == list(expected(declared=False).values())


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.longdouble, ">f8", np.int8, np.uint64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numeric_matrices_are_continuous(dtype, order):
    matrix = np.array([[1, 2], [3, 4], [5, 6]], dtype=dtype, order=order)
    table = read_table(matrix)
    assert [content(column) for column in table.columns] == [[1, 3, 5], [2, 4, 6]]
    assert all(column.values().dtype in (np.float64, np.float32) for column in table.columns)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_of_a_matrix_are_not_copied(dtype):
    matrix = np.arange(6, dtype=dtype).reshape(3, 2)
    for index, column in enumerate(read_table(matrix).columns):
        assert np.shares_memory(column.values(), matrix)
        assert column.values().tolist() == matrix[:, index].tolist()


def test_floats_of_frames_are_not_copied():
    values = np.arange(3.0)
    frames = [pd.DataFrame({"a": values}, copy=False), pl.DataFrame({"a": values}), pa.table({"a": values})]
    for frame in frames:
        column = read_table(frame).columns[0]
        assert np.shares_memory(column.values(), column.values())


def test_a_boolean_matrix_is_nominal_with_both_categories():
    table = read_table(np.array([[True, True], [False, True]]))
    assert contents(table) == {"x0": ((False, True), [1, 0]), "x1": ((False, True), [1, 1])}


@pytest.mark.parametrize("dtype", ["<U3", np.dtypes.StringDType(), object])
def test_a_matrix_of_text_is_nominal_in_sorted_order(dtype):
    assert contents(read_table(np.array([["b"], ["a"], [""]], dtype=dtype))) == {"x0": (("", "a", "b"), [2, 1, 0])}


def test_numbers_beside_text_in_a_list_stay_numbers():
    assert contents(read_table([[1, "a"], [2, "b"]])) == {"x0": [1, 2], "x1": (("a", "b"), [0, 1])}


def test_masked_values_are_missing():
    floats = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    integers = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert contents(read_table(floats)) == {"x0": [1], "x1": [None]}
    assert contents(read_table(integers)) == {"x0": [1, 3], "x1": [None, 4]}
    assert contents(read_table(np.ma.masked_array([[1, 2]]))) == {"x0": [1], "x1": [2]}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_zeros_of_sparse_matrices_are_values(form, kind):
    dense = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, 0.0]])
    assert contents(read_table(kind(dense).asformat(form))) == contents(read_table(dense))


def test_a_stored_nan_is_missing_and_repeated_entries_add_up():
    matrix = scipy.sparse.csc_array(([1.0, 2.0, np.nan], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert contents(read_table(matrix)) == {"x0": [3, 0], "x1": [0, None]}
    assert matrix.data.size == 3


def test_sparse_matrices_of_other_types():
    matrix = scipy.sparse.csr_array(np.array([[0, 5], [3, 0]]))
    assert contents(read_table(matrix)) == {"x0": [0, 3], "x1": [5, 0]}
    assert read_table(matrix.astype(np.float32)).columns[0].values().dtype == np.float32
    assert contents(read_table(matrix.astype(bool))) == {
        "x0": ((False, True), [0, 1]),
        "x1": ((False, True), [1, 0]),
    }


def test_sparse_columns_of_pandas():
    frame = pd.DataFrame(
        {
            "zeros": pd.arrays.SparseArray([0, 4]),
            "missing": pd.arrays.SparseArray([np.nan, 1.0]),
            "flags": pd.arrays.SparseArray([False, True]),
        }
    )
    assert contents(read_table(frame)) == {
        "zeros": [0, 4],
        "missing": [None, 1],
        "flags": ((False, True), [0, 1]),
    }


@pytest.mark.parametrize(
    "values",
    [
        [None, None],
        pd.array([None, None], dtype=pd.ArrowDtype(pa.null())),
        pd.array([pd.NA, pd.NA], dtype=object),
    ],
)
def test_a_column_without_values_is_continuous(values):
    assert contents(read_table(pd.DataFrame({"a": values}))) == {"a": [None, None]}


def test_a_column_without_values_in_polars_and_arrow():
    assert contents(read_table(pl.DataFrame({"a": [None, None]}))) == {"a": [None, None]}
    assert contents(read_table(pa.table({"a": pa.nulls(2)}))) == {"a": [None, None]}


def test_a_text_column_without_values_has_no_categories():
    for frame in [
        pd.DataFrame({"a": pd.array([None, None], dtype="str")}),
        pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"a": pa.array([None, None], pa.string())}),
    ]:
        assert contents(read_table(frame)) == {"a": ((), [-1, -1])}


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, np.float32("nan"), decimal.Decimal("NaN")])
def test_what_stands_for_missing_among_objects(missing):
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", missing], dtype=object),
            "flag": pd.Series([True, missing], dtype=object),
            "number": pd.Series([2, missing], dtype=object),
        }
    )
    assert contents(read_table(frame)) == {
        "text": (("a",), [0, -1]),
        "flag": ((False, True), [1, -1]),
        "number": [2, None],
    }
    assert contents(read_table(frame.to_numpy()))["x2"] == [2, None]


def test_numbers_that_numpy_knows_only_as_objects():
    tenths = [decimal.Decimal("0.5"), None]
    assert contents(read_table(pl.DataFrame({"a": tenths}))) == {"a": [0.5, None]}
    assert contents(read_table(pa.table({"a": tenths}))) == {"a": [0.5, None]}
    assert contents(read_table(pd.DataFrame({"a": tenths}))) == {"a": [0.5, None]}
    assert contents(read_table(pl.DataFrame({"a": pl.Series([2**90, None], dtype=pl.Int128)}))) == {
        "a": [2.0**90, None]
    }


def test_a_categorical_of_polars_knows_only_its_own_texts():
    pl.Series(["elsewhere", "zebra"], dtype=pl.Categorical)
    frame = pl.DataFrame({"a": pl.Series(["zebra", None, "ant"], dtype=pl.Categorical)})
    assert contents(read_table(frame)) == {"a": (("ant", "zebra"), [1, -1, 0])}


def test_dictionaries_of_arrow_may_repeat_values_hold_nulls_and_differ_by_chunk():
    odd = pa.DictionaryArray.from_arrays([0, 1, 2, None], ["b", None, "b"])
    assert contents(read_table(pa.table({"a": odd}))) == {"a": (("b",), [0, -1, 0, -1])}
    chunks = pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays([0, 1], ["b", "a"]),
            pa.DictionaryArray.from_arrays([0, 1], ["c", "b"]),
        ]
    )
    assert contents(read_table(pa.table({"a": chunks}))) == {"a": (("b", "a", "c"), [0, 1, 2, 0])}


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_text_of_arrow(kind):
    table = pa.table({"a": pa.array(["b", None, "a"], kind)})
    assert contents(read_table(table)) == {"a": (("a", "b"), [1, -1, 0])}


def test_categories_need_not_be_text():
    frame = pd.DataFrame(
        {
            "whole": pd.Categorical([2.0, 1.0]),
            "broken": pd.Categorical([2.5, 1.0]),
            "flags": pd.Categorical([True, False]),
            "intervals": pd.cut([1, 5], [0, 2, 6]),
            "dates": pd.Categorical([datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)]),
        }
    )
    read = contents(read_table(frame))
    assert read == {
        "whole": ((1, 2), [1, 0]),
        "broken": ((1.0, 2.5), [1, 0]),
        "flags": ((False, True), [1, 0]),
        "intervals": (("(0, 2]", "(2, 6]"), [0, 1]),
        "dates": (("2020-01-01", "2020-01-02"), [1, 0]),
    }
    assert [type(value) for value in read["whole"][0]] == [int, int]


def test_codes_are_kept_in_the_narrowest_type_and_given_as_int32():
    for n_categories, dtype in [(2, np.int8), (128, np.int8), (129, np.int16), (32769, np.int32)]:
        texts = [f"{index:05}" for index in range(n_categories)]
        column = read_table(pd.DataFrame({"a": texts})).columns[0]
        assert isinstance(column, NominalColumn)
        assert column.compact.dtype == dtype
        assert column.codes.dtype == np.int32
        assert column.codes.tolist() == list(range(n_categories))


def test_names_that_are_not_text_count_as_none():
    for columns in [[0, 1], [10, 20], pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])]:
        table = read_table(pd.DataFrame([[1.0, 2.0]], columns=columns))
        assert table.names is None
        assert contents(table) == {"x0": [1], "x1": [2]}


def test_no_column_is_nominal_without_categorical_features():
    frame = pd.DataFrame({"flag": [True, False], "level": pd.Categorical([3, 1]), "number": [0.5, 1.0]})
    assert contents(read_table(frame, None)) == {"flag": [1, 0], "level": [3, 1], "number": [0.5, 1]}
    nullable = pd.DataFrame({"flag": pd.array([True, None], dtype="boolean")})
    assert contents(read_table(nullable, None)) == {"flag": [1, None]}
    assert contents(read_table(np.array([[True], [None]]), None)) == {"x0": [1, None]}


CODES = [3.0, None, 1.0, 3.0]


@pytest.mark.parametrize(
    "chosen",
    [
        ["code"],
        ("code",),
        {"code"},
        [1],
        np.array([1]),
        [False, True],
        np.array([False, True]),
        pd.Index(["code"]),
    ],
)
def test_listed_columns_become_nominal(chosen):
    frames = [
        pd.DataFrame({"number": CODES, "code": CODES}),
        pd.DataFrame({"number": CODES, "code": pd.array(CODES, dtype="Int64")}),
        pl.DataFrame({"number": CODES, "code": CODES}),
        pa.table({"number": CODES, "code": pa.array([3, None, 1, 3])}),
    ]
    for frame in frames:
        read = contents(read_table(frame, chosen))
        assert read == {"number": CODES, "code": ((1, 3), [1, -1, 0, 1])}
        assert [type(value) for value in read["code"][0]] == [int, int]


def test_listed_columns_of_matrices_become_nominal():
    code = ((1, 3), [1, -1, 0, 1])
    dense = np.array([CODES, CODES], dtype=float).T
    assert contents(read_table(dense, [1]))["x1"] == code
    assert contents(read_table(dense.astype(object), [1]))["x1"] == code
    assert contents(read_table(scipy.sparse.csr_array(dense), [1]))["x1"] == code
    assert contents(read_table([[2.5], [1]], [0])) == {"x0": ((1.0, 2.5), [1, 0])}


def test_the_other_columns_follow_their_dtype():
    assert contents(read_table(arrow_table(), ["count"])) == {
        **expected(),
        "count": ((7, 8), [0, 1, -1, 0]),
    }
    assert contents(read_table(arrow_table(), [])) == expected()
    assert contents(read_table(arrow_table(), [False] * 5)) == expected()


def test_large_integers_are_fine_as_categories():
    identifiers = [2**63 - 1, 2**63 - 2]
    for frame in [pd.DataFrame({"a": identifiers}), pl.DataFrame({"a": [*identifiers, None]})]:
        assert content(read_table(frame, ["a"]).columns[0])[0] == (2**63 - 2, 2**63 - 1)
    assert content(read_table(np.array([[2**80]], dtype=object), [0]).columns[0]) == ((2**80,), [0])


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**60, 3 * 2**61])
def test_integers_that_a_double_holds_are_fine(value):
    for frame in [np.array([[value]]), pl.DataFrame({"a": [value, None]}), np.array([[value]], dtype=object)]:
        assert content(read_table(frame).columns[0])[0] == value


class OnlyAnArray:
    """Something that NumPy can turn into an array, and nothing else."""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1.0, 2.0]], dtype=dtype)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_whatever_turns_into_an_array():
    assert contents(read_table(OnlyAnArray())) == {"x0": [1], "x1": [2]}
    assert contents(read_table(np.matrix([[1, 2]]))) == {"x0": [1], "x1": [2]}
    assert contents(read_table((range(2), range(2)))) == {"x0": [0, 0], "x1": [1, 1]}


def test_the_user_s_data_is_never_changed():
    frame = pandas_frame()
    matrix = numpy_objects()
    before = frame.copy(deep=True), matrix.copy()
    contents(read_table(frame))
    contents(read_table(matrix))
    pd.testing.assert_frame_equal(frame, before[0])
    assert all(a is b for a, b in zip(matrix.flat, before[1].flat, strict=True))
    assert frame["level"].tolist()[:2] == CHOSEN[:2]


def test_a_big_matrix_is_read_without_a_copy():
    matrix = np.zeros((100_000, 20))
    columns = read_table(matrix).columns
    assert all(isinstance(column, ContinuousColumn) for column in columns)
    assert all(column.values().base is matrix for column in columns)

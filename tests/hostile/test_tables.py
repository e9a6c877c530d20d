"""Tables of strange memory, strange values, wrong kinds and wrong shapes."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hostile.inputs import (
    ESTIMATORS,
    LARGEST,
    NUMBERS,
    ROWS,
    SMALLEST,
    Y,
    ask,
    asks_of,
    assert_clear,
    assert_sound,
    column,
    each_estimator,
    fresh,
    many,
    objects,
    survives,
)
from palmette import C45Classifier

pytestmark = pytest.mark.filterwarnings("ignore")


class Subclass(np.ndarray):
    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("a subclass that answers nothing")


def memory_mapped() -> np.ndarray:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        mapped = np.memmap(file.name, dtype=float, mode="w+", shape=NUMBERS.shape)
        mapped[:] = NUMBERS
        return mapped


def read_only() -> np.ndarray:
    array = NUMBERS.copy()
    array.setflags(write=False)
    return array


def packed() -> np.ndarray:
    """A view whose steps are no multiple of its items: 25 bytes a row."""
    records = np.zeros(ROWS, dtype=[("tag", "i1"), ("x", float, (3,))])
    records["x"] = NUMBERS
    return records["x"]


SAME_NUMBERS: dict[str, Any] = {
    "fortran order": np.asfortranarray(NUMBERS),
    "negative strides": np.ascontiguousarray(NUMBERS[::-1, ::-1])[::-1, ::-1],
    "a slice of a larger table": np.tile(NUMBERS, (2, 2))[:ROWS, :3],
    "byte-swapped": NUMBERS.astype(">f8"),
    "read-only": read_only(),
    "misaligned": np.frombuffer(b"x" + NUMBERS.tobytes(), dtype=float, offset=1).reshape(NUMBERS.shape),
    "packed": packed(),
    "long double": NUMBERS.astype(np.longdouble),
    "a subclass": NUMBERS.view(Subclass),
    "np.matrix": np.asmatrix(NUMBERS),
    "memory-mapped": memory_mapped(),
    "masked without a mask": np.ma.masked_array(NUMBERS),
    "lists": NUMBERS.tolist(),
    "tuples": tuple(map(tuple, NUMBERS.tolist())),
    "objects": NUMBERS.astype(object),
    "csr": scipy.sparse.csr_matrix(NUMBERS),
    "csc": scipy.sparse.csc_array(NUMBERS),
    "coo": scipy.sparse.coo_array(NUMBERS),
    "lil": scipy.sparse.lil_matrix(NUMBERS),
    "pandas without names": pd.DataFrame(NUMBERS),
    "pandas, nullable": pd.DataFrame(NUMBERS).astype("Float64").set_axis([0, 1, 2], axis=1),
}

ACCEPTED: dict[str, Any] = {
    "one column": NUMBERS[:, :1],
    "one column of one value": np.zeros((ROWS, 1)),
    "all columns constant": np.full((ROWS, 3), 7.5),
    "one column all missing": np.column_stack([NUMBERS[:, 0], np.full(ROWS, np.nan)]),
    "all columns missing": np.full((ROWS, 3), np.nan),
    "all None": np.full((ROWS, 2), None, dtype=object),
    "nearly all missing": np.where(np.arange(ROWS * 3).reshape(ROWS, 3) == 5, 1.0, np.nan),
    "NaN of both signs": np.where(NUMBERS > 0, NUMBERS, np.copysign(np.nan, NUMBERS)),
    "float16": NUMBERS.astype(np.float16),
    "float32": NUMBERS.astype(np.float32),
    "bool": NUMBERS > 0,
    "int8": (NUMBERS * 10).astype(np.int8),
    "uint64": (NUMBERS * 10 + 100).astype(np.uint64),
    "int64 extremes that floats hold": np.array([[-(2**63), 0], [0, 2**62]] * 6),
    "subnormals": np.array([[SMALLEST, -SMALLEST], [2 * SMALLEST, 0.0]] * 6),
    "both zeros": np.array([[0.0, -0.0], [-0.0, 0.0]] * 6),
    "the largest floats": np.array([[LARGEST, -LARGEST], [0.99 * LARGEST, LARGEST]] * 6),
    "the whole range": np.array([[LARGEST], [-LARGEST]] * 6),
    "neighbours": np.array([[1.0], [np.nextafter(1.0, 2.0)]] * 6),
    "largest float32": np.full((ROWS, 1), np.finfo(np.float32).max, dtype=np.float32),
    "zero strides": np.broadcast_to(NUMBERS[:1], (ROWS, 3)),
    "no memory twice": np.lib.stride_tricks.as_strided(NUMBERS, (ROWS, 3), (8, 8)),
    "many columns": np.tile(NUMBERS, (1, 700)),
    "text": column("a", "b", "c"),
    "empty text": column("", " ", "\t"),
    "text with NUL": column("a\0b", "a\0c", "a"),
    "text with surrogates": column("\ud800", "\udfff\ud800", "x"),
    "long text": column("a" * 100_000, "b"),
    "strange letters": column("e\u0301", "\u00e9", "\u200b", "\U0001f334"),
    "text that looks missing": column("nan", "None", "NaN", ""),
    "text and None": column("a", None, "b"),
    "text and NaN": column("a", math.nan, "b"),
    "booleans and None": column(True, None, False),
    "NumPy scalars": column(np.float32(1.5), np.int8(2), np.float64(math.nan)),
    "decimals": column(Decimal("1.5"), Decimal("2.5"), None),
    "fractions": column(Fraction(1, 3), Fraction(2, 3)),
    "categorical of one row each": pd.DataFrame({"a": pd.Categorical([f"c{i}" for i in range(ROWS)])}),
    "categorical without categories": pd.DataFrame({"a": pd.Categorical([None] * ROWS), "b": NUMBERS[:, 0]}),
    "categorical of numbers": pd.DataFrame({"a": pd.Categorical([1.5, 2.5] * 6)}),
    "intervals": pd.DataFrame({"a": pd.cut(NUMBERS[:, 0], 3)}),
    "pandas nullable": pd.DataFrame({"a": pd.array([1, None] * 6, dtype="Int64"), "b": [True, False] * 6}),
    "pandas of a strange index": pd.DataFrame(NUMBERS, index=[5] * ROWS, columns=["a", "b", "c"]),
    "names of every sort": pd.DataFrame(NUMBERS, columns=pd.Index(["", "\0", "\ud800"], dtype=object)),
    "polars": pl.DataFrame({"a": NUMBERS[:, 0], "b": ["x", None] * 6}),
    "polars all null": pl.DataFrame({"a": pl.Series([None] * ROWS, dtype=pl.Float64)}),
    "sparse empty": scipy.sparse.csr_matrix((ROWS, 4)),
    "sparse with duplicates": scipy.sparse.coo_matrix((np.ones(4), ([0, 0, 1, 2], [0, 0, 1, 2])), shape=(ROWS, 3)),
    "sparse bool": scipy.sparse.csr_matrix(NUMBERS > 0),
    "masked": np.ma.masked_array(NUMBERS, NUMBERS > 0.5),
    "masked integers": np.ma.masked_array((NUMBERS * 5).astype(int), NUMBERS > 0.5),
}

REFUSED: dict[str, Any] = {
    "None": None,
    "a number": 5,
    "NaN": math.nan,
    "text": "abc",
    "bytes": b"abc",
    "a dict": {"a": [1, 2]},
    "a set": {1, 2, 3},
    "a generator": (row for row in NUMBERS),
    "a function": len,
    "a class": np.ndarray,
    "an object": object(),
    "0 dimensions": np.array(3.0),
    "1 dimension": np.arange(ROWS),
    "3 dimensions": np.zeros((ROWS, 2, 2)),
    "32 dimensions": np.zeros((1,) * 32),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((ROWS, 0)),
    "nothing": np.zeros((0, 0)),
    "an empty list": [],
    "empty lists": [[]] * ROWS,
    "ragged lists": [[1, 2]] * (ROWS - 1) + [[1]],
    "lists of lists of lists": [[[1, 2]]] * ROWS,
    "deep lists": [[[[[[[[1]]]]]]]] * ROWS,
    "too few rows": NUMBERS[:-1],
    "too many rows": np.vstack([NUMBERS, NUMBERS]),
    "one row": NUMBERS[:1],
    "infinity": np.where(NUMBERS > 1, np.inf, NUMBERS),
    "minus infinity": np.where(NUMBERS > 1, -np.inf, NUMBERS),
    "infinity and NaN": np.full((ROWS, 1), [[np.inf], [np.nan]] * 6),
    "infinite float16": np.full((ROWS, 1), np.inf, dtype=np.float16),
    "long double beyond double": np.full((ROWS, 1), np.longdouble("1e4000")),
    "integers that floats round": np.array([[2**63 - 1], [0]] * 6),
    "unsigned integers that floats round": np.array([[2**64 - 1], [0]] * 6, dtype=np.uint64),
    "integers without end": column(10**400, 1),
    "integers of thousands of digits": column(10**5000, 1),
    "complex": NUMBERS.astype(complex),
    "complex objects": column(1 + 2j, 0),
    "dates": np.full((ROWS, 1), np.datetime64("2020-01-01")),
    "durations": np.full((ROWS, 1), np.timedelta64(3, "D")),
    "date objects": column(pd.Timestamp("2020"), None),
    "NaT": column(pd.NaT, 1.0),
    "NumPy bytes": np.full((ROWS, 1), b"abc"),
    "records": np.zeros((ROWS, 1), dtype=[("a", float)]),
    "void": np.zeros((ROWS, 1), dtype="V7"),
    "byte objects": column(b"a", b"b"),
    "lists in cells": column([1], [2]),
    "dicts in cells": column({}, {"a": 1}),
    "arrays in cells": column(np.arange(3), np.arange(2)),
    "functions in cells": column(len, print),
    "classes in cells": column(int, str),
    "itself in a cell": column(Ellipsis, NotImplemented),
    "text beside numbers": column("a", 1.5),
    "booleans beside text": column(True, "a"),
    "booleans beside numbers": column(True, 2.5),
    "text that only looks like numbers, with numbers": column("1", 2),
    "pandas dates": pd.DataFrame({"a": pd.date_range("2020", periods=ROWS)}),
    "pandas periods": pd.DataFrame({"a": pd.period_range("2020", periods=ROWS)}),
    "pandas duplicates": pd.DataFrame(NUMBERS, columns=["a", "a", "b"]),
    "pandas names of two kinds": pd.DataFrame(NUMBERS, columns=["a", 1, "b"]),
    "pandas infinity": pd.DataFrame({"a": [np.inf, 1.0] * 6}),
    "pandas category of infinity": pd.DataFrame({"a": pd.Categorical([np.inf, 1.0] * 6)}),
    "a pandas series": pd.Series(NUMBERS[:, 0]),
    "a polars series": pl.Series(NUMBERS[:, 0]),
    "a lazy frame": pl.DataFrame({"a": NUMBERS[:, 0]}).lazy(),
    "polars lists": pl.DataFrame({"a": [[1], [2]] * 6}),
    "polars dates": pl.DataFrame({"a": pd.date_range("2020", periods=ROWS).to_numpy()}),
    "sparse infinity": scipy.sparse.csr_matrix(np.where(NUMBERS > 1, np.inf, NUMBERS)),
    "sparse complex": scipy.sparse.csr_matrix(NUMBERS.astype(complex)),
    "sparse of one dimension": scipy.sparse.coo_array(np.arange(ROWS)),
}


@each_estimator
@pytest.mark.parametrize("case", SAME_NUMBERS)
def test_the_same_numbers_in_strange_memory_give_the_same_model(name: str, case: str) -> None:
    y = (NUMBERS[:, 0] > 0).astype(int)
    expected = fresh(name).fit(NUMBERS, y)
    model = fresh(name).fit(SAME_NUMBERS[case], y)
    np.testing.assert_array_equal(ask(model, NUMBERS), ask(expected, NUMBERS))
    np.testing.assert_array_equal(ask(model, SAME_NUMBERS[case]), ask(expected, NUMBERS))


@each_estimator
@pytest.mark.parametrize("case", ACCEPTED)
def test_tables_that_are_strange_but_right(name: str, case: str) -> None:
    assert survives(name, ACCEPTED[case], Y)


@each_estimator
@pytest.mark.parametrize("case", REFUSED)
def test_tables_that_are_wrong(name: str, case: str) -> None:
    assert not survives(name, REFUSED[case], Y)


@each_estimator
@pytest.mark.parametrize("case", REFUSED)
def test_wrong_tables_to_predict(name: str, case: str) -> None:
    model = fresh(name).fit(NUMBERS, (NUMBERS[:, 0] > 0).astype(int))
    for action in asks_of(model):
        try:
            action(REFUSED[case])
        except (ValueError, TypeError) as error:
            assert_clear(error)
        else:
            # Neither the number of rows nor columns that no tree tests can be wrong.
            assert case in ("too few rows", "too many rows", "one row") or "infinity" in case


@each_estimator
def test_tables_of_other_columns_than_in_fit(name: str) -> None:
    frame = pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).assign(d=["x", "y"] * 6)
    model = fresh(name).fit(frame, (NUMBERS[:, 0] > 0).astype(int))
    wrong: list[Any] = [
        frame[["a", "b", "c"]],
        frame.assign(e=1.0),
        frame[["b", "a", "c", "d"]],
        frame.rename(columns={"a": "A"}),
        frame.assign(a=["text"] * ROWS),
        frame.assign(a=pd.date_range("2020", periods=ROWS)),
        frame[["a"]],
        frame.iloc[:0],
        NUMBERS,
        np.zeros((3, 5)),
    ]
    for X in wrong:
        with pytest.raises((ValueError, TypeError)) as caught:
            ask(model, X)
        assert_clear(caught.value)
    for X in (frame.assign(d=None), frame.assign(d="new"), frame.assign(a=np.nan), frame.iloc[[0]]):
        assert_sound(model, X, len(X))


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.complex_numbers(),
    st.dates(),
    st.decimals(),
    st.fractions(),
    st.lists(st.integers(), max_size=2),
    st.sampled_from([pd.NA, pd.NaT, np.float32(1), np.int64(3), np.bool_(True), "\ud800", "a\0", ...]),
)
kinds = st.sampled_from(
    [cells, st.floats(), st.floats(allow_infinity=False) | st.none(), st.text(max_size=2), st.integers() | st.floats()]
)


@many
@given(st.data(), st.sampled_from(list(ESTIMATORS)))
def test_any_objects_in_a_table(data: st.DataObject, name: str) -> None:
    columns = data.draw(st.lists(kinds, min_size=1, max_size=3))
    drawn = [data.draw(st.lists(kind, min_size=ROWS, max_size=ROWS)) for kind in columns]
    survives(name, objects(*drawn), Y)


@many
@given(
    hnp.arrays(
        st.one_of(
            hnp.floating_dtypes(endianness="?"),
            hnp.integer_dtypes(endianness="?"),
            hnp.unsigned_integer_dtypes(),
            hnp.boolean_dtypes(),
            hnp.complex_number_dtypes(),
            hnp.datetime64_dtypes(),
            hnp.unicode_string_dtypes(max_len=3),
            hnp.byte_string_dtypes(max_len=3),
        ),
        st.tuples(st.integers(0, 14), st.integers(0, 3)) | hnp.array_shapes(max_dims=3, max_side=4),
    ),
    st.sampled_from(list(ESTIMATORS)),
)
def test_any_array_as_a_table(X: np.ndarray, name: str) -> None:
    survives(name, X, [row % 2 for row in range(X.shape[0])])


@many
@given(
    hnp.arrays(np.float64, (ROWS, 2), elements=st.floats(allow_infinity=False, width=64)),
    st.sampled_from(["c45", "midpoint"]),
    st.sampled_from(["c45", "literal"]),
)
def test_any_floats_are_split_where_they_differ(X: np.ndarray, threshold: str, growth: str) -> None:
    model = C45Classifier(growth=growth, threshold=threshold, min_samples=1).fit(X, Y)
    assert_sound(model, X, ROWS)
    inner = model.tree_.feature >= 0
    assert np.all(np.isfinite(model.tree_.threshold[inner]))
    # The rows arrive where they were counted, unless a value is missing.
    if not np.isnan(X).any():
        np.testing.assert_array_equal(
            np.bincount(model.apply(X), minlength=model.n_nodes_)[~inner], model.tree_.weight[~inner]
        )

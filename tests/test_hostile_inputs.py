"""Hostile inputs through the public face: each ends in a clear exception or in a right answer, none in a crash.

Hand-made tables of cases, and hypothesis; together some two thousand inputs. What might take the interpreter down
runs in a process of its own, so that a crash is seen as one.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
import textwrap
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import NotFittedError

from palmette import (
    C45Classifier,
    C45ForestClassifier,
    ObliviousTreeClassifier,
    RegularizedBoostingSelector,
)

pytestmark = pytest.mark.filterwarnings("ignore")

many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

ESTIMATORS: dict[str, Any] = {
    "tree": C45Classifier(min_samples=1),
    "pruned": C45Classifier(growth="literal", threshold="midpoint", pruning="error_based", criterion="gini"),
    "forest": C45ForestClassifier(n_estimators=3, random_state=0, oob_score=True),
    "boosted": RegularizedBoostingSelector(n_estimators=2, random_state=0),
    "oblivious": ObliviousTreeClassifier(),
}
each_estimator = pytest.mark.parametrize("name", ESTIMATORS)

ROWS = 12
Y = [0, 1] * (ROWS // 2)
NUMBERS = np.random.default_rng(0).normal(size=(ROWS, 3))


def fresh(name: str, **parameters: Any) -> Any:
    return copy.deepcopy(ESTIMATORS[name]).set_params(**parameters)


def assert_clear(error: BaseException) -> None:
    """What was wanted and what came need more than a few words."""
    assert isinstance(error, (ValueError, TypeError)), repr(error)
    assert len(str(error).split()) >= 4, repr(error)


def assert_sound(model: Any, X: Any, n_rows: int) -> None:
    """The fitted model predicts probabilities, and classes that it knows."""
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (n_rows, len(model.classes_))
    assert np.all(probabilities >= 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-9)
    assert set(model.predict(X).tolist()) <= set(model.classes_.tolist())
    if isinstance(model, C45Classifier):
        leaves = model.apply(X)
        assert np.all(model.tree_.feature[leaves] == -1)


def survives(name: str, X: Any, y: Any, weights: Any = None, **parameters: Any) -> bool:
    """Fit and predict; True if that went well, False if it was refused in a clear way."""
    model = fresh(name, **parameters)
    try:
        model.fit(X, y, sample_weight=weights)
    except (ValueError, TypeError) as error:
        assert_clear(error)
        with pytest.raises(NotFittedError):
            model.predict(X)
        return False
    assert_sound(model, X, len(model.predict(X)))
    again = pickle.loads(pickle.dumps(model))
    assert_sound(again, X, len(again.predict(X)))
    return True


def run_apart(script: str, seconds: float = 120) -> None:
    """Run a script in a process of its own, which must end well."""
    prelude = "import numpy as np, threading, sys\nfrom palmette import C45Classifier, C45ForestClassifier\n"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", prelude + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


# ---- tables --------------------------------------------------------------------------------------------------------


def objects(*columns: list[Any]) -> np.ndarray:
    array = np.empty((len(columns[0]), len(columns)), dtype=object)
    for index, column in enumerate(columns):
        for row, value in enumerate(column):
            array[row, index] = value
    return array


def column(*values: Any) -> np.ndarray:
    """One column that repeats the values."""
    return objects([values[row % len(values)] for row in range(ROWS)])


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


LARGEST = np.finfo(float).max
SMALLEST = 5e-324

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
    np.testing.assert_array_equal(model.predict_proba(NUMBERS), expected.predict_proba(NUMBERS))
    np.testing.assert_array_equal(model.predict_proba(SAME_NUMBERS[case]), expected.predict_proba(NUMBERS))


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
    for predict in (model.predict, model.predict_proba, getattr(model, "apply", model.predict_log_proba)):
        try:
            predict(REFUSED[case])
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
            model.predict(X)
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


# ---- labels and weights --------------------------------------------------------------------------------------------

WRONG_LABELS: dict[str, Any] = {
    "None": None,
    "a number": 1,
    "text": "abc",
    "empty": [],
    "too few": Y[:-1],
    "too many": [*Y, 0],
    "one class": [1] * ROWS,
    "one class of text": ["a"] * ROWS,
    "NaN": [0.0, math.nan] * 6,
    "None among text": ["a", None] * 6,
    "None among numbers": [1, None] * 6,
    "infinity": [0.0, math.inf] * 6,
    "continuous": NUMBERS[:, 0],
    "complex": [1j, 0] * 6,
    "two columns": NUMBERS[:, :2].astype(int),
    "three dimensions": np.zeros((ROWS, 1, 1)),
    "dates": pd.date_range("2020", periods=ROWS),
    "bytes": np.array([b"a", b"b"] * 6),
    "lists": [[0], [1, 2]] * 6,
    "nested": objects([[0], [1]] * 6)[:, 0],
    "numbers beside text": objects([0, "a"] * 6)[:, 0],
    "a frame of two columns": pd.DataFrame({"a": Y, "b": Y}),
    "a sparse matrix": scipy.sparse.csr_matrix(np.array(Y)),
    "a dict": {0: 1},
    "pandas NA": pd.Series(pd.array([0, None] * 6, dtype="Int64")),
    "records": np.zeros(ROWS, dtype=[("a", int)]),
}

RIGHT_LABELS: dict[str, Any] = {
    "text with NUL": ["a\0b", "a\0c"] * 6,
    "surrogates": ["\ud800", "\udfff"] * 6,
    "booleans": [True, False] * 6,
    "whole floats": [0.0, -1.0] * 6,
    "int64 extremes": np.array([-(2**63), 2**63 - 1] * 6),
    "uint64 extremes": np.array([0, 2**64 - 1] * 6, dtype=np.uint64),
    "a class for each row": list(range(ROWS)),
    "float16": np.array([0, 1] * 6, dtype=np.float16),
    "a column": np.array(Y).reshape(-1, 1),
    "a categorical with unused classes": pd.Series(pd.Categorical(["a", "b"] * 6, categories=["c", "b", "a"])),
    "polars text": pl.Series(["a", "b"] * 6),
    "byte-swapped": np.array(Y, dtype=">i4"),
    "read-only": np.frombuffer(np.array(Y, dtype=np.int64).tobytes(), dtype=np.int64),
    "negative strides": np.array(Y)[::-1],
}


@each_estimator
@pytest.mark.parametrize("case", WRONG_LABELS)
def test_wrong_labels(name: str, case: str) -> None:
    assert not survives(name, NUMBERS, WRONG_LABELS[case])


@each_estimator
@pytest.mark.parametrize("case", RIGHT_LABELS)
def test_strange_labels(name: str, case: str) -> None:
    assert survives(name, NUMBERS, RIGHT_LABELS[case])


def ones(**exceptions: float) -> np.ndarray:
    weights = np.ones(ROWS)
    for row, weight in exceptions.items():
        weights[int(row[1:])] = weight
    return weights


WRONG_WEIGHTS: dict[str, Any] = {
    "negative": ones(w3=-1),
    "NaN": ones(w3=math.nan),
    "infinity": ones(w3=math.inf),
    "minus infinity": ones(w3=-math.inf),
    "all zero": np.zeros(ROWS),
    "zero for a class": np.array([0, 1] * 6),
    "huge": np.full(ROWS, 1e300),
    "one huge": ones(w3=1e300),
    "too much in all": np.full(ROWS, 2.0**40),
    "tiny": np.full(ROWS, 1e-300),
    "subnormal": np.full(ROWS, SMALLEST),
    "too few": np.ones(ROWS - 1),
    "too many": np.ones(ROWS + 1),
    "none at all": [],
    "two dimensions": np.ones((ROWS, 2)),
    "text": ["a"] * ROWS,
    "complex": np.ones(ROWS, dtype=complex),
    "dates": pd.date_range("2020", periods=ROWS),
    "lists": [[1], [1, 2]] * 6,
    "None among them": objects([1.0, None] * 6)[:, 0],
    "a negative number for all": -1.0,
    "NaN for all": math.nan,
    "text for all": "balanced",
    "long double beyond double": np.full(ROWS, np.longdouble("1e4000")),
}

RIGHT_WEIGHTS: dict[str, Any] = {
    "one for all": 1,
    "half for all": 0.5,
    "wide apart": np.array([1e-9, 1e9] * 6),
    "one counts": ones(w3=1e9),
    "next to nothing": np.full(ROWS, 2.0**-33),
    "next to nothing beside one": ones(w3=1e-300),
    "as much as can be": np.full(ROWS, 2.0**40 / ROWS * 0.999),
    "booleans": np.array([True, True, False] * 4),
    "float16": np.ones(ROWS, dtype=np.float16),
    "byte-swapped": np.arange(ROWS, dtype=">f4") + 1,
    "negative strides": np.arange(ROWS, 0.0, -1.0)[::-1],
    "zero strides": np.broadcast_to(np.array(2.5), ROWS),
    "strings of numbers, as objects": objects([1, 2.5] * 6)[:, 0],
    "a series": pd.Series(np.ones(ROWS), index=range(5, 5 + ROWS)),
    "integers": np.full(ROWS, 2**30),
}


@each_estimator
@pytest.mark.parametrize("case", WRONG_WEIGHTS)
def test_wrong_weights(name: str, case: str) -> None:
    assert not survives(name, NUMBERS, Y, WRONG_WEIGHTS[case])


@each_estimator
@pytest.mark.parametrize("case", RIGHT_WEIGHTS)
def test_strange_weights(name: str, case: str) -> None:
    assert survives(name, NUMBERS, Y, RIGHT_WEIGHTS[case])


@many
@given(
    hnp.arrays(np.float64, ROWS, elements=st.floats() | st.sampled_from([0.0, 1.0, 1e-9, 1e9, 2.0**-33, 2.0**40])),
    st.sampled_from(list(ESTIMATORS)),
)
def test_any_weights(weights: np.ndarray, name: str) -> None:
    survives(name, NUMBERS, Y, weights)


@many
@given(
    hnp.arrays(np.float64, (ROWS, 3), elements=st.sampled_from([math.nan, 0.0, 1.0, 2.0])),
    hnp.arrays(np.float64, ROWS, elements=st.sampled_from([1e-9, 1e-4, 0.3, 1.0, 7.0, 1e9, 5e10])),
    st.sampled_from(list(ESTIMATORS)),
)
def test_missing_values_under_weights_of_every_size(X: np.ndarray, weights: np.ndarray, name: str) -> None:
    assert survives(name, X, Y, weights, criterion="gain_ratio", min_samples=1e-3)


# ---- parameters ----------------------------------------------------------------------------------------------------

NO_NUMBERS = [None, "2", "", math.nan, [2], (2,), {2}, {}, object(), 1 + 1j, b"2", np.array([2, 3]), len, Decimal(2)]
WRONG_PARAMETERS: dict[str, list[Any]] = {
    "criterion": [None, "", "entropy", "GINI", 3, ["gini"], b"gini", np.array(["gini"]), math.nan, object()],
    "growth": [None, "", "C45", 1, ["c45"], object()],
    "threshold": [None, "", "mid", 0.5, ["c45"]],
    "min_samples": [*NO_NUMBERS, 0, -1, -0.0, -math.inf, math.inf, 1e18, 2**41, 10**400, True],
    "max_depth": [*NO_NUMBERS[1:], -1, 1.0, 2.5, math.inf, True, np.float64(3), -(10**400)],
    "time_limit": [*NO_NUMBERS[1:], -1, -1e-300, -math.inf, True, -(10**400)],
    "n_jobs": [*NO_NUMBERS[1:], 0, 1.0, 2.5, math.inf, True],
    "categorical_features": ["all", 3, 1.5, object(), {"a": 1}, [99], [-1], ["a"], [1.5], [[0]], [None], [True, False]],
}
OF_THE_TREE = {
    "pruning": ["", "error", True, 1, ["error_based"]],
    "confidence": [*NO_NUMBERS, 0, -1, 1.5, math.inf, True],
}
OF_THE_FOREST = {
    "n_estimators": [*NO_NUMBERS, 0, -1, 1.5, math.inf, True, 10**7, 10**400],
    "max_features": ["", "auto", 0, -1, 4, 1.5, 0.0, -0.5, math.nan, math.inf, True, [1], np.array([1, 2]), object()],
    "bootstrap": [None, "yes", 1, 0.0, [True], np.array([True, False])],
    "oob_score": [None, "no", 2, [False]],
    "random_state": ["a", -1, 1.5, [object()], 2**40, object()],
}
OF_THE_REGULARIZED = {
    "n_estimators": [None, "2", 0, 1.5, 10**7],
    "criterion": [None, "gini", "information_gain", 3],
    "new_feature_weight": [
        *("half", b"1", 0, -1, 1.5, math.nan, True, object(), np.ones((3, 1))),
        *([0.5], [0.5, 0.5, 2], [0.5, None, 0.5], [0.0] * 3),
        *({3: 0.5}, {"a": 0.5}, {0: "x"}, {0: math.nan}),
    ],
    "guide": [
        *("forest", 3, 0.5, object(), C45Classifier),
        *([1, 2], [0, 0, 0], [1, math.nan, 1], [1, math.inf, 1]),
        *({}, {"a": 1}, {0: "x"}),
    ],
    "guide_strength": [None, "1", -0.1, 1.1, math.nan],
    "initial": ["a", 3, {"a": 1}, [3], [-1], ["a"], [1.5], [True, False], [[0]]],
    "resample": [None, "yes", 1],
    "max_features": ["auto", 0, 4, 1.5],
    "min_samples": [None, 0, -1, math.inf],
    "random_state": ["a", -1, 1.5],
}
OF_THE_OBLIVIOUS = {
    "cv": [None, "", "LOO", "loo ", 0, 1, ROWS + 1, 10**400, 2.0, 2.5, math.nan, True, [5], object(), np.array([2, 3])],
    "numeric": [None, "", "MDL", 1, ["mdl"], True],
    "keep": ["a", 3, {"a": 1}, [3], [-1], ["a"], [1.5], [True, False]],
    "groups": ["ab", 3, [[0, 1], [1, 2]], [[9]], ["a"], [1, 2]],
    "min_features": ["1", -1, 1.5, 4, math.nan, True, 10**400],
    "memory_limit": ["", "lots", "-1GB", 0, -1, 1.5, math.nan, True, []],
    "callback": [1, "print", []],
    "time_limit": WRONG_PARAMETERS["time_limit"],
    "n_jobs": WRONG_PARAMETERS["n_jobs"],
    "categorical_features": WRONG_PARAMETERS["categorical_features"],
}


def parameter_cases() -> list[Any]:
    tables = {
        "tree": WRONG_PARAMETERS | OF_THE_TREE,
        "forest": WRONG_PARAMETERS | OF_THE_FOREST,
        "boosted": OF_THE_REGULARIZED,
        "oblivious": OF_THE_OBLIVIOUS,
    }
    return [
        pytest.param(name, parameter, value, id=f"{name}-{parameter}-{place}")
        for name, table in tables.items()
        for parameter, values in table.items()
        for place, value in enumerate(values)
    ]


@pytest.mark.parametrize(("name", "parameter", "value"), parameter_cases())
def test_wrong_parameters(name: str, parameter: str, value: Any) -> None:
    # Without bootstrap there is nothing out of the bag, which would be the first complaint.
    others = {"oob_score": False} if name == "forest" and parameter != "oob_score" else {}
    assert not survives(name, NUMBERS, Y, **{**others, parameter: value})


RIGHT_PARAMETERS: list[dict[str, Any]] = [
    {"max_depth": 0},
    {"max_depth": 10**30},
    {"max_depth": np.int8(2)},
    {"min_samples": 1e-12},
    {"min_samples": SMALLEST},
    {"min_samples": 2**40},
    {"min_samples": Fraction(3, 2)},
    {"min_samples": np.float32(2)},
    {"time_limit": 1e300},
    {"time_limit": math.inf},
    {"time_limit": 10**400},
    {"time_limit": 0},
    {"time_limit": SMALLEST},
    {"n_jobs": -1},
    {"n_jobs": -(10**9)},
    {"n_jobs": np.int64(2)},
    {"categorical_features": [0, 2]},
    {"categorical_features": np.array([True, False, True])},
    {"categorical_features": []},
    {"categorical_features": None},
    {"categorical_features": range(3)},
]


@each_estimator
@pytest.mark.parametrize("place", range(len(RIGHT_PARAMETERS)))
def test_strange_parameters(name: str, place: int) -> None:
    if not RIGHT_PARAMETERS[place].keys() <= fresh(name).get_params().keys():
        pytest.skip("it has no such parameter")
    assert survives(name, NUMBERS, Y, **RIGHT_PARAMETERS[place])


@pytest.mark.threads
@pytest.mark.parametrize("n_jobs", [1000, 10**9, 10**30])
def test_a_billion_threads_are_asked_for_and_not_started(n_jobs: int) -> None:
    run_apart(f"""
        X, y = np.random.default_rng(0).normal(size=(3000, 20)), np.arange(3000) % 2
        few, most = C45Classifier().fit(X, y), C45Classifier(n_jobs={n_jobs}).fit(X, y)
        assert few.tree_ == most.tree_
        assert (most.predict_proba(X) == few.predict_proba(X)).all()
        C45ForestClassifier(n_estimators=3, n_jobs={n_jobs}).fit(X, y).predict(X)
    """)


# ---- sizes ---------------------------------------------------------------------------------------------------------


def test_a_hundred_thousand_categories() -> None:
    run_apart("""
        import pandas as pd
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"a": rng.permutation(100_000).astype(str), "b": rng.normal(size=100_000)})
        y = (frame["b"] > 0).astype(int)
        for model in (C45Classifier(max_depth=3), C45Classifier(growth="literal", criterion="gain_ratio", max_depth=3),
                      C45ForestClassifier(n_estimators=2, max_features=2, random_state=0, max_depth=3)):
            assert model.fit(frame, y).predict_proba(frame).shape == (100_000, 2)
    """)


def test_more_classes_than_the_core_can_number() -> None:
    run_apart("""
        X, y = np.zeros((140_000, 1)), np.arange(140_000) % 70_000
        for model in (C45Classifier(), C45ForestClassifier(n_estimators=1)):
            try:
                model.fit(X, y)
            except ValueError as error:
                assert "65535" in str(error) and "70000" in str(error), error
            else:
                raise AssertionError
    """)


def test_thousands_of_classes() -> None:
    run_apart("""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(6000, 2)), np.arange(6000) % 3000
        model = C45Classifier(max_depth=6).fit(X, y)
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
        constant = C45Classifier().fit(np.zeros((60_000, 1)), np.arange(60_000))
        assert constant.n_nodes_ == 1 and constant.predict(np.zeros((2, 1))).tolist() == [0, 0]
    """)


def test_a_tree_as_deep_as_its_table_is_long() -> None:
    run_apart("""
        X, y = np.arange(5001.0).reshape(-1, 1), np.arange(5001) % 2
        model = C45Classifier(growth="literal", min_samples=1).fit(X, y)
        assert model.depth_ > 4900 and model.score(X, y) == 1
        import pickle
        assert pickle.loads(pickle.dumps(model)).score(X, y) == 1
        assert C45Classifier.from_json(model.to_json()).score(X, y) == 1
        assert len(model.to_rules()) == model.n_leaves_
        assert model.to_text(max_depth=3) and model.to_dot(max_depth=3)
        assert C45Classifier(growth="literal", min_samples=1, pruning="error_based").fit(X, y).n_nodes_ == 1
    """)


# ---- models that were tampered with --------------------------------------------------------------------------------


def fitted_on_a_mixture() -> tuple[C45Classifier, pd.DataFrame]:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=80),
            "letter": rng.choice(["a", "b", "c"], 80),
            "flag": rng.choice([True, False], 80),
            "other": rng.normal(size=80),
        }
    )
    y = (frame["number"] > 0) ^ (frame["letter"] == "b")
    return C45Classifier(growth="literal").fit(frame, y), frame


ARRAYS = ("feature", "threshold", "branch_start", "branches", "label", "weight", "class_weights", "gain")


@many
@given(st.data())
def test_a_tree_whose_arrays_were_tampered_with(data: st.DataObject) -> None:
    """The frozen tree is forced open; the classifier, alive or from a pickle, predicts or refuses."""
    model, frame = fitted_on_a_mixture()
    name = data.draw(st.sampled_from(ARRAYS))
    array = np.array(getattr(model.tree_, name))
    how = data.draw(st.sampled_from(["value", "length", "type", "shape"]))
    if how == "value":
        if array.dtype.kind == "i":
            value: Any = data.draw(st.integers(-3, 60) | st.sampled_from([2**31 - 1, -(2**31)]))
        else:
            value = data.draw(st.floats())
        array.flat[data.draw(st.integers(0, array.size - 1))] = value
    elif how == "length":
        array = array[: data.draw(st.integers(0, len(array)))]
    elif how == "type":
        array = array.astype(data.draw(st.sampled_from(["f4", "i8", "u1", "U3", "O", "c16"])))
    else:
        array = data.draw(st.sampled_from([array.reshape(-1, 1), array.reshape(1, -1), array[::-1]]))
    object.__setattr__(model.tree_, name, array)
    model.__dict__.pop("_predictor")
    for action in (lambda: model.predict(frame), lambda: pickle.loads(pickle.dumps(model)).predict(frame)):
        try:
            assert set(action().tolist()) <= {False, True}
        except (ValueError, TypeError) as error:
            assert_clear(error)


def test_a_model_whose_parts_do_not_fit() -> None:
    model, frame = fitted_on_a_mixture()
    stump = C45Classifier().fit(NUMBERS, Y)
    for part in ("tree_", "_schema", "_predictor"):
        mixed, other = copy.deepcopy(model), copy.deepcopy(stump)
        mixed._core_tree(), other._core_tree()
        setattr(mixed, part, getattr(other, part))
        try:
            mixed.predict(frame)
        except (ValueError, TypeError) as error:
            assert_clear(error)


def test_the_arrays_of_a_tree_cannot_be_written_to() -> None:
    model, _ = fitted_on_a_mixture()
    for name in ARRAYS:
        array = getattr(model.tree_, name)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def damaged(value: Any, data: st.DataObject) -> Any:
    """The JSON value with one thing in it replaced, removed or repeated."""
    junk = st.sampled_from([None, -1, 0, 1, 2**31, 2**63, -(2**63), 1e308, "x", [], {}, True, [[]], 0.5])
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)) < 9:
        key = data.draw(st.sampled_from(sorted(value)))
        changed = dict(value)
        if data.draw(st.integers(0, 9)) == 0:
            del changed[key]
        else:
            changed[key] = damaged(value[key], data)
        return changed
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)) < 9:
        place = data.draw(st.integers(0, len(value) - 1))
        repeated = data.draw(st.sampled_from([0, 1, 1, 1, 1, 2]))
        return value[:place] + [damaged(value[place], data)] * repeated + value[place + 1 :]
    return data.draw(junk)


@many
@given(st.data())
def test_a_damaged_json_is_refused_or_predicts(data: st.DataObject) -> None:
    model, frame = fitted_on_a_mixture()
    text = json.dumps(damaged(json.loads(model.to_json()), data))
    if not text.startswith("{"):
        text = "{}"  # other text is the name of a file
    try:
        again = C45Classifier.from_json(text)
    except ValueError as error:
        assert_clear(error)
        return
    try:
        probabilities = again.predict_proba(frame)
    except (ValueError, TypeError) as error:
        assert_clear(error)
    else:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


NO_MODELS: list[str | bytes] = ["", " ", "{", "[]", "null", "1", "NaN", '"x"', "{}", "\0", "\ud800", b"\xff\xfe"]


@pytest.mark.parametrize("place", range(len(NO_MODELS)))
def test_what_is_no_model_at_all(place: int) -> None:
    with pytest.raises((ValueError, OSError)) as caught:
        C45Classifier.from_json(NO_MODELS[place])
    assert len(str(caught.value).split()) >= 4


@pytest.mark.parametrize("text", ["[", '{"a":', '{"a":['])
def test_a_model_of_endless_brackets(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        C45Classifier.from_json(text * 100_000)
    assert len(str(caught.value).split()) >= 4


def test_models_of_strange_text_go_through_json_and_files(tmp_path: Path) -> None:
    frame = pd.DataFrame({"\0": ["\ud800", "a\0"] * 6, "": ["x", ""] * 6}, dtype=object)
    model = C45Classifier().fit(frame, ["\udfff", "\0"] * 6)
    expected = model.predict(frame).tolist()
    assert C45Classifier.from_json(model.to_json()).predict(frame).tolist() == expected
    model.to_json(tmp_path / "model.json")
    assert C45Classifier.from_json(tmp_path / "model.json").predict(frame).tolist() == expected


# ---- fits that fail leave nothing half done ------------------------------------------------------------------------


@each_estimator
def test_a_fit_that_fails_late_leaves_no_model(name: str) -> None:
    from palmette.support.progress import listening

    class Stop(Exception):
        pass

    def stop(_: object) -> None:
        raise Stop

    rng = np.random.default_rng(0)
    model = fresh(name, oob_score=False) if name == "forest" else fresh(name)
    model.fit(NUMBERS, Y)
    X, y = rng.normal(size=(150_000, 20)), rng.integers(5, 8, 150_000)
    longer = {"growth": "literal", "n_estimators": 100}
    model.set_params(**{parameter: longer[parameter] for parameter in longer if parameter in model.get_params()})
    with pytest.raises(Stop), listening(stop):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(NUMBERS)
    shallow = {"max_depth": 2} if "max_depth" in model.get_params() else {}
    assert model.set_params(**shallow).fit(NUMBERS, Y).predict(NUMBERS).shape == (ROWS,)


@each_estimator
def test_an_unfitted_model_says_so(name: str) -> None:
    model = fresh(name)
    for action in ("predict", "predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(model, action)(NUMBERS)
    if isinstance(model, C45Classifier):
        for action in ("to_json", "to_text", "to_rules", "to_dot"):
            with pytest.raises(NotFittedError):
                getattr(model, action)()


# ---- other threads and processes -----------------------------------------------------------------------------------


@pytest.mark.threads
def test_a_table_that_another_thread_changes_while_it_is_read() -> None:
    run_apart("""
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.integers(0, 100, (20_000, 4)).astype(float))
        y = rng.integers(0, 2, 20_000)
        others = [rng.normal(size=X.shape) * 1e9, rng.integers(0, 100, X.shape).astype(float), np.full(X.shape, np.nan)]
        stop = False
        def change():
            while not stop:
                for other in others:
                    X[:] = other
        thread = threading.Thread(target=change)
        thread.start()
        answers = 0
        for round in range(30):
            for model in (C45Classifier(max_depth=4, n_jobs=round % 3 + 1),
                          C45ForestClassifier(n_estimators=2, max_depth=3)):
                try:
                    answers += len(model.fit(X, y).predict(X)) == 20_000
                except ValueError as error:
                    assert "not a tree" in str(error), error
        stop = True
        thread.join()
        assert answers
    """)


@pytest.mark.threads
def test_fits_in_several_threads_at_once() -> None:
    run_apart("""
        from concurrent.futures import ThreadPoolExecutor
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        expected = C45Classifier().fit(X, y)
        def work(n_jobs):
            tree = C45Classifier(n_jobs=n_jobs).fit(X, y)
            assert tree.tree_ == expected.tree_
            forest = C45ForestClassifier(n_estimators=4, n_jobs=n_jobs, random_state=0).fit(X, y)
            return forest.predict_proba(X[:100]).tobytes()
        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(work, [1, 2, 3, 1, 2, 3, 4, 5]))) == 1
    """)


@pytest.mark.threads
def test_one_model_predicts_for_several_threads_at_once() -> None:
    run_apart("""
        from concurrent.futures import ThreadPoolExecutor
        import pickle
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        model = pickle.loads(pickle.dumps(C45ForestClassifier(n_estimators=4, n_jobs=2).fit(X, y)))
        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(lambda _: model.predict_proba(X).tobytes(), range(12)))) == 1
    """)


@pytest.mark.threads
def test_a_fit_in_a_forked_child() -> None:
    run_apart("""
        import multiprocessing
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        def work(n_jobs):
            return C45Classifier(n_jobs=n_jobs).fit(X, y).predict_proba(X).tobytes()
        expected = work(2)
        with multiprocessing.get_context("fork").Pool(3) as pool:
            assert set(pool.map_async(work, [1, 2, 3, 4]).get(60)) == {expected}
    """)


def test_how_many_inputs_there_are() -> None:
    """The tables of cases alone; hypothesis draws 1 600 more."""
    tables = (
        len(ESTIMATORS) * (len(SAME_NUMBERS) + len(ACCEPTED) + 2 * len(REFUSED))
        + len(ESTIMATORS) * (len(WRONG_LABELS) + len(RIGHT_LABELS) + len(WRONG_WEIGHTS) + len(RIGHT_WEIGHTS))
        + len(ESTIMATORS) * len(RIGHT_PARAMETERS)
        + len(parameter_cases())
    )
    assert tables >= 1000

"""Labels that are wrong, and labels that are only strange."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from hostile.inputs import (
    NUMBERS,
    ROWS,
    Y,
    each_estimator,
    objects,
    survives,
)

pytestmark = pytest.mark.filterwarnings("ignore")


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

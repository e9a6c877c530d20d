"""Sample weights from every library, and the weights that are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from palmette.data.weights import read_weights


@pytest.mark.parametrize(
    "sample_weight",
    [
        [1, 0, 2.5],
        (1, 0, 2.5),
        np.array([1, 0, 2.5], dtype=np.float32),
        np.array([1, 0, 2.5], dtype=object),
        pd.Series([1, 0, 2.5], index=[7, 8, 9]),
        pd.Series([1, 0, 2.5], dtype="Float64"),
        pl.Series([1, 0, 2.5], strict=False),
        pa.array([1, 0, 2.5]),
        pa.chunked_array([[1.0], [0, 2.5]]),
    ],
)
def test_weights(sample_weight):
    weights = read_weights(sample_weight, 3)
    assert weights.dtype == np.float64
    assert weights.tolist() == [1, 0, 2.5]


@pytest.mark.parametrize("one", [2, 2.0, np.float32(2), np.array(2)])
def test_one_weight_for_all(one):
    assert read_weights(one, 3).tolist() == [2, 2, 2]


def test_no_weights():
    assert read_weights(None, 3) is None


def test_integers_and_booleans():
    assert read_weights([True, False], 2).tolist() == [1, 0]
    assert read_weights(np.array([1, 2], dtype=np.uint8), 2).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        ([1, -2, -3], "contains negative values: 2 of 3 weights, first -2.0 in row 1"),
        (-1, "contains negative values"),
        ([1, np.nan, 1], "contains NaN: 1 of 3 weights, first nan in row 1. A sample that shall not count"),
        ([1, None, 1], "contains NaN"),
        (pd.Series([1, None, 1], dtype="Int64"), "contains NaN"),
        ([1, 1, np.inf], "contains infinity: 1 of 3 weights, first inf in row 2"),
        (float("nan"), "contains NaN"),
        ([1, 1], "X has 3 rows, but `sample_weight` has 2 values"),
        ([[1, 1, 1]], r"must be 1D array or scalar, got 2D array \(shape=\(1, 3\)\).* length 3"),
        ([0, 0, 0], "at least one non-zero number"),
        (0, "at least one non-zero number"),
        ([1e-12, 0, 1e-13], "The largest sample weight is 1e-12; .*count as 0. Multiply"),
        ([2**40, 1, 0], r"add up to 1099511627777.0, more than 1099511627776 \(2\^40\). Divide"),
        (["a", "b", "c"], "Sample weights must be numbers, but they are of type <U1"),
        ([1, "b", None], "Sample weights must be numbers"),
        ([1j, 1, 1], "Sample weights must be numbers, but they are of type complex128"),
        ("abc", "Sample weights must be numbers"),
        ([{}, 1, 1], "Sample weights must be numbers"),
    ],
)
def test_weights_that_are_refused(sample_weight, message):
    with pytest.raises(ValueError, match=message):
        read_weights(sample_weight, 3)


def test_the_largest_total_is_fine():
    assert read_weights([2**39, 2**39], 2).sum() == 2**40


def test_the_user_s_weights_are_not_changed():
    mine = np.array([1.0, 2.0])
    read_weights(mine, 2)[0] = 5
    assert mine.tolist() == [1, 2]

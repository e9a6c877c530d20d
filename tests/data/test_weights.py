"""Sample weights from every library, and the weights that are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

from palmette import (
    BestSubsetSelector,
    C45Classifier,
    C45ForestClassifier,
    EvolvedTreeClassifier,
    FCBFSelector,
    MDLDiscretizer,
    ObliviousTreeClassifier,
)
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


@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(),
        C45ForestClassifier(n_estimators=2, bootstrap=False),
        BestSubsetSelector(random_state=0),
        FCBFSelector(),
        MDLDiscretizer(),
        ObliviousTreeClassifier(),
        EvolvedTreeClassifier(population_size=4, max_generations=1, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_weights_that_are_shares_of_one_are_warned_of_at_the_call(estimator):
    X, y = load_iris(return_X_y=True)
    message = "add up to 1 over 150 samples.*by 150 for a mean of 1"
    with pytest.warns(UserWarning, match=message) as told:
        estimator.fit(X, y, sample_weight=np.full(150, 1 / 150))
    assert [record.filename for record in told if "add up" in str(record.message)] == [__file__]


def test_light_weights_are_no_matter_where_they_are_chances_or_few():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        C45ForestClassifier(n_estimators=2, random_state=0).fit(X, y, sample_weight=np.full(150, 1 / 150))
        C45Classifier().fit(X[48:52], y[48:52], sample_weight=np.full(4, 0.5))
        # What boosting leaves of samples that are easy.
        C45Classifier().fit(X, y, sample_weight=np.where(np.arange(150) % 3 == 0, 1e-15, 1.0))


def test_weights_that_are_rounded_away_beside_others_are_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="149 of 150 sample weights count as 0.*nearer together"):
        C45Classifier().fit(X, y, sample_weight=np.r_[1e12, np.full(149, 1e-9)])

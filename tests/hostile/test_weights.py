"""Sample weights that are wrong, and weights of every size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hostile.inputs import (
    ESTIMATORS,
    NUMBERS,
    ROWS,
    SMALLEST,
    Y,
    each_estimator,
    many,
    objects,
    survives,
)

pytestmark = pytest.mark.filterwarnings("ignore")


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
    st.sampled_from(["tree", "pruned", "forest"]),
)
def test_missing_values_under_weights_of_every_size(X: np.ndarray, weights: np.ndarray, name: str) -> None:
    assert survives(name, X, Y, weights, criterion="gain_ratio", min_samples=1e-3)

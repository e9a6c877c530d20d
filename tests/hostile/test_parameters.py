"""Parameters of every wrong kind, and right ones at their limits."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hostile.inputs import (
    ESTIMATORS,
    NUMBERS,
    ROWS,
    SMALLEST,
    Y,
    fresh,
    run_apart,
    survives,
)
from palmette import C45Classifier

pytestmark = pytest.mark.filterwarnings("ignore")


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
    "redraw_folds": [None, "yes", 1, 0.0, [True], np.array([True, False]), True],
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
OF_THE_FILTERS: dict[str, list[Any]] = {
    "tree": ["", "c45", 3, True, C45Classifier, object(), [C45Classifier()]],
    "time_limit": WRONG_PARAMETERS["time_limit"],
    "n_jobs": WRONG_PARAMETERS["n_jobs"],
}
OF_CFS = {
    "max_stale": [*NO_NUMBERS, 0, -1, 1.5, 2.0, math.inf, True, 10**7, 10**400],
    "locally_predictive": [None, "yes", 1, 0.0, [True], np.array([True, False])],
}
OF_FCBF = {"threshold": [*NO_NUMBERS, -0.1, 1.1, -math.inf, math.inf, True, 10**400]}
OF_THE_DISCRETIZER = {
    "encode": [None, "", "ORDINAL", "onehot", 1, ["ordinal"], b"ordinal", object()],
    "cut_cost": [None, "", "Samples", "value", 1, ["samples"], math.nan, object()],
    "n_jobs": WRONG_PARAMETERS["n_jobs"],
    "categorical_features": WRONG_PARAMETERS["categorical_features"],
}


def parameter_cases() -> list[Any]:
    tables = {
        "tree": WRONG_PARAMETERS | OF_THE_TREE,
        "forest": WRONG_PARAMETERS | OF_THE_FOREST,
        "boosted": OF_THE_REGULARIZED,
        "oblivious": OF_THE_OBLIVIOUS,
        "cfs": OF_THE_FILTERS | OF_CFS,
        "fcbf": OF_THE_FILTERS | OF_FCBF,
        "discretizer": OF_THE_DISCRETIZER,
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
    {"max_stale": 10**6},
    {"max_stale": np.int8(1)},
    {"tree": C45Classifier(max_depth=0)},
    {"tree": C45Classifier(time_limit=0)},
    {"encode": "interval"},
]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (name, place)
        for name in ESTIMATORS
        for place, parameters in enumerate(RIGHT_PARAMETERS)
        if parameters.keys() <= fresh(name).get_params().keys()
    ],
)
def test_strange_parameters(name: str, place: int) -> None:
    assert survives(name, NUMBERS, Y, **RIGHT_PARAMETERS[place])


@pytest.mark.parametrize("threshold", [0, 1, SMALLEST, Fraction(1, 3), np.float32(0.5)])
def test_strange_thresholds_of_a_filter(threshold: Any) -> None:
    assert survives("fcbf", NUMBERS, Y, threshold=threshold)


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

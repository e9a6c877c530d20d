"""What the tests of hostile inputs share: the estimators under attack, and what counts as surviving.

Each input ends in a clear exception or in a right answer, none in a crash. What might take the interpreter down runs
in a process of its own, so that a crash is seen as one.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.exceptions import NotFittedError

from palmette import (
    C45Classifier,
    C45ForestClassifier,
    CFSSelector,
    EvolvedTreeClassifier,
    FCBFSelector,
    GeneticTreeClassifier,
    MDLDiscretizer,
    ObliviousTreeClassifier,
    RegularizedBoostingSelector,
)

many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

ESTIMATORS: dict[str, Any] = {
    "tree": C45Classifier(min_samples=1),
    "pruned": C45Classifier(growth="literal", threshold="midpoint", pruning="error_based", criterion="gini"),
    "forest": C45ForestClassifier(n_estimators=3, random_state=0, oob_score=True),
    "boosted": RegularizedBoostingSelector(n_estimators=2, random_state=0),
    "oblivious": ObliviousTreeClassifier(),
    "evolved": EvolvedTreeClassifier(8, n_elite=4, max_generations=3, random_state=0),
    "bred": GeneticTreeClassifier(8, n_elite=2, max_generations=3, random_state=0),
    "cfs": CFSSelector(),
    "fcbf": FCBFSelector(),
    "discretizer": MDLDiscretizer(cut_cost="values"),
}
each_estimator = pytest.mark.parametrize("name", ESTIMATORS)

ROWS = 12
Y = [0, 1] * (ROWS // 2)
NUMBERS = np.random.default_rng(0).normal(size=(ROWS, 3))
LARGEST = np.finfo(float).max
SMALLEST = 5e-324


def fresh(name: str, **parameters: Any) -> Any:
    return copy.deepcopy(ESTIMATORS[name]).set_params(**parameters)


def assert_clear(error: BaseException) -> None:
    """What was wanted and what came need more than a few words."""
    assert isinstance(error, (ValueError, TypeError)), repr(error)
    assert len(str(error).split()) >= 4, repr(error)


def asks_of(model: Any) -> list[Callable[[Any], Any]]:
    """All that a model can be asked about a table, the most telling first."""
    names = ("predict_proba", "predict", "predict_log_proba", "apply", "transform")
    if not isinstance(model, MDLDiscretizer):
        # What a selector passes on are columns that it does not look into.
        names = names[:-1]
    return [getattr(model, name) for name in names if hasattr(model, name)]


def ask(model: Any, X: Any) -> Any:
    """What a model says of a table: probabilities, or the intervals of a discretizer."""
    return asks_of(model)[0](X)


def assert_sound(model: Any, X: Any, n_rows: int) -> None:
    """The fitted model predicts probabilities, and classes that it knows; a discretizer tells intervals that it has."""
    if isinstance(model, MDLDiscretizer):
        assert_sound_intervals(model, X, n_rows)
        return
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (n_rows, len(model.classes_))
    assert np.all(probabilities >= 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-9)
    assert set(model.predict(X).tolist()) <= set(model.classes_.tolist())
    if isinstance(model, C45Classifier):
        leaves = model.apply(X)
        assert np.all(model.tree_.feature[leaves] == -1)


def assert_sound_intervals(model: MDLDiscretizer, X: Any, n_rows: int) -> None:
    assert model.transform(X).shape == (n_rows, model.n_features_in_)
    table = copy.deepcopy(model).set_params(encode="ordinal").transform(X)
    for index, points in enumerate(model.cut_points_):
        if points is not None:
            assert np.all(np.isfinite(points))
            assert np.all(np.diff(points) > 0)
            codes = np.array(list(table.iloc[:, index] if hasattr(table, "iloc") else table[:, index]), dtype=float)
            assert set(codes[~np.isnan(codes)].tolist()) <= set(range(len(points) + 1))


def survives(name: str, X: Any, y: Any, weights: Any = None, **parameters: Any) -> bool:
    """Fit and predict; True if that went well, False if it was refused in a clear way."""
    model = fresh(name, **parameters)
    try:
        model.fit(X, y, sample_weight=weights)
    except (ValueError, TypeError) as error:
        assert_clear(error)
        with pytest.raises(NotFittedError):
            ask(model, X)
        return False
    assert_sound(model, X, len(ask(model, X)))
    again = pickle.loads(pickle.dumps(model))
    assert_sound(again, X, len(ask(again, X)))
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


def objects(*columns: list[Any]) -> np.ndarray:
    array = np.empty((len(columns[0]), len(columns)), dtype=object)
    for index, column in enumerate(columns):
        for row, value in enumerate(column):
            array[row, index] = value
    return array


def column(*values: Any) -> np.ndarray:
    """One column that repeats the values."""
    return objects([values[row % len(values)] for row in range(ROWS)])

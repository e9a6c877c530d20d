"""Manners of a long fit: Ctrl-C, time limits, progress, other Python threads, and the same answer for any `n_jobs`.

Bounds on times are generous, because machines are busy; what is measured is tens of milliseconds.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from palmette import C45Classifier, C45ForestClassifier, RegularizedBoostingSelector, RegularizedForestSelector
from palmette.support.progress import Progress, listening
from patience import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore:.*have no out-of-bag prediction")

# The number of rows, of 20 columns of noise, and what fits them for several seconds.
LONG_FITS: dict[str, tuple[int, str]] = {
    "tree": (400_000, 'C45Classifier(growth="literal")'),
    "tree on two threads": (400_000, 'C45Classifier(growth="literal", n_jobs=2)'),
    "tree, pruned": (200_000, 'C45Classifier(growth="literal", n_jobs=2, pruning="error_based")'),
    "forest": (400_000, 'C45ForestClassifier(growth="literal", max_features=None)'),
    "forest on two threads": (400_000, 'C45ForestClassifier(growth="literal", n_jobs=2, oob_score=True)'),
}


def noise(n_rows: int, n_features: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A table that takes long: nothing can be learned from it, so a literal tree grows until every leaf is pure."""
    generator = np.random.default_rng(0)
    return generator.normal(size=(n_rows, n_features)), generator.integers(0, n_classes, n_rows)


class Reader:
    """A Python process whose lines are read as they come."""

    def __init__(self, script: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def expect(self, line: str) -> None:
        assert self.process.stdout is not None
        came = self.process.stdout.readline()
        if came != line + "\n":
            self.process.kill()
            raise AssertionError(f"wanted {line!r}, got {came!r}\n{self.process.communicate()[1]}")


@pytest.mark.threads
@pytest.mark.slow
@pytest.mark.parametrize("fit", LONG_FITS)
def test_ctrl_c_ends_a_long_fit_at_once_and_the_interpreter_goes_on(fit: str) -> None:
    n_rows, model = LONG_FITS[fit]
    reader = Reader(f"""
        import numpy as np
        from palmette import C45Classifier, C45ForestClassifier, RegularizedBoostingSelector, RegularizedForestSelector
        generator = np.random.default_rng(0)
        X, y = generator.normal(size=({n_rows}, 20)), generator.integers(0, 2, {n_rows})
        for round in range(3):
            try:
                print("fitting", flush=True)
                {model}.fit(X, y)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
        print(len(C45Classifier().fit(X[:100], y[:100]).predict(X[:100])), flush=True)
        """)
    moments = random.Random(fit)
    for _ in range(3):
        reader.expect("fitting")
        time.sleep(moments.uniform(0.05, 2.0 if "pruned" in fit else 1.0))
        sent = time.perf_counter()
        reader.process.send_signal(signal.SIGINT)
        reader.expect("interrupted")
        assert time.perf_counter() - sent < PATIENCE
    reader.expect("100")
    output, errors = reader.process.communicate(timeout=60)
    assert (reader.process.returncode, output, errors) == (0, "", "")


@pytest.mark.threads
@pytest.mark.slow
def test_ctrl_c_ends_a_long_prediction() -> None:
    reader = Reader("""
        import numpy as np
        from palmette import C45ForestClassifier
        generator = np.random.default_rng(0)
        X, y = generator.normal(size=(20_000, 10)), generator.integers(0, 2, 20_000)
        model = C45ForestClassifier(n_estimators=20, growth="literal", max_features=None).fit(X, y)
        unknown = np.full((100_000, 10), np.nan)  # every row visits every leaf of every tree
        try:
            print("predicting", flush=True)
            model.predict(unknown)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """)
    reader.expect("predicting")
    time.sleep(0.5)
    sent = time.perf_counter()
    reader.process.send_signal(signal.SIGINT)
    reader.expect("interrupted")
    assert time.perf_counter() - sent < PATIENCE
    assert reader.process.communicate(timeout=60) == ("", "")


@pytest.mark.threads
@pytest.mark.parametrize(
    ("model", "seconds"),
    [
        (C45Classifier(growth="literal"), 0.4),
        (C45Classifier(growth="literal", n_jobs=2), 0.4),
        (C45Classifier(growth="literal", pruning="error_based"), 0.4),
        (C45Classifier(growth="literal", pruning="error_based", n_jobs=2), 0.4),
        (C45ForestClassifier(1000, growth="literal", random_state=0), 0.4),
        (C45ForestClassifier(1000, growth="literal", random_state=0, n_jobs=2, oob_score=True), 0.8),
        (C45ForestClassifier(1000, growth="literal", bootstrap=False, random_state=0), 0.4),
        (RegularizedForestSelector(1000, random_state=0, n_jobs=2), 0.4),
        (RegularizedBoostingSelector(1000, random_state=0), 0.4),
    ],
    ids=[
        *("tree", "two threads", "pruning", "pruning with two threads", "forest", "out of bag", "no bootstrap"),
        *("regularized forest", "regularized boosting"),
    ],
)
def test_a_time_limit_is_kept_and_leaves_a_model_that_predicts(model: Any, seconds: float) -> None:
    X, y = noise(200_000, 20)
    start = time.perf_counter()
    model = clone(model).set_params(time_limit=seconds).fit(X, y)
    assert time.perf_counter() - start < seconds + PATIENCE
    assert model.status_ == "time_limit"
    probabilities = model.predict_proba(X[:1000])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert len(getattr(model, "trees_", [None])) >= 1


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_no_time_at_all_still_gives_a_model(limit: float) -> None:
    X, y = noise(5000, 5)
    for model in (
        C45Classifier(),
        C45Classifier(pruning="error_based"),
        C45ForestClassifier(50, oob_score=True),
        RegularizedForestSelector(50),
        RegularizedBoostingSelector(50),
    ):
        model.set_params(time_limit=limit).fit(X, y)
        assert model.status_ == "time_limit"
        assert set(model.predict(X).tolist()) <= {0, 1}


def test_a_limit_that_is_not_reached_is_not_told() -> None:
    X, y = noise(200, 3)
    for model in (C45Classifier(time_limit=600), C45ForestClassifier(5, time_limit=600)):
        assert model.fit(X, y).status_ == "complete"


@pytest.mark.threads
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_a_listener_hears_shares_that_rise(kind: str, n_jobs: int) -> None:
    X, y = noise(60_000, 20)
    heard: list[Progress] = []
    model: Any = (
        C45Classifier(growth="literal", n_jobs=n_jobs)
        if kind == "tree"
        else C45ForestClassifier(20, growth="literal", n_jobs=n_jobs, random_state=0)
    )
    with listening(heard.append):
        model.fit(X, y)
    shares = [progress.share for progress in heard]
    assert len(heard) >= 2
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[-1] > 0
    assert all(progress.message for progress in heard)
    trees = [progress.trees for progress in heard]
    assert trees == sorted(trees)
    heard.clear()
    model.fit(X[:100], y[:100])
    assert not heard


class Enough(Exception):
    pass


@pytest.mark.threads
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_an_exception_of_the_listener_stops_the_fit_and_is_raised_by_it(kind: str) -> None:
    X, y = noise(200_000, 20)
    model: Any = C45Classifier(growth="literal") if kind == "tree" else C45ForestClassifier(growth="literal", n_jobs=2)
    raised: list[float] = []

    def refuse(progress: Progress) -> None:
        raised.append(time.perf_counter())
        raise Enough(f"at {progress.share}")

    with pytest.raises(Enough, match=r"at [0-9]"), listening(refuse):
        model.fit(X, y)
    assert time.perf_counter() - raised[0] < PATIENCE
    assert len(raised) == 1
    # The same table is fitted again by whoever asks, without the listener.
    assert model.set_params(max_depth=2).fit(X[:500], y[:500]).status_ == "complete"


@pytest.mark.threads
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_other_python_threads_go_on_during_a_fit(kind: str) -> None:
    X, y = noise(100_000, 20)
    model: Any = C45Classifier(growth="literal") if kind == "tree" else C45ForestClassifier(5, growth="literal")
    steps = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal steps
        while not stop.wait(0.001):
            steps += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    finally:
        stop.set()
        thread.join()
    # A counter that had to wait for the fit would count a handful.
    assert steps > 20 * seconds


@pytest.mark.threads
@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio", "gini"])
@pytest.mark.parametrize("growth", ["c45", "literal"])
def test_the_model_does_not_depend_on_n_jobs(criterion: str, growth: str) -> None:
    X, y = noise(6000, 12, n_classes=3)
    X[:, 0] += y
    X[::7, 1] = np.nan
    X[:, 2:5] = np.round(X[:, 2:5])
    rules = {"criterion": criterion, "growth": growth, "categorical_features": [2, 3]}
    trees = [C45Classifier(n_jobs=n_jobs, **rules).fit(X, y) for n_jobs in (1, 2, 5)]
    assert trees[0].n_nodes_ > 10
    assert trees[0].tree_ == trees[1].tree_ == trees[2].tree_
    np.testing.assert_array_equal(trees[0].predict_proba(X), trees[2].predict_proba(X))
    forests = [
        C45ForestClassifier(6, n_jobs=n_jobs, random_state=3, oob_score=True, **rules).fit(X, y) for n_jobs in (1, 2, 5)
    ]
    assert forests[0].trees_ == forests[1].trees_ == forests[2].trees_
    for other in forests[1:]:
        np.testing.assert_array_equal(forests[0].oob_decision_function_, other.oob_decision_function_)
        np.testing.assert_array_equal(forests[0].predict_proba(X), other.predict_proba(X))


@pytest.mark.threads
def test_the_same_tree_where_subtrees_are_few_samples_among_many_values():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(3000, 300))
    X[generator.random(X.shape) < 0.02] = np.nan
    y = (np.nan_to_num(X[:, :3]).sum(axis=1) + generator.normal(size=3000) > 0).astype(int)
    trees = [C45Classifier(growth="literal", n_jobs=n_jobs).fit(X, y).tree_ for n_jobs in (1, 2)]
    assert trees[0] == trees[1]

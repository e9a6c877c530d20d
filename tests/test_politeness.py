"""Long calls are polite: Ctrl-C, time limits, progress, the GIL, and the same answer for any number of threads."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from palmette import C45Classifier, C45ForestClassifier
from palmette.support.progress import Progress, listening


@pytest.fixture(scope="module")
def noise():
    """A table that takes seconds to fit: no feature says anything about the labels."""
    random = np.random.default_rng(0)
    return random.normal(size=(300_000, 20)), random.integers(0, 2, 300_000)


INTERRUPTED_FIT = """
import sys, time
import numpy as np
from palmette import C45Classifier, C45ForestClassifier
random = np.random.default_rng(0)
X, y = random.normal(size=(400_000, 20)), random.integers(0, 2, 400_000)
estimator = {estimator}
print("fitting", flush=True)
try:
    estimator.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    small = C45Classifier().fit(X[:200], y[:200])
    print("usable" if not hasattr(estimator, "status_") and len(small.predict(X[:5])) == 5 else "broken", flush=True)
"""


@pytest.mark.threads
@pytest.mark.parametrize("delay", [0.3, 1.0, 2.0])
@pytest.mark.parametrize(
    "estimator",
    [
        "C45Classifier(growth='literal')",
        "C45Classifier(growth='literal', n_jobs=2, pruning='error_based')",
        "C45ForestClassifier(1000, growth='literal', n_jobs=2)",
    ],
)
def test_ctrl_c_ends_a_fit_at_once_and_leaves_python_usable(estimator, delay):
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED_FIT.format(estimator=estimator)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "fitting\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        sent = time.perf_counter()
        assert process.stdout.readline() == "interrupted\n"
        waited = time.perf_counter() - sent
        assert process.stdout.readline() == "usable\n"
    assert process.returncode == 0
    # A fraction of a second on a machine of one's own; other people's work may hold the process up.
    assert waited < 3


@pytest.mark.threads
@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(growth="literal", time_limit=0.2),
        C45Classifier(growth="literal", time_limit=0.2, pruning="error_based", n_jobs=2),
        C45ForestClassifier(10_000, growth="literal", time_limit=0.2, n_jobs=2, random_state=0),
    ],
    ids=["tree", "pruned", "forest"],
)
def test_a_time_limit_ends_with_a_usable_estimator(noise, estimator):
    X, y = noise
    estimator.fit(X, y)
    assert estimator.status_ == "time_limit"
    assert estimator.predict_proba(X[:10]).shape == (10, 2)


def test_no_time_at_all_still_gives_a_tree(noise):
    X, y = noise
    tree = C45Classifier(time_limit=0).fit(X, y)
    assert tree.status_ == "time_limit"
    assert tree.n_nodes_ == 1
    forest = C45ForestClassifier(5, time_limit=0, random_state=0).fit(X, y)
    assert len(forest.trees_) == 1


def test_a_generous_time_limit_changes_nothing():
    X, y = _structured(2000)
    assert C45Classifier(time_limit=3600).fit(X, y).tree_ == C45Classifier().fit(X, y).tree_
    assert C45Classifier(time_limit=float("inf")).fit(X, y).status_ == "complete"


def test_a_listener_hears_rising_shares(noise):
    X, y = noise
    heard: list[Progress] = []
    with listening(heard.append):
        C45Classifier(growth="literal", time_limit=2).fit(X, y)
    assert len(heard) > 3
    shares = [progress.share for progress in heard]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


def test_a_listener_that_raises_stops_the_fit(noise):
    X, y = noise

    def refuse(progress: Progress) -> None:
        raise RuntimeError("enough")

    estimator = C45ForestClassifier(100_000, growth="literal", n_jobs=2)
    with listening(refuse), pytest.raises(RuntimeError, match="enough"):
        estimator.fit(X, y)
    assert not hasattr(estimator, "trees_")


@pytest.mark.threads
def test_other_python_threads_run_during_a_fit(noise):
    X, y = noise
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    C45Classifier(growth="literal", time_limit=1).fit(X, y)
    done.set()
    counter.join()
    assert ticks > 20


@pytest.mark.threads
def test_concurrent_fits_do_not_disturb_each_other():
    X, y = _structured(3000)
    expected = C45Classifier(n_jobs=2).fit(X, y).tree_
    trees: list[object] = [None] * 6

    def fit(place: int) -> None:
        trees[place] = C45Classifier(n_jobs=2).fit(X, y).tree_

    threads = [threading.Thread(target=fit, args=(place,)) for place in range(len(trees))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(tree == expected for tree in trees)


def _structured(n_rows: int):
    random = np.random.default_rng(1)
    X = random.normal(size=(n_rows, 12)).round(2)
    X[random.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, :3]).sum(axis=1) + random.normal(size=n_rows) > 0).astype(int)
    return X, y


@pytest.mark.threads
@pytest.mark.parametrize("growth", ["c45", "literal"])
def test_the_same_tree_and_forest_for_any_number_of_threads(growth):
    X, y = _structured(20_000)
    trees = [C45Classifier(growth=growth, n_jobs=n_jobs).fit(X, y).tree_ for n_jobs in (1, 2, 5)]
    assert trees[0] == trees[1] == trees[2]
    forests = [
        C45ForestClassifier(12, growth=growth, oob_score=True, n_jobs=n_jobs, random_state=3).fit(X, y)
        for n_jobs in (1, 2, 5)
    ]
    assert forests[0].trees_ == forests[1].trees_ == forests[2].trees_
    np.testing.assert_array_equal(forests[0].oob_decision_function_, forests[2].oob_decision_function_)
    np.testing.assert_array_equal(forests[0].predict_proba(X[:500]), forests[2].predict_proba(X[:500]))

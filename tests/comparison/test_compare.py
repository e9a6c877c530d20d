"""`compare` from end to end: the same result however it runs, and a usable one however it ends."""

from __future__ import annotations

import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectKBest
from sklearn.tree import DecisionTreeClassifier

from palmette import BestSubsetSelector, C45Classifier, C45ForestClassifier, Comparison, compare
from palmette.comparison import DEFAULT_STRATEGIES, STRATEGIES
from palmette.datasets import load
from palmette.support.progress import listening

SMALL = {"repeats": 1, "folds": 3}
NAMES = ["tree", "backward", "best", "backward-forest"]


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)


def found(comparison):
    """What must not depend on how a comparison ran; times do, and so may the trees that a search happens to build."""
    return [
        (t.dataset, t.strategy, t.place, t.status, t.search_error, t.test_error, t.selected, t.used)
        for t in comparison.results
    ]


@pytest.fixture(scope="module")
def expected():
    return compare(NAMES, ["iris", "wine"], **SMALL)


def test_a_complete_comparison(expected):
    assert expected.status == "complete"
    assert len(expected.results) == expected.n_trials == 2 * 4 * 3
    assert expected.strategies == tuple(NAMES)
    assert [dataset.name for dataset in expected.datasets] == ["iris", "wine"]
    assert [trial.place for trial in expected.cell("iris", "best").trials] == [(0, 0), (0, 1), (0, 2)]
    best, tree = (expected.cell("wine", name).summaries["search_error"].mean for name in ("best", "tree"))
    assert best <= expected.cell("wine", "backward").summaries["search_error"].mean <= tree


@pytest.mark.parametrize("backend", [pytest.param("threading", marks=pytest.mark.threads), "loky", "multiprocessing"])
def test_any_backend_has_the_same_result(expected, backend):
    with joblib.parallel_config(backend, n_jobs=2):
        comparison = compare(NAMES, ["iris", "wine"], **SMALL)
    assert found(comparison) == found(expected)
    # The CPU time of a process is that of a trial only if the trial has the process for itself.
    alone = backend != "threading"
    assert all(trial.cpu_seconds is not None for trial in comparison.results) == alone


def test_dask(expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        comparison = compare(NAMES, ["iris", "wine"], **SMALL)
    assert found(comparison) == found(expected)


def test_a_dataset_alone_and_more_repeats_have_the_same_triples(expected):
    alone = compare({"t": C45Classifier()}, ["wine"], repeats=2, folds=3)
    errors = [trial.test_error for trial in alone.results if trial.repeat == 0]
    assert errors == [trial.test_error for trial in expected.cell("wine", "tree").trials]


def test_the_strategies_with_names():
    comparison = compare(list(STRATEGIES), ["iris"], repeats=1, folds=2)
    assert not any(trial.failed for trial in comparison.results)
    assert set(DEFAULT_STRATEGIES) <= set(STRATEGIES)


def test_a_refused_table_does_not_end_the_comparison():
    X = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]] * 6, dtype=object)
    y = ["p", "q"] * 12
    comparison = compare({"theirs": DecisionTreeClassifier(), "ours": C45Classifier()}, (X, y), **SMALL)
    assert comparison.status == "complete"
    theirs = comparison.cell("data", "theirs")
    assert (len(theirs.trials), len(theirs.failures)) == (0, 3)
    assert "could not convert string to float" in theirs.failures[0].message
    assert comparison.cell("data", "ours").summaries["test_error"].mean == 0
    assert "data, theirs: 3 of 3 trials failed: could not convert string to float: 'a'." in comparison.table(width=200)


def test_a_selector_that_cannot_predict_gets_a_tree():
    comparison = compare({"kbest": SelectKBest(k=2)}, ["iris"], **SMALL)
    assert comparison.cell("iris", "kbest").summaries["n_selected"].mean == 2


def test_rare_classes_are_noted():
    X, y = load("iris", frame="pandas")
    y = y.copy()
    y[:2] = "rare"
    comparison = compare(["tree"], {"flowers": (X, y)}, **SMALL)
    assert comparison.datasets[0].notes == (
        "Classes with fewer members than folds are missing in some test sets: rare (2).",
    )
    assert "rare (2)" in comparison.table()


class Slow(ClassifierMixin, BaseEstimator):
    """Takes its time, deaf to everything, and counts how many are at work."""

    at_work = 0
    most = 0

    def __init__(self, seconds=0.02):
        self.seconds = seconds

    def fit(self, X, y):
        Slow.at_work += 1
        Slow.most = max(Slow.most, Slow.at_work)
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        Slow.at_work -= 1
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_progress_of_trials():
    reports, heard = [], []
    with listening(heard.append):
        compare(["tree", "best"], ["iris"], callback=reports.append, **SMALL)
    assert [report.n_done for report in reports] == [1, 2, 3, 4, 5, 6]
    assert reports[-1].share == 1
    assert (reports[1].trial.strategy, reports[1].message) == ("best", "iris, best")
    assert [report.n_done for report in heard if report.trial is not None] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_ends_the_comparison(n_jobs):
    comparison = compare(["tree"], ["iris"], callback=lambda report: report.n_done >= 2, n_jobs=n_jobs)
    assert comparison.status == "interrupted"
    assert 2 <= len(comparison.results) < 100
    assert f"{len(comparison.results)} of 100 trials were run" in comparison.table()
    assert f"({len(comparison.results)})" in comparison.table()
    assert comparison.summary().startswith("The comparison was ended by an interruption")


def test_what_a_callback_raises_is_raised():
    def callback(report):
        raise RuntimeError(f"enough after {report.n_done}")

    with pytest.raises(RuntimeError, match="enough after 1"):
        compare(["forest"], ["iris"], callback=callback, n_jobs=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_limit(n_jobs):
    comparison = compare({"slow": Slow(0.05)}, ["iris"], time_limit=0.3, n_jobs=n_jobs)
    assert comparison.status == "time_limit"
    assert len(comparison.results) < 100
    assert "The time limit ended the comparison" in comparison.table()


@pytest.fixture(scope="module")
def hard():
    """A problem that a complete search does not finish in seconds, and its strategy."""
    data = make_classification(500, 40, n_informative=12, n_redundant=4, flip_y=0.2, random_state=0)
    return {"best": BestSubsetSelector(C45Classifier(growth="literal"))}, data


def test_a_time_limit_ends_a_search_that_is_at_work(hard):
    begin = time.perf_counter()
    comparison = compare(*hard, folds=2, time_limit=0.5)
    assert (comparison.status, comparison.results) == ("time_limit", ())
    assert time.perf_counter() - begin < 30
    assert "–" in comparison.table()
    assert "no trial was finished" in comparison.summary()


def test_a_time_limit_of_each_trial(hard):
    comparison = compare(*hard, repeats=1, folds=2, trial_time_limit=0.2)
    assert comparison.status == "complete"
    assert [trial.status for trial in comparison.results] == ["time_limit"] * 2
    assert "2 of 2 searches were stopped before their end by a limit" in comparison.table(width=200)


def interrupt_after(n_trials):
    """A callback that does what Ctrl-C does to the main thread."""

    def callback(report):
        if report.n_done >= n_trials:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_is_done(n_jobs):
    comparison = compare(["tree"], ["iris"], callback=interrupt_after(3), n_jobs=n_jobs)
    assert comparison.status == "interrupted"
    assert len(comparison.results) >= 3
    assert comparison.cell("iris", "tree").summaries["test_error"].n == len(comparison.results)


def test_threads_by_default_and_no_more_than_asked_for():
    Slow.most = 0
    compare({"slow": Slow()}, ["iris"], repeats=1, folds=8, n_jobs=2)
    assert Slow.most == 2
    assert threading.active_count() < 50


def test_a_pair_a_mapping_and_names():
    iris = load("iris")
    results = [
        compare(["tree"], datasets, **SMALL)
        for datasets in (["iris"], "iris", iris, (iris.X, iris.y), {"iris": iris}, {"iris": (iris.X, iris.y)})
    ]
    assert len({tuple(trial.test_error for trial in result.results) for result in results}) == 1
    assert isinstance(results[0], Comparison)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["tree", "tre"], "iris"), "There is no strategy 'tre'. Did you mean 'tree'"),
        (([], "iris"), "`strategies` is empty"),
        ((["tree", "tree"], "iris"), "names 'tree' twice"),
        (({"t": C45Classifier}, "iris"), r"Pass C45Classifier\(\)"),
        (({"t": 3}, "iris"), "must be an estimator, but is 3"),
        (({3: C45Classifier()}, "iris"), "one is called 3"),
        ((3, "iris"), "`strategies` must be a mapping"),
        (([C45Classifier()], "iris"), "is no name. Pass a mapping"),
        ((["tree"], []), "`datasets` must be names"),
        ((["tree"], 3), "`datasets` must be names"),
        ((["tree"], ["iris", "iris"]), "names 'iris' twice"),
        ((["tree"], {"a": 3}), "no pair"),
        ((["tree"], [3]), "which is no name"),
        ((["tree"], {"a": ([[1], [2]], [1, 1])}), "Dataset 'a': There must be at least two classes"),
        ((["tree"], {"a": ([[1], [2], [3]], [1, 2])}), "Dataset 'a': X has 3 rows, but y has 2"),
        ((["tree"], {"a": ([[1], [2]] * 4, [1, 2] * 4)}), "Dataset 'a': `folds` is 10"),
    ],
)
def test_wrong_strategies_and_datasets(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        compare(*arguments)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"repeats": 0}, "`repeats` must be"),
        ({"folds": 1}, "`folds` must be"),
        ({"search_size": 1.0}, "`search_size` must be"),
        ({"random_state": None}, "`random_state` must be"),
        ({"time_limit": -1}, "`time_limit` must be"),
        ({"trial_time_limit": "1"}, "`trial_time_limit` must be"),
        ({"n_jobs": 0}, "`n_jobs` must not be 0"),
        ({"callback": 3}, "`callback` must be"),
        ({"cache": 3}, "`cache` must be"),
    ],
)
def test_wrong_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        compare(["tree"], ["iris"], **parameters)


def test_no_parameter_is_changed():
    forest, selector = C45ForestClassifier(3), BestSubsetSelector()
    before = forest.get_params(), selector.get_params()
    compare({"f": forest, "s": selector}, ["iris"], trial_time_limit=60, **SMALL)
    assert (forest.get_params(), selector.get_params()) == before
    assert not hasattr(forest, "trees_")

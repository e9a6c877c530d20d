"""The cache: what is finished is not done again, what is torn or foreign is, and nothing else is taken for it."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import FunctionTransformer

from palmette import BestSubsetSelector, C45Classifier, C45ForestClassifier, compare
from palmette.comparison import fingerprint
from palmette.comparison.cache import Cache, _checksum
from palmette.comparison.problems import read_problems
from palmette.comparison.trial import Trial
from palmette.datasets import load

SMALL = {"repeats": 1, "folds": 3}


class Counting(ClassifierMixin, BaseEstimator):
    """The first class, always; counts its fits, and can be told to fail."""

    fits = 0

    def __init__(self, fail_on=None):
        self.fail_on = fail_on

    def fit(self, X, y):
        Counting.fits += 1
        self.classes_ = np.unique(y)
        if self.fail_on == "always":
            raise RuntimeError("no")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    monkeypatch.setattr(Counting, "fits", 0)


def run(folder, **options):
    return compare({"counting": Counting()}, ["iris"], cache=folder, **{**SMALL, **options})


# A trial fits twice: to the whole training part, and to the building set.
FITS = 6


def test_finished_trials_are_not_done_again(tmp_path):
    first = run(tmp_path / "new" / "folder")
    assert Counting.fits == FITS
    again = run(tmp_path / "new" / "folder")
    assert Counting.fits == FITS
    assert again.results == first.results
    assert again.table() == first.table()
    assert len(list((tmp_path / "new" / "folder").iterdir())) == 3


def test_more_repeats_do_only_the_rest(tmp_path):
    run(tmp_path)
    run(tmp_path, repeats=2)
    assert Counting.fits == 2 * FITS


def test_names_do_not_matter(tmp_path):
    run(tmp_path)
    renamed = compare({"other": Counting()}, {"flowers": load("iris")}, cache=tmp_path, **SMALL)
    assert Counting.fits == FITS
    assert {(trial.dataset, trial.strategy) for trial in renamed.results} == {("flowers", "other")}


@pytest.mark.parametrize(
    "options", [{"random_state": 1}, {"folds": 4}, {"search_size": 0.4}], ids=["seed", "folds", "search_size"]
)
def test_another_protocol_is_another_trial(tmp_path, options):
    run(tmp_path)
    before = Counting.fits
    comparison = run(tmp_path, **options)
    assert Counting.fits == before + 2 * len(comparison.results)


TEARS = {
    "empty": lambda text: "",
    "half": lambda text: text[: len(text) // 2],
    "foreign": lambda text: '{"format": "another"}',
    "list": lambda text: "[1, 2]",
    "not JSON": lambda text: "\x00\xff",
    "another number": lambda text: text.replace('"test_error": 0.', '"test_error": 1.'),
    "another version": lambda text: text.replace('"version": 1', '"version": 2'),
    "another key": lambda text: text.replace('"key": "', '"key": "0'),
}


@pytest.mark.parametrize("tear", TEARS.values(), ids=TEARS.keys())
def test_a_torn_or_foreign_file_is_done_again(tmp_path, tear):
    first = run(tmp_path)
    path = sorted(tmp_path.iterdir())[1]
    whole = path.read_text()
    assert tear(whole) != whole
    path.write_text(tear(whole))
    again = run(tmp_path)
    assert Counting.fits == FITS + 2
    assert [trial.test_error for trial in again.results] == [trial.test_error for trial in first.results]
    assert json.loads(path.read_text())["trial"]["test_error"] == json.loads(whole)["trial"]["test_error"]


def test_a_file_of_wrong_types_is_no_trial(tmp_path):
    run(tmp_path)
    path = next(tmp_path.iterdir())
    record = json.loads(path.read_text())
    cache = Cache(tmp_path)
    place = ("iris", "counting", 0, 0)
    assert cache.read(record["key"], *place) is not None
    for name, value in [("test_error", "0.1"), ("used", [-1]), ("n_trees", True), ("status", None), ("seconds", [])]:
        data = {**record["trial"], name: value}
        path.write_text(json.dumps({**record, "trial": data, "checksum": _checksum(data)}))
        assert cache.read(record["key"], *place) is None


def test_litter_of_killed_writers_is_removed(tmp_path):
    old, new = tmp_path / "a.1.unfinished", tmp_path / "b.2.unfinished"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (0, 0))
    Cache(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_failures_are_tried_again(tmp_path):
    for _ in range(2):
        comparison = compare({"failing": Counting("always")}, ["iris"], cache=tmp_path, **SMALL)
        assert len(comparison.cell("iris", "failing").failures) == 3
    assert Counting.fits == 6
    assert not list(tmp_path.iterdir())


def test_bad_folders(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ValueError, match=r"which is a file\. Name a folder"):
        run(file)


def test_the_fingerprint_of_a_strategy():
    def of(estimator):
        return fingerprint.of_strategy("name", estimator)

    same = of(BestSubsetSelector(C45Classifier()))
    assert same == of(BestSubsetSelector(C45Classifier(n_jobs=2), n_jobs=4, callback=print))
    others = [
        BestSubsetSelector(C45Classifier(min_samples=3)),
        BestSubsetSelector(C45Classifier(), error_gap=0.1),
        BestSubsetSelector(),
        BestSubsetSelector(C45Classifier(), time_limit=1),
        BestSubsetSelector(C45Classifier(), error=len),
        C45ForestClassifier(random_state=np.random.RandomState(0)),
        C45ForestClassifier(random_state=np.random.RandomState(1)),
        DummyClassifier(),
        DummyClassifier(strategy="uniform"),
        FunctionTransformer(lambda X: X),
        FunctionTransformer(lambda X: X + 1),
    ]
    assert len({same, *map(of, others)}) == len(others) + 1
    with pytest.raises(ValueError, match=r"'name' cannot be kept in a cache: the content of its parameter `func`"):
        of(FunctionTransformer(func=(item for item in [])))


def test_the_fingerprint_of_a_dataset():
    X, y = load("iris", frame="pandas")

    def of(X, y):
        (problem,) = read_problems((X, y), 3)
        return fingerprint.of_problem(problem)

    other = X.copy()
    other.iloc[0, 0] += 1
    swapped = y.copy()
    swapped[[0, -1]] = swapped[[-1, 0]]
    seen = [
        of(X, y),
        of(other, y),
        of(X, swapped),
        of(X.rename(columns={X.columns[0]: "a"}), y),
        of(X.to_numpy(), y),
        of(X.astype("float32"), y),
        of(X.astype(str), y),
    ]
    assert len(set(seen)) == len(seen)
    assert of(X.copy(), list(y)) == seen[0]


def test_a_number_that_json_has_not_is_unknown(tmp_path):
    trial = Trial("iris", "tree", 0, 0, "complete", search_error=float("nan"), test_error=0.1, seconds=1.0)
    cache = Cache(tmp_path)
    cache.write("key", trial)
    (path,) = tmp_path.iterdir()
    json.loads(path.read_text(), parse_constant=pytest.fail)
    assert cache.read("key", "iris", "tree", 0, 0) == replace(trial, search_error=None)
    comparison = replace(run(None), results=(replace(trial, strategy="counting"),))
    data = json.loads(comparison.to_json(), parse_constant=pytest.fail)
    assert data["trials"][0]["search_error"] is None

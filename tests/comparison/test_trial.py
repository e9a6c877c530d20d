"""A trial does what the protocol of 2019 says: checked against the same steps by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from palmette import BackwardEliminationSelector, BestSubsetSelector, C45Classifier, C45ForestClassifier
from palmette.comparison import STRATEGIES, Protocol, make_triples
from palmette.comparison.problems import read_problems
from palmette.comparison.strategies import prepared
from palmette.comparison.trial import first_sentence, run_trial
from palmette.datasets import load


@pytest.fixture(scope="module")
def wine():
    X, y = load("wine", frame="pandas")
    (problem,) = read_problems({"wine": (X, y)}, 5)
    return X, y, problem, make_triples(problem.labels, Protocol(1, 5))[0]


def error(fitted, X, y):
    return float((fitted.predict(X) != y).mean())


def test_a_plain_classifier(wine):
    X, y, problem, triple = wine
    trial = run_trial(problem, "tree", C45Classifier(), triple)
    whole = C45Classifier().fit(X.iloc[triple.training], y[triple.training])
    part = C45Classifier().fit(X.iloc[triple.building], y[triple.building])
    assert trial.test_error == error(whole, X.iloc[triple.test], y[triple.test])
    assert trial.search_error == error(part, X.iloc[triple.search], y[triple.search])
    assert trial.selected == tuple(range(13))
    assert [X.columns[feature] for feature in trial.used] == sorted(whole.used_features_, key=list(X.columns).index)
    assert (trial.n_trees, trial.status, trial.message) == (1, "complete", "")
    assert trial.seconds > 0
    assert trial.cpu_seconds > 0


@pytest.mark.parametrize("selector", [BestSubsetSelector(), BackwardEliminationSelector()])
def test_a_selector_searches_on_the_split_of_the_triple(wine, selector):
    X, y, problem, triple = wine
    trial = run_trial(problem, "selector", selector, triple)
    fixed = clone(selector).set_params(error=[triple.split_of_training()])
    fixed.fit(X.iloc[triple.training], y[triple.training])
    assert trial.search_error == fixed.error_
    assert trial.test_error == error(fixed, X.iloc[triple.test], y[triple.test])
    assert trial.selected == tuple(np.flatnonzero(fixed.get_support()))
    assert set(trial.used) <= set(trial.selected)
    assert trial.status == fixed.status_
    # The error is that of the tree grown on the building set with the selected features.
    chosen = list(trial.selected)
    built = C45Classifier().fit(X.iloc[triple.building, chosen], y[triple.building])
    assert trial.search_error == error(built, X.iloc[triple.search, chosen], y[triple.search])


def test_elimination_before_a_forest(wine):
    X, y, problem, triple = wine
    strategy = make_pipeline(BackwardEliminationSelector(), C45ForestClassifier(10))
    trial = run_trial(problem, "both", strategy, triple)
    fixed = BackwardEliminationSelector(error=[triple.split_of_training()])
    fixed.fit(X.iloc[triple.training], y[triple.training])
    chosen = np.flatnonzero(fixed.get_support())
    assert trial.selected == tuple(chosen)

    def forest_error(training, test):
        forest = C45ForestClassifier(10, random_state=triple.seed).fit(X.iloc[training, chosen], y[training])
        return error(forest, X.iloc[test, chosen], y[test])

    assert trial.test_error == forest_error(triple.training, triple.test)
    assert trial.search_error == forest_error(triple.building, triple.search)
    assert trial.n_trees == fixed.n_trees_ + 10


def test_another_error_of_a_selector_stays(wine):
    X, y, problem, triple = wine
    trial = run_trial(problem, "training", BackwardEliminationSelector(error="training"), triple)
    fixed = BackwardEliminationSelector(error="training").fit(X.iloc[triple.training], y[triple.training])
    assert trial.selected == tuple(np.flatnonzero(fixed.get_support()))
    part = BackwardEliminationSelector(error="training").fit(X.iloc[triple.building], y[triple.building])
    assert trial.search_error == error(part, X.iloc[triple.search], y[triple.search])


@pytest.mark.parametrize(
    ("strategy", "n_selected", "n_trees"),
    [
        (make_pipeline(SelectKBest(k=4), DecisionTreeClassifier(max_depth=2)), 4, 1),
        (make_pipeline(StandardScaler(), SelectKBest(k=3), KNeighborsClassifier()), 3, None),
        (make_pipeline(make_column_transformer(("passthrough", ["hue", "ash"])), C45Classifier()), 2, 1),
        (make_pipeline(PCA(2), C45Classifier()), None, 1),
        (RandomForestClassifier(7), 13, 7),
        (Pipeline([("first", "passthrough"), ("inner", make_pipeline(SelectKBest(k=5), C45Classifier()))]), 5, 1),
        (GridSearchCV(make_pipeline(SelectKBest(k=6), C45Classifier()), {"selectkbest__k": [6]}, cv=2), 6, 1),
        (make_pipeline(StandardScaler(), LogisticRegression()), 13, None),
    ],
)
def test_strategies_of_scikit_learn(wine, strategy, n_selected, n_trees):
    X, y, problem, triple = wine
    trial = run_trial(problem, "theirs", strategy, triple)
    assert trial.message == ""
    assert trial.n_selected == n_selected
    assert trial.n_trees == n_trees
    part = prepared(strategy, None, triple.seed, alone=True).fit(X.iloc[triple.building], y[triple.building])
    assert trial.search_error == error(part, X.iloc[triple.search], y[triple.search])
    if n_selected == 4:
        assert 1 <= trial.n_used <= 3
    elif n_selected == 3:
        assert trial.used == trial.selected
    elif n_selected == 2:
        assert trial.selected == (list(X.columns).index("ash"), list(X.columns).index("hue"))


def test_what_is_random_draws_from_the_triple(wine):
    _, _, problem, triple = wine
    forests = [run_trial(problem, "forest", C45ForestClassifier(5), triple) for _ in range(2)]
    assert forests[0].test_error == forests[1].test_error
    own = prepared(C45ForestClassifier(random_state=3), None, triple.seed, alone=True)
    assert own.random_state == 3
    assert prepared(C45ForestClassifier(), None, triple.seed, alone=True).random_state == triple.seed


def test_one_thread_each_unless_alone(wine):
    *_, triple = wine
    strategy = make_pipeline(BackwardEliminationSelector(n_jobs=4), C45ForestClassifier(n_jobs=-1))
    split = triple.split_of_training()
    shared = prepared(strategy, split, 0, alone=False).get_params()
    assert shared["c45forestclassifier__n_jobs"] == shared["backwardeliminationselector__n_jobs"] == 1
    assert prepared(strategy, split, 0, alone=True).get_params()["c45forestclassifier__n_jobs"] == -1
    assert strategy[0].n_jobs == 4
    assert strategy[0].error == "holdout"


class Refusing(ClassifierMixin, BaseEstimator):
    def __init__(self, when="fit"):
        self.when = when

    def fit(self, X, y):
        if self.when == "fit":
            raise RuntimeError("It is Sunday. Come again\ntomorrow.")
        return self

    def predict(self, X):
        raise ValueError


@pytest.mark.parametrize(("when", "words"), [("fit", "It is Sunday."), ("predict", "ValueError.")])
def test_a_refusal_is_told(wine, when, words):
    _, _, problem, triple = wine
    trial = run_trial(problem, "refusing", Refusing(when), triple)
    assert (trial.failed, trial.message, trial.test_error) == (True, words, None)


def test_first_sentence():
    assert first_sentence(ValueError("a  b\nc")) == "a b c."
    assert len(first_sentence(ValueError("x" * 1000))) == 201


@pytest.mark.parametrize("kind", ["numpy", "polars"])
def test_any_table(wine, kind):
    X, y, problem, triple = wine
    frame = X.to_numpy() if kind == "numpy" else load("wine", frame=kind).X
    (other,) = read_problems({"wine": (frame, y.tolist())}, 5)
    for name in ("backward", "backward-forest"):
        here, there = (run_trial(item, name, STRATEGIES[name](), triple) for item in (problem, other))
        assert (here.test_error, here.search_error, here.selected, here.used) == (
            there.test_error,
            there.search_error,
            there.selected,
            there.used,
        )

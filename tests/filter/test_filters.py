"""The filters through their public face: frames, missing values, limits, words, and mistakes."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from palmette import C45Classifier, CFSSelector, FCBFSelector
from palmette.support.progress import listening

FILTERS = [CFSSelector(), FCBFSelector()]


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and a category that tell of the class, a copy, noise, a constant, an empty column; holes in most."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300)
    frame = pd.DataFrame(
        {
            "noise": random.normal(size=300),
            "size": y + random.normal(scale=0.6, size=300),
            "color": pd.Categorical(np.where(random.random(300) < 0.8, np.array(["r", "g", "b"])[y], "r")),
            "constant": 1.0,
            "empty": np.nan,
            "flag": pd.array(np.where(random.random(300) < 0.7, y == 2, y == 1), dtype="boolean"),
        }
    )
    frame["copy of color"] = frame["color"]
    frame.loc[random.random(300) < 0.1, "size"] = np.nan
    frame.loc[random.random(300) < 0.1, "flag"] = pd.NA
    return frame, y


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_raw_frames_of_every_library_give_the_same(selector, mixed):
    frame, y = mixed
    expected = clone(selector).fit(frame, y)
    assert {"size", "color"} <= set(expected.selected_order_)
    assert not {"noise", "constant", "empty"} & set(expected.selected_order_)
    for same in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        fitted = clone(selector).fit(same, y)
        assert fitted.selected_order_ == expected.selected_order_
        np.testing.assert_array_equal(fitted.symmetric_uncertainty_, expected.symmetric_uncertainty_)
        assert type(fitted.transform(same)) is type(same)
    pd.testing.assert_frame_equal(expected.transform(frame), frame.loc[:, expected.support_])
    assert expected.get_feature_names_out().tolist() == frame.columns[expected.support_].tolist()


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_any_number_of_threads(selector):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    one, two = (clone(selector).set_params(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert one.selected_order_ == two.selected_order_
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_it_predicts_by_a_tree_of_the_selected_features(selector):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = clone(selector).set_params(tree=C45Classifier(pruning="error_based")).fit(X, y)
    assert set(fitted.used_features_) <= set(fitted.selected_order_)
    alone = C45Classifier(pruning="error_based").fit(X.loc[:, fitted.support_], y)
    np.testing.assert_array_equal(fitted.predict(X), alone.predict(X.loc[:, fitted.support_]))
    assert fitted.score(X, y) > 0.95
    assert fitted.tree_.n_nodes == alone.tree_.n_nodes


def test_in_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    scores = cross_val_score(make_pipeline(FCBFSelector(), C45Classifier()), X, y, cv=3)
    assert scores.mean() > 0.9


def test_a_copy_is_redundant_for_fcbf_but_may_raise_the_merit_of_cfs(mixed):
    frame, y = mixed
    fcbf = FCBFSelector().fit(frame, y)
    assert fcbf.removed_by_["copy of color"] == "color"
    # The merit is made of means: a strong feature that counts twice outweighs weaker ones.
    assert "copy of color" in CFSSelector().fit(frame, y).selected_order_


def test_merit_of_iris_is_wekas():
    X, y = load_iris(return_X_y=True)
    selector = CFSSelector().fit(X, y)
    assert selector.merit_ == pytest.approx(0.887, abs=5e-4)
    assert selector.get_support(indices=True).tolist() == [2, 3]


def test_the_history_of_cfs_tells_the_search():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = CFSSelector(locally_predictive=False).fit(X, y)
    steps = selector.history_
    assert steps[0].features == ()
    assert [step.best_merit for step in steps] == sorted(step.best_merit for step in steps)
    assert steps[-1].best_merit == selector.merit_
    assert len({step.best_merit for step in steps[-6:]}) == 2 or len({step.best_merit for step in steps[-5:]}) == 1
    assert len({frozenset(step.features) for step in steps}) == len(steps)
    assert selector.locally_predictive_ == []
    assert set(selector.selected_order_) <= set(CFSSelector().fit(X, y).selected_order_)


def test_a_longer_search_finds_no_lower_merit():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    merits = [CFSSelector(max_stale=max_stale).fit(X, y).merit_ for max_stale in (1, 3, 10)]
    assert merits == sorted(merits)


def test_threshold_of_fcbf():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = FCBFSelector(threshold=0.4).fit(X, y)
    assert (selector.symmetric_uncertainty_[selector.support_] > 0.4).all()
    assert len(FCBFSelector(threshold=1).fit(X, y).selected_order_) == 0
    removed = set(selector.removed_by_)
    relevant = set(X.columns[selector.symmetric_uncertainty_ > 0.4])
    assert removed | set(selector.selected_order_) == relevant
    assert set(selector.removed_by_.values()) <= set(selector.selected_order_)


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_features_that_tell_only_together_are_missed_as_the_docs_say(selector):
    first, second = np.array([0, 0, 1, 1] * 25), np.array([0, 1, 0, 1] * 25)
    frame = pd.DataFrame({"first": pd.Categorical(first), "second": pd.Categorical(second)})
    fitted = clone(selector).fit(frame, first ^ second)
    assert fitted.selected_order_ == []
    assert fitted.symmetric_uncertainty_.tolist() == [0, 0]
    assert fitted.tree_.n_nodes == 1
    assert "None of the 2 features is selected" in fitted.summary()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(frame).shape == (100, 0)


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_a_time_limit_leaves_a_usable_selector(selector):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = clone(selector).set_params(time_limit=0).fit(X, y)
    assert fitted.status_ == "time_limit"
    assert fitted.predict(X).shape == y.shape
    assert "time limit" in fitted.summary()


@pytest.fixture(scope="module")
def long() -> tuple[pd.DataFrame, np.ndarray]:
    """Each feature tells a little, so that there are many to add: a second of work."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 4000)
    return pd.DataFrame(random.random((4000, 800)) < 0.5 + 0.05 * y[:, None]), y


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_a_listener_that_raises_stops_the_filter(selector, long):
    class Enough(Exception):
        pass

    def listener(progress):
        raise Enough

    with listening(listener), pytest.raises(Enough):
        clone(selector).fit(*long)


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_ctrl_c_leaves_what_was_selected_so_far(selector, long):
    heard = []

    def interrupt(progress):
        heard.append(progress)
        # The message counts what was expanded: only then is there something to leave.
        if "nodes" in progress.message and progress.message.startswith(("searching", "comparing")):
            raise KeyboardInterrupt

    X, y = long
    with listening(interrupt):
        fitted = clone(selector).fit(X, y)
    assert heard
    assert fitted.status_ == "interrupted"
    assert 0 < fitted.support_.sum() < 400
    assert fitted.predict(X).shape == y.shape
    assert "interrupted" in fitted.summary()


@pytest.mark.parametrize("selector", FILTERS, ids=repr)
def test_pickle_summary_and_fitting_again(selector, mixed):
    frame, y = mixed
    fitted = clone(selector).fit(frame, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(frame), fitted.predict(frame))
    words = fitted.summary()
    assert f"{fitted.support_.sum()} of 7 features are selected" in words
    assert "pairs only" in words
    with pytest.raises(ValueError):
        fitted.fit(frame, ["one class"] * 300)
    assert not hasattr(fitted, "support_")


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (CFSSelector(max_stale=0), "`max_stale` must be an integer at least 1"),
        (CFSSelector(locally_predictive="yes"), "`locally_predictive` must be True or False"),
        (CFSSelector(tree="C4.5"), "`tree` must be a C45Classifier or None"),
        (CFSSelector(time_limit=-1), "`time_limit` must be a number at least 0"),
        (FCBFSelector(threshold=-0.1), "`threshold` must be a number at least 0 and at most 1"),
        (FCBFSelector(threshold="low"), "which is text"),
        (FCBFSelector(n_jobs=0), "`n_jobs` must not be 0"),
    ],
)
def test_mistakes_are_told(selector, message, mixed):
    with pytest.raises(ValueError, match=message):
        selector.fit(*mixed)


def test_columns_of_very_many_categories():
    random = np.random.default_rng(0)
    names = np.array([f"customer {i}" for i in range(6000)])
    frame = pd.DataFrame(
        {"customer": random.permutation(names), "order": random.permutation(names), "y": random.integers(0, 2, 6000)}
    )
    frame.loc[:200, "customer"] = None
    for selector in FILTERS:
        fitted = clone(selector).fit(frame[["customer", "order"]], frame["y"])
        assert 0 < fitted.symmetric_uncertainty_[1] < 0.2

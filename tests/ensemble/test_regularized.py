"""The regularized ensembles through their public face: what a penalty, a guide and a start do, and raw frames."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from palmette import (
    C45Classifier,
    C45ForestClassifier,
    RegularizedBoostingSelector,
    RegularizedForestSelector,
)
from palmette.support.parameters import InvalidParameterError
from palmette.support.progress import listening

SELECTORS = [RegularizedForestSelector, RegularizedBoostingSelector]
X, y = load_breast_cancer(return_X_y=True, as_frame=True)

each_selector = pytest.mark.parametrize("selector", SELECTORS)


def redundant(rows: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """Two features decide; ten are copies of the first with a little noise, ten are noise."""
    generator = np.random.default_rng(0)
    table = generator.normal(size=(rows, 22))
    table[:, 2:12] = table[:, [0]] + 0.05 * table[:, 2:12]
    return pd.DataFrame(table).rename(columns="x{}".format), (table[:, 0] * table[:, 1] > 0).astype(int)


@each_selector
def test_a_stronger_penalty_selects_fewer_features(selector):
    sizes = [
        selector(30, new_feature_weight=weight, random_state=0).fit(X, y).support_.sum()
        for weight in (0.01, 0.3, 0.7, 1.0)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] / 2


@each_selector
def test_what_is_selected_is_what_the_trees_test_in_order_of_entry(selector):
    fitted = selector(20, random_state=1).fit(X, y)
    assert sorted(fitted.used_features_) == sorted(fitted.selected_order_) == sorted(fitted.get_feature_names_out())
    entries = [(entry.tree, entry.feature) for entry in fitted.history_]
    assert [number for number, _ in entries] == sorted(number for number, _ in entries)
    seen: set[str] = set()
    for number, tree in enumerate(fitted.trees_):
        brought = {feature for entered_in, feature in entries if entered_in == number}
        used = {X.columns[index] for index in tree.used}
        assert brought <= used <= seen | brought
        seen |= brought
    assert np.all(fitted.entry_gains_ > 0)
    assert np.count_nonzero(fitted.feature_importances_) == fitted.support_.sum()


@each_selector
def test_copies_stay_out(selector):
    """Section II-C: a plain forest uses all copies of a feature, a regularized one few."""
    frame, labels = redundant()
    plain = C45ForestClassifier(20, growth="literal", max_features="sqrt", random_state=0).fit(frame, labels)
    chosen = selector(20, random_state=0).fit(frame, labels)
    assert len(plain.used_features_) == 22
    assert chosen.support_.sum() < 15
    assert chosen.support_[1]


def test_the_penalty_may_differ_by_feature():
    names = X.columns.tolist()
    cheap = {name: 1.0 if name.startswith("worst") else 0.0 for name in names}
    for weights in (cheap, list(cheap.values()), np.array(list(cheap.values()))):
        fitted = RegularizedForestSelector(10, new_feature_weight=weights, random_state=0).fit(X, y)
        assert fitted.support_.any()
        assert all(name.startswith("worst") for name in fitted.selected_order_)
    some = RegularizedForestSelector(5, new_feature_weight={names[3]: 0.9, 4: 0.1}, random_state=0).fit(X, y)
    assert some.new_feature_weights_[[3, 4, 5]].tolist() == [0.9, 0.1, 0.5]


def test_no_penalty_keeps_all_features_out():
    for weight in (0, 0.0, np.float64(0)):
        with pytest.raises(InvalidParameterError, match=r"above 0 and at most 1, but is 0,.*with 0 for those\."):
            RegularizedForestSelector(5, new_feature_weight=weight).fit(X, y)
    with pytest.raises(InvalidParameterError, match=r"is 0 for every column: .* Pass 0 for some only\."):
        RegularizedForestSelector(5, new_feature_weight=[0] * X.shape[1]).fit(X, y)
    with pytest.raises(InvalidParameterError, match="but is False, which is a bool"):
        RegularizedForestSelector(5, new_feature_weight=False).fit(X, y)


def test_the_default_penalty_is_that_of_the_paper_or_of_the_package():
    for criterion, weight in (("gain", 0.5), ("cran", 0.8)):
        fitted = RegularizedForestSelector(3, criterion=criterion, random_state=0).fit(X, y)
        assert set(fitted.new_feature_weights_) == {weight}
        explicit = RegularizedForestSelector(3, criterion=criterion, new_feature_weight=weight, random_state=0)
        assert explicit.fit(X, y).trees_ == fitted.trees_


def test_a_guide_makes_important_features_cheap():
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    importances = forest.feature_importances_
    expected = 0.3 + 0.7 * importances / importances.max()
    by_name = dict(zip(X.columns, importances, strict=True))
    for guide in (forest, importances, by_name, RandomForestClassifier(20, random_state=0)):
        fitted = RegularizedForestSelector(5, guide=guide, guide_strength=0.7, random_state=0).fit(X, y)
        np.testing.assert_allclose(fitted.new_feature_weights_, expected)
    scaled = RegularizedForestSelector(5, guide=importances, new_feature_weight=0.5, random_state=0).fit(X, y)
    np.testing.assert_allclose(scaled.new_feature_weights_, 0.25 + 0.5 * importances / importances.max())
    with pytest.raises(InvalidParameterError, match="no `feature_importances_`"):
        RegularizedForestSelector(guide=make_pipeline(C45Classifier())).fit(X, y)


def test_a_guide_that_is_not_fitted_is_fitted_anew_by_every_clone():
    guided = RegularizedForestSelector(5, guide=C45ForestClassifier(5, random_state=0), random_state=0)
    assert cross_val_score(clone(guided), X, y, cv=2).min() > 0.85
    assert not hasattr(guided.guide, "status_")


@each_selector
def test_initial_features_are_selected_and_free(selector):
    plain = selector(10, random_state=0).fit(X, y)
    again = selector(10, initial=plain.selected_order_, random_state=0).fit(X, y)
    n = len(plain.selected_order_)
    assert again.selected_order_[:n] == plain.selected_order_
    assert np.isnan(again.entry_gains_[:n]).all()
    assert len(again.history_) == len(again.selected_order_) - n
    noise = X.assign(constant=0.0)
    kept = selector(3, initial=["constant"], random_state=0).fit(noise, y)
    assert kept.selected_order_[0] == "constant"
    assert kept.support_[-1]
    assert "constant" not in kept.used_features_


@each_selector
@pytest.mark.parametrize("criterion", ["gain", "cran"])
@pytest.mark.threads
def test_the_same_for_any_number_of_threads(selector, criterion):
    generator = np.random.default_rng(1)
    table = generator.normal(size=(9000, 12))
    table[:, 3] = np.round(table[:, 3])
    table[::5, 4] = np.nan
    labels = (table[:, 0] + table[:, 3] + generator.normal(size=9000) > 0).astype(int)
    one, two = (
        selector(3, criterion=criterion, n_jobs=n_jobs, random_state=0, categorical_features=[3], max_depth=8).fit(
            table, labels
        )
        for n_jobs in (1, 3)
    )
    assert one.trees_ == two.trees_
    assert one.history_ == two.history_
    np.testing.assert_array_equal(one.predict_proba(table), two.predict_proba(table))


@each_selector
def test_frames_come_out_as_frames(selector):
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame(
        {
            "noise": np.random.default_rng(0).normal(size=60),
            "color": pd.Categorical(["red", "green", "blue"] * 20),
            "size": [1.0, 2.0, np.nan] * 20,
        }
    )
    labels = ["a", "b", "b"] * 20
    fitted = selector(5, new_feature_weight=0.1, random_state=0).fit(frame, labels)
    out = fitted.transform(frame)
    assert out.columns.tolist() == fitted.get_feature_names_out().tolist()
    assert set(out.dtypes) <= set(frame.dtypes)
    assert "noise" not in fitted.selected_order_
    assert isinstance(fitted.transform(pl.from_pandas(frame)), pl.DataFrame)
    assert fitted.score(frame, labels) == 1.0


def test_boosting_ends_with_a_perfect_tree():
    wine, kinds = load_wine(return_X_y=True)
    fitted = RegularizedBoostingSelector(10, resample=False, random_state=0).fit(wine, kinds)
    assert len(fitted.trees_) == 1
    assert fitted.estimator_errors_.tolist() == [0.0]
    assert fitted.estimator_weights_.tolist() == [1.0]
    assert fitted.status_ == "complete"
    assert "Boosting ended after 1 of 10 rounds, as the last tree made no error." in fitted.summary()


def test_a_round_that_ends_the_boosting_leaves_no_feature_behind():
    generator = np.random.default_rng(3)
    table, labels = generator.normal(size=(60, 30)), generator.integers(0, 3, 60)
    ended = 0
    for seed in range(10):
        fitted = RegularizedBoostingSelector(40, max_depth=2, random_state=seed).fit(table, labels)
        ended += len(fitted.estimator_errors_) > len(fitted.trees_)
        assert sorted(fitted.used_features_) == sorted(fitted.selected_order_)
        assert len(fitted.estimator_weights_) == len(fitted.trees_)
    assert ended


@each_selector
def test_a_single_leaf_selects_nothing_and_says_so(selector):
    fitted = selector(3, max_depth=0, random_state=0).fit(X, y)
    assert not fitted.support_.any()
    assert "None of the 30 features is selected" in fitted.summary()
    assert set(fitted.predict(X)) == {1}
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(X).shape == (569, 0)


@each_selector
@pytest.mark.threads
def test_ctrl_c_leaves_the_set_and_the_trees_so_far(selector):
    generator = np.random.default_rng(0)
    table, labels = generator.normal(size=(4000, 20)), generator.integers(0, 2, 4000)
    interrupted = threading.Event()

    def interrupt(progress) -> None:
        if progress.trees >= 2 and not interrupted.is_set():
            interrupted.set()
            os.kill(os.getpid(), signal.SIGINT)

    start = time.perf_counter()
    with listening(interrupt):
        fitted = selector(10**6, random_state=0).fit(table, labels)
    assert time.perf_counter() - start < 60
    assert fitted.status_ == "interrupted"
    assert 2 <= len(fitted.trees_) < 10**6
    assert sorted(fitted.used_features_) == sorted(fitted.selected_order_)
    assert "was interrupted" in fitted.summary()
    # The same trees, as far as they go, as those of a fit that comes to its end.
    few = selector(2, random_state=0).fit(table, labels)
    assert few.trees_ == fitted.trees_[:2]
    assert few.selected_order_ == fitted.selected_order_[: len(few.selected_order_)]

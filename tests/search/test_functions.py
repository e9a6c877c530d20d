"""The questions beside the best subset: all distinct trees, the acceptable ones, the front, the costs."""

from __future__ import annotations

import os
import pickle
import signal
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_digits

from palmette import (
    BestSubsetSelector,
    C45Classifier,
    DistinctTree,
    SearchEffortWarning,
    acceptable_subsets,
    count_distinct_trees,
    enumerate_distinct_trees,
    feature_costs,
    pareto_front,
)
from palmette.support.progress import listening
from search.brute_force import all_subsets, judge_all, subset_error

WINE_COLUMNS = 6


@pytest.fixture(scope="module")
def folds(wine):
    return BestSubsetSelector(random_state=0, max_features=1).fit(*wine).folds_


# Distinct trees


@pytest.mark.parametrize(
    "tree", [None, C45Classifier(growth="literal"), C45Classifier(criterion="gini", min_samples=8)], ids=repr
)
def test_every_distinct_tree_is_met_once(wine_frame, tree):
    X, y = wine_frame
    classifier = C45Classifier() if tree is None else tree
    # The first line of a text counts the columns, which differ between subsets.
    expected = Counter(
        classifier.fit(X.iloc[:, list(features)], y).to_text().partition("\n")[2]
        for features in all_subsets(WINE_COLUMNS)
        if features
    )
    met = list(enumerate_distinct_trees(X, y, tree=tree))
    expected += Counter([found.estimator.to_text().partition("\n")[2] for found in met if not found.features])
    assert Counter({found.estimator.to_text().partition("\n")[2]: found.n_subsets for found in met}) == expected
    assert len(met) == len(expected) == len({found.tree for found in met})
    assert sum(found.n_subsets for found in met) == 2**WINE_COLUMNS
    for found in met:
        assert found.error is None
        assert found.estimator.used_features_ == list(found.features)
    assert count_distinct_trees(X, y, tree=tree) == len(met)


@pytest.mark.threads
def test_counts_by_size(wine):
    X, y = wine
    sizes = [len(found.features) for found in enumerate_distinct_trees(X, y)]
    assert count_distinct_trees(X, y, by_size=True) == {size: sizes.count(size) for size in sorted(set(sizes))}
    assert count_distinct_trees(X, y, n_jobs=2) == len(sizes)
    small = count_distinct_trees(X, y, by_size=True, max_features=2)
    assert small == {size: sizes.count(size) for size in (0, 1, 2)}


def test_errors_of_distinct_trees(wine, folds):
    X, y = wine
    met = list(enumerate_distinct_trees(X, y, error=folds))
    weight = len(folds[0][1])
    for found in met:
        assert found.error == pytest.approx(subset_error(X, y, found.features, folds)[0] / weight)
        assert found.tree.weight[0] == len(y)
    assert sum(found.n_subsets for found in met) == 2**WINE_COLUMNS


def test_kept_features_and_groups_in_enumerations(wine_frame):
    X, y = wine_frame
    met = list(enumerate_distinct_trees(X, y, keep=["ash"]))
    assert all("ash" in found.features for found in met)
    assert sum(found.n_subsets for found in met) == 2 ** (WINE_COLUMNS - 1)
    grouped = list(enumerate_distinct_trees(X, y, groups=[["alcohol", "ash"]]))
    assert sum(found.n_subsets for found in grouped) == 2 ** (WINE_COLUMNS - 1)
    assert all(("alcohol" in found.features) == ("ash" in found.features) for found in grouped)


@pytest.mark.parametrize("groups", [None, [[0, 1], [2, 3, 4]]])
@pytest.mark.parametrize("keep", [None, [5]])
@pytest.mark.parametrize("max_features", [1, 2, 3, 6])
def test_only_subsets_within_max_features_are_counted(wine, groups, keep, max_features):
    X, y = wine
    together = [set(group) for group in groups or []]
    allowed = [
        features
        for features in all_subsets(WINE_COLUMNS)
        if len(features) <= max_features
        and set(keep or []) <= set(features)
        and all(group <= set(features) or group.isdisjoint(features) for group in together)
    ]
    words = {"groups": groups, "keep": keep, "max_features": max_features}
    assert sum(found.n_subsets for found in enumerate_distinct_trees(X, y, **words)) == len(allowed)
    assert acceptable_subsets(X, y, error="training", error_gap=1.0, **words).n_subsets == len(allowed)


def test_a_distinct_tree_is_a_small_value_that_predicts(wine_frame):
    X, y = wine_frame
    first, *_ = enumerate_distinct_trees(X, y)
    assert isinstance(first, DistinctTree)
    again = pickle.loads(pickle.dumps(first))
    assert again == first
    assert hash(again) == hash(first)
    assert again.tree == first.tree
    np.testing.assert_array_equal(again.estimator.predict(X), first.estimator.predict(X))
    with pytest.raises(AttributeError):
        first.error = 1.0
    assert repr(first).startswith("DistinctTree(features=(")


def test_mistakes_are_told_at_the_call_not_at_the_first_tree(wine):
    with pytest.raises(ValueError, match="`keep`"):
        enumerate_distinct_trees(*wine, keep=[77])
    with pytest.raises(ValueError, match="`by_size`"):
        count_distinct_trees(*wine, by_size="yes")
    with pytest.raises(ValueError, match="here: what a function answers cannot be bounded"):
        acceptable_subsets(*wine, error=len)
    with pytest.raises(ValueError, match="`limit`"):
        acceptable_subsets(*wine, limit=0)
    with pytest.raises(ValueError, match="`time_limit`"):
        pareto_front(*wine, time_limit="soon")


def test_time_limits_of_the_functions():
    X, y = load_digits(return_X_y=True)
    with pytest.warns(SearchEffortWarning, match="ended the enumeration"):
        assert len(list(enumerate_distinct_trees(X, y, time_limit=0.3))) >= 1
    with pytest.warns(SearchEffortWarning, match="ended the count"):
        assert count_distinct_trees(X, y, time_limit=0.3) >= 1
    with pytest.warns(SearchEffortWarning, match="ended early"):
        found = acceptable_subsets(X, y, time_limit=0.3, random_state=0)
    assert found.status == "time_limit"
    with pytest.warns(SearchEffortWarning, match="no size is proved"):
        assert pareto_front(X, y, time_limit=0.3, random_state=0).status == "time_limit"
    with pytest.warns(SearchEffortWarning, match="none of the costs is proved"):
        assert feature_costs(X, y, time_limit=0.3, random_state=0).status == "time_limit"


# Acceptable subsets


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.1, 1.0])
def test_acceptable_subsets_are_all_within_the_gap(wine, folds, gap):
    X, y = wine
    weight = len(folds[0][1])
    judged = judge_all(X, y, folds)
    found = acceptable_subsets(X, y, error=folds, error_gap=gap)
    within = [one for one in judged if one.error <= judged[0].error + gap * weight + 1e-9]
    assert found.status == "complete"
    assert found.best_error == pytest.approx(judged[0].error / weight)
    assert [subset.features for subset in found] == [one.features for one in within]
    assert [subset.error for subset in found] == pytest.approx([one.error / weight for one in within])
    n_subsets = sum(
        subset_error(X, y, features, folds)[0] <= judged[0].error + gap * weight + 1e-9
        for features in all_subsets(WINE_COLUMNS)
    )
    assert (found.n_trees, found.n_subsets, found.truncated) == (len(within), n_subsets, False)


def test_a_limit_lists_the_best_and_says_so(wine, folds):
    X, y = wine
    everything = acceptable_subsets(X, y, error=folds, error_gap=0.2)
    with pytest.warns(UserWarning, match="`limit` lists the best 3 of them"):
        few = acceptable_subsets(X, y, error=folds, error_gap=0.2, limit=3)
    assert few.truncated
    assert few.subsets == everything.subsets[:3] == everything[:3]
    assert (few.n_trees, few.n_subsets) == (everything.n_trees, everything.n_subsets)
    assert "the first 3 listed" in repr(few)
    assert few.frame()["n_features"].tolist() == [len(subset.features) for subset in few]


# The front


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.threads
def test_the_front_has_the_best_error_of_every_size(wine, folds, n_jobs):
    X, y = wine
    expected: list = []
    for one in sorted(judge_all(X, y, folds), key=lambda one: (one.size, one.error, one.features)):
        if not expected or (one.size > expected[-1].size and one.error < expected[-1].error):
            expected.append(one)
    front = pareto_front(X, y, error=folds, n_jobs=n_jobs)
    assert front.status == "optimal"
    assert [subset.features for subset in front] == [one.features for one in expected]
    assert [subset.error for subset in front] == pytest.approx([one.error / len(folds[0][1]) for one in expected])
    assert front[-1].error == BestSubsetSelector(error=folds).fit(X, y).error_
    assert front.frame()["n_features"].tolist() == [one.size for one in expected]


def test_the_front_can_be_drawn(wine):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    front = pareto_front(*wine, random_state=0)
    axes = front.plot()
    assert axes.get_xlabel() == "number of features"
    assert front.plot(axes) is axes


def test_a_front_of_one_size_is_drawn_between_whole_numbers():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    front = pareto_front([[0, 1]] * 8, [0, 0, 0, 1] * 2, error="training")
    assert [subset.features for subset in front] == [()]
    axes = front.plot()
    low, high = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if low <= tick <= high] == [0, 1]


# Costs


@pytest.mark.parametrize("keep", [(), (1,)])
def test_costs_compare_subsets_with_and_without(wine, folds, keep):
    X, y = wine
    errors = {features: subset_error(X, y, features, folds)[0] for features in all_subsets(WINE_COLUMNS, keep)}
    costs = feature_costs(X, y, error=folds, keep=list(keep))
    weight = len(folds[0][1])
    for feature in range(WINE_COLUMNS):
        having = [error for features, error in errors.items() if feature in features]
        lacking = [error for features, error in errors.items() if feature not in features]
        assert costs.error_with[feature] == pytest.approx(min(having) / weight)
        assert costs.error_without[feature] == pytest.approx(min(lacking, default=np.inf) / weight)
    assert costs.status == "optimal"
    np.testing.assert_array_equal(costs.cost, costs.error_without - costs.error_with)


def test_costs_have_names_and_a_frame(wine_frame):
    X, y = wine_frame
    costs = feature_costs(X, y, random_state=0, groups=[["alcohol", "ash"]])
    assert costs.features == tuple(X.columns)
    assert costs.cost[0] == costs.cost[2]
    frame = costs.frame()
    assert frame.columns.tolist() == ["feature", "error_with", "error_without", "cost"]
    assert frame["cost"].is_monotonic_decreasing


@pytest.mark.parametrize(
    "question",
    [
        count_distinct_trees,
        lambda *data, **parameters: list(enumerate_distinct_trees(*data, **parameters)),
        acceptable_subsets,
        pareto_front,
        feature_costs,
    ],
    ids=["count", "enumerate", "acceptable", "front", "costs"],
)
def test_a_memory_limit_below_one_path_ends_with_what_was_found(question):
    random = np.random.default_rng(0)
    X, y = random.integers(0, 4, (300_000, 2)), random.integers(0, 2, 300_000)
    with pytest.warns(SearchEffortWarning, match="memory_limit"):
        answer = question(X, y, memory_limit=10_000)
    assert getattr(answer, "status", "memory_limit") == "memory_limit"


def long_problem():
    """So many columns, and labels that so little is known of, that no question about them is answered in seconds."""
    random = np.random.default_rng(0)
    return random.normal(size=(600, 80)), random.integers(0, 2, 600)


@pytest.mark.parametrize("question", [acceptable_subsets, pareto_front, feature_costs, count_distinct_trees])
def test_an_interruption_ends_with_what_was_found(question):
    sent = []

    def press_once(_progress):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with listening(press_once), pytest.warns(SearchEffortWarning, match="nterrupt"):
        answer = question(*long_problem(), random_state=0)
    assert getattr(answer, "status", "interrupted") == "interrupted"
    assert (answer if isinstance(answer, int) else np.size(getattr(answer, "error_with", answer))) > 0


def test_a_stopped_search_lists_the_subset_that_set_the_gap():
    with pytest.warns(SearchEffortWarning, match="ended early"):
        found = acceptable_subsets(*long_problem(), time_limit=0.3, error_gap=0.01, random_state=0)
    assert found.status == "time_limit"
    assert found[0].error == found.best_error
    assert found.n_trees >= len(found) >= 1
    assert found.n_subsets >= found.n_trees


def test_a_subset_of_the_front_counts_the_subsets_of_its_tree(wine):
    front = pareto_front(*wine, random_state=0)
    counts = {
        found.features: found.n_subsets for found in enumerate_distinct_trees(*wine, error="holdout", random_state=0)
    }
    assert [found.n_subsets for found in front] == [counts[found.features] for found in front]

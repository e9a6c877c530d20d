"""The forest: how many rows each of its trees is grown on, the pruning of its trees, and how they vote."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.datasets import load_wine

from palmette import C45Classifier, C45ForestClassifier
from palmette.ensemble.base import n_features_drawn
from palmette.support.parameters import InvalidParameterError

X, y = load_wine(return_X_y=True)  # 178 rows


def forest(**parameters: object) -> C45ForestClassifier:
    return C45ForestClassifier(5, random_state=0, **parameters)


@pytest.mark.parametrize(
    ("max_samples", "n_drawn"), [(None, 178), (178, 178), (1, 1), (40, 40), (1.0, 178), (0.25, 44), (0.001, 1)]
)
def test_every_tree_is_grown_on_max_samples_rows(max_samples, n_drawn):
    for tree in forest(max_samples=max_samples).fit(X, y).trees_:
        assert tree.weight[0] == n_drawn


def test_fewer_rows_leave_more_out_of_the_bag():
    few, many = (
        C45ForestClassifier(20, random_state=0, max_samples=share, oob_score=True).fit(X, y) for share in (0.1, 1.0)
    )
    assert np.std(few.oob_decision_function_) < np.std(many.oob_decision_function_)  # means of more trees


def test_the_same_number_as_a_share_and_as_a_number_is_the_same_forest():
    by_share, by_number = (forest(max_samples=value).fit(X, y).predict_proba(X) for value in (0.5, 89))
    assert np.array_equal(by_share, by_number)


@pytest.mark.parametrize("wrong", [0, 179, -1, 0.0, 1.5, float("nan"), True, "half"])
def test_a_wrong_number_of_rows_is_refused_with_what_is_allowed(wrong):
    with pytest.raises(InvalidParameterError, match="`max_samples` must be None, an integer from 1 to 178"):
        forest(max_samples=wrong).fit(X, y)


def test_max_samples_without_sampling_is_refused():
    with pytest.raises(InvalidParameterError, match="needs `bootstrap=True`"):
        forest(max_samples=10, bootstrap=False).fit(X, y)


def test_a_pruned_tree_of_all_rows_and_features_is_the_pruned_tree():
    parameters = {"pruning": "error_based", "confidence": 0.1}
    pruned = C45ForestClassifier(1, bootstrap=False, max_features=None, random_state=0, **parameters).fit(X, y)
    (tree,), alone = pruned.trees_, C45Classifier(**parameters).fit(X, y).tree_
    for array in ("feature", "threshold", "weight", "label"):
        assert np.array_equal(getattr(tree, array), getattr(alone, array), equal_nan=array == "threshold")


def test_pruning_a_forest_keeps_the_samples_of_every_tree_and_makes_none_larger():
    plain, pruned = forest().fit(X, y), forest(pruning="error_based", confidence=0.01).fit(X, y)
    sizes = [(before.n_nodes, after.n_nodes) for before, after in zip(plain.trees_, pruned.trees_, strict=True)]
    assert all(after <= before for before, after in sizes)
    assert any(after < before for before, after in sizes)
    for before, after in zip(plain.trees_, pruned.trees_, strict=True):
        assert np.array_equal(before.class_weights[0], after.class_weights[0])


def test_a_pruned_forest_does_not_depend_on_the_number_of_threads():
    one, two = (forest(pruning="error_based", n_jobs=n_jobs).fit(X, y).predict_proba(X) for n_jobs in (1, 2))
    assert np.array_equal(one, two)


def test_a_wrong_pruning_is_refused():
    with pytest.raises(InvalidParameterError, match="pruning"):
        forest(pruning="hard").fit(X, y)
    with pytest.raises(InvalidParameterError, match="confidence"):
        forest(pruning="error_based", confidence=0).fit(X, y)


def test_hard_voting_counts_the_classes_that_the_trees_name():
    holed = X.copy()
    holed[::3, :4] = np.nan
    model = forest(voting="hard", oob_score=True, max_samples=40).fit(holed, y)
    named = np.array([C45ForestClassifier.predict(alone, holed) for alone in single_trees(model)])
    shares = np.stack([(named == label).mean(axis=0) for label in model.classes_], axis=1)
    np.testing.assert_array_equal(model.predict_proba(holed), shares)
    voted = model.oob_decision_function_
    seen = ~np.isnan(voted[:, 0])
    # Of five trees at most, whole votes: sixtieths.
    np.testing.assert_allclose(voted[seen] * 60, np.round(voted[seen] * 60), atol=1e-9)
    assert not np.array_equal(model.predict_proba(holed), forest(max_samples=40).fit(holed, y).predict_proba(holed))


def single_trees(model: C45ForestClassifier) -> list[C45ForestClassifier]:
    """The trees of a forest as forests of one."""
    forests = []
    for tree in model.trees_:
        alone = copy.copy(model)
        alone.__dict__ = {**vars(model), "trees_": [tree], "voting": "soft"}
        alone.__dict__.pop("_predictors", None)
        forests.append(alone)
    return forests


def test_breimans_forest_draws_one_feature_more():
    assert [n_features_drawn("log2+1", n) for n in (1, 2, 3, 13, 16, 29)] == [1, 2, 2, 4, 5, 5]


@pytest.mark.parametrize("wrong", ["", "majority", None, 1, True])
def test_a_wrong_voting_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="voting"):
        forest(voting=wrong).fit(X, y)

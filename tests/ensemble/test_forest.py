"""The forest: how many rows each of its trees is grown on, and the pruning of its trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from palmette import C45Classifier, C45ForestClassifier
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

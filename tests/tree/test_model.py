"""The frozen tree: what it tells about itself, and which structures it refuses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import time

import numpy as np
import pytest

from palmette.tree.model import Condition, Feature
from tree.examples import all_examples, balanced, chain, iris, labor, leaf_only, months


def changed(tree, **changes):
    """A tree like this one, built anew with some arrays replaced or some of their entries set."""
    for name, change in changes.items():
        if isinstance(change, dict):
            array = np.array(getattr(tree, name))
            for place, value in change.items():
                array[place] = value
            changes[name] = array
    return dataclasses.replace(tree, **changes)


def test_a_tree_tells_its_size():
    tree = iris()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (9, 5, 4)
    assert [tree.features[index].name for index in tree.used] == ["petal_length", "petal_width"]
    assert repr(tree) == "Tree: 9 nodes, 5 leaves, depth 4, uses 2 of 4 features"
    assert repr(leaf_only()) == "Tree: 1 node, 1 leaf, depth 0, uses 0 of 2 features"
    assert tree.subtree_sizes.tolist() == [9, 1, 7, 5, 3, 1, 1, 1, 1]


def test_every_child_knows_its_parent():
    for tree in all_examples():
        assert tree.parent[0] == -1
        for node in range(tree.n_nodes):
            for _, child in tree.children(node):
                assert tree.parent[child] == node


def test_children_of_a_continuous_split():
    assert labor().children(0) == [("<= 2.5", 1), ("> 2.5", 7)]
    assert labor().children(2) == []


def test_categories_that_share_a_leaf_are_one_branch():
    labels = [label for label, _ in months().children(0)]
    assert labels == [
        "= January",
        "= February",
        "= March",
        "= May",
        "= June",
        "= October",
        "= December",
        "in {April, July, August, September, November}",
    ]


def test_path_gives_the_conditions_from_the_root():
    tree = labor()
    assert [str(condition) for condition in tree.path(5)] == [
        "wage_increase <= 2.5",
        "hours > 36",
        "contribution = half",
    ]
    assert tree.path(0) == ()
    with pytest.raises(IndexError, match=r"There is no node 12; the tree has the nodes 0 to 11"):
        tree.path(12)


def test_thresholds_of_one_feature_are_told_apart():
    tree = changed(iris(), threshold={0: 0.8, 2: 0.80000001})
    assert tree.children(0)[0][0] == "<= 0.8"
    assert tree.children(2)[0][0] == "<= 0.80000001"


def test_arrays_are_read_only_and_independent_of_the_caller():
    weights = np.array([[20.0, 37.0]])
    tree = changed(leaf_only(), class_weights=weights)
    weights[0, 0] = -1
    assert tree.class_weights[0, 0] == 20
    for name in (
        "classes",
        "feature",
        "threshold",
        "branches",
        "branch_start",
        "label",
        "weight",
        "gain",
        "parent",
    ):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[:] = getattr(tree, name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.label = None


def test_a_read_only_array_is_not_copied():
    threshold = np.array([np.nan])
    threshold.setflags(write=False)
    assert changed(leaf_only(), threshold=threshold).threshold is threshold


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_copies_are_equal_and_stay_read_only(copied):
    for tree in all_examples():
        other = copied(tree)
        assert other == tree
        assert hash(other) == hash(tree)
        assert not other.weight.flags.writeable


def test_trees_differ_by_content():
    tree = labor()
    assert tree != changed(tree, threshold={0: 2.75})
    assert tree != changed(tree, label={2: 1})
    assert tree != changed(tree, classes=np.array(["bad", "fine"]))
    assert tree != changed(tree, features=(Feature("raise"), *tree.features[1:]))
    assert tree != "a tree"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feature": {0: 99}}, r"feature\[0\] is 99, but the tree has 4 features"),
        ({"feature": {3: -2}}, r"feature\[3\] is -2, but the tree has 4 features"),
        ({"feature": []}, "feature is empty"),
        ({"feature": np.zeros(12)}, "feature must hold integers, not float64"),
        ({"feature": np.full(12, 2**40)}, r"feature\[0\] is 1099511627776, which no node number"),
        ({"label": [[0]]}, r"label must have one dimension, but its shape is \(1, 1\)"),
        ({"label": {4: 2}}, r"label\[4\] is 2, but the tree has 2 classes"),
        ({"label": [0]}, "label has 1 entries, but feature has 12"),
        ({"threshold": {0: np.nan}}, r"threshold\[0\] is nan, but node 0 is a continuous split"),
        ({"threshold": {0: np.inf}}, r"threshold\[0\] is inf, but node 0 is a continuous split"),
        ({"threshold": {3: 1.0}}, r"threshold\[3\] is 1.0, but node 3 is no continuous split"),
        ({"threshold": ["a"] * 12}, "threshold must hold numbers, not <U1"),
        ({"weight": {2: -1.0}}, r"weight\[2\] is -1.0, but a weight is finite and not negative"),
        ({"weight": {2: np.inf}}, r"weight\[2\] is inf"),
        ({"weight": {2: 3.0}}, r"class_weights\[2\] add up to 2.0, but weight\[2\] is 3.0"),
        ({"class_weights": {(2, 1): np.nan}}, r"class_weights\[2\]\[1\] is nan"),
        ({"class_weights": np.zeros((12, 3))}, "class_weights has 3 columns, but there are 2 classes"),
        ({"class_weights": np.zeros(24)}, "class_weights must have the dimension 2"),
        ({"gain": {0: np.inf}}, r"gain\[0\] is inf, but a gain is finite"),
        ({"branch_start": {0: 1}}, "branch_start must rise from 0 to 11"),
        ({"branch_start": {3: 11}}, "branch_start must rise"),
        ({"branch_start": [0]}, "branch_start has 1 entries, but 12 nodes need 13"),
        (
            {"feature": {3: 0}},
            r"branches\[3\] has 3 entries, but node 3 splits on 'wage_increase', which needs 2",
        ),
        ({"feature": {3: -1}}, r"branches\[3\] has 3 entries, but node 3 is a leaf, which needs 0"),
        (
            {"branches": {0: 12}},
            r"branches\[0\]\[0\] is 12, but a branch of node 0 leads to a node between 1 and 11",
        ),
        ({"branches": {3: 1}}, r"branches\[1\]\[1\] is 1, but a branch of node 1"),
        ({"branches": {0: 0}}, r"branches\[0\]\[0\] is 0"),
        ({"branches": {0: 7}}, r"branches\[0\] names node 7 twice"),
        ({"branches": {2: 7}}, "branches give node 7 two parents, nodes 0 and 1"),
        ({"branches": {4: 5}}, "branches never lead to node 4"),
        ({"classes": []}, r"classes must be a list of at least one label"),
        ({"classes": ["bad", "bad"]}, "classes must differ; 'bad' repeats"),
        ({"classes": [1.0, np.nan]}, r"classes\[1\] is nan"),
        ({"features": ("a", "b", "c", "d")}, "features must be a tuple of Feature"),
        ({"features": (Feature("a"),) * 4}, "features must have different names; 'a' repeats"),
    ],
)
def test_a_broken_structure_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        changed(labor(), **changes)


def test_a_split_needs_categories():
    with pytest.raises(ValueError, match=r"feature\[0\] is 0, but 'x' has no categories"):
        changed(leaf_only(), features=(Feature("x", ()),), feature=[0])


def test_a_feature_checks_its_categories():
    assert Feature("x", np.array([1, 2])).categories == (1, 2)
    assert type(Feature("x", np.array([1, 2])).categories[0]) is int
    for categories, message in [
        (("a", "a"), "must differ; 'a' repeats"),
        ((1, True), "must differ; True repeats"),
        ((None,), "missing value"),
        ((float("nan"),), "missing value"),
        ("abc", "must be a tuple"),
    ]:
        with pytest.raises(ValueError, match=message):
            Feature("x", categories)
    with pytest.raises(ValueError, match="name of a feature must be a string, not 3"):
        Feature(3)


def test_a_chain_may_be_deep_but_not_endless():
    assert chain(3).depth == 3
    assert chain(100_000).depth == 100_000
    with pytest.raises(ValueError, match="depth 100001, but at most 100000 is allowed"):
        chain(100_001)


def test_a_million_nodes_are_checked_well_within_a_second_of_work():
    tree = balanced(19)
    started = time.process_time()
    again = changed(tree)
    assert time.process_time() - started < 1
    assert again.n_nodes == 2**20 - 1
    assert again.depth == 19


def test_conditions_hold_and_merge():
    low = Condition(0, "x", at_most=3.0)
    high = Condition(0, "x", above=1.0)
    both = low & high
    assert str(both) == "1 < x <= 3"
    assert both.test == "in (1, 3]"
    assert [both.holds(value) for value in (1, 1.5, 3, 3.5, None, float("nan"))] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]
    assert not (Condition(0, "x", at_most=1.0) & Condition(0, "x", above=1.0)).possible
    red = Condition(0, "c", categories=("red", "blue")) & Condition(0, "c", categories=("green", "red"))
    assert red.categories == ("red",)
    assert red.holds("red")
    assert not red.holds("green")

"""Whether a tree of the core is the oracle's tree, node by node."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.c45 import Node
from palmette import Tree

TOLERANCE = 1e-6


def assert_same_tree(tree: Tree, root: Node, one: int) -> None:
    """Every node of the core's tree is the oracle's node, and they are numbered in depth-first preorder.

    The leaf that the empty categories share may stand anywhere among its siblings.
    """
    features = tree.feature.tolist()
    thresholds = tree.threshold.tolist()
    labels = tree.label.tolist()
    starts = tree.branch_start.tolist()
    branches = tree.branches.tolist()
    visited = []
    waiting = [(0, root)]
    while waiting:
        number, node = waiting.pop()
        visited.append(number)
        where = f"node {number}"
        assert features[number] == (-1 if node.split is None else node.split.feature), where
        threshold = None if node.split is None else node.split.threshold
        assert threshold == thresholds[number] or (threshold is None and np.isnan(thresholds[number])), where
        assert labels[number] == node.label, where
        assert tree.weight[number] == pytest.approx(node.weight / one, rel=TOLERANCE, abs=TOLERANCE), where
        expected = np.array(node.class_weights) / one
        assert np.allclose(tree.class_weights[number], expected, rtol=TOLERANCE, atol=TOLERANCE), where

        numbers = branches[starts[number] : starts[number + 1]]
        assert len(numbers) == len(node.branches), where
        children = dict(zip(numbers, node.branches, strict=True))
        assert [id(children[child]) for child in numbers] == [id(branch) for branch in node.branches], where
        assert len(children) == len(node.children), where
        waiting.extend(sorted(children.items(), key=lambda pair: -pair[0]))
    assert visited == list(range(tree.n_nodes))


def assert_same_gains(tree: Tree, root: Node, one: int) -> None:
    """Weight × gain of every split, which the importances are made of; not corrected for the cuts tried."""
    waiting = [(0, root)]
    while waiting:
        number, node = waiting.pop()
        gain = 0.0 if node.split is None else node.split.gain / one
        assert tree.gain[number] == pytest.approx(gain, rel=TOLERANCE, abs=TOLERANCE), f"node {number}"
        numbers = tree.branches[tree.branch_start[number] : tree.branch_start[number + 1]].tolist()
        waiting.extend(zip(numbers, node.branches, strict=True))

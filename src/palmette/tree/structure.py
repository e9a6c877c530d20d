"""Whether arrays make a tree: every fault in them is found before anybody follows a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palmette.tree.arrays import first_place

if TYPE_CHECKING:
    from palmette.tree.model import Tree

# The class weights of a node must add up to its weight, up to rounding in the core's fixed point.
WEIGHT_TOLERANCE = 1e-6


def check_lengths(tree: Tree) -> None:
    n_nodes = len(tree.feature)
    if n_nodes == 0:
        raise ValueError("feature is empty, but a tree has at least one node.")
    lengths = {name: len(getattr(tree, name)) for name in ("threshold", "label", "weight", "gain")}
    lengths["class_weights"] = tree.kept_class_weights.n_nodes
    for name, length in lengths.items():
        if length != n_nodes:
            raise ValueError(f"{name} has {length} entries, but feature has {n_nodes}.")
    n_columns = tree.kept_class_weights.n_classes
    if n_columns != len(tree.classes):
        raise ValueError(f"class_weights has {n_columns} columns, but there are {len(tree.classes)} classes.")
    start = tree.branch_start
    if len(start) != n_nodes + 1:
        raise ValueError(f"branch_start has {len(start)} entries, but {n_nodes} nodes need {n_nodes + 1}.")
    if start[0] != 0 or start[-1] != len(tree.branches) or (start[1:] < start[:-1]).any():
        raise ValueError(f"branch_start must rise from 0 to {len(tree.branches)}, the number of branches.")


def check_splits(tree: Tree) -> None:
    """Every node splits on a feature that exists, with a fitting threshold and number of branches."""
    n_features = len(tree.features)
    place = first_place((tree.feature < -1) | (tree.feature >= n_features))
    if place is not None:
        raise ValueError(f"feature[{place}] is {tree.feature[place]}, but the tree has {n_features} features.")

    # Index -1 reads the last entry: what a leaf wants stands there.
    wanted = np.array(
        [2 if item.categories is None else len(item.categories) for item in tree.features] + [0],
        dtype=np.int64,
    )[tree.feature]
    counts = np.diff(tree.branch_start)
    place = first_place(counts != wanted)
    if place is not None:
        index = int(tree.feature[place])
        splits = "is a leaf" if index < 0 else f"splits on {tree.features[index].name!r}"
        raise ValueError(
            f"branches[{place}] has {counts[place]} entries, but node {place} {splits}, which needs {wanted[place]}."
        )
    place = first_place((tree.feature >= 0) & (wanted == 0))
    if place is not None:
        name = tree.features[int(tree.feature[place])].name
        raise ValueError(f"feature[{place}] is {tree.feature[place]}, but {name!r} has no categories to split on.")

    continuous = np.array([item.categories is None for item in tree.features] + [False])[tree.feature]
    place = first_place(continuous & ~np.isfinite(tree.threshold))
    if place is not None:
        raise ValueError(
            f"threshold[{place}] is {tree.threshold[place]}, but node {place} is a continuous split, "
            "which needs a finite one."
        )
    place = first_place(~continuous & ~np.isnan(tree.threshold))
    if place is not None:
        raise ValueError(
            f"threshold[{place}] is {tree.threshold[place]}, but node {place} is no continuous split; "
            "it must be missing (NaN)."
        )
    left = tree.branch_start[:-1][continuous]
    place = first_place(tree.branches[left] == tree.branches[left + 1])
    if place is not None:
        node = int(np.flatnonzero(continuous)[place])
        raise ValueError(f"branches[{node}] names node {tree.branches[left[place]]} twice.")


def parents(tree: Tree) -> NDArray[np.int32]:
    """The parent of every node; each but the root must have exactly one, with a smaller number."""
    n_nodes = len(tree.feature)
    owner = np.repeat(np.arange(n_nodes, dtype=np.int32), np.diff(tree.branch_start))
    place = first_place((tree.branches <= owner) | (tree.branches >= n_nodes))
    if place is not None:
        node = int(owner[place])
        raise ValueError(
            f"branches[{node}][{place - tree.branch_start[node]}] is {tree.branches[place]}, "
            f"but a branch of node {node} leads to a node between {node + 1} and {n_nodes - 1}."
        )
    parent = np.full(n_nodes, -1, dtype=np.int32)
    parent[tree.branches] = owner
    place = first_place(parent[tree.branches] != owner)
    if place is not None:
        child = tree.branches[place]
        raise ValueError(f"branches give node {child} two parents, nodes {owner[place]} and {parent[child]}.")
    place = first_place(parent[1:] < 0)
    if place is not None:
        raise ValueError(f"branches never lead to node {place + 1}.")
    return parent


def depth_of(parent: NDArray[np.int32]) -> int:
    """The length of the longest path, by doubling the length of the steps towards the root."""
    target = np.maximum(parent, 0)
    steps = (parent >= 0).astype(np.int32)
    while target.any():
        steps += steps[target]
        target = target[target]
    return int(steps.max())


def check_contents(tree: Tree) -> None:
    """Labels name classes, weights are finite and add up, gains are finite."""
    n_classes = len(tree.classes)
    place = first_place((tree.label < 0) | (tree.label >= n_classes))
    if place is not None:
        raise ValueError(f"label[{place}] is {tree.label[place]}, but the tree has {n_classes} classes.")
    place = first_place(~np.isfinite(tree.weight) | (tree.weight < 0))
    if place is not None:
        raise ValueError(f"weight[{place}] is {tree.weight[place]}, but a weight is finite and not negative.")
    kept = tree.kept_class_weights
    place = first_place(~np.isfinite(kept.weight) | (kept.weight < 0))
    if place is not None:
        raise ValueError(
            f"class_weights[{kept.node[place]}][{kept.label[place]}] is {kept.weight[place]}, "
            "but a weight is finite and not negative."
        )
    total = kept.totals
    place = first_place(~(np.abs(total - tree.weight) <= WEIGHT_TOLERANCE * np.maximum(tree.weight, total)))
    if place is not None:
        raise ValueError(
            f"class_weights[{place}] add up to {total[place]}, but weight[{place}] is {tree.weight[place]}."
        )
    place = first_place(~np.isfinite(tree.gain))
    if place is not None:
        raise ValueError(f"gain[{place}] is {tree.gain[place]}, but a gain is finite.")

"""Trees to test renderings with, made without the core: by hand, or from scikit-learn's trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from palmette.tree.model import Feature, Tree

# A leaf is its class weights; a split is (feature name, threshold or None, branches). A nominal split gives a
# mapping from category to branch; categories that it does not name share the empty leaf.
Nested = Any


def from_sklearn(fitted: DecisionTreeClassifier, names: Sequence[str], classes: Sequence[Any] | None = None) -> Tree:
    """scikit-learn's tree as ours, its nodes renumbered in preorder."""
    inner = fitted.tree_
    order: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if inner.children_left[node] >= 0:
            waiting += [inner.children_right[node], inner.children_left[node]]
    number = np.argsort(order)
    split = inner.children_left[order] >= 0
    left = number[inner.children_left[order][split]]
    right = number[inner.children_right[order][split]]
    weight = inner.weighted_n_node_samples[order]
    class_weights = np.round(inner.value[order, 0, :] * weight[:, None], 9)
    impurity = inner.impurity[order] * weight
    gain = np.zeros(len(order))
    gain[split] = np.maximum(impurity[split] - impurity[left] - impurity[right], 0)
    return Tree(
        features=tuple(Feature(str(name)) for name in names),
        classes=np.asarray(fitted.classes_ if classes is None else classes),
        feature=np.where(split, inner.feature[order], -1),
        threshold=np.where(split, inner.threshold[order], np.nan),
        branch_start=np.concatenate([[0], np.cumsum(np.where(split, 2, 0))]),
        branches=np.stack([left, right], axis=1).ravel(),
        label=class_weights.argmax(axis=1),
        weight=class_weights.sum(axis=1),
        class_weights=class_weights,
        gain=gain,
    )


def grown(X: Any, y: Any, names: Sequence[str], classes: Sequence[Any] | None = None, **parameters: Any) -> Tree:
    """A tree that scikit-learn grew."""
    fitted = DecisionTreeClassifier(criterion="entropy", random_state=0, **parameters).fit(X, y)
    return from_sklearn(fitted, names, classes)


@cache
def iris() -> Tree:
    """Five leaves, three classes, four features of which two are used."""
    data = load_iris()
    names = [name.replace(" (cm)", "").replace(" ", "_") for name in data.feature_names]
    return grown(data.data, data.target, names, data.target_names, max_leaf_nodes=5)


@cache
def breast_cancer() -> Tree:
    """About twenty leaves, two classes, names with spaces."""
    data = load_breast_cancer()
    return grown(data.data, data.target, data.feature_names, data.target_names)


@cache
def digits(leaves: int = 120) -> Tree:
    """A wide tree with ten integer classes."""
    data = load_digits()
    return grown(data.data, data.target, data.feature_names, max_leaf_nodes=leaves)


@cache
def six_classes(leaves: int = 25) -> Tree:
    """A tree with six classes with long names, and long feature names."""
    X, y = make_classification(
        600, 12, n_informative=8, n_classes=6, n_clusters_per_class=1, class_sep=1.2, random_state=3
    )
    names = [f"mean concave points of the outer border, measurement {index}" for index in range(12)]
    classes = [
        "cardiovascular disease",
        "healthy",
        "not yet examined by a doctor",
        "unknown",
        "relapse",
        "other",
    ]
    return grown(X, y, names, classes, max_leaf_nodes=leaves)


def chain(depth: int) -> Tree:
    """The deepest tree of its size: every split sends one sample to a leaf on the left."""
    n_nodes = 2 * depth + 1
    inner = np.arange(0, n_nodes - 1, 2)
    feature = np.full(n_nodes, -1)
    feature[inner] = 0
    threshold = np.full(n_nodes, np.nan)
    threshold[inner] = np.arange(depth)
    weight = np.ones(n_nodes)
    weight[inner] = depth + 1 - np.arange(depth)
    return Tree(
        features=(Feature("x"),),
        classes=np.array([0]),
        feature=feature,
        threshold=threshold,
        branch_start=np.concatenate([[0], np.cumsum(np.where(feature < 0, 0, 2))]),
        branches=np.stack([inner + 1, inner + 2], axis=1).ravel(),
        label=np.zeros(n_nodes, dtype=int),
        weight=weight,
        class_weights=weight[:, None],
        gain=np.zeros(n_nodes),
    )


def balanced(depth: int) -> Tree:
    """A complete binary tree with two classes, made without loops over its nodes."""
    n_nodes = 2 ** (depth + 1) - 1
    # In preorder the subtree sizes of the nodes are those of the left half, then of the right half.
    sizes = np.array([1])
    for _ in range(depth):
        sizes = np.concatenate([[2 * sizes[0] + 1], sizes, sizes])
    inner = np.flatnonzero(sizes > 1)
    left = inner + 1
    right = inner + 1 + sizes[left]
    feature = np.full(n_nodes, -1)
    feature[inner] = inner % 7
    threshold = np.full(n_nodes, np.nan)
    threshold[inner] = inner / 3
    weight = (sizes + 1) / 2
    class_weights = np.stack([weight / 2, weight / 2], axis=1)
    return Tree(
        features=tuple(Feature(f"x{index}") for index in range(7)),
        classes=np.array(["no", "yes"]),
        feature=feature,
        threshold=threshold,
        branch_start=np.concatenate([[0], np.cumsum(np.where(feature < 0, 0, 2))]),
        branches=np.stack([left, right], axis=1).ravel(),
        label=np.zeros(n_nodes, dtype=int),
        weight=weight,
        class_weights=class_weights,
        gain=np.zeros(n_nodes),
    )


def by_hand(features: Sequence[Feature], classes: Sequence[Any], root: Nested) -> Tree:
    """A tree from nested tuples; weights and labels of inner nodes follow from the leaves."""
    index = {item.name: place for place, item in enumerate(features)}
    nodes: list[dict[str, Any]] = []

    def add(item: Nested, parent_label: int) -> int:
        number = len(nodes)
        node: dict[str, Any] = {"feature": -1, "threshold": np.nan, "branches": [], "gain": 0.0}
        nodes.append(node)
        node["class_weights"] = total(item)
        empty = not node["class_weights"].any()
        label = parent_label if empty else int(node["class_weights"].argmax())
        node["label"] = label
        if isinstance(item, tuple):
            name, threshold, branches = item
            node["feature"], node["gain"] = index[name], 1.0
            if threshold is not None:
                node["threshold"] = threshold
                node["branches"] = [add(branch, label) for branch in branches]
            else:
                shared: int | None = None
                for category in features[index[name]].categories or ():
                    if category in branches:
                        node["branches"].append(add(branches[category], label))
                        continue
                    if shared is None:
                        shared = add([0.0] * len(classes), label)
                    node["branches"].append(shared)
        return number

    def total(item: Nested) -> np.ndarray:
        if not isinstance(item, tuple):
            return np.asarray(item, dtype=float)
        branches = item[2].values() if isinstance(item[2], dict) else item[2]
        return np.sum([total(branch) for branch in branches], axis=0)

    add(root, 0)
    class_weights = np.array([node["class_weights"] for node in nodes])
    return Tree(
        features=tuple(features),
        classes=np.asarray(classes),
        feature=[node["feature"] for node in nodes],
        threshold=[node["threshold"] for node in nodes],
        branch_start=np.cumsum([0] + [len(node["branches"]) for node in nodes]),
        branches=[child for node in nodes for child in node["branches"]],
        label=[node["label"] for node in nodes],
        weight=class_weights.sum(axis=1),
        class_weights=class_weights,
        gain=[node["gain"] for node in nodes],
    )


MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
MONTHS += ("November", "December")


def leaf_only() -> Tree:
    """A tree that is one leaf."""
    return by_hand([Feature("wage"), Feature("holidays")], ["bad", "good"], [20, 37])


def labor() -> Tree:
    """C4.5's own example: contracts that are good or bad."""
    features = [
        Feature("wage_increase"),
        Feature("statutory_holidays"),
        Feature("contribution", ("none", "half", "full")),
        Feature("hours"),
    ]
    root = (
        "wage_increase",
        2.5,
        [
            ("hours", 36.0, [[1, 1], ("contribution", None, {"none": [9, 0], "full": [1, 3]})]),
            ("statutory_holidays", 10.0, [("wage_increase", 4.0, [[3, 1], [0, 2]]), [0, 25]]),
        ],
    )
    return by_hand(features, ["bad", "good"], root)


def months() -> Tree:
    """A nominal split of twelve categories, five of which are empty, with a second one below it."""
    features = [
        Feature("month of the first visit", MONTHS),
        Feature("weight"),
        Feature("insured", (True, False)),
        Feature("dose", (1, 2, 4)),
    ]
    root = (
        "month of the first visit",
        None,
        {
            "January": [12, 1, 0],
            "February": ("weight", 71.25, [[6, 0, 0], [1, 7, 2]]),
            "March": [0, 4, 1],
            "May": ("insured", None, {True: [0, 0, 31], False: ("dose", None, {1: [5, 1, 0], 4: [0, 9, 0]})}),
            "June": [3, 3, 3],
            "October": [0, 1, 20],
            "December": [2, 18, 0],
        },
    )
    return by_hand(features, ["mild", "moderate", "severe"], root)


HOSTILE = 'a "quoted" \\ name\nwith <b>&amp;</b> $x^2$ \x1b[31m'


def hostile() -> Tree:
    """Names, categories and classes that break careless renderings."""
    features = [Feature(HOSTILE), Feature("", ("", " ", "}", '"]', "\\N", "\u2028", "日本"))]
    nominal = ("", None, {"": [1, 0, 0], "\\N": [0, 1, 0], "日本": [0, 0, 2]})
    return by_hand(features, ["$a$ & b", '"', "\n"], (HOSTILE, -0.0, [nominal, [0, 5, 1]]))


def all_examples() -> list[Tree]:
    return [
        leaf_only(),
        labor(),
        months(),
        hostile(),
        iris(),
        breast_cancer(),
        digits(),
        six_classes(),
        chain(60),
    ]

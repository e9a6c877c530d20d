"""Grows the tree of every subset of features, counts its errors, and answers every question by looking at all.

A *unit* is a feature or a group of features that stay or go together; a *point* is a subset of units. Errors,
penalties and gaps are integers in fixed point, of the scale of all rows together. What the searches of the core
find by pruning is found here by `min`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations
from typing import Any

from oracles.c45 import Column, Grower, Node, Rules, Sample, Split, Value, round_half_away

Subset = frozenset[int]
NOTHING: Subset = frozenset()


@dataclass(frozen=True)
class Fold:
    """The rows that trees are grown on, and the rows whose errors count; they may overlap, and repeat."""

    building: tuple[int, ...]
    search: tuple[int, ...]


@dataclass(frozen=True)
class Point:
    """A subset of units; the units that its trees use, their errors on the search sets, and the trees."""

    subset: Subset
    used: Subset
    error: int
    trees: tuple[Any, ...]


@dataclass(frozen=True)
class Terms:
    """Which subsets may be answers, and what a feature costs."""

    keep: Subset = NOTHING
    max_features: int | None = None
    penalty: int = 0


@dataclass(frozen=True, order=True)
class Answer:
    """What a point stands for: the units kept and used, and no others. Answers are compared in this order."""

    objective: int
    size: int
    features: tuple[int, ...]
    units: tuple[int, ...]
    error: int


@dataclass(frozen=True)
class TreeClass:
    """All points with the same trees."""

    units: tuple[int, ...]
    error: int
    size: int
    n_subsets: int


def powerset(elements: Iterable[int]) -> Iterator[Subset]:
    """Every subset, the smallest first."""
    elements = list(elements)
    sizes = range(len(elements) + 1)
    return map(frozenset, chain.from_iterable(combinations(elements, size) for size in sizes))


class FoldGrower(Grower):
    """Grows trees on some of the rows and with some of the features.

    The scale of the weights and the number of classes are those of all rows. A split and its branches depend on
    the samples alone, so they are remembered.
    """

    def __init__(self, building: Iterable[int], *arguments: Any) -> None:
        super().__init__(*arguments)
        weight_of = dict(self.samples)
        self.samples = [(row, weight_of[row]) for row in sorted(building) if row in weight_of]
        self.training_values = [
            sorted({value for row, _ in self.samples if (value := column.values[row]) is not None})
            for column in self.columns
        ]
        self.allowed: Subset = NOTHING
        self._splits: dict[tuple[int, tuple[Sample, ...]], Split | None] = {}
        self._branches: dict[tuple[int, tuple[Sample, ...]], list[list[Sample]]] = {}

    def grow_with(self, features: Iterable[int]) -> Node:
        self.allowed = frozenset(features)
        return self.grow()

    def rank(self, node: Node) -> list[Split]:
        """The best split of every allowed and eligible feature, best first, ties by the lowest feature index."""
        splits = [self.best_split(feature, node) for feature in sorted(self.allowed)]
        return sorted(
            (split for split in splits if split is not None),
            key=lambda split: (-split.quality, split.feature),
        )

    def best_split(self, feature: int, node: Node) -> Split | None:
        key = (feature, tuple(node.samples))
        if key not in self._splits:
            self._splits[key] = super().best_split(feature, node)
        return self._splits[key]

    def distribute(self, samples: list[Sample], split: Split) -> list[list[Sample]]:
        key = (split.feature, tuple(samples))
        if key not in self._branches:
            self._branches[key] = super().distribute(samples, split)
        return self._branches[key]


class Lattice:
    """The trees of all subsets of units, one tree a fold, and their errors."""

    def __init__(
        self,
        columns: Sequence[Column],
        labels: Sequence[int],
        n_classes: int,
        rules: Rules,
        weights: Sequence[float] | None,
        folds: Sequence[Fold],
        unit_of: Sequence[int] | None = None,
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.folds = folds
        self.unit_of = list(range(len(columns))) if unit_of is None else list(unit_of)
        self.units = range(max(self.unit_of) + 1)
        self.growers = [FoldGrower(fold.building, columns, labels, n_classes, rules, weights) for fold in folds]
        self.one = self.growers[0].one
        given = [1.0] * len(labels) if weights is None else weights
        self.weights = [round_half_away(weight * self.one) for weight in given]
        self.rows: list[tuple[Value, ...]] = list(zip(*(column.values for column in columns), strict=True))
        self.point = cache(self._point)
        self._errors: dict[Any, int] = {}

    def features_of(self, units: Iterable[int]) -> tuple[int, ...]:
        units = frozenset(units)
        return tuple(feature for feature, unit in enumerate(self.unit_of) if unit in units)

    def size(self, units: Iterable[int]) -> int:
        return len(self.features_of(units))

    def trees(self, subset: Iterable[int]) -> list[Node]:
        """DT(subset) of every fold."""
        features = self.features_of(subset)
        return [grower.grow_with(features) for grower in self.growers]

    def _point(self, subset: Subset) -> Point:
        trees = self.trees(subset)
        descriptions = tuple(map(described, trees))
        if descriptions not in self._errors:
            self._errors[descriptions] = sum(
                self.tree_error(tree, fold) for tree, fold in zip(trees, self.folds, strict=True)
            )
        used = frozenset(self.unit_of[feature] for tree in trees for feature in used_features(tree))
        return Point(subset, used, self._errors[descriptions], descriptions)

    def tree_error(self, tree: Node, fold: Fold) -> int:
        """The weight of the search rows that a tree misclassifies."""
        return sum(
            self.weights[row]
            for row in fold.search
            if self.weights[row] > 0 and predicted_label(tree, self.rows[row], self.one) != self.labels[row]
        )

    @cached_property
    def points(self) -> list[Point]:
        """All subsets of units."""
        return [self.point(subset) for subset in powerset(self.units)]

    def admitted(self, terms: Terms) -> list[Point]:
        """The subsets that hold what must be kept, and whose answers are not too large."""
        return [
            point
            for point in self.points
            if terms.keep <= point.subset
            and (terms.max_features is None or self.size(terms.keep | point.used) <= terms.max_features)
        ]

    def answer(self, point: Point, terms: Terms) -> Answer:
        units = terms.keep | point.used
        size = self.size(units)
        objective = point.error + terms.penalty * size
        return Answer(objective, size, self.features_of(units), tuple(sorted(units)), point.error)

    def best(self, terms: Terms) -> Answer:
        return min(self.answer(point, terms) for point in self.admitted(terms))

    def tree_classes(self, terms: Terms, limit: int | None = None) -> list[TreeClass]:
        """The distinct trees (with errors up to `limit`), and how many of the subsets that hold `keep` have them."""
        members: dict[Any, list[Point]] = {}
        for point in self.admitted(terms):
            if limit is None or point.error <= limit:
                members.setdefault(point.trees, []).append(point)
        classes = []
        for points in members.values():
            answer = self.answer(points[0], terms)
            classes.append(TreeClass(answer.units, answer.error, answer.size, len(points)))
        return classes

    def subsets_per_error(self, terms: Terms) -> Counter[int]:
        return Counter(point.error for point in self.admitted(terms))

    def acceptable(self, terms: Terms, gap: int) -> list[Subset]:
        """The subsets whose error is within `gap` of the best (Definition 10)."""
        points = self.admitted(terms)
        best = min(point.error for point in points)
        return [point.subset for point in points if point.error <= best + gap]

    def pareto_front(self, terms: Terms) -> list[Answer]:
        """The best answer of every size that beats all smaller sizes; a penalty plays no part."""
        terms = Terms(terms.keep, terms.max_features)
        front: list[Answer] = []
        for answer in sorted((self.answer(point, terms) for point in self.admitted(terms)), key=by_size):
            if not front or answer.error < front[-1].error:
                front.append(answer)
        return front

    def feature_costs(self, terms: Terms) -> list[tuple[int | None, int | None]]:
        """By unit, the best error over the subsets that hold it and over those that do not; None without any.

        A subset that holds a unit is as large as if it used it. A penalty plays no part.
        """
        points = self.admitted(terms)

        def fits(point: Point, unit: int) -> bool:
            held = terms.keep | point.used | {unit}
            return terms.max_features is None or self.size(held) <= terms.max_features

        return [
            (
                min((point.error for point in points if unit in point.subset and fits(point, unit)), default=None),
                min((point.error for point in points if unit not in point.subset), default=None),
            )
            for unit in self.units
        ]


def by_size(answer: Answer) -> tuple[int, int, tuple[int, ...]]:
    return answer.size, answer.error, answer.features


def used_features(node: Node) -> Subset:
    if node.split is None:
        return NOTHING
    return frozenset([node.split.feature]).union(*map(used_features, node.children))


def described(node: Node) -> tuple[Any, ...]:
    """A node and all below it as nested tuples: equal iff the trees are."""
    if node.split is None:
        return (node.label, tuple(node.class_weights))
    return (node.split.feature, node.split.threshold, *map(described, node.branches))


def reached_leaves(node: Node, row: Sequence[Value], one: int, share: float = 1.0) -> Iterator[tuple[Node, float]]:
    """The leaves that a row reaches and its share in each, leftmost first.

    prediction.py means the same, but here the doubles are multiplied and added in the order of the core's
    prediction.cpp: a search set holds so many ties that their last bit decides.
    """
    if node.split is None:
        yield node, share
        return
    value = row[node.split.feature]
    if value is not None:
        yield from reached_leaves(node.branches[node.split.branch_of(value)], row, one, share)
        return
    weights = [(child, child.weight / one) for child in node.branches if child.weight > 0]
    total = 0.0
    for _, weight in weights:
        total += weight
    for child, weight in weights:
        yield from reached_leaves(child, row, one, share * (weight / total))


def predicted_label(tree: Node, row: Sequence[Value], one: int) -> int:
    """The label of the leaf that a row reaches; of several leaves, the class of the largest summed share."""
    leaves = list(reached_leaves(tree, row, one))
    if len(leaves) == 1:
        return leaves[0][0].label
    probabilities = [0.0] * len(tree.class_weights)
    for leaf, share in leaves:
        if leaf.weight == 0:
            probabilities[leaf.label] += share
            continue
        for label, weight in enumerate(leaf.class_weights):
            probabilities[label] += share * ((weight / one) / (leaf.weight / one))
    return probabilities.index(max(probabilities))

"""Grows a C4.5 tree slowly and obviously; pruning.py cuts its nodes back, prediction.py follows them.

Weights are integers in fixed point: the weight 1 is 2^bits. Entropies are integers too, so the quality of a
split does not depend on the order of the samples, and a tie is a tie.

Where the written semantics leave a choice, this is ours:

- the number of classes is that of all labels given, also of samples whose weight is 0;
- a sample whose weight rounds to 0 in fixed point is dropped like one of weight 0;
- the slack 2^(bits − 16) and the smallest gain 2^(bits − 20) are 0 where they fall below 1 (total weights of
  2^41 and 2^37);
- growth "literal" keeps the depth limit, the smallest gain, and gain ratio's minima: they are about the
  quality of a split, not about the growing rule;
- under gain ratio, the corrected gain has to exceed the minimum and is divided by the split information;
- under Gini no number of cuts is charged for, and the best cut is the one of the best Gini gain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

# A training sample as a node sees it: its row, and the part of its weight that reached the node.
Sample = tuple[int, int]
Value = float | int | None


@dataclass(frozen=True)
class Column:
    """The values of one feature: floats, or category codes below `n_categories`; None is missing."""

    values: Sequence[Value]
    n_categories: int | None = None


@dataclass(frozen=True)
class Rules:
    """How to grow; the names and the values of C45Classifier's parameters."""

    criterion: str = "information_gain"
    growth: str = "c45"
    threshold: str = "c45"
    min_samples: int = 2
    max_depth: int | None = None


@dataclass(frozen=True)
class Split:
    """A candidate split: `gain` is weight × gain, uncorrected; a nominal split has no `threshold`."""

    feature: int
    quality: float
    gain: int
    threshold: float | None = None

    def branch_of(self, value: float | int) -> int:
        return int(value) if self.threshold is None else int(value > self.threshold)


@dataclass
class Node:
    """A node with its samples; `branches` has one node a branch, and empty categories share one node."""

    samples: list[Sample]
    class_weights: list[int]
    label: int
    split: Split | None = None
    branches: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> int:
        return sum(self.class_weights)

    @property
    def children(self) -> list[Node]:
        """The distinct nodes among the branches, in the order of the branches."""
        return list({id(child): child for child in self.branches}.values())


def round_half_away(number: float) -> int:
    """Round like C's llround."""
    whole = math.floor(abs(number))
    whole += abs(number) - whole >= 0.5
    return whole if number >= 0 else -whole


def majority(class_weights: Sequence[int]) -> int:
    """The class of the largest weight, the lowest index on ties."""
    return class_weights.index(max(class_weights))


@cache
def weighted_log(weight: int, bits: int) -> int:
    """x · log2(x) in fixed point, for a weight x in fixed point."""
    if weight <= 0:
        return 0
    x = weight / 2**bits
    return round_half_away(x * math.log2(x) * 2.0**bits)


class Grower:
    """Grows the tree of one training set; `rank` is its core step."""

    def __init__(
        self,
        columns: Sequence[Column],
        labels: Sequence[int],
        n_classes: int,
        rules: Rules,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.n_classes = n_classes
        self.rules = rules
        weights = [1.0] * len(labels) if weights is None else weights
        total = math.fsum(weights)
        self.bits = 32 if total <= 2**25 else 57 - math.ceil(total).bit_length()
        self.one: int = 2**self.bits
        self.slack = self.one >> 16
        fixed = [round_half_away(weight * self.one) for weight in weights]
        self.samples = [(row, weight) for row, weight in enumerate(fixed) if weight > 0]
        self.training_values = [
            sorted({value for row, _ in self.samples if (value := column.values[row]) is not None})
            for column in columns
        ]

    def grow(self) -> Node:
        return self.grow_node(self.samples, depth=0)

    def grow_node(self, samples: list[Sample], depth: int) -> Node:
        class_weights = self.class_weights(samples)
        node = Node(samples, class_weights, majority(class_weights))
        if self.is_leaf(node, depth):
            return node
        ranking = self.rank(node)
        if not ranking:
            return node
        node.split = ranking[0]
        empty = Node([], [0] * self.n_classes, node.label)
        node.branches = [
            self.grow_node(branch, depth + 1) if branch else empty for branch in self.distribute(samples, node.split)
        ]
        return node

    def is_leaf(self, node: Node, depth: int) -> bool:
        pure = max(node.class_weights) == node.weight
        at_limit = self.rules.max_depth is not None and depth >= self.rules.max_depth
        smallest = self.rules.min_samples * (2 if self.rules.growth == "c45" else 1)
        return pure or at_limit or not self.reaches(node.weight, smallest)

    def rank(self, node: Node) -> list[Split]:
        """The best split of every eligible feature, best first, ties by the lowest feature index."""
        splits = [self.best_split(feature, node) for feature in range(len(self.columns))]
        return sorted(
            (split for split in splits if split is not None),
            key=lambda split: (-split.quality, split.feature),
        )

    def best_split(self, feature: int, node: Node) -> Split | None:
        if self.columns[feature].n_categories is None:
            return self.continuous_split(feature, node)
        return self.nominal_split(feature, node)

    def nominal_split(self, feature: int, node: Node) -> Split | None:
        """One branch a category; two branches must hold weight (C4.5: `min_samples` each)."""
        branches = [[0] * self.n_classes for _ in range(self.columns[feature].n_categories or 0)]
        for row, weight in node.samples:
            code = self.columns[feature].values[row]
            if code is not None:
                branches[int(code)][self.labels[row]] += weight
        weights = [sum(branch) for branch in branches]
        if self.rules.growth == "c45":
            large_enough = [weight for weight in weights if self.reaches(weight, self.rules.min_samples)]
        else:
            large_enough = [weight for weight in weights if weight > 0]
        if len(large_enough) < 2:
            return None
        return self.judged(feature, node, branches)

    def continuous_split(self, feature: int, node: Node) -> Split | None:
        """The cut between two distinct known values with the largest gain, the lowest one on ties."""
        at_value: dict[float, list[int]] = {}
        for row, weight in node.samples:
            value = self.columns[feature].values[row]
            if value is not None:
                at_value.setdefault(value, [0] * self.n_classes)[self.labels[row]] += weight
        below = [0] * self.n_classes
        above = [sum(weights) for weights in zip(*at_value.values(), strict=True)] or below
        known = sum(above)
        c45 = self.rules.growth == "c45"
        if c45 and not self.reaches(known, 2 * self.rules.min_samples):
            return None
        smallest_side = self.smallest_side(known)

        n_tried = 0
        best: tuple[int, float, float, list[list[int]]] | None = None
        for lower, upper in pairwise(sorted(at_value)):
            below = [weight + moved for weight, moved in zip(below, at_value[lower], strict=True)]
            above = [weight - moved for weight, moved in zip(above, at_value[lower], strict=True)]
            if c45 and not self.reaches(min(sum(below), sum(above)), smallest_side):
                continue
            n_tried += 1
            gain = self.gain([below, above])
            if best is None or gain > best[0]:
                best = (gain, lower, upper, [below, above])
        if best is None:
            return None

        _, lower, upper, branches = best
        correction = 0
        if c45 and self.rules.criterion != "gini":
            correction = round_half_away(math.log2(n_tried) * 2.0**self.bits)
        return self.judged(feature, node, branches, correction, self.threshold(feature, lower, upper))

    def smallest_side(self, known: int) -> float:
        """The least weight of a side of a cut: a tenth of the mean class weight, raised to m, capped at 25.

        As in Release 8, the cap comes last: a `min_samples` over 25 gives 25 where the tenth is larger still.
        """
        smallest = 0.1 * (known / self.one) / self.n_classes
        if smallest <= self.rules.min_samples:
            return self.rules.min_samples
        return min(smallest, 25.0)

    def threshold(self, feature: int, lower: float, upper: float) -> float:
        """The midpoint, or the greatest training value that is not above it; never `upper` itself."""
        midpoint = (lower + upper) / 2
        if not math.isfinite(midpoint):
            midpoint = lower + (upper - lower) / 2
        if midpoint >= upper:
            midpoint = lower
        if self.rules.threshold == "midpoint":
            return midpoint
        return max(value for value in self.training_values[feature] if value <= midpoint)

    def judged(
        self,
        feature: int,
        node: Node,
        branches: list[list[int]],
        correction: int = 0,
        threshold: float | None = None,
    ) -> Split | None:
        """The split with its quality, or None if its corrected gain is too small."""
        total = node.weight
        gain = self.gain(branches)
        corrected = gain - correction
        if corrected <= max(round_half_away(1e-9 * total), self.one >> 20):
            return None
        if self.rules.criterion != "gain_ratio":
            return Split(feature, corrected, gain, threshold)
        weights = [sum(branch) for branch in branches]
        missing = total - sum(weights)
        information = self.log(total) - sum(map(self.log, weights)) - self.log(missing)
        if float(corrected) <= 1e-3 * total or float(information) <= 1e-3 * total:
            return None
        return Split(feature, float(corrected) / float(information), gain, threshold)

    def gain(self, branches: list[list[int]]) -> int:
        """Weight × gain of dividing the samples with a known value into these branches of class weights."""
        known = [sum(weights) for weights in zip(*branches, strict=True)]
        return self.impurity(known) - sum(map(self.impurity, branches))

    def impurity(self, class_weights: list[int]) -> int:
        """Weight × entropy; under Gini, weight × (Gini index − 1)."""
        total = sum(class_weights)
        if self.rules.criterion != "gini":
            return self.log(total) - sum(map(self.log, class_weights))
        if total == 0:
            return 0
        squares = 0.0
        for weight in class_weights:
            squares += (weight / self.one) * (weight / self.one)
        return -round_half_away(squares / (total / self.one) * 2.0**self.bits)

    def log(self, weight: int) -> int:
        return weighted_log(weight, self.bits)

    def reaches(self, weight: int, least: float) -> bool:
        """Whether a weight is at least `least`; fractions that were rounded get a little slack."""
        return float(weight + self.slack) >= least * self.one

    def distribute(self, samples: list[Sample], split: Split) -> list[list[Sample]]:
        """The samples of every branch; one with a missing value goes in parts down every non-empty branch."""
        column = self.columns[split.feature]
        branches: list[list[Sample]] = [[] for _ in range(column.n_categories or 2)]
        for row, weight in samples:
            value = column.values[row]
            if value is not None:
                branches[split.branch_of(value)].append((row, weight))
        known = [sum(weight for _, weight in branch) for branch in branches]
        for row, weight in samples:
            if column.values[row] is None:
                for branch, part in zip(branches, parts(weight, known), strict=True):
                    if part > 0:
                        branch.append((row, part))
        return branches

    def class_weights(self, samples: list[Sample]) -> list[int]:
        class_weights = [0] * self.n_classes
        for row, weight in samples:
            class_weights[self.labels[row]] += weight
        return class_weights


def parts(weight: int, shares: Sequence[int]) -> list[int]:
    """A weight divided in proportion to the shares, each part rounded to the nearest integer."""
    total = sum(shares)
    return [(weight * share + total // 2) // total if share > 0 else 0 for share in shares]

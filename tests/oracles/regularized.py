"""Regularized trees, forests and boosting (Deng & Runger 2012), slowly and obviously; c45.py finds the best cuts.

Where the paper leaves a choice, this is ours:

- at each node, all selected features and `n_new` drawn ones compete; ties go to the lowest index, as Algorithm 1 visits
  the features by index and asks for ">";
- λ is a whole number of 2^-32, so that λ · gain is exact; a λ of 0 keeps a feature out;
- no gain counts for more than that of a split into pure branches (rounding could exceed it by a few 2^-32);
- the CRAN score is that of all samples at the node: those with a missing value count as the node does as a whole;
- boosting keeps the sum of the weights; an error below 1e-6 is none; a round that ends the boosting is dropped, with
  the features that it brought, unless it is the first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from oracles.c45 import Column, Grower, Node, Rules, Sample, Split, majority, round_half_away
from oracles.random_stream import RandomStream, drawn_features, drawn_rows, stream_of_root

NO_ERROR = 1e-6


@dataclass(frozen=True)
class Entry:
    """A feature that came in: weight × gain and the weight of the node, in fixed point."""

    feature: int
    tree: int
    depth: int
    gain: int
    weight: int


class RegularizedOracle:
    """Grows tree after tree; `selected` is the set that they share, in order of entry."""

    def __init__(
        self,
        columns: Sequence[Column],
        labels: Sequence[int],
        n_classes: int,
        weights: Sequence[float] | None = None,
        *,
        new_feature_weights: Sequence[float],
        n_new: int,
        seed: int,
        cran: bool = False,
        initial: Sequence[int] = (),
        min_samples: float = 1,
        max_depth: int | None = None,
    ) -> None:
        rules = Rules("gini" if cran else "information_gain", "literal", "midpoint", 2 * min_samples, max_depth)
        self.grower = Grower(columns, labels, n_classes, rules, weights)
        self.new_feature_weights = [in_units(weight) for weight in new_feature_weights]
        self.n_new = n_new
        self.seed = seed
        self.cran = cran
        self.selected = list(initial)
        self.entries: list[Entry] = []

    @property
    def one(self) -> int:
        return self.grower.one

    def fixed_weights(self) -> list[int]:
        """The weights of all rows, those of weight 0 included."""
        weights = [0] * len(self.grower.labels)
        for row, weight in self.grower.samples:
            weights[row] = weight
        return weights

    def rows_of_tree(self, tree: int, weights: Sequence[int]) -> list[Sample]:
        return [(row, self.one) for row in drawn_rows(self.seed, tree, weights)]

    # Growing

    def grow_tree(self, samples: list[Sample], tree: int) -> Node:
        root = self.node(samples)
        waiting = deque([(root, 0, stream_of_root(self.seed, tree))])
        while waiting:
            node, depth, stream = waiting.popleft() if self.cran else waiting.pop()
            children = self.expand(node, tree, depth, stream)
            waiting.extend(children if self.cran else reversed(children))
        return root

    def node(self, samples: list[Sample]) -> Node:
        class_weights = self.grower.class_weights(samples)
        return Node(samples, class_weights, majority(class_weights))

    def expand(self, node: Node, tree: int, depth: int, stream: RandomStream) -> list[tuple[Node, int, RandomStream]]:
        """Split a node, if anything does; the children in order."""
        if self.grower.is_leaf(node, depth):
            return []
        split = self.best_split(node, stream)
        if split is None:
            return []
        if split.feature not in self.selected:
            self.selected.append(split.feature)
            self.entries.append(Entry(split.feature, tree, depth, split.gain, node.weight))
        node.split = split
        empty = Node([], [0] * self.grower.n_classes, node.label)
        children = []
        for samples in self.grower.distribute(node.samples, split):
            node.branches.append(self.node(samples) if samples else empty)
            if samples:
                children.append((node.branches[-1], depth + 1, stream.child(len(children))))
        return children

    def best_split(self, node: Node, stream: RandomStream) -> Split | None:
        everything = range(len(self.grower.columns))
        others = [feature for feature in everything if feature not in self.selected]
        looked_at = [*self.selected, *drawn_features(stream, others, self.n_new)]
        best: Split | None = None
        best_score = 0
        for feature in sorted(looked_at):
            split = self.grower.best_split(feature, node)
            if split is None:
                continue
            split = self.capped(split, node)
            score = self.score(split, node)
            if score > best_score:
                best, best_score = split, score
        return best

    def capped(self, split: Split, node: Node) -> Split:
        own_term = self.grower.impurity(node.class_weights)
        most = node.weight + own_term if self.cran else own_term
        return Split(split.feature, split.quality, min(split.gain, most), split.threshold)

    def score(self, split: Split, node: Node) -> int:
        """Equation 6, times 2^32."""
        weight = 2**32 if split.feature in self.selected else self.new_feature_weights[split.feature]
        parent = -self.grower.impurity(node.class_weights) if self.cran else 0
        return weight * (parent + split.gain)

    # Ensembles

    def forest(self, n_trees: int, *, bootstrap: bool = True) -> list[Node]:
        weights = self.fixed_weights()
        unit = [int(weight > 0) for weight in weights] if len(set(weights)) == 1 else weights
        return [
            self.grow_tree(self.rows_of_tree(tree, unit) if bootstrap else self.grower.samples, tree)
            for tree in range(n_trees)
        ]

    def boost(self, n_rounds: int, *, resample: bool = True) -> tuple[list[Node], list[float], list[float]]:
        """The trees, the weights of their votes, and the errors of all rounds."""
        weights = [weight / self.one for weight in self.fixed_weights()]
        total = plain_sum(weights)
        trees: list[Node] = []
        votes: list[float] = []
        errors: list[float] = []
        for round_number in range(n_rounds):
            n_selected = len(self.selected)
            n_entries = len(self.entries)
            fixed = [round_half_away(weight * self.one) for weight in weights]
            if resample:
                samples = self.rows_of_tree(round_number, fixed)
            else:
                samples = [(row, weight) for row, weight in enumerate(fixed) if weight > 0]
            tree = self.grow_tree(samples, round_number)
            wrong = [self.predicted(tree, row) != label for row, label in enumerate(self.grower.labels)]
            error = plain_sum([weight for weight, is_wrong in zip(weights, wrong, strict=True) if is_wrong])
            error /= plain_sum(weights)
            errors.append(error)
            last = error < NO_ERROR or error >= 0.5
            if last and round_number > 0:
                del self.selected[n_selected:]
                del self.entries[n_entries:]
                break
            trees.append(tree)
            votes.append(1.0 if last else math.log((1 - error) / error))
            if last:
                break
            for row, is_wrong in enumerate(wrong):
                if is_wrong:
                    weights[row] *= (1 - error) / error
            factor = total / plain_sum(weights)
            weights = [weight * factor for weight in weights]
        return trees, votes, errors

    def predicted(self, root: Node, row: int) -> int:
        """The most probable class of a training row; leaf after leaf is added, in order."""
        probabilities = [0.0] * self.grower.n_classes
        waiting = [(root, 1.0)]
        while waiting:
            node, share = waiting.pop()
            if node.split is None:
                if node.weight == 0:
                    probabilities[node.label] += share
                else:
                    for label, weight in enumerate(node.class_weights):
                        probabilities[label] += share * (weight / node.weight)
                continue
            value = self.grower.columns[node.split.feature].values[row]
            if value is not None:
                waiting.append((node.branches[node.split.branch_of(value)], share))
                continue
            weighty = [child for child in node.children if child.weight > 0]
            below = sum(child.weight for child in weighty)
            waiting.extend((child, share * (child.weight / below)) for child in reversed(weighty))
        return probabilities.index(max(probabilities))


def in_units(weight: float) -> int:
    """λ as a number of 2^-32; one above 0 stays above 0."""
    return max(1, round_half_away(weight * 2**32)) if weight > 0 else 0


def plain_sum(numbers: Sequence[float]) -> float:
    """From left to right, as the core adds."""
    total = 0.0
    for number in numbers:
        total += number
    return total

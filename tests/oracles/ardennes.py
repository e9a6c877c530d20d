"""Ardennes slowly and obviously: draw every tree node by node, try every cut by parting the samples, and sort.

This is the work of a plain program in the shape of the published one, which benchmarks/evolution_speed.py measures
beside the core. Weights and entropies are whole numbers, as in c45.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from oracles.c45 import Column, majority, round_half_away, weighted_log

MASK = 2**64 - 1
CLASS = -1
Sample = tuple[int, int]


class Stream:
    """SplitMix64, and the streams that are derived from one."""

    def __init__(self, key: int) -> None:
        self.state = self.mix(key)

    @staticmethod
    def mix(z: int) -> int:
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def child(self, number: int) -> Stream:
        return Stream(self.state ^ self.mix((number + 0x632BE59BD9B4E019) & MASK))

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return self.mix(self.state)

    def below(self, bound: int) -> int:
        return (self.next() * bound) >> 64


def position_of_branch(parent: int, branch: int) -> int:
    if parent < 2**63 and branch < 2:
        return 2 * parent + 1 + branch
    return Stream(parent).child(branch).next() | 2**63


@dataclass
class Node:
    """A node of a drawn tree; a leaf has no feature."""

    label: int
    right: int
    class_weights: list[int]
    position: int
    level: int
    feature: int = CLASS
    threshold: float | None = None
    branches: dict[int, Node] = field(default_factory=dict)
    has_empty_leaf: bool = False

    def nodes(self) -> list[Node]:
        return [self, *(node for child in self.branches.values() for node in child.nodes())]

    @property
    def height(self) -> int:
        return 1 + max((child.height for child in self.branches.values()), default=0)

    @property
    def n_nodes(self) -> int:
        return sum(1 + node.has_empty_leaf for node in self.nodes())

    @property
    def correct(self) -> int:
        """The training weight in leaves of its own class."""
        return sum(node.right for node in self.nodes() if not node.branches)

    def genes(self) -> list[tuple[int, int]]:
        return sorted((node.position, node.feature) for node in self.nodes())


@dataclass(frozen=True)
class Watched:
    """Samples to judge trees on: columns like those of the training set, class numbers, and whole weights."""

    columns: Sequence[Column]
    labels: Sequence[int]
    weights: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.weights)


class Ardennes:
    """The algorithm on one training set."""

    def __init__(
        self,
        columns: Sequence[Column],
        labels: Sequence[int],
        n_classes: int,
        weights: Sequence[float] | None = None,
        *,
        population_size: int,
        n_elite: int,
        max_generations: int,
        max_height: int,
        seed: int,
        tolerance: float = 0.0,
        validation: Watched | None = None,
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.n_classes = n_classes
        weights = [1.0] * len(labels) if weights is None else weights
        total = math.fsum(weights)
        self.bits = 32 if total <= 2**25 else 57 - math.ceil(total).bit_length()
        fixed = [round_half_away(weight * 2.0**self.bits) for weight in weights]
        self.samples = [(row, weight) for row, weight in enumerate(fixed) if weight > 0]
        self.total = sum(weight for _, weight in self.samples)
        self.population_size = population_size
        self.n_elite = n_elite
        self.max_generations = max_generations
        self.max_height = max_height
        self.seed = Stream(seed)
        self.step = max(1, round_half_away(tolerance * self.total))
        self.validation = validation

    # Growing.

    def class_weights(self, samples: Sequence[Sample]) -> list[int]:
        weights = [0] * self.n_classes
        for row, weight in samples:
            weights[self.labels[row]] += weight
        return weights

    def score(self, weights: Sequence[int]) -> int:
        """Minus weight × entropy."""
        return sum(weighted_log(weight, self.bits) for weight in weights) - weighted_log(sum(weights), self.bits)

    def ratio(self, samples: Sequence[Sample], parts: Sequence[Sequence[Sample]]) -> float:
        """The gain ratio of parting the known samples so; 0 if there is no gain."""
        known = [sample for part in parts for sample in part]
        gain = sum(self.score(self.class_weights(part)) for part in parts) - self.score(self.class_weights(known))
        total = sum(weight for _, weight in samples)
        sizes = [sum(weight for _, weight in part) for part in parts]
        missing = total - sum(sizes)
        information = weighted_log(total, self.bits) - weighted_log(missing, self.bits)
        information -= sum(weighted_log(size, self.bits) for size in sizes)
        least = max(round_half_away(1e-9 * float(total)), 2 ** max(0, self.bits - 20))
        return float(gain) / float(information) if gain > least and information > 0 else 0.0

    def split(self, samples: Sequence[Sample], feature: int) -> tuple[float | None, dict[int, list[Sample]]] | None:
        """The threshold (None: nominal) and the known samples of each branch, or None if nothing is gained."""
        column = self.columns[feature]
        known = [(row, weight) for row, weight in samples if column.values[row] is not None]
        if column.n_categories is not None:
            branches: dict[int, list[Sample]] = {}
            for row, weight in known:
                branches.setdefault(int(column.values[row]), []).append((row, weight))
            branches = dict(sorted(branches.items()))
            if len(branches) < 2 or self.ratio(samples, list(branches.values())) <= 0:
                return None
            return None, branches
        values = sorted({column.values[row] for row, _ in known})
        best, threshold, parted = 0.0, None, {}
        for lower, upper in pairwise(values):
            parts = [
                [sample for sample in known if column.values[sample[0]] <= lower],
                [sample for sample in known if column.values[sample[0]] > lower],
            ]
            ratio = self.ratio(samples, parts)
            if ratio > best:
                middle = (lower + upper) / 2 if math.isfinite(lower + upper) else lower / 2 + upper / 2
                best, threshold, parted = ratio, middle if middle < upper else lower, dict(enumerate(parts))
        return None if threshold is None else (threshold, parted)

    def with_missing(
        self, samples: Sequence[Sample], feature: int, branches: dict[int, list[Sample]]
    ) -> dict[int, list[Sample]]:
        """The branches with their shares of the samples whose value is missing."""
        missing = [(row, weight) for row, weight in samples if self.columns[feature].values[row] is None]
        sizes = {branch: sum(weight for _, weight in part) for branch, part in branches.items()}
        whole = sum(sizes.values())
        shared = {}
        for branch, part in branches.items():
            shares = [(row, (weight * sizes[branch] + whole // 2) // whole) for row, weight in missing]
            shared[branch] = part + [(row, share) for row, share in shares if share > 0]
        return shared

    @cached_property
    def root_features(self) -> list[int]:
        """The features that can split the root, where no leaf is allowed."""
        return [feature for feature in range(len(self.columns)) if self.split(self.samples, feature)]

    def draw_tree(self, model: Model, stream: Stream) -> Node:
        return self.draw_node(model, stream, self.samples, 0, 1)

    def draw_node(self, model: Model, stream: Stream, samples: Sequence[Sample], position: int, level: int) -> Node:
        weights = self.class_weights(samples)
        label = majority(weights)
        node = Node(label, weights[label], weights, position, level)
        if weights[label] == sum(weights) or level == self.max_height:
            return node
        if level == 1 and not model.counts:
            candidates = self.root_features
            feature = candidates[stream.child(0).below(len(candidates))] if candidates else CLASS
        else:
            feature = model.draw(position, stream.child(position))
        found = None if feature == CLASS else self.split(samples, feature)
        if found is None:
            return node
        threshold, branches = found
        children = {
            branch: self.draw_node(model, stream, part, position_of_branch(position, branch), level + 1)
            for branch, part in self.with_missing(samples, feature, branches).items()
        }
        same = len({child.label for child in children.values()}) == 1
        if level > 1 and same and not any(child.branches for child in children.values()):
            return node
        node.feature, node.threshold, node.branches = feature, threshold, children
        declared = self.columns[feature].n_categories
        node.has_empty_leaf = declared is not None and len(children) < declared
        return node

    # Judging.

    def watched_right(self, tree: Node, watched: Watched) -> int:
        return sum(
            self.right_of_row(tree, watched, row, weight) for row, weight in enumerate(watched.weights) if weight > 0
        )

    def right_of_row(self, node: Node, watched: Watched, row: int, weight: int) -> int:
        if not node.branches:
            return weight if watched.labels[row] == node.label else 0
        value = watched.columns[node.feature].values[row]
        if value is None:
            sizes = {branch: sum(child.class_weights) for branch, child in node.branches.items()}
            whole = sum(sizes.values())
            return sum(
                self.right_of_row(child, watched, row, (weight * sizes[branch] + whole // 2) // whole)
                for branch, child in node.branches.items()
            )
        branch = int(value) if node.threshold is None else int(value > node.threshold)
        if branch in node.branches:
            return self.right_of_row(node.branches[branch], watched, row, weight)
        return weight if watched.labels[row] == node.label else 0

    def key(self, tree: Node) -> tuple[int, int, int]:
        return -(tree.correct // self.step), tree.height, tree.n_nodes

    # Evolving.

    def evolve(self) -> Run:
        model = Model(len(self.columns), self.n_elite, {})
        first = self.seed.child(0)
        population = [self.draw_tree(model, first.child(place)) for place in range(self.population_size)]
        generations: list[tuple[list[Node], Model]] = []
        while True:
            population.sort(key=self.key)
            generations.append((population, model))
            if self.key(population[0]) == self.key(population[-1]):
                status = "converged"
                break
            if len(generations) > self.max_generations or self.n_elite == self.population_size:
                status = "max_generations"
                break
            elite = population[: self.n_elite]
            model = Model.of_elite(elite, len(self.columns), self.max_height)
            stream = self.seed.child(len(generations))
            drawn = [self.draw_tree(model, stream.child(place)) for place in range(self.population_size - self.n_elite)]
            population = drawn + elite
        return Run(status, generations, self.choose(population))

    def choose(self, population: Sequence[Node]) -> Node:
        if self.validation is None:
            return population[0]
        validation = self.validation
        return max(
            population,
            key=lambda tree: tree.correct * validation.total + self.watched_right(tree, validation) * self.total,
        )


@dataclass(frozen=True)
class Run:
    """How the evolution ended, the generations in order with the model they were drawn from, and the answer."""

    status: str
    generations: list[tuple[list[Node], Model]]
    answer: Node


@dataclass(frozen=True)
class Model:
    """The graphical model: counts of labels by position."""

    n_features: int
    n_elite: int
    counts: dict[int, Counter[int]]

    @classmethod
    def of_elite(cls, elite: Sequence[Node], n_features: int, max_height: int) -> Model:
        counts: dict[int, Counter[int]] = {}
        for tree in elite:
            for node in tree.nodes():
                if node.level < max_height:
                    counts.setdefault(node.position, Counter())[node.feature] += 1
        return cls(n_features, len(elite), counts)

    def cells(self) -> list[tuple[int, int, int]]:
        return sorted((position, label, n) for position, labels in self.counts.items() for label, n in labels.items())

    def probabilities(self, position: int) -> list[float]:
        """Of each feature and, last, of the class: the formula of the paper."""
        counts = self.counts.get(position, Counter())
        lacking = self.n_elite - sum(counts.values())
        of_features = [(counts[f] + lacking / self.n_features) / self.n_elite for f in range(self.n_features)]
        return [*of_features, counts[CLASS] / self.n_elite]

    def draw(self, position: int, stream: Stream) -> int:
        """One ticket of n_elite × n_features: first those of the lacking members, then those of each label."""
        counts = self.counts.get(position, Counter())
        lacking = self.n_elite - sum(counts.values())
        ticket = stream.below(self.n_elite * self.n_features)
        shares = [(feature, lacking) for feature in range(self.n_features)]
        shares += [(label, n * self.n_features) for label, n in sorted(counts.items())]
        for label, tickets in shares:
            if ticket < tickets:
                return label
            ticket -= tickets
        raise AssertionError("the shares add up to all tickets")

"""Algorithms 1 to 4 of Ruggieri (2019), line by line, on the trees of lattice.py.

They are not fast: every tree is grown from the data. They are what the paper's worked examples are computed with,
and what its theorems are tested on. With several folds a unit is used if a tree of any fold uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from oracles.c45 import Node, Value
from oracles.lattice import NOTHING, Lattice, Point, Subset, used_features

# Which of the removable units is removed first: (trees, required, removable) -> all of them in order.
Order = Callable[[Sequence[Node], Subset, Subset], list[int]]


def enumerate_subsets(required: Subset, optional: Sequence[int]) -> Iterator[Subset]:
    """Algorithm 1 (subset): all of R ⋈ Pow(S), elements of S removed in the order given.

    With S in descending order this is reverse binary counting.
    """
    yield required | frozenset(optional)
    kept = required | frozenset(optional)
    freed: list[int] = []
    for unit in optional:
        kept -= {unit}
        yield from enumerate_subsets(kept, freed)
        freed = [*freed, unit]


def frontier_nodes(lattice: Lattice, trees: Sequence[Node], required: Subset) -> list[tuple[int, Node]]:
    """The first node on every root path whose unit is not in `required`, with that unit."""
    found = []
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if node.split is None:
            continue
        unit = lattice.unit_of[node.split.feature]
        if unit in required:
            waiting.extend(node.children)
        else:
            found.append((unit, node))
    return found


def frontier_size(lattice: Lattice, trees: Sequence[Node], required: Subset, unit: int) -> int:
    """Definition 8: how many units outside `required` occur at or below the frontier nodes of `unit`."""
    below: set[int] = set()
    for at, node in frontier_nodes(lattice, trees, required):
        if at == unit:
            below.update(lattice.unit_of[feature] for feature in used_features(node))
    return len(below - required)


def frontier_order(lattice: Lattice) -> Order:
    """Definition 9 (rk_frontier): filled from the last place to the first, ties by the lowest index."""

    def order(trees: Sequence[Node], required: Subset, removable: Subset) -> list[int]:
        ranked: list[int] = []
        while len(ranked) < len(removable):
            known = required | frozenset(ranked)
            rest = sorted(removable - frozenset(ranked))
            ranked.insert(0, max(rest, key=lambda unit: frontier_size(lattice, trees, known, unit)))
        return ranked

    return order


def ascending(trees: Sequence[Node], required: Subset, removable: Subset) -> list[int]:
    return sorted(removable)


def descending(trees: Sequence[Node], required: Subset, removable: Subset) -> list[int]:
    return sorted(removable, reverse=True)


def reverse_of(order: Order) -> Order:
    return lambda trees, required, removable: order(trees, required, removable)[::-1]


@dataclass
class DistinctTrees:
    """Algorithm 2 (DTdistinct): `built` are all subsets whose tree was grown, `reported` those reported."""

    lattice: Lattice
    order: Order
    built: list[Subset] = field(default_factory=list)
    reported: list[Point] = field(default_factory=list)

    def visit(self, required: Subset, optional: Subset) -> None:
        point = self.lattice.point(required | optional)
        self.built.append(point.subset)
        if required <= point.used:
            self.reported.append(point)
        removable = optional & point.used
        kept = required | removable
        freed = optional - point.used
        for unit in self.order(self.lattice.trees(point.subset), required, removable):
            kept -= {unit}
            self.visit(kept, freed)
            freed |= {unit}


def error_lower_bound(lattice: Lattice, trees: Sequence[Node], removed: Subset) -> int:
    """lberr: the errors of the trees, with subtrees that split on a removed unit replaced by oracles."""
    return sum(
        lattice.weights[row]
        for tree, fold in zip(trees, lattice.folds, strict=True)
        for row in fold.search
        if lattice.weights[row] > 0 and surely_wrong(lattice, tree, row, removed)
    )


def surely_wrong(lattice: Lattice, tree: Node, row: int, removed: Subset) -> bool:
    """Whether another class wins even if the oracles give all that reaches them to the row's own class.

    The core adds up doubles: a lead that rounding could make or break does not count.
    """
    votes = [Fraction(0)] * len(tree.class_weights)
    own = lattice.labels[row]
    reached = list(reached_leaves_and_oracles(lattice, tree, lattice.rows[row], removed))
    if len(reached) == 1:
        leaf = reached[0][0]
        return leaf is not None and leaf.label != own
    for leaf, share in reached:
        if leaf is None:
            votes[own] += share
            continue
        for label, weight in enumerate(leaf.class_weights):
            votes[label] += share * Fraction(weight, leaf.weight) if leaf.weight else share * (label == leaf.label)
    return max(votes) > votes[own] + Fraction(1, 10**9)


def reached_leaves_and_oracles(
    lattice: Lattice, node: Node, row: Sequence[Value], removed: Subset, share: Fraction = Fraction(1)
) -> Iterator[tuple[Node | None, Fraction]]:
    """The leaves (None: an oracle) that a row reaches, with its shares."""
    if node.split is None:
        yield node, share
    elif lattice.unit_of[node.split.feature] in removed:
        yield None, share
    elif (value := row[node.split.feature]) is not None:
        branch = node.branches[node.split.branch_of(value)]
        yield from reached_leaves_and_oracles(lattice, branch, row, removed, share)
    else:
        total = sum(child.weight for child in node.children)
        for child in node.children:
            if child.weight > 0:
                part = share * Fraction(child.weight, total)
                yield from reached_leaves_and_oracles(lattice, child, row, removed, part)


@dataclass
class AcceptableSubset:
    """Algorithms 3 and 4 (DTaccept, greedy): `error` and `features` are the best found so far."""

    lattice: Lattice
    gap: int
    order: Order
    error: int | None = None
    features: Subset = NOTHING
    built: list[Subset] = field(default_factory=list)

    def visit(self, required: Subset, optional: Subset) -> None:
        point = self.lattice.point(required | optional)
        trees = self.lattice.trees(point.subset)
        self.built.append(point.subset)
        # Footnote 4: ties go to the smaller subset.
        found = (point.error, self.lattice.size(point.used))
        if self.error is None or found <= (self.error, self.lattice.size(self.features)):
            self.error, self.features = point.error, point.used

        worth = self.worth_branching(trees, required, optional & point.used)
        kept = required | worth
        freed = optional - worth
        for unit in self.order(trees, required, worth):
            kept -= {unit}
            self.visit(kept, freed)
            freed |= {unit}

    def worth_branching(self, trees: Sequence[Node], required: Subset, removable: Subset) -> Subset:
        """Algorithm 4 (greedy): the units that cannot be left aside without missing a better subset."""
        assert self.error is not None
        kept = removable
        for unit in self.order(trees, required, removable):
            trial = kept - {unit}
            if self.error <= error_lower_bound(self.lattice, trees, removable - trial) + self.gap:
                kept = trial
        return kept

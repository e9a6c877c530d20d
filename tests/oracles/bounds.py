"""Lower bounds on the errors of all trees of a sublattice, said plainly, and the sublattices of include/exclude.

The bounds are only for problems where no value is missing.

A *place* is where a tree may have a node: building samples, the search rows that come along, and the depth.
The names B1, B2, B5 are those of the design notes of the search; each function says why it is a bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from oracles.c45 import Node, Sample, Split, majority
from oracles.lattice import NOTHING, FoldGrower, Lattice, Subset


@dataclass(frozen=True)
class Place:
    """A node in the making, of one fold; an empty branch carries the label of its parent."""

    lattice: Lattice
    grower: FoldGrower
    samples: tuple[Sample, ...]
    search: tuple[int, ...]
    depth: int = 0
    inherited_label: int = 0

    @cached_property
    def node(self) -> Node:
        class_weights = self.grower.class_weights(list(self.samples))
        label = majority(class_weights) if self.samples else self.inherited_label
        return Node(list(self.samples), class_weights, label)

    @cached_property
    def ranking(self) -> list[Split]:
        """The splits of all features, best first; none where every tree has a leaf."""
        if not self.samples or self.grower.is_leaf(self.node, self.depth):
            return []
        self.grower.allowed = frozenset(range(len(self.lattice.columns)))
        return self.grower.rank(self.node)

    @property
    def search_weight(self) -> int:
        return sum(self.lattice.weights[row] for row in self.search)

    @property
    def leaf_error(self) -> int:
        labels = self.lattice.labels
        return sum(self.lattice.weights[row] for row in self.search if labels[row] != self.node.label)

    def children(self, split: Split) -> Iterator[Place]:
        values = self.lattice.columns[split.feature].values
        for branch, samples in enumerate(self.grower.distribute(list(self.samples), split)):
            here = tuple(row for row in self.search if split.branch_of(values[row] or 0) == branch)
            yield Place(self.lattice, self.grower, tuple(samples), here, self.depth + 1, self.node.label)

    def error(self, subset: Subset) -> int:
        """The errors below this place of the tree of a subset."""
        for split in self.ranking:
            if self.lattice.unit_of[split.feature] in subset:
                return sum(child.error(subset) for child in self.children(split))
        return self.leaf_error


def sides(lattice: Lattice, included: Subset = NOTHING, excluded: Subset = NOTHING) -> Iterator[tuple[Subset, Subset]]:
    """The leaves (included, excluded) of a search by include/exclude.

    A node is open if its first feature that is not excluded is undecided: such a feature is included on one side and
    excluded on the other, until no node is open. Then the tree is the same for all subsets of the side.
    """
    undecided = open_unit(lattice, included, excluded)
    if undecided is None:
        yield included, excluded
    else:
        yield from sides(lattice, included | {undecided}, excluded)
        yield from sides(lattice, included, excluded | {undecided})


def open_unit(lattice: Lattice, included: Subset, excluded: Subset) -> int | None:
    """An undecided unit that the tree of every subset with it would split on."""
    everything = frozenset(lattice.units)
    for tree in lattice.trees(everything - excluded):
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if node.split is not None:
                unit = lattice.unit_of[node.split.feature]
                if unit not in included:
                    return unit
                waiting.extend(node.children)
    return None


def roots(lattice: Lattice) -> list[Place]:
    return [
        Place(
            lattice,
            grower,
            tuple(grower.samples),
            tuple(row for row in fold.search if lattice.weights[row] > 0),
        )
        for grower, fold in zip(lattice.growers, lattice.folds, strict=True)
    ]


def base_bound(place: Place) -> int:
    """B1: rows that are equal on all features share a leaf, whose label is a class of the building samples here.

    So of each group of equal rows, all but the weight of one class that is present must err.
    """
    if not place.samples:
        return place.leaf_error
    groups: dict[object, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in place.search:
        groups[place.lattice.rows[row]][place.lattice.labels[row]] += place.lattice.weights[row]
    present = [label for label, weight in enumerate(place.node.class_weights) if weight > 0]
    return sum(
        sum(weight_of.values()) - max(weight_of.get(label, 0) for label in present) for weight_of in groups.values()
    )


def look_ahead(place: Place, included: Subset, excluded: Subset, depth: int) -> int:
    """B2: no subset that holds `included` and nothing of `excluded` errs less below this place.

    Such a subset splits on the first ranked feature that it holds: one of the window, which ends with the first
    included feature, or none. Choosing one includes its unit and excludes those before. The children are bounded
    one by one: the minimum of a sum is not less than the sum of the minima.
    """
    if depth == 0:
        return base_bound(place)
    best = None
    passed = excluded
    for split in place.ranking:
        unit = place.lattice.unit_of[split.feature]
        if unit in passed:
            continue
        bound = sum(look_ahead(child, included | {unit}, passed, depth - 1) for child in place.children(split))
        best = bound if best is None else min(best, bound)
        if unit in included:
            return best
        passed |= {unit}
    return place.leaf_error if best is None else min(best, place.leaf_error)


def twin_errors(place: Place, excluded: Subset) -> int:
    """B5: rows that are equal on all features but the excluded ones share a leaf, whichever of the others are chosen.

    So of each group of such rows, all but the weight of one class must err.
    """
    columns = place.lattice.columns
    asked = [feature for feature in range(len(columns)) if place.lattice.unit_of[feature] not in excluded]
    groups: dict[object, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in place.search:
        values = tuple(columns[feature].values[row] for feature in asked)
        groups[values][place.lattice.labels[row]] += place.lattice.weights[row]
    return sum(sum(weight_of.values()) - max(weight_of.values()) for weight_of in groups.values())

"""Sequential searches through the feature subsets the slow and obvious way: every tree of every step is grown.

Errors are integers in fixed point, as in lattice.py. Ties: of removals the lowest unit goes, of additions the lowest
comes; a beam compares the ascending tuples of the units left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracles.c45 import Node, Value
from oracles.lattice import NOTHING, Lattice, Subset


@dataclass(frozen=True)
class Step:
    """One step: what went or came, and the subset after it with the error and the used units of its trees."""

    removed: int | None
    added: int | None
    units: tuple[int, ...]
    size: int
    error: int
    used: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """The answer and the way to it."""

    units: tuple[int, ...]
    error: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class SequentialSearch:
    """The terms of a search, and a method for each strategy."""

    lattice: Lattice
    keep: Subset = NOTHING
    max_features: int | None = None
    min_features: int = 0
    accept_ties: bool = True
    beam_width: int = 1
    unused_together: bool = False

    @property
    def most(self) -> int:
        return len(self.lattice.columns) if self.max_features is None else self.max_features

    def error(self, units: Subset) -> int:
        return self.lattice.point(units).error

    def step(self, units: Subset, *, removed: int | None = None, added: int | None = None) -> Step:
        return Step(
            removed,
            added,
            tuple(sorted(units)),
            self.lattice.size(units),
            self.error(units),
            tuple(sorted(used_where_it_matters(self.lattice, units))),
        )

    def removable(self, units: Subset) -> list[int]:
        return [unit for unit in sorted(units - self.keep) if self.lattice.size(units - {unit}) >= self.min_features]

    def addable(self, units: Subset) -> list[int]:
        others = [unit for unit in self.lattice.units if unit not in units]
        return [unit for unit in others if self.lattice.size(units | {unit}) <= self.most]

    def is_accepted(self, error: int, before: int, forced: bool) -> bool:
        return forced or error < before or (self.accept_ties and error == before)

    def backward(self) -> Outcome:
        return self.backward_used_first() if self.unused_together else self.backward_one_by_one()

    def backward_one_by_one(self) -> Outcome:
        units = frozenset(self.lattice.units)
        steps = [self.step(units)]
        while candidates := self.removable(units):
            removed = min(candidates, key=lambda unit: (self.error(units - {unit}), unit))
            forced = self.lattice.size(units) > self.most
            if not self.is_accepted(self.error(units - {removed}), self.error(units), forced):
                break
            units -= {removed}
            steps.append(self.step(units, removed=removed))
        return Outcome(steps[-1].units, steps[-1].error, tuple(steps))

    def backward_used_first(self) -> Outcome:
        """Used units go first; when none of them may go, all unused ones leave at once."""
        units = frozenset(self.lattice.units)
        steps = [self.step(units)]
        while True:
            used = used_where_it_matters(self.lattice, units)
            candidates = [unit for unit in self.removable(units) if unit in used]
            removed = min(candidates, key=lambda unit: (self.error(units - {unit}), unit), default=None)
            forced = self.lattice.size(units) > self.most
            n_steps = len(steps)
            if removed is not None and self.is_accepted(self.error(units - {removed}), self.error(units), False):
                units -= {removed}
                steps.append(self.step(units, removed=removed))
                continue
            for unit in sorted(units - used):
                if unit in self.removable(units) and (self.accept_ties or self.lattice.size(units) > self.most):
                    units -= {unit}
                    steps.append(self.step(units, removed=unit))
            if len(steps) == n_steps and forced and removed is not None:
                units -= {removed}
                steps.append(self.step(units, removed=removed))
            if len(steps) == n_steps:
                return Outcome(steps[-1].units, steps[-1].error, tuple(steps))

    def beam(self) -> Outcome:
        everything = frozenset(self.lattice.units)
        beam = [everything]
        steps = [self.step(everything)]
        while True:
            parents: dict[Subset, tuple[int, int]] = {}
            for number, units in enumerate(beam):
                for unit in self.removable(units):
                    parents.setdefault(units - {unit}, (number, unit))
            level = sorted(parents, key=lambda units: (self.error(units), sorted(everything - units)))
            forced = self.lattice.size(beam[0]) > self.most
            if not level or not self.is_accepted(self.error(level[0]), self.error(beam[0]), forced):
                break
            beam = level[: self.beam_width]
            steps.append(self.step(beam[0], removed=parents[beam[0]][1]))
        return Outcome(steps[-1].units, steps[-1].error, tuple(steps))

    def forward(self, *, floating: bool = False) -> Outcome:
        units = self.keep
        steps = [self.step(units)]
        while candidates := self.addable(units):
            added = min(candidates, key=lambda unit: (self.error(units | {unit}), unit))
            forced = self.lattice.size(units) < self.min_features
            if not self.is_accepted(self.error(units | {added}), self.error(units), forced):
                break
            units |= {added}
            steps.append(self.step(units, added=added))
            while floating and (candidates := self.removable(units)):
                removed = min(candidates, key=lambda unit: (self.error(units - {unit}), unit))
                if not self.is_new_best(units - {removed}, steps):
                    break
                units -= {removed}
                steps.append(self.step(units, removed=removed))
        return self.best_of(steps)

    def floating_forward(self) -> Outcome:
        return self.forward(floating=True)

    def floating_backward(self) -> Outcome:
        units = frozenset(self.lattice.units)
        steps = [self.step(units)]
        while candidates := self.removable(units):
            removed = min(candidates, key=lambda unit: (self.error(units - {unit}), unit))
            forced = self.lattice.size(units) > self.most
            if not self.is_accepted(self.error(units - {removed}), self.error(units), forced):
                break
            units -= {removed}
            steps.append(self.step(units, removed=removed))
            while others := [unit for unit in self.lattice.units if unit not in units]:
                added = min(others, key=lambda unit: (self.error(units | {unit}), unit))
                if not self.is_new_best(units | {added}, steps):
                    break
                units |= {added}
                steps.append(self.step(units, added=added))
        return self.best_of(steps)

    def is_new_best(self, units: Subset, steps: Sequence[Step]) -> bool:
        """Whether a subset errs less than all of the path that have as many units."""
        return all(self.error(units) < step.error for step in steps if len(step.units) == len(units))

    def best_of(self, steps: Sequence[Step]) -> Outcome:
        """Of the subsets within the limits (of all if none is), the least error, then the fewest features."""
        within = [step for step in steps if self.min_features <= step.size <= self.most]
        best = min(within or steps, key=lambda step: (step.error, step.size))
        return Outcome(best.units, best.error, tuple(steps))


def used_where_it_matters(lattice: Lattice, units: Subset) -> Subset:
    """The units that a search sample meets in parts, or whole where some building sample has its class."""
    return frozenset(
        lattice.unit_of[feature]
        for tree, fold in zip(lattice.trees(units), lattice.folds, strict=True)
        for row in set(fold.search)
        if lattice.weights[row] > 0
        for feature in features_met(tree, lattice.rows[row], lattice.labels[row])
    )


def features_met(node: Node, row: Sequence[Value], label: int, *, whole: bool = True) -> Iterator[int]:
    if node.split is None or (whole and node.class_weights[label] == 0):
        return
    yield node.split.feature
    value = row[node.split.feature]
    if value is not None:
        yield from features_met(node.branches[node.split.branch_of(value)], row, label, whole=whole)
        return
    for child in node.branches:
        yield from features_met(child, row, label, whole=False)

"""Elimination by a function of the tree: forward, backward, floating and beam search that grow what they judge.

Nothing is known of the function, so this is the black box. Only one thing is saved: a subset grows the tree of a larger
one if it lacks nothing but features that this tree does not use (Lemma 6 of Ruggieri 2019), and that is judged once.
The core walks the same way (`sequential.py`) where errors are counted on samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from palmette.search.by_function import value_of
from palmette.search.path import EliminationOutcome, Stride
from palmette.search.progress import EliminationWatch
from palmette.search.task import SearchTask

__all__ = ["Rules", "walk_by_function"]

Subset: TypeAlias = frozenset[int]


@dataclass(frozen=True, slots=True)
class Rules:
    """How a walk goes on and when it ends."""

    strategy: str
    accept_ties: bool
    max_features: int | None
    min_features: int
    beam_width: int
    unused_together: bool = False


class OutOfTime(Exception):
    """The budget is spent in the midst of a step."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A subset of units with the value of its tree and the units that it uses."""

    units: Subset
    value: float
    used: Subset


@dataclass(slots=True)
class Judge:
    """Grows trees and asks the function for their values, once for each set of units that a tree uses."""

    task: SearchTask
    function: Callable[[Any], Any]
    n_trees: int = 0
    _known: dict[Subset, Judged] = field(default_factory=dict)
    _unit_of: dict[int, int] = field(default_factory=dict)

    def __call__(self, units: Subset) -> Judged:
        """The value of a subset, whatever time is left."""
        if units not in self._known:
            if not self._unit_of:
                members = self.task.units.members
                self._unit_of.update({feature: unit for unit, some in enumerate(members) for feature in some})
            features = self.task.units.features(units)
            classifier = self.task.grow(features)
            used = frozenset(self._unit_of[feature] for feature in classifier.tree_.used)
            self.n_trees += 1
            # The tree of what it uses is the same tree.
            alike = self._known.get(used)
            value = value_of(self.function, classifier, self.task.named(features)) if alike is None else alike.value
            self._known[units] = self._known[used] = Judged(units, value, used)
        found = self._known[units]
        return Judged(units, found.value, found.used)


class Walk:
    """A walk from subset to subset, step by step; `strides` tells where it has been."""

    def __init__(self, judge: Judge, rules: Rules, start: Subset, watch: EliminationWatch) -> None:
        self.judge = judge
        self.rules = rules
        self.watch = watch
        self.at = judge(start)
        self.best = self.at
        self.kept = frozenset(judge.task.units.kept)
        self.all = frozenset(range(len(judge.task.units.members)))
        self.strides: list[Stride] = []
        self._seen_trees = 0
        self.record(self.at, self.at)

    def size(self, units: Subset) -> int:
        """The number of features."""
        return sum(len(self.judge.task.units.members[unit]) for unit in units)

    def record(self, before: Judged, after: Judged) -> None:
        features = self.judge.task.units.features
        n_features = self.size(after.units)
        self.strides.append(
            Stride(
                features(before.units - after.units),
                features(after.units - before.units),
                after.value,
                n_features,
                self.judge.n_trees - self._seen_trees,
                self.watch.seconds,
            )
        )
        self._seen_trees = self.judge.n_trees
        self.at = after
        if self._rank(after) < self._rank(self.best):
            self.best = after
        self.tell()

    def tell(self) -> None:
        # As if every unit were to be decided in a step; most walks end earlier.
        share = min(len(self.strides) / (len(self.all - self.kept) + 1), 1.0)
        self.watch.tell(share, self.judge.n_trees, self.best.value, float("-inf"), self.size(self.best.units))

    def neighbours(self, at: Judged, units: Iterable[int], *, remove: bool) -> Iterator[Judged]:
        """The subsets with one unit less, or one more."""
        for unit in units:
            if remove and unit not in at.used:
                yield Judged(at.units - {unit}, at.value, at.used)
                continue
            if self.watch.out_of_time():
                raise OutOfTime
            yield self.judge(at.units - {unit} if remove else at.units | {unit})
            self.tell()

    def _rank(self, judged: Judged) -> tuple[bool, float, int]:
        """The order of answers: of the allowed sizes the least value, then the fewest features, then the first met."""
        size, most = self.size(judged.units), self.rules.max_features
        outside = (most is not None and size > most) or size < self.rules.min_features
        return outside, judged.value, size

    def best_neighbour(self, *, remove: bool, limited: bool = True) -> Judged | None:
        """The best subset one unit away within the limits; the lowest unit on ties."""
        if remove:
            units = self.removable(self.at.units)
        else:
            units = self.addable(self.at.units) if limited else sorted(self.all - self.at.units)
        return min(self.neighbours(self.at, units, remove=remove), key=lambda one: one.value, default=None)

    def removable(self, units: Subset) -> list[int]:
        members, room = self.judge.task.units.members, self.size(units) - self.rules.min_features
        return [unit for unit in sorted(units - self.kept) if len(members[unit]) <= room]

    def addable(self, units: Subset) -> list[int]:
        members, most = self.judge.task.units.members, self.rules.max_features
        size = self.size(units)
        return [unit for unit in sorted(self.all - units) if most is None or size + len(members[unit]) <= most]

    def accepts(self, now: float, then: float, *, forced: bool) -> bool:
        return forced or (then <= now if self.rules.accept_ties else then < now)

    def forced(self, *, remove: bool) -> bool:
        """Whether the size is outside the limits, so that even a worse step is taken."""
        size, most = self.size(self.at.units), self.rules.max_features
        return most is not None and size > most if remove else size < self.rules.min_features

    def plain(self, *, remove: bool) -> None:
        """Sequential backward elimination, or forward selection."""
        while (found := self.best_neighbour(remove=remove)) is not None:
            if not self.accepts(self.at.value, found.value, forced=self.forced(remove=remove)):
                return
            self.record(self.at, found)

    def used_first(self) -> None:
        """Backward elimination of what the tree uses; when none of that may go, all else goes at once."""
        while True:
            removable = self.removable(self.at.units)
            used = [unit for unit in removable if unit in self.at.used]
            found = min(self.neighbours(self.at, used, remove=True), key=lambda one: one.value, default=None)
            if found is not None and self.accepts(self.at.value, found.value, forced=False):
                self.record(self.at, found)
                continue
            n_strides = len(self.strides)
            for unit in sorted(set(removable) - self.at.used):
                forced = self.forced(remove=True)
                if unit in self.removable(self.at.units) and self.accepts(self.at.value, self.at.value, forced=forced):
                    self.record(self.at, Judged(self.at.units - {unit}, self.at.value, self.at.used))
            if len(self.strides) == n_strides:
                if found is None or not self.forced(remove=True):
                    return
                self.record(self.at, found)

    def floating(self, *, remove: bool) -> None:
        """After each step, steps back as long as they beat the best known subset of their size (Pudil 1994)."""
        least = {len(self.at.units): self.at.value}

        def go(found: Judged) -> None:
            self.record(self.at, found)
            n_units = len(found.units)
            least[n_units] = min(found.value, least.get(n_units, found.value))

        while (found := self.best_neighbour(remove=remove)) is not None:
            if not self.accepts(self.at.value, found.value, forced=self.forced(remove=remove)):
                return
            go(found)
            # What is put back may exceed `max_features`: it has to leave again.
            while (back := self.best_neighbour(remove=not remove, limited=False)) is not None:
                if back.value >= least.get(len(back.units), float("inf")):
                    break
                go(back)

    def beam(self) -> None:
        """Backward elimination that goes on from the best few subsets of each level."""
        level = [self.at]
        while True:
            children: dict[Subset, Judged] = {}
            for parent in level:
                for child in self.neighbours(parent, self.removable(parent.units), remove=True):
                    children.setdefault(child.units, child)
            ranked = sorted(children.values(), key=lambda one: (one.value, sorted(self.all - one.units)))
            if not ranked:
                return
            if not self.accepts(level[0].value, ranked[0].value, forced=self.forced(remove=True)):
                return
            level = ranked[: self.rules.beam_width]
            self.record(self.at, level[0])


def walk_by_function(
    task: SearchTask, function: Callable[[Any], Any], rules: Rules, watch: EliminationWatch
) -> EliminationOutcome:
    """The answer of a walk, and its history; one that is stopped answers with the best so far, at least its start."""
    judge = Judge(task, function)
    forward = rules.strategy in ("forward", "floating_forward")
    start = frozenset(task.units.kept if forward else range(len(task.units.members)))
    walk = Walk(judge, rules, start, watch)
    status = "complete"
    try:
        if rules.unused_together:
            walk.used_first()
        elif rules.strategy in ("backward", "forward"):
            walk.plain(remove=not forward)
        elif rules.strategy == "beam":
            walk.beam()
        else:
            walk.floating(remove=not forward)
    except OutOfTime:
        status = watch.stopped_by
    except KeyboardInterrupt:
        status = "interrupted"
    features = task.units.features
    return EliminationOutcome(
        features=features(walk.best.units),
        error=walk.best.value,
        status=status,
        n_trees=judge.n_trees,
        seconds=watch.seconds,
        start=features(start),
        strides=tuple(walk.strides),
    )

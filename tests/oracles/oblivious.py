"""Decision tables and FOCUS the slow and obvious way: every sample is compared with every other, every subset is tried.

A row is a tuple of values, None where missing; a missing value is alike with a missing value only. Weights are exact in
binary, so sums of floats are exact too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from typing import Any

Row = Sequence[Any]


def distance(a: Row, b: Row, features: Sequence[int]) -> int:
    """On how many of the features two rows differ."""
    return sum(a[feature] != b[feature] for feature in features)


@dataclass(frozen=True)
class Table:
    """Samples, and what the nearest of them say."""

    rows: Sequence[Row]
    labels: Sequence[int]
    weights: Sequence[float]
    n_classes: int

    @property
    def weighty(self) -> list[int]:
        return [sample for sample, weight in enumerate(self.weights) if weight > 0]

    def votes(self, row: Row, features: Sequence[int], voters: Sequence[int]) -> list[float]:
        """The class weights of all voters at the smallest distance."""
        nearest = min(distance(row, self.rows[voter], features) for voter in voters)
        votes = [0.0] * self.n_classes
        for voter in voters:
            if distance(row, self.rows[voter], features) == nearest:
                votes[self.labels[voter]] += self.weights[voter]
        return votes

    def error(self, features: Sequence[int], folds: Sequence[int] | None) -> float:
        """The weight of the errors in leave-one-out, or where the samples of the same fold are left out together."""
        errors = 0.0
        for sample in self.weighty:
            if folds is None:
                others = [other for other in self.weighty if other != sample]
            else:
                others = [other for other in self.weighty if folds[other] != folds[sample]]
            votes = self.votes(self.rows[sample], features, others)
            if votes.index(max(votes)) != self.labels[sample]:
                errors += self.weights[sample]
        return errors

    def eliminate(
        self,
        folds: Sequence[int] | None = None,
        units: Sequence[Sequence[int]] | None = None,
        keep: Sequence[int] = (),
        min_features: int = 0,
        redrawn: Callable[[int], Sequence[int]] | None = None,
    ) -> Iterator[tuple[int | None, float, tuple[int, ...]]]:
        """The steps of OBLIVION: the unit that goes, the error after it, and the features that are left.

        `redrawn` gives the folds after so many steps, where they are drawn anew.
        """
        members = [(feature,) for feature in range(len(self.rows[0]))] if units is None else units

        def features_of(some: Sequence[int]) -> tuple[int, ...]:
            return tuple(sorted(feature for unit in some for feature in members[unit]))

        present = list(range(len(members)))
        error = self.error(features_of(present), folds)
        yield None, error, features_of(present)
        for n_steps in count():
            if redrawn is not None:
                folds = redrawn(n_steps)
                error = self.error(features_of(present), folds)
            candidates = []
            for unit in present:
                left = features_of([other for other in present if other != unit])
                if unit not in keep and len(left) >= min_features:
                    candidates.append((self.error(left, folds), unit))
            if not candidates or min(candidates)[0] > error:
                return
            error, removed = min(candidates)
            present.remove(removed)
            yield removed, error, features_of(present)

    def is_consistent(self, features: Sequence[int]) -> bool:
        """Whether samples of different classes differ on some of the features, unless they are alike on all."""
        everything = range(len(self.rows[0]))
        return all(
            self.labels[a] == self.labels[b]
            or distance(self.rows[a], self.rows[b], features) > 0
            or distance(self.rows[a], self.rows[b], everything) == 0
            for a, b in combinations(self.weighty, 2)
        )

    def focus(self, keep: Sequence[int] = ()) -> tuple[int, ...]:
        """The smallest consistent set, the first of its size."""
        n_features = len(self.rows[0])
        for size in range(n_features + 1):
            for features in combinations(range(n_features), size):
                if set(keep) <= set(features) and self.is_consistent(features):
                    return features
        raise AssertionError("all features together are consistent")

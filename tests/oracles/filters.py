"""Symmetric uncertainty, CFS and FCBF by their plain formulas, recomputed whenever they are asked for.

Entropies are in the fixed point of c45.py and an uncertainty is rounded to 2^-31, so that a tie is a tie. A discrete
column is a code for each sample, None where missing; the samples' weights are integers of 2^-bits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from oracles.c45 import Grower, round_half_away, weighted_log
from oracles.discretization import mdl_cuts

ONE = 2**31
Code = int | None


def share(weight: int, part: int, whole: int) -> int:
    """weight · part / whole, rounded."""
    return (weight * part + whole // 2) // whole


def contingency(first: Sequence[Code], second: Sequence[Code], weights: Sequence[int]) -> dict[tuple[int, int], int]:
    """The weight of each pair of values, missing ones spread in proportion to the frequencies."""
    pairs: defaultdict[tuple[Code, Code], int] = defaultdict(int)
    for one, other, weight in zip(first, second, weights, strict=True):
        pairs[one, other] += weight
    of_first: defaultdict[int, int] = defaultdict(int)
    of_second: defaultdict[int, int] = defaultdict(int)
    for (one, other), weight in pairs.items():
        if one is not None:
            of_first[one] += weight
        if other is not None:
            of_second[other] += weight
    known = sum(weight for (one, other), weight in pairs.items() if one is not None and other is not None)
    spread: dict[tuple[int, int], int] = {}
    for one in of_first:
        for other in of_second:
            weight = pairs.get((one, other), 0)
            weight += share(pairs.get((None, other), 0), of_first[one], sum(of_first.values()))
            weight += share(pairs.get((one, None), 0), of_second[other], sum(of_second.values()))
            if known:
                weight += share(pairs.get((None, None), 0), pairs.get((one, other), 0), known)
            spread[one, other] = weight
    return spread


def symmetric_uncertainty(first: Sequence[Code], second: Sequence[Code], weights: Sequence[int], bits: int) -> int:
    """2 (H(a) + H(b) − H(a, b)) / (H(a) + H(b)) in units of 2^-31; mutual information below 1e-9 bits is none."""
    table = contingency(first, second, weights)
    of_first: defaultdict[int, int] = defaultdict(int)
    of_second: defaultdict[int, int] = defaultdict(int)
    for (one, other), weight in table.items():
        of_first[one] += weight
        of_second[other] += weight
    total = sum(table.values())

    def entropy(parts: Sequence[int]) -> int:
        return weighted_log(total, bits) - sum(weighted_log(part, bits) for part in parts)

    both = entropy(list(of_first.values())) + entropy(list(of_second.values()))
    shared = both - entropy(list(table.values()))
    if both <= 0 or shared <= 1e-9 * total:
        return 0
    return round_half_away(min(2.0 * shared / both, 1.0) * ONE)


@dataclass(frozen=True)
class Cfs:
    """What CFS selects: first by the search, then as locally predictive."""

    by_search: list[int]
    added: list[int]
    merit: float
    expanded: list[list[int]]


class Filters:
    """The filters of one problem."""

    def __init__(self, grower: Grower) -> None:
        self.bits = grower.bits
        self.weights = [weight for _, weight in grower.samples]
        self.rows = [row for row, _ in grower.samples]
        self.grower = grower
        self.columns = [self.discrete(feature) for feature in range(len(grower.columns))]
        self.classes: list[Code] = [grower.labels[row] for row in self.rows]

    def discrete(self, feature: int) -> list[Code]:
        column = self.grower.columns[feature]
        values = [column.values[row] for row in self.rows]
        if column.n_categories is not None:
            return [None if value is None else int(value) for value in values]
        samples = [
            (float(value), self.grower.labels[row], weight)
            for value, row, weight in zip(values, self.rows, self.weights, strict=True)
            if value is not None
        ]
        points = [cut.point for cut in mdl_cuts(samples, self.bits, "values")]
        return [None if value is None else sum(value > point for point in points) for value in values]

    def between(self, first: int, second: int) -> int:
        """The order matters where missing values are spread: sharing out rounds."""
        low, high = sorted((first, second))
        return symmetric_uncertainty(self.columns[low], self.columns[high], self.weights, self.bits)

    @cached_property
    def matrix(self) -> list[list[int]]:
        features = range(len(self.columns))
        return [[self.between(one, other) if one != other else ONE for other in features] for one in features]

    @cached_property
    def with_class(self) -> list[int]:
        return [symmetric_uncertainty(column, self.classes, self.weights, self.bits) for column in self.columns]

    @property
    def relevant(self) -> list[int]:
        return [feature for feature, shared in enumerate(self.with_class) if shared > 0]

    def best_first(self, features: list[int]) -> list[int]:
        """The features by what they tell of the class, the lowest index of equals first."""
        return sorted(features, key=lambda feature: (-self.with_class[feature], feature))

    def fcbf(self, threshold: float = 0.0) -> tuple[list[int], dict[int, int]]:
        """The selected features, best first, and what removed the redundant ones."""
        selected: list[int] = []
        removed_by: dict[int, int] = {}
        for feature in self.best_first([one for one in self.relevant if self.with_class[one] / ONE > threshold]):
            remover = next((one for one in selected if self.matrix[one][feature] >= self.with_class[feature]), None)
            if remover is None:
                selected.append(feature)
            else:
                removed_by[feature] = remover
        return selected, removed_by

    def merit(self, subset: Sequence[int]) -> float:
        """k·r_cf / √(k + k(k − 1)·r_ff)."""
        if not subset:
            return 0.0
        relevance = sum(self.with_class[feature] for feature in subset)
        redundancy = sum(self.matrix[one][other] for one in subset for other in subset)
        return relevance / math.sqrt(float(redundancy) * ONE)

    def cfs(self, max_stale: int = 5, *, locally_predictive: bool = True) -> Cfs:
        waiting: list[tuple[float, int, list[int]]] = [(0.0, -1, [])]
        expanded: list[list[int]] = []
        best: list[int] = []
        best_merit, stale, number = 0.0, 0, 0
        while waiting and stale < max_stale:
            waiting.sort(key=lambda entry: (-entry[0], entry[1]))
            _, _, subset = waiting.pop(0)
            if sorted(subset) in [sorted(other) for other in expanded]:
                continue
            expanded.append(subset)
            improved = False
            for feature in self.relevant:
                if feature in subset:
                    continue
                merit = self.merit([*subset, feature])
                waiting.append((merit, number, [*subset, feature]))
                number += 1
                if merit - best_merit > 1e-5:
                    best, best_merit, improved = [*subset, feature], merit, True
            stale = 0 if improved else stale + 1
        added: list[int] = []
        if locally_predictive:
            for feature in self.best_first([one for one in self.relevant if one not in best]):
                if all(self.matrix[one][feature] <= self.with_class[feature] for one in best + added):
                    added.append(feature)
        return Cfs(best, added, best_merit, expanded)

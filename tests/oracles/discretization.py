"""Fayyad and Irani's discretisation, slowly and obviously: every cut between two distinct values is tried.

Weights and entropies are in the fixed point of c45.py, so that a tie is a tie. A sample is (value, class, weight).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from oracles.c45 import weighted_log

Sample = tuple[float, int, int]


@dataclass(frozen=True)
class Cut:
    """A cut between two neighbouring values, and weight × entropy of its two sides together."""

    lower: float
    upper: float
    bits: int

    @property
    def point(self) -> float:
        """Half way, or the lower value where rounding would reach the upper one."""
        middle = (self.lower + self.upper) / 2
        return middle if middle < self.upper else self.lower


def entropy_bits(samples: Sequence[Sample], bits: int) -> int:
    """Weight × class entropy, in fixed point."""
    of_class = class_weights(samples)
    return weighted_log(sum(of_class.values()), bits) - sum(weighted_log(weight, bits) for weight in of_class.values())


def class_weights(samples: Sequence[Sample]) -> Counter[int]:
    of_class: Counter[int] = Counter()
    for _, label, weight in samples:
        of_class[label] += weight
    return of_class


def sides(samples: Sequence[Sample], cut: Cut) -> tuple[list[Sample], list[Sample]]:
    return (
        [sample for sample in samples if sample[0] <= cut.lower],
        [sample for sample in samples if sample[0] >= cut.upper],
    )


def all_cuts(samples: Sequence[Sample], bits: int) -> list[Cut]:
    """Every cut between two distinct values, from the lowest on."""
    cuts = []
    for lower, upper in pairwise(sorted({value for value, _, _ in samples})):
        below, above = sides(samples, Cut(lower, upper, 0))
        cuts.append(Cut(lower, upper, entropy_bits(below, bits) + entropy_bits(above, bits)))
    return cuts


def is_boundary(samples: Sequence[Sample], cut: Cut) -> bool:
    """Whether the two values beside the cut hold samples of different classes (Definition 2)."""
    beside = {label for value, label, _ in samples if value in (cut.lower, cut.upper)}
    return len(beside) > 1


def is_worth_its_bits(samples: Sequence[Sample], cut: Cut, n_cuts: int, bits: int, cost: str) -> bool:
    """The MDL criterion: Gain > log2(N − 1)/N + Δ/N, multiplied by N; N below 2 counts as 2.

    With the cost "values", the number of cuts that there are takes the place of N − 1.
    """

    def classes_times_entropy(part: Sequence[Sample]) -> float:
        of_class = class_weights(part)
        return len(of_class) * (entropy_bits(part, bits) / sum(of_class.values()))

    below, above = sides(samples, cut)
    of_class = class_weights(samples)
    n = sum(of_class.values()) / 2**bits
    gain = (entropy_bits(samples, bits) - cut.bits) / 2**bits
    delta = math.log2(3 ** len(of_class) - 2) - (
        classes_times_entropy(samples) - classes_times_entropy(below) - classes_times_entropy(above)
    )
    return gain > math.log2(n_cuts if cost == "values" else max(n - 1, 1)) + delta


def mdl_cuts(samples: Sequence[Sample], bits: int, cost: str = "samples") -> list[Cut]:
    """The accepted cuts of the samples, from the lowest to the highest."""
    cuts = all_cuts(samples, bits)
    if not cuts:
        return []
    best = min(cuts, key=lambda cut: cut.bits)
    if best.bits >= entropy_bits(samples, bits) or not is_worth_its_bits(samples, best, len(cuts), bits, cost):
        return []
    below, above = sides(samples, best)
    return [*mdl_cuts(below, bits, cost), best, *mdl_cuts(above, bits, cost)]

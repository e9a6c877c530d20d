"""Which differences between strategies count: paired t-tests, the marks of the papers' tables, and the wins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

__all__ = ["ALPHA", "BEST", "STAR", "corrected_t_test", "marks", "paired_t_test"]

ALPHA = 0.05
BEST = "best"
STAR = "star"


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of a two-sided paired t-test; 1 where nothing differs, NaN for fewer than two pairs.

    >>> round(paired_t_test([0.10, 0.12, 0.11], [0.14, 0.15, 0.16]), 3)
    0.02
    """
    return _p_value(first, second, 0.0)


def corrected_t_test(first: Sequence[float], second: Sequence[float], test_to_training: float) -> float:
    """The same for errors of resampled folds, which share training samples (Nadeau and Bengio 2003).

    The variance of the mean of n differences is taken as (1/n + test_to_training) times that of one, where
    `test_to_training` is the number of test samples over that of training samples: 1/9 for ten folds.

    >>> round(corrected_t_test([0.10, 0.12, 0.11], [0.14, 0.15, 0.16], 1 / 2), 3)
    0.048
    """
    return _p_value(first, second, test_to_training)


def _p_value(first: Sequence[float], second: Sequence[float], test_to_training: float) -> float:
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n_pairs = len(differences)
    if n_pairs < 2:
        return math.nan
    mean, variance = float(differences.mean()), float(differences.var(ddof=1))
    # A mean of equal numbers may miss them by a rounding, so that a variance of nothing is seldom 0.
    if variance <= (1e-12 * max(1.0, abs(mean))) ** 2:
        return 1.0 if abs(mean) < 1e-12 else 0.0
    if test_to_training == 0:
        return float(stats.ttest_rel(first, second).pvalue)
    statistic = mean / math.sqrt((1 / n_pairs + test_to_training) * variance)
    return float(2 * stats.t.sf(abs(statistic), n_pairs - 1))


def marks(
    values: Mapping[str, Mapping[object, float]], *, highest: bool = False, test_to_training: float = 0.0
) -> dict[str, str | None]:
    """The mark of each strategy: "best" for the best mean, "star" where it does not differ from the best at 95 %.

    All that have the best mean are "best".

    `values` has, for each strategy, a number for each triple that it finished. Only strategies with at least half as
    many as the fullest compete. Tests are over the triples that both have.

    >>> marks({"tree": {0: 0.10, 1: 0.20}, "forest": {0: 0.05, 1: 0.14}, "leaf": {0: 0.5, 1: 0.6}})
    {'tree': 'star', 'forest': 'best', 'leaf': None}
    """
    fullest = max((len(numbers) for numbers in values.values()), default=0)
    competing = [name for name, numbers in values.items() if numbers and 2 * len(numbers) >= fullest]
    given: dict[str, str | None] = dict.fromkeys(values)
    if not competing:
        return given
    sign = -1 if highest else 1
    means = {name: sign * float(np.mean(list(values[name].values()))) for name in competing}
    best = min(competing, key=means.__getitem__)
    for name in competing:
        # Equal errors in another order may sum to a mean that is off by a rounding.
        if math.isclose(means[name], means[best], rel_tol=1e-12, abs_tol=1e-12):
            given[name] = BEST
            continue
        common = [place for place in values[best] if place in values[name]]
        if len(common) < 2:
            continue
        first, second = ([values[one][place] for place in common] for one in (best, name))
        p_value = corrected_t_test(first, second, test_to_training)
        if not p_value < ALPHA:
            given[name] = STAR
    return given

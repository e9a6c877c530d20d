"""The measures of stability, slow and obvious: as their papers write them, pair by pair and feature by feature."""

from __future__ import annotations

from itertools import combinations
from math import sqrt


def correlation(first: list[int], second: list[int]) -> float:
    """The sample correlation of two masks; where one is constant, 1 if they are equal, else 0."""
    n = len(first)
    mean_first, mean_second = sum(first) / n, sum(second) / n
    covariance = sum((a - mean_first) * (b - mean_second) for a, b in zip(first, second, strict=True))
    spread_first = sum((a - mean_first) ** 2 for a in first)
    spread_second = sum((b - mean_second) ** 2 for b in second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 1.0 if first == second else 0.0
    return covariance / sqrt(spread_first * spread_second)


def mean_correlation(masks: list[list[int]]) -> float:
    """Φ̂_Pearson of Nogueira and Brown (2016): the mean over all pairs of sets."""
    pairs = list(combinations(masks, 2))
    return sum(correlation(first, second) for first, second in pairs) / len(pairs)


def jackknife_variance(masks: list[list[int]]) -> float:
    """The variance of `mean_correlation`, from what it is without each of the sets."""
    n = len(masks)
    without = [mean_correlation(masks[:left_out] + masks[left_out + 1 :]) for left_out in range(n)]
    mean = sum(without) / n
    return (n - 1) / n * sum((value - mean) ** 2 for value in without)


def frequency_measure(masks: list[list[int]]) -> float:
    """Φ̂ of Nogueira, Sechidis and Brown (2018, Definition 4)."""
    n_sets, n_features = len(masks), len(masks[0])
    variances = []
    for feature in range(n_features):
        share = sum(mask[feature] for mask in masks) / n_sets
        variances.append(n_sets / (n_sets - 1) * share * (1 - share))
    mean_size = sum(map(sum, masks)) / n_sets
    if mean_size in (0, n_features):
        return 1.0
    return 1 - (sum(variances) / n_features) / (mean_size / n_features * (1 - mean_size / n_features))


def frequency_variance(masks: list[list[int]]) -> float:
    """The variance of `frequency_measure` (2018, Theorem 7), set by set."""
    n_sets, n_features = len(masks), len(masks[0])
    shares = [sum(mask[feature] for mask in masks) / n_sets for feature in range(n_features)]
    density = sum(map(sum, masks)) / n_sets / n_features
    if density in (0, 1):
        return 0.0
    measure = frequency_measure(masks)
    terms = []
    for mask in masks:
        size = sum(mask)
        agreement = sum(chosen * share for chosen, share in zip(mask, shares, strict=True)) / n_features
        correction = measure / 2 * (2 * size * density / n_features - size / n_features - density + 1)
        terms.append((agreement - size * density / n_features + correction) / (density * (1 - density)))
    mean = sum(terms) / n_sets
    return 4 / n_sets**2 * sum((term - mean) ** 2 for term in terms)

"""How much the sets of features that were found on different samples agree: `stability_score`.

Two measures. Pearson: the mean correlation between the masks of two sets, over all pairs (Nogueira and Brown 2016), the
one of Ruggieri (2019, Table 4). Frequency: one minus the variance of the choices over that of random ones (Nogueira,
Sechidis and Brown, JMLR 18, 2018). They agree where all sets have the same size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.support.parameters import check_choice, check_number

__all__ = ["StabilityScore", "pairwise_correlations", "stability_score"]

MEASURES = ("pearson", "frequency")


@dataclass(frozen=True, slots=True)
class StabilityScore:
    """The stability of a collection of feature sets; `float()` gives its value.

    Parameters
    ----------
    value : float
        1 where all sets are the same, about 0 where they agree no more than random sets of these sizes.
    low, high : float
        The ends of the confidence interval; NaN for two sets, from which "pearson" cannot tell one.
    confidence : float
        Its confidence.
    sd : float
        The standard deviation over the pairs of sets, as the tables of Ruggieri (2019) print it; NaN for "frequency".
    frequencies : tuple of float
        For each feature the share of the sets that hold it.
    n_sets : int
    mean_size : float
        The mean number of features in a set.
    measure : {"pearson", "frequency"}
    """

    value: float
    low: float
    high: float
    confidence: float
    sd: float
    frequencies: tuple[float, ...]
    n_sets: int
    mean_size: float
    measure: str

    @property
    def n_features(self) -> int:
        return len(self.frequencies)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        sets = f"{self.n_sets} sets of {self.mean_size:.4g} of {self.n_features} features on average"
        if self.value == 1.0:
            which = {0.0: "are all empty", float(self.n_features): "all hold every feature"}
            return (
                f"1: the {sets} {which.get(self.mean_size, 'are all the same')}; that tells nothing of other samples."
            )
        interval = f" ({self.confidence:.0%} interval {self.low:.3f} to {self.high:.3f})"
        return f"{self.value:.3f}{'' if self.low != self.low else interval}, {sets}"


def stability_score(masks: Any, *, measure: str = "pearson", confidence: float = 0.95) -> StabilityScore:
    """How much feature sets agree that were selected on different samples, with a confidence interval.

    Parameters
    ----------
    masks : array of bool, shape (n_sets, n_features)
        Row i tells which features set i holds. Also fitted selectors: those with `get_support`.
    measure : {"pearson", "frequency"}, default="pearson"
        "pearson": the mean correlation of two masks over all pairs of sets (Nogueira and Brown 2016). Where a set is
        empty or full, no correlation is defined: it counts 1 with an equal set, else 0. "frequency": one
        minus the variance of the choices of features over that of random choices (Nogueira, Sechidis and Brown 2018).
    confidence : float, default=0.95

    Returns
    -------
    StabilityScore
        The interval is normal, and holds for many independent samples. Its variance is that of a mean over pairs,
        estimated from the mean of each set with all others (the jackknife); for "frequency" it is the
        estimate of the 2018 paper. Folds of a cross-validation share samples, so that the true uncertainty is larger.

    Examples
    --------
    >>> from palmette import stability_score
    >>> score = stability_score([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(score.value, 3)
    0.333
    >>> [round(share, 2) for share in score.frequencies]
    [1.0, 0.67, 0.33, 0.0]
    """
    check_choice("measure", measure, MEASURES)
    check_number("confidence", confidence, 0, 1, low_excluded=True, high_excluded=True)
    chosen = _read_masks(masks)
    n_sets = len(chosen)
    frequencies = chosen.mean(axis=0)
    sd = math.nan
    if measure == "pearson":
        correlations = pairwise_correlations(chosen)
        pairs = correlations[np.triu_indices(n_sets, 1)]
        value = float(pairs.mean())
        sd = float(pairs.std(ddof=1)) if n_sets > 2 else math.nan
        variance = _variance_of_pair_mean(correlations)
    else:
        value, variance = _frequency_measure(chosen)
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(variance)
    return StabilityScore(
        value,
        float(np.clip(value - half, -1.0, 1.0)),
        float(np.clip(value + half, -1.0, 1.0)),
        float(confidence),
        sd,
        tuple(frequencies.tolist()),
        n_sets,
        float(chosen.sum(axis=1).mean()),
        measure,
    )


def _read_masks(masks: Any) -> NDArray[np.bool_]:
    if isinstance(masks, Iterable) and not hasattr(masks, "shape"):
        masks = [item.get_support() if hasattr(item, "get_support") else item for item in masks]
    try:
        chosen = np.asarray(masks)
    except ValueError:
        raise ValueError("The masks have different lengths. Pass a value for each feature in every mask.") from None
    if chosen.ndim != 2 or chosen.dtype.kind not in "biuf" or not np.isin(chosen, (0, 1)).all():
        raise ValueError(
            "`masks` must hold a row of True and False for each set, with a value for each feature; "
            f"it has shape {chosen.shape} and type {chosen.dtype}."
        )
    if len(chosen) < 2:
        raise ValueError(
            f"Stability needs at least two sets, but `masks` holds {len(chosen)}. Select on several samples, such as "
            "the folds of a cross-validation."
        )
    if chosen.shape[1] == 0:
        raise ValueError("The masks are of no feature at all. Pass a value for each feature.")
    return chosen.astype(bool)


def pairwise_correlations(masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The correlation of every mask with every other; 1 or 0 where one is constant, as they are equal or not."""
    n_features = masks.shape[1]
    # Counts are whole numbers: the same pair has the same correlation, whatever stands beside it.
    numbers = masks.astype(np.float64)
    sizes = numbers.sum(axis=1)
    shared = numbers @ numbers.T
    covariance = n_features * shared - np.outer(sizes, sizes)
    spread = sizes * (n_features - sizes)
    scale = np.sqrt(np.outer(spread, spread))
    correlations: NDArray[np.float64] = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    equal = (shared == sizes[:, None]) & (shared == sizes[None, :])
    correlations[equal] = 1.0
    return np.clip(correlations, -1.0, 1.0)


def _variance_of_pair_mean(correlations: NDArray[np.float64]) -> float:
    """The jackknife variance of the mean over pairs: what the mean does when a set is left out."""
    n_sets = len(correlations)
    if n_sets < 3:
        return math.nan
    total = (correlations.sum() - n_sets) / 2
    without = (total - (correlations.sum(axis=1) - 1)) / ((n_sets - 1) * (n_sets - 2) / 2)
    return float((n_sets - 1) / n_sets * ((without - without.mean()) ** 2).sum())


def _frequency_measure(chosen: NDArray[np.bool_]) -> tuple[float, float]:
    """The measure of Nogueira, Sechidis and Brown (2018, Definition 4) and its variance (Theorem 7)."""
    n_sets, n_features = chosen.shape
    shares = chosen.mean(axis=0)
    sizes = chosen.sum(axis=1)
    density = sizes.mean() / n_features
    random_variance = density * (1 - density)
    if random_variance == 0:
        return 1.0, 0.0
    variance_of_choices = n_sets / (n_sets - 1) * (shares * (1 - shares)).mean()
    value = 1 - variance_of_choices / random_variance
    of_set = (
        (chosen * shares).mean(axis=1)
        - sizes * density / n_features
        + value / 2 * (2 * density * sizes / n_features - sizes / n_features - density + 1)
    ) / random_variance
    return float(value), float(4 / n_sets**2 * ((of_set - of_set.mean()) ** 2).sum())

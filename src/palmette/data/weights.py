"""The door for sample weights: numbers that are finite, not negative, and not all zero.

`labels.py` is the door for labels, `reading.py` for tables.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.data.arrays import as_array
from palmette.data.frames import as_series
from palmette.support.messages import user_stack_level

__all__ = ["LARGEST_TOTAL_WEIGHT", "SMALLEST_WEIGHT", "read_weights", "warn_of_light_weights"]

LARGEST_TOTAL_WEIGHT = 2.0**40
"""The core counts weights in fixed point; above this total too few bits are left for fractions."""

SMALLEST_WEIGHT = 2.0**-33
"""The core rounds weights to multiples of 2^-32; what is below half of that counts as zero."""

FINEST_UNITS = 2.0**57
"""So many units make up the total at most: beside very large weights, small ones are rounded more coarsely."""

LIGHT_TOTAL, LIGHT_MEAN = 4.0, 0.1
"""Weights below both are likely to be shares of 1; a tree that takes them for samples has next to none."""


def read_weights(sample_weight: object, n_rows: int) -> NDArray[np.float64] | None:
    """Read sample weights: one number for each row, one number for all, or None.

    >>> read_weights([1, 0, 2.5], 3)
    array([1. , 0. , 2.5])
    """
    if sample_weight is None:
        return None
    weights = _as_floats(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    _check_shape(weights, n_rows)
    _check_values(weights)
    return weights


def warn_of_light_weights(weights: NDArray[np.float64] | None) -> None:
    """Warn where so little weight is left that hardly any split can be found; for methods that count it as samples."""
    if weights is None:
        return
    total, n_counted = float(weights.sum()), int(np.count_nonzero(weights))
    if total < LIGHT_TOTAL and total < LIGHT_MEAN * n_counted:
        warnings.warn(
            f"The sample weights add up to {total:.3g} over {n_counted:,} samples. A weight counts as that many "
            "samples, in `min_samples` as in tests of significance, so there is next to nothing to split. Multiply "
            f"all weights by the same factor: by {n_counted / total:.4g} for a mean of 1.",
            UserWarning,
            stacklevel=user_stack_level(),
        )
    unit = max(2 * SMALLEST_WEIGHT, 2.0 ** math.ceil(math.log2(max(total, 1.0))) / FINEST_UNITS)
    n_lost = int(np.count_nonzero((weights > 0) & (weights < unit / 2)))
    if 2 * n_lost > n_counted:
        warnings.warn(
            f"{n_lost:,} of {n_counted:,} sample weights count as 0: beside a total of {total:.3g}, weights below "
            f"{unit / 2:.2g} are rounded away. Bring the weights nearer together.",
            UserWarning,
            stacklevel=user_stack_level(),
        )


def _as_floats(sample_weight: Any) -> NDArray[np.float64]:
    series = as_series(sample_weight)
    array = as_array(sample_weight) if series is None else series.to_numpy()
    try:
        if array.dtype.kind not in "biufO":
            raise TypeError(f"they are of type {array.dtype}")
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Sample weights must be numbers, but {error}. Pass a number for each row, or None for 1 each."
        ) from error


def _check_shape(weights: NDArray[np.float64], n_rows: int) -> None:
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array (shape={weights.shape}). "
            f"Expected either a scalar value or a 1D array of length {n_rows}."
        )
    if weights.size != n_rows:
        raise ValueError(
            f"X has {n_rows} rows, but `sample_weight` has {weights.size} values. Pass one weight for each row of X."
        )


def _check_values(weights: NDArray[np.float64]) -> None:
    for what, wrong, advice in (
        ("NaN", np.isnan(weights), "A sample that shall not count has weight 0."),
        ("infinity", np.isinf(weights), "Pass finite weights."),
        ("negative values", weights < 0, "Weights count samples: pass 0 or more."),
    ):
        rows = np.flatnonzero(wrong)
        if rows.size:
            raise ValueError(
                f"Input sample_weight contains {what}: {rows.size} of {weights.size} weights, first "
                f"{weights[rows[0]]} in row {rows[0]}. {advice}"
            )
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number; all of them are 0.")
    if weights.max() < SMALLEST_WEIGHT:
        raise ValueError(
            f"The largest sample weight is {weights.max()}; weights below {SMALLEST_WEIGHT} (2^-33) count as "
            "0. Multiply all weights by the same factor, so that they are near 1."
        )
    total = float(weights.sum())
    if total > LARGEST_TOTAL_WEIGHT:
        raise ValueError(
            f"The sample weights add up to {total}, more than {LARGEST_TOTAL_WEIGHT:.0f} (2^40). "
            "Divide all weights by the same factor."
        )

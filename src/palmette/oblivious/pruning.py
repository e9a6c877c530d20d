"""What the core prunes by, and what it comes back with: folds, and a path in place of the steps of the core.

`classifier.py` is the estimator; `search/path.py` holds the path.
"""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette import _core
from palmette.search.path import EliminationOutcome, Stride
from palmette.search.units import Units
from palmette.support.messages import did_you_mean
from palmette.support.parameters import InvalidParameterError, check_flag

__all__ = ["Work", "read_cv", "read_redraw_folds", "refuse_too_many", "walked"]

MOST_FEATURES = 65_000
"""The core keeps a distance, a number of features, in two bytes."""


class Work(NamedTuple):
    """What is pruned, as `EliminationWatch` needs to know it."""

    units: Units
    total: float

    def rate(self, weight: float) -> float:
        """A weight of errors as a share of the weight of all samples; NaN where it was not counted."""
        return weight / self.total if weight >= 0 else float("nan")


def refuse_too_many(n_features: int) -> None:
    """Raise where distances would not fit."""
    if n_features > MOST_FEATURES:
        raise ValueError(
            f"X has {n_features} features, but the pruning of a table takes at most {MOST_FEATURES}. Filter features "
            "first, for example with scikit-learn's SelectKBest."
        )


def read_cv(
    cv: object, labels: NDArray[np.int32], weights: NDArray[np.float64] | None, generator: np.random.RandomState
) -> list[int]:
    """The fold of each row, none for leave-one-out: the samples of each class are dealt out in a random order."""
    if isinstance(cv, str) and cv == "loo":
        return []
    rows = np.arange(len(labels)) if weights is None else np.flatnonzero(weights > 0)
    if isinstance(cv, bool) or not isinstance(cv, Integral) or not 2 <= int(cv) <= len(rows):
        hint = did_you_mean(cv, ["loo"]) if isinstance(cv, str) else ""
        raise InvalidParameterError(
            f'`cv` must be "loo" or a number of folds from 2 to {len(rows)} (the samples), but is {cv!r}.{hint}'
        )
    shuffled = generator.permutation(rows)
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.zeros(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(rows)) % int(cv)
    dealt: list[int] = folds.tolist()
    return dealt


def read_redraw_folds(redraw_folds: object, cv: object) -> bool:
    """Whether every step draws its own folds; raises where there are none."""
    check_flag("redraw_folds", redraw_folds)
    if redraw_folds and cv == "loo":
        raise InvalidParameterError(
            '`redraw_folds` needs folds, but `cv` is "loo". Set `cv` to a number of folds, such as 2.'
        )
    return bool(redraw_folds)


def walked(result: _core.EliminationResult, work: Work, seconds: float) -> EliminationOutcome:
    """The result of the core with features in place of units, errors as rates."""
    units = work.units
    return EliminationOutcome(
        features=units.features(result.units),
        error=work.rate(result.error),
        status=result.status,
        n_trees=result.n_trees,
        seconds=seconds,
        start=units.features(range(len(units.members))),
        strides=tuple(
            Stride(
                units.features([step.removed] if step.removed >= 0 else []),
                (),
                work.rate(step.error),
                step.size,
                step.trees_built,
                step.seconds,
            )
            for step in result.steps
        ),
    )

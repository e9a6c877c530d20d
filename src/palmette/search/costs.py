"""What each feature is worth to the best tree: the least error with it, and without it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette import _core
from palmette.search.history import frame_of
from palmette.search.progress import SearchEffortWarning, Watch, what_ended
from palmette.search.task import read_task
from palmette.support.budget import budget_of
from palmette.tree.classifier import C45Classifier

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["FeatureCosts", "feature_costs"]


@dataclass(frozen=True, eq=False)
class FeatureCosts:
    """For every feature the least error over the subsets that hold it, and over those that do not.

    Parameters
    ----------
    features : tuple of str or of int
    error_with : array
        Least errors with the feature, as rates over the search weight; infinite where no subset holds it.
    error_without : array
        Least errors without it; infinite for a feature that is kept.
    status : {"optimal", "time_limit", "interrupted", "memory_limit"}
        Whether all numbers are proved; if not, they are the best found.
    """

    features: tuple[str, ...] | tuple[int, ...]
    error_with: NDArray[np.float64]
    error_without: NDArray[np.float64]
    status: str

    @property
    def cost(self) -> NDArray[np.float64]:
        """What it costs to do without the feature: positive if every best subset needs it, negative if it harms."""
        return self.error_without - self.error_with

    def frame(self) -> DataFrame:
        """A pandas frame: feature, error with it, error without it, cost; the most needed first."""
        frame = frame_of(
            {
                "feature": list(self.features),
                "error_with": self.error_with,
                "error_without": self.error_without,
                "cost": self.cost,
            }
        )
        return frame.sort_values("cost", ascending=False, kind="stable", ignore_index=True)


def feature_costs(
    X: Any,
    y: Any,
    *,
    tree: C45Classifier | None = None,
    sample_weight: Any = None,
    error: Any = "holdout",
    search_size: float = 0.3,
    n_folds: int = 10,
    keep: Any = None,
    groups: Any = None,
    max_features: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> FeatureCosts:
    """Find, for every feature, the least error of the subsets with it and of those without it.

    This tells what a permutation or an importance cannot: whether another feature could take its place.

    Parameters
    ----------
    X : table
    y : labels, one for each row
    tree, sample_weight, search_size, n_folds, keep, groups, max_features, memory_limit, n_jobs, random_state
        As in `BestSubsetSelector`. The features of a group share their numbers.
    error : {"holdout", "training", "cross_validation"} or list of pairs, default="holdout"
        As in `BestSubsetSelector`, without callables.
    time_limit : float or None
        Seconds after which the best found so far is returned, with a `SearchEffortWarning`; see `status`. So it is on
        Ctrl-C, and where `memory_limit` is too small.

    Returns
    -------
    FeatureCosts

    Examples
    --------
    >>> from palmette import feature_costs
    >>> X = [[0, 0, 5], [0, 1, 6], [1, 0, 5], [1, 1, 6]] * 4
    >>> y = ["no", "no", "no", "yes"] * 4
    >>> feature_costs(X, y, error="training").cost.tolist()
    [0.25, 0.0, 0.0]
    """
    budget = budget_of(time_limit)
    task = read_task(
        X,
        y,
        sample_weight,
        tree=tree,
        error=error,
        search_size=search_size,
        n_folds=n_folds,
        keep=keep,
        groups=groups,
        max_features=max_features,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    watch = Watch(task, budget, message="searching with and without each feature", time_limit=time_limit)
    (error_with, error_without), stopped_by = _core.feature_costs(
        task.core, task.settings(), budget, watch.report_share
    )
    if stopped_by is not None:
        warnings.warn(
            f"{what_ended(stopped_by)} ended the search: the errors are the best found so far, and none of the costs "
            "is proved.",
            SearchEffortWarning,
            stacklevel=2,
        )
    unit_of = task.units.unit_of
    n_features = len(unit_of)
    return FeatureCosts(
        features=task.named(range(n_features)),
        error_with=np.array(error_with, dtype=np.float64)[unit_of] / task.search_weight,
        error_without=np.array(error_without, dtype=np.float64)[unit_of] / task.search_weight,
        status=stopped_by or "optimal",
    )

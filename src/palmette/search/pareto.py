"""The best error for every number of features: what one more feature is worth."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from palmette import _core
from palmette.search.distinct import DistinctTree, distinct_tree
from palmette.search.history import frame_of
from palmette.search.progress import SearchEffortWarning, Watch, what_ended
from palmette.search.task import read_task
from palmette.support.budget import budget_of
from palmette.tree.classifier import C45Classifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["ParetoFront", "pareto_front"]


@dataclass(frozen=True)
class ParetoFront(Sequence[DistinctTree]):
    """Subsets of rising size and falling error: no subset is better in both than one of them.

    Parameters
    ----------
    subsets : tuple of DistinctTree
        The answer itself behaves like this tuple.
    status : {"optimal", "time_limit", "interrupted", "memory_limit"}
        Whether the front is proved; if not, these are the best found.
    """

    subsets: tuple[DistinctTree, ...]
    status: str

    def __len__(self) -> int:
        return len(self.subsets)

    @overload
    def __getitem__(self, place: int) -> DistinctTree: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[DistinctTree, ...]: ...
    def __getitem__(self, place: int | slice) -> DistinctTree | tuple[DistinctTree, ...]:
        return self.subsets[place]

    def __iter__(self) -> Iterator[DistinctTree]:
        return iter(self.subsets)

    def frame(self) -> DataFrame:
        """A pandas frame: number of features, error, features."""
        return frame_of(
            {
                "n_features": [len(subset.features) for subset in self],
                "error": [subset.error for subset in self],
                "features": [subset.features for subset in self],
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error over the number of features, with matplotlib."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("A plot needs matplotlib: install it with pip install 'palmette[plot]'.") from None
        axes: Any = plt.subplots(figsize=(7, 4))[1] if ax is None else ax
        sizes = [len(subset.features) for subset in self]
        axes.step(sizes, [subset.error for subset in self], where="post", marker="o", color="#c0392b")
        axes.set_xlabel("number of features")
        axes.set_ylabel("search error")
        axes.set_ylim(bottom=0)
        if len(sizes) == 1:
            # Room for the whole numbers beside it: around one point an axis would count fractions of a feature.
            axes.set_xlim(max(sizes[0] - 1.5, -0.5), sizes[0] + 1.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.spines[["top", "right"]].set_visible(False)
        drawn: Axes = axes
        return drawn


def pareto_front(
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
) -> ParetoFront:
    """Find the best subset of every size that is worth its features.

    A size is in the front if its least error is smaller than that of every smaller size. Of subsets with equal size and
    error the one with the lowest feature indices is shown.

    Parameters
    ----------
    X : table
    y : labels, one for each row
    tree, sample_weight, search_size, n_folds, keep, groups, max_features, memory_limit, n_jobs, random_state
        As in `BestSubsetSelector`.
    error : {"holdout", "training", "cross_validation"} or list of pairs, default="holdout"
        As in `BestSubsetSelector`, without callables.
    time_limit : float or None
        Seconds after which the best found so far is returned, with a `SearchEffortWarning`; see `status`. So it is on
        Ctrl-C, and where `memory_limit` is too small.

    Returns
    -------
    ParetoFront

    Examples
    --------
    >>> from palmette import pareto_front
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 4
    >>> y = ["no", "no", "no", "yes"] * 4
    >>> [(subset.features, subset.error) for subset in pareto_front(X, y, error="training")]
    [((), 0.25), ((0, 1), 0.0)]
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
    watch = Watch(task, budget, message="searching the front", time_limit=time_limit)
    found, stopped_by = _core.pareto_front(task.core, task.settings(), budget, watch.report_share)
    if stopped_by is not None:
        warnings.warn(
            f"{what_ended(stopped_by)} ended the search: the front is the best found so far, and no size is proved.",
            SearchEffortWarning,
            stacklevel=2,
        )
    return ParetoFront(tuple(distinct_tree(task, subset) for subset in found), stopped_by or "optimal")

"""All subsets whose error is near the best: how many they are, and the best of them, each with its tree."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from palmette import _core
from palmette.search.distinct import DistinctTree, distinct_tree
from palmette.search.history import frame_of
from palmette.search.outcome import PROVED
from palmette.search.progress import SearchEffortWarning, Watch
from palmette.search.task import SearchTask, read_task
from palmette.support.budget import budget_of
from palmette.support.parameters import check_number
from palmette.tree.classifier import C45Classifier

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["AcceptableSubsets", "acceptable_subsets"]

TREES_AT_ONCE = 1024


@dataclass(frozen=True)
class AcceptableSubsets(Sequence[DistinctTree]):
    """The subsets within a gap of the best error, sorted by (error, number of features, feature indices).

    Parameters
    ----------
    subsets : tuple of DistinctTree
        The answer itself behaves like this tuple.
    best_error : float
        The least error of all subsets, a rate over the search weight.
    error_gap : float
        The gap that was asked for.
    n_trees : int
        How many distinct trees are within the gap, listed or not.
    n_subsets : int
        How many subsets of the features grow them.
    truncated : bool
        Whether `limit` left some of them out.
    status : {"complete", "time_limit", "interrupted", "memory_limit"}
        Whether all were found. If not, the numbers count those that were, and the best error may not be the least.
    """

    subsets: tuple[DistinctTree, ...]
    best_error: float
    error_gap: float
    n_trees: int
    n_subsets: int
    truncated: bool
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

    def __repr__(self) -> str:
        trees = "1 tree" if self.n_trees == 1 else f"{self.n_trees:,} trees"
        found = f"{trees} of {self.n_subsets:,} subsets, within {self.error_gap:g} of the error"
        shown = f", the first {len(self)} listed" if self.truncated else ""
        return f"AcceptableSubsets: {found} {self.best_error:.4g}{shown}"

    def frame(self) -> DataFrame:
        """A pandas frame: error, number of features, number of subsets, features."""
        return frame_of(
            {
                "error": [subset.error for subset in self],
                "n_features": [len(subset.features) for subset in self],
                "n_subsets": [subset.n_subsets for subset in self],
                "features": [subset.features for subset in self],
            }
        )


def acceptable_subsets(
    X: Any,
    y: Any,
    *,
    error_gap: float = 0.0,
    limit: int = 1000,
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
) -> AcceptableSubsets:
    """Find all subsets whose error is within a gap of the least one.

    Parameters
    ----------
    X : table
    y : labels, one for each row
    error_gap : float, default=0.0
        How much more than the least error is acceptable, a rate. 0: all subsets that are as good as the best.
    limit : int, default=1000
        How many are listed, the best first; the rest is only counted, with a warning.
    tree, sample_weight, search_size, n_folds, keep, groups, max_features, memory_limit, n_jobs, random_state
        As in `BestSubsetSelector`.
    error : {"holdout", "training", "cross_validation"} or list of pairs, default="holdout"
        As in `BestSubsetSelector`, without callables.
    time_limit : float or None
        Seconds after which what was found so far is returned; see `status`.

    Returns
    -------
    AcceptableSubsets

    Examples
    --------
    >>> from palmette import acceptable_subsets
    >>> X = [[0, 0, 1], [0, 0, 1], [1, 1, 1], [1, 1, 1]] * 2
    >>> y = ["no", "no", "yes", "yes"] * 2
    >>> found = acceptable_subsets(X, y, error="training")
    >>> [subset.features for subset in found], found.n_subsets
    ([(0,), (1,)], 6)
    """
    check_number("error_gap", error_gap, 0, 1)
    check_number("limit", limit, 1, integer=True)
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
    watch = Watch(task, budget, message="searching the best subset", time_limit=time_limit)
    best = _core.find_best_subset(task.core, task.settings(smallest=False), budget, watch.report)
    most = best.error + float(error_gap) * task.search_weight
    listed, n_trees, n_subsets, stopped_by = _collect(task, budget, watch, most, int(limit))
    status = best.status if best.status not in PROVED else stopped_by or "complete"
    if status != "complete" and all(found.units != best.units for found in listed):
        # The walk did not come as far as the subset that set the gap.
        known = task.core.describe(best.units)
        listed = sorted([*listed, known], key=task.order)[: int(limit)]
        n_trees += 1
        n_subsets += task.n_subsets_of(known)
    if n_trees > len(listed):
        warnings.warn(
            f"{n_trees:,} trees are within the gap, and `limit` lists the best {len(listed):,} of them. Raise `limit`, "
            "or narrow `error_gap`.",
            UserWarning,
            stacklevel=2,
        )
    if status != "complete":
        warnings.warn(
            f"The search ended early ({status}) with {n_trees:,} acceptable trees; there may be more, and better ones.",
            SearchEffortWarning,
            stacklevel=2,
        )
    return AcceptableSubsets(
        subsets=tuple(distinct_tree(task, found) for found in listed),
        best_error=task.rate(min((found.error for found in listed), default=best.error)),
        error_gap=float(error_gap),
        n_trees=n_trees,
        n_subsets=n_subsets,
        truncated=n_trees > len(listed),
        status=status,
    )


def _collect(
    task: SearchTask, budget: _core.Budget, watch: Watch, most: float, limit: int
) -> tuple[list[_core.FoundSubset], int, int, str | None]:
    """The best few, the numbers of all, and why these are not all; memory is for a few times `limit` only."""
    kept: list[_core.FoundSubset] = []
    n_trees, n_subsets = 0, 0
    enumerator = _core.TreeEnumerator(task.core, task.settings(), most)
    stopped_by = None
    while not enumerator.finished and stopped_by is None:
        batch = enumerator.next(TREES_AT_ONCE, budget)
        n_trees += len(batch)
        n_subsets += sum(map(task.n_subsets_of, batch))
        kept += batch
        if len(kept) > limit + 8 * TREES_AT_ONCE:
            kept = sorted(kept, key=task.order)[:limit]
        stopped_by = "time_limit" if watch.out_of_time() else enumerator.stopped_by(budget)
    return sorted(kept, key=task.order)[:limit], n_trees, n_subsets, None if enumerator.finished else stopped_by

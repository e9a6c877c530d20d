"""The distinct trees of a table: each of them once, however many subsets of features grow it.

`enumerate_distinct_trees` walks through them, `count_distinct_trees` only counts. `DistinctTree` is also what
`acceptable.py` and `pareto.py` answer with.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from palmette import _core
from palmette.search.progress import SearchEffortWarning, Watch, duration, what_ended
from palmette.search.task import SearchTask, read_task
from palmette.support.budget import budget_of
from palmette.support.parameters import check_flag
from palmette.tree.classifier import C45Classifier
from palmette.tree.model import Tree

__all__ = ["DistinctTree", "count_distinct_trees", "enumerate_distinct_trees"]

TREES_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class DistinctTree:
    """A subset of features that a tree needs, and the tree, which is grown when it is asked for.

    Parameters
    ----------
    features : tuple of str or of int
        The features that the tree uses, with what was to be kept: names if X had names, else indices.
    error : float or None
        Its error as a rate over the search weight; None if no error was asked for.
    n_subsets : int
        How many of the subsets in question give this very tree.

    Attributes
    ----------
    tree : Tree
        Grown on all samples with these features; pruned if the `tree` parameter asked for it.
    estimator : C45Classifier
        The classifier of it; takes all columns of X.
    """

    features: tuple[str, ...] | tuple[int, ...]
    error: float | None
    n_subsets: int
    _grow: Callable[[], C45Classifier] = field(repr=False)

    @cached_property
    def estimator(self) -> C45Classifier:
        return self._grow()

    @property
    def tree(self) -> Tree:
        return self.estimator.tree_

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DistinctTree):
            return NotImplemented
        return (self.features, self.error, self.n_subsets) == (other.features, other.error, other.n_subsets)

    def __hash__(self) -> int:
        return hash((self.features, self.error, self.n_subsets))

    def __reduce__(self) -> tuple[Any, ...]:
        # The data stay behind: what travels is the grown tree.
        return _with_estimator, (self.features, self.error, self.n_subsets, self.estimator)


def _with_estimator(
    features: tuple[str, ...] | tuple[int, ...], error: float | None, n_subsets: int, estimator: C45Classifier
) -> DistinctTree:
    return DistinctTree(features, error, n_subsets, lambda: estimator)


def distinct_tree(task: SearchTask, found: _core.FoundSubset, *, judged: bool = True) -> DistinctTree:
    """What the core found, as the user knows it."""
    features = task.units.features(found.units)
    error = task.rate(found.error) if judged else None
    return DistinctTree(task.named(features), error, task.n_subsets_of(found), lambda: task.grow(features))


def enumerate_distinct_trees(
    X: Any,
    y: Any,
    *,
    tree: C45Classifier | None = None,
    sample_weight: Any = None,
    error: Any = None,
    search_size: float = 0.3,
    n_folds: int = 10,
    keep: Any = None,
    groups: Any = None,
    max_features: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Iterator[DistinctTree]:
    """Walk through all distinct trees that subsets of the features grow (DTdistinct of Ruggieri 2019).

    There are 2^N subsets of N features, but far fewer trees: a feature that a tree does not use makes no difference to
    it. The numbers `n_subsets` add up to the number of subsets that `keep`, `groups` and `max_features` allow.

    Parameters
    ----------
    X : table
    y : labels, one for each row
    tree : C45Classifier or None
        How trees are grown; None for `C45Classifier()`.
    sample_weight : numbers, one for each row, or None
    error : None, {"holdout", "training", "cross_validation"} or list of pairs, default=None
        None: the trees of the whole table, without an error. Otherwise as in `BestSubsetSelector`: the trees of the
        building set (with several folds: the tuples of trees, one a fold) and their errors on the search set.
    search_size, n_folds, random_state
        The split that `error` asks for, as in `BestSubsetSelector`.
    keep, groups, max_features
        Which subsets count, as in `BestSubsetSelector`.
    time_limit : float or None
        Seconds from the call after which the walk ends, with a `SearchEffortWarning`.
    memory_limit, n_jobs
        As in `BestSubsetSelector`.

    Returns
    -------
    iterator of DistinctTree

    Examples
    --------
    >>> from palmette import enumerate_distinct_trees
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]] * 2
    >>> y = ["no", "no", "yes", "yes"] * 2
    >>> for found in sorted(enumerate_distinct_trees(X, y), key=lambda found: found.features):
    ...     print(found.features, found.n_subsets, found.tree.n_leaves)
    () 4 1
    (0,) 4 2
    """
    task = _read(
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
    budget = budget_of(time_limit)
    watch = Watch(task, budget, message="walking through distinct trees", time_limit=time_limit)
    return _walk(task, budget, watch, judged=error is not None)


def _read(X: Any, y: Any, sample_weight: Any, *, error: Any, **words: Any) -> SearchTask:
    return read_task(X, y, sample_weight, error="training" if error is None else error, **words)


def _walk(task: SearchTask, budget: _core.Budget, watch: Watch, *, judged: bool) -> Iterator[DistinctTree]:
    n_trees = 0
    enumerator = _core.TreeEnumerator(task.core, task.settings(), None)
    stopped_by = None
    while not enumerator.finished and stopped_by is None:
        for subset in enumerator.next(TREES_AT_ONCE, budget):
            n_trees += 1
            yield distinct_tree(task, subset, judged=judged)
        stopped_by = "time_limit" if watch.out_of_time() else enumerator.stopped_by(budget)
        if stopped_by == "interrupted":
            raise KeyboardInterrupt  # in the middle of somebody's loop, which is to end
    if not enumerator.finished:
        warnings.warn(
            f"{what_ended(str(stopped_by))} ended the enumeration after {n_trees:,} trees; there are more.",
            SearchEffortWarning,
            stacklevel=2,
        )


def count_distinct_trees(
    X: Any,
    y: Any,
    *,
    by_size: bool = False,
    tree: C45Classifier | None = None,
    sample_weight: Any = None,
    error: Any = None,
    search_size: float = 0.3,
    n_folds: int = 10,
    keep: Any = None,
    groups: Any = None,
    max_features: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> int | dict[int, int]:
    """Count the distinct trees that subsets of the features grow.

    Parameters
    ----------
    X : table
    y : labels, one for each row
    by_size : bool, default=False
        Count by the number of features that the trees use (with those of `keep`).
    tree, sample_weight, error, search_size, n_folds, keep, groups, max_features, memory_limit, n_jobs, random_state
        As in `enumerate_distinct_trees`.
    time_limit : float or None
        Seconds after which the count so far is returned, with a `SearchEffortWarning`. So it is on Ctrl-C, and where
        `memory_limit` is too small.

    Returns
    -------
    int, or dict from number of features to int

    Examples
    --------
    >>> from palmette import count_distinct_trees
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]] * 2
    >>> y = ["no", "no", "yes", "yes"] * 2
    >>> count_distinct_trees(X, y), count_distinct_trees(X, y, by_size=True)
    (2, {0: 1, 1: 1})
    """
    check_flag("by_size", by_size)
    budget = budget_of(time_limit)
    task = _read(
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
    watch = Watch(task, budget, message="counting distinct trees", time_limit=time_limit)
    counts, stopped_by = _core.count_distinct_trees(task.core, task.settings(), budget, None, watch.report_share)
    sizes: dict[int, int] = {}
    for (size, _), number in sorted(counts.items()):
        sizes[size] = sizes.get(size, 0) + int(number)
    if stopped_by is not None:
        warnings.warn(
            f"{what_ended(stopped_by)} ended the count after {sum(sizes.values()):,} trees and "
            f"{duration(watch.seconds)}; there are more.",
            SearchEffortWarning,
            stacklevel=2,
        )
    return sizes if by_size else sum(sizes.values())

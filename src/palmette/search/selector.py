"""What all selectors that search with trees share: the course of a fit.

`data/selection.py` picks the columns, `tree/predicting.py` predicts; `best_subset.py` makes the complete search of it,
`elimination.py` the sequential ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from palmette import _core
from palmette.data.selection import FrameSelector
from palmette.search.guidance import HeldOutError, held_out_error
from palmette.search.outcome import Answer
from palmette.search.task import SearchTask, read_task
from palmette.support.budget import budget_of
from palmette.support.parameters import InvalidParameterError
from palmette.tree.model import Tree
from palmette.tree.predicting import PredictsByTree

__all__ = ["SubsetSelector"]


class SubsetSelector(FrameSelector, PredictsByTree, ClassifierMixin, BaseEstimator):
    """Base of the selectors: a mask of features, and a classifier grown with them."""

    tree: Any
    error: Any
    search_size: float
    n_folds: int
    keep: Any
    groups: Any
    max_features: int | None
    time_limit: float | None
    memory_limit: int | str | None
    callback: Callable[..., Any] | None
    n_jobs: int | None
    random_state: Any

    error_: float
    search_tree_: Tree | list[Tree]
    folds_: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]]
    n_trees_: int
    search_seconds_: float
    status_: str
    n_features_in_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the features, and grow the final tree with them.

        Ctrl-C ends the search as a time limit does: with the best subset so far, and `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            They count in growing and in the error. Samples of weight 0 are left out before the split.

        Returns
        -------
        self
        """
        self._check_parameters()
        if self.callback is not None and not callable(self.callback):
            raise InvalidParameterError(f"`callback` must be a function or None, but is {self.callback!r}.")
        budget = budget_of(self.time_limit)
        self._forget_results()
        task = self._read_task(X, y, sample_weight)
        self._remember_table(task)
        self._search(task, budget)
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise where a parameter of this selector alone is wrong."""

    @abstractmethod
    def _search(self, task: SearchTask, budget: _core.Budget) -> None:
        """Search, and set the results with `_set_answer` among others."""

    def _read_task(self, X: Any, y: Any, sample_weight: Any, *, complete: bool = True) -> SearchTask:
        return read_task(
            X,
            y,
            sample_weight,
            tree=self.tree,
            error="training" if callable(self.error) else self.error,
            search_size=self.search_size,
            n_folds=self.n_folds,
            keep=self.keep,
            groups=self.groups,
            max_features=self.max_features,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            complete=complete,
        )

    def _set_answer(self, task: SearchTask, answer: Answer) -> None:
        """Set the results that every search has, and grow the trees of the answer."""
        self.estimator_ = task.grow(answer.features)
        self.support_ = task.mask(answer.features)
        self.error_ = answer.error
        self.n_trees_ = answer.n_trees
        self.search_seconds_ = answer.seconds
        self.folds_ = [(fold.building, fold.search) for fold in task.folds]
        if callable(self.error):
            self.search_tree_ = self.estimator_.tree_
        else:
            trees = [task.grow_building_tree(fold, answer.features) for fold in task.folds]
            self.search_tree_ = trees[0] if len(trees) == 1 else trees
        self._search_weight = task.search_weight
        self.status_ = answer.status

    def _remember_table(self, task: SearchTask) -> None:
        self.n_features_in_ = task.reader.n_features_in_
        if hasattr(task.reader, "feature_names_in_"):
            self.feature_names_in_ = task.reader.feature_names_in_
        self.classes_ = task.reader.classes_

    def _held_out(self, X: Any, y: Any) -> HeldOutError | None:
        """The error on samples that the search has not seen; None where there are none."""
        if (X is None) != (y is None):
            raise ValueError("Held-out samples need both: the table X and its labels y.")
        return None if X is None else held_out_error(y, self.predict(X), self.classes_)

"""What the filters share: the course of a fit, names, and the tree that is grown in the end.

The core (`core/src/filter`) cuts numbers into intervals, counts and selects; `cfs.py` and `fcbf.py` are the filters.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.selection import FrameSelector
from palmette.support.budget import budget_of
from palmette.support.messages import listing
from palmette.support.parameters import InvalidParameterError, resolve_n_jobs
from palmette.tree.classifier import C45Classifier
from palmette.tree.predicting import PredictsByTree

__all__ = ["FilterSelector"]

STOPPED_BY = {"time_limit": "The time limit ended the selection", "interrupted": "The selection was interrupted"}


class Filtered(Protocol):
    """What every filter of the core returns."""

    @property
    def selected(self) -> list[int]: ...
    @property
    def with_class(self) -> NDArray[np.float64]: ...
    @property
    def n_correlations(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    @property
    def interrupted(self) -> bool: ...


class FilterSelector(FrameSelector, PredictsByTree, ClassifierMixin, BaseEstimator):
    """Base of the filters: a mask of features, and a tree grown with them."""

    tree: Any
    time_limit: float | None
    n_jobs: int | None

    selected_order_: list[str] | list[int]
    symmetric_uncertainty_: NDArray[np.float64]
    n_correlations_: int
    search_seconds_: float
    status_: str
    n_features_in_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the features, and grow a tree with them.

        Ctrl-C ends the selection as a time limit does: with what is selected so far, and `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            How often a sample counts, in the selection and in the tree.

        Returns
        -------
        self
        """
        self._check_parameters()
        if self.tree is not None and not isinstance(self.tree, C45Classifier):
            raise InvalidParameterError(f"`tree` must be a C45Classifier or None, but is {self.tree!r}.")
        budget = budget_of(self.time_limit)
        n_jobs = resolve_n_jobs(self.n_jobs)
        grower: C45Classifier = C45Classifier() if self.tree is None else clone(self.tree)
        growth = grower._growth_options()
        self._forget_results()
        problem = grower._read_problem(X, y, sample_weight, n_jobs)
        self.n_features_in_ = grower.n_features_in_
        if hasattr(grower, "feature_names_in_"):
            self.feature_names_in_ = grower.feature_names_in_
        self.classes_ = grower.classes_

        begin = time.perf_counter()
        filtered = self._select(problem.dataset, budget, n_jobs)
        self.search_seconds_ = time.perf_counter() - begin
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[filtered.selected] = True
        self.selected_order_ = self._named(filtered.selected)
        self.symmetric_uncertainty_ = filtered.with_class
        self.n_correlations_ = filtered.n_correlations
        # The samples are the user's, not the filter's: growing has the time limit of `tree`.
        self.estimator_ = grower._grow(problem, growth, grower._budget(), n_jobs, sorted(filtered.selected))
        stopped_by = "interrupted" if filtered.interrupted else "time_limit"
        self.status_ = "complete" if filtered.complete else stopped_by
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise where a parameter of this filter alone is wrong."""

    @abstractmethod
    def _select(self, dataset: _core.Dataset, budget: _core.Budget, n_jobs: int) -> Filtered:
        """Select, and keep what only this filter has."""

    @abstractmethod
    def way(self) -> str:
        """How the features were selected, in a sentence.

        Returns
        -------
        str
        """

    def _named(self, features: Sequence[int]) -> list[Any]:
        """Features as the user knows them: names if X had names, else indices."""
        names = getattr(self, "feature_names_in_", None)
        return list(features) if names is None else [names[feature] for feature in features]

    def summary(self) -> str:
        """What was selected and how, in a few sentences.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        order = [str(feature) for feature in self.selected_order_]
        if not order:
            found = (
                f"None of the {self.n_features_in_} features is selected: "
                f"{'none was looked at in time' if self.status_ in STOPPED_BY else 'alone, none tells of the classes'}."
            )
        else:
            are = "is" if len(order) == 1 else "are"
            found = f"{len(order)} of {self.n_features_in_} features {are} selected: {listing(order)}."
        parts = [found, self.way()]
        if self.status_ in STOPPED_BY:
            parts.append(f"{STOPPED_BY[self.status_]}.")
        parts.append(
            "A filter looks at pairs only: features that tell of the classes together but not alone are missed, "
            "and no tree was asked."
        )
        return " ".join(parts)

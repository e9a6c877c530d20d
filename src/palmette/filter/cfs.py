"""CFSSelector: correlation-based feature selection, searched best first as in Weka.

`base.py` holds the course of a fit; the core (`core/src/filter/cfs.cpp`) selects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.filter.base import Filtered, FilterSelector
from palmette.support.parameters import check_flag, check_number
from palmette.support.progress import reporter

__all__ = ["CFSSelector", "CFSStep"]


@dataclass(frozen=True, slots=True)
class CFSStep:
    """An expansion: a subset, to which each feature that it lacks was added in turn.

    Parameters
    ----------
    features : tuple of str or of int
        The subset, in the order in which its features were added.
    merit : float
        Its merit.
    best_merit : float
        The best merit known after the expansion.
    """

    features: tuple[str, ...] | tuple[int, ...]
    merit: float
    best_merit: float


class CFSSelector(FilterSelector):
    """Select features that tell much of the classes and little of each other (CFS, Hall 2000).

    A subset of k features has the merit k·r_cf / √(k + k(k − 1)·r_ff), where r_cf is the mean symmetric uncertainty of
    its features with the class, and r_ff that between two of them. The subset of the highest merit is searched best
    first from the empty one on, as Weka's CfsSubsetEval with BestFirst does by default. Numbers are cut into intervals
    by `MDLDiscretizer(cut_cost="values")`, as Weka does.

    Parameters
    ----------
    max_stale : int, default=5
        The search ends when so many expansions in a row have brought no better subset.
    locally_predictive : bool, default=True
        Whether to add afterwards, from the one that tells most of the class on, each feature that tells more of the
        class than any selected feature tells of it. Weka's default.
    tree : C45Classifier or None, default=None
        How the final tree is grown, and which columns are nominal. None stands for `C45Classifier()`.
    time_limit : float or None, default=None
        Seconds after which the best subset so far is the answer.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The answer does not depend on it.

    Attributes
    ----------
    support_ : array of bool
        The mask of the selected features.
    selected_order_ : list of str or of int
        They, in the order in which they were added.
    locally_predictive_ : list of str or of int
        Those among them that were added after the search.
    merit_ : float
        The merit of the subset that the search found.
    symmetric_uncertainty_ : array
        Of every feature with the class, from 0 to 1.
    history_ : list of CFSStep
        The expanded subsets, in order.
    n_subsets_, n_correlations_ : int
        How many merits and how many symmetric uncertainties were computed.
    estimator_ : C45Classifier
        Grown on all samples with the selected features; it predicts.
    tree_ : Tree
        The tree of `estimator_`.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    search_seconds_ : float
    status_ : {"complete", "time_limit", "interrupted"}

    Notes
    -----
    As in Weka, a sample with a missing value is spread over the values of the feature in proportion to their frequency,
    and a merit that is better by less than 1e-5 is not better. Unlike in Weka:

    - sample weights count;
    - no subset is expanded twice, and all that were seen may be expanded (Weka keeps five waiting);
    - features that have nothing in common with the class are never selected (Weka adds one where there are no others);
    - two features that have nothing in common count as such (Weka counts an uncertainty of 0 as 1).

    Of equals, the feature that comes first in X is preferred. A column of so many categories that its table with
    another holds over 2^24 cells has its missing values counted as a category of their own.

    References
    ----------
    M. A. Hall. Correlation-based feature selection for discrete and numeric class machine learning. ICML 2000.

    Examples
    --------
    >>> from palmette import CFSSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = CFSSelector().fit(X, y)
    >>> selector.selected_order_
    ['petal width (cm)', 'petal length (cm)']
    >>> round(selector.merit_, 3)
    0.887
    """

    merit_: float
    history_: list[CFSStep]
    locally_predictive_: list[str] | list[int]
    n_subsets_: int

    def __init__(
        self,
        *,
        max_stale: int = 5,
        locally_predictive: bool = True,
        tree: Any = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_stale = max_stale
        self.locally_predictive = locally_predictive
        self.tree = tree
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_number("max_stale", self.max_stale, 1, 10**6, integer=True)
        check_flag("locally_predictive", self.locally_predictive)

    def _select(self, dataset: _core.Dataset, budget: _core.Budget, n_jobs: int) -> Filtered:
        options = _core.CfsOptions()
        options.max_stale = int(self.max_stale)
        options.locally_predictive = bool(self.locally_predictive)
        found = _core.select_by_cfs(dataset, options, budget, n_jobs, reporter("searching subsets"))
        self.merit_ = found.merit
        self.n_subsets_ = found.n_subsets
        after_search = len(found.selected) - found.n_locally_predictive
        self.locally_predictive_ = self._named(found.selected[after_search:])
        self.history_ = [
            CFSStep(tuple(self._named(step.features)), step.merit, step.best_merit) for step in found.history
        ]
        return found

    def way(self) -> str:
        """How the features were selected, in a sentence.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        added = len(self.locally_predictive_)
        after = f"; {added} more came after it, as locally predictive" if added else ""
        return (
            f"The search found a merit of {self.merit_:.3g}, expanding {len(self.history_):,} subsets of "
            f"{self.n_subsets_:,} seen{after}."
        )

"""FocusSelector: FOCUS, the smallest set of features that leaves no two samples of different classes alike.

`coding.py` makes codes of the columns, `core/src/oblivious/focus.cpp` searches, a tree on the selected features
predicts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.selection import FrameSelector
from palmette.data.weights import read_weights
from palmette.oblivious.coding import NUMERIC, code_features, coded_dataset
from palmette.oblivious.summary import summarize_focus
from palmette.search.progress import SearchProgress
from palmette.search.units import read_units
from palmette.support.budget import budget_of
from palmette.support.messages import user_stack_level
from palmette.support.parameters import InvalidParameterError, check_choice, resolve_n_jobs
from palmette.support.progress import current_listener
from palmette.tree.classifier import C45Classifier
from palmette.tree.predicting import PredictsByTree

__all__ = ["FocusSelector"]


class FocusSelector(FrameSelector, PredictsByTree, ClassifierMixin, BaseEstimator):
    """FOCUS (Almuallim & Dietterich 1991): the fewest features that tell all samples of different classes apart.

    No two training samples of different classes may have the same values on all selected features. Of all such sets it
    finds the smallest, with a proof, and of the smallest the first by the positions of its features. The paper tries
    all sets of one feature, of two, and so on; here pairs of samples that a set leaves together say which features are
    wanted, and sets that do not have them are never tried. The answer is the same.

    Parameters
    ----------
    tree : C45Classifier or None, default=None
        What predicts with the selected features, as in the paper, where ID3 does; None for `C45Classifier()`.
    numeric : {"mdl", "as_is"}, default="mdl"
        What becomes of numbers. "mdl": intervals, cut where the classes change (see `MDLDiscretizer`), and samples in
        the same interval are alike; a column of two numbers is left as it is. "as_is": numbers are alike if they are
        equal, so that a column of measurements may tell all samples apart and yet predict nothing.
    keep : list of names or of indices, or mask, default=None
        Features that every set holds.
    time_limit : float or None, default=None
        Seconds after which the search ends with the smallest set so far.
    callback : callable or None, default=None
        Called some twenty times a second with a `SearchProgress`, of which `n_features` is the size of the smallest set
        so far and `share` the proved part of it; the search ends if it returns True.

    Attributes
    ----------
    support_ : array of bool
        The selected features.
    size_bound_ : int
        No set of fewer features tells the samples apart; the size of the answer if `status_` is "complete".
    status_ : {"complete", "time_limit", "interrupted"}
        "complete" if the answer is proved to be the smallest, else what stopped the search.
    n_inseparable_ : int
        Samples that are alike with a sample of another class on all features: no set tells them apart, so this is not
        asked for. They are still told apart from all samples that differ from them.
    estimator_ : C45Classifier
        Grown on all training samples with the selected features; takes all columns of X.
    tree_ : Tree
        The tree of `estimator_`.
    used_features_ : list of str or list of int
        The features that `tree_` tests.
    search_seconds_ : float
        How long the search took.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Notes
    -----
    A missing value is a value of its own: alike with a missing value, different from all others.

    References
    ----------
    H. Almuallim, T. G. Dietterich. Learning with many irrelevant features. AAAI 1991.

    Examples
    --------
    >>> from palmette import FocusSelector
    >>> from palmette.datasets import make_parity
    >>> X, y = make_parity(200, n_relevant=3, n_irrelevant=20, random_state=0)
    >>> selector = FocusSelector().fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 2])
    >>> selector.status_
    'complete'
    """

    size_bound_: int
    status_: str
    n_inseparable_: int
    search_seconds_: float

    def __init__(
        self,
        tree: Any = None,
        *,
        numeric: str = "mdl",
        keep: Any = None,
        time_limit: float | None = None,
        callback: Callable[..., Any] | None = None,
    ) -> None:
        self.tree = tree
        self.numeric = numeric
        self.keep = keep
        self.time_limit = time_limit
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the features, and grow the tree with them.

        Ctrl-C ends the search as a time limit does: with the smallest set so far, and `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            They count when numbers are cut and the tree is grown. Samples of weight 0 are left out; otherwise the
            search asks only whether samples can be told apart.

        Returns
        -------
        self
        """
        check_choice("numeric", self.numeric, NUMERIC)
        if self.callback is not None and not callable(self.callback):
            raise InvalidParameterError(f"`callback` must be a function or None, but is {self.callback!r}.")
        if self.tree is not None and not isinstance(self.tree, C45Classifier):
            raise InvalidParameterError(f"`tree` must be a C45Classifier or None, but is {self.tree!r}.")
        budget = budget_of(self.time_limit)
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

        grower: C45Classifier = C45Classifier() if self.tree is None else clone(self.tree)
        growth = grower._growth_options()
        n_jobs = resolve_n_jobs(grower.n_jobs)
        problem = grower._read_problem(X, y, sample_weight, n_jobs)
        weights = read_weights(sample_weight, problem.table.n_rows)
        units = read_units(self.keep, None, problem.table.names, len(problem.table.columns))
        self.n_features_in_ = grower.n_features_in_
        if hasattr(grower, "feature_names_in_"):
            self.feature_names_in_ = grower.feature_names_in_
        self.classes_ = grower.classes_

        n_classes = len(self.classes_)
        features = code_features(problem.table, problem.labels, n_classes, weights, numeric=self.numeric, n_jobs=n_jobs)
        dataset = coded_dataset(problem.table, features, problem.labels, n_classes, weights)
        start = time.perf_counter()
        result = _core.find_smallest_consistent(dataset, list(units.kept), budget, self._report(budget, start))
        self.search_seconds_ = time.perf_counter() - start
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[result.features] = True
        self.size_bound_ = result.lower_bound
        self.n_inseparable_ = result.n_inseparable
        if self.n_inseparable_:
            warnings.warn(
                f"{self.n_inseparable_} of {problem.table.n_rows} samples have the same values as a sample of another "
                f"class on all features{' (numbers as intervals)' if self.numeric == 'mdl' else ''}: no features tell "
                "them apart, so this is not asked for.",
                stacklevel=user_stack_level(),
            )
        self.estimator_ = grower._grow(problem, growth, grower._budget(), n_jobs, list(result.features))
        self.status_ = result.status
        return self

    def _report(self, budget: _core.Budget, start: float) -> Callable[[float, int, int], None]:
        listener, callback = current_listener(), self.callback

        def report(share: float, size: int, bound: int) -> None:
            words = f"smallest set so far: {size} features, at least {bound} needed"
            nan = float("nan")
            progress = SearchProgress(share, 0, words, time.perf_counter() - start, nan, nan, size)
            if listener is not None:
                listener(progress)
            if callback is not None and callback(progress) is True:
                budget.request_stop()

        return report

    def summary(self) -> str:
        """What was found and what is proved, in a few sentences.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summarize_focus(self)

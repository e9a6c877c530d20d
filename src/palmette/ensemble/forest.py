"""C45ForestClassifier: a random forest of C4.5 trees on raw tables, the RF of Ruggieri (2019).

`tree/base.py` reads tables, `base.py` predicts; the core (`core/src/ensemble`) grows the trees, one a thread.
"""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import resolve_thresholds
from palmette.ensemble.base import TreeEnsembleClassifier, n_features_drawn
from palmette.support.parameters import InvalidParameterError, check_choice, check_flag, check_number, resolve_n_jobs
from palmette.support.progress import reporter
from palmette.tree.base import Problem, check_pruning

VOTINGS = ("soft", "hard")


class C45ForestClassifier(TreeEnsembleClassifier):
    """A random forest (Breiman 2001) whose trees are grown by C4.5 on tables as they are.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion, growth, threshold, min_samples, max_depth, categorical_features
        How each tree is grown; see `C45Classifier`.
    pruning : {None, "error_based"}, default=None
        Whether each tree is pruned on the rows that it was grown on; see `C45Classifier`. Forests seldom gain by it.
    confidence : float, default=0.25
        Confidence level of error-based pruning; smaller prunes more.
    max_features : {"log2", "log2+1", "sqrt"}, int, float or None, default="log2"
        How many features are drawn at random at each node: a number, a fraction, or all. A node that none of them
        can split is a leaf, as in the forests of Ruggieri (2019); scikit-learn's draw on until one can.
    bootstrap : bool, default=True
        Whether each tree is grown on a sample of the rows, drawn with replacement (in proportion to
        `sample_weight`, if given), or on all of them.
    max_samples : int, float or None, default=None
        How many rows are drawn for each tree: a number, a share of the rows of X, or as many as there are. Only with
        `bootstrap`.
    voting : {"soft", "hard"}, default="soft"
        Whether the probabilities of the trees are averaged, or each tree votes for its most probable class. Breiman's
        forest, and that of Ruggieri (2019) by its numbers, has `voting="hard"` and `max_features="log2+1"`.
    oob_score : bool, default=False
        Whether to measure the accuracy on the rows that each tree has not seen.
    time_limit : float or None, default=None
        Seconds after which no further tree is grown.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the draws. Tree i depends on the seed and on i only.

    Attributes
    ----------
    trees_ : list of Tree
        The fitted trees.
    classes_ : array
    oob_score_ : float
        Accuracy on the out-of-bag rows; only with `oob_score=True`.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        Out-of-bag probabilities, NaN for a row that every tree has seen; only with `oob_score=True`.
    feature_importances_ : array
        The share of each feature in the gain of the splits, averaged over the trees.
    used_features_ : list of str or list of int
        The features that some tree tests.
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    status_ : {"complete", "time_limit"}

    Examples
    --------
    >>> from palmette import C45ForestClassifier
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = C45ForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.9
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "information_gain",
        growth: str = "c45",
        threshold: str = "c45",
        min_samples: float = 2,
        max_depth: int | None = None,
        pruning: str | None = None,
        confidence: float = 0.25,
        max_features: str | int | float | None = "log2",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        voting: str = "soft",
        oob_score: bool = False,
        categorical_features: Any = "from_dtype",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.growth = growth
        self.threshold = threshold
        self.min_samples = min_samples
        self.max_depth = max_depth
        self.pruning = pruning
        self.confidence = confidence
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.oob_score = oob_score
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _counts_weights(self) -> bool:
        return not self.bootstrap

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            With `bootstrap`, rows are drawn in proportion to their weight.

        Returns
        -------
        self
        """
        growth = self._growth_options()
        check_pruning(self.pruning, self.confidence)
        check_number("n_estimators", self.n_estimators, 1, 10**6, integer=True)
        check_flag("bootstrap", self.bootstrap)
        check_choice("voting", self.voting, VOTINGS)
        check_flag("oob_score", self.oob_score)
        if self.oob_score and not self.bootstrap:
            raise InvalidParameterError(
                "`oob_score=True` needs `bootstrap=True`: without sampling every tree sees every row."
            )
        if self.max_samples is not None and not self.bootstrap:
            raise InvalidParameterError(
                f"`max_samples={self.max_samples!r}` needs `bootstrap=True`: "
                "without sampling every tree sees every row."
            )
        n_jobs = resolve_n_jobs(self.n_jobs)
        budget = self._budget()
        random_state = check_random_state(self.random_state)
        problem = self._read_problem(X, y, sample_weight, n_jobs)

        options = _core.ForestOptions()
        growth.max_features = n_features_drawn(self.max_features, self.n_features_in_)
        growth.seed = int(random_state.randint(np.iinfo(np.int32).max))
        options.tree = growth
        options.n_trees = int(self.n_estimators)
        options.bootstrap = bool(self.bootstrap)
        options.n_draws = self._n_rows_drawn(problem.table.n_rows)
        forest = _core.grow_forest(problem.dataset, options, budget, n_jobs, reporter("growing the forest"))
        resolve_thresholds(forest, problem.dataset, problem.table, self._threshold_rule(), n_jobs)
        if self.pruning == "error_based":
            forest.prune(problem.dataset, options, float(self.confidence), budget, n_jobs)
        if self.oob_score:
            self._set_out_of_bag(forest, problem, options, n_jobs)
        self._keep_trees(forest, problem.dataset)
        self.status_ = "complete" if forest.complete else "time_limit"
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities: the mean over the trees, or the share of their votes.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._vote_shares([1.0] * len(self.trees_), X) if self.voting == "hard" else super().predict_proba(X)

    def _n_rows_drawn(self, n_rows: int) -> int:
        """The number of rows to draw for a tree."""
        wanted = self.max_samples
        if wanted is None:
            return n_rows
        if isinstance(wanted, Integral) and not isinstance(wanted, bool) and 1 <= wanted <= n_rows:
            return int(wanted)
        if isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < wanted <= 1:
            return max(1, round(float(wanted) * n_rows))
        raise InvalidParameterError(
            f"`max_samples` must be None, an integer from 1 to {n_rows} (the rows of X), or a fraction above 0 and at "
            f"most 1, but is {wanted!r}."
        )

    def _set_out_of_bag(
        self, forest: _core.GrownForest, problem: Problem, options: _core.ForestOptions, n_jobs: int
    ) -> None:
        probabilities, n_trees = forest.out_of_bag(problem.dataset, options, getattr(_core.Voting, self.voting), n_jobs)
        seen = n_trees > 0
        probabilities[~seen] = np.nan
        if not seen.all():
            warnings.warn(
                f"{int((~seen).sum())} of {len(seen)} rows are in the sample of every one of the {forest.n_trees} "
                "trees and have no out-of-bag prediction. Grow more trees.",
                stacklevel=3,
            )
        self.oob_decision_function_ = probabilities
        predicted = probabilities[seen].argmax(axis=1)
        right = predicted == problem.labels[seen]
        self.oob_score_ = float(right.mean()) if len(right) else math.nan

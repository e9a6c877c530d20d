"""What the regularized ensembles share: parameters, the common set of features, and how it came about.

`new_features.py` reads what a new feature must pay, `entries.py` tells how features came in; the core
(`core/src/ensemble`) grows. `regularized_forest.py` and `regularized_boosting.py` are the two estimators.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.positions import column_list
from palmette.data.selection import FrameSelector
from palmette.ensemble.base import TreeEnsembleClassifier, n_features_drawn
from palmette.ensemble.entries import FeatureEntry, summarize
from palmette.ensemble.new_features import guided_weights, read_importances, read_new_feature_weights
from palmette.support.parameters import check_choice, check_number, resolve_n_jobs
from palmette.tree.base import Problem
from palmette.tree.model import DEEPEST

__all__ = ["RegularizedSelector"]

CRITERIA = ("gain", "cran")
DEFAULT_WEIGHT = {"gain": 0.5, "cran": 0.8}
"""λ where nobody gives one: that of the paper's experiments, and that of the R package."""


class RegularizedSelector(FrameSelector, TreeEnsembleClassifier):
    """Base of the selectors whose trees share one set of features."""

    n_estimators: int
    new_feature_weight: Any
    guide: Any
    guide_strength: float
    max_features: Any
    initial: Any
    random_state: Any

    selected_order_: list[str] | list[int]
    entry_gains_: NDArray[np.float64]
    history_: list[FeatureEntry]
    new_feature_weights_: NDArray[np.float64]

    threshold = "midpoint"
    """Weka's RandomTree cuts half way between two values."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees, and with them the set of selected features.

        Ctrl-C ends the growing as a time limit does: with the set and the trees so far, and `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            How much a sample counts; where rows are drawn, they are drawn in proportion to it.

        Returns
        -------
        self
        """
        options = self._checked_options()
        budget = self._budget()
        n_jobs = resolve_n_jobs(self.n_jobs)
        generator = check_random_state(self.random_state)
        self._forget_results()
        problem = self._read_problem(X, y, sample_weight, n_jobs)
        names, n_columns = problem.table.names, len(problem.table.columns)
        initial = column_list("initial", self.initial, names, n_columns)
        weights = self._read_weights(X, y, sample_weight, names, n_columns)

        forest = options.forest
        growth = forest.tree
        growth.max_features = n_features_drawn(self.max_features, n_columns, root_rounded_up=True)
        growth.seed = int(generator.randint(np.iinfo(np.int32).max))
        forest.tree = growth
        options.forest = forest
        options.initial = initial
        options.new_feature_weights = weights.tolist()
        ensemble = self._grow(problem, options, budget, n_jobs)

        self._keep_trees(ensemble.forest, problem.dataset)
        self.new_feature_weights_ = weights
        entries = ensemble.entries
        order = initial + [entry.feature for entry in entries]
        self.support_ = np.zeros(n_columns, dtype=bool)
        self.support_[order] = True
        self.selected_order_ = order if names is None else [names[index] for index in order]
        self.history_ = [
            FeatureEntry(
                entry.feature if names is None else names[entry.feature],
                entry.gain,
                entry.weight,
                entry.tree,
                entry.depth,
            )
            for entry in entries
        ]
        self.entry_gains_ = np.array([math.nan] * len(initial) + [entry.gain for entry in entries])
        self.n_gains_computed_ = ensemble.features_judged
        stopped_by = "interrupted" if ensemble.interrupted else "time_limit"
        self.status_ = "complete" if ensemble.forest.complete else stopped_by
        return self

    @abstractmethod
    def _grow(
        self, problem: Problem, options: _core.RegularizedOptions, budget: _core.Budget, n_jobs: int
    ) -> _core.RegularizedEnsemble:
        """Grow the trees, resolve their thresholds, and keep what only this ensemble has."""

    @abstractmethod
    def _draws_rows(self) -> bool:
        """Whether each tree is grown on rows that are drawn."""

    def _counts_weights(self) -> bool:
        return not self._draws_rows()

    def _ended_early(self) -> str:
        """A sentence on why there are fewer trees than asked for, if the method ended by itself."""
        return ""

    def _checked_options(self) -> _core.RegularizedOptions:
        check_number("n_estimators", self.n_estimators, 1, 10**6, integer=True)
        check_choice("criterion", self.criterion, CRITERIA)
        check_number("guide_strength", self.guide_strength, 0, 1)
        check_number("min_samples", self.min_samples, 0, 2**40, low_excluded=True)
        check_number("max_depth", self.max_depth, 0, integer=True, none_allowed=True)
        options = _core.RegularizedOptions()
        cran = self.criterion == "cran"
        options.score = _core.RegularizedScore.uncentred_gini if cran else _core.RegularizedScore.gain
        growth = _core.GrowthOptions()
        growth.criterion = _core.Criterion.gini if cran else _core.Criterion.information_gain
        growth.growth = _core.Growth.literal
        # Weka's rule: a node of less than twice the least weight of a leaf is a leaf.
        growth.min_samples = 2 * float(self.min_samples)
        growth.max_depth = DEEPEST if self.max_depth is None else min(int(self.max_depth), DEEPEST)
        forest = _core.ForestOptions()
        forest.tree = growth
        forest.n_trees = int(self.n_estimators)
        forest.bootstrap = self._draws_rows()
        options.forest = forest
        options.threshold = self._threshold_rule()
        return options

    def _read_weights(
        self, X: Any, y: Any, sample_weight: Any, names: tuple[str, ...] | None, n_columns: int
    ) -> NDArray[np.float64]:
        if self.guide is None:
            default = DEFAULT_WEIGHT[self.criterion]
            return read_new_feature_weights(self.new_feature_weight, default, names, n_columns)
        weights = read_new_feature_weights(self.new_feature_weight, 1.0, names, n_columns)
        importances = read_importances(self.guide, X, y, sample_weight, names, n_columns)
        return guided_weights(weights, importances, float(self.guide_strength))

    def summary(self) -> str:
        """What was selected and how, in a few sentences.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summarize(self)

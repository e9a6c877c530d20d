"""RegularizedBoostingSelector: regularized boosted random trees (RBoost) of Deng & Runger (2012).

`regularized.py` has what it shares with the forest; the core (`core/src/ensemble`) grows and weighs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import prediction_columns
from palmette.data.table import ContinuousColumn
from palmette.ensemble.regularized import RegularizedSelector
from palmette.support.parameters import check_flag
from palmette.support.progress import reporter
from palmette.tree.base import Problem

__all__ = ["RegularizedBoostingSelector"]


class RegularizedBoostingSelector(RegularizedSelector):
    """Selects features by boosted random trees that avoid new features (RBoost, Deng & Runger 2012).

    As `RegularizedForestSelector`, but the trees are those of AdaBoost.M1 (Freund & Schapire 1996): each round gives
    more weight to the samples that the tree before got wrong, and the trees vote, the better ones with more weight. It
    ends early with a tree that makes no error, or one that is wrong on half of the weight; unless this is the first,
    it is dropped, with the features that it brought.

    Parameters
    ----------
    n_estimators : int, default=100
        The most rounds, one tree each.
    new_feature_weight : float, array, mapping or None, default=None
        λ, what the gain of a feature that is not selected yet is multiplied by: a number above 0 and at most 1, a
        number for each column, or a mapping from some columns to numbers (the others have the default). 1 is no
        penalty; a column of 0 never enters. None: 0.5 for `criterion="gain"`, as in the paper, and 0.8 for "cran", as
        in the R package; 1 with a `guide`.
    criterion : {"gain", "cran"}, default="gain"
        What competes. "gain": λ times the information gain, trees grown depth-first (the paper). "cran": λ times the
        Gini score without the part of the parent, Σ L²/ΣL + Σ R²/ΣR, trees grown breadth-first, as the R package RRF
        does. Values of λ are not comparable between the two.
    guide : estimator, array, mapping or None, default=None
        Importances that make some features cheaper than others (the guided forest, GRRF): λ of a feature becomes
        (1 − γ)·λ + γ·importance / largest importance. A fitted estimator with `feature_importances_`, one that is not
        fitted (it is then fitted to the same samples), a number for each column, or a mapping.
    guide_strength : float, default=0.5
        The γ of the guided forest, from 0 to 1.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        How many features are drawn at each node among those not selected yet, beside the selected ones, which are all
        looked at. "sqrt" is rounded up.
    initial : list of names or of indices, or mask, default=None
        Features that are selected from the start; they stay selected.
    min_samples : float, default=1
        A node of less than twice this weight is a leaf.
    max_depth : int or None, default=None
        The longest path from the root to a leaf.
    resample : bool, default=True
        Whether the tree of a round is grown on rows drawn in proportion to their weights, or on all rows with their
        weights. An unpruned tree grown on all rows makes no error, unless equal rows differ in their class, so that
        the boosting then ends with its first tree.
    categorical_features : "from_dtype", None, or list of names, of indices, or mask, default="from_dtype"
        Which columns are nominal; see the page "Data in".
    time_limit : float or None, default=None
        Seconds after which no further tree is grown.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The result does not depend on it. Each node depends on the one before, so that
        threads share the features of one node: only tables of many thousand rows gain.
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Attributes
    ----------
    support_ : array of bool
        The selected features.
    selected_order_ : list of str or list of int
        The selected features in order of entry, the `initial` ones first: names if X had names, else indices.
    entry_gains_ : array
        The gain of the split with which each of them entered, before the penalty, in the same order; NaN for an
        initial one. In bits, or the decrease of the Gini index with `criterion="cran"`.
    history_ : list of FeatureEntry
        The entries one by one: feature, gain, weight of the node, tree, depth.
    new_feature_weights_ : array
        The λ of each column.
    trees_ : list of Tree
        The fitted trees.
    estimator_weights_ : array
        The weight of each tree's vote, log((1 − error) / error).
    estimator_errors_ : array
        The weighted error of every round, the dropped last one included.
    classes_ : array
    feature_importances_ : array
        The share of each feature in the gain of the splits, averaged over the trees.
    used_features_ : list of str or list of int
        The features that some tree tests: the selected ones, but for initial ones that no split needed.
    n_gains_computed_ : int
        How often the gain of a feature at a node was computed, the bulk of the work.
    status_ : {"complete", "time_limit", "interrupted"}
        Whether all trees were grown, or what stopped the growing.
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Examples
    --------
    >>> from palmette import RegularizedBoostingSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = RegularizedBoostingSelector(n_estimators=10, random_state=0).fit(X, y)
    >>> selector.score(X, y) > 0.95
    True
    >>> sorted(selector.used_features_) == sorted(selector.selected_order_)
    True
    """

    resample: bool
    estimator_weights_: NDArray[np.float64]
    estimator_errors_: NDArray[np.float64]

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        new_feature_weight: Any = None,
        criterion: str = "gain",
        guide: Any = None,
        guide_strength: float = 0.5,
        max_features: str | int | float | None = "sqrt",
        initial: Any = None,
        min_samples: float = 1,
        max_depth: int | None = None,
        resample: bool = True,
        categorical_features: Any = "from_dtype",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.new_feature_weight = new_feature_weight
        self.criterion = criterion
        self.guide = guide
        self.guide_strength = guide_strength
        self.max_features = max_features
        self.initial = initial
        self.min_samples = min_samples
        self.max_depth = max_depth
        self.resample = resample
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _draws_rows(self) -> bool:
        check_flag("resample", self.resample)
        return bool(self.resample)

    def _grow(
        self, problem: Problem, options: _core.RegularizedOptions, budget: _core.Budget, n_jobs: int
    ) -> _core.RegularizedEnsemble:
        columns = problem.table.columns
        continuous = [index for index, column in enumerate(columns) if isinstance(column, ContinuousColumn)]
        ensemble = _core.boost_regularized_trees(
            problem.dataset,
            prediction_columns(problem.table, continuous),
            options,
            budget,
            n_jobs,
            reporter("boosting regularized trees"),
        )
        self.estimator_weights_ = np.array(ensemble.votes)
        self.estimator_errors_ = np.array(ensemble.errors)
        return ensemble

    def _ended_early(self) -> str:
        n_trees = len(self.trees_)
        if n_trees == self.n_estimators and len(self.estimator_errors_) == n_trees:
            return ""
        error = self.estimator_errors_[-1]
        why = "made no error" if error < 0.5 else f"was wrong on {error:.0%} of the weight"
        n_rounds = len(self.estimator_errors_)
        return f"Boosting ended after {n_rounds} of {self.n_estimators} rounds, as the last tree {why}."

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the votes for each class. A tree votes for one class.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._vote_shares(self.estimator_weights_.tolist(), X)

"""RegularizedForestSelector: the regularized random forest (RRF) of Deng & Runger (2012).

`regularized.py` has what it shares with the boosted trees; the core (`core/src/ensemble`) grows.
"""

from __future__ import annotations

from typing import Any

from palmette import _core
from palmette.data.encoding import resolve_thresholds
from palmette.ensemble.regularized import RegularizedSelector
from palmette.support.parameters import check_flag
from palmette.support.progress import reporter
from palmette.tree.base import Problem

__all__ = ["RegularizedForestSelector"]


class RegularizedForestSelector(RegularizedSelector):
    """Selects features by a random forest whose trees avoid new features (RRF, Deng & Runger 2012).

    All trees share one set of selected features. A split on a feature that is not in the set has its gain multiplied by
    λ < 1, so a feature enters only where it tells clearly more than every feature selected before. What has
    entered when the last tree is grown is the answer, and the forest is a classifier that tests no other feature.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
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
    bootstrap : bool, default=True
        Whether each tree is grown on a sample of the rows, drawn with replacement (in proportion to
        `sample_weight`, if given), or on all of them.
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
    >>> from palmette import RegularizedForestSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = RegularizedForestSelector(n_estimators=10, random_state=0).fit(X, y)
    >>> selector.transform(X).shape[1] < X.shape[1]
    True
    >>> selector.selected_order_[0] == selector.history_[0].feature
    True
    """

    bootstrap: bool

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
        bootstrap: bool = True,
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
        self.bootstrap = bootstrap
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _draws_rows(self) -> bool:
        check_flag("bootstrap", self.bootstrap)
        return bool(self.bootstrap)

    def _grow(
        self, problem: Problem, options: _core.RegularizedOptions, budget: _core.Budget, n_jobs: int
    ) -> _core.RegularizedEnsemble:
        ensemble = _core.grow_regularized_forest(
            problem.dataset, options, budget, n_jobs, reporter("growing the regularized forest")
        )
        resolve_thresholds(ensemble.forest, problem.dataset, problem.table, self._threshold_rule(), n_jobs)
        return ensemble

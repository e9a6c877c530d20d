"""C45Classifier: one C4.5 tree on a raw table, with scikit-learn's manners.

`base.py` reads tables, `single.py` predicts with the fitted `tree_`, renders and keeps it; the core (`core/src/tree`)
grows and prunes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from palmette import _core
from palmette.data.encoding import resolve_thresholds
from palmette.support.parameters import resolve_n_jobs
from palmette.support.progress import reporter
from palmette.tree.base import Problem, check_pruning, tree_view
from palmette.tree.model import checked_classes
from palmette.tree.single import SingleTreeClassifier

# Bytes of a grown tree, of some thousand nodes, from which on it takes longer to grow than to give the codes back.
LARGE_TREE = 1 << 17


class C45Classifier(SingleTreeClassifier):
    """A decision tree grown by C4.5 (Quinlan 1993, Release 8), on tables as they are.

    Categories split many ways, missing values travel down all branches with fractions of their weight, and nothing
    needs encoding or imputing, in `fit` or in `predict`.

    Parameters
    ----------
    criterion : {"information_gain", "gain_ratio", "gini"}, default="information_gain"
        The quality of a split.
    growth : {"c45", "literal"}, default="c45"
        "c45": the rules of Release 8: two branches of at least `min_samples`, a smallest side of a cut, and a gain
        corrected for the number of cuts tried. "literal": a node is a leaf if it is pure, holds less than
        `min_samples`, or no feature tells its samples apart.
    threshold : {"c45", "midpoint"}, default="c45"
        Which number stands for a cut: the greatest training value not above the midpoint, or the midpoint itself.
    min_samples : float, default=2
        The m of the papers, a weight: see `growth`.
    max_depth : int or None, default=None
        The longest path from the root to a leaf.
    pruning : {None, "error_based"}, default=None
        C4.5's pruning of the grown tree by pessimistic error estimates, with subtree raising.
    confidence : float, default=0.25
        Confidence level of error-based pruning; smaller prunes more.
    categorical_features : "from_dtype", None, or list of names, of indices, or mask, default="from_dtype"
        Which columns are nominal; see the page "Data in".
    time_limit : float or None, default=None
        Seconds after which unfinished nodes become leaves.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    classes_ : array
        The class labels, sorted.
    used_features_ : list of str or list of int
        The features that the tree tests: names if X had names, else indices.
    n_nodes_, n_leaves_, depth_ : int
        Size of the tree; a single leaf has depth 0.
    feature_importances_ : array
        The share of each feature in the total gain.
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    status_ : {"complete", "time_limit"}
        Whether the time limit cut the growing short.

    Examples
    --------
    >>> from palmette import C45Classifier
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> labels = iris.target_names[iris.target]
    >>> classifier = C45Classifier(pruning="error_based").fit(iris.data, labels)
    >>> classifier.used_features_
    ['petal length (cm)', 'petal width (cm)']
    >>> classifier.predict(iris.data.iloc[[0, 60, 120]])
    array(['setosa', 'versicolor', 'virginica'], dtype='<U10')
    """

    def __init__(
        self,
        *,
        criterion: str = "information_gain",
        growth: str = "c45",
        threshold: str = "c45",
        min_samples: float = 2,
        max_depth: int | None = None,
        pruning: str | None = None,
        confidence: float = 0.25,
        categorical_features: Any = "from_dtype",
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.growth = growth
        self.threshold = threshold
        self.min_samples = min_samples
        self.max_depth = max_depth
        self.pruning = pruning
        self.confidence = confidence
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            A sample of weight 2 counts as two samples; of weight 0, as none.

        Returns
        -------
        self
        """
        options = self._growth_options()
        budget = self._budget()
        n_jobs = resolve_n_jobs(self.n_jobs)
        problem = self._read_problem(X, y, sample_weight, n_jobs)
        grown = self._grown(problem, options, budget, n_jobs)
        outline = problem.dataset.outline
        # The finished tree may be as large as the codes, and needs them no more.
        del problem
        if grown.nbytes >= LARGE_TREE:
            _core.give_back_freed_memory()
        return self._keep(grown, outline, budget)

    def _grow(
        self,
        problem: Problem,
        options: _core.GrowthOptions,
        budget: _core.Budget,
        n_jobs: int,
        features: Sequence[int] | None = None,
    ) -> Self:
        """Grow the tree on a problem that was read before, with the given features or with all."""
        grown = self._grown(problem, options, budget, n_jobs, features)
        return self._keep(grown, problem.dataset.outline, budget)

    def _grown(
        self,
        problem: Problem,
        options: _core.GrowthOptions,
        budget: _core.Budget,
        n_jobs: int,
        features: Sequence[int] | None = None,
    ) -> _core.GrownTree:
        """The tree as the core grows it, its thresholds found, and pruned if that is wanted."""
        grown = _core.grow_tree(problem.dataset, options, budget, n_jobs, reporter("growing the tree"), features)
        resolve_thresholds(grown, problem.dataset, problem.table, self._threshold_rule(), n_jobs)
        if self.pruning == "error_based":
            grown.prune(problem.dataset, float(self.confidence), budget)
        return grown

    def _keep(self, grown: _core.GrownTree, outline: _core.DatasetOutline, budget: _core.Budget) -> Self:
        """Turn the grown tree into the one that predicts."""
        self._predictor = grown.flatten(outline)
        self.tree_ = tree_view(self._predictor, self._features(), checked_classes(self.classes_))
        self.status_ = "time_limit" if budget.deadline_passed else "complete"
        return self

    def _growth_options(self) -> _core.GrowthOptions:
        check_pruning(self.pruning, self.confidence)
        return super()._growth_options()

    def _check_parameters(self) -> None:
        self._growth_options()

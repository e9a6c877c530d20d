"""C45Classifier: one C4.5 tree on a raw table, with scikit-learn's manners.

`base.py` reads tables and predicts; the core (`core/src/tree`) grows and prunes; the renderings are functions of the
fitted `tree_`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import resolve_thresholds
from palmette.data.table import Schema
from palmette.support.parameters import resolve_n_jobs
from palmette.support.progress import reporter
from palmette.tree.base import Problem, TreeGrowingClassifier, check_pruning, core_tree, importances, tree_view
from palmette.tree.dot import tree_to_dot
from palmette.tree.model import Tree
from palmette.tree.plot import plot_tree
from palmette.tree.rules import Rule, tree_to_rules
from palmette.tree.serialization import read_json, tree_to_json
from palmette.tree.text import tree_to_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class C45Classifier(TreeGrowingClassifier):
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

    tree_: Tree
    status_: str

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
        return self._grow(self._read_problem(X, y, sample_weight, n_jobs), options, budget, n_jobs)

    def _grow(
        self,
        problem: Problem,
        options: _core.GrowthOptions,
        budget: _core.Budget,
        n_jobs: int,
        features: Sequence[int] | None = None,
    ) -> Self:
        """Grow the tree on a problem that was read before, with the given features or with all."""
        grown = _core.grow_tree(problem.dataset, options, budget, n_jobs, reporter("growing the tree"), features)
        resolve_thresholds(grown, problem.dataset, problem.table, self._threshold_rule(), n_jobs)
        if self.pruning == "error_based":
            grown.prune(problem.dataset, float(self.confidence), budget)
        self._predictor = grown.flatten(problem.dataset)
        self.tree_ = tree_view(self._predictor, self._features(), self.classes_)
        self.status_ = "time_limit" if budget.deadline_passed else "complete"
        return self

    def _growth_options(self) -> _core.GrowthOptions:
        check_pruning(self.pruning, self.confidence)
        return super()._growth_options()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities: the class frequencies of the leaf, or of all leaves that a missing value leads to.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._probabilities([self._core_tree()], X, self.tree_.used)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf of each row, as a node number of `tree_`; of several, the one that gets most of the weight.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        columns, n_rows = self._read_for_prediction(X, self.tree_.used)
        leaves: NDArray[np.int32] = self._core_tree().apply(columns, n_rows, resolve_n_jobs(self.n_jobs))
        return leaves

    @property
    def used_features_(self) -> list[str] | list[int]:
        """The features that the tree tests: names if X had names, else indices."""
        check_is_fitted(self)
        if self._schema.names is None:
            return list(self.tree_.used)
        return [self._schema.names[index] for index in self.tree_.used]

    @property
    def n_nodes_(self) -> int:
        """The number of nodes."""
        check_is_fitted(self)
        return self.tree_.n_nodes

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def depth_(self) -> int:
        """The length of the longest path from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each feature in the total gain of the splits."""
        check_is_fitted(self)
        return importances([self.tree_], self.n_features_in_)

    def to_text(
        self,
        max_depth: int | None = None,
        decimals: int = 1,
        show: Literal["weights", "share"] = "weights",
        *,
        ascii_only: bool = False,
    ) -> str:
        """The tree as indented text; see `palmette.tree.tree_to_text`."""
        check_is_fitted(self)
        return tree_to_text(self.tree_, max_depth, decimals, show, ascii_only=ascii_only)

    def to_rules(self, order: Literal["tree", "coverage"] = "tree") -> list[Rule]:
        """The tree as rules, one for each leaf; see `palmette.tree.tree_to_rules`."""
        check_is_fitted(self)
        return tree_to_rules(self.tree_, order)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree as Graphviz source; see `palmette.tree.tree_to_dot`."""
        check_is_fitted(self)
        return tree_to_dot(self.tree_, max_depth)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the tree with matplotlib; see `palmette.tree.plot_tree` for the options."""
        check_is_fitted(self)
        return plot_tree(self.tree_, ax, **options)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The fitted classifier as JSON, written to `path` if given. Nothing in it is ever executed.

        Parameters
        ----------
        path : str, path or None

        Returns
        -------
        str
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        # The categories are in the tree already, and what chose them may not be plain data.
        del parameters["categorical_features"]
        parameters["named"] = self._schema.names is not None
        parameters["status"] = self.status_
        return tree_to_json(self.tree_, path, parameters=parameters)

    @classmethod
    def from_json(cls, text_or_path: str | bytes | os.PathLike[str]) -> Self:
        """A fitted classifier from JSON text or a file of it.

        Parameters
        ----------
        text_or_path : str, bytes or path

        Returns
        -------
        C45Classifier
            Raises a ValueError that names the place where a file is not one of ours, or was damaged.
        """
        tree, parameters = read_json(text_or_path)
        named = parameters.pop("named", True)
        status = parameters.pop("status", "complete")
        unknown = sorted(set(parameters) - set(cls().get_params(deep=False)))
        if unknown:
            raise ValueError(f"parameters holds {unknown[0]!r}, which is not a parameter of C45Classifier.")
        if not isinstance(named, bool) or not isinstance(status, str):
            raise ValueError("parameters.named must be true or false, and parameters.status a text.")
        classifier = cls(**parameters)
        classifier._growth_options()
        classifier.tree_ = tree
        classifier.status_ = status
        classifier.classes_ = tree.classes
        classifier.n_features_in_ = len(tree.features)
        names = tuple(item.name for item in tree.features) if named else None
        if names is not None:
            classifier.feature_names_in_ = np.array(names, dtype=object)
        classifier._schema = Schema(names, tuple(item.categories for item in tree.features))
        classifier._core_tree()
        return classifier

    def _core_tree(self) -> _core.Tree:
        """The tree in the form that predicts, made anew after a pickle or a JSON."""
        predictor: _core.Tree | None = getattr(self, "_predictor", None)
        if predictor is None:
            predictor = self._predictor = core_tree(self.tree_)
        return predictor

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_predictor", None)
        return state

"""What all ensembles of trees share: the trees in the form that predicts, the features that they test, and the mean.

`forest.py` grows independent trees; `regularized.py` grows trees that share a set of features.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.support.parameters import InvalidParameterError, resolve_n_jobs
from palmette.tree.base import TreeGrowingClassifier, core_tree, importances, tree_view
from palmette.tree.model import Tree, checked_classes

__all__ = ["TreeEnsembleClassifier", "n_features_drawn"]


class TreeEnsembleClassifier(TreeGrowingClassifier):
    """Base of the classifiers that hold several trees."""

    trees_: list[Tree]
    status_: str

    def _keep_trees(self, forest: _core.GrownForest, dataset: _core.Dataset) -> None:
        """Take the trees over from the core; their thresholds must be resolved."""
        self._predictors = forest.take_trees(dataset)
        features, classes = self._features(), checked_classes(self.classes_)
        self.trees_ = [tree_view(flat, features, classes) for flat in self._predictors]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, the mean over the trees.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._probabilities(self._core_trees(), X, self._used())

    def _vote_shares(self, votes: list[float], X: Any) -> NDArray[np.float64]:
        """The share of the votes for each class, where each tree votes for one."""
        columns, n_rows = self._read_for_prediction(X, self._used())
        shares: NDArray[np.float64] = _core.predict_votes(
            self._core_trees(), votes, columns, n_rows, resolve_n_jobs(self.n_jobs)
        )
        return shares

    def _used(self) -> list[int]:
        return sorted({index for tree in self.trees_ for index in tree.used})

    @property
    def used_features_(self) -> list[str] | list[int]:
        """The features that some tree tests: names if X had names, else indices."""
        check_is_fitted(self)
        names = self._schema.names
        return self._used() if names is None else [names[index] for index in self._used()]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each feature in the gain of the splits, averaged over the trees."""
        check_is_fitted(self)
        return importances(self.trees_, self.n_features_in_)

    def _core_trees(self) -> list[_core.Tree]:
        """The trees in the form that predicts, made anew after a pickle."""
        predictors: list[_core.Tree] | None = getattr(self, "_predictors", None)
        if predictors is None:
            predictors = self._predictors = [core_tree(tree) for tree in self.trees_]
        return predictors

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_predictors", None)
        return state


def n_features_drawn(wanted: str | int | float | None, n_features: int, *, root_rounded_up: bool = False) -> int:
    """How many features `max_features` draws at a node.

    >>> n_features_drawn("sqrt", 20), n_features_drawn("sqrt", 20, root_rounded_up=True), n_features_drawn(0.5, 20)
    (4, 5, 10)
    """
    if wanted is None:
        return n_features
    if isinstance(wanted, str) and wanted in ("log2", "log2+1"):
        return max(1, min(n_features, int(math.log2(n_features)) + (wanted == "log2+1")))
    if isinstance(wanted, str) and wanted == "sqrt":
        return math.isqrt(n_features - 1) + 1 if root_rounded_up else math.isqrt(n_features)
    if isinstance(wanted, Integral) and not isinstance(wanted, bool) and 1 <= wanted <= n_features:
        return int(wanted)
    if isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < wanted <= 1:
        return max(1, int(float(wanted) * n_features))
    raise InvalidParameterError(
        f'`max_features` must be "log2", "log2+1", "sqrt", None, an integer from 1 to {n_features} (the features of '
        f"X), or a fraction above 0 and at most 1, but is {wanted!r}."
    )

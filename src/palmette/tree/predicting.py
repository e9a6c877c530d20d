"""What the selectors that grow a final tree share: predictions and a score by that tree, `estimator_`.

The searches (`search/selector.py`) and the filters (`filter/base.py`) predict by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette.data.scoring import ScoresLabels
from palmette.tree.classifier import C45Classifier
from palmette.tree.model import Tree

__all__ = ["PredictsByTree"]


class PredictsByTree(ScoresLabels):
    """Mixin of the selectors whose `estimator_` is a tree grown with the selected features."""

    estimator_: C45Classifier

    @property
    def tree_(self) -> Tree:
        """The tree grown on all training samples with the selected features; pruned if `tree` asks for it."""
        check_is_fitted(self)
        return self.estimator_.tree_

    @property
    def used_features_(self) -> list[str] | list[int]:
        """The features that `tree_` tests, at most the selected ones: names if X had names, else indices."""
        check_is_fitted(self)
        return self.estimator_.used_features_

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, by `estimator_`.

        Parameters
        ----------
        X : table with the columns of `fit`, selected or not

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, by `estimator_`.

        Parameters
        ----------
        X : table with the columns of `fit`, selected or not

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the class probabilities, -inf where a probability is 0.

        Parameters
        ----------
        X : table with the columns of `fit`, selected or not

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_log_proba(X)

"""What all selectors that search with trees share: columns picked from any frame, predictions by the final tree, names.

`best_subset.py` makes the complete search of it.
"""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from palmette.data.frames import eager_frame, is_frame
from palmette.search.task import SearchTask
from palmette.tree.classifier import C45Classifier
from palmette.tree.model import Tree

__all__ = ["SubsetSelector"]


class SubsetSelector(SelectorMixin, ClassifierMixin, BaseEstimator):
    """Base of the selectors: a mask of features, and a classifier grown with them."""

    support_: NDArray[np.bool_]
    estimator_: C45Classifier
    status_: str
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "status_" in vars(self)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _forget_search(self) -> None:
        """Drop what an earlier fit made: a fit that fails must not leave its answer beside new columns."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

    def _remember_table(self, task: SearchTask) -> None:
        self.n_features_in_ = task.reader.n_features_in_
        if hasattr(task.reader, "feature_names_in_"):
            self.feature_names_in_ = task.reader.feature_names_in_
        self.classes_ = task.reader.classes_

    def transform(self, X: Any) -> Any:
        """The selected columns of X.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        table
            A frame where X is a frame, with the types of its columns; otherwise a matrix. `set_output` asks for
            another kind.
        """
        check_is_fitted(self)
        if not is_frame(X):
            return super().transform(X)
        if len(getattr(X, "shape", ())) == 2:
            _check_n_features(self, X, reset=False)
            _check_feature_names(self, X, reset=False)
        if not self.support_.any():
            warnings.warn("No features were selected: the tree is a single leaf.", UserWarning, stacklevel=2)
        chosen = np.flatnonzero(self.support_).tolist()
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if nw.dependencies.is_pandas_dataframe(X) and wanted != "polars":
            return X.iloc[:, chosen]
        frame = eager_frame(X)[:, chosen]
        if wanted == "pandas":
            return frame.to_pandas()
        return frame.to_polars() if wanted == "polars" else frame.to_native()

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

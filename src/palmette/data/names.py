"""The columns of a table between `fit` and later calls: remembered by an estimator, and held against later tables."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import _check_feature_names, _check_n_features

from palmette.data.frames import eager_frame, is_frame
from palmette.data.table import Table

__all__ = ["check_columns", "remember_columns"]


def remember_columns(estimator: Any, table: Table) -> None:
    """Set the attributes in which scikit-learn looks for the number and the names of the columns of `fit`."""
    estimator.n_features_in_ = len(table.columns)
    vars(estimator).pop("feature_names_in_", None)
    if table.names is not None:
        estimator.feature_names_in_ = np.array(table.names, dtype=object)


def check_columns(estimator: Any, X: Any) -> Any:
    """Raise, or warn, in scikit-learn's words, where the columns of X are not those of `fit`; X to go on with.

    scikit-learn sees no names in a record batch or a stream of Arrow. They come back as a table: a stream can be read
    only once.
    """
    if is_frame(X):
        frame = eager_frame(X)
        if not nw.dependencies.is_into_dataframe(X):
            X = frame.to_native()
    if len(getattr(X, "shape", ())) == 2:
        _check_n_features(estimator, X, reset=False)
        _check_feature_names(estimator, X, reset=False)
    return X

"""What all selectors share: a mask of features, and the selected columns of any frame, with their types.

The searches (`search/selector.py`) and the regularized ensembles (`ensemble/regularized.py`) select by it.
"""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from palmette.data.frames import eager_frame, is_frame
from palmette.data.names import check_columns
from palmette.support.messages import listing

__all__ = ["FrameSelector"]


class FrameSelector(SelectorMixin):
    """Base of the selectors that take raw tables: `support_` says which columns are kept."""

    support_: NDArray[np.bool_]

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

    def _forget_results(self) -> None:
        """Drop what an earlier fit made: a fit that fails must not leave its answer beside new columns."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

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
        X = check_columns(self, X)
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

    def inverse_transform(self, X: Any) -> Any:
        """The table that `transform` made X from, as far as X tells.

        Parameters
        ----------
        X : table with the selected columns

        Returns
        -------
        table
            A frame where X is a frame, with missing values in the columns that were left out; a matrix where X is one,
            with zeros there, as scikit-learn's selectors have it.
        """
        check_is_fitted(self)
        if not is_frame(X):
            return super().inverse_transform(X)
        # Only pandas has frames whose columns are called by other things than names, and those are not remembered.
        names: list[Any] = list(getattr(self, "feature_names_in_", range(self.support_.size)))
        chosen = [name for name, is_chosen in zip(names, self.support_, strict=True) if is_chosen]
        columns = list(X.columns) if nw.dependencies.is_pandas_dataframe(X) else eager_frame(X).columns
        if columns != chosen if hasattr(self, "feature_names_in_") else len(columns) != len(chosen):
            raise ValueError(
                f"X must have the selected columns {listing(chosen)}, but has {listing(columns)}. Pass what "
                "`transform` returned."
            )
        if nw.dependencies.is_pandas_dataframe(X):
            return X.set_axis(chosen, axis=1).reindex(columns=names)
        gone = [nw.lit(None).alias(name) for name, is_chosen in zip(names, self.support_, strict=True) if not is_chosen]
        return eager_frame(X).with_columns(*gone).select(*names).to_native()

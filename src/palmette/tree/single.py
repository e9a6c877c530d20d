"""What the classifiers of one tree share: predictions by it, its size, its renderings, its JSON.

`classifier.py` grows the tree, `palmette.evolution` evolves it.
"""

from __future__ import annotations

import os
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.table import Schema
from palmette.support.parameters import resolve_n_jobs
from palmette.tree.base import TreeGrowingClassifier, core_tree, importances
from palmette.tree.dot import tree_to_dot
from palmette.tree.model import Tree
from palmette.tree.plot import plot_tree
from palmette.tree.rules import Rule, tree_to_rules
from palmette.tree.serialization import read_json, tree_to_json
from palmette.tree.text import tree_to_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SingleTreeClassifier(TreeGrowingClassifier):
    """Base of the classifiers whose `tree_` is all that predicts."""

    tree_: Tree
    status_: str

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
        if not isinstance(parameters.get("random_state"), Integral | None):
            del parameters["random_state"]
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
        classifier
            Raises a ValueError that names the place where a file is not one of ours, or was damaged.
        """
        tree, parameters = read_json(text_or_path)
        named = parameters.pop("named", True)
        status = parameters.pop("status", "complete")
        unknown = sorted(set(parameters) - set(cls().get_params(deep=False)))
        if unknown:
            raise ValueError(f"parameters holds {unknown[0]!r}, which is not a parameter of {cls.__name__}.")
        if not isinstance(named, bool) or not isinstance(status, str):
            raise ValueError("parameters.named must be true or false, and parameters.status a text.")
        classifier = cls(**parameters)
        classifier._check_parameters()
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

    def _check_parameters(self) -> None:
        """Raise where a parameter is not what `fit` would take."""
        raise NotImplementedError

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

"""What the classifiers that grow trees share: raw tables in, growth parameters checked, probabilities out.

`classifier.py` makes one tree of it, `ensemble/forest.py` many.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import encode, prediction_columns
from palmette.data.labels import read_labels, require_two_classes
from palmette.data.names import check_columns, remember_columns
from palmette.data.reading import read_table
from palmette.data.scoring import ScoresLabels
from palmette.data.table import Schema, Table, display_name
from palmette.data.weights import read_weights, warn_of_light_weights
from palmette.support.budget import budget_of
from palmette.support.parameters import check_choice, check_number, resolve_n_jobs
from palmette.support.probabilities import PredictsByProbability
from palmette.tree.class_weights import ClassWeights
from palmette.tree.model import DEEPEST, Feature, Tree, checked_features

CRITERIA = ("information_gain", "gain_ratio", "gini")
GROWTHS = ("c45", "literal")
THRESHOLDS = ("c45", "midpoint")
PRUNINGS = (None, "error_based")


def check_pruning(pruning: Any, confidence: Any) -> None:
    """Raise where the parameters of pruning are wrong."""
    check_choice("pruning", pruning, PRUNINGS)
    check_number("confidence", confidence, 0, 1, low_excluded=True)


class Problem(NamedTuple):
    """A training problem, as the user gave it and as the core takes it."""

    table: Table
    dataset: _core.Dataset

    @property
    def labels(self) -> NDArray[np.int32]:
        """The classes of the rows by their numbers, a copy: the core has its own, and trees need no other."""
        return self.dataset.labels.astype(np.int32)


class TreeGrowingClassifier(PredictsByProbability, ScoresLabels, BaseEstimator):
    """Base of the classifiers that grow trees on raw tables."""

    criterion: str
    growth: str
    threshold: str
    min_samples: float
    max_depth: int | None
    categorical_features: Any
    time_limit: float | None
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "status_" in vars(self)

    def _growth_options(self) -> _core.GrowthOptions:
        """The checked parameters of growing, as the core takes them."""
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("growth", self.growth, GROWTHS)
        check_choice("threshold", self.threshold, THRESHOLDS)
        check_number("min_samples", self.min_samples, 0, 2**40, low_excluded=True)
        check_number("max_depth", self.max_depth, 0, integer=True, none_allowed=True)
        options = _core.GrowthOptions()
        options.criterion = getattr(_core.Criterion, self.criterion)
        options.growth = getattr(_core.Growth, self.growth)
        options.min_samples = float(self.min_samples)
        options.max_depth = DEEPEST if self.max_depth is None else min(int(self.max_depth), DEEPEST)
        return options

    def _budget(self) -> _core.Budget:
        return budget_of(self.time_limit)

    def _threshold_rule(self) -> _core.ThresholdRule:
        rule: _core.ThresholdRule = getattr(_core.ThresholdRule, self.threshold)
        return rule

    def _read_problem(self, X: Any, y: Any, sample_weight: Any, n_jobs: int) -> Problem:
        """Read and check the training data, remember its names, and encode it."""
        table = read_table(X, self.categorical_features)
        labels, classes = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        if self._counts_weights():
            warn_of_light_weights(weights)
        if weights is not None:
            require_two_classes(labels[weights > 0], classes, whose="y without the samples of weight 0")
        self._forget_model()
        remember_columns(self, table)
        self._schema = table.schema
        self.classes_ = classes
        return Problem(table, encode(table, labels, len(classes), weights, n_jobs))

    def _counts_weights(self) -> bool:
        """Whether a weight counts as so many samples, and is not just the chance to be drawn."""
        return True

    def _forget_model(self) -> None:
        """Drop what an earlier fit made: a fit that is stopped must not leave its trees beside new classes."""
        for name in ("status_", "tree_", "trees_", "_predictor", "_predictors"):
            self.__dict__.pop(name, None)

    def _features(self) -> tuple[Feature, ...]:
        schema: Schema = self._schema
        return checked_features(
            [
                Feature(display_name(schema.names, index), categories)
                for index, categories in enumerate(schema.categories)
            ]
        )

    def _read_for_prediction(self, X: Any, needed: Collection[int]) -> tuple[list[Any], int]:
        """The needed columns of X as the core reads them, and the number of rows."""
        check_is_fitted(self)
        X = check_columns(self, X)
        table = read_table(X, reference=self._schema, needed=needed)
        return prediction_columns(table, needed), table.n_rows

    def _probabilities(self, trees: list[_core.Tree], X: Any, needed: Collection[int]) -> NDArray[np.float64]:
        columns, n_rows = self._read_for_prediction(X, needed)
        probabilities: NDArray[np.float64] = _core.predict_probabilities(
            trees, columns, n_rows, resolve_n_jobs(self.n_jobs)
        )
        return probabilities

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        raise NotImplementedError


def core_tree(tree: Tree) -> _core.Tree:
    """A tree in the form that predicts; the core checks every index again."""
    return _core.Tree.from_arrays(
        n_classes=len(tree.classes),
        n_categories=[0 if item.categories is None else len(item.categories) for item in tree.features],
        feature=tree.feature,
        threshold=tree.threshold,
        branch_start=tree.branch_start,
        branches=tree.branches,
        label=tree.label,
        weight=tree.weight,
        class_start=tree.kept_class_weights.start,
        class_label=tree.kept_class_weights.label,
        class_weight=tree.kept_class_weights.weight,
        gain=tree.gain,
    )


def tree_view(flat: _core.Tree, features: tuple[Feature, ...], classes: NDArray[Any]) -> Tree:
    """A tree of the core as a frozen Python value; the arrays are shared, not copied.

    The core has checked them. A forest checks its features and classes once.
    """
    return Tree.of_checked(
        features=features,
        classes=classes,
        feature=flat.feature,
        threshold=flat.threshold,
        branch_start=flat.branch_start,
        branches=flat.branches,
        label=flat.label,
        weight=flat.weight,
        kept_class_weights=ClassWeights.of_checked(len(classes), flat.class_start, flat.class_label, flat.class_weight),
        gain=flat.gain,
        parent=flat.parent,
        depth=flat.depth,
    )


def importances(trees: Collection[Tree], n_features: int) -> NDArray[np.float64]:
    """The share of each feature in the total gain of the splits, averaged over the trees that split at all."""
    total = np.zeros(n_features)
    for tree in trees:
        inner = tree.feature >= 0
        gains = np.bincount(tree.feature[inner], weights=tree.gain[inner], minlength=n_features)
        if gains.sum() > 0:
            total += gains / gains.sum()
    return total / total.sum() if total.sum() > 0 else total

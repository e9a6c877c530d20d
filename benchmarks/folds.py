"""The classifiers of the 2019 paper on the folds of its cross-validation, for calibrate_baseline.py."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from tables import load
from variants import VARIANTS

from palmette import C45Classifier, C45ForestClassifier


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of classifier, with the column of the published table that it should reproduce."""

    title: str
    table: str
    column: str
    is_forest: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)


MEASURES = {
    "baseline": Measure("plain tree, information gain", "jmlr2019-table2", "generalization_baseline"),
    "ebp": Measure("error-based pruning", "jmlr2019-table6", "baseline", False, {"pruning": "error_based"}),
    "gain_ratio": Measure("gain ratio", "jmlr2019-table8", "baseline", False, {"criterion": "gain_ratio"}),
    "forest": Measure("random forest of 100 trees", "jmlr2019-table3", "rf", True, {"n_estimators": 100}),
    "breiman": Measure(
        *("forest with Breiman's rules", "jmlr2019-table3", "rf", True),
        {"n_estimators": 100, "max_features": "log2+1", "voting": "hard"},
    ),
}


@dataclass(frozen=True, slots=True)
class Batch:
    """The folds of one repetition: the unit that the cache keeps."""

    dataset: str
    repeat: int
    measure: str
    variant: str
    folds: int


@dataclass(frozen=True, slots=True)
class Fold:
    """What one fold gave: the error in percent and the size of the tree (forests: no size)."""

    error: float
    used: int | None
    nodes: int | None
    seconds: float


@lru_cache(maxsize=1)
def read_variant(dataset: str, variant: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The features and labels of a dataset, read as the variant asks."""
    X, y = load(dataset)
    chosen = VARIANTS[variant]
    return chosen.read(dataset, X), chosen.number_classes(y)


@lru_cache(maxsize=1)
def parts(dataset: str, variant: str, repeat: int, folds: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test rows of every fold of a repetition."""
    X, y = read_variant(dataset, variant)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        # Hypo and Anneal have a class of fewer samples than folds; the paper's folds have the same gap.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(np.zeros(len(X)), y))


def run_fold(batch: Batch, fold: int) -> Fold:
    """Grow on the training part of a fold, count the errors on its test part."""
    X, y = read_variant(batch.dataset, batch.variant)
    training, test = parts(batch.dataset, batch.variant, batch.repeat, batch.folds)[fold]
    X_training = X.iloc[training]
    variant, measure = VARIANTS[batch.variant], MEASURES[batch.measure]
    if variant.declare_seen_categories_only:
        X_training = X_training.apply(
            lambda column: column.cat.remove_unused_categories() if hasattr(column, "cat") else column
        )
    parameters = {"min_samples": 2, **measure.parameters, **variant.parameters}
    start = time.perf_counter()
    if measure.is_forest:
        seed = batch.repeat * batch.folds + fold
        model = C45ForestClassifier(**(parameters | dict(variant.forest_parameters)), random_state=seed, n_jobs=1)
    else:
        model = C45Classifier(**parameters, n_jobs=1)
    model.fit(X_training, y[training])
    error = 100.0 * float(np.mean(model.predict(X.iloc[test]) != y[test]))
    seconds = time.perf_counter() - start
    if measure.is_forest:
        return Fold(error, None, None, seconds)
    return Fold(error, len(model.used_features_), int(model.n_nodes_), seconds)

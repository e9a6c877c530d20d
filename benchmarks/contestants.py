"""The tables and the classifiers that meet in tree_speed.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import generate, load, ordinal_matrix

from palmette import C45Classifier, C45ForestClassifier
from palmette.data.encoding import encode
from palmette.data.reading import read_table

FOREST_SIZE = 20
# Twenty trees of scikit-learn take minutes on a million rows; fewer trees bear more of the coding of the table, each.
SMALLER_FORESTS = {"1000000x20": 6}
GENERATED = {"1000000x20": (1_000_000, 20), "5000x5000": (5_000, 5_000)}
QUICK = {"100000x20": (100_000, 20), "1000x1000": (1_000, 1_000)}
ROWS = ("letter", "spambase", "optdigits", "madelon", "clean2", "census", *GENERATED)
QUICK_ROWS = ("letter", "spambase", "optdigits", "madelon", "clean2", *QUICK)
LARGE = ("census", *GENERATED, *QUICK)


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """One row of the benchmark: the table as each side takes it, and the labels as numbers.

    A continuous table is the same float64 array for both. A table with nominal features is a frame for us and
    a float64 matrix of ordinal codes, made beforehand, for scikit-learn. `n_trees` is the size of all forests on it.
    """

    X_ours: Any
    X_theirs: NDArray[np.float64]
    y: NDArray[np.int64]
    n_trees: int = FOREST_SIZE


def read_row(name: str) -> SpeedTable:
    """Load or generate the table of one row."""
    sizes = {**GENERATED, **QUICK}
    n_trees = SMALLER_FORESTS.get(name, FOREST_SIZE)
    if name in sizes:
        X, y = generate(*sizes[name])
        return SpeedTable(X, X, y, n_trees)
    frame, y = load(name)
    matrix = ordinal_matrix(frame)
    has_nominal = any(str(dtype) == "category" for dtype in frame.dtypes)
    return SpeedTable(frame if has_nominal else matrix, matrix, y, n_trees)


def _tree(growth: str, jobs: int, n_trees: int) -> Any:
    return C45Classifier(growth=growth, n_jobs=jobs)


def _forest(growth: str, jobs: int, n_trees: int) -> Any:
    return C45ForestClassifier(n_estimators=n_trees, growth=growth, random_state=0, n_jobs=jobs)


def _their_tree(jobs: int, n_trees: int) -> Any:
    return DecisionTreeClassifier(criterion="entropy", random_state=0)


def _their_forest(jobs: int, n_trees: int) -> Any:
    return RandomForestClassifier(
        criterion="entropy", n_estimators=n_trees, max_features="log2", random_state=0, n_jobs=jobs
    )


@dataclass(frozen=True, slots=True)
class Contestant:
    """A classifier to be timed; `make` takes the number of threads, and of trees if it is a forest."""

    make: Callable[[int, int], Any]
    is_ours: bool


CONTESTANTS = {
    "literal tree": Contestant(partial(_tree, "literal"), True),
    "c45 tree": Contestant(partial(_tree, "c45"), True),
    "scikit-learn tree": Contestant(_their_tree, False),
    "literal forest": Contestant(partial(_forest, "literal"), True),
    "c45 forest": Contestant(partial(_forest, "c45"), True),
    "scikit-learn forest": Contestant(_their_forest, False),
}


def coded_bytes(table: SpeedTable) -> int:
    """Bytes of the rank codes that the core keeps of a table."""
    labels = table.y.astype(np.int32)
    return int(encode(read_table(table.X_ours), labels, int(labels.max()) + 1, None, 1).nbytes)


def count_nodes(model: Any) -> int:
    """Nodes of a fitted tree, or of all trees of a fitted forest, ours or scikit-learn's."""
    match model:
        case RandomForestClassifier():
            return sum(count_nodes(tree) for tree in model.estimators_)
        case DecisionTreeClassifier():
            return int(model.tree_.node_count)
        case C45ForestClassifier():
            return sum(tree.n_nodes for tree in model.trees_)
        case _:
            return int(model.n_nodes_)


def model_bytes(model: Any) -> int:
    """Bytes of the arrays of our fitted tree, or of all trees of our forest."""
    trees = model.trees_ if isinstance(model, C45ForestClassifier) else [model.tree_]
    arrays = ("feature", "threshold", "branch_start", "branches", "label", "weight", "gain", "parent")
    return sum(
        sum(int(getattr(tree, name).nbytes) for name in arrays) + tree.kept_class_weights.nbytes for tree in trees
    )

"""Why a tree uses features that it does not need: the Max-Dependency tree of Deng & Runger (2012, Section III).

A decision tree asks at every node for the feature that tells most of the class *there* (equation 4). The Max-Dependency
scheme (Peng, Long & Ding 2005) asks at every level for the one feature that tells most of the class given all features
chosen before, on average over the nodes of the level (equation 5):

    next = argmax over X of  sum over nodes of  (share of the samples at the node) · I(X; Y at the node)

Both split a node into one branch for each value, and both go on until the classes are told apart as well as all
features together can. The tree is free to ask another feature at every node, and nothing keeps it from asking for one
that is as good as one it has asked already: it ends with more features. The price of the Max-Dependency tree is depth
and time: a level is one feature for all nodes, needed or not. Regularized trees (`RegularizedForestSelector`) stand
between the two.

Numbers are cut into intervals first, by `MDLDiscretizer`. Datasets beyond scikit-learn's are read from the folder that
PALMETTE_DATA names.

    PALMETTE_DATA=../shared/data python examples/max_dependency.py
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from palmette import C45Classifier, MDLDiscretizer
from palmette.datasets import load

console = Console(highlight=False)

DATASETS = ("breast_cancer", "wine", "mushroom", "kr_vs_kp", "voting", "soybean", "waveform")


@dataclass(frozen=True)
class Level:
    """One level of a Max-Dependency tree."""

    feature: str
    gain: float  # I(X; Y | the features above), in bits
    left: float  # H(Y | the features so far)
    n_nodes: int


def joint(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each pair of values that occurs, from 0 on."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1]


def entropy_of(labels: NDArray[np.int64], nodes: NDArray[np.int64]) -> float:
    """H(Y | node): the class entropy at the nodes, averaged over the samples."""
    counts = np.bincount(joint(nodes, labels))
    of_node = np.bincount(nodes)
    return float((of_node @ np.log2(of_node) - counts @ np.log2(counts)) / len(labels))


def max_dependency_tree(frame: pd.DataFrame, labels: NDArray[np.int64]) -> list[Level]:
    """The levels of the tree, until no feature tells anything more of the classes. Missing is a value."""
    columns = {name: frame[name].cat.codes.to_numpy(dtype=np.int64) + 1 for name in frame}
    nodes = np.zeros(len(labels), dtype=np.int64)
    left = entropy_of(labels, nodes)
    levels: list[Level] = []
    while True:
        entropies = {name: entropy_of(labels, joint(nodes, codes)) for name, codes in columns.items()}
        feature = min(entropies, key=lambda name: entropies[name])
        if left - entropies[feature] < 1e-9:
            return levels
        nodes = joint(nodes, columns.pop(feature))
        levels.append(Level(feature, left - entropies[feature], entropies[feature], int(nodes.max()) + 1))
        left = entropies[feature]
        if not columns:
            return levels


def intervals(frame: pd.DataFrame, labels: NDArray[np.int64]) -> pd.DataFrame:
    """The table with numbers cut and everything a category; missing values become a category, for both trees."""
    cut = MDLDiscretizer(encode="interval").set_output(transform="pandas").fit_transform(frame, labels)
    texts = cut.astype(object)
    return texts.where(texts.notna(), "missing").astype(str).astype("category")


def figure_1(n_samples: int = 200) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Two classes that X2 tells apart alone; after the first cut of X2, X1 would do as well."""
    generator = np.random.default_rng(0)
    x2 = generator.uniform(0, 3, n_samples)
    labels = ((x2 > 1) & (x2 < 2)).astype(np.int64)
    x1 = np.where(labels == 1, generator.uniform(0, 1, n_samples), generator.uniform(1, 2, n_samples))
    x1 = np.where(x2 <= 1, generator.uniform(0, 2, n_samples), x1)
    return pd.DataFrame({"X1": x1, "X2": x2}), labels


def show_figure_1() -> None:
    frame, labels = figure_1()
    console.rule("Figure 1: a redundant feature")
    tree = C45Classifier(growth="literal").fit(frame, labels)
    console.print("The decision tree on the numbers, which may cut X2 twice, or ask X1 instead:\n")
    console.print(tree.to_text(), markup=False)
    levels = max_dependency_tree(intervals(frame, labels), labels)
    console.print(
        f"It uses {', '.join(map(str, tree.used_features_))}. The Max-Dependency tree has the levels "
        f"{', '.join(level.feature for level in levels)}: the three intervals of X2 say it all.\n"
    )


def compare(names: tuple[str, ...]) -> None:
    console.rule("Features that the two trees use, on the same intervals and categories")
    table = Table(box=None)
    table.add_column("dataset")
    for column in ("features", "used by the tree", "levels", "in both", "leaves of the tree", "of the levels"):
        table.add_column(column, justify="right")
    for name in names:
        X, y = load(name)
        labels = np.unique(y, return_inverse=True)[1].astype(np.int64)
        frame = intervals(pd.DataFrame(X), labels)
        tree = C45Classifier(growth="literal", min_samples=1).fit(frame, labels)
        levels = max_dependency_tree(frame, labels)
        both = {level.feature for level in levels} & set(map(str, tree.used_features_))
        table.add_row(
            name,
            str(frame.shape[1]),
            str(len(tree.used_features_)),
            str(len(levels)),
            str(len(both)),
            str(tree.tree_.n_leaves),
            str(levels[-1].n_nodes if levels else 1),
        )
    console.print(table)
    console.print(
        "\nThe Max-Dependency tree tells the classes of the training samples apart as well, with fewer features and "
        "more leaves: each level splits all nodes. With many levels a node holds one sample, and the last features are "
        "chance."
    )


def show_levels(name: str) -> None:
    X, y = load(name)
    labels = np.unique(y, return_inverse=True)[1].astype(np.int64)
    console.rule(f"The levels for {name}")
    table = Table(box=None)
    for column in ("level", "feature", "bits told", "bits left", "nodes"):
        table.add_column(column, justify="left" if column == "feature" else "right")
    for number, level in enumerate(max_dependency_tree(intervals(pd.DataFrame(X), labels), labels), start=1):
        table.add_row(str(number), level.feature, f"{level.gain:.4f}", f"{level.left:.4f}", str(level.n_nodes))
    console.print(table)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS))
    options = parser.parse_args(arguments)
    folder = os.environ.get("PALMETTE_DATA")
    here = {"breast_cancer", "wine", "iris", "digits"}
    names = [
        name
        for name in options.datasets
        if name in here or (folder is not None and (Path(folder) / f"{name}.parquet").is_file())
    ]
    show_figure_1()
    show_levels(names[0])
    compare(tuple(names))


if __name__ == "__main__":
    main()

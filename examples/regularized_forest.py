"""What does a penalty on new features do to a forest? The idea of Deng & Runger (2012) on a table full of copies.

Three features decide the class; each has ten noisy copies, and there are thirty columns of noise. A random forest tests
all of them, because a copy splits nearly as well as the original. A regularized forest multiplies the gain of a feature
that no tree has used yet by λ, so a copy of what is there already seldom pays. The table shows, for several λ, how many
features are left and how well a plain forest does with them on rows that the selection has not seen. Noise still comes
in where a node is small and any feature can tell its few samples apart; a guide, the importances of a plain forest,
keeps it out.

    python examples/regularized_forest.py
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import train_test_split

from palmette import C45ForestClassifier, RegularizedBoostingSelector, RegularizedForestSelector

console = Console(highlight=False)


def redundant(rows: int, copies: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three features that decide, noisy copies of each, and noise."""
    generator = np.random.default_rng(0)
    telling = generator.normal(size=(rows, 3))
    columns = {}
    for number in range(3):
        columns[f"cause {number + 1}"] = telling[:, number]
        for copy in range(copies):
            columns[f"copy {number + 1}.{copy + 1}"] = telling[:, number] + 0.3 * generator.normal(size=rows)
    for number in range(3 * copies):
        columns[f"noise {number + 1}"] = generator.normal(size=rows)
    labels = np.where(telling[:, 0] + telling[:, 1] * telling[:, 2] > 0, "yes", "no")
    return pd.DataFrame(columns), labels


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--trees", type=int, default=50)
    options = parser.parse_args(arguments)
    X, y = redundant(options.rows, options.copies)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    forest = C45ForestClassifier(options.trees, max_features="sqrt", random_state=0)

    table = Table(title=f"{len(X)} samples, {X.shape[1]} features, of which 3 decide", title_justify="left", box=None)
    for column in ("selected by", "λ", "features", "causes", "copies", "noise", "accuracy"):
        table.add_column(column, justify="left" if column == "selected by" else "right")

    def show(name: str, weight: str, names: list[str]) -> None:
        kinds = [sum(name.startswith(kind) for name in names) for kind in ("cause", "copy", "noise")]
        accuracy = forest.fit(X[names], y).score(X_test[names], y_test)
        table.add_row(name, weight, str(len(names)), *map(str, kinds), f"{accuracy:.1%}")

    show("nobody", "", X.columns.tolist())
    show("the plain forest", "", [str(name) for name in forest.fit(X, y).used_features_])
    for selector in (RegularizedForestSelector, RegularizedBoostingSelector):
        name = "RRF" if selector is RegularizedForestSelector else "RBoost"
        for weight in (1.0, 0.8, 0.5, 0.2):
            fitted = selector(options.trees, new_feature_weight=weight, random_state=0).fit(X, y)
            show(name, f"{weight:.1f}", fitted.get_feature_names_out().tolist())
    forest.fit(X, y)
    guided = RegularizedForestSelector(options.trees, guide=forest, guide_strength=0.8, random_state=0).fit(X, y)
    show("RRF, guided", "", guided.get_feature_names_out().tolist())
    console.print(table)
    console.print(f"\n{guided.summary()}")


if __name__ == "__main__":
    main()

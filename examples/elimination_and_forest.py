"""Does a random forest gain from features that backward elimination chose? The claim of Table 3 (Ruggieri 2019).

A forest draws a few features at every node. Where most features are noise, most nodes draw nothing but noise; on
Madelon (500 features, 480 of them noise) the paper's forest errs on 36.25 % of the test samples, and on 20.93 % with
the features of DTsbe. Where every feature tells a little, elimination takes information away: on Sonar 18.42 % become
23.26 %. Both sides are shown here, by a plain scikit-learn pipeline on raw frames:

    Pipeline([("select", BackwardEliminationSelector()), ("forest", C45ForestClassifier())])

Madelon is read from the folder that PALMETTE_DATA names; without it, the generated table stands alone.

    PALMETTE_DATA=../shared/data python examples/elimination_and_forest.py
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from palmette import BackwardEliminationSelector, C45Classifier, C45ForestClassifier, published
from palmette.datasets import load

console = Console(highlight=False)

FOREST = C45ForestClassifier(100, random_state=0, n_jobs=-1)
MODELS: dict[str, Any] = {
    "tree": C45Classifier(),
    "elimination, tree": BackwardEliminationSelector(random_state=0, n_jobs=-1),
    "forest": FOREST,
    "elimination, forest": Pipeline(
        [("select", BackwardEliminationSelector(random_state=0, n_jobs=-1)), ("forest", FOREST)]
    ),
}


def generated(rows: int = 600, features: int = 3000) -> tuple[pd.DataFrame, np.ndarray]:
    """A wide table: three features and a category decide, some values are missing, and the rest is noise."""
    generator = np.random.default_rng(0)
    table = generator.normal(size=(rows, features))
    telling = generator.permutation(features)[:3]
    color = generator.choice(["red", "green", "blue"], rows)
    signal = np.sign(table[:, telling[0]]) + np.sign(table[:, telling[1]]) + 0.5 * np.sign(table[:, telling[2]])
    labels = np.where(signal + 0.8 * (color == "red") > 0.2, "yes", "no")
    table[generator.random(table.shape) < 0.01] = np.nan
    frame = pd.DataFrame(table, columns=[f"x{number}" for number in range(features)])
    frame["color"] = pd.Categorical(color)
    return frame, labels


def errors_of(model: Any, X: pd.DataFrame, y: np.ndarray, folds: int) -> tuple[np.ndarray, float, float]:
    """Test errors by fold, features of the last step, seconds of a fit."""
    errors, sizes, seconds = [], [], []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        start = time.perf_counter()
        fitted = clone(model).fit(X.iloc[train], y[train])
        seconds.append(time.perf_counter() - start)
        errors.append(np.mean(fitted.predict(X.iloc[test]) != y[test]))
        selector = fitted["select"] if isinstance(fitted, Pipeline) else fitted
        chosen = getattr(selector, "support_", None)
        sizes.append(X.shape[1] if chosen is None else int(chosen.sum()))
    return np.array(errors), float(np.mean(sizes)), float(np.mean(seconds))


def show(name: str, X: pd.DataFrame, y: np.ndarray, folds: int) -> None:
    results = {}
    with console.status(f"{name} …"):
        for title, model in MODELS.items():
            results[title] = errors_of(model, X, y, folds)
    table = Table(title=f"{name}: {X.shape[0]} samples, {X.shape[1]} features", title_justify="left", box=None)
    for column in ("", "features", "test error", "± error", "s/fit", "paper"):
        table.add_column(column, justify="left" if not column else "right")
    columns = {"tree": "generalization_baseline", "elimination, tree": "generalization_dtsbe"}
    columns |= {"forest": "rf", "elimination, forest": "dtsbe_rf"}
    known = {row["dataset"] for row in published.table("jmlr2019-table3")}
    for title, (errors, size, seconds) in results.items():
        paper = None
        if name in known:
            table_name = "jmlr2019-table2" if "tree" in title else "jmlr2019-table3"
            paper = published.estimate(table_name, name, columns[title])
        spread = errors.std(ddof=1) / np.sqrt(len(errors))
        printed = "" if paper is None else f"{paper.mean:.2f} %"
        table.add_row(title, f"{size:,.1f}", f"{errors.mean():.2%}", f"{spread:.2%}", f"{seconds:.2f}", printed)
    console.print(table)
    console.print(verdict(results["elimination, forest"][0], results["forest"][0]) + "\n")


def verdict(with_elimination: np.ndarray, alone: np.ndarray) -> str:
    """What the folds can tell: a paired difference beyond two standard errors."""
    differences = with_elimination - alone
    mean, spread = differences.mean(), differences.std(ddof=1) / np.sqrt(len(differences))
    shown = f"({mean:+.2%} ± {spread:.2%} of the test samples)"
    if abs(mean) <= 2 * spread:
        return f"· {len(differences)} folds cannot tell whether elimination helps the forest {shown}."
    return f"· Elimination {'helps' if mean < 0 else 'harms'} the forest {shown}."


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--features", type=int, default=3000, help="of the generated table")
    parser.add_argument("--datasets", nargs="*", default=["madelon", "sonar"], help="of PALMETTE_DATA")
    options = parser.parse_args(arguments)
    folder = os.environ.get("PALMETTE_DATA")
    for name in options.datasets:
        if folder is None or not (Path(folder) / f"{name}.parquet").is_file():
            console.print(f"[dim]{name} is left out: PALMETTE_DATA names no folder that holds it.[/]")
            continue
        dataset = load(name)
        show(name, dataset.X, np.asarray(dataset.y), options.folds)
    show("generated", *generated(features=options.features), options.folds)


if __name__ == "__main__":
    main()

"""What filters are good for, and what they cannot see: CFS and FCBF beside a tree and backward elimination.

Three tables:

- **wide**: three features and a category decide, among noisy copies of them and hundreds of columns of noise. Filters
  find what tells of the class in a blink; FCBF drops the copies, CFS keeps some of each.
- **parity**: two features decide together, and neither tells anything alone. Filters compare columns in pairs, and
  select by chance; a search that asks trees finds both.
- **a real one** (breast_cancer), where the truth lies between.

    python examples/filters.py
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from palmette import BackwardEliminationSelector, C45Classifier, CFSSelector, FCBFSelector
from palmette.datasets import load

console = Console(highlight=False)

MODELS: dict[str, Any] = {
    "all features": C45Classifier(),
    "FCBF": FCBFSelector(),
    "CFS": CFSSelector(),
    "elimination": BackwardEliminationSelector(random_state=0),
}


def wide(n_samples: int = 600, n_copies: int = 60, n_noise: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    generator = np.random.default_rng(0)
    telling = generator.normal(size=(n_samples, 3))
    color = generator.choice(["red", "green", "blue"], n_samples)
    labels = np.where(telling @ [2.0, 1.5, 1.0] + 1.5 * (color == "red") > 0.5, "yes", "no")
    columns = {f"telling {i}": telling[:, i] for i in range(3)}
    for i in range(n_copies):
        columns[f"copy {i} of {i % 3}"] = telling[:, i % 3] + generator.normal(scale=0.3, size=n_samples)
    for i in range(n_noise):
        columns[f"noise {i}"] = generator.normal(size=n_samples)
    frame = pd.DataFrame(columns).mask(generator.random((n_samples, len(columns))) < 0.02)
    frame["color"] = pd.Categorical(color)
    return frame, labels


def parity(n_samples: int = 400, n_noise: int = 8) -> tuple[pd.DataFrame, np.ndarray]:
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2, (n_samples, 2 + n_noise))
    frame = pd.DataFrame(bits, columns=["left", "right", *(f"noise {i}" for i in range(n_noise))]).astype("category")
    return frame, bits[:, 0] ^ bits[:, 1]


def compare(title: str, X: pd.DataFrame, y: np.ndarray, n_folds: int) -> None:
    console.rule(f"{title}: {X.shape[0]} samples, {X.shape[1]} features")
    table = Table(box=None)
    table.add_column("tree with")
    for column in ("features", "accuracy", "seconds a fit"):
        table.add_column(column, justify="right")
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    for name, model in MODELS.items():
        scores, sizes = [], []
        begin = time.perf_counter()
        for train, test in folds:
            fitted = clone(model).fit(X.iloc[train], y[train])
            scores.append(fitted.score(X.iloc[test], y[test]))
            sizes.append(len(fitted.used_features_) if name == "all features" else int(fitted.support_.sum()))
        seconds = (time.perf_counter() - begin) / len(folds)
        table.add_row(name, f"{np.mean(sizes):.1f}", f"{np.mean(scores):.1%}", f"{seconds:.2f}")
    console.print(table)
    for selector in (FCBFSelector(), CFSSelector()):
        console.print(f"\n[bold]{type(selector).__name__}[/]: {clone(selector).fit(X, y).summary()}")
    console.print()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--noise", type=int, default=300, help="columns of noise in the wide table")
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="No features were selected")
    compare("wide", *wide(n_noise=options.noise), options.folds)
    compare("parity", *parity(), options.folds)
    X, y = load("breast_cancer")
    compare("breast_cancer", pd.DataFrame(X), np.asarray(y), options.folds)


if __name__ == "__main__":
    main()

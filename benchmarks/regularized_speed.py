"""How much slower is a regularized forest than a forest without the penalty, on one thread?

    python benchmarks/regularized_speed.py
    python benchmarks/regularized_speed.py --trees 50 --repeats 3 --datasets sonar,waveform

Whole `fit` calls side by side: the regularized forest (λ = 0.5), our forest of the same trees without a shared set
(grown to purity, √M features at a node), and scikit-learn's with entropy and √M. A frame for ours; for scikit-learn a
matrix of numbers, made beforehand. The goal is at most 1.5 times the time of an unregularized forest of as many trees.

"gains" is what a regularized node costs: how often the gain of a feature was computed, per node that was split, beside
the √M of the others. It looks at all selected features besides √M new ones, so that this number, not the bookkeeping,
is where the time goes.

R's own package (RRF) would be the natural peer. It is looked for in the R at hand; without R or without the package
the table says so.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
from typing import Any

import numpy as np
from measuring import alternate, machine_line
from sklearn.ensemble import RandomForestClassifier
from tables import load, ordinal_matrix, print_table

from palmette import C45ForestClassifier, RegularizedForestSelector

DATASETS = "sonar,german,clean1,arrhythmia,spambase,waveform,madelon,adult"


def r_package() -> str:
    """Whether R and its package RRF can be had here."""
    if shutil.which("Rscript") is None:
        return "R is not installed, so its package RRF is not among the contestants."
    found = subprocess.run(["Rscript", "-e", "packageVersion('RRF')"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return "R has no package RRF here, so it is not among the contestants."
    return f"R has RRF {found.stdout.strip()}; this script does not run it."


def contestants(X: Any, y: Any, trees: int) -> dict[str, Any]:
    matrix = ordinal_matrix(X)
    return {
        "regularized": lambda: RegularizedForestSelector(trees, random_state=0).fit(X, y),
        "plain": lambda: C45ForestClassifier(
            trees, growth="literal", threshold="midpoint", max_features="sqrt", random_state=0
        ).fit(X, y),
        "scikit-learn": lambda: RandomForestClassifier(
            trees, criterion="entropy", max_features="sqrt", random_state=0, n_jobs=1
        ).fit(matrix, y),
    }


def n_splits(model: Any) -> int:
    if hasattr(model, "trees_"):
        return sum(int(np.count_nonzero(tree.feature >= 0)) for tree in model.trees_)
    return sum(int(np.count_nonzero(tree.tree_.feature >= 0)) for tree in model.estimators_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--datasets", default=DATASETS)
    options = parser.parse_args()
    rows = []
    for name in options.datasets.split(","):
        X, y = load(name)
        runs = alternate(contestants(X, y, options.trees), options.repeats)
        regularized, plain, peer = (runs[key] for key in ("regularized", "plain", "scikit-learn"))
        splits = [n_splits(run.result) for run in (regularized, plain, peer)]
        rows.append(
            [
                name,
                f"{len(y)} × {X.shape[1]}",
                int(regularized.result.support_.sum()),
                *(f"{run.processor_seconds:.2f}" for run in (regularized, plain, peer)),
                f"{regularized.processor_seconds / plain.processor_seconds:.2f}",
                f"{regularized.processor_seconds / peer.processor_seconds:.2f}",
                *(f"{number / 1000:.1f}" for number in splits),
                f"{regularized.result.n_gains_computed_ / max(1, splits[0]):.1f}",
                math.isqrt(X.shape[1] - 1) + 1,
            ]
        )
    print(machine_line())
    print(r_package())
    header = ["table", "size", "selected", "regularized", "plain", "sklearn", "/plain", "/sklearn"]
    header += ["splits, k", "plain", "sklearn", "gains/split", "√M"]
    print_table(f"{options.trees} trees, one thread, median processor seconds of {options.repeats} fits", header, rows)


if __name__ == "__main__":
    main()

"""How fast does Ardennes evolve a tree, beside a plain-Python program in the shape of the published one?

One row a dataset of Cagnini et al. (2017): EvolvedTreeClassifier with its defaults on one thread, first of ten folds to
test, second to validate. Processor seconds, which the work of others on the machine disturbs least.

The published program is Python: it draws each tree node by node, tries every midpoint of the drawn feature by parting
the samples of the node, and predicts sample by sample. tests/oracles/ardennes.py does the same work in plain Python,
on lists instead of pandas frames, and without a cache. A whole run of it takes up to half an hour, so it is estimated:
at several moments of our run it draws a few trees from the model of that moment; the mean of their processor seconds,
times the trees that our run drew, is what the whole would take. Both also draw the same small generation, and the trees
must be the same.

    python benchmarks/evolution_speed.py
    python benchmarks/evolution_speed.py --datasets vehicle --trees 5
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from measuring import machine_line
from tables import data_folder, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracles.ardennes import Ardennes, Model, Stream
from oracles.c45 import Column
from palmette import EvolvedTreeClassifier, _core, published
from palmette.data.encoding import encode, prediction_columns
from palmette.data.reading import read_table

MOMENTS = 5
GOAL = 50
DEFAULTS = {"population_size": 200, "n_elite": 100, "max_generations": 100, "max_height": 9}


def first_fold(dataset: str) -> tuple[Any, Any, tuple[Any, Any]]:
    """Training samples and the validation set."""
    from palmette.reproduce.cec2017 import parts_of
    from palmette.reproduce.readings import read

    X, y = read(dataset)
    training, validation, _ = parts_of(y, 0, 10, 0)
    return X.iloc[training].reset_index(drop=True), y[training], (X.iloc[validation], y[validation])


def same_trees(X: Any, y: Any, oracle: Ardennes, trees: int) -> bool:
    """Whether the core and the oracle draw the same first generation."""
    table = read_table(X)
    options = _core.EvolutionOptions()
    options.population_size, options.n_elite, options.max_generations, options.seed = trees, 1, 0, 7
    dataset = encode(table, np.asarray(y, dtype=np.int32), oracle.n_classes, None, 1)
    columns = prediction_columns(table, range(len(table.columns)))
    run = _core.evolve_tree(dataset, columns, [], False, options, _core.Budget())
    stream = Stream(7).child(0)
    drawn = [oracle.draw_tree(Model(X.shape[1], 1, {}), stream.child(place)) for place in range(trees)]
    return run.population == [tree.genes() for tree in sorted(drawn, key=oracle.key)]


def measure(dataset: str, trees: int) -> list[Any]:
    X, y, validation = first_fold(dataset)
    start = time.process_time()
    tree = EvolvedTreeClassifier(random_state=0).fit(X, y, validation_set=validation)
    ours = time.process_time() - start

    columns = [Column(X[name].astype(float).tolist()) for name in X.columns]
    oracle = Ardennes(columns, y.tolist(), len(np.unique(y)), seed=0, **DEFAULTS)
    same = same_trees(X, y, oracle, trees)
    seconds = []
    for moment in np.linspace(0, len(tree.history_) - 1, MOMENTS).round().astype(int):
        shown = tree.history_[moment].distribution
        counts: dict[int, Counter[int]] = {}
        for position, feature, count in zip(shown.positions, shown.features, shown.counts, strict=True):
            counts.setdefault(int(position), Counter())[int(feature)] = int(count)
        model = Model(X.shape[1], 100, counts)
        for place in range(trees):
            start = time.process_time()
            drawn = oracle.draw_tree(model, Stream(int(moment)).child(place))
            rows = X.to_numpy()
            right = sum(_predict(drawn, row) == label for row, label in zip(rows, y, strict=True))
            seconds.append(time.process_time() - start)
            assert right * 2**32 == drawn.correct
    plain = float(np.mean(seconds)) * tree.n_trees_
    size = f"{X.shape[0]} × {X.shape[1]}"
    return [
        *(dataset, size, tree.n_generations_, tree.n_trees_, f"{ours:.2f}"),
        *(f"{1e3 * float(np.mean(seconds)):.1f}", f"{plain:,.0f}", f"{plain / ours:,.0f}×", "yes" if same else "NO"),
    ]


def _predict(node: Any, row: Any) -> int:
    while node.branches:
        node = node.branches[int(row[node.feature] > node.threshold)]
    return int(node.label)


def main() -> None:
    names = [str(row["dataset"]) for row in published.table("cec2017-table3")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(names))
    parser.add_argument("--trees", type=int, default=2, help="trees that the plain program draws at each moment")
    arguments = parser.parse_args()
    data_folder()
    print(machine_line())
    rows = [measure(name, arguments.trees) for name in arguments.datasets.split(",")]
    header = ["dataset", "training", "generations", "trees", "ours (s)", "plain, a tree (ms)", "plain, all (s)"]
    print_table("Ardennes, processor seconds", [*header, f"ratio (goal {GOAL}×)", "same trees"], rows)


if __name__ == "__main__":
    main()

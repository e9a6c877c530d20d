"""Do irrelevant features hurt? The claim of Langley & Sage (1994): it depends on the learner and on the concept.

The class is 1 where three Boolean features are all true or all false; no one of them tells anything alone. More and
more features that mean nothing are put beside them. Nearest neighbour drowns at once, because every irrelevant feature
moves samples apart that belong together. A tree that grows from the root has nothing to begin with, and splits on
noise. OBLIVION starts from the table of all features and takes out one at a time; FOCUS asks for the fewest features
that tell the classes apart. Both end with the three, as long as there are samples enough.

    python examples/irrelevant_features.py
    python examples/irrelevant_features.py --samples 200 --noise 0.05
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.neighbors import KNeighborsClassifier

from palmette import C45Classifier, FocusSelector, ObliviousTreeClassifier
from palmette.datasets import make_all_equal

console = Console(highlight=False)

LEARNERS: dict[str, Any] = {
    "nearest neighbour": lambda: KNeighborsClassifier(1, metric="hamming"),
    "C4.5, pruned": lambda: C45Classifier(pruning="error_based"),
    "OBLIVION": lambda: ObliviousTreeClassifier(),
    "FOCUS, then C4.5": lambda: FocusSelector(C45Classifier(growth="literal", min_samples=1)),
}
TEST_SAMPLES = 1000


def accuracies(n_samples: int, n_irrelevant: int, noise: float, repeats: int) -> dict[str, float]:
    """The mean accuracy of every learner on fresh samples without noise."""
    means = {}
    for name, make in LEARNERS.items():
        scores = []
        for repeat in range(repeats):
            X, y = make_all_equal(n_samples, n_irrelevant=n_irrelevant, flip_y=noise, random_state=2 * repeat)
            fresh, truth = make_all_equal(TEST_SAMPLES, n_irrelevant=n_irrelevant, random_state=2 * repeat + 1)
            # Ties between features go to the first; nobody should gain by the order of the columns.
            order = np.random.default_rng(repeat).permutation(X.shape[1])
            with warnings.catch_warnings():
                # With noise, samples that are alike may have different classes; FOCUS says so every time.
                warnings.simplefilter("ignore")
                scores.append(make().fit(X[:, order], y).score(fresh[:, order], truth))
        means[name] = float(np.mean(scores))
    return means


def show_table(n_samples: int, irrelevant: Sequence[int], noise: float, repeats: int) -> None:
    table = Table(title=f"Accuracy after {n_samples} samples, {noise:.0%} of the labels wrong", title_justify="left")
    table.add_column("irrelevant features")
    for name in LEARNERS:
        table.add_column(name, justify="right")
    for n_irrelevant in irrelevant:
        means = accuracies(n_samples, n_irrelevant, noise, repeats)
        table.add_row(str(n_irrelevant), *(f"{mean:.1%}" for mean in means.values()))
    console.print(table)


def show_one(n_samples: int, n_irrelevant: int) -> None:
    """What OBLIVION took out, and the table that is left."""
    X, y = make_all_equal(n_samples, n_irrelevant=n_irrelevant, random_state=1)
    model = ObliviousTreeClassifier().fit(X, y)
    console.print(f"\nOBLIVION with {n_irrelevant} irrelevant features (x0, x1 and x2 decide):")
    for step in model.history_:
        what = "all features" if not step.removed else f"without x{step.removed[0]}"
        console.print(f"  {what:14} {step.error:6.1%} errors in leave-one-out")
    console.print()
    console.print(model.to_text(max_cells=8))
    console.print(f"\nFOCUS: {FocusSelector().fit(X, y).summary()}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100, help="training samples (100)")
    parser.add_argument("--irrelevant", default="0,2,4,8,12", help="numbers of irrelevant features (0,2,4,8,12)")
    parser.add_argument("--noise", type=float, default=0.0, help="share of the training labels that are wrong (0)")
    parser.add_argument("--repeats", type=int, default=10, help="training sets to average over (10)")
    options = parser.parse_args(arguments)
    irrelevant = [int(number) for number in options.irrelevant.split(",")]
    show_table(options.samples, irrelevant, options.noise, options.repeats)
    show_one(options.samples, 5)


if __name__ == "__main__":
    main()

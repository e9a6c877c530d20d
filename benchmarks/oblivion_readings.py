"""Why does OBLIVION need so many samples where many features are irrelevant, and which reading of its paper does not?

    python benchmarks/oblivion_readings.py
    python benchmarks/oblivion_readings.py --concept parity --repeats 100

Langley & Sage (1994) leave open how ties between removals and between classes are broken, the n of their n-way
cross-validation, and whether its folds stay the same. The first table has the samples needed for 95 % accuracy under
each reading, by the number of irrelevant features. The second tells how the prunings of 100 samples ended: with the
relevant features alone, with irrelevant ones beside them, or without a relevant one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from measuring import machine_line
from numpy.typing import NDArray
from tables import print_table

from palmette import ObliviousTreeClassifier, datasets
from palmette.reproduce.langley1994 import CONCEPTS, IRRELEVANT, SIZES, TARGET, crossing

TEST_SAMPLES = 500
MOST_SAMPLES = 700
N_RELEVANT = 3


@dataclass(frozen=True)
class Reading:
    """Parameters of OBLIVION, and how the data are turned so that its tie rules favour the one or the other."""

    parameters: dict[str, Any] = field(default_factory=dict)
    columns: str = "shuffled"
    other_class: bool = False


READINGS = {
    "leave-one-out": Reading(),
    "… ties remove irrelevant features": Reading(columns="irrelevant first"),
    "… ties remove relevant features": Reading(columns="relevant first"),
    "… tied votes go to the other class": Reading(other_class=True),
    "2 folds": Reading({"cv": 2}),
    "5 folds": Reading({"cv": 5}),
    "10 folds": Reading({"cv": 10}),
    "2 folds redrawn": Reading({"cv": 2, "redraw_folds": True}),
    "3 folds redrawn": Reading({"cv": 3, "redraw_folds": True}),
    "5 folds redrawn": Reading({"cv": 5, "redraw_folds": True}),
    "10 folds redrawn": Reading({"cv": 10, "redraw_folds": True}),
}


def pruned(
    concept: str, reading: Reading, n_irrelevant: int, n_samples: int, seed: int
) -> tuple[float, NDArray[np.bool_]]:
    """The accuracy on fresh samples, and which features are left, the relevant ones first."""
    generator = np.random.RandomState((seed * 101 + n_irrelevant) * 2003 + n_samples)
    make = getattr(datasets, f"make_{concept}")
    X, y = make(n_samples + TEST_SAMPLES, n_relevant=N_RELEVANT, n_irrelevant=n_irrelevant, random_state=generator)
    n_features = X.shape[1]
    order = {
        "shuffled": generator.permutation(n_features),
        "relevant first": np.arange(n_features),
        "irrelevant first": np.arange(n_features)[::-1],
    }[reading.columns]
    X, y = X[:, order], 1 - y if reading.other_class else y
    if len(np.unique(y[:n_samples])) < 2:
        return float((y[n_samples:] == y[0]).mean()), np.zeros(n_features, dtype=bool)
    model = ObliviousTreeClassifier(**reading.parameters, random_state=seed).fit(X[:n_samples], y[:n_samples])
    left = np.zeros(n_features, dtype=bool)
    left[order] = model.support_
    return float(model.score(X[n_samples:], y[n_samples:])), left


def needed(concept: str, reading: Reading, n_irrelevant: int, repeats: int) -> str:
    """The samples needed, as text."""
    points = []
    # The first size is too small for ten folds.
    for size in SIZES[1:]:
        if size > MOST_SAMPLES:
            return f"> {points[-1][0]}"
        accuracies = [pruned(concept, reading, n_irrelevant, size, seed)[0] for seed in range(repeats)]
        points.append((size, float(np.mean(accuracies))))
        if points[-1][1] >= TARGET:
            break
    return f"{crossing(points):.0f}"


def endings(concept: str, reading: Reading, n_irrelevant: int, repeats: int, n_samples: int = 100) -> list[str]:
    """How often each ending came, and how many irrelevant features were left beside all relevant ones."""
    counts: Counter[str] = Counter()
    beside = []
    for seed in range(repeats):
        left = pruned(concept, reading, n_irrelevant, n_samples, seed)[1]
        if not left[:N_RELEVANT].all():
            counts["lost"] += 1
        elif left[N_RELEVANT:].any():
            counts["more"] += 1
            beside.append(left[N_RELEVANT:].sum())
        else:
            counts["exact"] += 1
    mean = f"{np.mean(beside):.1f}" if beside else "–"
    return [*(f"{counts[ending]}" for ending in ("exact", "more", "lost")), mean]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--concept", choices=CONCEPTS, default="all_equal")
    parser.add_argument("--repeats", type=int, default=50, help="training sets of a number")
    arguments = parser.parse_args()
    print(machine_line())
    rows = [
        [name, *(needed(arguments.concept, reading, at, arguments.repeats) for at in IRRELEVANT)]
        for name, reading in READINGS.items()
    ]
    title = f"Samples needed for 95 % accuracy ({arguments.concept}, {arguments.repeats} training sets a number)"
    print_table(title, ["irrelevant features", *map(str, IRRELEVANT)], rows)
    rows = [
        [name, str(at), *endings(arguments.concept, READINGS[name], at, arguments.repeats)]
        for name in ("leave-one-out", "2 folds redrawn")
        for at in (8, 12, 16, 20)
    ]
    header = ["reading", "irrelevant", "relevant alone", "more", "without one", "irrelevant left where more"]
    print_table("How the prunings of 100 samples ended", header, rows)


if __name__ == "__main__":
    main()

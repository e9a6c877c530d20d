"""Are our CFS and FCBF the paper's? Mean numbers of selected features beside Table II of Deng & Runger (2012).

    python benchmarks/calibrate_filters.py [--repetitions 3] [--datasets sonar,german]

Repetition r is `StratifiedKFold(2, shuffle=True, random_state=r)`; the paper has 10 repetitions of other draws. Its
filters are Weka's. Arcene is left out: the paper has 100 of its samples, the file here 200.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from measuring import machine_line
from sklearn.model_selection import StratifiedKFold
from tables import load, print_table

from palmette import CFSSelector, FCBFSelector

# Our name of the dataset, the paper's, and its numbers of features by CFS and by FCBF.
TABLE_2 = [
    ("german", "german", 4.9, 3.6),
    ("waveform", "waveform", 15.3, 7.1),
    ("horse_colic", "horse", 3.9, 3.9),
    ("parkinsons", "parkinsons", 7.8, 3.5),
    ("autos", "auto", 6.8, 4.5),
    ("hypothyroid_3163", "hypo", 5.3, 5.5),
    ("sick", "sick", 5.4, 5.6),
    ("ionosphere", "iono", 11.7, 9.1),
    ("anneal", "anneal", 5.8, 6.9),
    ("ada", "ada", 8.4, 7.0),
    ("sonar", "sonar", 10.8, 6.6),
    ("hill_valley", "HillValley", 1.0, 1.0),
    ("clean1", "musk", 29.2, 11.0),
    ("arrhythmia", "arrhythmia", 17.7, 8.2),
    ("madelon", "madelon", 10.7, 4.7),
]


def mean_sizes(name: str, repetitions: int) -> list[float]:
    """The mean numbers of features that CFS and FCBF select."""
    X, y = load(name)
    sizes = []
    for repetition in range(repetitions):
        folds = StratifiedKFold(2, shuffle=True, random_state=repetition)
        for train, _ in folds.split(np.zeros(len(y)), y):
            part, labels = X.iloc[train], y[train]
            sizes.append([selector.fit(part, labels).support_.sum() for selector in (CFSSelector(), FCBFSelector())])
    return np.mean(sizes, axis=0).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--datasets", default=",".join(row[0] for row in TABLE_2))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine_line())
    rows = []
    for name, published_name, cfs, fcbf in TABLE_2:
        if name in arguments.datasets.split(","):
            our_cfs, our_fcbf = mean_sizes(name, arguments.repetitions)
            rows.append([published_name, f"{our_cfs:.1f}", cfs, f"{our_fcbf:.1f}", fcbf])
    print_table("Features selected", ["dataset", "CFS", "paper", "FCBF", "paper"], rows)


if __name__ == "__main__":
    main()

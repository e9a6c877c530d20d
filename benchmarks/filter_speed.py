"""How fast are the filters and the discretizer beside the packages of PyPI? Medians of alternating runs, one thread.

    pip install fimdlp fcbf skfeature-chappers
    python benchmarks/filter_speed.py [--repeats 5] [--quick]

- MDL cuts: `fimdlp` (C++ behind scikit-learn's face), on the same float matrix. It has rules of its own (at least three
  samples a side, for one), so that not all columns get the same cuts; ours are those of the oracle in the tests.
- FCBF: `fcbf` (pandas), on the same intervals, which are made before the clock starts; ours still reads the frame, and
  grows its final tree within the clock.
- CFS: `skfeature-chappers` (the scikit-feature of the Arizona State University), on the same intervals. Its search is
  greedy; ours is best first with the locally predictive features left out. The merits tell which found more.

The last column is the time of theirs divided by that of ours.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from measuring import alternate, machine_line
from tables import generate, load, ordinal_matrix, print_table

from palmette import CFSSelector, FCBFSelector, MDLDiscretizer

HEADER = ["table", "samples", "features", "palmette", "peer", "answers", "ratio"]


def matrix(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame, y = load(name)
    return ordinal_matrix(frame), y


def intervals(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The table cut as the filters cut it, as categories; a column of one interval is left out."""
    frame, y = load(name)
    cut = MDLDiscretizer(encode="interval", cut_cost="values").fit_transform(frame, y)
    return cut.loc[:, cut.nunique() > 1], y


def race(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int) -> tuple[list[str], Any, Any]:
    """The two times and their ratio as cells, and what the two found."""
    timings = alternate({"ours": ours, "theirs": theirs}, repeats)
    mine, other = timings["ours"], timings["theirs"]
    cells = [f"{mine.seconds:.4f} s", f"{other.seconds:.4f} s", f"{other.seconds / mine.seconds:.1f}"]
    return cells, mine.result, other.result


def discretization(quick: bool, repeats: int) -> None:
    from fimdlp.mdlp import FImdlp

    tables = {name: matrix(name) for name in ("waveform", "spambase")}
    if not quick:
        tables["isolet"] = matrix("isolet")
        tables["generated"] = generate(100_000, 20)
        tables["one column"] = generate(1_000_000, 1)
    rows = []
    for name, (X, y) in tables.items():
        (ours, theirs, ratio), mine, other = race(
            lambda X=X, y=y: MDLDiscretizer().fit(X, y), lambda X=X, y=y: FImdlp(n_jobs=1).fit(X, y), repeats
        )
        cuts = [np.asarray(points)[1:-1] for points in other.get_cut_points()]
        same = sum(
            len(points) == len(their_points) and np.allclose(points, their_points, rtol=1e-4, atol=1e-4)
            for points, their_points in zip(mine.cut_points_, cuts, strict=True)
        )
        rows.append([name, *X.shape, ours, theirs, f"same cuts in {same} of {X.shape[1]}", ratio])
    print_table("MDL cuts beside fimdlp", HEADER, rows)


def fcbf_race(quick: bool, repeats: int) -> None:
    from fcbf import fcbf

    rows = []
    for name in ("waveform", "spambase", *(() if quick else ("madelon", "isolet"))):
        X, y = intervals(name)
        codes = X.apply(lambda column: column.cat.codes)
        labels = pd.Series(y, name="class of the sample")
        (ours, theirs, ratio), mine, other = race(
            lambda X=X, y=y: FCBFSelector().fit(X, y),
            lambda codes=codes, labels=labels: fcbf(codes, labels, base=2),
            repeats,
        )
        same = "the same features" if mine.selected_order_ == other[0] else f"{mine.support_.sum()} and {len(other[0])}"
        rows.append([name, *X.shape, ours, theirs, same, ratio])
    print_table("FCBF beside the package fcbf", HEADER, rows)


def cfs_race(quick: bool) -> None:
    from skfeature.function.statistical_based.CFS import cfs, merit_calculation

    rows = []
    for name in ("parkinsons", *(() if quick else ("waveform",))):
        X, y = intervals(name)
        codes = X.apply(lambda column: column.cat.codes).to_numpy()
        (ours, theirs, ratio), mine, other = race(
            lambda X=X, y=y: CFSSelector(locally_predictive=False).fit(X, y),
            lambda codes=codes, y=y: cfs(codes, y, mode="index"),
            1,
        )
        # It returns the features that it tried in vain too; the best of its prefixes is what it found.
        best = max(merit_calculation(codes[:, other[:size]], y) for size in range(1, len(other) + 1))
        rows.append([name, *X.shape, ours, theirs, f"merits {mine.merit_:.4f} and {best:.4f}", ratio])
    print_table("CFS beside scikit-feature (one run each)", HEADER, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small tables only")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine_line())
    races: dict[str, Callable[[], None]] = {
        "fimdlp": lambda: discretization(arguments.quick, arguments.repeats),
        "fcbf": lambda: fcbf_race(arguments.quick, arguments.repeats),
        "skfeature": lambda: cfs_race(arguments.quick),
    }
    for package, run in races.items():
        if find_spec(package) is None:
            print(f"{package} is not installed: its race is left out.")
        else:
            run()


if __name__ == "__main__":
    main()

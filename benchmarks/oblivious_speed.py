"""How fast is OBLIVION, beside the naive way and with its distances counted anew? Also FOCUS beside trying all subsets.

    python benchmarks/oblivious_speed.py
    python benchmarks/oblivious_speed.py --rows 1000

The naive way counts all distances of every candidate anew, in NumPy, for every sample: what one would write first. It
runs on `--rows` random rows of a table only; ours runs on them too, and on the whole. Answers are compared, step by
step.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from measuring import machine_line
from numpy.typing import NDArray
from tables import load, ordinal_matrix, print_table

from palmette import FocusSelector, ObliviousTreeClassifier

TABLES = ("voting", "promoters", "soybean", "kr_vs_kp", "mushroom")


def naive_error(codes: NDArray[np.float64], labels: NDArray[np.int64], n_classes: int) -> int:
    """Leave-one-out errors: each sample against all others."""
    errors = 0
    for sample in range(len(codes)):
        distances = (codes != codes[sample]).sum(axis=1)
        distances[sample] = codes.shape[1] + 1
        votes = np.bincount(labels[distances == distances.min()], minlength=n_classes)
        errors += int(votes.argmax() != labels[sample])
    return errors


def naive_oblivion(codes: NDArray[np.float64], labels: NDArray[np.int64]) -> list[tuple[int, float]]:
    """The steps of OBLIVION: (removed, error), every table judged from scratch."""
    n_classes = int(labels.max()) + 1
    present = list(range(codes.shape[1]))
    error = naive_error(codes, labels, n_classes)
    steps = [(-1, error)]
    while present:
        judged = [
            (naive_error(codes[:, [other for other in present if other != feature]], labels, n_classes), feature)
            for feature in present
        ]
        best, feature = min(judged)
        if best > error:
            break
        error = best
        present.remove(feature)
        steps.append((feature, error))
    return [(feature, error / len(labels)) for feature, error in steps]


def naive_focus(codes: NDArray[np.float64], labels: NDArray[np.int64], most: int) -> tuple[int, ...] | None:
    """The smallest consistent set by trying all, by size; None if none of the given size is."""
    for size in range(1, most + 1):
        for features in combinations(range(codes.shape[1]), size):
            _, cell = np.unique(codes[:, features], axis=0, return_inverse=True)
            if len(np.unique(np.column_stack([cell.ravel(), labels]), axis=0)) == len(np.unique(cell)):
                return features
    return None


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, which the work of others disturbs least, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def steps_of(model: ObliviousTreeClassifier, columns: list[Any]) -> list[tuple[int, float]]:
    return [(columns.index(step.removed[0]) if step.removed else -1, step.error) for step in model.history_]


def oblivion_table(rows: int) -> None:
    lines = []
    for name in TABLES:
        frame, labels = load(name)
        columns = list(frame.columns)
        codes = np.nan_to_num(ordinal_matrix(frame), nan=-1)
        some = np.random.RandomState(0).permutation(len(labels))[:rows]
        part, part_labels = frame.iloc[some], labels[some]
        naive_seconds, naive = timed(lambda codes=codes, some=some, y=part_labels: naive_oblivion(codes[some], y))
        part_seconds, on_part = timed(lambda X=part, y=part_labels: ObliviousTreeClassifier().fit(X, y))
        assert np.allclose([error for _, error in naive], [error for _, error in steps_of(on_part, columns)])
        assert [feature for feature, _ in naive] == [feature for feature, _ in steps_of(on_part, columns)]
        seconds, model = timed(lambda X=frame, y=labels: ObliviousTreeClassifier().fit(X, y))
        anew_seconds, anew = timed(lambda X=frame, y=labels: ObliviousTreeClassifier(memory_limit=1).fit(X, y))
        assert steps_of(model, columns) == steps_of(anew, columns)
        lines.append(
            [
                name,
                f"{len(some)} × {len(columns)}",
                f"{naive_seconds:.2f}",
                f"{part_seconds:.3f}",
                f"{naive_seconds / part_seconds:.0f}×",
                f"{frame.shape[0]} × {frame.shape[1]}",
                f"{seconds:.2f}",
                f"{anew_seconds:.2f}",
                f"{int(model.support_.sum())}",
                f"{model.n_tables_}",
            ]
        )
    print_table(
        "OBLIVION, leave-one-out, whole fits on one thread, processor seconds",
        ["table", "part", "naive", "ours", "ratio", "whole", "ours", "anew", "left", "tables judged"],
        lines,
    )
    print("anew: the distances do not fit into `memory_limit` and are counted anew at every step.")


def focus_table(most: int) -> None:
    lines = []
    for name in TABLES:
        frame, labels = load(name)
        codes = np.nan_to_num(ordinal_matrix(frame), nan=-1)
        selector = FocusSelector().fit(frame, labels)
        size = int(selector.support_.sum())
        # Sizes that the naive way can look through: what it finds, or that there is nothing up to there.
        depth = min(size, most)
        naive_seconds, naive = timed(lambda codes=codes, y=labels, depth=depth: naive_focus(codes, y, depth))
        expected = tuple(selector.get_support(indices=True)) if depth == size else None
        assert selector.n_inseparable_ or naive == expected, (name, naive, expected)
        told = f"{naive_seconds:.2f}" if depth == size else f"{naive_seconds:.2f}, up to {depth} only"
        lines.append([name, f"{frame.shape[0]} × {frame.shape[1]}", f"{size}", f"{selector.search_seconds_:.3f}", told])
    print_table(
        "FOCUS: seconds of the search, and of trying all sets by size",
        ["table", "whole", "smallest set", "ours", "trying all"],
        lines,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400, help="rows that the naive way gets (400)")
    parser.add_argument("--focus-size", type=int, default=2, help="sizes that all sets are tried of (2)")
    arguments = parser.parse_args()
    print(machine_line())
    oblivion_table(arguments.rows)
    focus_table(arguments.focus_size)


if __name__ == "__main__":
    main()

"""Backward elimination by the libraries that people use now, for elimination_speed.py.

One thread, the same building and search rows (a `PredefinedSplit`), a tree that grows to purity by entropy. Ours is a
whole `BackwardEliminationSelector.fit`, reading and final tree included, with `growth="literal"`.

scikit-learn stops where the accuracy would fall (`tol` a hair below zero, so that ties go on, as ours do). mlxtend has
no such rule: it goes down to one feature and takes the best subset of its way, so it is also told as if it had stopped
where scikit-learn's did.

A run that a time limit ends is extrapolated: the time of a fit is taken as proportional to its number of features, and
the fits that are missing until the size at which our own elimination stopped are added. Such numbers have a "~".
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search_speed import first_fold
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import PredefinedSplit, train_test_split
from sklearn.tree import DecisionTreeClassifier
from tables import print_table

from palmette import BackwardEliminationSelector, C45Classifier
from palmette.datasets import load

GOAL = 100.0


class OutOfTime(BaseException):
    """Not an Exception: cross_val_score would take one for a score."""


@dataclass(slots=True)
class Meter:
    """Counts fits, and stops them."""

    deadline: float
    n_fits: int = 0
    work: int = 0
    work_of_size: dict[int, int] = field(default_factory=dict)
    start: float = field(default_factory=time.perf_counter)
    second_of_size: dict[int, float] = field(default_factory=dict)


METER = Meter(float("inf"))


class MeteredTree(DecisionTreeClassifier):
    """A tree whose fits are counted, with the features that they had."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        now = time.perf_counter()
        if now > METER.deadline:
            raise OutOfTime
        METER.n_fits += 1
        METER.work += X.shape[1]
        # The first fit with so few features begins a step.
        METER.second_of_size.setdefault(X.shape[1], now - METER.start)
        return super().fit(X, y, sample_weight, check_input)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    search: NDArray[np.bool_]


def tables() -> list[Table]:
    """Training parts as in elimination_speed.py; breast_cancer whole."""
    X, y = load("breast_cancer")
    found = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=0)[1]
    search = np.isin(np.arange(len(y)), found)
    result = [Table("breast_cancer", np.asarray(X, dtype=float), np.asarray(y), search)]
    for name in ("sonar", "spambase"):
        split = first_fold(name)
        search = np.isin(np.arange(len(split.labels)), split.search)
        result.append(Table(name, split.frame.to_numpy(dtype=float), split.labels, search))
    return result


@dataclass(frozen=True, slots=True)
class Timed:
    seconds: float
    estimated: bool
    n_fits: int
    left: int | None
    error: float | None

    def __str__(self) -> str:
        return f"{'~' if self.estimated else ''}{self.seconds:.2f}"


def peer(table: Table, fit: Any, limit: float, ends_at: int) -> Timed:
    """Run one of them, within the limit."""
    global METER
    METER = Meter(time.perf_counter() + limit)
    tree = MeteredTree(criterion="entropy", random_state=0)
    split = PredefinedSplit(np.where(table.search, 0, -1))
    try:
        chosen = fit(tree, split, table.X, table.y)
    except OutOfTime:
        elapsed = time.perf_counter() - METER.start
        n_features = table.X.shape[1]
        # A step from k features fits k trees of k - 1 features each.
        whole = sum(size * (size - 1) for size in range(n_features, ends_at - 1, -1))
        return Timed(elapsed * max(whole / METER.work, 1.0), True, METER.n_fits, None, None)
    elapsed = time.perf_counter() - METER.start
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    building, search = ~table.search, table.search
    tree.fit(table.X[building][:, chosen], table.y[building])
    error = 1 - tree.score(table.X[search][:, chosen], table.y[search])
    return Timed(elapsed, False, METER.n_fits, len(chosen), error)


def by_scikit_learn(tree: Any, split: Any, X: Any, y: Any) -> list[int]:
    selector = SequentialFeatureSelector(
        tree, direction="backward", n_features_to_select="auto", tol=-1e-9, cv=split, scoring="accuracy", n_jobs=1
    )
    return selector.fit(X, y).get_support(indices=True).tolist()


def by_mlxtend(tree: Any, split: Any, X: Any, y: Any) -> list[int]:
    from mlxtend.feature_selection import SequentialFeatureSelector as SFS

    selector = SFS(tree, k_features="best", forward=False, floating=False, cv=split, scoring="accuracy", n_jobs=1)
    return list(selector.fit(X, y).k_feature_idx_)


def compare_with_peers(limit: float) -> None:
    try:
        import mlxtend  # noqa: F401

        with_mlxtend = True
    except ImportError:
        with_mlxtend = False
    cells, met = [], []
    for table in tables():
        selector = BackwardEliminationSelector(
            C45Classifier(growth="literal"), error=[(~table.search, table.search)], n_jobs=1
        )
        times = []
        for _ in range(5):
            start = time.perf_counter()
            selector.fit(table.X, table.y)
            times.append(time.perf_counter() - start)
        ours = float(np.median(times))
        left = int(selector.support_.sum())
        rows = [("scikit-learn", peer(table, by_scikit_learn, limit, left))]
        if with_mlxtend:
            theirs = peer(table, by_mlxtend, limit, left)
            rows.append(("mlxtend", theirs))
            stop = METER.second_of_size.get((rows[0][1].left or left) - 2)
            if not theirs.estimated and stop is not None:
                rows.append(("mlxtend, until scikit-learn's size", Timed(stop, False, theirs.n_fits, None, None)))
        cells.append([table.name, "palmette", f"{ours:.4f}", "", left, f"{selector.error_:.2%}", "", ""])
        for name, timed in rows:
            ratio = timed.seconds / ours
            met.append(ratio >= GOAL)
            found = "—" if timed.left is None else timed.left
            error = "—" if timed.error is None else f"{timed.error:.2%}"
            mark = "~" if timed.estimated else ""
            goal = "yes" if met[-1] else "NO"
            cells.append(["", name, str(timed), timed.n_fits, found, error, f"{mark}{ratio:.0f}", goal])
    header = ["dataset", "library", "seconds", "fits", "left", "search error", "ratio to ours", f">= {GOAL:g}"]
    print_table("Backward elimination beside other libraries: whole fits, one thread", header, cells)
    if not with_mlxtend:
        print("mlxtend is not installed (pip install mlxtend): its rows are left out.")
    print("~: ended by the time limit and extrapolated; see the head of elimination_peers.py. Ours: median of 5 fits.")

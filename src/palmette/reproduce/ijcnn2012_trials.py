"""What a trial of Deng & Runger (2012) does: select on one half of the rows, judge by forest and tree on the other."""

from __future__ import annotations

import math
import time
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.reproduce.readings import folds_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["judge_ranking", "judge_runs", "judge_selection", "ranking_of_svm"]

ROWS = {"sick": 2800, "madelon": 2000, "arcene": 100}
"""The paper has the training rows only, which come first."""


@lru_cache(maxsize=2)
def read(dataset: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The features as a frame with its own dtypes, and the labels as numbers in their declared order."""
    from palmette.datasets import load

    found = load(dataset, frame="pandas")
    number = {label: code for code, label in enumerate(found.classes)}
    y = np.array([number[label] for label in found.y.tolist()], dtype=np.int64)
    rows = ROWS.get(dataset, len(y))
    return found.X.iloc[:rows], y[:rows]


class Clock:
    """The seconds that are left of a limit, for one fit after another."""

    def __init__(self, time_limit: float) -> None:
        self._end = time.perf_counter() + time_limit

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())

    @property
    def is_over(self) -> bool:
        return self.left <= 0


def forest(n_features: int, seed: int, clock: Clock, n_jobs: int) -> Any:
    """Weka's random forest: trees to purity, log2(M) + 1 features at a node, 200 of them."""
    from palmette import C45ForestClassifier

    return C45ForestClassifier(
        200,
        growth="literal",
        threshold="midpoint",
        max_features=min(n_features, int(math.log2(n_features)) + 1),
        time_limit=clock.left,
        n_jobs=n_jobs,
        random_state=seed,
    )


def selector_of(method: str, seed: int, clock: Clock, n_jobs: int) -> Any:
    from palmette import CFSSelector, FCBFSelector, RegularizedBoostingSelector, RegularizedForestSelector

    if method in ("CFS", "FCBF"):
        return (CFSSelector if method == "CFS" else FCBFSelector)(time_limit=clock.left, n_jobs=n_jobs)
    regularized = RegularizedForestSelector if method == "RRF" else RegularizedBoostingSelector
    return regularized(time_limit=clock.left, n_jobs=n_jobs, random_state=seed)


def judge_selection(
    dataset: str,
    method: str,
    repeat: int,
    fold: int,
    folds: int,
    seed: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """The number of features that a method selects, and the accuracies of RF and C4.5 with them."""
    from palmette import C45Classifier

    clock = Clock(time_limit)
    X, y = read(dataset)
    training, test = folds_of(y, repeat, folds, seed)[fold]
    chosen: NDArray[np.intp] = np.arange(X.shape[1])
    statuses = []
    if method != "all":
        selector = selector_of(method, seed + repeat, clock, n_jobs).fit(X.iloc[training], y[training])
        chosen = np.flatnonzero(selector.support_)
        statuses.append(selector.status_)
    judges = {
        "rf": forest(max(1, len(chosen)), seed + repeat, clock, n_jobs),
        "c45": C45Classifier(criterion="gain_ratio", pruning="error_based", time_limit=clock.left),
    }
    accuracies = {}
    for name, judge in judges.items():
        if len(chosen) == 0:
            majority = np.bincount(y[training]).argmax()
            accuracies[name] = float((y[test] == majority).mean())
            continue
        judge.fit(X.iloc[training, chosen], y[training])
        accuracies[name] = float(judge.score(X.iloc[test, chosen], y[test]))
        statuses.append(judge.status_)
    return {
        "n_features": len(chosen),
        **accuracies,
        "complete": all(status == "complete" for status in statuses),
        "interrupted": "interrupted" in statuses,
    }


def error_of(X: pd.DataFrame, y: Any, training: Any, test: Any, chosen: Any, seed: int, clock: Clock) -> float | None:
    """The error of RF with some features; None if its time was too short."""
    judge = forest(len(chosen), seed, clock, 1).fit(X.iloc[training, chosen], y[training])
    if judge.status_ != "complete":
        return None
    return float(1 - judge.score(X.iloc[test, chosen], y[test]))


def judge_runs(dataset: str, runs: int, folds: int, seed: int, time_limit: float, n_jobs: int) -> dict[str, Any]:
    """RRF several times on the same half: sizes, errors of RF, seconds."""
    clock = Clock(time_limit)
    X, y = read(dataset)
    training, test = folds_of(y, 0, folds, seed)[0]
    sizes, errors, seconds = [], [], []
    for run in range(runs):
        start = time.perf_counter()
        selector = selector_of("RRF", seed + run, clock, n_jobs).fit(X.iloc[training], y[training])
        seconds.append(time.perf_counter() - start)
        chosen = np.flatnonzero(selector.support_)
        error = error_of(X, y, training, test, chosen, seed + run, clock) if len(chosen) else None
        if selector.status_ != "complete" or error is None:
            return {"complete": False, "interrupted": selector.status_ == "interrupted"}
        sizes.append(len(chosen))
        errors.append(error)
    return {"sizes": sizes, "errors": errors, "seconds": seconds, "complete": True}


class OutOfTime(Exception):
    """Raised inside RFE, which knows no limit."""


def ranking_of_svm(dataset: str, folds: int, seed: int, time_limit: float, n_jobs: int) -> dict[str, Any]:
    """The features from the last that SVM-RFE would remove to the first, and the seconds that this took."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_selection import RFE
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    clock = Clock(time_limit)
    X, y = read(dataset)
    training, _ = folds_of(y, 0, folds, seed)[0]
    start = time.perf_counter()
    numbers = as_numbers(X)[training]
    columns = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())

    def importance(machine: Any) -> NDArray[np.float64]:
        if clock.is_over:
            raise OutOfTime
        squares: NDArray[np.float64] = (machine.coef_**2).sum(axis=0)
        return squares

    eliminating = RFE(LinearSVC(tol=1e-2, random_state=seed), n_features_to_select=1, importance_getter=importance)
    with warnings.catch_warnings():
        # Where the classes can be separated with room to spare, the last digits of the weights do not settle.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            eliminating.fit(columns.fit_transform(numbers), y[training])
        except OutOfTime:
            return {"complete": False}
    order = np.argsort(eliminating.ranking_, kind="stable").tolist()
    return {"order": order, "seconds": time.perf_counter() - start, "complete": True}


def as_numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The columns as numbers: categories by their place, missing values NaN."""
    import pandas as pd

    columns = []
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy(dtype=np.float64)
            columns.append(np.where(codes < 0, np.nan, codes))
        else:
            columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.column_stack(columns)


def judge_ranking(dataset: str, order: str, folds: int, seed: int, time_limit: float, n_jobs: int) -> dict[str, Any]:
    """The error of RF with the first 1, 2, 3, … features of a ranking, in steps that grow."""
    clock = Clock(time_limit)
    X, y = read(dataset)
    training, test = folds_of(y, 0, folds, seed)[0]
    ranking = [int(feature) for feature in order.split()]
    sizes = [*range(1, 10), *range(10, 50, 5), *range(50, len(ranking), 10), len(ranking)]
    errors = []
    for size in sizes:
        error = error_of(X, y, training, test, sorted(ranking[:size]), seed, clock)
        if error is None:
            return {"complete": False}
        errors.append(error)
    return {"sizes": sizes, "errors": errors, "complete": True}

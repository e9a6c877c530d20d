"""Table 5 of Ruggieri (2019): elimination beside optimal decision trees, all of depth 5.

The paper's optimal trees (OCT, Bertsimas and Dunn 2017) are not free software. STreeD (van der Linden et al. 2023),
from the package pystreed, minimises the same objective: the error on the training set plus 0.01 for every split. It
takes binary features, so that "optimal" means: over the tests that `binary_features` takes from a small forest, which
keeps the good cuts (as McTavish et al. 2022 do).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import published
from palmette.reproduce.readings import NOTES, read, triples_of
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row, published_cell
from palmette.reproduce.settings import Settings
from palmette.reproduce.sizes import smallest_first
from palmette.reproduce.study import Study
from palmette.reproduce.work import Outcome, Task, run_tasks

NAME = "jmlr2019-table5"
PEER = "pystreed"
SECONDS, TEST = "seconds", "generalization error in %"
STRATEGIES = {"baseline": "baseline", "DTsbe": "dtsbe", "OCT": "oct"}
MAX_DEPTH = 5
COST_OF_A_SPLIT = 0.01
N_GUESSING_TREES = 20
N_BINARY_FEATURES = 30
"""An optimal tree of depth 5 over more takes minutes: the work grows with about the fourth power."""


def shallow_trial(
    dataset: str,
    strategy: str,
    repeat: int,
    fold: int,
    folds: int,
    seed: int,
    threads: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """Seconds and error in percent of a tree of depth 5; elimination judges by the error on the training set."""
    from palmette import BackwardEliminationSelector, C45Classifier

    X, y = read(dataset)
    triple = triples_of(dataset, repeat, folds, seed)[fold]
    X_training, y_training = X.iloc[triple.training], y[triple.training]
    X_test, y_test = X.iloc[triple.test], y[triple.test]
    tree = C45Classifier(max_depth=MAX_DEPTH, time_limit=time_limit, n_jobs=threads)
    interrupted = False
    start = time.perf_counter()
    if strategy == "OCT":
        predicted, complete = _optimal(X_training, y_training, X_test, time_limit)
        seconds = time.perf_counter() - start
    elif strategy == "baseline":
        tree.fit(X_training, y_training)
        seconds, complete = time.perf_counter() - start, tree.status_ == "complete"
        predicted = tree.predict(X_test)
    else:
        selector = BackwardEliminationSelector(tree=tree, error="training", time_limit=time_limit, n_jobs=threads)
        selector.fit(X_training, y_training)
        interrupted = selector.status_ == "interrupted"
        seconds, complete = float(selector.search_seconds_), selector.status_ == "complete"
        predicted = selector.predict(X_test)
    error = 100.0 * float(np.mean(np.asarray(predicted) != y_test))
    return {"seconds": seconds, "complete": complete, "interrupted": interrupted, "test_error": error}


def _optimal(X: Any, y: NDArray[np.int64], X_test: Any, time_limit: float) -> tuple[NDArray[np.int64], bool]:
    """The labels that the optimal tree predicts, and whether it was proved optimal."""
    from pystreed import STreeDClassifier

    start = time.perf_counter()
    training, test = binary_features(X, y, X_test)
    if training.shape[1] == 0:
        return np.full(len(test), np.bincount(y).argmax()), True
    classes, codes = np.unique(y, return_inverse=True)
    peer = STreeDClassifier(
        "cost-complex-accuracy",
        max_depth=MAX_DEPTH,
        cost_complexity=COST_OF_A_SPLIT,
        time_limit=max(0.1, time_limit - (time.perf_counter() - start)),
    )
    peer.fit(training, codes)
    if not peer.is_fitted():
        return np.full(len(test), np.bincount(y).argmax()), False
    return classes[np.asarray(peer.predict(test), dtype=np.int64)], bool(peer.fit_result.is_optimal())


def binary_features(X: Any, y: NDArray[np.int64], X_test: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The tests of a small forest as binary features, those of the most gain, in training and test rows.

    A test on a number is `value <= cut`; one on a category becomes a feature for each category. A missing value passes
    none of them.
    """
    from palmette import C45ForestClassifier

    forest = C45ForestClassifier(N_GUESSING_TREES, max_depth=MAX_DEPTH, max_features=None, random_state=0, n_jobs=1)
    worth: defaultdict[tuple[int, Any], float] = defaultdict(float)
    for tree in forest.fit(X, y).trees_:
        for node in np.flatnonzero(np.asarray(tree.feature) >= 0).tolist():
            feature, gain = int(tree.feature[node]), float(tree.gain[node] * tree.weight[node])
            column = X.iloc[:, feature]
            if hasattr(column, "cat"):
                # Of a pair of categories, one tells the other.
                categories = list(column.cat.categories)
                for category in categories[:1] if len(categories) == 2 else categories:
                    worth[feature, category] += gain / len(categories)
            else:
                worth[feature, float(tree.threshold[node])] += gain
    tests = sorted(worth, key=lambda test: -worth[test])[:N_BINARY_FEATURES]
    return _passed(X, tests), _passed(X_test, tests)


def _passed(X: Any, tests: Sequence[tuple[int, Any]]) -> NDArray[np.int32]:
    passed = np.zeros((len(X), len(tests)), dtype=np.int32)
    for at, (feature, value) in enumerate(tests):
        column = X.iloc[:, feature]
        if hasattr(column, "cat"):
            passed[:, at] = (column == value).to_numpy(dtype=bool)
        else:
            passed[:, at] = column.to_numpy(dtype=np.float64, na_value=np.nan) <= value
    return passed


def run(study: Study, settings: Settings) -> Reproduction:
    """All strategies on every fold, one after another, because the table has times."""
    installed = find_spec(PEER) is not None
    usable = smallest_first(settings.usable(study.datasets))
    places = [(repeat, fold) for repeat in range(settings.repeats) for fold in range(settings.folds)]

    def task(dataset: str, strategy: str, place: tuple[int, int]) -> Task:
        return Task.of(
            shallow_trial,
            dataset=dataset,
            strategy=strategy,
            repeat=place[0],
            fold=place[1],
            folds=settings.folds,
            seed=settings.random_state,
            threads=settings.n_jobs,
        )

    def gave_up(wanted: Task, done: Mapping[Task, Outcome]) -> bool:
        arguments = dict(wanted.arguments)
        first = done.get(task(str(arguments["dataset"]), str(arguments["strategy"]), (0, 0)))
        return first is not None and not first["complete"]

    strategies = [strategy for strategy in STRATEGIES if strategy != "OCT" or installed]
    tasks = [task(dataset, strategy, place) for place in places for dataset in usable for strategy in strategies]
    outcomes = run_tasks(tasks, settings, threads=True, skip=gave_up)

    rows: list[Row] = []
    for dataset in study.datasets:
        for quantity, measure in ((SECONDS, "seconds"), (TEST, "test_error")):
            values = {}
            for strategy, column in STRATEGIES.items():
                if quantity == SECONDS and strategy == "baseline":
                    continue
                name = f"time_{column}" if quantity == SECONDS else column
                cell = published_cell(NAME, dataset, name, len(places) if quantity == SECONDS else 100)
                status = settings.status_of(dataset)
                if status is None and strategy == "OCT" and not installed:
                    status = "not installed"
                if status is not None:
                    rows.append(absent(dataset, quantity, strategy, status, cell=cell))
                    continue
                found = {place: out for place in places if (out := outcomes.get(task(dataset, strategy, place)))}
                values[strategy] = {place: float(out[measure]) for place, out in found.items() if out["complete"]}
                remark = f"> {settings.trial_limit:g} s" if len(values[strategy]) < len(found) else ""
                rows.append(_row(dataset, quantity, strategy, values[strategy], len(places), cell, remark))
            if quantity == TEST and values:
                rows[-len(STRATEGIES) :] = _marked(rows[-len(STRATEGIES) :], values)
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims(rows),
        notes=_notes(usable, installed),
        digits={SECONDS: 3},
        interrupted=outcomes.interrupted,
    )


def _row(
    dataset: str,
    quantity: str,
    strategy: str,
    values: Mapping[tuple[int, int], float],
    planned: int,
    cell: tuple[float | str | None, float | None],
    remark: str,
) -> Row:
    mark = None
    if quantity == TEST:
        estimate = published.estimate(NAME, dataset, STRATEGIES[strategy])
        mark = estimate.mark if estimate else None
    return mean_row(
        dataset,
        quantity,
        strategy,
        list(values.values()),
        planned=planned,
        cell=cell,
        remark=remark,
        published_mark=mark,
    )


def _marked(rows: list[Row], values: Mapping[str, Mapping[Any, float]]) -> list[Row]:
    from dataclasses import replace

    from palmette.comparison.significance import marks

    given = marks(values)
    return [replace(row, mark=given.get(row.strategy)) if row.ours is not None else row for row in rows]


def _claims(rows: list[Row]) -> list[Claim]:
    found = {
        (quantity, strategy): {
            row.dataset: row.ours
            for row in rows
            if row.quantity == quantity and row.strategy == strategy and row.ours is not None
        }
        for quantity in (SECONDS, TEST)
        for strategy in STRATEGIES
    }
    times, optimal_times = found[SECONDS, "DTsbe"], found[SECONDS, "OCT"]
    errors, optimal = found[TEST, "DTsbe"], found[TEST, "OCT"]
    timed = [dataset for dataset in times if dataset in optimal_times]
    faster = sum(times[dataset] < optimal_times[dataset] / 2 for dataset in timed)
    judged = [dataset for dataset in errors if dataset in optimal]
    better = sum(errors[dataset] < optimal[dataset] for dataset in judged)
    return [
        Claim(
            "DTsbe takes less than half the time of the optimal trees (except on p53mutants).",
            faster == len(timed) if timed else None,
            f"{faster} of {len(timed)} datasets" if timed else "",
        ),
        Claim(
            "The optimal trees almost always err more than those of DTsbe.",
            better > 0.75 * len(judged) if judged else None,
            f"{better} of {len(judged)} datasets" if judged else "",
        ),
    ]


def _notes(usable: list[str], installed: bool) -> list[str]:
    notes = [NOTES[dataset] for dataset in usable if dataset in NOTES]
    if not installed:
        return [*notes, "Optimal trees need pystreed: pip install 'palmette[optimal]'."]
    return [
        *notes,
        "OCT is answered by STreeD (pystreed): the same objective (training error plus 0.01 a split, depth 5), but "
        f"over {N_BINARY_FEATURES} binary tests at most, taken from {N_GUESSING_TREES} trees on bootstrap samples; OCT "
        "is a local search over all cuts. A fold without a proof does not count.",
    ]


STUDIES = (
    Study(
        name=NAME,
        title="Elapsed times and generalization errors of trees of depth 5: elimination and optimal trees",
        claim="DTsbe is best on 16 of 20 datasets, and takes less than half the time of the optimal trees (OCT), which "
        "almost always err more: oversearching again.",
        datasets=tuple(str(row["dataset"]) for row in published.table(NAME)),
        run=run,
        short="--datasets ionosphere,sonar,anneal --repeats 1 --folds 5 --trial-limit 10 --time-limit 60",
    ),
)

"""Counts the distinct trees of one building set, and measures what enumerating them costs.

The orders are those of the papers: `frontier_2019` (rk_frontier), `cases_2017` (samples at the nodes of a feature),
`reversed` (the first one backwards) and `fixed` (by index); `ranked` is the enumeration of palmette, which builds no
tree twice.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from palmette.reproduce.readings import read, triples_of

__all__ = ["build_trial", "count_trial", "walk_trial"]

SAMPLES_OF_A_SIZE = 6


def _task(dataset: str, m: int, repeat: int, folds: int, seed: int, n_jobs: int) -> Any:
    """The search problem of the first triple of a repetition."""
    from palmette import C45Classifier
    from palmette.search.task import read_task

    X, y = read(dataset)
    triple = triples_of(dataset, repeat, folds, seed)[0]
    return read_task(
        X.iloc[triple.training],
        y[triple.training],
        None,
        tree=C45Classifier(min_samples=m),
        error=[triple.split_of_training()],
        search_size=0.3,
        n_folds=folds,
        keep=None,
        groups=None,
        max_features=None,
        memory_limit=None,
        n_jobs=n_jobs,
        random_state=seed,
    )


def count_trial(
    dataset: str, order: str, m: int, repeat: int, folds: int, seed: int, time_limit: float, n_jobs: int
) -> dict[str, Any]:
    """Distinct trees by the number of features they use, trees built, and seconds."""
    from palmette import _core
    from palmette.support.budget import budget_of

    task = _task(dataset, m, repeat, folds, seed, n_jobs)
    problem, budget = task.core, budget_of(time_limit)
    start = time.perf_counter()
    if order == "ranked":
        by_size = [0] * (problem.n_units + 1)
        counts, stopped_by = _core.count_distinct_trees(problem, task.settings(), budget)
        for (size, _), number in counts.items():
            by_size[size] += int(number)
        if stopped_by == "interrupted":
            raise KeyboardInterrupt
        built, complete = sum(by_size), stopped_by is None
    else:
        settings = _core.PaperSettings()
        settings.order = getattr(_core.PaperOrder, order)
        found = _core.enumerate_as_paper(problem, settings, budget, False)
        by_size, built, complete = list(found.trees_by_size), int(found.n_built), bool(found.finished)
    return {
        "seconds": time.perf_counter() - start,
        "complete": complete,
        "by_size": by_size,
        "distinct": sum(by_size),
        "built": built,
        "n_features": int(problem.n_units),
    }


def walk_trial(
    dataset: str, m: int, repeat: int, folds: int, seed: int, time_limit: float, n_jobs: int
) -> dict[str, Any]:
    """Mean seconds from one distinct tree to the next, by the number of features of the next."""
    from palmette import _core
    from palmette.support.budget import budget_of

    task = _task(dataset, m, repeat, folds, seed, n_jobs)
    budget = budget_of(time_limit)
    enumerator = _core.TreeEnumerator(task.core, task.settings(), None)
    seconds, numbers = np.zeros(task.core.n_units + 1), np.zeros(task.core.n_units + 1)
    before = time.perf_counter()
    while not enumerator.finished and not budget.check_deadline():
        for subset in enumerator.next(1, budget):
            now = time.perf_counter()
            seconds[len(subset.units)] += now - before
            numbers[len(subset.units)] += 1
            before = now
    # None rather than NaN for a size that no tree has: what is kept in a cache returns as it was.
    means = [float(total / number) if number else None for total, number in zip(seconds, numbers, strict=True)]
    return {"complete": bool(enumerator.finished), "by_size": means, "numbers": numbers.tolist()}


def build_trial(
    dataset: str, m: int, repeat: int, folds: int, seed: int, time_limit: float, n_jobs: int
) -> dict[str, Any]:
    """Mean seconds to build the tree of a random subset from scratch, by its size, and what all subsets would take."""
    from palmette import C45Classifier

    X, y = read(dataset)
    triple = triples_of(dataset, repeat, folds, seed)[0]
    X, y = X.iloc[triple.building], y[triple.building]
    n_features = X.shape[1]
    generator = np.random.default_rng(seed)
    deadline = time.perf_counter() + time_limit
    read_once = C45Classifier(min_samples=m, n_jobs=n_jobs)
    problem = read_once._read_problem(X, y, None, n_jobs)
    means = []
    for size in range(1, n_features + 1):
        taken = []
        for _ in range(min(SAMPLES_OF_A_SIZE, math.comb(n_features, size))):
            features = sorted(generator.choice(n_features, size, replace=False).tolist())
            start = time.perf_counter()
            if start >= deadline:
                return {"complete": False}
            _grow(read_once, problem, features, n_jobs)
            taken.append(time.perf_counter() - start)
        means.append(float(np.mean(taken)))
    total = sum(math.comb(n_features, size) * mean for size, mean in enumerate(means, start=1))
    return {"complete": True, "by_size": means, "total": total, "n_features": n_features}


def _grow(classifier: Any, problem: Any, features: list[int], n_jobs: int) -> None:
    from palmette import _core

    _core.grow_tree(problem.dataset, classifier._growth_options(), _core.Budget(), n_jobs, None, features)

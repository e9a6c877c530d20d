"""`compare`: runs every strategy on every triple of every dataset."""

from __future__ import annotations

from typing import Any

import joblib

from palmette.comparison.problems import read_problems
from palmette.comparison.result import Comparison, DatasetRecord
from palmette.comparison.strategies import DEFAULT_STRATEGIES, read_strategies
from palmette.comparison.trial import Trial, run_trial
from palmette.comparison.triples import Protocol, make_triples
from palmette.support.parameters import check_number

__all__ = ["compare"]


def compare(
    strategies: Any = DEFAULT_STRATEGIES,
    datasets: Any = (),
    *,
    repeats: int = 10,
    folds: int = 10,
    search_size: float = 0.3,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Run strategies on the same triples of building, search and test samples."""
    check_number("repeats", repeats, 1, integer=True)
    check_number("folds", folds, 2, integer=True)
    check_number("search_size", search_size, 0, 1, low_excluded=True, high_excluded=True)
    check_number("random_state", random_state, 0, integer=True)
    protocol = Protocol(int(repeats), int(folds), float(search_size), int(random_state))
    estimators = read_strategies(strategies)
    problems = read_problems(datasets, protocol.folds)
    alone = joblib.effective_n_jobs(n_jobs) == 1
    trials: list[Trial] = joblib.Parallel(n_jobs=n_jobs)(
        joblib.delayed(run_trial)(problem, name, estimator, triple, alone=alone)
        for problem in problems
        for triple in make_triples(problem.labels, protocol)
        for name, estimator in estimators.items()
    )
    records = tuple(
        DatasetRecord(
            problem.name,
            problem.n_samples,
            problem.n_features,
            len(problem.classes),
            problem.feature_names,
            problem.notes(protocol.folds),
        )
        for problem in problems
    )
    return Comparison(protocol, records, tuple(estimators), tuple(trials), "complete")

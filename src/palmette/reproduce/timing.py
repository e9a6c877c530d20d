"""How long a strategy of Ruggieri (2017, 2019) takes on one triple, and the error that it finds on the way.

The fits of a table of times run one after another; `threads` is part of the task, so that a cache never mixes times on
one thread with times on many.
"""

from __future__ import annotations

import time
from typing import Any

from palmette.reproduce.readings import read, triples_of
from palmette.reproduce.trials import is_too_wide

__all__ = ["time_trial"]


def time_trial(
    dataset: str,
    strategy: str,
    criterion: str,
    m: int,
    repeat: int,
    fold: int,
    folds: int,
    seed: int,
    threads: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """Seconds of one search (reading and coding the table left out), or of growing one forest or one tree.

    `strategy` is "DTsbe", "SBE", "PSBE 2017", "SBE 2017" (these two stop when no removal makes the error smaller),
    "DTaccept" with its gap δ, "RF" or "baseline". `search_error` is in percent.
    """
    from palmette import BackwardEliminationSelector, BestSubsetSelector, C45Classifier, C45ForestClassifier

    X, y = read(dataset)
    if is_too_wide(strategy, X.shape[1]):
        return {"complete": False, "refused": True}
    triple = triples_of(dataset, repeat, folds, seed)[fold]
    X, y = X.iloc[triple.training], y[triple.training]
    building, search = triple.split_of_training()
    limits: dict[str, Any] = {"time_limit": time_limit, "n_jobs": threads}
    tree = C45Classifier(criterion=criterion, min_samples=m, **limits)
    start = time.perf_counter()
    if strategy == "RF":
        forest = C45ForestClassifier(100, criterion=criterion, min_samples=m, random_state=triple.seed, **limits).fit(
            X, y
        )
        return {"seconds": time.perf_counter() - start, "complete": forest.status_ == "complete"}
    if strategy == "baseline":
        tree.fit(X.iloc[building], y[building])
        seconds = time.perf_counter() - start
        error = 100.0 * float((tree.predict(X.iloc[search]) != y[search]).mean())
        return {"seconds": seconds, "complete": tree.status_ == "complete", "search_error": error}
    common: dict[str, Any] = {"tree": tree, "error": [(building, search)], "random_state": triple.seed, **limits}
    if strategy.startswith("DTaccept"):
        gap = float(strategy.removeprefix("DTaccept"))
        selector: Any = BestSubsetSelector(**common, error_gap=gap, tie_break="first")
    else:
        selector = BackwardEliminationSelector(
            **common,
            accept_ties="2017" not in strategy,
            algorithm="black_box" if strategy.startswith("SBE") else "white_box",
        )
    selector.fit(X, y)
    return {
        "seconds": float(selector.search_seconds_),
        "complete": selector.status_ in ("optimal", "within_gap", "complete"),
        "interrupted": selector.status_ == "interrupted",
        "search_error": 100.0 * float(selector.error_),
    }

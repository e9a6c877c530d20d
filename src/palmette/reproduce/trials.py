"""One strategy of Ruggieri (2017, 2019) on one triple of building, search and test samples.

The triples and the tests of significance are those of `palmette.compare`. The trials are our own, because one search
serves several tables: its subset is the one that Table 2 counts the errors of, Table 4 the features, Table 6 the errors
of a pruned tree, and Table 3 those of a forest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.reproduce.readings import read, triples_of
from palmette.search.units import MOST_UNITS

__all__ = ["forest_trial", "is_too_wide", "tree_trial"]

FOR_ONE_TREE = 20.0
"""Seconds."""


def is_too_wide(strategy: str, n_features: int) -> bool:
    """Whether a strategy is a complete search that refuses so many features."""
    return strategy.startswith("DTaccept") and n_features > MOST_UNITS


def tree_trial(
    dataset: str,
    strategy: str,
    criterion: str,
    m: int,
    repeat: int,
    fold: int,
    folds: int,
    seed: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """Select features, grow the tree on the training part, plain and pruned; errors in percent.

    `strategy` is "baseline" (all features), "DTsbe" (elimination that accepts ties), "SBE 2017" (one that does not), or
    "DTaccept" and the gap δ, such as "DTaccept0.02": an error rate of at most 0.02 above the best one.
    """
    from palmette import C45Classifier

    X, y = read(dataset)
    if is_too_wide(strategy, X.shape[1]):
        return {"complete": False, "refused": True}
    triple = triples_of(dataset, repeat, folds, seed)[fold]
    X_training, y_training = X.iloc[triple.training], y[triple.training]
    X_test, y_test = X.iloc[triple.test], y[triple.test]
    building, search = triple.split_of_training()
    tree = C45Classifier(criterion=criterion, min_samples=m, time_limit=time_limit, n_jobs=n_jobs)
    if strategy == "baseline":
        final = tree.fit(X_training, y_training)
        complete = final.status_ == "complete"
        features = list(range(X.shape[1]))
        judged = C45Classifier(**tree.get_params()).fit(X_training.iloc[building], y_training[building])
        complete = complete and judged.status_ == "complete"
        search_error = _percent(judged.predict(X_training.iloc[search]), y_training[search])
        proved, seconds, n_trees = True, 0.0, 1
        used = final.used_features_
        interrupted = False
    else:
        selector = _selector(strategy, tree, (building, search), time_limit, n_jobs).fit(X_training, y_training)
        final = selector
        interrupted = selector.status_ == "interrupted"
        complete = selector.status_ in ("optimal", "within_gap", "complete")
        proved = complete
        features = np.flatnonzero(selector.support_).tolist()
        search_error = 100.0 * float(selector.error_)
        seconds, n_trees = float(selector.search_seconds_), int(selector.n_trees_)
        used = selector.used_features_
    test_error = _percent(final.predict(X_test), y_test)
    pruned_error = test_error
    if features:
        # One more tree is a matter of seconds on the largest tables, and a search that was cut short is not lost by it.
        pruned = C45Classifier(**{**tree.get_params(), "pruning": "error_based", "time_limit": FOR_ONE_TREE})
        pruned.fit(X_training.iloc[:, features], y_training)
        pruned_error = _percent(pruned.predict(X_test.iloc[:, features]), y_test)
    places = {name: place for place, name in enumerate(X.columns)}
    return {
        "complete": complete,
        "proved": proved,
        "interrupted": interrupted,
        "features": features,
        "used": [places[name] for name in used],
        "search_error": search_error,
        "test_error": test_error,
        "pruned_error": pruned_error,
        "seconds": seconds,
        "n_trees": n_trees,
    }


def _selector(strategy: str, tree: Any, split: Any, time_limit: float, n_jobs: int) -> Any:
    from palmette import BackwardEliminationSelector, BestSubsetSelector

    common: dict[str, Any] = {"tree": tree, "error": [split], "time_limit": time_limit, "n_jobs": n_jobs}
    match strategy:
        case "DTsbe":
            return BackwardEliminationSelector(**common)
        case "SBE 2017":
            return BackwardEliminationSelector(**common, accept_ties=False)
    # Any best subset, as in the paper; the smallest of them, palmette's default, would use fewer features than Table 4.
    gap = float(strategy.removeprefix("DTaccept"))
    return BestSubsetSelector(**common, error_gap=gap, tie_break="first")


def forest_trial(
    dataset: str,
    features: str,
    criterion: str,
    pruned: int,
    repeat: int,
    fold: int,
    folds: int,
    seed: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """The error of a forest of 100 trees on the features listed ("all", or places separated by blanks)."""
    from palmette import C45ForestClassifier

    X, y = read(dataset)
    triple = triples_of(dataset, repeat, folds, seed)[fold]
    if features != "all":
        X = X.iloc[:, [int(place) for place in features.split()]]
    if X.shape[1] == 0:
        return {"complete": True, "test_error": _majority_error(y[triple.training], y[triple.test])}
    forest = C45ForestClassifier(
        100,
        criterion=criterion,
        # As in Breiman's forest: docs/calibration.md has the evidence that the paper's is one.
        max_features="log2+1",
        voting="hard",
        pruning="error_based" if pruned else None,
        random_state=triple.seed,
        time_limit=time_limit,
        n_jobs=n_jobs,
    )
    forest.fit(X.iloc[triple.training], y[triple.training])
    error = _percent(forest.predict(X.iloc[triple.test]), y[triple.test])
    return {"complete": forest.status_ == "complete", "test_error": error}


def _percent(predicted: Any, y: NDArray[np.int64]) -> float:
    return 100.0 * float(np.mean(np.asarray(predicted) != y))


def _majority_error(training: NDArray[np.int64], test: NDArray[np.int64]) -> float:
    return _percent(np.full(len(test), np.bincount(training).argmax()), test)

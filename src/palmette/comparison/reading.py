"""What a fitted strategy selected, used and built, whichever library it comes from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.pipeline import Pipeline

__all__ = ["features_of", "has_callback", "status_of", "trees_built"]

Features = tuple[int, ...] | None


def _steps(fitted: Any) -> list[Any]:
    """The estimators that do the work, in their order: of pipelines within pipelines, and of the best of a grid."""
    if isinstance(fitted, Pipeline):
        return [inner for _, step in fitted.steps for inner in _steps(step)]
    if hasattr(fitted, "best_estimator_"):
        return _steps(fitted.best_estimator_)
    return [] if fitted is None or (isinstance(fitted, str) and fitted == "passthrough") else [fitted]


def status_of(fitted: Any) -> str:
    """The `status_` of the fitted estimator: of a pipeline, the first that tells of a stop."""
    told = [str(step.status_) for step in _steps(fitted) if hasattr(step, "status_")]
    unfinished = [status for status in told if status not in ("complete", "optimal", "within_gap")]
    return (unfinished or told or ["complete"])[0]


def has_callback(fitted: Any) -> bool:
    """Whether a function of the user's may have ended the fit."""
    return any(getattr(step, "callback", None) is not None for step in _steps(fitted))


def trees_built(fitted: Any) -> int | None:
    """The number of trees built by all steps; None where no step tells."""
    numbers = [number for number in map(_trees_of, _steps(fitted)) if number is not None]
    return sum(numbers) if numbers else None


def _trees_of(step: Any) -> int | None:
    if hasattr(step, "n_trees_"):
        return int(step.n_trees_)
    if hasattr(step, "trees_"):
        return len(step.trees_)
    if hasattr(step, "tree_"):
        return 1
    members = getattr(step, "estimators_", None)
    if members is not None and np.size(members) and hasattr(np.ravel(members)[0], "tree_"):
        return int(np.size(members))
    return None


def features_of(fitted: Any, n_features: int) -> tuple[Features, Features]:
    """The features that were selected, and those that the final estimator uses, by index; None where unknown.

    Where the final estimator does not tell, it uses what it is given.
    """
    *before, last = _steps(fitted)
    given: NDArray[np.int64] = np.arange(n_features)
    for step in before:
        passed = _passed_on(step, given)
        if passed is None:
            return None, None
        given = passed
    selected = given
    if hasattr(last, "get_support"):
        selected = given[np.asarray(last.get_support(), dtype=bool)]
    used = _used(last)
    used_of_all = selected if used is None else given[used]
    return tuple(np.sort(selected).tolist()), tuple(np.unique(used_of_all).tolist())


def _passed_on(step: Any, given: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The features that a transformer passes on, in its order; None where its columns are no features of X."""
    if hasattr(step, "get_support"):
        kept: NDArray[np.int64] = given[np.asarray(step.get_support(), dtype=bool)]
        return kept
    if isinstance(step, OneToOneFeatureMixin):
        return given
    try:
        # The words of a ColumnTransformer are "part__name".
        names_in = [str(name) for name in getattr(step, "feature_names_in_", [])]
        names_in = names_in or [f"x{index}" for index in range(len(given))]
        names_out = [str(name) for name in step.get_feature_names_out()]
        places = [names_in.index(name if name in names_in else name.split("__", 1)[-1]) for name in names_out]
    except (AttributeError, ValueError):
        return None
    passed: NDArray[np.int64] = given[places]
    return passed


def _used(last: Any) -> NDArray[np.int64] | None:
    """The columns that the final estimator uses, of those that it is given; None where it does not tell."""
    if hasattr(last, "used_features_"):
        features = list(last.used_features_)
        if features and isinstance(features[0], str):
            position = {str(name): place for place, name in enumerate(last.feature_names_in_)}
            features = [position[name] for name in features]
        return np.array(features, dtype=np.int64)
    if hasattr(last, "feature_importances_"):
        return np.flatnonzero(np.asarray(last.feature_importances_) > 0)
    if hasattr(last, "coef_") and not hasattr(last.coef_, "tocsr"):
        return np.flatnonzero(np.any(np.atleast_2d(last.coef_) != 0, axis=0))
    return None

"""What a new feature must pay: reads the parameters `new_feature_weight` and `guide` of the regularized ensembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from palmette.data.positions import column_position
from palmette.data.table import display_name
from palmette.support.parameters import InvalidParameterError, check_number

__all__ = ["guided_weights", "read_importances", "read_new_feature_weights"]


def read_new_feature_weights(
    given: object, default: float, names: tuple[str, ...] | None, n_columns: int
) -> NDArray[np.float64]:
    """The λ of each column: one number for all, an array, or a mapping whose absent columns have the default.

    >>> read_new_feature_weights({"age": 0.9}, 0.5, ("age", "city"), 2)
    array([0.9, 0.5])
    """
    if given is None:
        return np.full(n_columns, default)
    if isinstance(given, (Real, str)) or not isinstance(given, Iterable):
        if isinstance(given, Real) and not isinstance(given, bool) and given == 0:
            raise InvalidParameterError(
                "`new_feature_weight` must be a number above 0 and at most 1, but is 0, with which no column could "
                "ever be selected. To keep some columns out, pass a list with a number for each column, or a mapping "
                "from columns to numbers, with 0 for those."
            )
        check_number("new_feature_weight", given, 0, 1, low_excluded=True)
        return np.full(n_columns, float(given))  # type: ignore[arg-type]
    weights = _numbers_by_column("new_feature_weight", given, default, names, n_columns)
    outside = np.flatnonzero(~((weights >= 0) & (weights <= 1)))
    if outside.size:
        raise InvalidParameterError(
            f"`new_feature_weight` must be between 0 and 1 for each column, but is {weights[outside[0]]:g} for "
            f"{display_name(names, int(outside[0]))!r}. 1 is no penalty; 0 keeps a column out."
        )
    if not weights.any():
        raise InvalidParameterError(
            "`new_feature_weight` is 0 for every column: none could ever be selected. Pass 0 for some only."
        )
    return weights


def read_importances(
    guide: Any, X: Any, y: Any, sample_weight: Any, names: tuple[str, ...] | None, n_columns: int
) -> NDArray[np.float64]:
    """The importances that a guide gives, scaled to a maximum of 1; an estimator that is not fitted is fitted here."""
    if hasattr(guide, "fit"):
        given = _importances_of(guide, X, y, sample_weight)
    elif isinstance(guide, (str, Real)) or not isinstance(guide, Iterable):
        raise InvalidParameterError(
            "`guide` must be None, an estimator with `feature_importances_`, a number for each column, or a mapping "
            f"from columns to numbers, but is {guide!r}."
        )
    else:
        given = guide
    importances = _numbers_by_column("guide", given, 0.0, names, n_columns)
    if not np.isfinite(importances).all():
        raise InvalidParameterError("`guide` holds importances that are NaN or infinite. Pass finite numbers.")
    # A permutation importance below 0 says no more than 0.
    importances = np.maximum(importances, 0.0)
    if not importances.any():
        raise InvalidParameterError("`guide` gives no column an importance above 0: it cannot guide.")
    scaled: NDArray[np.float64] = importances / importances.max()
    return scaled


def guided_weights(
    weights: NDArray[np.float64], importances: NDArray[np.float64], strength: float
) -> NDArray[np.float64]:
    """λ of the guided forest (GRRF): (1 − γ)·λ + γ·importance.

    >>> guided_weights(np.ones(3), np.array([1.0, 0.5, 0.0]), 0.4)
    array([1. , 0.8, 0.6])
    """
    guided: NDArray[np.float64] = (1 - strength) * weights + strength * importances
    return np.clip(guided, 0.0, 1.0)


def _importances_of(guide: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    # An estimator that is not fitted raises NotFittedError, an AttributeError, when asked for its importances.
    importances = getattr(guide, "feature_importances_", None)
    if importances is None:
        fitted = clone(guide)
        fitted = fitted.fit(X, y) if sample_weight is None else fitted.fit(X, y, sample_weight=sample_weight)
        importances = getattr(fitted, "feature_importances_", None)
    if importances is None:
        raise InvalidParameterError(
            f"`guide` is a {type(guide).__name__}, which has no `feature_importances_` after `fit`. Pass a forest, or "
            "the importances themselves."
        )
    return importances


def _numbers_by_column(
    parameter: str, given: Iterable[Any], default: float, names: tuple[str, ...] | None, n_columns: int
) -> NDArray[np.float64]:
    if isinstance(given, Mapping):
        numbers = np.full(n_columns, default)
        for key, value in given.items():
            place = column_position(key, names, n_columns, lambda end: InvalidParameterError(f"`{parameter}` {end}"))
            check_number(f"{parameter}[{key!r}]", value)
            numbers[place] = float(value)
        return numbers
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameterError(f"`{parameter}` must hold numbers, but is {given!r}.") from None
    if array.shape != (n_columns,):
        raise InvalidParameterError(
            f"`{parameter}` has the shape {array.shape}, while X has {n_columns} columns. Pass a number for each "
            "column, or a mapping from some columns to numbers."
        )
    return array

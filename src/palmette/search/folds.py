"""Where the error of a subset is measured: reads the parameter `error` into building and search rows.

A tree is grown on the building rows of a fold, and its errors are counted on the search rows. Samples of weight 0 are
in neither.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from palmette.support.messages import did_you_mean
from palmette.support.parameters import InvalidParameterError, check_number

__all__ = ["ERRORS", "Fold", "read_folds"]

ERRORS = ("holdout", "training", "cross_validation")


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Row numbers, ascending: those that a tree is grown on, and those that it is judged on."""

    building: NDArray[np.uint32]
    search: NDArray[np.uint32]


def read_folds(
    error: object,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    *,
    search_size: Any,
    n_folds: Any,
    random_state: np.random.RandomState,
) -> tuple[Fold, ...]:
    """The folds that `error` asks for.

    >>> labels = np.array([0, 1] * 5, dtype=np.int32)
    >>> generator = np.random.RandomState(0)
    >>> (fold,) = read_folds("holdout", labels, None, search_size=0.4, n_folds=10, random_state=generator)
    >>> len(fold.building), len(fold.search)
    (6, 4)
    """
    check_number("search_size", search_size, 0, 1, low_excluded=True, high_excluded=True)
    check_number("n_folds", n_folds, 2, integer=True)
    rows = np.arange(len(labels)) if weights is None else np.flatnonzero(weights > 0)
    if isinstance(error, str) and error in ERRORS:
        if error == "training":
            return (_fold(rows, rows),)
        if error == "holdout":
            return (_holdout(rows, labels[rows], float(search_size), random_state),)
        return _cross_validation(rows, labels[rows], int(n_folds), random_state)
    return _given(error, labels, weights)


def _fold(building: NDArray[Any], search: NDArray[Any]) -> Fold:
    return Fold(np.sort(building).astype(np.uint32), np.sort(search).astype(np.uint32))


def _holdout(rows: NDArray[Any], labels: NDArray[Any], search_size: float, random_state: np.random.RandomState) -> Fold:
    """A stratified split, as `train_test_split` makes it; a class of one sample is for building."""
    common = np.bincount(labels)[labels] >= 2
    for candidates, classes in ((rows[common], labels[common]), (rows, None)):
        try:
            _, search = train_test_split(candidates, test_size=search_size, stratify=classes, random_state=random_state)
        except ValueError:  # Too few samples to have each class on both sides.
            continue
        return _fold(np.setdiff1d(rows, search, assume_unique=True), search)
    raise ValueError(
        f"`search_size={search_size}` of {len(rows)} samples leaves no sample to build on or none to search on. "
        'Pass more samples, another `search_size`, or `error="training"`.'
    )


def _cross_validation(
    rows: NDArray[Any], labels: NDArray[Any], n_folds: int, random_state: np.random.RandomState
) -> tuple[Fold, ...]:
    largest = int(np.bincount(labels).max())
    if largest < 2:
        raise ValueError(
            "Every class has a single sample, which cannot be both built on and searched on. Pass more samples, or "
            '`error="training"`.'
        )
    if n_folds > largest:
        raise ValueError(
            f"`n_folds` is {n_folds}, but the largest class has only {largest} samples: they cannot be in every fold. "
            f"Pass at most {largest} folds, or another `error`."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        pairs = list(splitter.split(rows, labels))
    return tuple(_fold(rows[building], rows[search]) for building, search in pairs)


def _mistake(what: str) -> InvalidParameterError:
    return InvalidParameterError(
        '`error` must be "holdout", "training", "cross_validation", a list of pairs (building_indices, '
        f"search_indices), or a function of a fitted C45Classifier; it {what}"
    )


def _given(error: object, labels: NDArray[np.int32], weights: NDArray[np.float64] | None) -> tuple[Fold, ...]:
    if callable(error):
        raise InvalidParameterError(
            '`error` must be "holdout", "training", "cross_validation", or a list of pairs (building_indices, '
            "search_indices) here: what a function answers cannot be bounded. BestSubsetSelector takes one."
        )
    if isinstance(error, str):
        raise _mistake(f"is {error!r}.{did_you_mean(error, ERRORS)}")
    if not isinstance(error, Iterable):
        raise _mistake(f"is {error!r}.")
    pairs: list[Any] = list(error)
    if not pairs:
        if isinstance(error, Iterator):
            raise _mistake("is an iterator that has nothing left. Pass a list, which can be read again.")
        raise _mistake("is an empty list.")
    folds = []
    for place, pair in enumerate(pairs):
        if not isinstance(pair, (Sequence, np.ndarray)) or isinstance(pair, str) or len(pair) != 2:
            hint = " Put the pair into a list." if len(pairs) == 2 else ""
            raise _mistake(f"holds no pair at place {place}.{hint}")
        building, search = (
            _rows(part, f"the {name} indices of pair {place}", labels, weights)
            for part, name in zip(pair, ("building", "search"), strict=True)
        )
        folds.append(_fold(building, search))
    return tuple(folds)


def _rows(part: Any, whose: str, labels: NDArray[np.int32], weights: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Checked row numbers, those of weight 0 left out."""
    n_rows = len(labels)
    indices = np.asarray(part)
    if indices.dtype == bool and indices.shape == (n_rows,):
        indices = np.flatnonzero(indices)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        wanted = "row numbers, or a boolean mask with a value for each row"
        raise _mistake(f"has {whose} of type {indices.dtype} and shape {indices.shape}. Pass {wanted}.")
    outside = indices[(indices < 0) | (indices >= n_rows)]
    if outside.size:
        raise _mistake(f"names row {outside[0]} in {whose}, while X has the rows 0 to {n_rows - 1}.")
    indices = indices.astype(np.int64)
    repeated = np.flatnonzero(np.bincount(indices, minlength=1) > 1)
    if repeated.size:
        raise _mistake(f"names row {repeated[0]} twice in {whose}. Pass `sample_weight` to count a sample twice.")
    if weights is not None:
        indices = indices[weights[indices] > 0]
    if indices.size == 0:
        raise _mistake(f"has no row{'' if weights is None else ' of a weight above 0'} in {whose}.")
    return indices

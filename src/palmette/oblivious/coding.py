"""Every column as codes of few values: what decision tables and FOCUS compare samples by.

Categories are codes already. Numbers become intervals (`data/discretization.py`) or are compared as they are. A missing
value is a value of its own: alike with a missing value, and with nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _core
from palmette.data.discretization import cut_points_of, interval_names
from palmette.data.encoding import encode
from palmette.data.table import Column, ContinuousColumn, NominalColumn, Table, display_name
from palmette.tree.wording import digits_to_tell_apart, number, printable

__all__ = ["NUMERIC", "CodedFeature", "code_features", "coded_dataset", "codes_of"]

NUMERIC = ("mdl", "as_is")


@dataclass(frozen=True, slots=True, eq=False)
class CodedFeature:
    """How the values of a feature become codes 0, 1, …; a missing value has the code -1.

    Parameters
    ----------
    name : str
    values : tuple of str
        What each code stands for, in words.
    cuts : array or None
        Of numbers: a value belongs to the first interval whose upper cut it does not exceed.
    numbers : array or None
        Of numbers that are compared as they are: the values, ascending.
    """

    name: str
    values: tuple[str, ...]
    cuts: NDArray[np.float64] | None = None
    numbers: NDArray[np.float64] | None = None

    def codes(self, column: Column | None) -> NDArray[np.int32]:
        """The codes of a column; a number unlike all that were seen has a code that no sample has."""
        if isinstance(column, NominalColumn):
            return column.codes
        assert isinstance(column, ContinuousColumn)
        values = column.values()
        if self.cuts is not None:
            codes = np.searchsorted(self.cuts, values, side="left")
        else:
            assert self.numbers is not None
            codes = np.searchsorted(self.numbers, values, side="left")
            known = np.append(self.numbers, np.nan)[codes] == values
            codes[~known] = len(self.numbers)
        codes[np.isnan(values)] = -1
        return codes.astype(np.int32)


def code_features(
    table: Table,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    *,
    numeric: str,
    n_jobs: int,
) -> tuple[CodedFeature, ...]:
    """How the columns of a training table are coded; samples of weight 0 have no say.

    With "mdl" a column of two numbers is cut between them: whether one number would be enough is not asked, because
    features that tell nothing alone may tell much together.
    """
    weighty = slice(None) if weights is None else weights > 0
    features: list[CodedFeature | None] = []
    for index, column in enumerate(table.columns):
        name = display_name(table.names, index)
        if isinstance(column, NominalColumn):
            features.append(CodedFeature(name, tuple(printable(category) for category in column.categories)))
            continue
        assert isinstance(column, ContinuousColumn)
        values = column.values()[weighty].astype(np.float64)
        numbers = np.unique(values[~np.isnan(values)])
        if numeric == "as_is":
            features.append(CodedFeature(name, _in_words(numbers), numbers=numbers))
        elif len(numbers) <= 2:
            features.append(CodedFeature(name, _in_words(numbers), cuts=numbers[:-1] + np.diff(numbers) / 2))
        else:
            features.append(None)
    uncut = [index for index, feature in enumerate(features) if feature is None]
    if uncut:
        numbers_only = Table(tuple(table.columns[index] for index in uncut), table.n_rows, None)
        dataset = encode(numbers_only, labels, n_classes, weights, n_jobs)
        cuts = _core.mdl_cuts(dataset, _core.CutCost.samples, _core.Budget(), n_jobs)
        for index, points in zip(uncut, cut_points_of(numbers_only, dataset, cuts, n_jobs), strict=True):
            assert points is not None
            features[index] = CodedFeature(display_name(table.names, index), interval_names(points), cuts=points)
    return tuple(feature for feature in features if feature is not None)


def _in_words(numbers: NDArray[np.float64]) -> tuple[str, ...]:
    digits = digits_to_tell_apart(numbers.tolist())
    return tuple(number(value, digits) for value in numbers)


def coded_dataset(
    table: Table,
    features: Sequence[CodedFeature],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
) -> _core.Dataset:
    """The training table as the core takes it, every column nominal."""
    builder = _core.DatasetBuilder()
    for column, feature in zip(table.columns, features, strict=True):
        codes = feature.codes(column)
        n_values = len(feature.values)
        # A number that only samples of weight 0 have; nobody looks at it.
        codes = np.where(codes >= n_values, np.int32(-1), codes)
        builder.add([np.ascontiguousarray(codes)], [n_values])
    return builder.build(labels, n_classes, weights)


def codes_of(table: Table, features: Sequence[CodedFeature], needed: Sequence[int]) -> NDArray[np.int32]:
    """The codes of a table that was read for prediction, one column for each needed feature."""
    codes: NDArray[Any] = np.empty((table.n_rows, len(needed)), dtype=np.int32)
    for place, index in enumerate(needed):
        codes[:, place] = features[index].codes(table.columns[index])
    return codes

"""MDLDiscretizer: numbers into intervals, cut where the classes change.

`core/src/data/discretization.cpp` finds the cuts; `output.py` puts the intervals into the user's kind of table. The
filters of `palmette.filter` and the oblivious trees read numbers through the same cuts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import encode
from palmette.data.labels import read_labels, require_two_classes
from palmette.data.names import check_columns, remember_columns
from palmette.data.output import CodedColumn, replace_columns
from palmette.data.reading import read_table
from palmette.data.table import Column, ContinuousColumn, Schema, Table
from palmette.data.weights import read_weights, warn_of_light_weights
from palmette.support.parameters import check_choice, resolve_n_jobs
from palmette.support.progress import reporter
from palmette.tree.wording import digits_to_tell_apart, number

__all__ = ["MDLDiscretizer", "cut_points_of", "interval_names"]

ENCODINGS = ("ordinal", "interval")
CUT_COSTS = ("samples", "values")
COLUMNS_AT_ONCE = 16


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric features into the intervals that tell the classes apart (Fayyad & Irani 1993).

    The values of a feature are cut where the two sides have the least class entropy, if what the cut tells about
    the classes pays for its own description (the minimum description length principle); both sides are then cut in
    the same way. How many intervals there are follows from the data: a feature that tells nothing by itself stays
    whole.

    Parameters
    ----------
    encode : {"ordinal", "interval"}, default="ordinal"
        What `transform` makes of an interval: its number, from 0 on, as a float; or its name, such as
        "(2.45, 4.75]", as an ordered category of the frame (in a matrix, as text).
    cut_cost : {"samples", "values"}, default="samples"
        What it costs to tell the place of a cut. "samples": log2(N − 1) bits for an interval of N samples, as in the
        paper. "values": the logarithm of the number of gaps between distinct values, which cuts more where values
        repeat; Weka calls it the better encoding, and its filters use it, as `CFSSelector` and `FCBFSelector` do.
    categorical_features : "from_dtype", None, list of names or indices, or boolean mask, default="from_dtype"
        The columns that hold categories; see `C45Classifier`. They pass through as they are.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The cuts do not depend on it.

    Attributes
    ----------
    cut_points_ : list of array or None
        For each feature its cuts, ascending: a value belongs to the first interval whose upper cut it does not exceed.
        An empty array: nothing to cut. None: a nominal feature.
    interval_names_ : list of tuple of str, or None
        For each feature the names of its intervals, one more than there are cuts.
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Notes
    -----
    Missing values are set aside in `fit` and stay missing in `transform`. With sample weights, the number N of
    samples in the criterion is their total weight, so that an integer weight is as good as so many copies; a total
    below 2 is charged as 2. Of equally good cuts the lowest is taken. A cut lies half way between two neighbouring
    values.

    There is no `inverse_transform`: an interval does not remember its values, and the outer two have no middle.

    References
    ----------
    U. M. Fayyad, K. B. Irani. Multi-interval discretization of continuous-valued attributes for classification
    learning. IJCAI 1993.

    Examples
    --------
    >>> from palmette import MDLDiscretizer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> discretizer.interval_names_[2]
    ('(-inf, 2.45]', '(2.45, 4.75]', '(4.75, inf)')
    >>> discretizer.transform(X[[0, 60, 120]])[:, 2]
    array([0., 1., 2.])
    """

    cut_points_: list[NDArray[np.float64] | None]
    interval_names_: list[tuple[str, ...] | None]

    def __init__(
        self,
        *,
        encode: str = "ordinal",
        cut_cost: str = "samples",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.encode = encode
        self.cut_cost = cut_cost
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None

        Returns
        -------
        self
        """
        check_choice("encode", self.encode, ENCODINGS)
        check_choice("cut_cost", self.cut_cost, CUT_COSTS)
        n_jobs = resolve_n_jobs(self.n_jobs)
        # A fit that fails must not leave the cuts of an earlier one, as if they were its own.
        for name in ("cut_points_", "interval_names_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        table = read_table(X, self.categorical_features)
        labels, classes = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        warn_of_light_weights(weights)
        if weights is not None:
            require_two_classes(labels[weights > 0], classes, whose="y without the samples of weight 0")
        dataset = encode(table, labels, len(classes), weights, n_jobs)
        cuts = _core.mdl_cuts(
            dataset, getattr(_core.CutCost, self.cut_cost), _core.Budget(), n_jobs, reporter("cutting the features")
        )
        remember_columns(self, table)
        self._schema: Schema = table.schema
        self.cut_points_ = cut_points_of(table, dataset, cuts, n_jobs)
        self.interval_names_ = [None if points is None else interval_names(points) for points in self.cut_points_]
        return self

    def transform(self, X: Any) -> Any:
        """The intervals of the values of X; nominal columns as they are.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        table
            A frame where X is a frame; otherwise a matrix. `set_output` asks for another kind. A missing value stays
            missing: NaN in a matrix of numbers and in pandas, null in polars and Arrow, None in a matrix of names.
        """
        check_is_fitted(self)
        check_choice("encode", self.encode, ENCODINGS)
        X = check_columns(self, X)
        continuous = [index for index, points in enumerate(self.cut_points_) if points is not None]
        table = read_table(X, reference=self._schema, needed=continuous)
        names = self.interval_names_ if self.encode == "interval" else [None] * len(self.cut_points_)
        coded = {index: _coded(table.columns[index], self.cut_points_[index], names[index]) for index in continuous}
        wanted: str = _get_output_config("transform", estimator=self)["dense"]
        return replace_columns(X, coded, self.get_feature_names_out(), wanted)


def _coded(column: Column | None, points: NDArray[np.float64] | None, names: tuple[str, ...] | None) -> CodedColumn:
    """The intervals of the values of a continuous column."""
    assert isinstance(column, ContinuousColumn)
    assert points is not None
    values = column.values()
    codes = np.searchsorted(points, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = -1
    return CodedColumn(codes, names)


def cut_points_of(
    table: Table, dataset: _core.Dataset, cuts: list[list[int]], n_jobs: int
) -> list[NDArray[np.float64] | None]:
    """The cuts between codes as numbers, for each column of the table that the dataset was made of; None: nominal."""
    points: list[NDArray[np.float64] | None] = [
        np.empty(0) if isinstance(column, ContinuousColumn) else None for column in table.columns
    ]
    cut = [index for index, some in enumerate(cuts) if some]
    for start in range(0, len(cut), COLUMNS_AT_ONCE):
        some = cut[start : start + COLUMNS_AT_ONCE]
        values = [column.source() for index in some if isinstance(column := table.columns[index], ContinuousColumn)]
        numbers = _core.cut_points(dataset, some, values, [cuts[index] for index in some], n_jobs)
        for index, of_column in zip(some, numbers, strict=True):
            points[index] = of_column
    return points


def interval_names(points: NDArray[np.float64]) -> tuple[str, ...]:
    """The intervals between the points, in words; as few digits as keep the points apart.

    >>> interval_names(np.array([2.45, 4.75]))
    ('(-inf, 2.45]', '(2.45, 4.75]', '(4.75, inf)')
    """
    digits = digits_to_tell_apart(points.tolist())
    ends = ["-inf", *(number(point, digits) for point in points), "inf"]
    return tuple(f"({low}, {high}{')' if high == 'inf' else ']'}" for low, high in pairwise(ends))

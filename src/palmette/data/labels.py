"""The door for labels: y comes in as any library holds it, class codes and the classes come out.

The rules and many words are scikit-learn's. `reading.py` is the door for tables, `weights.py` for weights.
"""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from palmette.data.arrays import as_array
from palmette.data.frames import as_series, encode_series, holds_categories
from palmette.data.objects import encode_objects, kind_of_objects, missing_objects
from palmette.data.raw import Holds
from palmette.support.messages import listing

__all__ = ["plain_labels", "read_codes", "read_labels", "require_two_classes"]


def read_labels(y: object, n_rows: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Read labels into codes, one for each row, and the sorted classes; `classes[codes]` are the labels.

    Labels are text, integers, booleans or whole floats, in a list, an array, or a series (also a categorical
    one, of which only the categories present count) of pandas, polars or Arrow.

    >>> read_labels(["yes", "no", "yes"], 3)
    (array([1, 0, 1], dtype=int32), array(['no', 'yes'], dtype='<U3'))
    """
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None. Pass a label for each row.")
    codes, classes = _encode(_one_dimension(y))
    if codes.size != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {codes.size} labels. Pass one label for each row of X.")
    require_two_classes(codes, classes)
    return codes, classes


def read_codes(y: object, n_rows: int, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Read labels of a later table as numbers of the classes of an earlier one; -1 for a class that is new.

    >>> read_codes(["yes", "maybe"], 2, np.array(["no", "yes"]))
    array([ 1, -1], dtype=int32)
    """
    codes, present = _encode(_one_dimension(y))
    if codes.size != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {codes.size} labels. Pass one label for each row of X.")
    place = {label: code for code, label in enumerate(classes.tolist())}
    of_present = np.array([place.get(label, -1) for label in present.tolist()], dtype=np.int32)
    known: NDArray[np.int32] = of_present[codes]
    return known


def plain_labels(y: Any) -> Any:
    """y as scikit-learn's metrics take it: numbers and booleans that are held as objects get a dtype of their own.

    >>> plain_labels(np.array([True, False], dtype=object))
    array([ True, False])
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.dtype != object or labels.ndim != 1 or kind_of_objects("the label column y", labels) is Holds.text:
        return y
    _refuse_missing(missing_objects(labels))
    return np.array(labels.tolist())


def require_two_classes(codes: NDArray[np.int32], classes: NDArray[Any], *, whose: str = "y") -> None:
    """Raise unless the codes name at least two classes; `whose` tells in the message which labels they are.

    An estimator calls it again once the samples of weight 0 are gone.
    """
    present = np.flatnonzero(np.bincount(codes))
    if present.size < 2:
        label = classes[present].tolist()
        raise ValueError(
            f"There must be at least two classes, but there is only one class in {whose}: {listing(label)}. "
            "Check that y is the column that you want to predict, and that no filter has removed the other "
            "classes."
        )


def _one_dimension(y: Any) -> Any:
    """y as a narwhals series or as an array of one dimension; a single column is taken with a warning."""
    series = as_series(y)
    if series is not None:
        return series
    if not nw.dependencies.is_into_dataframe(y):
        return column_or_1d(as_array(y), warn=True)
    # narwhals would refuse columns of the same name before their number can be told.
    if y.shape[1] != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {tuple(y.shape)} instead.")
    frame = nw.from_native(y, eager_only=True)
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please pass the column itself.",
        DataConversionWarning,
        stacklevel=3,
    )
    return frame[:, 0]


def _encode(labels: Any) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Codes and sorted classes of a series or of an array of one dimension."""
    if isinstance(labels, nw.Series):
        _refuse_missing(labels.is_null().to_numpy())
        if not holds_categories(labels):
            labels = labels.to_numpy()
        else:
            codes, values = encode_series(labels)
            _refuse_missing(codes < 0)
            if all(isinstance(value, str) for value in values):
                return _text_classes(codes, values, np.dtype(object))
            labels = np.array(values, dtype=object)[codes]
    if labels.dtype == object:
        kind = kind_of_objects("the label column y", labels)
        _refuse_missing(missing_objects(labels))
        if kind is Holds.text:
            return _text_classes(*encode_objects(labels), labels.dtype)
        labels = np.array(labels.tolist())
    if labels.dtype.kind in "UT":
        return _text_classes(*encode_objects(labels.astype(object)), labels.dtype)
    if labels.dtype.kind in "iu" and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < labels.size:
            return _integer_classes(labels, low, high)
    _check_numbers(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int32), classes


def _integer_classes(labels: NDArray[Any], low: int, high: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Codes and sorted classes of integers between two that are not far apart: by counting, which is faster by far."""
    wide = labels if labels.dtype.itemsize == 8 else labels.astype(np.int64)
    offsets = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
    present = np.flatnonzero(np.bincount(offsets, minlength=high - low + 1))
    if 2 * present.size > labels.size:
        # Warns where nearly every label is a class of its own.
        check_classification_targets(labels)
    code_of = np.zeros(high - low + 1, dtype=np.int32)
    code_of[present] = np.arange(present.size, dtype=np.int32)
    return code_of[offsets], (present.astype(wide.dtype) + wide.dtype.type(low)).astype(labels.dtype)


def _text_classes(
    codes: NDArray[Any], values: list[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Codes and sorted classes of text; categories that no label has are no classes."""
    classes = sorted({values[code] for code in np.flatnonzero(np.bincount(codes))})
    position = {label: code for code, label in enumerate(classes)}
    class_codes = np.array([position.get(value, -1) for value in values], dtype=np.int32)[codes]
    # Warns where nearly every label is a class of its own.
    check_classification_targets(class_codes)
    return class_codes, np.array(classes, dtype=dtype)


def _check_numbers(labels: NDArray[Any]) -> None:
    """Raise where labels are neither integers, booleans nor whole floats."""
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers. Pass labels that are text or integers.")
    if labels.dtype.kind not in "biuf":
        raise ValueError(f"Unknown label type: y is of type {labels.dtype}. Pass text, integers or booleans as labels.")
    if labels.dtype.kind == "f":
        _refuse_missing(np.isnan(labels))
        rows = np.flatnonzero(np.isinf(labels))
        if rows.size:
            raise ValueError(f"Input y contains infinity, first in row {rows[0]}. Pass labels that name classes.")
        rows = np.flatnonzero(labels != np.trunc(labels))
        if rows.size:
            raise ValueError(
                f"Unknown label type: continuous. {rows.size} of {labels.size} labels are fractional, first "
                f"{float(labels[rows[0]])!r} in row {rows[0]}, while a classifier expects classes. Cut the numbers "
                "into ranges first, for example with pandas.qcut(y, 3, labels=['low', 'middle', 'high']), or check "
                "that y is the column that you want to predict."
            )
    check_classification_targets(labels)


def _refuse_missing(missing: NDArray[Any]) -> None:
    rows = np.flatnonzero(missing)
    if rows.size:
        where = f"row{'s' if rows.size > 1 else ''} {listing(rows.tolist())}"
        raise ValueError(
            f"Input y contains NaN: {rows.size} of {missing.size} labels are missing ({where}). "
            "Drop these rows, or give the missing labels a class of their own."
        )

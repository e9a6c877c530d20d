"""Labels from every library, and the labels that are refused."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from palmette import C45Classifier, EvolvedTreeClassifier, MDLDiscretizer, ObliviousTreeClassifier
from palmette.data.labels import read_labels, require_two_classes

TEXTS = ["yes", "no", "yes", "maybe"]
TEXT_SERIES = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "numpy text": np.array(TEXTS),
    "numpy StringDType": np.array(TEXTS, dtype=np.dtypes.StringDType()),
    "numpy objects": np.array(TEXTS, dtype=object),
    "pandas str": pd.Series(TEXTS),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas category": pd.Series(pd.Categorical(TEXTS, categories=["yes", "unused", "maybe", "no"])),
    "pandas Categorical": pd.Categorical(TEXTS),
    "pandas Index": pd.Index(TEXTS),
    "pandas arrow": pd.Series(TEXTS, dtype="string[pyarrow]"),
    "polars": pl.Series(TEXTS),
    "polars Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXTS, dtype=pl.Enum(["yes", "unused", "maybe", "no"])),
    "arrow": pa.array(TEXTS),
    "arrow chunks": pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "arrow dictionary of repeated values": pa.DictionaryArray.from_arrays([0, 1, 2, 3], ["yes", "no", "yes", "maybe"]),
}


@pytest.mark.parametrize("case", TEXT_SERIES)
def test_text(case):
    codes, classes = read_labels(TEXT_SERIES[case], 4)
    assert codes.dtype == np.int32
    assert codes.tolist() == [2, 1, 2, 0]
    assert classes.tolist() == ["maybe", "no", "yes"]


def test_classes_are_of_the_type_that_the_user_had():
    assert read_labels(np.array(["ab", "c"]), 2)[1].dtype == np.dtype("<U2")
    assert read_labels(["ab", "c"], 2)[1].dtype == np.dtype("<U2")
    assert read_labels(np.array(["ab", "c"], dtype=object), 2)[1].dtype == object
    assert read_labels(pd.Series(["ab", "c"]), 2)[1].dtype == object
    assert read_labels(np.array([1, 2], dtype=np.int16), 2)[1].dtype == np.int16
    assert read_labels([1.0, 2.0], 2)[1].dtype == np.float64
    assert read_labels([True, False], 2)[1].dtype == np.bool_


@pytest.mark.parametrize(
    "y",
    [
        [3, 1, 3],
        np.array([3.0, 1.0, 3.0]),
        np.array([3, 1, 3], dtype=object),
        pd.Series([3, 1, 3], dtype="Int64"),
        pd.Series([3, 1, 3], dtype="int8[pyarrow]"),
        pd.Series(pd.Categorical([3, 1, 3], categories=[5, 3, 1])),
        pl.Series([3, 1, 3]),
        pa.array([3, 1, 3]),
        pa.array([3, 1, 3]).dictionary_encode(),
    ],
)
def test_numbers(y):
    codes, classes = read_labels(y, 3)
    assert codes.tolist() == [1, 0, 1]
    assert classes.tolist() == [1, 3]


@pytest.mark.parametrize(
    "y",
    [
        [True, False],
        np.array([True, False], dtype=object),
        pd.Series([True, False], dtype="boolean"),
        pl.Series([True, False]),
        pa.array([True, False]),
    ],
)
def test_booleans(y):
    codes, classes = read_labels(y, 2)
    assert codes.tolist() == [1, 0]
    assert classes.dtype == np.bool_


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", None],
        np.array(["a", np.nan, "b", np.nan], dtype=object),
        [1.0, np.nan, 2.0, np.nan],
        [True, None, False, None],
        pd.Series(["a", None, "b", None]),
        pd.Series(["a", pd.NA, "b", pd.NA], dtype=object),
        pd.Series([1, None, 2, None], dtype="Int64"),
        pd.Series(pd.Categorical(["a", None, "b", None])),
        pl.Series(["a", None, "b", None]),
        pl.Series([1.0, None, 2.0, float("nan")]),
        pa.array(["a", None, "b", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([0, 1, 2, None], ["a", None, "b"]),
        np.ma.masked_array([1, 2, 3, 4], mask=[False, True, False, True]),
    ],
)
def test_missing_labels_are_counted_and_placed(y):
    with pytest.raises(ValueError, match=r"Input y contains NaN: [12] of 4 labels are missing"):
        read_labels(y, 4)


def test_where_labels_are_missing():
    with pytest.raises(ValueError, match=r"2 of 4 labels are missing \(rows 1, 3\). Drop these rows"):
        read_labels(["a", None, "b", None], 4)
    with pytest.raises(ValueError, match=r"20 of 22 .*\(rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 10 more\)"):
        read_labels([1.0, 2.0] + [np.nan] * 20, 22)


def test_no_labels():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        read_labels(None, 3)


@pytest.mark.parametrize("y", [["a", "b"], [1, 2], pl.Series([1, 2]), []])
def test_another_length(y):
    with pytest.raises(ValueError, match=f"X has 3 rows, but y has {len(y)} labels"):
        read_labels(y, 3)


@pytest.mark.parametrize("y", [["a"] * 3, [1, 1, 1], [True] * 3, pd.Series(pd.Categorical(["a"] * 3, ["a", "b"]))])
def test_one_class(y):
    with pytest.raises(ValueError, match=r"at least two classes, but there is only one class in y: ('a'|1|True)\."):
        read_labels(y, 3)


@pytest.mark.parametrize(
    "estimator", [C45Classifier(), EvolvedTreeClassifier(4), MDLDiscretizer(), ObliviousTreeClassifier()], ids=repr
)
def test_one_class_of_weight_is_told_in_a_sentence(estimator):
    message = r"only one class in y without the samples of weight 0: 1\."
    with pytest.raises(ValueError, match=message):
        estimator.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1], sample_weight=[0, 1, 1, 1])


def test_one_class_once_the_weightless_are_gone():
    codes, classes = read_labels(["a", "b", "b"], 3)
    require_two_classes(codes, classes)
    with pytest.raises(ValueError, match="only one class in the samples of positive weight: 'b'"):
        require_two_classes(codes[1:], classes, whose="the samples of positive weight")


@pytest.mark.parametrize("y", [[0.5, 1.5, 2.5], pd.Series([0.5, 1.5, 2.5]), pd.Series(pd.Categorical([0.5, 1.5, 2.5]))])
def test_continuous_labels(y):
    message = "Unknown label type: continuous. 3 of 3 labels are fractional, first 0.5 in row 0.*Cut the numbers into"
    with pytest.raises(ValueError, match=message):
        read_labels(y, 3)
    with pytest.raises(ValueError, match=r"1 of 3 labels are fractional, first 2\.5 in row 2"):
        read_labels([1.0, 2.0, 2.5], 3)


@pytest.mark.parametrize(
    "y",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        pl.Series([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]),
        np.array([b"a", b"b"]),
        np.array([2**70, 1], dtype=object),
    ],
)
def test_labels_of_other_types(y):
    with pytest.raises(ValueError, match="Unknown label type: y is of type"):
        read_labels(y, 2)


def test_infinite_labels():
    with pytest.raises(ValueError, match="Input y contains infinity, first in row 1"):
        read_labels([1.0, np.inf], 2)


def test_complex_labels():
    for y in [np.array([1j, 2j]), pd.Series([1j, 2j])]:
        with pytest.raises(ValueError, match="Complex data not supported"):
            read_labels(y, 2)


def test_labels_that_mix_text_and_numbers():
    for y in [["a", 1], pd.Series(["a", 1], dtype=object), pd.Series(pd.Categorical(["a", 1]))]:
        with pytest.raises(TypeError, match=r"The label column y mixes numbers .* and text"):
            read_labels(y, 2)
    with pytest.raises(TypeError, match="not 'dict': the label column y holds such a value in row 1"):
        read_labels(np.array(["a", {}], dtype=object), 2)


@pytest.mark.parametrize(
    "y", [np.array([["a"], ["b"]]), pd.DataFrame({"y": ["a", "b"]}), pl.DataFrame({"y": ["a", "b"]})]
)
def test_a_column_vector_is_taken_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        assert read_labels(y, 2)[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    "y",
    [
        np.zeros((3, 2)),
        pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}),
        pd.DataFrame([[1, 1]] * 3, columns=["a", "a"]),
        pa.table([[1, 2, 3]] * 2, names=["a", "a"]),
        "abc",
        7,
    ],
)
def test_labels_of_other_shapes(y):
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        read_labels(y, 3)


def test_a_warning_where_nearly_every_label_is_a_class():
    with pytest.warns(UserWarning, match="The number of unique classes is greater than 50%"):
        read_labels([str(index) for index in range(30)], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels(TEXTS, 4)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("place", ["lowest", "highest", "middle", "everywhere"])
def test_integers_of_every_type_and_range_are_numbered_as_by_unique(dtype, place):
    limits = np.iinfo(dtype)
    low, high = {
        "lowest": (limits.min, limits.min + 20),
        "highest": (limits.max - 20, limits.max),
        "middle": (max(limits.min, -5), 100),
        "everywhere": (limits.min, limits.max),
    }[place]
    labels = np.random.default_rng(0).integers(low, high, size=300, dtype=dtype, endpoint=True)
    labels = np.repeat(labels, 3)
    codes, classes = read_labels(labels, labels.size)
    expected, inverse = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(classes, expected, strict=True)
    np.testing.assert_array_equal(codes, inverse.astype(np.int32), strict=True)


def test_integers_that_nearly_all_differ_are_taken_with_a_warning():
    with pytest.warns(UserWarning, match="unique classes"):
        read_labels(np.arange(40), 40)

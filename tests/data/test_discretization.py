"""MDLDiscretizer through its public face: every container in and out, missing values, names, and mistakes."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from palmette import C45Classifier, MDLDiscretizer

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, np.nan],
        "color": pd.Categorical(["red", "blue", None, "red", "blue", "red", "blue", "red", "red"]),
        "noise": [1, 2, 1, 2, 1, 2, 1, 2, 1],
    },
    index=[f"row {i}" for i in range(9)],
)
LABELS = ["a", "a", "a", "a", "b", "b", "b", "b", "b"]
SIZES = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, None]
LOW, HIGH = "(-inf, 4.5]", "(4.5, inf)"
SIZE_NAMES = [LOW] * 4 + [HIGH] * 4 + [None]


def plain(column) -> list:
    """The values of a column of any library, None where missing."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return [None if value is None or value != value else value for value in values]


CONTAINERS = {
    "pandas": lambda: FRAME,
    "polars": lambda: pl.from_pandas(FRAME),
    "arrow": lambda: pa.Table.from_pandas(FRAME, preserve_index=False),
    "record batch": lambda: pa.RecordBatch.from_pandas(FRAME, preserve_index=False),
    "objects": lambda: FRAME.to_numpy(dtype=object),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(("encode", "expected"), [("ordinal", SIZES), ("interval", SIZE_NAMES)])
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_every_container_in_and_out(container, encode, expected, output):
    X = CONTAINERS[container]()
    discretizer = MDLDiscretizer(encode=encode).set_output(transform=output).fit(X, LABELS)
    coded = discretizer.transform(X)
    if output == "default" and container == "objects":
        columns = list(coded.T)
        assert isinstance(coded, np.ndarray)
    else:
        kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(
            container if output == "default" else output, pa.Table
        )
        assert isinstance(coded, kind)
        names = ["x0", "x1", "x2"] if container == "objects" else list(FRAME.columns)
        columns = [coded[name] for name in names]
    assert plain(columns[0]) == expected
    assert plain(columns[1]) == plain(FRAME["color"])
    assert set(plain(columns[2])) == {0.0 if encode == "ordinal" else "(-inf, inf)"}


def test_the_table_of_the_user_stays_as_it_is():
    before = FRAME.copy()
    MDLDiscretizer(encode="interval").fit(FRAME, LABELS).transform(FRAME)
    pd.testing.assert_frame_equal(FRAME, before)


def test_pandas_keeps_the_index_and_declares_the_intervals_in_order():
    coded = MDLDiscretizer(encode="interval").fit_transform(FRAME, LABELS)
    assert coded.index.equals(FRAME.index)
    assert coded["size"].cat.ordered
    assert coded["size"].cat.categories.tolist() == [LOW, HIGH]
    assert coded["color"].dtype == FRAME["color"].dtype


def test_the_intervals_of_iris_are_those_of_the_literature():
    # Weka's supervised Discretize gives the same.
    X, y = load_iris(return_X_y=True)
    cuts = MDLDiscretizer().fit(X, y).cut_points_
    assert [points.round(6).tolist() for points in cuts] == [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def test_a_value_on_a_cut_belongs_to_the_lower_interval():
    discretizer = MDLDiscretizer().fit(FRAME[["size"]], LABELS)
    fresh = pd.DataFrame({"size": [-np.finfo(float).max, 4.5, np.nextafter(4.5, 5), np.finfo(float).max, np.nan]})
    assert plain(discretizer.transform(fresh)["size"]) == [0, 0, 1, 1, None]


def test_matrices():
    X, y = load_iris(return_X_y=True)
    expected = MDLDiscretizer().fit_transform(X, y)
    assert expected.dtype == np.float64
    for same in (X.astype(np.float32), scipy.sparse.csr_matrix(X), X.tolist(), np.asfortranarray(X)):
        np.testing.assert_array_equal(MDLDiscretizer().fit_transform(same, y), expected)
    half = MDLDiscretizer(categorical_features=[3])
    np.testing.assert_array_equal(half.fit_transform(X, y)[:, 3], X[:, 3])
    assert half.cut_points_[3] is None
    assert half.interval_names_[3] is None


def test_any_number_of_threads():
    X, y = load_iris(return_X_y=True)
    one, two = (MDLDiscretizer(n_jobs=n_jobs).fit(X, y).cut_points_ for n_jobs in (1, 2))
    np.testing.assert_equal(one, two)


def test_a_tree_takes_the_intervals_as_categories():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make_pipeline(MDLDiscretizer(encode="interval"), C45Classifier()).fit(X, y)
    assert model[-1].tree_.features[2].categories == ("(-inf, 2.45]", "(2.45, 4.75]", "(4.75, inf)")
    assert model.score(X, y) > 0.9


def test_names_pickle_and_clone():
    discretizer = MDLDiscretizer(encode="interval").fit(FRAME, LABELS)
    assert discretizer.get_feature_names_out().tolist() == list(FRAME.columns)
    again = pickle.loads(pickle.dumps(discretizer))
    pd.testing.assert_frame_equal(again.transform(FRAME), discretizer.transform(FRAME))
    assert clone(discretizer).get_params() == discretizer.get_params()


def test_cuts_that_lie_close_keep_different_names():
    values = np.array([1.0, 1.00000001, 1.00000002]).repeat(30)[:, None]
    names = MDLDiscretizer().fit(values, np.array([0, 1, 0]).repeat(30)).interval_names_[0]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"encode": "onehot"}, FRAME, LABELS, "`encode` must be 'ordinal' or 'interval', but is 'onehot'"),
        ({"n_jobs": 0}, FRAME, LABELS, "`n_jobs` must not be 0"),
        ({}, FRAME, ["a"] * 9, "at least two classes"),
        ({}, FRAME, LABELS[:8], "X has 9 rows, but y has 8 labels"),
        ({}, [[np.inf], [1.0]], [0, 1], "infinity"),
        ({"categorical_features": ["sise"]}, FRAME, LABELS, "Did you mean 'size'"),
    ],
)
def test_mistakes_are_told(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        MDLDiscretizer(**parameters).fit(X, y)


def test_other_columns_than_in_fit_are_refused():
    discretizer = MDLDiscretizer().fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="3 features"):
        discretizer.transform(FRAME[["size", "color"]])
    with pytest.raises(ValueError, match="feature names"):
        discretizer.transform(FRAME[["color", "size", "noise"]])

"""What a selector can say of the table that its columns came from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from palmette import BackwardEliminationSelector, FCBFSelector, FocusSelector


@pytest.fixture
def mixed():
    generator = np.random.default_rng(0)
    labels = np.array(["no", "yes"] * 30)
    frame = pd.DataFrame(
        {
            "noise": generator.normal(size=60),
            "tells": np.where(labels == "yes", 1.5, 0.5),
            "text": np.array(["a", "b", "c"] * 20),
            "category": pd.Categorical(["x", "y"] * 30),
            "flag": [True, False, False] * 20,
            "whole": pd.array([1, None, 3] * 20, dtype="Int64"),
        }
    )
    return frame, labels


@pytest.mark.parametrize(
    "to", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize(
    "selector", [FCBFSelector(), FocusSelector(), BackwardEliminationSelector(random_state=0)], ids=repr
)
@pytest.mark.filterwarnings("ignore")
def test_columns_that_were_left_out_come_back_as_missing_values(mixed, selector, to):
    frame, labels = mixed
    table = to(frame)
    selector = clone(selector).fit(table, labels)
    selected = selector.transform(table)
    back = selector.inverse_transform(selected)
    assert type(back) is type(table)
    names = [*frame.columns]
    assert [str(name) for name in (back.column_names if isinstance(back, pa.Table) else back.columns)] == names
    again = back if isinstance(back, pd.DataFrame) else back.to_pandas()
    for name, is_chosen in zip(names, selector.support_, strict=True):
        if is_chosen:
            assert again[name].astype(str).tolist() == frame[name].astype(str).tolist()
        else:
            assert again[name].isna().all()
    np.testing.assert_array_equal(selector.transform(back).shape, selected.shape)


def test_a_matrix_comes_back_with_zeros_as_in_scikit_learn(mixed):
    frame, labels = mixed
    matrix = frame[["noise", "tells"]].to_numpy()
    selector = FCBFSelector().fit(matrix, labels)
    back = selector.inverse_transform(selector.transform(matrix))
    np.testing.assert_array_equal(back, np.where(selector.support_, matrix, 0))


def test_other_columns_than_the_selected_are_refused(mixed):
    frame, labels = mixed
    selector = FCBFSelector().fit(frame, labels)
    with pytest.raises(ValueError, match=r"must have the selected columns .* but has"):
        selector.inverse_transform(frame)


def test_columns_of_pandas_may_be_numbers(mixed):
    frame, labels = mixed
    numbered = frame[["noise", "tells"]].set_axis([10, 20], axis=1)
    selector = FCBFSelector().fit(numbered, labels)
    assert selector.support_.tolist() == [False, True]
    back = selector.inverse_transform(selector.transform(numbered))
    assert back.columns.tolist() == [0, 1]
    assert back[0].isna().all()
    assert back[1].tolist() == frame["tells"].tolist()
    with pytest.raises(ValueError, match="must have the selected columns"):
        selector.inverse_transform(numbered)

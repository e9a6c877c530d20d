"""Fitted models whose arrays or files were tampered with."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile.inputs import (
    NUMBERS,
    Y,
    assert_clear,
    many,
)
from palmette import C45Classifier

pytestmark = pytest.mark.filterwarnings("ignore")


def fitted_on_a_mixture() -> tuple[C45Classifier, pd.DataFrame]:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=80),
            "letter": rng.choice(["a", "b", "c"], 80),
            "flag": rng.choice([True, False], 80),
            "other": rng.normal(size=80),
        }
    )
    y = (frame["number"] > 0) ^ (frame["letter"] == "b")
    return C45Classifier(growth="literal").fit(frame, y), frame


ARRAYS = ("feature", "threshold", "branch_start", "branches", "label", "weight", "gain")
CLASS_WEIGHTS = ("start", "label", "weight")


@many
@given(st.data())
def test_a_tree_whose_arrays_were_tampered_with(data: st.DataObject) -> None:
    """The frozen tree is forced open; the classifier, alive or from a pickle, predicts or refuses."""
    model, frame = fitted_on_a_mixture()
    tree = model.tree_
    owner, name = data.draw(
        st.sampled_from([(tree, name) for name in ARRAYS] + [(tree.kept_class_weights, name) for name in CLASS_WEIGHTS])
    )
    array = np.array(getattr(owner, name))
    how = data.draw(st.sampled_from(["value", "length", "type", "shape"]))
    if how == "value":
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            value: Any = data.draw(st.integers(max(-3, limits.min), 60) | st.sampled_from([limits.max, limits.min]))
        else:
            value = data.draw(st.floats())
        array.flat[data.draw(st.integers(0, array.size - 1))] = value
    elif how == "length":
        array = array[: data.draw(st.integers(0, len(array)))]
    elif how == "type":
        array = array.astype(data.draw(st.sampled_from(["f4", "i8", "u1", "U3", "O", "c16"])))
    else:
        array = data.draw(st.sampled_from([array.reshape(-1, 1), array.reshape(1, -1), array[::-1]]))
    object.__setattr__(owner, name, array)
    model.__dict__.pop("_predictor")
    for action in (lambda: model.predict(frame), lambda: pickle.loads(pickle.dumps(model)).predict(frame)):
        try:
            assert set(action().tolist()) <= {False, True}
        except (ValueError, TypeError) as error:
            assert_clear(error)


def test_a_model_whose_parts_do_not_fit() -> None:
    model, frame = fitted_on_a_mixture()
    stump = C45Classifier().fit(NUMBERS, Y)
    for part in ("tree_", "_schema", "_predictor"):
        mixed, other = copy.deepcopy(model), copy.deepcopy(stump)
        mixed._core_tree(), other._core_tree()
        setattr(mixed, part, getattr(other, part))
        try:
            mixed.predict(frame)
        except (ValueError, TypeError) as error:
            assert_clear(error)


def test_the_arrays_of_a_tree_cannot_be_written_to() -> None:
    model, _ = fitted_on_a_mixture()
    tree = model.tree_
    kept = tree.kept_class_weights
    arrays = [getattr(tree, name) for name in ARRAYS] + [getattr(kept, name) for name in CLASS_WEIGHTS]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def damaged(value: Any, data: st.DataObject) -> Any:
    """The JSON value with one thing in it replaced, removed or repeated."""
    junk = st.sampled_from([None, -1, 0, 1, 2**31, 2**63, -(2**63), 1e308, "x", [], {}, True, [[]], 0.5])
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)) < 9:
        key = data.draw(st.sampled_from(sorted(value)))
        changed = dict(value)
        if data.draw(st.integers(0, 9)) == 0:
            del changed[key]
        else:
            changed[key] = damaged(value[key], data)
        return changed
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)) < 9:
        place = data.draw(st.integers(0, len(value) - 1))
        repeated = data.draw(st.sampled_from([0, 1, 1, 1, 1, 2]))
        return value[:place] + [damaged(value[place], data)] * repeated + value[place + 1 :]
    return data.draw(junk)


@many
@given(st.data())
def test_a_damaged_json_is_refused_or_predicts(data: st.DataObject) -> None:
    model, frame = fitted_on_a_mixture()
    text = json.dumps(damaged(json.loads(model.to_json()), data))
    if not text.startswith("{"):
        text = "{}"  # other text is the name of a file
    try:
        again = C45Classifier.from_json(text)
    except ValueError as error:
        assert_clear(error)
        return
    try:
        probabilities = again.predict_proba(frame)
    except (ValueError, TypeError) as error:
        assert_clear(error)
    else:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


NO_MODELS: list[str | bytes] = ["", " ", "{", "[]", "null", "1", "NaN", '"x"', "{}", "\0", "\ud800", b"\xff\xfe"]


@pytest.mark.parametrize("place", range(len(NO_MODELS)))
def test_what_is_no_model_at_all(place: int) -> None:
    with pytest.raises((ValueError, OSError)) as caught:
        C45Classifier.from_json(NO_MODELS[place])
    assert len(str(caught.value).split()) >= 4


@pytest.mark.parametrize("text", ["[", '{"a":', '{"a":['])
def test_a_model_of_endless_brackets(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        C45Classifier.from_json(text * 100_000)
    assert len(str(caught.value).split()) >= 4


def test_models_of_strange_text_go_through_json_and_files(tmp_path: Path) -> None:
    frame = pd.DataFrame({"\0": ["\ud800", "a\0"] * 6, "": ["x", ""] * 6}, dtype=object)
    model = C45Classifier().fit(frame, ["\udfff", "\0"] * 6)
    expected = model.predict(frame).tolist()
    assert C45Classifier.from_json(model.to_json()).predict(frame).tolist() == expected
    model.to_json(tmp_path / "model.json")
    assert C45Classifier.from_json(tmp_path / "model.json").predict(frame).tolist() == expected

"""The names of the columns in later calls, for containers in which scikit-learn sees none."""

from __future__ import annotations

import warnings

import pandas as pd
import pyarrow as pa
import pytest

from palmette import BackwardEliminationSelector, C45Classifier, EvolvedTreeClassifier, MDLDiscretizer
from palmette import ObliviousTreeClassifier as Oblivious

FRAME = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0] * 5, "age": [4.0, 3.0, 9.0, 7.0] * 5})
LABELS = ["a", "a", "b", "b"] * 5


class Stream:
    """A frame of an unknown library that speaks Arrow's stream interface, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


CONTAINERS = {
    "record batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "stream": Stream,
}
CALLS = {
    "tree": (C45Classifier, "predict"),
    "evolved": (lambda: EvolvedTreeClassifier(max_generations=2, random_state=0), "predict"),
    "oblivious": (Oblivious, "predict"),
    "selector": (BackwardEliminationSelector, "transform"),
    "discretizer": (MDLDiscretizer, "transform"),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", CALLS)
def test_names_are_seen_in_every_frame(kind, container):
    make, call = CALLS[kind]
    table, wrap = pa.Table.from_pandas(FRAME), CONTAINERS[container]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = make().fit(wrap(table), LABELS)
        assert fitted.feature_names_in_.tolist() == ["size", "age"]
        expected = getattr(fitted, call)(table)
        found = getattr(fitted, call)(wrap(table))
    assert found.tolist() == expected.tolist() if call == "predict" else found.equals(expected)
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        getattr(fitted, call)(wrap(table.select(["age", "size"])))
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2 features"):
        getattr(fitted, call)(wrap(table.select(["size"])))


@pytest.mark.parametrize("kind", CALLS)
def test_doubled_names_in_a_later_table(kind):
    make, call = CALLS[kind]
    fitted = make().fit(FRAME, LABELS)
    doubled = pd.concat([FRAME["size"], FRAME["size"]], axis=1)
    arrays = [pa.array(FRAME["size"])] * 2
    for X in (doubled, pa.table(arrays, ["size"] * 2), Stream(pa.table(arrays, ["size"] * 2))):
        with pytest.raises(ValueError, match=r"X has several columns of the same name: 'size'. Rename or drop"):
            getattr(fitted, call)(X)


def test_names_of_an_earlier_fit_are_forgotten():
    tree = C45Classifier().fit(FRAME, LABELS)
    tree.fit(FRAME.to_numpy(), LABELS)
    assert not hasattr(tree, "feature_names_in_")
    assert tree.n_features_in_ == 2

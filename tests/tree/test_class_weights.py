"""The weights of the classes, kept for the classes that are at a node."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from palmette.tree.class_weights import ClassWeights
from tree.examples import all_examples

MATRICES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(1, 6)),
    elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.5, 1e-300]),
)


@given(MATRICES)
def test_nothing_is_lost(dense):
    kept = ClassWeights.of_dense(dense)
    assert np.array_equal(kept.dense(), dense)
    assert [kept.of_node(node) for node in range(kept.n_nodes)] == dense.tolist()
    assert kept.totals == pytest.approx(dense.sum(axis=1))
    assert len(kept.weight) == np.count_nonzero(dense)
    assert ClassWeights(kept.n_classes, kept.start, kept.label, kept.weight) == kept


@given(MATRICES, MATRICES)
def test_equal_when_the_matrices_are(one, other):
    same = one.shape == other.shape and np.array_equal(one, other)
    assert (ClassWeights.of_dense(one) == ClassWeights.of_dense(other)) is same


def test_copies_are_equal_and_read_only():
    for tree in all_examples():
        kept = tree.kept_class_weights
        for twin in (copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
            assert twin == kept
            assert hash(twin) == hash(kept)
            for array in (twin.start, twin.label, twin.weight, twin.dense()):
                with pytest.raises(ValueError, match="read-only"):
                    array[:] = 0
    assert kept != "class weights"


SOUND = {"n_classes": 3, "start": [0, 2, 2, 3], "label": [0, 2, 1], "weight": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_classes": 0}, "1 to 65535 classes, not 0"),
        ({"n_classes": 70_000}, "1 to 65535 classes, not 70000"),
        ({"n_classes": 3.0}, "1 to 65535 classes, not 3.0"),
        ({"n_classes": 2}, r"label\[1\] is 2, but there are 2 classes"),
        ({"label": [0, -1, 1]}, r"label\[1\] is -1"),
        ({"label": [2, 0, 1]}, r"label\[1\] does not rise"),
        ({"label": [1, 1, 1]}, r"label\[1\] does not rise"),
        ({"label": [0.5, 1, 2]}, "label must hold integers"),
        ({"label": [0, 2]}, "label has 2 entries, but weight has 3"),
        ({"start": []}, "start must rise from 0 to 3"),
        ({"start": [1, 2, 2, 3]}, "start must rise from 0 to 3"),
        ({"start": [0, 2, 1, 3]}, "start must rise from 0 to 3"),
        ({"start": [0, 2, 2, 4]}, "start must rise from 0 to 3"),
        ({"weight": [1.0, 0.0, 3.0]}, r"weight\[1\] is 0"),
        ({"weight": [["a"]]}, "weight must hold numbers"),
    ],
)
def test_entries_that_cannot_be(change, sentence):
    assert ClassWeights(**SOUND).dense().tolist() == [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
    with pytest.raises(ValueError, match=sentence):
        ClassWeights(**{**SOUND, **change})


@pytest.mark.parametrize("node", [-1, 3, 99])
def test_a_node_that_is_not_there(node):
    with pytest.raises(IndexError, match=rf"There is no node {node}; the tree has the nodes 0 to 2"):
        ClassWeights(**SOUND).of_node(node)


def test_more_classes_than_numbers_for_them():
    with pytest.raises(ValueError, match="has 65536 columns, but a tree has at most 65535 classes"):
        ClassWeights.of_dense(np.zeros((1, 65_536)))

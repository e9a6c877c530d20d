"""The artificial concepts: shapes, chances, orders, mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.datasets import make_all_equal, make_conjunction, make_parity

CONCEPTS = {
    make_parity: lambda relevant: relevant.sum(axis=1) % 2,
    make_conjunction: lambda relevant: relevant.all(axis=1),
    make_all_equal: lambda relevant: np.isin(relevant.sum(axis=1), [0, relevant.shape[1]]),
}


@pytest.mark.parametrize("make", CONCEPTS)
@pytest.mark.parametrize("n_relevant", [1, 2, 3, 5])
def test_the_class_depends_on_the_first_columns_alone(make, n_relevant):
    X, y = make(400, n_relevant=n_relevant, n_irrelevant=4, random_state=0)
    assert X.dtype == bool
    assert X.shape == (400, n_relevant + 4)
    np.testing.assert_array_equal(y, CONCEPTS[make](X[:, :n_relevant]))
    assert abs(X.mean() - 0.5) < 0.03


def test_the_seed_decides_and_shuffling_only_moves_columns():
    plain, labels = make_parity(50, n_irrelevant=5, random_state=1)
    again, _ = make_parity(50, n_irrelevant=5, random_state=1)
    shuffled, same_labels = make_parity(50, n_irrelevant=5, shuffle=True, random_state=1)
    np.testing.assert_array_equal(plain, again)
    np.testing.assert_array_equal(labels, same_labels)
    assert sorted(map(tuple, plain.T)) == sorted(map(tuple, shuffled.T))
    assert (plain != shuffled).any()


def test_labels_are_flipped_with_the_chance_asked_for():
    X, y = make_parity(4000, flip_y=0.2, random_state=0)
    assert abs((y != X[:, :3].sum(axis=1) % 2).mean() - 0.2) < 0.03
    assert (make_parity(50, flip_y=1, random_state=0)[1] != make_parity(50, random_state=0)[1]).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_samples": 0}, "`n_samples` must be an integer of at least 1, but is 0"),
        ({"n_relevant": 0}, "`n_relevant`"),
        ({"n_irrelevant": -1}, "`n_irrelevant`"),
        ({"n_irrelevant": 2.5}, "`n_irrelevant`"),
        ({"flip_y": 1.5}, "`flip_y` must be a chance"),
        ({"flip_y": True}, "`flip_y` must be a chance"),
        ({"shuffle": 1}, "`shuffle` must be True or False"),
    ],
)
def test_mistakes_are_told(parameters, words):
    with pytest.raises(ValueError, match=words):
        make_parity(**parameters)

"""The laws of the triples: they divide the samples, keep the classes together, and depend on their place only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.comparison import Protocol, make_triples
from palmette.comparison.triples import rare_classes, refuse_impossible


@st.composite
def problems(draw):
    """Labels in any order, with classes of any size that folds allow, and a protocol."""
    folds = draw(st.integers(2, 6))
    counts = [draw(st.integers(max(folds, 4), 25)), draw(st.integers(2, 25))]
    counts += draw(st.lists(st.integers(1, 8), max_size=2))
    labels = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    generator = np.random.RandomState(draw(st.integers(0, 100)))
    search_size = draw(st.sampled_from([0.2, 0.3, 0.5]))
    protocol = Protocol(draw(st.integers(1, 3)), folds, search_size, draw(st.integers(0, 5)))
    return generator.permutation(labels), protocol


@settings(max_examples=15)
@given(problems())
def test_a_triple_divides_the_samples(problem):
    labels, protocol = problem
    everyone = np.arange(len(labels))
    for triple in make_triples(labels, protocol):
        parts = [triple.building, triple.search, triple.test]
        assert np.array_equal(np.sort(np.concatenate(parts)), everyone)
        assert all(len(part) and (np.diff(part.astype(int)) > 0).all() for part in parts)
        assert np.array_equal(triple.training, np.setdiff1d(everyone, triple.test))
        building, search = triple.split_of_training()
        assert np.array_equal(triple.training[building], triple.building)
        assert np.array_equal(triple.training[search], triple.search)


@settings(max_examples=15)
@given(problems())
def test_every_sample_is_tested_once_a_repeat(problem):
    labels, protocol = problem
    triples = make_triples(labels, protocol)
    assert [(triple.repeat, triple.fold) for triple in triples] == list(protocol.places())
    for repeat in range(protocol.repeats):
        tested = np.concatenate([triple.test for triple in triples if triple.repeat == repeat])
        assert np.array_equal(np.sort(tested), np.arange(len(labels)))


@settings(max_examples=15)
@given(problems())
def test_folds_are_stratified(problem):
    labels, protocol = problem
    n_classes = labels.max() + 1
    for triple in make_triples(labels, protocol):
        shares = np.bincount(labels) / protocol.folds
        tested = np.bincount(labels[triple.test], minlength=n_classes)
        assert (np.abs(tested - shares) < 1).all()
        assert abs(len(triple.test) - len(labels) / protocol.folds) < 1
        # Within the training part the same, up to the rounding of the sizes, where both sides have room for all classes
        # of two samples or more; a class of one sample is for building.
        trained = np.bincount(labels[triple.training], minlength=n_classes)
        searched = np.bincount(labels[triple.search], minlength=n_classes)
        common = trained >= 2
        n_searched = int(np.ceil(protocol.search_size * trained[common].sum()))
        if common.sum() <= min(n_searched, trained[common].sum() - n_searched):
            assert not searched[~common].any()
            assert (np.abs(searched - protocol.search_size * trained)[common] < 2).all()


@settings(max_examples=15)
@given(problems())
def test_a_triple_depends_on_its_place_only(problem):
    labels, protocol = problem
    triples = make_triples(labels, protocol)
    longer = make_triples(
        labels, Protocol(protocol.repeats + 1, protocol.folds, protocol.search_size, protocol.random_state)
    )
    for one, other in zip(triples, longer, strict=False):
        assert one.seed == other.seed
        for part in ("building", "search", "test"):
            assert np.array_equal(getattr(one, part), getattr(other, part))


def test_seeds_and_repeats_give_other_triples():
    labels = np.repeat([0, 1], 20).astype(np.int32)
    tests = {
        tuple(make_triples(labels, Protocol(2, 5, 0.3, seed))[place].test.tolist())
        for seed in (0, 1)
        for place in (0, 5)
    }
    assert len(tests) == 4


def test_rare_classes():
    labels = np.array([0] * 10 + [1] * 3 + [2], dtype=np.int32)
    assert rare_classes(labels, 5) == [(1, 3), (2, 1)]
    assert rare_classes(labels, 2) == [(2, 1)]
    refuse_impossible(labels, 5)


@pytest.mark.parametrize(
    ("counts", "folds", "words"),
    [([4, 3], 5, "the largest class has 4 samples. Pass at most 4 folds"), ([9, 1, 1], 5, "no two classes have two")],
)
def test_impossible_folds(counts, folds, words):
    labels = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    with pytest.raises(ValueError, match=words):
        refuse_impossible(labels, folds)

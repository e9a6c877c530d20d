"""What a complete search says of its answer: what is proved, on how many samples, and what it is no estimate of."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from palmette import BestSubsetSelector


def test_the_summary_is_honest(wine):
    X, y = wine
    summary = BestSubsetSelector(random_state=0).fit(X, y).summary()
    assert "54 search samples" in summary
    assert "Proved over all 2^7 subsets" in summary
    assert "no estimate of the error on new samples" in summary
    assert "error plus penalty" in BestSubsetSelector(random_state=0, feature_penalty=0.01).fit(X, y).summary()
    weighted = BestSubsetSelector(random_state=0).fit(X, y, sample_weight=np.full(len(y), 0.5)).summary()
    assert "the weight 27 of the search samples" in weighted


@pytest.mark.parametrize(
    ("parameters", "what"),
    [({}, "error"), ({"feature_penalty": 0.001}, "error plus penalty"), ({"error_gap": 0.02}, "error")],
    ids=["optimal", "penalty", "gap"],
)
def test_the_summary_tells_when_bounds_proved_what_was_found_first(parameters, what):
    selector = BestSubsetSelector(random_state=0, **parameters).fit(*load_iris(return_X_y=True))
    assert selector.n_trees_ == 0
    assert f"; a quick first search had found this {what}, bounds did the rest)." in selector.summary()


def test_the_summary_says_nothing_of_a_first_search_that_was_not_enough(wine):
    X, y = wine
    for selector in (
        BestSubsetSelector(random_state=0).fit(*load_breast_cancer(return_X_y=True)),
        BestSubsetSelector(random_state=0, algorithm="paper").fit(X, y),
    ):
        assert selector.n_trees_ > 0
        assert "first search" not in selector.summary()
    # A single subset needs no search.
    assert "first search" not in BestSubsetSelector(random_state=0, keep=list(range(7))).fit(X, y).summary()


def test_the_summary_tells_the_error_on_samples_that_the_search_never_saw(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=0).fit(X[::2], y[::2])
    summary = selector.summary(X[1::2], y[1::2])
    error = float((selector.predict(X[1::2]) != y[1::2]).mean())
    assert "Proved best on the search set; minimised over many subsets, the search error is no estimate" in summary
    assert f"held-out error {100 * error:.1f} % ± " in summary
    assert "(89 samples that the search never saw)" in summary
    with pytest.raises(ValueError, match="need both"):
        selector.summary(X)


def test_held_out_labels_of_which_none_is_a_class_are_refused(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=0).fit(X[::2], y[::2])
    message = "None of the held-out labels is a class.* they are '0', '1', '2', the classes are 0, 1, 2. Pass labels of"
    with pytest.raises(ValueError, match=message):
        selector.summary(X[1::2], y[1::2].astype(str))
    some = np.where(np.arange(len(y[1::2])) % 4 == 0, 7, y[1::2])
    error = float((selector.predict(X[1::2]) != some).mean())
    assert f"held-out error {100 * error:.1f} % ± " in selector.summary(X[1::2], some)
    column = selector.summary(X[1::2], y[1::2].reshape(-1, 1))
    assert column == selector.summary(X[1::2], y[1::2])
    with pytest.raises(ValueError, match=r"labels have the shape .* but X has .* rows"):
        selector.summary(X[1::2], y)
    # Labels that are classes, but never the right ones, are errors too.
    others = (selector.predict(X[1::2]) + 1) % 3
    assert "held-out error 100.0 % ± " in selector.summary(X[1::2], others)


def test_a_small_search_set_and_many_subsets_give_a_warning():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(4000, 8))
    y = (X[:, 0] > 0) ^ (generator.random(4000) < 0.1)
    warning = "Beware of oversearching: 2^8 subsets were compared on 30 search samples"
    assert warning in BestSubsetSelector(random_state=0).fit(X[:100], y[:100]).summary()
    assert "oversearching" not in BestSubsetSelector(random_state=0, time_limit=60).fit(X, y).summary()
    assert "oversearching" not in BestSubsetSelector(random_state=0).fit(X[:100, :3], y[:100]).summary()
    assert "oversearching" not in BestSubsetSelector(error=lambda tree: 0.0).fit(X[:100, :3], y[:100]).summary()
    few = BestSubsetSelector(random_state=0, max_features=1).fit(X[:100], y[:100]).summary()
    assert "Proved over all 9 subsets of at most 1 feature:" in few
    assert "oversearching" not in few
    assert "over the only subset of at most 0 features" in (
        BestSubsetSelector(random_state=0, max_features=0).fit(X[:100], y[:100]).summary()
    )


def test_a_search_that_was_stopped_counts_the_trees_of_its_first_search(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=0).fit(X, y)
    assert selector._n_first_trees > X.shape[1]  # an elimination looks at the tree without each feature
    selector.status_, selector.n_trees_ = "time_limit", 0
    n_samples = len(selector.folds_[0][1])
    selector._n_first_trees = 2 * n_samples + 1
    assert f"oversearching: {2 * n_samples + 1} trees were compared" in selector.summary()
    selector._n_first_trees = 2 * n_samples
    assert "oversearching" not in selector.summary()

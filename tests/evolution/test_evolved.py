"""The evolved classifiers through their public face: laws of evolution, raw tables, limits, mistakes, plots."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

from palmette import EvolvedTreeClassifier, GeneticTreeClassifier
from palmette.support.progress import listening

BOTH = [
    EvolvedTreeClassifier(40, n_elite=20, max_generations=15, max_height=6, random_state=0),
    GeneticTreeClassifier(40, n_elite=4, max_generations=15, random_state=0),
]


@pytest.fixture(params=BOTH, ids=lambda one: type(one).__name__)
def classifier(request):
    return clone(request.param)


def mixed_table(n_rows: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and categories with holes; the class follows two of them."""
    generator = np.random.default_rng(5)
    size = generator.normal(size=n_rows)
    color = generator.choice(["red", "green", "blue", "grey"], n_rows)
    y = np.where((size > 0.2) ^ (color == "red"), "yes", "no")
    frame = pd.DataFrame({"noise": generator.normal(size=n_rows), "size": size, "color": color})
    frame.loc[generator.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[generator.random(n_rows) < 0.1, "color"] = None
    frame["color"] = frame["color"].astype("category")
    return frame, y


def same(a, b) -> bool:
    arrays = ("feature", "threshold", "branches", "label", "weight", "class_weights")
    return all(np.array_equal(getattr(a.tree_, name), getattr(b.tree_, name), equal_nan=True) for name in arrays)


@pytest.mark.threads
def test_the_same_seed_gives_the_same_tree_and_history_for_any_number_of_threads(classifier):
    X, y = load_wine(return_X_y=True)
    one = classifier.set_params(n_jobs=1).fit(X, y)
    again = pickle.loads(pickle.dumps(one))
    two = classifier.set_params(n_jobs=2).fit(X, y)
    assert same(again, two)
    numbers = [(step.accuracy, step.height, step.n_nodes, step.validation) for step in again.history_]
    assert numbers == [(step.accuracy, step.height, step.n_nodes, step.validation) for step in two.history_]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_never_gets_worse_and_the_tree_is_within_its_height(classifier, seed):
    X, y = load_wine(return_X_y=True)
    fitted = classifier.set_params(random_state=seed).fit(X, y)
    best = [step.accuracy.best for step in fitted.history_]
    assert best == sorted(best)
    assert fitted.height_ <= fitted.max_height
    assert fitted.height_ == fitted.depth_ + 1
    assert fitted.n_generations_ <= fitted.max_generations
    for step in fitted.history_:
        assert step.accuracy.best >= step.accuracy.mean >= step.accuracy.worst


def test_the_model_is_a_distribution_that_gets_surer():
    X, y = load_iris(return_X_y=True)
    fitted = EvolvedTreeClassifier(40, n_elite=10, max_generations=12, max_height=5, random_state=3).fit(X, y)
    for step in fitted.history_:
        table = step.distribution.to_array()
        assert table.shape == (15, 5)
        np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-6)
        assert (table >= 0).all()
        assert table[0, -1] == 0  # the root is never a leaf
    np.testing.assert_allclose(fitted.history_[0].distribution.to_array()[:, :4], 0.25)
    assert fitted.history_[-1].distribution.certainty(0) > fitted.history_[0].distribution.certainty(0)


def test_a_monotone_transformation_changes_the_thresholds_alone():
    X, y = load_wine(return_X_y=True)
    # Without a validation set: the midpoint of transformed values may part fresh samples otherwise.
    classifier = EvolvedTreeClassifier(40, n_elite=20, max_generations=15, validation_size=None, random_state=0)
    plain = pickle.loads(pickle.dumps(classifier.fit(X, y)))
    bent = classifier.fit(np.exp(X / X.max(axis=0)), y)
    np.testing.assert_array_equal(plain.tree_.feature, bent.tree_.feature)
    np.testing.assert_array_equal(plain.tree_.class_weights, bent.tree_.class_weights)


def test_raw_tables_with_categories_and_holes(classifier):
    X, y = mixed_table()
    fitted = classifier.fit(X, y)
    assert fitted.score(X, y) > 0.8
    assert set(fitted.used_features_) <= set(X.columns)
    assert {"size", "color"} <= set(fitted.used_features_)
    unseen = pd.DataFrame({"noise": [np.nan], "size": [np.nan], "color": pd.Categorical(["violet"])})
    assert fitted.predict(unseen)[0] in ("yes", "no")
    assert "size" in fitted.to_text()
    assert fitted.to_rules()
    assert fitted.to_dot().startswith("digraph")
    assert fitted.apply(X).shape == (len(X),)
    copy = type(classifier).from_json(fitted.to_json())
    np.testing.assert_array_equal(copy.predict_proba(X), fitted.predict_proba(X))
    assert copy.get_params() == fitted.get_params()


def test_history_tells_the_accuracy_of_the_answer_on_the_set_that_was_watched(classifier):
    X, y = load_wine(return_X_y=True)
    training, validation, test = np.split(np.random.default_rng(0).permutation(len(y)), [110, 140])
    fitted = classifier.set_params(max_generations=0).fit(
        X[training],
        y[training],
        validation_set=(X[validation], y[validation]),
        watched_set=(X[test], y[test]),
    )
    (step,) = fitted.history_
    assert 0 < step.watched.mean < 1
    assert step.validation.mean != step.watched.mean
    # The answer has the best mean of both accuracies, so the first in order cannot have a better one.
    quality = fitted.score(X[training], y[training]) + fitted.score(X[validation], y[validation])
    assert quality >= step.accuracy.best + step.validation.best - 1e-12
    alone = type(classifier)(**{**classifier.get_params(), "validation_size": None, "max_generations": 0}).fit(X, y)
    assert alone.score(X, y) == pytest.approx(alone.history_[0].accuracy.best)
    assert alone.history_[0].validation is None


def test_a_weight_counts_as_so_many_samples(classifier):
    X, y = load_iris(return_X_y=True)
    times = np.random.default_rng(1).integers(0, 3, len(y))
    alone = type(classifier)(**{**classifier.get_params(), "validation_size": None})
    if isinstance(alone, GeneticTreeClassifier):
        alone.set_params(n_pieces=0)  # pieces are drawn from the rows, however often they are repeated
    weighted = pickle.loads(pickle.dumps(alone.fit(X, y, sample_weight=times)))
    assert same(weighted, alone.fit(np.repeat(X, times, axis=0), np.repeat(y, times)))


def test_a_tolerance_prefers_the_lower_tree():
    X, y = load_wine(return_X_y=True)
    options = {"validation_size": None, "max_generations": 20, "random_state": 0}
    exact = EvolvedTreeClassifier(60, n_elite=30, **options).fit(X, y)
    rough = EvolvedTreeClassifier(60, n_elite=30, tol=0.1, **options).fit(X, y)
    assert rough.height_ < exact.height_


def test_a_time_limit_leaves_a_usable_tree(classifier):
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(3000, 20)), generator.integers(0, 2, 3000)
    late = type(classifier)(**{**classifier.get_params(), "time_limit": 0.0}).fit(X, y)
    assert late.status_ == "time_limit"
    assert len(late.history_) == 1
    assert late.predict(X).shape == (3000,)


@pytest.mark.threads
def test_ctrl_c_ends_with_the_best_so_far(classifier, request):
    # A process that a shell started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(3000, 20)), generator.integers(0, 2, 3000)
    options = {"population_size": 2000, "max_generations": 100000, "n_elite": 100}
    endless = type(classifier)(**{**classifier.get_params(), **options, "time_limit": 60.0})
    if isinstance(endless, GeneticTreeClassifier):
        endless.set_params(n_iter_no_change=None)
    seen: list[float] = []

    def listener(progress):
        # The second report, so that the signal meets the evolution itself.
        if len(seen) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        seen.append(progress.share)

    with listening(listener):
        endless.fit(X, y)
    assert endless.status_ == "interrupted"
    assert endless.predict(X[:5]).shape == (5,)


@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        (EvolvedTreeClassifier(1), "`population_size` must be an integer at least 2"),
        (EvolvedTreeClassifier(10, n_elite=11), "`n_elite` must be an integer at least 1 and at most 10"),
        (EvolvedTreeClassifier(max_height=1), "`max_height`"),
        (EvolvedTreeClassifier(max_height=31), "`max_height`"),
        (EvolvedTreeClassifier(max_generations=-1), "`max_generations`"),
        (EvolvedTreeClassifier(tol=2), "`tol`"),
        (EvolvedTreeClassifier(validation_size=1.0), "`validation_size`"),
        (EvolvedTreeClassifier(record_distribution="yes"), "`record_distribution`"),
        (GeneticTreeClassifier(initial_height=20), "`initial_height` must be at most `max_height`"),
        (GeneticTreeClassifier(tournament_size=0), "`tournament_size`"),
        (GeneticTreeClassifier(mutation_rate=1.5), "`mutation_rate`"),
        (GeneticTreeClassifier(n_iter_no_change=0), "`n_iter_no_change`"),
        (GeneticTreeClassifier(n_pieces=-1), "`n_pieces`"),
    ],
)
def test_wrong_parameters_are_told(classifier, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError) as raised:
        classifier.fit(X, y)
    assert words in str(raised.value)


def test_the_elite_is_a_share_of_the_population_unless_told():
    X, y = load_iris(return_X_y=True)
    for kind, sizes in (
        (EvolvedTreeClassifier, {2: 1, 7: 3, 50: 25, 200: 100}),
        (GeneticTreeClassifier, {2: 1, 7: 1, 50: 2, 200: 10}),
    ):
        for population_size, n_elite in sizes.items():
            shared = kind(population_size, max_generations=3, random_state=0)
            told = kind(population_size, n_elite=n_elite, max_generations=3, random_state=0).fit(X, y)
            assert shared.fit(X, y).to_text() == told.to_text()
            assert shared.history_frame().equals(told.history_frame())
            assert shared.n_elite is None
            assert kind.from_json(shared.to_json()).n_elite is None


def test_wrong_sets_are_told(classifier):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="must be a pair"):
        classifier.fit(X, y, validation_set=X)
    with pytest.raises(ValueError, match="3 features"):
        classifier.fit(X, y, watched_set=(X[:, :3], y))
    with pytest.raises(ValueError, match="has 2 labels"):
        classifier.fit(X, y, validation_set=(X[:3], y[:2]))
    with pytest.raises(ValueError, match="leaves no sample to train on"):
        type(classifier)(validation_size=0.9).fit(X[[0, 60, 61]], y[[0, 60, 61]])
    # A class that the training set does not have is never told right.
    fitted = classifier.fit(X[:100], y[:100], watched_set=(X[100:], y[100:]))
    assert fitted.history_[-1].watched.best == 0


def test_plots(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    X, y = load_iris(return_X_y=True)
    evolved = EvolvedTreeClassifier(30, n_elite=15, max_generations=6, max_height=5, random_state=0)
    evolved.fit(X[::2], y[::2], watched_set=(X[1::2], y[1::2]))
    figure = evolved.plot_evolution()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "first population"
    assert {"tree height", "training accuracy", "watched accuracy"} <= set(titles)
    bred = GeneticTreeClassifier(30, max_generations=4, random_state=0).fit(X, y)
    assert len(bred.plot_evolution().axes) == 3
    with pytest.raises(ValueError, match="names 99"):
        evolved.plot_evolution(generations=[99])
    read = EvolvedTreeClassifier.from_json(evolved.to_json())
    with pytest.raises(ValueError, match="no history"):
        read.plot_evolution()
    plt.close("all")
    frame = evolved.history_frame()
    assert len(frame) == len(evolved.history_)
    assert {"generation", "accuracy_best", "watched_worst"} <= set(frame.columns)

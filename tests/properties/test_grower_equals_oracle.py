"""The core grows, prunes and predicts exactly as the oracles do, split by split and error by error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from oracles.c45 import Node
from oracles.prediction import class_probabilities, predicted_class
from oracles.pruning import Pruner
from palmette import C45Classifier
from problems import Problem, problem_of_seed, problems
from same_trees import TOLERANCE, assert_same_gains, assert_same_tree

CHUNK = 100
N_GROWN = 5200
N_PRUNED = 1600
CONFIDENCES = [0.25, 0.1, 0.5, 0.25, 0.01]


def chunks(n_problems: int) -> list[range]:
    """Ranges of seeds, so that pytest-xdist can spread them."""
    return [range(first, first + CHUNK) for first in range(0, n_problems, CHUNK)]


def name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"


@contextmanager
def shown(problem: Problem, seed: int) -> Iterator[None]:
    """Tell which problem it was when something fails."""
    try:
        yield
    except Exception as error:
        error.add_note(f"seed {seed}: {problem!r}")
        raise


def fitted(problem: Problem, **parameters: Any) -> C45Classifier:
    classifier = C45Classifier(**problem.parameters, **parameters)
    return classifier.fit(problem.frame, problem.labels, sample_weight=problem.weights)


def assert_same_answers(classifier: C45Classifier, root: Node, problem: Problem) -> None:
    """The same probabilities, the same classes where they do not tie, and so the same training errors."""
    assert classifier.classes_.tolist() == problem.classes
    assert_same_predictions(classifier, root, problem, problem.fresh)
    found, expected = assert_same_predictions(classifier, root, problem, problem.frame)
    truth = np.array(problem.labels)
    weights = np.ones(len(truth)) if problem.weights is None else np.array(problem.weights)
    assert weights[found != truth].sum() == weights[expected != truth].sum()


def assert_same_predictions(
    classifier: C45Classifier, root: Node, problem: Problem, frame: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """The classes that the core and the oracle predict; where the probabilities tie, the core may choose."""
    probabilities = np.array([class_probabilities(root, row) for row in problem.rows(frame)])
    assert np.allclose(classifier.predict_proba(frame), probabilities, rtol=0, atol=TOLERANCE)
    found = classifier.predict(frame)
    expected = np.array([problem.classes[predicted_class(row)] for row in probabilities.tolist()])
    likely = probabilities >= probabilities.max(axis=1, keepdims=True) - TOLERANCE
    tied = likely.sum(axis=1) > 1
    assert likely[np.arange(len(found)), np.searchsorted(problem.classes, found)].all()
    assert (found == expected)[~tied].all()
    return found, np.where(tied, found, expected)


def check_growing(problem: Problem, **parameters: Any) -> None:
    grower = problem.grower()
    root = grower.grow()
    classifier = fitted(problem, **parameters)
    assert_same_tree(classifier.tree_, root, grower.one)
    assert_same_gains(classifier.tree_, root, grower.one)
    assert_same_answers(classifier, root, problem)


def check_pruning(problem: Problem, confidence: float, **parameters: Any) -> None:
    grower = problem.grower()
    root = Pruner(grower, confidence).prune(grower.grow())
    classifier = fitted(problem, pruning="error_based", confidence=confidence, **parameters)
    assert_same_tree(classifier.tree_, root, grower.one)
    assert_same_answers(classifier, root, problem)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_GROWN), ids=name)
def test_the_grower_equals_the_oracle_split_by_split(seeds: range):
    for seed in seeds:
        problem = problem_of_seed(seed)
        with shown(problem, seed):
            check_growing(problem)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_PRUNED), ids=name)
def test_pruning_equals_the_oracle(seeds: range):
    for seed in seeds:
        problem = problem_of_seed(1_000_000 + seed)
        with shown(problem, seed):
            check_pruning(problem, CONFIDENCES[seed % len(CONFIDENCES)])


@pytest.mark.threads
@pytest.mark.parametrize("seeds", chunks(200), ids=name)
def test_two_threads_grow_what_the_oracle_grows(seeds: range):
    for seed in seeds:
        problem = problem_of_seed(2_000_000 + seed)
        with shown(problem, seed):
            check_growing(problem, n_jobs=2)


@pytest.mark.threads
@pytest.mark.parametrize("seeds", [range(first, first + 10) for first in range(0, 60, 10)], ids=name)
def test_larger_problems_equal_the_oracle_too(seeds: range):
    """Here a tenth of the mean class weight, and 25, are what a side of a cut must weigh."""
    for seed in seeds:
        problem = problem_of_seed(3_000_000 + seed, min_rows=200, max_rows=800)
        with shown(problem, seed):
            check_growing(problem, n_jobs=2)
            check_pruning(problem, 0.25, n_jobs=2)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems(max_rows=30, max_features=4))
def test_the_grower_equals_the_oracle_on_problems_that_shrink(problem: Problem):
    check_growing(problem)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems(max_rows=30, max_features=4))
def test_pruning_equals_the_oracle_on_problems_that_shrink(problem: Problem):
    check_pruning(problem, confidence=0.25)

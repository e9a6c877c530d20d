"""The core grows, prunes and predicts exactly as the oracles do, split by split and error by error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from oracles.c45 import Node, Value
from oracles.prediction import class_probabilities, predicted_class
from oracles.pruning import Pruner
from palmette import C45Classifier, Tree
from problems import Problem, problem_of_seed, problems

TOLERANCE = 1e-6
CHUNK = 100
N_GROWN = 6000
N_PRUNED = 2000
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


def assert_same_tree(tree: Tree, root: Node, one: int) -> None:
    """Every node of the core's tree is the oracle's node, and they are numbered in depth-first preorder."""
    features = tree.feature.tolist()
    thresholds = tree.threshold.tolist()
    labels = tree.label.tolist()
    starts = tree.branch_start.tolist()
    branches = tree.branches.tolist()
    numbers: dict[int, int] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        number = numbers.setdefault(id(node), len(numbers))
        assert number < tree.n_nodes, "the core's tree has fewer nodes"
        where = f"node {number}"
        assert features[number] == (-1 if node.split is None else node.split.feature), where
        threshold = None if node.split is None else node.split.threshold
        assert threshold == thresholds[number] or (threshold is None and np.isnan(thresholds[number])), where
        assert labels[number] == node.label, where
        assert tree.weight[number] == pytest.approx(node.weight / one, rel=TOLERANCE, abs=TOLERANCE), where
        expected = np.array(node.class_weights) / one
        assert np.allclose(tree.class_weights[number], expected, rtol=TOLERANCE, atol=TOLERANCE), where
        waiting.extend(reversed(node.children))
    assert tree.n_nodes == len(numbers)

    waiting = [root]
    while waiting:
        node = waiting.pop()
        number = numbers[id(node)]
        assert branches[starts[number] : starts[number + 1]] == [
            numbers[id(child)] for child in node.branches
        ]
        waiting.extend(node.children)


def assert_same_predictions(
    classifier: C45Classifier, root: Node, problem: Problem, frame: Any
) -> tuple[list[list[float]], bool]:
    """The same probabilities, and the same classes where they do not tie; tells whether some did."""
    rows = problem.rows(frame)
    expected = [class_probabilities(root, row) for row in rows]
    found = classifier.predict_proba(frame)
    assert found.shape == (len(rows), len(problem.classes))
    assert np.allclose(found, expected, rtol=0, atol=TOLERANCE)
    tied = False
    for label, probabilities in zip(classifier.predict(frame), expected, strict=True):
        likely = [
            problem.classes[code]
            for code, probability in enumerate(probabilities)
            if probability >= max(probabilities) - TOLERANCE
        ]
        assert label in likely
        tied = tied or len(likely) > 1
    return expected, tied


def training_error(problem: Problem, root: Node, rows: Sequence[Sequence[Value]]) -> float:
    """The weight of the training samples that the oracle's tree gets wrong, over the weight of all."""
    weights = problem.weights or [1.0] * len(rows)
    wrong = [
        weight
        for row, code, weight in zip(rows, problem.codes(), weights, strict=True)
        if predicted_class(class_probabilities(root, row)) != code
    ]
    return sum(wrong) / sum(weights)


def assert_same_answers(classifier: C45Classifier, root: Node, problem: Problem) -> None:
    assert classifier.classes_.tolist() == problem.classes
    assert_same_predictions(classifier, root, problem, problem.fresh)
    _, tied = assert_same_predictions(classifier, root, problem, problem.frame)
    if not tied:
        score = classifier.score(problem.frame, problem.labels, sample_weight=problem.weights)
        assert 1 - score == pytest.approx(
            training_error(problem, root, problem.rows(problem.frame)), abs=1e-9
        )


def check_growing(problem: Problem, **parameters: Any) -> None:
    grower = problem.grower()
    root = grower.grow()
    classifier = fitted(problem, **parameters)
    assert_same_tree(classifier.tree_, root, grower.one)
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

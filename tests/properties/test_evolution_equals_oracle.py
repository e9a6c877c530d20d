"""The core's Ardennes draws, judges, orders and estimates as the slow oracle does: whole small runs are equal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import problems
from oracles.ardennes import Ardennes, Model, Watched
from palmette import _core
from palmette.data.encoding import encode, prediction_columns
from palmette.data.reading import read_table
from palmette.evolution import TreeDistribution


def core_run(frame, codes, n_classes, weights, validation=None, n_jobs=1, **options):
    """A run of the core on a frame; `validation` is a frame and class numbers."""
    table = read_table(frame)
    labels = np.array(codes, dtype=np.int32)
    dataset = encode(table, labels, n_classes, None if weights is None else np.array(weights, float), n_jobs)
    chosen = _core.EvolutionOptions()
    for name, value in options.items():
        setattr(chosen, name, value)
    everything = range(len(table.columns))
    continuous = [i for i in everything if table.schema.categories[i] is None]
    watched = []
    if validation is not None:
        fresh = read_table(validation[0], reference=table.schema)
        watched.append(
            (
                prediction_columns(fresh, everything),
                np.array(validation[1], dtype=np.int32),
                np.ones(len(validation[1])),
            )
        )
    return _core.evolve_tree(
        dataset,
        prediction_columns(table, continuous),
        watched,
        validation is not None,
        chosen,
        _core.Budget(),
        n_jobs,
    )


SMALL = {"population_size": 8, "n_elite": 4, "max_generations": 4, "max_height": 4}


def assert_same_run(problem, validation, seed, **options):
    options = {**SMALL, **options}
    codes, n_classes = problem.codes(), len(problem.classes)
    run = core_run(problem.frame, codes, n_classes, problem.weights, validation, seed=seed, **options)
    oracle = Ardennes(
        problems.columns(problem.frame),
        codes,
        n_classes,
        problem.weights,
        seed=seed,
        **options,
    )
    if validation is not None:
        rows = problem.rows(validation[0])
        columns = [
            problems.Column([row[i] for row in rows], column.n_categories)
            for i, column in enumerate(problems.columns(problem.frame))
        ]
        oracle.validation = Watched(columns, validation[1], [2**oracle.bits] * len(rows))
    expected = oracle.evolve()

    assert run.status == expected.status
    assert run.n_generations == len(expected.generations)
    for number, (population, model) in enumerate(expected.generations):
        positions, features, counts = (array.tolist() for array in run.model(number))
        assert list(zip(positions, features, counts, strict=True)) == model.cells()
        of_core = run.spreads()[number]
        for place, measure in enumerate((lambda t: t.correct / oracle.total, lambda t: t.height, lambda t: t.n_nodes)):
            values = [measure(tree) for tree in population]
            np.testing.assert_allclose(of_core[place], [values[0], np.mean(values), values[-1]], rtol=1e-12)
        if validation is not None:
            right = [oracle.watched_right(tree, oracle.validation) / oracle.validation.total for tree in population]
            np.testing.assert_allclose(of_core[3], [right[0], np.mean(right), right[-1]], atol=1e-8)
    assert run.population == [tree.genes() for tree in expected.generations[-1][0]]
    assert (run.height, run.n_nodes) == (expected.answer.height, expected.answer.n_nodes)
    # The tree that is handed out has the nodes of the answer.
    nodes = [node for node in expected.answer.nodes() if node.branches]
    assert sorted(run.tree.used_features) == sorted({node.feature for node in nodes})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems.problems(max_rows=25, max_features=4), st.integers(0, 10**6), st.booleans())
def test_whole_runs_equal_the_oracle(problem, seed, validated):
    validation = (problem.fresh, [seed % len(problem.classes)] * len(problem.fresh)) if validated else None
    assert_same_run(problem, validation, seed)


@pytest.mark.parametrize("seed", range(6))
def test_runs_on_numbers_alone_equal_the_oracle_for_more_generations_and_levels(seed):
    problem = problems.problem_of_seed(seed, min_rows=20, max_rows=40, max_features=4, missing=False)
    assert_same_run(problem, None, seed, population_size=14, n_elite=7, max_generations=8, max_height=5)
    assert_same_run(problem, None, seed, tolerance=0.2)


def test_one_generation_by_hand():
    """Four samples, two features: every draw, cut, merge, order and probability can be followed on paper."""
    # Feature 0 separates the classes at 2.5; feature 1 tells nothing at the root.
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "noise": [1.0, 2.0, 1.0, 2.0]})
    run = core_run(frame, [0, 0, 1, 1], 2, None, seed=3, **{**SMALL, "max_generations": 0})
    # The root may not be a leaf, and only x splits it; both children are pure.
    assert run.population == [[(0, 0), (1, -1), (2, -1)]] * 8
    assert run.status == "converged"
    assert run.spreads()[0].tolist() == [[1.0] * 3, [2.0] * 3, [3.0] * 3]


def test_the_model_is_the_formula_of_the_paper():
    """(count + lacking / number of features) / elite size, and uniform where nobody of the elite has the position."""
    problem = problems.problem_of_seed(4, min_rows=30, max_rows=40, max_features=4, missing=False)
    options = {**SMALL, "seed": 1}
    oracle = Ardennes(
        problems.columns(problem.frame), problem.codes(), len(problem.classes), problem.weights, **options
    )
    population, _ = oracle.evolve().generations[0]
    n_features = problem.frame.shape[1]
    model = Model.of_elite(population[:4], n_features, 4)
    cells = model.cells()
    view = TreeDistribution(
        np.array([cell[0] for cell in cells], np.uint64),
        np.array([cell[1] for cell in cells], np.int32),
        np.array([cell[2] for cell in cells], np.uint32),
        4,
        n_features,
        4,
    )
    for position in range(7):
        lacking = 4 - sum(any(gene[0] == position for gene in tree.genes()) for tree in population[:4])
        labels = [label for tree in population[:4] for at, label in tree.genes() if at == position]
        expected = [(labels.count(f) + lacking / n_features) / 4 for f in range(n_features)]
        np.testing.assert_allclose(view.probabilities(position), [*expected, labels.count(-1) / 4])
        np.testing.assert_allclose(model.probabilities(position), view.probabilities(position))
        assert view.probabilities(position).sum() == pytest.approx(1)
    assert view.to_array().shape == (7, n_features + 1)
    np.testing.assert_array_equal(view.probabilities(7), [0.0] * n_features + [1.0])

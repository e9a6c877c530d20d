"""MDLDiscretizer cuts exactly where the oracle does, and what Fayyad and Irani proved holds for its cuts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.discretization import Sample, all_cuts, entropy_bits, is_boundary, mdl_cuts
from palmette import MDLDiscretizer
from problems import Problem, problem_of_seed, problems

CHUNK = 100
N_PROBLEMS = 200


def samples_of(problem: Problem, feature: int) -> tuple[list[Sample], int]:
    """The samples of a continuous feature whose value is known, and the bits of their fixed point."""
    grower = problem.grower()
    values = grower.columns[feature].values
    samples = [
        (float(value), grower.labels[row], weight)
        for row, weight in grower.samples
        if (value := values[row]) is not None
    ]
    return samples, grower.bits


def continuous(problem: Problem) -> list[int]:
    return [index for index, dtype in enumerate(problem.frame.dtypes) if dtype == np.float64]


def fitted(problem: Problem, frame: pd.DataFrame | None = None, **parameters: str) -> MDLDiscretizer:
    return MDLDiscretizer(**parameters).fit(problem.frame if frame is None else frame, problem.labels, problem.weights)


def assert_equals_oracle(problem: Problem, cost: str) -> None:
    discretizer = fitted(problem, cut_cost=cost)
    coded = discretizer.transform(problem.frame)
    for feature, points in enumerate(discretizer.cut_points_):
        if feature not in continuous(problem):
            assert points is None
            pd.testing.assert_series_equal(coded.iloc[:, feature], problem.frame.iloc[:, feature])
            continue
        samples, bits = samples_of(problem, feature)
        expected = [cut.point for cut in mdl_cuts(samples, bits, cost)]
        assert points is not None
        assert points.tolist() == expected
        for value, code in zip(problem.frame.iloc[:, feature], coded.iloc[:, feature], strict=True):
            if math.isnan(value):
                assert math.isnan(code)
            else:
                assert code == sum(value > point for point in expected)


@pytest.mark.parametrize("first", range(0, N_PROBLEMS, CHUNK))
def test_the_cuts_are_the_oracles(first):
    for seed in range(first, first + CHUNK):
        problem = problem_of_seed(seed, max_rows=40, max_features=4)
        try:
            assert_equals_oracle(problem, "values" if seed % 3 == 0 else "samples")
        except AssertionError as error:
            error.add_note(f"seed {seed}: {problem!r}")
            raise


@given(problems(max_rows=30, max_features=3), st.sampled_from(["samples", "values"]))
@settings(max_examples=40, deadline=None)
def test_the_cuts_are_the_oracles_on_what_hypothesis_finds(problem, cost):
    assert_equals_oracle(problem, cost)


@pytest.mark.parametrize("seed", range(25))
def test_theorem_1_the_best_cut_is_a_boundary_point(seed):
    problem = problem_of_seed(seed, max_rows=40)
    for feature in continuous(problem):
        samples, bits = samples_of(problem, feature)
        cuts = all_cuts(samples, bits)
        if not cuts or entropy_bits(samples, bits) == 0:
            continue
        least = min(cut.bits for cut in cuts)
        assert all(is_boundary(samples, cut) for cut in cuts if cut.bits == least)


@pytest.mark.parametrize("seed", range(25))
def test_every_cut_is_a_boundary_point(seed):
    problem = problem_of_seed(seed, max_rows=60)
    discretizer = fitted(problem)
    for feature in continuous(problem):
        samples, _ = samples_of(problem, feature)
        for point in discretizer.cut_points_[feature]:
            lower = max(value for value, _, _ in samples if value <= point)
            upper = min(value for value, _, _ in samples if value > point)
            assert len({label for value, label, _ in samples if value in (lower, upper)}) > 1


@pytest.mark.parametrize("seed", range(20))
def test_monotone_transformations_change_no_interval(seed):
    problem = problem_of_seed(seed, max_rows=60)
    numbers = problem.frame.iloc[:, continuous(problem)]
    if numbers.shape[1] == 0:
        return
    # A value that only samples without weight have lies on either side of a cut.
    counted = [weight > 0 for weight in problem.weights or [1] * len(numbers)]
    before = fitted(problem, numbers).transform(numbers)[counted]
    for stretched in (numbers.rank(method="dense"), numbers.rank(method="dense") ** 3 - 1e6):
        pd.testing.assert_frame_equal(fitted(problem, stretched).transform(stretched)[counted], before)


@pytest.mark.parametrize("seed", range(20))
def test_an_integer_weight_is_as_good_as_copies(seed):
    problem = problem_of_seed(seed, max_rows=40, weighted=False)
    counts = np.random.default_rng(seed).integers(0, 4, len(problem.labels))
    counts[:2] = 1
    repeated = problem.frame.loc[problem.frame.index.repeat(counts)].reset_index(drop=True)
    by_weight = MDLDiscretizer().fit(problem.frame, problem.labels, counts)
    by_copies = MDLDiscretizer().fit(repeated, np.repeat(problem.labels, counts))
    for weighted, copied in zip(by_weight.cut_points_, by_copies.cut_points_, strict=True):
        np.testing.assert_equal(weighted, copied)

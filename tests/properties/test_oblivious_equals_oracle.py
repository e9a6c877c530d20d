"""Decision tables, their pruning and FOCUS equal the oracles on many tiny problems full of ties and duplicates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.oblivious import Table
from palmette import FocusSelector, ObliviousTreeClassifier, _core

WEIGHTS = (1.0, 1.0, 2.0, 0.5, 0.25, 3.0, 0.0)


@dataclass(frozen=True)
class Problem:
    """Nominal codes (-1: missing), labels, weights, folds, units of features, units to keep."""

    codes: list[list[int]]
    n_categories: list[int]
    labels: list[int]
    n_classes: int
    weights: list[float] | None
    folds: list[int] | None
    units: list[list[int]]
    keep: list[int]
    min_features: int

    @property
    def dataset(self) -> _core.Dataset:
        builder = _core.DatasetBuilder()
        for column, n_categories in zip(np.array(self.codes, dtype=np.int32).T, self.n_categories, strict=True):
            builder.add([np.ascontiguousarray(column)], [n_categories])
        weights = None if self.weights is None else np.array(self.weights)
        return builder.build(np.array(self.labels, dtype=np.int32), self.n_classes, weights)

    @property
    def oracle(self) -> Table:
        return Table(self.codes, self.labels, self.weights or [1.0] * len(self.labels), self.n_classes)

    def settings(self, **changes: Any) -> _core.TablePruningSettings:
        settings = _core.TablePruningSettings()
        settings.units = self.units
        settings.keep = self.keep
        settings.min_features = self.min_features
        settings.folds = self.folds or []
        for name, value in changes.items():
            setattr(settings, name, value)
        return settings

    def prune(self, **changes: Any) -> _core.EliminationResult:
        return _core.prune_table(self.dataset, self.settings(**changes), _core.Budget())


def random_problem(random: Random) -> Problem:
    n_rows, n_features = random.randint(2, 14), random.randint(1, 6)
    n_classes = random.randint(2, 3)
    n_categories = [random.choice([1, 2, 2, 2, 3, 4]) for _ in range(n_features)]
    may_miss = random.choice([False, True])
    codes = [[random.randint(-1 if may_miss else 0, most - 1) for most in n_categories] for _ in range(n_rows)]
    for row in range(1, n_rows):
        if random.randint(0, 4) == 0:
            codes[row] = list(codes[random.randint(0, row - 1)])
    kind = random.choice(["noise", "parity", "first"])
    labels = []
    for row in codes:
        value = {"noise": random.randint(0, n_classes - 1), "parity": sum(row[:3]), "first": row[0]}[kind]
        labels.append(value % n_classes)
    weights = None
    if random.randint(0, 2) == 0:
        weights = [1.0, 1.0, *(random.choice(WEIGHTS) for _ in range(n_rows - 2))]
    folds = None
    if random.randint(0, 1):
        n_folds = random.randint(2, n_rows)
        folds = [0, 1, *(random.randint(0, n_folds - 1) for _ in range(n_rows - 2))]
    units = [[feature] for feature in range(n_features)]
    if random.randint(0, 2) == 0:
        labels_of_units = [random.randint(0, n_features - 1) for _ in range(n_features)]
        units = sorted([f for f in range(n_features) if labels_of_units[f] == u] for u in set(labels_of_units))
    keep = [unit for unit in range(len(units)) if random.randint(0, 5) == 0]
    return Problem(codes, n_categories, labels, n_classes, weights, folds, units, keep, random.choice([0, 0, 0, 1, 2]))


def walk_of(problem: Problem, result: _core.EliminationResult) -> list[tuple[int | None, float, tuple[int, ...]]]:
    present = set(range(len(problem.units)))
    walk = []
    for step in result.steps:
        present.discard(step.removed)
        left = tuple(sorted(feature for unit in present for feature in problem.units[unit]))
        assert step.size == len(left)
        walk.append((None if step.removed < 0 else step.removed, step.error, left))
    return walk


def check_pruning(problem: Problem) -> None:
    expected = list(
        problem.oracle.eliminate(problem.folds, problem.units, problem.keep, min_features=problem.min_features)
    )
    result = problem.prune()
    assert result.status == "complete"
    assert walk_of(problem, result) == expected
    errors = [step.error for step in result.steps]
    assert errors == sorted(errors, reverse=True)
    for changes in ({"n_jobs": 2}, {"memory_limit": 0}):
        again = problem.prune(**changes)
        assert walk_of(problem, again) == expected
        assert again.peak_bytes == (0 if "memory_limit" in changes else result.peak_bytes)


@pytest.mark.parametrize("block", range(8))
def test_pruning_equals_brute_force_on_many_problems(block):
    for seed in range(250):
        check_pruning(random_problem(Random(f"pruning {block} {seed}")))


@given(st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_pruning_equals_brute_force(random):
    check_pruning(random_problem(random))


def test_leave_one_out_is_cross_validation_with_a_fold_for_each_sample():
    for seed in range(300):
        problem = random_problem(Random(f"folds {seed}"))
        alone = problem.prune(folds=list(range(len(problem.labels))))
        assert walk_of(problem, problem.prune(folds=[])) == walk_of(problem, alone)


def test_pruning_with_redrawn_folds_equals_brute_force():
    grew = 0
    for seed in range(600):
        problem = random_problem(Random(f"redrawn {seed}"))
        if problem.folds is None:
            continue
        dataset, folds = problem.dataset, problem.folds
        expected = list(
            problem.oracle.eliminate(
                folds,
                problem.units,
                problem.keep,
                problem.min_features,
                redrawn=lambda step, dataset=dataset, folds=folds, seed=seed: _core.redrawn_folds(
                    dataset, folds, seed, step
                ),
            )
        )
        for changes in ({}, {"n_jobs": 2}, {"memory_limit": 0}):
            result = problem.prune(redraw_folds=True, seed=seed, **changes)
            assert walk_of(problem, result) == expected
        errors = [step.error for step in result.steps]
        grew += errors != sorted(errors, reverse=True)
    assert grew > 0


def test_redrawn_folds_are_exchanged_within_classes():
    problem = Problem([[0]] * 40, [1], [0, 1] * 20, 2, [1.0] * 38 + [0.0] * 2, None, [[0]], [], 0)
    folds = [row // 2 % 4 for row in range(40)]

    def draw(seed: int, step: int) -> list[int]:
        return _core.redrawn_folds(problem.dataset, folds, seed, step)

    assert draw(5, 0) == folds
    assert draw(5, 1) == draw(5, 1)
    assert len({tuple(draw(seed, step)) for seed in range(4) for step in range(1, 5)}) == 16
    for step in range(1, 30):
        drawn = draw(5, step)
        assert drawn[38:] == folds[38:]
        for label in (0, 1):
            assert sorted(drawn[label::2]) == sorted(folds[label::2])
    # Each sample comes into each fold as often as that fold is large: 5, 5, 5 and 4 of the 19 of a class.
    shares = np.array([[fold == place for place in range(4)] for step in range(1, 2001) for fold in draw(7, step)[:38]])
    shares = shares.reshape(2000, 38, 4).mean(axis=0)
    np.testing.assert_allclose(shares, np.tile([5 / 19, 5 / 19, 5 / 19, 4 / 19], (38, 1)), atol=0.05)
    with pytest.raises(ValueError, match="a fold for each row"):
        _core.redrawn_folds(problem.dataset, folds[1:], 0, 1)


def test_pruning_equals_brute_force_with_wide_codes_and_many_features():
    random = Random(0)
    generator = np.random.default_rng(0)
    for n_features, n_categories in ((5, 300), (260, 2), (254, 2), (255, 3)):
        codes = generator.integers(-1, n_categories, (7, n_features))
        codes[3] = codes[5]
        problem = Problem(
            codes.tolist(),
            [n_categories] * n_features,
            [0, 1, *(random.randint(0, 1) for _ in range(5))],
            2,
            None,
            None,
            [[feature] for feature in range(n_features)],
            [],
            max(0, n_features - 1),
        )
        check_pruning(problem)


def check_focus(problem: Problem) -> None:
    keep = [feature for unit in problem.keep for feature in problem.units[unit]]
    oracle = problem.oracle
    result = _core.find_smallest_consistent(problem.dataset, sorted(keep), _core.Budget())
    assert result.status == "complete"
    assert tuple(result.features) == oracle.focus(keep)
    assert result.lower_bound == len(result.features)
    everything = range(len(problem.codes[0]))
    alike = [
        sample
        for sample in oracle.weighty
        if any(
            problem.labels[sample] != problem.labels[other] and problem.codes[sample] == problem.codes[other]
            for other in oracle.weighty
        )
    ]
    assert result.n_inseparable == len(alike)
    assert oracle.is_consistent(everything)


@pytest.mark.parametrize("block", range(4))
def test_focus_equals_brute_force_on_many_problems(block):
    for seed in range(250):
        check_focus(random_problem(Random(f"focus {block} {seed}")))


@given(st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_focus_equals_brute_force(random):
    check_focus(random_problem(random))


def test_focus_equals_brute_force_with_more_features():
    for seed in range(25):
        generator = np.random.default_rng(seed)
        n_rows, n_features = int(generator.integers(8, 40)), int(generator.integers(7, 10))
        codes = generator.integers(0, 2, (n_rows, n_features))
        codes = codes[np.unique(codes, axis=0, return_index=True)[1]]
        labels = generator.integers(0, 2, len(codes))
        units = [[feature] for feature in range(n_features)]
        check_focus(Problem(codes.tolist(), [2] * n_features, labels.tolist(), 2, None, None, units, [], 0))


def test_nearest_cells_equal_brute_force():
    for seed in range(200):
        random = Random(f"prediction {seed}")
        problem = random_problem(random)
        n_features = len(problem.codes[0])
        features = sorted(random.sample(range(n_features), random.randint(0, n_features)))
        table = _core.fill_table(problem.dataset, features)
        queries = [
            [random.randint(-1, problem.n_categories[feature]) for feature in range(n_features)] for _ in range(6)
        ] + problem.codes
        codes = np.ascontiguousarray(np.array(queries, dtype=np.int32)[:, features])
        expected = [problem.oracle.votes(query, features, problem.oracle.weighty) for query in queries]
        for n_jobs in (1, 2):
            np.testing.assert_array_equal(table.nearest_class_weights(codes, n_jobs), expected)


def test_estimators_read_frames_as_the_oracle_does():
    for seed in range(60):
        problem = random_problem(Random(f"frames {seed}"))
        frame = pd.DataFrame(
            {
                f"f{place}": pd.Categorical.from_codes(column, categories=[f"v{code}" for code in range(most)])
                for place, (column, most) in enumerate(
                    zip(np.array(problem.codes).T, problem.n_categories, strict=True)
                )
            }
        )
        labels, weights = np.array(problem.labels), problem.weights
        weighty = np.array(weights or [1.0] * len(labels)) > 0
        if len(np.unique(labels[weighty])) < 2:
            continue
        model = ObliviousTreeClassifier().fit(frame, labels, sample_weight=weights)
        *_, (_, error, features) = problem.oracle.eliminate()
        total = sum(weights) if weights else len(labels)
        assert model.error_ == pytest.approx(error / total)
        assert tuple(model.get_support(indices=True)) == features
        assert model.history_[-1].features == tuple(frame.columns[list(features)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = FocusSelector().fit(frame, labels, sample_weight=weights)
        assert tuple(selector.get_support(indices=True)) == problem.oracle.focus()

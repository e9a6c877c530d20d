"""Regularized forests and boosting select the same features by the same trees as the oracle does, split by split."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.prediction import class_probabilities
from oracles.regularized import RegularizedOracle
from palmette import C45ForestClassifier, RegularizedBoostingSelector, RegularizedForestSelector
from problems import Problem, columns, random_problem
from same_trees import TOLERANCE, assert_same_gains, assert_same_tree

LIMITS: dict[str, Any] = {"max_rows": 40, "max_features": 8}
WEIGHTS = [0.5, 0.8, 0.25, 1.0, 0.9, 1e-12, 1 / 3]


@dataclass(frozen=True)
class Case:
    """A problem, and parameters of the selectors."""

    problem: Problem
    parameters: dict[str, Any]
    draws: bool
    """Whether trees are grown on rows that are drawn."""

    def oracle(self) -> RegularizedOracle:
        problem, chosen = self.problem, self.parameters
        n_features = problem.frame.shape[1]
        given_weight = chosen["new_feature_weight"]
        n_new = {"sqrt": math.ceil(math.sqrt(n_features)), None: n_features}.get(
            chosen["max_features"], chosen["max_features"]
        )
        return RegularizedOracle(
            columns(problem.frame),
            problem.codes(),
            len(problem.classes),
            problem.weights,
            new_feature_weights=given_weight if isinstance(given_weight, list) else [given_weight] * n_features,
            n_new=n_new,
            seed=int(np.random.RandomState(chosen["random_state"]).randint(np.iinfo(np.int32).max)),
            cran=chosen["criterion"] == "cran",
            initial=chosen["initial"] or (),
            min_samples=chosen["min_samples"],
            max_depth=chosen["max_depth"],
        )

    def fitted(self, selector: Any) -> Any:
        return selector.set_params(**self.parameters).fit(
            self.problem.frame, self.problem.labels, sample_weight=self.problem.weights
        )


def random_case(random: Random) -> Case:
    problem = random_problem(random, **LIMITS)
    n_features = problem.frame.shape[1]
    per_feature = [random.choice([*WEIGHTS, 0.0]) for _ in range(n_features - 1)] + [0.5]
    parameters = {
        "n_estimators": random.randint(1, 4),
        "new_feature_weight": random.choice([*WEIGHTS, per_feature]),
        "criterion": random.choice(["gain", "gain", "cran"]),
        "max_features": random.choice(["sqrt", "sqrt", 1, None]),
        "initial": random.choice([None, None, [n_features - 1]]),
        "min_samples": random.choice([1, 1, 0.5, 2]),
        "max_depth": random.choice([None, None, None, 2]),
        "random_state": random.randint(0, 1000),
    }
    return Case(problem, parameters, draws=random.choice([True, True, False]))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    return random_case(draw(st.randoms(use_true_random=False)))


def assert_same_set(selector: Any, oracle: RegularizedOracle, case: Case) -> None:
    names = case.problem.frame.columns.tolist()
    assert selector.selected_order_ == [names[feature] for feature in oracle.selected]
    assert np.flatnonzero(selector.support_).tolist() == sorted(oracle.selected)
    assert [names.index(entry.feature) for entry in selector.history_] == [entry.feature for entry in oracle.entries]
    for found, expected in zip(selector.history_, oracle.entries, strict=True):
        assert (found.tree, found.depth) == (expected.tree, expected.depth)
        assert found.gain == pytest.approx(expected.gain / expected.weight, abs=TOLERANCE)
        assert found.weight == pytest.approx(expected.weight / oracle.one, rel=TOLERANCE)
    n_initial = len(selector.selected_order_) - len(selector.history_)
    assert np.isnan(selector.entry_gains_[:n_initial]).all()
    assert selector.entry_gains_[n_initial:].tolist() == [entry.gain for entry in selector.history_]


def check_forest(case: Case, **more: Any) -> None:
    oracle = case.oracle()
    roots = oracle.forest(case.parameters["n_estimators"], bootstrap=case.draws)
    selector = case.fitted(RegularizedForestSelector(bootstrap=case.draws, **more))
    assert selector.status_ == "complete"
    assert len(selector.trees_) == len(roots)
    for tree, root in zip(selector.trees_, roots, strict=True):
        assert_same_tree(tree, root, oracle.one)
        assert_same_gains(tree, root, oracle.one)
    assert_same_set(selector, oracle, case)
    rows = case.problem.rows(case.problem.fresh)
    expected = np.mean([[class_probabilities(root, row) for row in rows] for root in roots], axis=0)
    assert np.allclose(selector.predict_proba(case.problem.fresh), expected, rtol=0, atol=TOLERANCE)


def check_boosting(case: Case, **more: Any) -> None:
    oracle = case.oracle()
    roots, votes, errors = oracle.boost(case.parameters["n_estimators"], resample=case.draws)
    selector = case.fitted(RegularizedBoostingSelector(resample=case.draws, **more))
    assert selector.status_ == "complete"
    assert selector.estimator_errors_ == pytest.approx(errors)
    assert selector.estimator_weights_ == pytest.approx(votes)
    for tree, root in zip(selector.trees_, roots, strict=True):
        assert_same_tree(tree, root, oracle.one)
    assert_same_set(selector, oracle, case)
    frame = case.problem.frame
    expected = np.zeros((len(frame), len(case.problem.classes)))
    for row in range(len(frame)):
        for root, vote in zip(roots, votes, strict=True):
            expected[row, oracle.predicted(root, row)] += vote / sum(votes)
    assert np.allclose(selector.predict_proba(frame), expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_the_forest_equals_the_oracle(seed: int):
    for number in range(seed, seed + 50):
        check_forest(random_case(Random(number)))


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_boosting_equals_the_oracle(seed: int):
    for number in range(seed, seed + 50):
        check_boosting(random_case(Random(10_000 + number)))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_the_forest_equals_the_oracle_on_problems_that_shrink(case: Case):
    check_forest(case)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_boosting_equals_the_oracle_on_problems_that_shrink(case: Case):
    check_boosting(case)


@pytest.mark.parametrize("seed", range(25))
def test_without_a_penalty_the_forest_is_the_plain_forest(seed: int):
    """λ = 1 and all features looked at: bagged trees, those of C45ForestClassifier with the same draws, bit by bit."""
    problem = random_problem(Random(20_000 + seed), **LIMITS)
    rules = {"growth": "literal", "threshold": "midpoint", "min_samples": 2}
    for criterion, plain_criterion in (("gain", "information_gain"), ("cran", "gini")):
        plain = C45ForestClassifier(4, criterion=plain_criterion, max_features=None, random_state=seed, **rules)
        plain.fit(problem.frame, problem.labels, sample_weight=problem.weights)
        free = RegularizedForestSelector(
            4, new_feature_weight=1.0, criterion=criterion, max_features=None, random_state=seed
        ).fit(problem.frame, problem.labels, sample_weight=problem.weights)
        assert free.trees_ == plain.trees_
        assert free.used_features_ == plain.used_features_
        assert sorted(free.selected_order_) == sorted(free.used_features_)


class PlainOracle(RegularizedOracle):
    """No λ at all: at each node the features looked at compete by their gain."""

    def score(self, split: Any, node: Any) -> int:
        return split.gain


@pytest.mark.parametrize("seed", range(25))
def test_without_a_penalty_the_best_of_the_features_looked_at_wins(seed: int):
    """λ = 1 with features drawn at each node: the plain random trees with the same draws."""
    drawn = random_case(Random(30_000 + seed))
    case = Case(drawn.problem, {**drawn.parameters, "new_feature_weight": 1.0, "initial": None}, drawn.draws)
    oracle = case.oracle()
    oracle.__class__ = PlainOracle
    roots = oracle.forest(case.parameters["n_estimators"], bootstrap=case.draws)
    selector = case.fitted(RegularizedForestSelector(bootstrap=case.draws))
    for tree, root in zip(selector.trees_, roots, strict=True):
        assert_same_tree(tree, root, oracle.one)
    assert_same_set(selector, oracle, case)

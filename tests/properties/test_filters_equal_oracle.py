"""CFSSelector and FCBFSelector select exactly what the plain formulas select, and obey what follows from them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.metrics import mutual_info_score

from oracles.filters import ONE, Filters
from palmette import CFSSelector, FCBFSelector
from problems import Problem, problem_of_seed, problems

CHUNK = 50
N_PROBLEMS = 150


def positions(problem: Problem, names) -> list[int]:
    return [problem.frame.columns.get_loc(name) for name in names]


def assert_fcbf_equals_oracle(problem: Problem, filters: Filters, threshold: float) -> None:
    selector = FCBFSelector(threshold=threshold).fit(problem.frame, problem.labels, problem.weights)
    selected, removed_by = filters.fcbf(threshold)
    assert (selector.symmetric_uncertainty_ * ONE).tolist() == filters.with_class
    assert positions(problem, selector.selected_order_) == selected
    assert np.flatnonzero(selector.support_).tolist() == sorted(selected)
    pairs = zip(
        positions(problem, selector.removed_by_), positions(problem, selector.removed_by_.values()), strict=True
    )
    assert dict(pairs) == removed_by


def assert_cfs_equals_oracle(problem: Problem, filters: Filters, max_stale: int, locally_predictive: bool) -> None:
    selector = CFSSelector(max_stale=max_stale, locally_predictive=locally_predictive)
    selector.fit(problem.frame, problem.labels, problem.weights)
    found = filters.cfs(max_stale, locally_predictive=locally_predictive)
    assert positions(problem, selector.selected_order_) == found.by_search + found.added
    assert positions(problem, selector.locally_predictive_) == found.added
    assert selector.merit_ == found.merit
    assert [positions(problem, step.features) for step in selector.history_] == found.expanded
    for step, subset in zip(selector.history_, found.expanded, strict=True):
        assert step.merit == filters.merit(subset)


@pytest.mark.parametrize("first", range(0, N_PROBLEMS, CHUNK))
def test_the_filters_select_what_the_oracle_selects(first):
    for seed in range(first, first + CHUNK):
        problem = problem_of_seed(seed, max_rows=40, max_features=7)
        filters = Filters(problem.grower())
        try:
            assert_fcbf_equals_oracle(problem, filters, [0.0, 0.0, 0.1, 0.3][seed % 4])
            assert_cfs_equals_oracle(problem, filters, [5, 5, 1, 2][seed % 4], seed % 3 > 0)
        except AssertionError as error:
            error.add_note(f"seed {seed}: {problem!r}")
            raise


@given(problems(max_rows=25, max_features=5))
@settings(max_examples=20, deadline=None)
def test_the_filters_select_what_the_oracle_selects_on_what_hypothesis_finds(problem):
    filters = Filters(problem.grower())
    assert_fcbf_equals_oracle(problem, filters, 0.0)
    assert_cfs_equals_oracle(problem, filters, 5, locally_predictive=True)


@pytest.mark.parametrize("seed", range(12))
def test_symmetric_uncertainty_is_that_of_the_textbook(seed):
    random = np.random.default_rng(seed)
    n_samples = int(random.integers(5, 400))
    codes = random.integers(0, random.integers(2, 9), n_samples)
    labels = np.where(random.random(n_samples) < 0.5, codes % 3, random.integers(0, 3, n_samples))
    labels[:2] = 0, 1
    entropies = mutual_info_score(codes, codes) + mutual_info_score(labels, labels)
    expected = 2 * mutual_info_score(codes, labels) / entropies
    frame = pd.DataFrame({"codes": pd.Categorical(codes)})
    assert FCBFSelector().fit(frame, labels).symmetric_uncertainty_[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_the_names_and_order_of_categories_do_not_matter(seed):
    problem = problem_of_seed(seed, max_rows=60)
    random = np.random.default_rng(seed)
    renamed = problem.frame.copy()
    for name in renamed.select_dtypes("category"):
        shuffled = random.permutation(renamed[name].cat.categories)
        renamed[name] = renamed[name].cat.reorder_categories(shuffled)
    for selector in (CFSSelector(), FCBFSelector()):
        before = selector.fit(problem.frame, problem.labels, problem.weights).selected_order_
        assert selector.fit(renamed, problem.labels, problem.weights).selected_order_ == before


@pytest.mark.parametrize("seed", range(12))
def test_an_integer_weight_is_as_good_as_copies(seed):
    problem = problem_of_seed(seed, max_rows=40, weighted=False)
    counts = np.random.default_rng(seed).integers(0, 4, len(problem.labels))
    counts[:2] = 1
    repeated = problem.frame.loc[problem.frame.index.repeat(counts)].reset_index(drop=True)
    for selector in (CFSSelector(), FCBFSelector()):
        weighted = selector.fit(problem.frame, problem.labels, counts).symmetric_uncertainty_
        order = selector.selected_order_
        copied = selector.fit(repeated, np.repeat(problem.labels, counts)).symmetric_uncertainty_
        np.testing.assert_allclose(weighted, copied, atol=1e-8)
        assert selector.selected_order_ == order


@pytest.mark.parametrize("seed", range(15))
def test_fcbf_drops_a_copied_column(seed):
    problem = problem_of_seed(seed, max_rows=60)
    before = FCBFSelector().fit(problem.frame, problem.labels, problem.weights)
    doubled = pd.concat([problem.frame, problem.frame.add_prefix("copy of ")], axis=1)
    after = FCBFSelector().fit(doubled, problem.labels, problem.weights)
    # Where values are missing, a column does not determine its copy: what is spread is not known twice.
    complete = problem.frame.columns[~problem.frame.isna().any()]
    assert [name for name in after.selected_order_ if name in problem.frame] == before.selected_order_
    for name in complete.intersection(before.selected_order_):
        assert after.removed_by_[f"copy of {name}"] == name


@pytest.mark.parametrize("seed", range(12))
def test_merit_of_one_feature_is_its_uncertainty(seed):
    problem = problem_of_seed(seed, max_rows=60)
    selector = CFSSelector(max_stale=1).fit(problem.frame, problem.labels, problem.weights)
    singles = [step for step in selector.history_ if len(step.features) == 1]
    for step in singles:
        uncertainty = selector.symmetric_uncertainty_[problem.frame.columns.get_loc(step.features[0])]
        assert math.isclose(step.merit, uncertainty)
    if selector.symmetric_uncertainty_.max() > 1e-5:
        assert selector.merit_ >= selector.symmetric_uncertainty_.max() - 1e-5

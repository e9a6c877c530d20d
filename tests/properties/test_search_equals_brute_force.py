"""The searches of the core find exactly what growing the tree of every subset finds."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from oracles.algorithms_2019 import DistinctTrees, ascending, descending, frontier_order, reverse_of
from oracles.lattice import Answer, Subset, TreeClass
from palmette import _core
from search_problems import SearchProblem, chunk_name, chunks, search_of_seed, search_problems, shown

N_SEARCHED = 3000
N_ENUMERATED = 1500
N_LARGE = 200
N_THREADS = 300

# Far less than the trees of most problems need: whatever may be forgotten is.
TINY = 2**12

small = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def find_best(searched: SearchProblem, **changes: Any) -> _core.SearchResult:
    return _core.find_best_subset(searched.core(), searched.settings(**changes), _core.Budget())


def check_best(searched: SearchProblem, **changes: Any) -> None:
    """The best objective, of these the smallest subset, of these the first; and a proof."""
    expected = searched.lattice.best(searched.terms)
    result = find_best(searched, error_gap=0.0, **changes)
    assert result.status == "optimal"
    assert result.objective == searched.weight(expected.objective)
    assert result.bound == result.objective
    assert result.units == list(expected.units)
    assert result.error == searched.weight(expected.error)


def check_first_best(searched: SearchProblem, **changes: Any) -> None:
    """Whichever of the best subsets: its objective is the best, and it is what it says it is."""
    expected = searched.lattice.best(searched.terms)
    result = find_best(searched, error_gap=0.0, smallest=False, **changes)
    assert result.status == "optimal"
    assert result.objective == result.bound == searched.weight(expected.objective)
    assert_consistent(searched, result)


def check_gap(searched: SearchProblem, **changes: Any) -> None:
    """Within the gap of the best, and the bound is one."""
    best = searched.lattice.best(searched.terms)
    result = find_best(searched, **changes)
    assert result.status in ("optimal", "within_gap")
    assert result.bound <= searched.weight(best.objective) <= result.objective
    assert result.objective <= result.bound + searched.gap
    assert_consistent(searched, result)
    if result.status == "optimal":
        assert result.objective == searched.weight(best.objective)


def assert_consistent(searched: SearchProblem, result: _core.SearchResult) -> None:
    """The result is an answer, and its error and objective are those of its units."""
    lattice = searched.lattice
    units = frozenset(result.units)
    assert result.units == sorted(units)
    point = lattice.point(units)
    answer = lattice.answer(point, searched.terms)
    assert units == searched.keep | point.used
    assert searched.max_features is None or answer.size <= searched.max_features
    assert result.error == searched.weight(answer.error)
    assert result.objective == searched.weight(answer.objective)


def check_errors(searched: SearchProblem, most: int = 40) -> None:
    """`error_of` a subset: the error and the used units of its trees."""
    core = searched.core()
    assert core.n_units == searched.n_units
    points = searched.lattice.points
    for point in points if len(points) <= most else Random(1).sample(points, most):
        assert core.error_of(sorted(point.subset)) == (searched.weight(point.error), sorted(point.used))


def enumerated(searched: SearchProblem, limit: float | None, at_once: int, **changes: Any) -> list[_core.FoundSubset]:
    """All that the enumerator yields."""
    enumerator = _core.TreeEnumerator(searched.core(), searched.settings(**changes), limit)
    budget = _core.Budget()
    found: list[_core.FoundSubset] = []
    while True:
        batch = enumerator.next(at_once, budget)
        assert len(batch) <= at_once
        found += batch
        if not batch:
            break
    assert enumerator.finished
    assert enumerator.next(at_once, budget) == []
    return found


def n_free(found: TreeClass) -> int:
    exponent = found.n_subsets.bit_length() - 1
    assert found.n_subsets == 2**exponent
    return exponent


def check_enumeration(searched: SearchProblem, limit: float | None, at_once: int) -> None:
    """Every distinct tree once, with the number of its subsets; their counts by size.

    A little more than the limit is forgiven, as in all comparisons of weights.
    """
    slack = searched.lattice.growers[0].slack
    greatest = None if limit is None else searched.fixed(limit) + slack
    expected = searched.lattice.tree_classes(searched.terms, greatest)
    found = enumerated(searched, limit, at_once)
    assert Counter((tuple(item.units), item.error, item.size, item.n_free) for item in found) == Counter(
        (item.units, searched.weight(item.error), item.size, n_free(item)) for item in expected
    )
    for n_jobs in (1, 2):
        counts = _core.count_distinct_trees(searched.core(), searched.settings(n_jobs=n_jobs), _core.Budget(), limit)
        assert counts == Counter((item.size, n_free(item)) for item in expected)
    if limit is None and searched.max_features is None:
        assert sum(2**item.n_free for item in found) == 2 ** (searched.n_units - len(searched.keep))


def some_limit(searched: SearchProblem, random: Random) -> float:
    """A weight that is the error of a subset, or a little more or less."""
    errors = sorted(searched.lattice.subsets_per_error(searched.terms))
    error = random.choice(errors[:3])
    if sum(searched.lattice.weights) >= 2**53:
        # Not every fixed-point weight is a double here.
        return math.nextafter(searched.weight(error), math.inf)
    shift = random.choice([0, 0, 1, -1]) * random.choice([1, searched.lattice.one // 100, searched.lattice.one // 2])
    return searched.weight(error + shift)


def check_pareto_front(searched: SearchProblem, **changes: Any) -> None:
    def described(answer: Answer) -> tuple[list[int], float, int]:
        return list(answer.units), searched.weight(answer.error), answer.size

    front = _core.pareto_front(searched.core(), searched.settings(**changes), _core.Budget())
    expected = searched.lattice.pareto_front(searched.terms)
    assert [(found.units, found.error, found.size) for found in front] == list(map(described, expected))


def check_feature_costs(searched: SearchProblem, **changes: Any) -> None:
    def shown_costs(costs: list[int | None]) -> list[float]:
        return [math.inf if cost is None else searched.weight(cost) for cost in costs]

    searched = replace(searched, max_features=None, penalty=0.0)
    found = _core.feature_costs(searched.core(), searched.settings(**changes), _core.Budget())
    with_unit, without = zip(*searched.lattice.feature_costs(searched.keep), strict=True)
    assert found == (shown_costs(with_unit), shown_costs(without))


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_SEARCHED), ids=chunk_name)
def test_the_best_subset_is_that_of_brute_force(seeds: range):
    for seed in seeds:
        searched = search_of_seed(seed)
        with shown(searched, seed):
            check_best(searched)
            check_first_best(searched)
            if searched.gap > 0:
                check_gap(searched)
            if seed % 4 == 0:
                check_best(searched, memory_limit=TINY)
            if seed % 4 == 1:
                check_best(searched, seed=seed)
            if seed % 10 == 0:
                check_errors(searched)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_LARGE, 20), ids=chunk_name)
def test_the_best_subset_of_nine_features_is_that_of_brute_force(seeds: range):
    for seed in seeds:
        searched = search_of_seed(1_000_000 + seed, max_rows=60, max_features=9, rich=True)
        with shown(searched, seed):
            check_best(searched)
            check_best(searched, memory_limit=TINY)
            check_first_best(searched, memory_limit=TINY)
            check_gap(replace(searched, gap=searched.gap or 1.0))
            check_pareto_front(searched)
            check_enumeration(searched, None, 50)


@pytest.mark.threads
@pytest.mark.parametrize("seeds", chunks(N_THREADS, 50), ids=chunk_name)
def test_two_threads_find_what_brute_force_finds(seeds: range):
    for seed in seeds:
        searched = search_of_seed(2_000_000 + seed)
        with shown(searched, seed):
            check_best(searched, n_jobs=2)
            check_best(searched, n_jobs=2, memory_limit=TINY)
            check_first_best(searched, n_jobs=2)
            if searched.gap > 0:
                check_gap(searched, n_jobs=2)
            check_pareto_front(searched, n_jobs=2)
            check_feature_costs(searched, n_jobs=2)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_ENUMERATED), ids=chunk_name)
def test_every_distinct_tree_is_enumerated_once(seeds: range):
    for seed in seeds:
        searched = replace(search_of_seed(3_000_000 + seed), penalty=0.0, gap=0.0)
        with shown(searched, seed):
            random = Random(seed)
            check_enumeration(searched, None, random.choice([1, 2, 3, 100]))
            check_enumeration(searched, some_limit(searched, random), random.choice([1, 2, 3, 100]))


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_ENUMERATED), ids=chunk_name)
def test_pareto_fronts_and_feature_costs_are_those_of_brute_force(seeds: range):
    for seed in seeds:
        searched = replace(search_of_seed(4_000_000 + seed), gap=0.0)
        with shown(searched, seed):
            check_pareto_front(searched)
            check_feature_costs(searched)


@small
@given(search_problems(max_rows=20, max_features=4))
def test_the_best_subset_on_problems_that_shrink(searched: SearchProblem):
    check_errors(searched)
    check_best(searched)
    check_first_best(searched)
    check_gap(searched)


@small
@given(search_problems(max_rows=20, max_features=4))
def test_the_other_questions_on_problems_that_shrink(searched: SearchProblem):
    searched = replace(searched, penalty=0.0, gap=0.0)
    check_enumeration(searched, None, 2)
    check_pareto_front(searched)
    check_feature_costs(searched)


def removal_orders(searched: SearchProblem) -> dict[str, Any]:
    frontier = frontier_order(searched.lattice)
    return {
        "frontier": frontier,
        "reversed frontier": reverse_of(frontier),
        "ascending": ascending,
        "descending": descending,
    }


@small
@given(search_problems(max_rows=24, max_features=6))
def test_theorem_7_the_algorithm_as_written_reports_every_distinct_tree_once(searched: SearchProblem):
    """Ruggieri 2019, for any order of removal; here in plain Python."""
    lattice = searched.lattice
    everything: Subset = frozenset(lattice.units)
    for name, order in removal_orders(searched).items():
        search = DistinctTrees(lattice, order)
        search.visit(frozenset(), everything)
        expected = Counter({point.trees for point in lattice.points})
        assert Counter(point.trees for point in search.reported) == expected, name

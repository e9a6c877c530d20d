"""The searches of the core find exactly what growing the tree of every subset finds."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from oracles.algorithms_2019 import DistinctTrees, Order, ascending, descending, frontier_order, reverse_of
from oracles.lattice import Answer, Subset, TreeClass
from palmette import _core
from search_problems import SearchProblem, chunk_name, chunks, search_of_seed, search_problems, shown

N_SEARCHED = 2400
N_ENUMERATED = 800
N_LARGE = 120
N_THREADS = 300
N_PAPER = 400

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
    assert Counter((tuple(item.units), item.error, item.size, len(item.free)) for item in found) == Counter(
        (item.units, searched.weight(item.error), item.size, n_free(item)) for item in expected
    )
    for n_jobs in (1, 2):
        counts = _core.count_distinct_trees(searched.core(), searched.settings(n_jobs=n_jobs), _core.Budget(), limit)
        assert counts == (Counter((item.size, n_free(item)) for item in expected), None)
    if limit is None and searched.max_features is None:
        assert sum(2 ** len(item.free) for item in found) == 2 ** (searched.n_units - len(searched.keep))


def some_limit(searched: SearchProblem, random: Random) -> float:
    """A weight that is the error of a subset, or a little more or less."""
    errors = sorted(searched.lattice.subsets_per_error(searched.terms))
    error = random.choice(errors[:3])
    if sum(searched.lattice.weights) >= 2**53:
        # Not every fixed-point weight is a double here.
        return math.nextafter(searched.weight(error), math.inf)
    shift = random.choice([0, 0, 1, -1]) * random.choice([1, searched.lattice.one // 100, searched.lattice.one // 2])
    return searched.weight(max(0, error + shift))


def check_pareto_front(searched: SearchProblem, **changes: Any) -> None:
    def described(answer: Answer) -> tuple[list[int], float, int]:
        return list(answer.units), searched.weight(answer.error), answer.size

    front, stopped_by = _core.pareto_front(searched.core(), searched.settings(**changes), _core.Budget())
    assert stopped_by is None
    expected = searched.lattice.pareto_front(searched.terms)
    free = {item.units: n_free(item) for item in searched.lattice.tree_classes(searched.terms)}
    assert all(found.n_free == free[tuple(found.units)] for found in front)
    assert [(found.units, found.error, found.size) for found in front] == list(map(described, expected))


def check_feature_costs(searched: SearchProblem, **changes: Any) -> None:
    def shown_costs(costs: list[int | None]) -> list[float]:
        return [math.inf if cost is None else searched.weight(cost) for cost in costs]

    found = _core.feature_costs(searched.core(), searched.settings(**changes), _core.Budget())
    with_unit, without = zip(*searched.lattice.feature_costs(searched.terms), strict=True)
    assert found == ((shown_costs(with_unit), shown_costs(without)), None)


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


def test_an_enumeration_that_was_stopped_goes_on():
    searched = replace(search_of_seed(92, rich=True), keep=frozenset(), max_features=None)
    n_trees = len(searched.lattice.tree_classes(searched.terms))
    enumerator = _core.TreeEnumerator(searched.core(), searched.settings(), None)
    spent = _core.Budget()
    spent.request_stop()
    n_found = 0
    for _ in range(n_trees):
        assert enumerator.next(1, spent) == []
        assert not enumerator.finished
        n_found += len(enumerator.next(1, _core.Budget()))
    assert n_found == n_trees
    assert enumerator.next(1, _core.Budget()) == []
    assert enumerator.finished


@pytest.mark.parametrize("limit", [-1e-12, -0.5, -1e300])
def test_no_tree_errs_less_than_nothing(limit: float):
    """A negative limit is refused, or met by no tree."""
    searched = search_of_seed(1, rich=True)
    with suppress(ValueError):
        assert enumerated(searched, limit, 100) == []
    with suppress(ValueError):
        assert _core.count_distinct_trees(searched.core(), searched.settings(), _core.Budget(), limit)[0] == {}


@pytest.mark.parametrize("penalty", [1e3, 1e6, 1e9, 1e15, 1e300, math.inf])
def test_no_penalty_is_too_large(penalty: float):
    """Beyond the weight of the search set no feature pays for itself; what does not fit the weights is refused."""
    searched = search_of_seed(92, rich=True)
    with suppress(ValueError):
        result = find_best(searched, feature_penalty=penalty, error_gap=0.0)
        assert (result.units, result.status) == (sorted(searched.keep), "optimal")
        assert result.objective == result.bound >= 0


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_ENUMERATED), ids=chunk_name)
def test_pareto_fronts_and_feature_costs_are_those_of_brute_force(seeds: range):
    for seed in seeds:
        searched = replace(search_of_seed(4_000_000 + seed), gap=0.0)
        with shown(searched, seed):
            check_pareto_front(searched)
            check_feature_costs(searched)


def padded(searched: SearchProblem, n_units: int, random: Random) -> tuple[SearchProblem, list[int]]:
    """The same search among many constant features, and the new numbers of its units."""
    names = list(searched.problem.frame.columns)
    unit_of = list(range(len(names)) if searched.unit_of is None else searched.unit_of)
    wide = searched.problem.frame.to_dict("series")
    for unit in range(searched.n_units, n_units):
        place = random.randint(0, len(names))
        names.insert(place, f"constant {unit}")
        unit_of.insert(place, unit)
        wide[f"constant {unit}"] = pd.Series(7.0, index=searched.problem.frame.index)
    # Units in the order of their first features: those that matter are far apart.
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(unit_of))}
    new = [numbers[unit] for unit in range(searched.n_units)]
    searched = replace(
        searched,
        problem=replace(searched.problem, frame=pd.DataFrame(wide)[names]),
        unit_of=tuple(numbers[unit] for unit in unit_of),
        keep=frozenset(new[unit] for unit in searched.keep),
    )
    return searched, new


@pytest.mark.slow
@pytest.mark.parametrize("n_units", [64, 65, 70, 192, 193, 200, 512, 513, 600])
def test_constant_features_change_nothing_but_the_width_of_the_sets(n_units: int):
    """More units than fit into one word, and still few enough trees for brute force."""
    for seed in range(12):
        searched = replace(search_of_seed(10_000_000 + seed, rich=True, max_features=6), gap=0.0)
        wide, new = padded(searched, n_units, Random(seed))
        with shown(searched, seed):
            best = searched.lattice.best(searched.terms)
            for n_jobs in (1, 2):
                result = _core.find_best_subset(wide.core(), wide.settings(n_jobs=n_jobs), _core.Budget())
                assert result.status == "optimal"
                assert result.objective == result.bound == searched.weight(best.objective)
                assert result.units == sorted(new[unit] for unit in best.units)
            expected = {
                (tuple(sorted(new[unit] for unit in item.units)), item.size, n_free(item) + n_units - searched.n_units)
                for item in searched.lattice.tree_classes(searched.terms)
            }
            found = enumerated(wide, None, 100)
            assert {(tuple(item.units), item.size, len(item.free)) for item in found} == expected
            assert len(found) == len(expected)
            front, _ = _core.pareto_front(wide.core(), wide.settings(), _core.Budget())
            assert [(item.size, item.error) for item in front] == [
                (answer.size, searched.weight(answer.error)) for answer in searched.lattice.pareto_front(searched.terms)
            ]
            plain = _core.enumerate_as_paper(wide.core(), paper_settings(wide), _core.Budget(), True)
            assert set(map(tuple, plain.subsets)) == {units for units, _, _ in expected}


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


def removal_orders(searched: SearchProblem) -> dict[str, Order]:
    """The orders in which Algorithm 2 may remove features, by the names that the core has for them."""
    frontier = frontier_order(searched.lattice)
    return {"frontier_2019": frontier, "reversed": reverse_of(frontier), "fixed": ascending, "descending": descending}


def paper_settings(searched: SearchProblem, **changes: Any) -> _core.PaperSettings:
    settings = _core.PaperSettings()
    settings.keep = sorted(searched.keep)
    settings.feature_penalty = searched.penalty
    settings.error_gap = searched.gap
    if searched.max_features is not None:
        settings.max_features = searched.max_features
    for name, value in changes.items():
        setattr(settings, name, value)
    return settings


def check_paper_enumeration(searched: SearchProblem) -> None:
    """DTdistinct reports every distinct tree once, whatever the order; and builds what the plain algorithm builds."""
    expected = searched.lattice.tree_classes(searched.terms)
    orders = removal_orders(searched)
    for name in ("frontier_2019", "cases_2017", "reversed", "fixed"):
        settings = paper_settings(searched, order=getattr(_core.PaperOrder, name))
        found = _core.enumerate_as_paper(searched.core(), settings, _core.Budget(), True)
        assert found.finished, name
        assert Counter(map(tuple, found.subsets)) == Counter(item.units for item in expected), name
        assert found.n_reported == len(expected), name
        by_size = Counter(item.size for item in expected)
        assert {size: count for size, count in enumerate(found.trees_by_size) if count} == by_size, name
        if searched.max_features is None and not searched.keep and name in orders:
            plain = DistinctTrees(searched.lattice, orders[name])
            plain.visit(frozenset(), frozenset(searched.lattice.units))
            assert found.n_built == len(plain.built), name
            assert [frozenset(units) for units in found.subsets] == [point.used for point in plain.reported], name


def check_paper_search(searched: SearchProblem, order: str, algorithm: str) -> None:
    """Within the gap of the best; the error and objective are those of the units."""
    settings = paper_settings(
        searched, order=getattr(_core.PaperOrder, order), algorithm=getattr(_core.PaperAlgorithm, algorithm)
    )
    found = _core.search_as_paper(searched.core(), settings, _core.Budget())
    assert found.found
    assert found.proved
    best = searched.lattice.best(searched.terms)
    assert searched.weight(best.objective) <= found.objective
    assert found.objective <= searched.weight(best.objective + searched.fixed(searched.gap))
    point = searched.lattice.point(frozenset(found.units))
    answer = searched.lattice.answer(point, searched.terms)
    assert found.units == list(answer.units)
    assert found.error == searched.weight(answer.error)
    assert found.objective == searched.weight(answer.objective)
    assert searched.max_features is None or answer.size <= searched.max_features
    # A start that the best is better than is improved on. (One as good as the best prunes all that only equals it.)
    settings.error_gap = 0.0
    settings.initial_error = searched.weight(best.objective + searched.lattice.one)
    improved = _core.search_as_paper(searched.core(), settings, _core.Budget())
    assert improved.found
    assert improved.objective == searched.weight(best.objective)
    if best.objective > 0:
        settings.initial_error = searched.weight(best.objective) / 2
        assert not _core.search_as_paper(searched.core(), settings, _core.Budget()).found


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_PAPER), ids=chunk_name)
def test_theorem_7_every_distinct_tree_is_found_exactly_once(seeds: range):
    """Ruggieri 2019: DTdistinct outputs the distinct trees, in any order of removal."""
    for seed in seeds:
        searched = search_of_seed(8_000_000 + seed)
        with shown(searched, seed):
            check_paper_enumeration(searched)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_PAPER), ids=chunk_name)
def test_theorem_11_the_published_searches_find_an_acceptable_subset(seeds: range):
    for seed in seeds:
        searched = search_of_seed(9_000_000 + seed)
        with shown(searched, seed):
            order = ("frontier_2019", "cases_2017", "reversed", "fixed")[seed % 4]
            check_paper_search(searched, order, "accept")
            check_paper_search(searched, order, ("exhaustive", "cache")[seed % 2])


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

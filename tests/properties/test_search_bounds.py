"""Every bound that the searches prune with is a claim about all trees of a sublattice; here it meets all of them.

The first half needs no core: the claims of bounds.py and of the 2019 paper on brute force. The second half asks the
core for its bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles.algorithms_2019 import (
    AcceptableSubset,
    ascending,
    error_lower_bound,
    frontier_order,
    reached_leaves_and_oracles,
    reverse_of,
)
from oracles.bounds import Place, base_bound, look_ahead, roots, sides, twin_errors
from oracles.c45 import Node
from oracles.lattice import NOTHING, Subset, Terms, powerset, predicted_label, used_features
from oracles.prediction import class_probabilities
from palmette import _core
from search_problems import SearchProblem, chunk_name, chunks, search_of_seed, search_problems, shown

for_a_bound = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
without_missing = search_problems(max_rows=24, max_features=5, missing=False)
with_missing = search_problems(max_rows=24, max_features=5)


def nodes(tree: Node) -> Iterator[Node]:
    yield tree
    for child in tree.children:
        yield from nodes(child)


def places(searched: SearchProblem) -> Iterator[tuple[Place, Subset, Subset]]:
    """Every place that some tree reaches, with the units included and excluded by the way to it."""
    waiting = [(root, NOTHING, NOTHING) for root in roots(searched.lattice)]
    while waiting:
        place, included, excluded = waiting.pop()
        yield place, included, excluded
        passed = excluded
        for split in place.ranking:
            unit = searched.lattice.unit_of[split.feature]
            if unit in passed:
                continue
            waiting.extend((child, included | {unit}, passed) for child in place.children(split))
            if unit in included:
                break
            passed |= {unit}


def subsets_between(included: Subset, excluded: Subset, units: range) -> Iterator[Subset]:
    for chosen in powerset(frozenset(units) - included - excluded):
        yield included | chosen


@for_a_bound
@given(without_missing)
def test_places_and_trees_make_the_same_errors(searched: SearchProblem):
    """The errors below the places are those of the trees: bounds.py means what lattice.py means."""
    for point in searched.lattice.points:
        assert sum(root.error(point.subset) for root in roots(searched.lattice)) == point.error


@for_a_bound
@given(with_missing)
def test_predictions_are_those_of_the_oracle_of_predictions(searched: SearchProblem):
    lattice = searched.lattice
    for tree in lattice.trees(lattice.units):
        for row in lattice.rows:
            probabilities = class_probabilities(tree, row)
            assert probabilities[predicted_label(tree, row, lattice.one)] >= max(probabilities) - 1e-9


@for_a_bound
@given(with_missing)
def test_lemma_6_every_subset_between_the_used_and_the_given_units_has_the_same_tree(searched: SearchProblem):
    lattice = searched.lattice
    for point in lattice.points:
        for dropped in powerset(point.subset - point.used):
            assert lattice.point(point.subset - dropped).trees == point.trees


@for_a_bound
@given(with_missing)
def test_the_sides_of_include_and_exclude_are_the_distinct_trees(searched: SearchProblem):
    """Each side is one tree, which uses exactly what is included; no two sides have the same; all subsets are there."""
    lattice = searched.lattice
    n_subsets = 0
    trees = []
    for included, excluded in sides(lattice):
        point = lattice.point(included)
        assert point.used == included
        for subset in subsets_between(included, excluded, lattice.units):
            assert lattice.point(subset).trees == point.trees
            n_subsets += 1
        trees.append(point.trees)
    assert len(trees) == len(set(trees))
    assert n_subsets == len(lattice.points)


@for_a_bound
@given(with_missing)
def test_p1_a_feature_ranked_before_the_split_is_used_nowhere_below(searched: SearchProblem):
    lattice = searched.lattice
    for point in lattice.points:
        for grower, tree in zip(lattice.growers, lattice.trees(point.subset), strict=True):
            for node in nodes(tree):
                if node.split is None:
                    continue
                grower.allowed = frozenset(range(len(lattice.columns)))
                ranking = [split.feature for split in grower.rank(node)]
                before = ranking[: ranking.index(node.split.feature)]
                assert not used_features(node) & frozenset(before)


@for_a_bound
@given(without_missing)
def test_p2_search_rows_of_absent_classes_err_and_no_rows_make_no_errors(searched: SearchProblem):
    for place, included, excluded in places(searched):
        present = {label for label, weight in enumerate(place.node.class_weights) if weight > 0}
        absent = not present & {searched.lattice.labels[row] for row in place.search}
        if place.samples and (absent or not place.search):
            for subset in subsets_between(included, excluded, searched.lattice.units):
                assert place.error(subset) == place.search_weight


@for_a_bound
@given(without_missing)
def test_b1_no_tree_errs_less_than_the_base_bound(searched: SearchProblem):
    for place, included, excluded in places(searched):
        bound = base_bound(place)
        assert bound <= place.leaf_error
        for subset in subsets_between(included, excluded, searched.lattice.units):
            assert bound <= place.error(subset)


@for_a_bound
@given(without_missing, st.randoms(use_true_random=False))
def test_b2_no_tree_errs_less_than_the_look_ahead(searched: SearchProblem, random: Random):
    """And a deeper look-ahead is no weaker; where all is decided, a deep one is exact."""
    lattice = searched.lattice
    statuses = [random.choice(["in", "out", "open"]) for _ in lattice.units]
    included = frozenset(unit for unit, side in enumerate(statuses) if side == "in")
    excluded = frozenset(unit for unit, side in enumerate(statuses) if side == "out")
    least = min(lattice.point(subset).error for subset in subsets_between(included, excluded, lattice.units))
    bounds = [sum(look_ahead(root, included, excluded, depth) for root in roots(lattice)) for depth in range(5)]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= least
    deepest = len(lattice.labels)
    for subset in list(powerset(lattice.units))[:8]:
        others = frozenset(lattice.units) - subset
        exact = sum(look_ahead(root, subset, others, deepest) for root in roots(lattice))
        assert exact == lattice.point(subset).error


@for_a_bound
@given(without_missing)
def test_b5_no_tree_errs_less_than_the_twins(searched: SearchProblem):
    """Nothing that the way to a place excludes tells its rows apart, and the more is excluded, the more of them err."""
    everything = frozenset(searched.lattice.units)
    for place, included, excluded in places(searched):
        bound = twin_errors(place, excluded)
        assert bound <= twin_errors(place, everything) <= place.leaf_error
        for subset in subsets_between(included, excluded, searched.lattice.units):
            assert bound <= place.error(subset)
            assert twin_errors(place, everything - subset) <= place.error(subset)


@for_a_bound
@given(with_missing, st.randoms(use_true_random=False))
def test_b5_twins_err_also_where_values_are_missing(searched: SearchProblem, random: Random):
    """Rows with equal values, missing or not, get the same shares of the same leaves."""
    lattice = searched.lattice
    excluded = frozenset(unit for unit in lattice.units if random.random() < 0.4)
    bound = sum(twin_errors(root, excluded) for root in roots(lattice))
    for subset in subsets_between(NOTHING, excluded, lattice.units):
        assert bound <= lattice.point(subset).error


@for_a_bound
@given(with_missing)
def test_the_lower_bound_of_the_paper_holds_for_all_trees_that_differ_at_the_oracles(searched: SearchProblem):
    """Formula (4): lberr(R, kept) ≤ err(DT(V)) for every V that holds R and what is kept; missing values and all."""
    lattice = searched.lattice
    everything = frozenset(lattice.units)
    trees = lattice.trees(everything)
    used = lattice.point(everything).used
    for removed in powerset(used):
        bound = error_lower_bound(lattice, trees, removed)
        for freed in powerset(removed | (everything - used)):
            assert bound <= lattice.point(everything - freed).error


@for_a_bound
@given(with_missing)
def test_the_shares_of_a_row_sum_to_one(searched: SearchProblem):
    lattice = searched.lattice
    for tree in lattice.trees(lattice.units):
        for row in lattice.rows:
            shares = [share for _, share in reached_leaves_and_oracles(lattice, tree, row, frozenset([0]))]
            assert sum(shares) == 1


@for_a_bound
@given(with_missing, st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0]))
def test_theorem_11_the_algorithm_as_written_finds_an_acceptable_subset(searched: SearchProblem, gap: float):
    """Ruggieri 2019, for any order of removal; here in plain Python."""
    lattice = searched.lattice
    fixed = searched.fixed(gap)
    for order in (frontier_order(lattice), reverse_of(frontier_order(lattice)), ascending):
        search = AcceptableSubset(lattice, fixed, order)
        search.visit(NOTHING, frozenset(lattice.units))
        assert search.features in lattice.acceptable(Terms(), fixed)
        assert lattice.point(search.features).error == search.error


def check_history(searched: SearchProblem, result: _core.SearchResult) -> None:
    """At any time the truth lay between the bound and the incumbent, and both only improved."""
    best = searched.weight(searched.lattice.best(searched.terms).objective)
    seconds = [entry[0] for entry in result.history]
    assert seconds == sorted(seconds)
    incumbents = [entry[1] for entry in result.history]
    bounds = [entry[2] for entry in result.history]
    assert incumbents == sorted(incumbents, reverse=True)
    assert bounds == sorted(bounds)
    for _, objective, bound, units in result.history:
        assert bound <= best <= objective
        point = searched.lattice.point(frozenset(units))
        answer = searched.lattice.answer(point, searched.terms)
        assert objective == searched.weight(answer.objective)
        assert searched.max_features is None or answer.size <= searched.max_features
    if result.history:
        assert incumbents[-1] == result.objective
        assert bounds[-1] <= result.bound


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(300), ids=chunk_name)
def test_the_best_objective_always_lay_between_the_bound_and_the_incumbent(seeds: range):
    for seed in seeds:
        searched = search_of_seed(5_000_000 + seed, rich=True)
        with shown(searched, seed):
            for smallest in (True, False):
                result = _core.find_best_subset(searched.core(), searched.settings(smallest=smallest), _core.Budget())
                check_history(searched, result)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(300), ids=chunk_name)
def test_a_search_without_time_still_has_a_bound(seeds: range):
    for seed in seeds:
        searched = search_of_seed(6_000_000 + seed, rich=True)
        with shown(searched, seed):
            random = Random(seed)
            budget = _core.Budget()
            budget.set_time_limit(random.choice([0.0, 0.0, 1e-5, 1e-4, 1e-3]))
            settings = searched.settings(n_jobs=random.choice([1, 2]))
            result = _core.find_best_subset(searched.core(), settings, budget)
            assert result.status in ("time_limit", "optimal", "within_gap")
            best = searched.lattice.best(searched.terms)
            assert result.bound <= searched.weight(best.objective) <= result.objective
            answer = searched.lattice.answer(searched.lattice.point(frozenset(result.units)), searched.terms)
            assert result.error == searched.weight(answer.error)
            assert result.objective == searched.weight(answer.objective)
            check_history(searched, result)


@for_a_bound
@given(with_missing)
def test_counts_within_a_limit_are_those_of_the_acceptable_subsets(searched: SearchProblem):
    """Definition 10: the trees within δ of the best stand for all δ-acceptable subsets."""
    assume(searched.max_features is None)
    gap = searched.fixed(1.0)
    best = min(searched.lattice.subsets_per_error(searched.terms))
    counts, _ = _core.count_distinct_trees(
        searched.core(), searched.settings(), _core.Budget(), searched.weight(best + gap)
    )
    n_subsets = sum(n_trees * 2**n_free for (_, n_free), n_trees in counts.items())
    assert n_subsets == len(searched.lattice.acceptable(searched.terms, gap))

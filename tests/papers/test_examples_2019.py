"""Examples 1 to 9 of "Complete Search for Feature Selection in Decision Trees" (Ruggieri, JMLR 20, 2019).

Examples 1 to 4 and 9 speak of data with certain properties: here are such data. Examples 5 to 8 are about figures of
the Adult dataset; what they say of it is tested on a table that is small enough for brute force.
"""

from __future__ import annotations

from itertools import product
from math import comb
from random import Random

import pytest

from oracles.algorithms_2019 import (
    AcceptableSubset,
    DistinctTrees,
    ascending,
    descending,
    enumerate_subsets,
    error_lower_bound,
    frontier_order,
    frontier_size,
    reverse_of,
)
from oracles.c45 import Column, Node, Rules
from oracles.lattice import Fold, Lattice, Terms, described, powerset, used_features

NOTHING: frozenset[int] = frozenset()


def named(units: frozenset[int]) -> str:
    """Units as the paper writes them: {0, 2} is "13"."""
    return "".join(str(unit + 1) for unit in sorted(units))


def lattice_of(columns: list[Column], labels: list[int], rules: Rules, n_building: int | None = None) -> Lattice:
    """Trees grown on the first rows; their errors count on the others, or on all."""
    rows = tuple(range(len(labels)))
    fold = Fold(rows, rows) if n_building is None else Fold(rows[:n_building], rows[n_building:])
    return Lattice(columns, labels, max(labels) + 1, rules, None, [fold])


@pytest.fixture(scope="module")
def first() -> Lattice:
    """The data of Example 1: a₁ has no discriminatory power unless the data were split on a₃.

    Of the 8 samples of every cell, 4 + s₂ + 2 s₃ + s₁ s₃ are of class 1, where s is 1 or −1 as a is 1 or 0.
    """
    cells = []
    for values in product([0, 1], repeat=3):
        s1, s2, s3 = (2 * value - 1 for value in values)
        n_ones = 4 + s2 + 2 * s3 + s1 * s3
        cells += [(*values, int(sample < n_ones)) for sample in range(8)]
    *columns, labels = (list(column) for column in zip(*cells, strict=True))
    return lattice_of([Column(column, 2) for column in columns], labels, Rules(growth="literal"))


@pytest.fixture(scope="module")
def third() -> Lattice:
    """The data of Examples 3, 4 and 9. The tree of Figure 3(a):

    a₁ ≤ 1: a₂ = 1: class 0        a₁ > 1: a₃ = 1: class 2
            a₂ = 0: a₁ ≤ 0: 1               a₃ = 0: a₄ = 0: 3
                    a₁ > 0: 0                       a₄ = 1: 2

    On the search set it errs once below a₂, once below a₄, and never where a₃ = 1.
    """
    building = [
        *[(0.0, 0, 0, 0, 1)] * 3,
        *[(1.0, 0, 0, 0, 0)] * 1,
        *[(0.0, 1, 0, 0, 0)] * 2,
        *[(1.0, 1, 0, 0, 0)] * 2,
        *[(2.0, 0, 0, 0, 3)] * 3,
        *[(2.0, 0, 0, 1, 2)] * 1,
        *[(2.0, 0, 1, 0, 2)] * 2,
        *[(2.0, 0, 1, 1, 2)] * 2,
    ]
    search = [(0.0, 1, 0, 0, 1), (0.0, 0, 0, 0, 1), (2.0, 0, 0, 1, 3), (2.0, 0, 1, 0, 2)]
    *columns, labels = (list(column) for column in zip(*building, *search, strict=True))
    typed = [Column(columns[0]), *(Column(column, 2) for column in columns[1:])]
    return lattice_of(typed, labels, Rules(growth="literal"), n_building=len(building))


ALL_FOUR = frozenset(range(4))


def noisy_table(min_samples: int) -> Lattice:
    """A table like Adult's: continuous and nominal features, all of them a little informative, and noise."""
    random = Random(2019)
    rows = [[random.randint(0, 7) for _ in range(6)] for _ in range(120)]
    labels = [int(sum(row[:4]) + random.randint(-8, 8) > 14) for row in rows]
    columns = [
        Column([row[place] % 4 for row in rows], 4) if place % 2 else Column([float(row[place]) for row in rows])
        for place in range(6)
    ]
    return lattice_of(columns, labels, Rules(growth="literal", min_samples=min_samples))


def test_lemma_1_and_figure_1_reverse_counting():
    found = [named(subset) for subset in enumerate_subsets(NOTHING, [2, 1, 0])]
    assert found == ["123", "12", "13", "1", "23", "2", "3", ""]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_remark_3_any_order_enumerates_all_subsets(order: list[int]):
    found = list(enumerate_subsets(frozenset([7]), order))
    assert len(found) == len(set(found)) == 16
    assert set(found) == {subset | {7} for subset in powerset(range(4))}


def test_example_1_what_is_assumed_of_the_data(first: Lattice):
    for subset in powerset([0, 1]):
        assert first.point(subset).trees == first.point(subset - {0}).trees
    assert first.point(frozenset([0, 2])).used == {0, 2}
    assert first.point(frozenset([0, 1, 2])).used == {0, 1, 2}


def test_example_1_duplicates_are_built_and_not_reported(first: Lattice):
    """Figure 2 (left): a₃, a₂, a₁ are removed in this order; 8 trees are built, 6 reported."""
    search = DistinctTrees(first, descending)
    search.visit(NOTHING, frozenset(range(3)))
    assert [named(subset) for subset in search.built] == ["123", "12", "13", "1", "23", "2", "3", ""]
    assert [named(point.subset) for point in search.reported] == ["123", "13", "23", "2", "3", ""]


def test_example_2_another_order_builds_no_duplicate(first: Lattice):
    """Figure 2 (right): a₁, a₂, a₃; DT(a₁ a₂) = DT(a₂) and DT(a₁) = DT(∅) are built once."""
    search = DistinctTrees(first, ascending)
    search.visit(NOTHING, frozenset(range(3)))
    assert [named(subset) for subset in search.built] == ["123", "23", "13", "3", "12", "1"]
    assert search.built == [point.subset for point in search.reported]
    assert len(first.tree_classes(Terms())) == 6


def test_example_3_the_tree(third: Lattice):
    (tree,) = third.trees(ALL_FOUR)

    def shape(node: Node) -> object:
        if node.split is None:
            return f"class {node.label}"
        return {f"a{node.split.feature + 1}": [shape(branch) for branch in node.branches]}

    left = {"a2": [{"a1": ["class 1", "class 0"]}, "class 0"]}
    right = {"a3": [{"a4": ["class 3", "class 2"]}, "class 2"]}
    assert shape(tree) == {"a1": [left, right]}


def test_example_3_the_feature_of_the_root_is_always_used(third: Lattice):
    for point in third.points:
        assert 0 not in point.subset or 0 in point.used
        assert not point.subset >= {0, 1} or 1 in point.used
        assert not point.subset >= {0, 2} or 2 in point.used


def test_example_4_the_order_of_removal(third: Lattice):
    """In the third step the paper writes {a₁, a₂} where {a₁, a₃} is meant."""
    trees = third.trees(ALL_FOUR)

    def sizes(required: set[int]) -> dict[str, int]:
        rest = sorted(ALL_FOUR - required)
        return {f"a{unit + 1}": frontier_size(third, trees, frozenset(required), unit) for unit in rest}

    assert sizes(set()) == {"a1": 4, "a2": 0, "a3": 0, "a4": 0}
    assert sizes({0}) == {"a2": 1, "a3": 2, "a4": 0}
    assert sizes({0, 2}) == {"a2": 1, "a4": 1}
    assert frontier_order(third)(trees, NOTHING, ALL_FOUR) == [3, 1, 2, 0]


def test_example_5_fewer_samples_a_leaf_more_distinct_trees():
    """For low m the numbers of distinct trees by size approach the binomials, and their sum 2^N."""
    n_distinct = {m: len(noisy_table(m).tree_classes(Terms())) for m in (1, 2, 8, 32, 200)}
    assert list(n_distinct.values()) == sorted(n_distinct.values(), reverse=True)
    assert n_distinct[1] == 2**6
    assert n_distinct[200] == 1
    sizes = [found.size for found in noisy_table(1).tree_classes(Terms())]
    assert [sizes.count(size) for size in range(7)] == [comb(6, size) for size in range(7)]


def test_example_6_the_frontier_order_builds_almost_no_duplicate():
    """Figure 4(b): trees built by distinct tree, for rk_frontier, its reverse, and a fixed order."""
    n_built = dict.fromkeys(["frontier", "fixed", "reverse"], 0)
    n_distinct = 0
    for m in (4, 8, 16, 32, 64):
        lattice = noisy_table(m)
        n_distinct += len(lattice.tree_classes(Terms()))
        frontier = frontier_order(lattice)
        for name, order in {"frontier": frontier, "fixed": ascending, "reverse": reverse_of(frontier)}.items():
            search = DistinctTrees(lattice, order)
            search.visit(NOTHING, frozenset(lattice.units))
            assert len(search.reported) == len({point.trees for point in search.reported})
            n_built[name] += len(search.built)
    assert n_built["frontier"] <= 1.02 * n_distinct
    assert n_built["frontier"] < min(n_built["fixed"], n_built["reverse"])


def test_example_7_only_subtrees_that_split_on_the_removed_feature_change():
    """Property 3: so a tree can be made of its father's, and only those subtrees are grown again."""
    lattice = noisy_table(8)
    everything = frozenset(lattice.units)
    (father,) = lattice.trees(everything)
    for removed in sorted(used_features(father)):
        (child,) = lattice.trees(everything - {removed})
        waiting = [(father, child)]
        n_same = 0
        while waiting:
            before, after = waiting.pop()
            if before.split is not None and before.split.feature == removed:
                continue
            assert before.split == after.split
            assert before.label == after.label
            n_same += before.split is not None
            waiting.extend(zip(before.branches, after.branches, strict=True))
        assert removed not in used_features(child)
        root = father.split
        assert root is not None
        assert (n_same == 0) == (root.feature == removed)


def test_example_8_no_more_trees_than_the_exhaustive_search():
    """Figure 5(b): the fewer distinct trees there are, the more is saved."""
    for m in (1, 8, 32, 200):
        lattice = noisy_table(m)
        search = DistinctTrees(lattice, frontier_order(lattice))
        search.visit(NOTHING, frozenset(lattice.units))
        assert len(search.built) <= len(lattice.points)
    assert len(search.built) == 1


def test_example_9_which_features_are_worth_branching_on(third: Lattice):
    """With e_acc = 1: a₄ is left aside, a₂ is not, a₃ is, a₁ is not (lberr is 0 without any)."""
    trees = third.trees(ALL_FOUR)
    assert third.point(ALL_FOUR).error == 2 * third.one
    bounds = [error_lower_bound(third, trees, frozenset(removed)) for removed in ([3], [3, 1], [3, 2], [3, 2, 0])]
    assert bounds == [1 * third.one, 0, 1 * third.one, 0]
    search = AcceptableSubset(third, gap=0, order=frontier_order(third), error=third.one)
    assert search.worth_branching(trees, NOTHING, ALL_FOUR) == {0, 1}


def test_example_9_a_gap_prunes_more(third: Lattice):
    search = AcceptableSubset(third, gap=third.one, order=frontier_order(third), error=third.one)
    assert search.worth_branching(third.trees(ALL_FOUR), NOTHING, ALL_FOUR) == NOTHING


def test_the_trees_of_the_examples_are_described_uniquely(first: Lattice):
    (whole,) = first.trees([0, 1, 2])
    (again,) = first.trees([0, 1, 2])
    (other,) = first.trees([1, 2])
    assert described(whole) == described(again) != described(other)

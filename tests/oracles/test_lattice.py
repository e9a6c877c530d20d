"""The brute-force oracle against a lattice that can be seen at a glance, and against the grower it is made of."""

from __future__ import annotations

from collections import Counter

from oracles.c45 import Column, Rules
from oracles.lattice import Answer, Fold, Lattice, Terms, TreeClass, described, powerset, predicted_label
from oracles.test_oracle import HUMIDITY, OUTLOOK, PLAYS, TEMPERATURE, WINDY, golf

# Feature 0 tells the class of all 8 rows, 1 that of 6 of them, 2 nothing; trees are grown on the rows that they err on.
TELLS = [0, 0, 0, 0, 1, 1, 1, 1]
NEARLY = [0, 0, 0, 1, 0, 1, 1, 1]
NOTHING = [0, 1, 0, 1, 0, 1, 0, 1]
LABELS = [0, 0, 0, 0, 1, 1, 1, 1]
ROWS = tuple(range(8))


def lattice_of(unit_of: list[int] | None = None, weights: list[float] | None = None) -> Lattice:
    columns = [Column(values, 2) for values in (TELLS, NEARLY, NOTHING)]
    return Lattice(columns, LABELS, 2, Rules(min_samples=3), weights, [Fold(ROWS, ROWS)], unit_of)


def test_the_powerset_begins_with_the_smallest():
    assert [sorted(subset) for subset in powerset([5, 3])] == [[], [5], [3], [3, 5]]


def test_the_errors_and_used_features_of_all_subsets():
    lattice = lattice_of()
    found = {tuple(sorted(point.subset)): (point.error // lattice.one, set(point.used)) for point in lattice.points}
    with_first = dict.fromkeys([(0,), (0, 1), (0, 2), (0, 1, 2)], (0, {0}))
    assert found == {**with_first, (1,): (2, {1}), (1, 2): (2, {1}), (): (4, set()), (2,): (4, set())}


def test_the_best_subset_and_its_terms():
    lattice = lattice_of()
    one = lattice.one
    assert lattice.best(Terms()) == Answer(0, 1, (0,), (0,), 0)
    assert lattice.best(Terms(keep=frozenset([2]))) == Answer(0, 2, (0, 2), (0, 2), 0)
    assert lattice.best(Terms(max_features=0)) == Answer(4 * one, 0, (), (), 4 * one)
    assert lattice.best(Terms(penalty=3 * one)) == Answer(3 * one, 1, (0,), (0,), 0)
    assert lattice.best(Terms(penalty=5 * one)) == Answer(4 * one, 0, (), (), 4 * one)


def test_units_stay_or_go_together():
    lattice = lattice_of([1, 0, 1])
    one = lattice.one
    assert lattice.best(Terms()) == Answer(0, 2, (0, 2), (1,), 0)
    assert lattice.best(Terms(max_features=1)) == Answer(2 * one, 1, (1,), (0,), 2 * one)


def test_the_distinct_trees_and_how_many_subsets_have_them():
    lattice = lattice_of()
    one = lattice.one
    nothing, second, first = TreeClass((), 4 * one, 0, 2), TreeClass((1,), 2 * one, 1, 2), TreeClass((0,), 0, 1, 4)
    assert set(lattice.tree_classes(Terms())) == {nothing, second, first}
    assert set(lattice.tree_classes(Terms(), limit=2 * one)) == {second, first}
    assert lattice.tree_classes(Terms(max_features=0)) == [nothing]
    assert lattice.subsets_per_error(Terms()) == Counter({0: 4, 2 * one: 2, 4 * one: 2})
    assert len(lattice.acceptable(Terms(), gap=2 * one)) == 6


def test_the_pareto_front_and_the_costs_of_features():
    lattice = lattice_of()
    one = lattice.one
    assert [(answer.size, answer.error) for answer in lattice.pareto_front(Terms())] == [(0, 4 * one), (1, 0)]
    assert lattice.feature_costs(Terms()) == [(0, 2 * one), (0, 0), (0, 0)]
    assert lattice.feature_costs(Terms(max_features=1)) == [(0, 2 * one), (2 * one, 0), (4 * one, 0)]
    assert lattice.feature_costs(Terms(frozenset([1]))) == [(0, 2 * one), (0, None), (0, 0)]


def test_errors_are_weights_and_add_up_over_folds():
    weights = [1.0, 1.0, 1.0, 2.5, 0.5, 1.0, 1.0, 0.0]
    columns = [Column(NEARLY, 2)]
    folds = [Fold(ROWS, ROWS), Fold((0, 1, 2, 5, 6, 6), (3, 4, 4))]
    lattice = Lattice(columns, LABELS, 2, Rules(min_samples=2, growth="literal"), weights, folds)
    # In the first fold rows 3 and 4 are on the wrong side, but row 3 is the heaviest of its side.
    assert lattice.point(frozenset([0])).error / lattice.one == (1.0 + 1.0 + 0.5) + (2.5 + 0.5 + 0.5)
    assert lattice.point(frozenset([0])).used == {0}


def test_a_fold_grows_what_the_grower_grows_on_all_rows():
    rows = tuple(range(len(PLAYS)))
    columns = [
        Column(OUTLOOK, 3),
        Column([float(value) for value in TEMPERATURE]),
        Column([float(value) for value in HUMIDITY]),
        Column(WINDY, 2),
    ]
    lattice = Lattice(columns, PLAYS, 2, Rules(), None, [Fold(rows, rows)])
    (tree,) = lattice.trees(range(4))
    assert described(tree) == described(golf(Rules()).grow())
    assert lattice.point(frozenset(range(4))).used == {0, 2, 3}
    assert [predicted_label(tree, row, lattice.one) for row in lattice.rows] == PLAYS


def test_a_threshold_is_a_value_of_the_building_set():
    """Rows that only the search set has do not change C4.5's thresholds."""
    column = Column([0.0, 9.0, 4.0, 0.0, 9.0])
    lattice = Lattice([column], [0, 1, 1, 0, 1], 2, Rules(growth="literal"), None, [Fold((0, 1, 3, 4), (2,))])
    (tree,) = lattice.trees([0])
    assert tree.split is not None
    assert tree.split.threshold == 0.0
    assert lattice.point(frozenset([0])).error == 0

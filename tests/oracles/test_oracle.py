"""The oracle against examples that were computed by hand, most of them from Quinlan's book (C4.5, 1993)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from oracles.c45 import Column, Grower, Node, Rules, parts, round_half_away
from oracles.prediction import class_probabilities, predicted_class
from oracles.pruning import Pruner, deviation, extra_errors

# Quinlan 1993, Table 2.1: outlook (sunny, overcast, rain), temperature, humidity, windy; class 0 is "Play".
SUNNY, OVERCAST, RAIN = range(3)
OUTLOOK = [SUNNY] * 5 + [OVERCAST] * 4 + [RAIN] * 5
TEMPERATURE = [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70]
HUMIDITY = [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96]
WINDY = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0]
PLAYS = [0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]


def golf(rules: Rules, outlook: list[int | None] | None = None) -> Grower:
    columns = [
        Column(OUTLOOK if outlook is None else outlook, 3),
        Column([float(value) for value in TEMPERATURE]),
        Column([float(value) for value in HUMIDITY]),
        Column(WINDY, 2),
    ]
    return Grower(columns, PLAYS, 2, rules)


def root_of(grower: Grower) -> Node:
    return Node(grower.samples, grower.class_weights(grower.samples), 0)


def without_sixth_outlook() -> list[int | None]:
    """Chapter 3: the sixth sample's outlook (overcast) is not known."""
    return [*OUTLOOK[:5], None, *OUTLOOK[6:]]


def leaf_weights(node: Node, one: int) -> list[tuple[float, float]]:
    """The (weight, errors) of the leaves, as C4.5 prints them."""
    if node.split is None:
        return [(round(node.weight / one, 1), round((node.weight - max(node.class_weights)) / one, 1))]
    return [pair for child in node.children for pair in leaf_weights(child, one)]


def test_rounding_is_half_away_from_zero():
    numbers = [0.5, 1.5, -0.5, -2.5, 0.49999999999999994, -1.2, 2.0]
    assert [round_half_away(number) for number in numbers] == [1, 2, -1, -3, 0, -1, 2]


def test_parts_of_a_weight_are_rounded_to_the_nearest():
    assert parts(10, [1, 0, 2]) == [3, 0, 7]
    assert parts(1, [1, 1]) == [1, 1]
    assert parts(1, [1, 3]) == [0, 1]


def test_the_gains_of_the_golf_data():
    grower = golf(Rules(min_samples=1, growth="literal"))
    gains = {split.feature: split.gain / grower.one / 14 for split in grower.rank(root_of(grower))}
    assert next(iter(gains)) == 0
    assert gains[0] == pytest.approx(0.246, abs=1e-3)
    assert gains[3] == pytest.approx(0.048, abs=1e-3)


def test_the_gain_ratios_of_the_golf_data():
    grower = golf(Rules(criterion="gain_ratio"))
    ratios = {split.feature: split.quality for split in grower.rank(root_of(grower))}
    assert ratios[0] == pytest.approx(0.156, abs=1e-3)
    assert ratios[3] == pytest.approx(0.049, abs=1e-3)


def test_the_correction_charges_for_the_cuts_tried():
    """Humidity ≤ 80 gains 14 × 0.102 = 1.43; six of its cuts leave 2 on both sides, and log2(6) = 2.58."""
    literal = golf(Rules(growth="literal"))
    found = next(split for split in literal.rank(root_of(literal)) if split.feature == 2)
    assert found.threshold == 80
    assert found.gain / literal.one / 14 == pytest.approx(0.102, abs=1e-3)
    corrected = golf(Rules())
    assert 2 not in [split.feature for split in corrected.rank(root_of(corrected))]


def test_the_gini_decrease_of_the_golf_data():
    grower = golf(Rules(criterion="gini"))
    decrease = {split.feature: split.gain / grower.one / 14 for split in grower.rank(root_of(grower))}
    before = 1 - (9**2 + 5**2) / 14**2
    after = (5 * (1 - (2**2 + 3**2) / 5**2) + 5 * (1 - (3**2 + 2**2) / 5**2)) / 14
    assert decrease[0] == pytest.approx(before - after)


@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio", "gini"])
def test_the_golf_tree(criterion: str):
    """Quinlan 1993, Figure 2.2: outlook; humidity ≤ 75 where sunny; windy where it rains."""
    root = golf(Rules(criterion=criterion)).grow()
    assert root.split is not None
    assert root.split.feature == 0
    sunny, overcast, rain = root.branches
    assert sunny.split is not None
    assert rain.split is not None
    assert (sunny.split.feature, sunny.split.threshold) == (2, 75)
    assert overcast.split is None
    assert rain.split.feature == 3
    assert [child.label for child in sunny.branches] == [0, 1]
    assert [child.label for child in rain.branches] == [0, 1]


def test_the_threshold_may_be_the_midpoint():
    root = golf(Rules(threshold="midpoint")).grow()
    split = root.branches[SUNNY].split
    assert split is not None
    assert split.threshold == 77.5


def test_the_gain_with_a_missing_value():
    """Quinlan 1993, Section 3.2: gain 13/14 × (0.961 − 0.747) = 0.199; split information 1.809."""
    grower = golf(Rules(criterion="gain_ratio"), without_sixth_outlook())
    outlook = next(split for split in grower.rank(root_of(grower)) if split.feature == 0)
    gain = outlook.gain / grower.one / 14
    assert gain == pytest.approx(0.199, abs=5e-4)
    assert gain / outlook.quality == pytest.approx(1.809, abs=5e-4)
    assert outlook.quality == pytest.approx(0.110, abs=5e-4)


def test_the_tree_with_a_missing_value():
    """Quinlan 1993, Section 3.3: the sample goes down with 5/13, 3/13 and 5/13; leaves as in Figure 3.1."""
    grower = golf(Rules(criterion="gain_ratio"), without_sixth_outlook())
    root = grower.grow()
    assert leaf_weights(root, grower.one) == [(2.0, 0), (3.4, 0.4), (3.2, 0), (3.0, 0), (2.4, 0.4)]
    sunny = root.branches[SUNNY]
    assert sunny.weight == 5 * grower.one + parts(grower.one, [5, 3, 5])[0]


def test_a_missing_value_follows_all_branches():
    """Quinlan 1993, Section 3.3: sunny, humidity missing: 2.0/5.4 for Play and 3.4/5.4 for (3.0 : 0.4)."""
    grower = golf(Rules(criterion="gain_ratio"), without_sixth_outlook())
    play, stay = class_probabilities(grower.grow(), [SUNNY, 70.0, None, 0])
    assert play == pytest.approx(0.44, abs=5e-3)
    assert stay == pytest.approx(0.56, abs=5e-3)


def test_empty_categories_share_one_leaf_with_the_label_of_the_parent():
    column = Column([1, 1, 1, 3, 3, 3, 3], 5)
    root = Grower([column], [0, 0, 0, 1, 1, 1, 1], 2, Rules()).grow()
    empty = root.branches[0]
    assert root.branches[2] is empty
    assert root.branches[4] is empty
    assert (empty.weight, empty.label) == (0, 1)
    assert len(root.children) == 3
    assert class_probabilities(root, [2]) == [0.0, 1.0]
    assert class_probabilities(root, [None]) == pytest.approx([3 / 7, 4 / 7])


def test_ties_between_features_go_to_the_lowest_index_and_between_cuts_to_the_lowest_cut():
    values = [0.0, 1.0, 2.0, 3.0]
    grower = Grower([Column(values), Column(values)], [0, 1, 1, 0], 2, Rules(growth="literal", min_samples=1))
    ranking = grower.rank(root_of(grower))
    assert [(split.feature, split.threshold) for split in ranking] == [(0, 0.0), (1, 0.0)]


def test_the_midpoint_never_rounds_to_the_upper_value():
    lower = 1.0 + 2**-52
    upper = 1.0 + 2**-51
    assert (lower + upper) / 2 == upper
    grower = Grower([Column([lower, upper])], [0, 1], 2, Rules(growth="literal", threshold="midpoint"))
    assert grower.threshold(0, lower, upper) == lower
    assert grower.threshold(0, 1.5e308, 1.7e308) == pytest.approx(1.6e308)


def test_c45_takes_the_greatest_training_value_that_is_not_above_the_midpoint():
    values = [0.0, 4.0, 9.0, 5.0]
    grower = Grower([Column(values)], [0, 0, 1, 1], 2, Rules(), weights=[1, 1, 1, 0])
    assert grower.threshold(0, 0.0, 9.0) == 4.0
    assert grower.threshold(0, 4.0, 9.0) == 4.0


def test_the_smallest_side_is_a_tenth_of_the_mean_class_weight():
    grower = golf(Rules())
    assert grower.smallest_side(30 * grower.one) == 2
    assert grower.smallest_side(100 * grower.one) == pytest.approx(5)
    assert grower.smallest_side(1000 * grower.one) == 25
    assert golf(Rules(min_samples=30)).smallest_side(1000 * grower.one) == 25


def test_weights_of_zero_are_as_if_absent_and_heavy_ones_lose_bits():
    grower = Grower([Column([1.0, 2.0])], [0, 1], 2, Rules(), weights=[0.0, 2.0**26])
    assert grower.bits == 30
    assert grower.samples == [(1, 2**56)]


@pytest.mark.parametrize(
    ("n_samples", "n_errors", "limit"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)]
)
def test_the_upper_limits_of_the_book(n_samples: int, n_errors: int, limit: float):
    """Quinlan 1993, Section 4.2, with C4.5's own approximation."""
    estimate = n_errors + extra_errors(n_samples, n_errors, 0.25)
    assert estimate / n_samples == pytest.approx(limit, abs=5e-4)


def test_extra_errors_where_the_formula_changes():
    assert extra_errors(10, 0.5, 0.25) == pytest.approx((extra_errors(10, 0, 0.25) + extra_errors(10, 1, 0.25)) / 2)
    assert extra_errors(3, 2.5, 0.25) == pytest.approx(0.67 * 0.5)
    assert deviation(0.25) == pytest.approx(0.6925)
    assert deviation(0.2) == pytest.approx(0.84)
    assert deviation(1.0) == 0.0


def test_the_pruning_example_of_the_book():
    """Quinlan 1993, Section 4.2: pure branches of 6, 9 and 1 samples cost 3.273, a leaf (16/1) 2.512."""
    column = Column([0] * 6 + [1] * 9 + [2], 3)
    grower = Grower([column], [0] * 15 + [1], 2, Rules(growth="literal", min_samples=1))
    tree = grower.grow()
    pruner = Pruner(grower)
    assert pruner.estimate(tree, tree.samples) == pytest.approx(3.273, abs=5e-3)
    assert pruner.leaf_estimate(tree.samples) == pytest.approx(2.512, abs=1e-2)
    pruned = pruner.prune(tree)
    assert pruned.split is None
    assert (pruned.label, pruned.weight) == (0, 16 * grower.one)


def test_a_largest_branch_is_raised_and_given_all_samples():
    """A first test that separates one odd sample goes; the test below it, which is right for all, stays."""
    odd = Column([1.0] * 20 + [2.0] * 2)
    good = Column([1.0] * 10 + [2.0] * 10 + [1.0, 2.0])
    labels = [0] * 10 + [1] * 10 + [0, 1]
    grower = Grower([odd, good], labels, 2, Rules(growth="literal", min_samples=1))
    below = grower.grow_node(grower.samples[:20], depth=1)
    above = grower.grow_node(grower.samples[20:], depth=1)
    assert below.split is not None
    cut = replace(below.split, feature=0, threshold=1.0)
    tree = Node(grower.samples, grower.class_weights(grower.samples), 0, cut, [below, above])
    pruned = Pruner(grower).prune(tree)
    assert pruned.split == below.split
    assert [child.weight // grower.one for child in pruned.branches] == [11, 11]


def test_an_empty_category_that_receives_samples_leaves_the_shared_leaf():
    """The continuous test goes; the nominal test below it is raised, and category 0 was empty there."""
    odd = Column([1.0, 0.0, 0.0])
    good = Column([0, 3, 1], 5)
    grower = Grower([odd, good], [0, 2, 1], 3, Rules("gain_ratio", "literal", min_samples=1))
    tree = grower.grow()
    assert tree.split is not None
    assert tree.split.feature == 0
    below = tree.branches[0]
    assert below.branches[0] is below.branches[2] is below.branches[4]
    pruned = Pruner(grower).prune(tree)
    assert pruned.split == below.split
    assert [branch.label for branch in pruned.branches] == [0, 1, 1, 2, 1]
    assert [branch.weight // grower.one for branch in pruned.branches] == [1, 1, 0, 1, 0]
    assert pruned.branches[2] is pruned.branches[4]


def test_predictions_go_to_the_lowest_class_on_ties():
    assert predicted_class([0.25, 0.375, 0.375]) == 1
    assert math.isclose(sum(class_probabilities(golf(Rules()).grow(), [None, None, None, None])), 1.0)

"""The tree as rules: one per leaf, exclusive and complete."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from palmette.tree.model import Condition, Feature
from palmette.tree.rules import Rule, tree_to_rules
from tree.examples import all_examples, breast_cancer, by_hand, chain, hostile, iris, labor, leaf_only, months


def test_conditions_on_one_feature_become_an_interval():
    assert [str(rule) for rule in tree_to_rules(iris())] == [
        "if petal_width <= 0.8 then setosa (50 of 50)",
        "if 0.8 < petal_width <= 1.65 and petal_length <= 4.95 then versicolor (47 of 47)",
        "if 1.65 < petal_width <= 1.75 and petal_length <= 4.95 then virginica (1 of 1)",
        "if 0.8 < petal_width <= 1.75 and petal_length > 4.95 then virginica (4 of 6)",
        "if petal_width > 1.75 then virginica (45 of 46)",
    ]


def test_nominal_conditions():
    texts = [str(rule) for rule in tree_to_rules(months())]
    assert "if month of the first visit = May and insured = False and dose = 4 then moderate (9 of 9)" in texts
    assert texts[-1].endswith("in {April, July, August, September, November} then severe (no samples)")
    assert tree_to_rules(months())[-1].conditions[0].categories == (
        "April",
        "July",
        "August",
        "September",
        "November",
    )


def test_a_single_leaf_is_one_rule_without_conditions():
    (rule,) = tree_to_rules(leaf_only())
    assert rule == Rule((), "good", 57.0, 37 / 57)
    assert str(rule) == "always good (37 of 57)"


def test_one_rule_per_leaf_with_all_the_weight():
    for tree in all_examples():
        rules = tree_to_rules(tree)
        assert len(rules) == tree.n_leaves
        assert sum(rule.weight for rule in rules) == pytest.approx(tree.weight[0])
        assert all(0 <= rule.confidence <= 1 for rule in rules)
        assert all(str(rule).isprintable() for rule in rules)


def test_every_sample_is_covered_by_exactly_the_rule_of_its_leaf():
    data = load_breast_cancer()
    tree = breast_cancer()
    rules = tree_to_rules(tree)
    covered = np.zeros(len(rules))
    for values, target in zip(data.data.astype(np.float32).tolist(), data.target, strict=True):
        sample = dict(zip(data.feature_names, values, strict=True))
        (rule,) = [place for place, rule in enumerate(rules) if rule.covers(sample)]
        covered[rule] += 1
        assert rules[rule].label == data.target_names[target]
    assert covered.tolist() == [rule.weight for rule in rules]


def test_the_order_of_coverage():
    rules = tree_to_rules(labor(), order="coverage")
    weights = [rule.weight for rule in rules]
    assert weights == sorted(weights, reverse=True)
    assert set(rules) == set(tree_to_rules(labor()))
    with pytest.raises(ValueError, match=r'`order` must be "tree" or "coverage", not "?\'?best'):
        tree_to_rules(labor(), order="best")


def test_impossible_paths_give_no_rule():
    features = [Feature("x"), Feature("c", ("a", "b"))]
    root = (
        "x",
        1.0,
        [("x", 2.0, [[1, 0], [0, 1]]), ("c", None, {"a": ("c", None, {"a": [1, 0], "b": [0, 1]})})],
    )
    assert [str(rule) for rule in tree_to_rules(by_hand(features, ["p", "q"], root))] == [
        "if x <= 1 then p (1 of 1)",
        "if x > 1 and c = a then p (1 of 1)",
        "if x > 1 and c = b then p (no samples)",
    ]


def test_rules_are_values():
    condition = Condition(0, "x", at_most=1.0)
    assert Rule((condition,), "a", 1.0, 1.0) == Rule((Condition(0, "x", at_most=1.0, digits=9),), "a", 1.0, 1.0)
    assert not Rule((condition,), "a", 1.0, 1.0).covers({})


def test_hostile_and_deep_trees():
    assert len(tree_to_rules(hostile())) == 5
    rules = tree_to_rules(chain(5000))
    assert str(rules[-2]) == "if 4998 < x <= 4999 then 0 (1 of 1)"

"""A tree as a list of rules, one per leaf, each readable as a sentence.

Repeated conditions on one feature are merged, so a rule is shorter than its path. The neighbour `model` holds
`Condition`; `text` shows the same tree as an outline.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from palmette.tree.model import Condition, Tree
from palmette.tree.wording import printable, threshold_digits, weight_text


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, the class is `label`.

    Parameters
    ----------
    conditions : tuple of Condition
        At most one per feature, in the order in which the tree asks.
    label : str, int, float or bool
        The class as the user had it.
    weight : float
        The weight of the training samples that the rule covers.
    confidence : float
        The share of that weight which has the label; 0 where the rule covers no training sample.

    Examples
    --------
    >>> str(Rule((Condition(0, "petal_length", at_most=2.45),), "setosa", 50.0, 1.0))
    'if petal_length <= 2.45 then setosa (50 of 50)'
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    weight: float
    confidence: float

    def covers(self, sample: dict[str, object]) -> bool:
        """Whether a sample, given as a mapping from feature name to value, satisfies every condition."""
        return all(condition.holds(sample.get(condition.name)) for condition in self.conditions)

    def __str__(self) -> str:
        evidence = f"{weight_text(self.confidence * self.weight)} of {weight_text(self.weight)}"
        outcome = f"{printable(self.label)} ({evidence if self.weight else 'no samples'})"
        if not self.conditions:
            return f"always {outcome}"
        return f"if {' and '.join(map(str, self.conditions))} then {outcome}"


def tree_to_rules(tree: Tree, order: Literal["tree", "coverage"] = "tree") -> list[Rule]:
    """The rules of the tree, one per leaf.

    A leaf that no sample can reach, because its conditions contradict each other, gives no rule. Every sample
    without missing values is covered by exactly one rule.

    Parameters
    ----------
    tree : Tree
    order : {"tree", "coverage"}
        As the leaves stand in the tree, or by the weight that the rules cover, largest first.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> from math import nan
    >>> from palmette.tree.model import Feature, Tree
    >>> tree = Tree(
    ...     features=(Feature("wage"),), classes=["bad", "good"],
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     branch_start=[0, 2, 2, 2], branches=[1, 2], label=[1, 0, 1], weight=[57, 22, 35],
    ...     class_weights=[[20, 37], [18, 4], [2, 33]], gain=[20.5, 0, 0],
    ... )
    >>> for rule in tree_to_rules(tree, order="coverage"):
    ...     print(rule)
    if wage > 2.5 then good (33 of 35)
    if wage <= 2.5 then bad (18 of 22)
    """
    if order not in ("tree", "coverage"):
        raise ValueError(f'`order` must be "tree" or "coverage", not {order!r}.')
    labels = tree.classes.tolist()
    digits = threshold_digits(tree)
    rules: list[Rule] = []
    # Conditions by feature, in the order of their first test on the path.
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, known = waiting.pop()
        if tree.feature[node] < 0:
            label, weight = int(tree.label[node]), float(tree.weight[node])
            right = tree.kept_class_weights.of_node(node)[label]
            confidence = right / weight if weight else 0.0
            rules.append(Rule(tuple(known.values()), labels[label], weight, confidence))
            continue
        for condition, child in reversed(tree.branches_of(node, digits)):
            merged = known[condition.feature] & condition if condition.feature in known else condition
            if merged.possible:
                waiting.append((child, {**known, condition.feature: merged}))
    if order == "coverage":
        rules.sort(key=lambda rule: -rule.weight)
    return rules

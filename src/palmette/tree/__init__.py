"""Trees as Python sees them: the frozen `Tree` and its renderings as text, rules, dot, drawing and JSON.

Nothing here needs the compiled core; the estimator that grows trees is `palmette.tree.classifier`.
"""

from __future__ import annotations

from palmette.tree.dot import tree_to_dot
from palmette.tree.model import Branch, Condition, Feature, Tree
from palmette.tree.plot import plot_tree
from palmette.tree.rules import Rule, tree_to_rules
from palmette.tree.serialization import read_json, tree_from_json, tree_to_json
from palmette.tree.text import tree_to_text

__all__ = [
    "Branch",
    "Condition",
    "Feature",
    "Rule",
    "Tree",
    "plot_tree",
    "read_json",
    "tree_from_json",
    "tree_to_dot",
    "tree_to_json",
    "tree_to_rules",
    "tree_to_text",
]

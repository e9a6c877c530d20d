"""Follows a row of values down a tree of c45.py; a missing or unseen value follows all branches.

A declared category that had no training sample at a node is not unseen: it has an empty leaf, which votes
for its label.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracles.c45 import Node, Value


def class_probabilities(node: Node, row: Sequence[Value]) -> list[float]:
    """The class distributions of the leaves that the row reaches, weighted by its share in each."""
    if node.split is None:
        if node.weight == 0:
            return [float(label == node.label) for label in range(len(node.class_weights))]
        return [weight / node.weight for weight in node.class_weights]

    value = row[node.split.feature]
    if value is not None:
        return class_probabilities(node.branches[node.split.branch_of(value)], row)

    total = sum(child.weight for child in node.children)
    probabilities = [0.0] * len(node.class_weights)
    for child in node.children:
        if child.weight > 0:
            share = child.weight / total
            for label, probability in enumerate(class_probabilities(child, row)):
                probabilities[label] += share * probability
    return probabilities


def predicted_class(probabilities: Sequence[float]) -> int:
    """The most probable class, the lowest index on ties."""
    return max(range(len(probabilities)), key=lambda label: probabilities[label])

"""Error-based pruning with subtree raising (C4.5 Release 8, `EstimateErrors`) of a tree of c45.py.

Where the written semantics leave a choice, this is ours:

- every category of a nominal split is a branch of its own, as in Release 8: an empty category that receives
  samples when its split is raised leaves the shared empty leaf and gets its own;
- a branch that is left without samples becomes an empty leaf, with the label that it had;
- the estimate of a raised branch is made with its children already pruned, and changes nothing by itself.
"""

from __future__ import annotations

import math
from itertools import pairwise

from oracles.c45 import Grower, Node, Sample, majority, parts

# C4.5's table of the normal distribution: confidence levels and their number of standard deviations.
LEVELS = [0.0, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.4, 1.0]
DEVIATIONS = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]
SLACK = 0.1


def extra_errors(n_samples: float, n_errors: float, confidence: float) -> float:
    """The errors to add to those seen, so that the sum is an upper limit at this confidence."""
    if n_errors < 0.9999:
        without_error = n_samples * (1 - math.exp(math.log(confidence) / n_samples))
        if n_errors < 1e-6:
            return without_error
        return without_error + n_errors * (extra_errors(n_samples, 1.0, confidence) - without_error)
    if n_errors + 0.5 >= n_samples:
        return 0.67 * (n_samples - n_errors)
    c = deviation(confidence) ** 2
    e = n_errors + 0.5
    limit = (e + c / 2 + math.sqrt(c * (e * (1 - e / n_samples) + c / 4))) / (n_samples + c)
    return n_samples * limit - n_errors


def deviation(confidence: float) -> float:
    """The standard deviations of a confidence level, linear between the entries of the table."""
    for (low, at_low), (high, at_high) in pairwise(zip(LEVELS, DEVIATIONS, strict=True)):
        if confidence <= high:
            return at_low + (at_high - at_low) * (confidence - low) / (high - low)
    raise ValueError(f"the confidence must be in (0, 1], got {confidence!r}")


class Pruner:
    """Prunes the tree of one grower."""

    def __init__(self, grower: Grower, confidence: float = 0.25) -> None:
        self.grower = grower
        self.confidence = confidence

    def prune(self, root: Node) -> Node:
        return self.pruned(root, root.samples)[0]

    def pruned(self, node: Node, samples: list[Sample]) -> tuple[Node, float]:
        """The node pruned for these samples (its own, or those of a node that it replaces); its estimate."""
        class_weights = self.grower.class_weights(samples)
        leaf = Node(samples, class_weights, majority(class_weights) if samples else node.label)
        leaf_estimate = self.leaf_estimate(samples)
        if node.split is None or not samples:
            return leaf, leaf_estimate

        subtree = Node(samples, class_weights, leaf.label, node.split)
        subtree_estimate = 0.0
        empty: dict[int, Node] = {}
        for child, part in zip(node.branches, self.divide(node, samples), strict=True):
            branch, estimate = self.pruned(child, part)
            subtree.branches.append(branch if part else empty.setdefault(id(child), branch))
            subtree_estimate += estimate

        largest = max(subtree.branches, key=lambda branch: branch.weight)
        raised_estimate = self.estimate(largest, samples)
        if leaf_estimate <= raised_estimate + SLACK and leaf_estimate <= subtree_estimate + SLACK:
            return leaf, leaf_estimate
        if raised_estimate <= subtree_estimate + SLACK:
            return self.pruned(largest, samples)
        return subtree, subtree_estimate

    def estimate(self, node: Node, samples: list[Sample]) -> float:
        """The estimated errors of a subtree on these samples, as it stands."""
        if node.split is None or not samples:
            return self.leaf_estimate(samples)
        parts_of_branches = zip(node.branches, self.divide(node, samples), strict=True)
        return sum(self.estimate(branch, part) for branch, part in parts_of_branches)

    def leaf_estimate(self, samples: list[Sample]) -> float:
        """The estimated errors of a leaf that holds these samples; none without samples."""
        if not samples:
            return 0.0
        class_weights = self.grower.class_weights(samples)
        n_samples = sum(class_weights) / self.grower.one
        n_errors = (sum(class_weights) - max(class_weights)) / self.grower.one
        return n_errors + extra_errors(n_samples, n_errors, self.confidence)

    def divide(self, node: Node, samples: list[Sample]) -> list[list[Sample]]:
        """The samples of every branch, as in growing; by the branches' weights if no value is known."""
        assert node.split is not None
        values = self.grower.columns[node.split.feature].values
        if any(values[row] is not None for row, _ in samples):
            return self.grower.distribute(samples, node.split)
        shares = [branch.weight for branch in node.branches]
        divided: list[list[Sample]] = [[] for _ in shares]
        for row, weight in samples:
            for branch, part in zip(divided, parts(weight, shares), strict=True):
                if part > 0:
                    branch.append((row, part))
        return divided

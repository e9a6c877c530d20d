"""Which part of a tree is drawn, and what each box says: for `plot` and for the page of a report.

Splits are opened in the order of their gain while there is room; what is left out becomes a stub.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from palmette.tree.model import Condition, Tree
from palmette.tree.wording import printable, shortened, threshold_digits

__all__ = ["Box", "Picker"]

# A nominal split shows this many branches; the lightest others are drawn as one.
MOST_BRANCHES = 16


@dataclass(slots=True)
class Box:
    """A node as it is drawn: a split, a leaf, or a stub that stands for one or more subtrees."""

    kind: Literal["split", "leaf", "stub"]
    depth: int
    label: int
    weight: float
    class_weights: list[float]
    title: str = ""
    branch: str = ""
    hidden: int = 0
    nodes: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Plan:
    """A node while the tree to draw is chosen: its tree nodes (several only for a stub) and its children."""

    nodes: list[int]
    depth: int
    branch: str
    children: list[_Plan] = field(default_factory=list)


class Picker:
    """Picks the part of a tree to draw."""

    def __init__(self, tree: Tree, max_depth: int | None) -> None:
        self.tree = tree
        self.deepest = tree.depth if max_depth is None else max_depth
        self.digits = threshold_digits(tree)
        self.sizes = tree.subtree_sizes

    def boxes(self, most_leaves: int) -> list[Box]:
        """The boxes to draw in preorder: splits are opened in the order of their gain while there is room."""
        tree = self.tree
        root = _Plan([0], 0, "")
        n_tips = 1
        # The order of arrival makes every entry different, so plans are never compared.
        arrival = 0
        waiting: list[tuple[float, int, int, _Plan]] = [(0.0, 0, arrival, root)]
        while waiting:
            _, _, _, plan = heapq.heappop(waiting)
            node = plan.nodes[0]
            if tree.feature[node] < 0 or plan.depth >= self.deepest:
                continue
            most = max(2, min(most_leaves, MOST_BRANCHES)) if plan is root else MOST_BRANCHES
            branches = _grouped(tree, node, self.digits, most)
            if n_tips - 1 + len(branches) > most_leaves:
                continue
            n_tips += len(branches) - 1
            for branch, nodes in branches:
                child = _Plan(nodes, plan.depth + 1, branch)
                plan.children.append(child)
                if len(nodes) == 1:
                    arrival += 1
                    heapq.heappush(waiting, (-float(tree.gain[nodes[0]]), child.depth, arrival, child))
        return _boxes(tree, root, self.sizes)


def _grouped(tree: Tree, node: int, digits: dict[int, int], most: int) -> list[tuple[str, list[int]]]:
    """The branches of a node as (text, nodes); the lightest are drawn as one where there are too many."""
    branches = tree.branches_of(node, digits)
    if len(branches) <= most:
        return [(_branch_text(condition), [child]) for condition, child in branches]
    by_weight = sorted(branches, key=lambda branch: -float(tree.weight[branch.child]))
    heavy = {branch.child for branch in by_weight[: most - 1]}
    shown = [(_branch_text(branch.condition), [branch.child]) for branch in branches if branch.child in heavy]
    others = [branch for branch in branches if branch.child not in heavy]
    n_values = sum(len(branch.condition.categories or ("",)) for branch in others)
    return [*shown, (f"{n_values} others", [branch.child for branch in others])]


def _branch_text(condition: Condition) -> str:
    if condition.categories is None:
        return condition.test.replace("<=", "≤")
    texts = [shortened(printable(item), 18) for item in condition.categories]
    if len(texts) == 1 or len(", ".join(texts)) <= 18:
        return ", ".join(texts)
    return f"{texts[0]}, +{len(texts) - 1}"


def _boxes(tree: Tree, root: _Plan, sizes: NDArray[np.int64]) -> list[Box]:
    labels = [printable(label) for label in tree.classes.tolist()]
    boxes: list[Box] = []
    waiting: list[tuple[_Plan, int]] = [(root, -1)]
    while waiting:
        plan, parent = waiting.pop()
        node = plan.nodes[0]
        class_weights = [
            sum(weights) for weights in zip(*map(tree.kept_class_weights.of_node, plan.nodes), strict=True)
        ]
        label = int(tree.label[node])
        if len(plan.nodes) > 1 and sum(class_weights) > 0:
            label = class_weights.index(max(class_weights))
        box = Box(
            "leaf",
            plan.depth,
            label,
            float(tree.weight[plan.nodes].sum()),
            class_weights,
            branch=plan.branch,
            nodes=plan.nodes,
        )
        if plan.children:
            box.kind = "split"
            box.title = printable(tree.features[int(tree.feature[node])].name)
        elif len(plan.nodes) > 1 or tree.feature[node] >= 0:
            box.kind = "stub"
            box.hidden = int(sizes[plan.nodes].sum()) - (len(plan.nodes) == 1)
        if box.kind != "split":
            box.title = labels[label]
        if parent >= 0:
            boxes[parent].children.append(len(boxes))
        waiting += [(child, len(boxes)) for child in reversed(plan.children)]
        boxes.append(box)
    return boxes

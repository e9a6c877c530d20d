"""A tree as SVG to move about in, and what the page tells of each node: its samples, its classes, its rule.

`tree/picking` chooses what is drawn and `tree/layout` where; here boxes are measured without a font, because the
reader's is not known. Colours are classes of the style sheet, so that the page can change them between light and dark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from palmette.report.blocks import TreeFigure
from palmette.report.svg import element, joined, rounded, text_width
from palmette.tree.layout import tidy_positions
from palmette.tree.model import Condition, Tree
from palmette.tree.palette import purity
from palmette.tree.picking import Box, Picker
from palmette.tree.wording import printable, shortened, threshold_digits, weight_text, wrapped

__all__ = ["MOST_LEAVES", "tree_figure"]

MOST_LEAVES = 300
"""Leaves and stubs that a page draws; the splits that gain least are left out first."""

TITLE, SMALL = 14.0, 11.5
LINE = 18.0
PAD = 10.0
MARGIN = 14.0
BAR = 6.0
WIDEST_DOWN = 1500.0
MOST_SHADES = 4
SHADED_CLASSES = 24
"""Classes with a colour of their own; `class_colors` begins again after these."""


def tree_figure(tree: Tree, caption: str) -> TreeFigure:
    """The drawing, its data and its legend."""
    boxes = Picker(tree, None).boxes(MOST_LEAVES)
    plan = _Plan(boxes, down=True)
    if plan.width > WIDEST_DOWN:
        plan = _Plan(boxes, down=False)
    labels = [printable(label) for label in tree.classes.tolist()]
    hidden = sum(box.hidden for box in boxes)
    if hidden:
        caption += f" {hidden:,} of its {tree.n_nodes:,} nodes are not drawn: a dashed box stands for a subtree."
    return TreeFigure(
        svg=_svg(plan, labels),
        data=_data(tree, boxes, labels),
        caption=caption,
        legend=tuple((color_of(place), label) for place, label in enumerate(labels[:SHADED_CLASSES])),
        height=plan.height,
    )


def color_of(label: int) -> int:
    """The number of the colour of a class."""
    return label % SHADED_CLASSES


# Measuring and placing


@dataclass(frozen=True, slots=True)
class _Text:
    """What a box says."""

    title: tuple[str, ...]
    note: str
    width: float
    height: float


class _Plan:
    """Boxes with their sizes and places in pixels; y grows downwards."""

    def __init__(self, boxes: list[Box], *, down: bool) -> None:
        self.boxes = boxes
        self.down = down
        self.texts = [self._text(box) for box in boxes]
        self.labels = [text_width(box.branch, SMALL) + 8 if box.branch else 0.0 for box in boxes]
        self._place()

    def _text(self, box: Box) -> _Text:
        weight = weight_text(box.weight)
        note = f"{weight} sample{'' if weight == '1' else 's'}"
        if box.kind == "stub":
            note += f" · +{box.hidden:,} node{'' if box.hidden == 1 else 's'}"
        bold = box.kind != "split"
        if self.down:
            title = tuple(wrapped(box.title).split("\n"))
            width = max(max(text_width(line, TITLE, bold=bold) for line in title), text_width(note, SMALL), 52.0)
            return _Text(title, note, width + 2 * PAD, LINE * len(title) + 16 + BAR + 2 * PAD - 2)
        title = (shortened(box.title, 34),)
        width = text_width(title[0], TITLE, bold=bold) + text_width(note, SMALL) + 14 + 34 + 10
        return _Text(title, note, width + 2 * PAD, 30.0)

    def _place(self) -> None:
        boxes = self.boxes
        if self.down:
            breadth = [max(text.width, label) for text, label in zip(self.texts, self.labels, strict=True)]
            extent = [text.height for text in self.texts]
        else:
            breadth = [text.height for text in self.texts]
            extent = [text.width for text in self.texts]
        n_levels = max(box.depth for box in boxes) + 1
        thick, widest_label = [0.0] * n_levels, [0.0] * n_levels
        for box, size, label in zip(boxes, extent, self.labels, strict=True):
            # To the right, a level is as wide as its splits; longer leaves reach into later levels.
            thick[box.depth] = max(thick[box.depth], size if box.children or self.down else 0.0)
            widest_label[box.depth] = max(widest_label[box.depth], label)
        self.bend = 34.0
        starts, ends = [MARGIN], [MARGIN + thick[0]]
        for level in range(1, n_levels):
            reserved = 22.0 if self.down else widest_label[level] + 8
            starts.append(ends[-1] + self.bend + reserved)
            ends.append(starts[-1] + thick[level])
        self.level_end = ends
        reach = [
            0 if box.children else sum(starts[box.depth] + size > end for end in ends[box.depth : -1])
            for box, size in zip(boxes, extent, strict=True)
        ]
        centres = tidy_positions([box.children for box in boxes], breadth, 14.0 if self.down else 7.0, reach)
        self.places: list[tuple[float, float]] = []
        for box, text, centre in zip(boxes, self.texts, centres, strict=True):
            along, across = starts[box.depth], centre + MARGIN
            self.places.append((across - text.width / 2, along) if self.down else (along, across - text.height / 2))
        along_total = max(starts[box.depth] + size for box, size in zip(boxes, extent, strict=True)) + MARGIN
        across_total = max(centre + size / 2 for centre, size in zip(centres, breadth, strict=True)) + 2 * MARGIN
        self.width, self.height = (across_total, along_total) if self.down else (along_total, across_total)


# Drawing


def _svg(plan: _Plan, labels: list[str]) -> Markup:
    total = plan.boxes[0].weight or 1.0
    edges, nodes = [], []
    for parent, box in enumerate(plan.boxes):
        edges += [_edge(plan, parent, child, total) for child in box.children]
        nodes.append(_node(plan, parent, labels))
    return element(
        "svg",
        element("g", joined(edges), class_="edges"),
        element("g", joined(nodes), class_="nodes"),
        class_="tree",
        data_grows="down" if plan.down else "right",
        viewBox=f"0 0 {rounded(plan.width)} {rounded(plan.height)}",
        role="group",
        aria_label=f"Decision tree of {len(plan.boxes)} drawn nodes",
        preserveAspectRatio="xMidYMid meet",
    )


def _edge(plan: _Plan, parent: int, child: int, total: float) -> Markup:
    (x0, y0), above = plan.places[parent], plan.texts[parent]
    (x1, y1), below = plan.places[child], plan.texts[child]
    turn, half = plan.level_end[plan.boxes[parent].depth], plan.bend / 2
    if plan.down:
        x, y, at, end = x0 + above.width / 2, y0 + above.height, x1 + below.width / 2, y1 - 20
        points = [(x, y), (x, turn), (x, turn + half), (at, turn + half), (at, turn + plan.bend), (at, end)]
        label = (at, y1 - 7, "middle")
    else:
        label_width = plan.labels[child]
        x, y, at, end = x0 + above.width, y0 + above.height / 2, x1 - 4 - label_width, y1 + below.height / 2
        points = [(x, y), (turn, y), (turn + half, y), (turn + half, end), (turn + plan.bend, end), (at, end)]
        label = (x1 - 6 - label_width / 2, end + 4, "middle")
    steps = [f"{rounded(x)} {rounded(y)}" for x, y in points]
    box = plan.boxes[child]
    path = element(
        "path",
        d=f"M{steps[0]}L{steps[1]}C{steps[2]} {steps[3]} {steps[4]}L{steps[5]}",
        class_="edge" if box.weight else "edge empty",
        data_to=child,
        stroke_width=1.0 + 9.0 * math.sqrt(box.weight / total),
    )
    text = element("text", box.branch, x=label[0], y=label[1], text_anchor=label[2], class_="branch")
    return path + text


def _node(plan: _Plan, place: int, labels: list[str]) -> Markup:
    box, text, (x, y) = plan.boxes[place], plan.texts[place], plan.places[place]
    shade = round(MOST_SHADES * purity(box.class_weights, box.label))
    kind = box.kind if box.weight else f"{box.kind} empty"
    words = _spoken(box, labels)
    parts = [
        element("title", words),
        element("rect", x=x, y=y, width=text.width, height=text.height, rx=7, class_="box"),
    ]
    if plan.down:
        centre = x + text.width / 2
        for number, line in enumerate(text.title):
            parts.append(element("text", line, x=centre, y=y + PAD + 12 + LINE * number, class_="title middle"))
        below = y + PAD + LINE * len(text.title)
        parts.append(element("text", text.note, x=centre, y=below + 9, class_="note middle"))
        parts += _bar(box, x + PAD, y + text.height - PAD - BAR + 1, text.width - 2 * PAD)
    else:
        middle = y + text.height / 2
        parts += _bar(box, x + PAD, middle - BAR / 2, 34.0)
        parts.append(element("text", text.title[0], x=x + PAD + 44, y=middle + 5, class_="title"))
        parts.append(element("text", text.note, x=x + text.width - PAD, y=middle + 4, class_="note end"))
    return element(
        "g",
        joined(parts),
        class_=f"node {kind} c{color_of(box.label)} s{shade}",
        data_node=place,
        tabindex="0" if place == 0 else "-1",
        role="button",
        aria_label=words,
    )


def _bar(box: Box, x: float, y: float, length: float) -> list[Markup]:
    """The distribution over the classes, in the order of the classes."""
    total = sum(box.class_weights)
    bars = []
    for label, weight in enumerate(box.class_weights):
        part = length * weight / total if total > 0 else 0.0
        if part >= 0.3:
            bars.append(element("rect", x=x, y=y, width=part, height=BAR, class_=f"bar c{color_of(label)}"))
        x += part
    return bars


def _spoken(box: Box, labels: list[str]) -> str:
    weight = weight_text(box.weight)
    samples = f"{weight} sample{'' if weight == '1' else 's'}"
    way = f"{box.branch}: " if box.branch else ""
    if box.kind == "split":
        return f"{way}splits {samples} on {box.title}; most are {labels[box.label]}"
    if box.kind == "stub":
        return f"{way}a subtree of {box.hidden:,} more nodes with {samples}; most are {labels[box.label]}"
    right = weight_text(box.class_weights[box.label])
    return f"{way}class {labels[box.label]}, {right} of {samples}"


# What the page tells of a node


def _data(tree: Tree, boxes: list[Box], labels: list[str]) -> dict[str, Any]:
    """For every box what it is, and its rule as numbers of conditions: a node adds one at most to its parent's."""
    digits = threshold_digits(tree)
    numbers: dict[str, int] = {}
    known: list[dict[int, Condition]] = [{} for _ in boxes]
    parents = [-1] * len(boxes)
    for place, box in enumerate(boxes):
        if not box.children:
            continue
        condition_of = {branch.child: branch.condition for branch in tree.branches_of(box.nodes[0], digits)}
        for child in box.children:
            parents[child] = place
            condition = _either([condition_of[node] for node in boxes[child].nodes])
            before = known[place].get(condition.feature)
            merged = condition if before is None else before & condition
            known[child] = {**known[place], condition.feature: merged}
    nodes = []
    for place, box in enumerate(boxes):
        rule = [
            numbers.setdefault(str(condition).replace("<=", "≤"), len(numbers)) for condition in known[place].values()
        ]
        counts = [
            [label, weight_text(weight), round(weight / box.weight, 4)]
            for label, weight in enumerate(box.class_weights)
            if weight > 0
        ]
        nodes.append(
            {
                "kind": box.kind,
                "title": box.title,
                "parent": parents[place],
                "children": box.children,
                "label": box.label,
                "weight": weight_text(box.weight),
                "hidden": box.hidden,
                "rule": rule,
                "counts": counts,
            }
        )
    return {"classes": labels, "colors": SHADED_CLASSES, "conditions": list(numbers), "nodes": nodes}


def _either(conditions: list[Condition]) -> Condition:
    """The branches that one box stands for, as one condition."""
    first = conditions[0]
    if len(conditions) == 1:
        return first
    categories = tuple(item for condition in conditions for item in condition.categories or ())
    return Condition(first.feature, first.name, categories=categories)

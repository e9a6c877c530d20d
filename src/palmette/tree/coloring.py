"""Which colour each class has in a drawing, and which classes its legend names.

As long as `palette` has a colour for every class, each has its own and the legend names all. With more classes, the
heaviest of those that are drawn as the label of a leaf or stub have the colours; all others share a grey.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from palmette.tree import palette
from palmette.tree.picking import Box

__all__ = ["Coloring", "color_classes"]


class Coloring(NamedTuple):
    """The colours of a drawing."""

    colors: list[str]
    """Of each class."""
    named: list[int]
    """The classes that the legend names, in its order."""
    of_others: str
    """What stands in the legend for the classes that it does not name."""


def color_classes(n_classes: int, boxes: Sequence[Box], given: list[str] | None = None) -> Coloring:
    """The colours of a drawing of these boxes; given colours stay, and decide only how many classes can be named."""
    if n_classes <= palette.MOST_COLORS:
        return Coloring(given or palette.class_colors(n_classes), list(range(n_classes)), palette.LINE)
    weight: defaultdict[int, float] = defaultdict(float)
    for box in boxes:
        # A leaf without samples has no colour.
        if box.kind != "split" and box.weight > 0:
            weight[box.label] += box.class_weights[box.label]
    heaviest_first = sorted(weight, key=lambda label: (-weight[label], label))
    if given is not None:
        return Coloring(given, heaviest_first[: len(set(given))], palette.PAPER)
    named = heaviest_first[: palette.MOST_COLORS]
    colors = [palette.LINE] * n_classes
    for label, color in zip(named, palette.class_colors(len(named)), strict=True):
        colors[label] = color
    return Coloring(colors, named, palette.LINE)

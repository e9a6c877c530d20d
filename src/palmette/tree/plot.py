"""A tree as a matplotlib drawing that a person likes to look at.

The neighbour `picking` chooses the nodes to draw, `coloring` their colours; `drawing` measures, places and draws their
boxes in points. A tree that would not fit is first drawn smaller, down to a floor, and then with fewer splits: those
that gain least become stubs that say "+n nodes".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from palmette.tree.coloring import color_classes
from palmette.tree.drawing import Direction, Drawing, Ruler
from palmette.tree.model import Tree
from palmette.tree.picking import Picker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A figure of our own grows with the tree up to this size, in inches.
WIDEST, TALLEST = 20.0, 26.0
# Text smaller than this, in points, cannot be read; splits are left out instead.
SMALLEST_FONT = 5.5


def plot_tree(
    tree: Tree,
    ax: Axes | None = None,
    *,
    max_depth: int | None = None,
    max_leaves_drawn: int = 120,
    direction: Literal["auto", "down", "right"] = "auto",
    colors: Sequence[str] | Mapping[Any, str] | None = None,
    legend: bool = True,
    font_size: float = 10.0,
) -> Axes:
    """Draw the tree: splits as boxes with the name of the feature, leaves in the colour of their class.

    A leaf shows its class, the weight of its training samples and their distribution over the classes; its
    colour is the paler the less pure it is. A line is as thick as the weight that flows along it. A dashed
    box is a stub: a subtree that was left out.

    Parameters
    ----------
    tree : Tree
    ax : matplotlib Axes or None
        Where to draw; None makes a figure whose size suits the tree.
    max_depth : int or None
        Draw no splits below this depth.
    max_leaves_drawn : int
        Draw at most so many leaves and stubs; the splits that gain least are left out first.
    direction : {"auto", "down", "right"}
        Where the tree grows to. "auto" draws small trees downwards and wide ones to the right.
    colors : sequence or mapping of colours, or None
        One colour per class, in the order of `tree.classes` or by class. None takes a palette that is safe
        for colour-blind readers.
    legend : bool
        Show which colour is which class. Where there are more classes than colours, it names the heaviest of those
        that are drawn, and says how many more there are; these are grey, unless `colors` says otherwise.
    font_size : float
        The size of the text in points, where there is room for it.

    Returns
    -------
    matplotlib Axes
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("Drawing a tree needs matplotlib: pip install 'palmette[plot]'.") from None
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"`max_depth` must be None or at least 0, not {max_depth}.")
    if max_leaves_drawn < 1:
        raise ValueError(f"`max_leaves_drawn` must be at least 1, not {max_leaves_drawn}.")
    if direction not in ("auto", "down", "right"):
        raise ValueError(f'`direction` must be "auto", "down" or "right", not {direction!r}.')
    if not 1 <= font_size <= 100:
        raise ValueError(f"`font_size` must be between 1 and 100 points, not {font_size}.")
    given_colors = None if colors is None else _given_colors(tree, colors)

    if ax is None:
        room_wide, room_tall = WIDEST * 72, TALLEST * 72
    else:
        room_wide, room_tall = _size_in_points(ax)
    ruler = Ruler(font_size)
    picker = Picker(tree, max_depth)
    ways: list[Direction] = ["down", "right"] if direction == "auto" else [direction]

    def attempt(most_leaves: int) -> tuple[Drawing, float]:
        boxes = picker.boxes(most_leaves)
        coloring = color_classes(len(tree.classes), boxes, given_colors)
        drawing = min(
            (Drawing(tree, boxes, ruler, coloring, way, legend, room_wide / room_tall) for way in ways),
            key=lambda candidate: candidate.strain(room_wide, room_tall),
        )
        return drawing, min(room_wide / drawing.width, room_tall / drawing.height)

    drawing, scale = attempt(max_leaves_drawn)
    smallest_scale = min(SMALLEST_FONT / font_size, 1.0)
    if scale < smallest_scale:
        # Bisection for the most leaves that can be read; two are drawn in any case.
        fits, too_many = 2, max(drawing.n_tips, 3)
        drawing, scale = attempt(fits)
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            smaller, smaller_scale = attempt(middle)
            if smaller_scale >= smallest_scale:
                fits, drawing, scale = middle, smaller, smaller_scale
            else:
                too_many = middle

    if ax is None:
        scale = min(1.0, scale)
        ax = _new_axes(drawing.width * scale, drawing.height * scale)
    else:
        scale = min(1.3, scale)
    drawing.draw(ax, scale, *_size_in_points(ax))
    return ax


def _given_colors(tree: Tree, colors: Sequence[str] | Mapping[Any, str]) -> list[str]:
    from matplotlib.colors import to_hex

    labels = tree.classes.tolist()
    if isinstance(colors, Mapping):
        missing = [label for label in labels if label not in colors]
        if missing:
            raise ValueError(f"`colors` has no colour for the class {missing[0]!r}; the classes are {labels!r}.")
        chosen = [colors[label] for label in labels]
    else:
        chosen = list(colors)
        if len(chosen) < len(labels):
            raise ValueError(f"`colors` has {len(chosen)} colours, but the tree has {len(labels)} classes.")
    return [to_hex(color).upper() for color in chosen[: len(labels)]]


def _size_in_points(ax: Axes) -> tuple[float, float]:
    figure = ax.figure
    extent = ax.get_window_extent()
    return max(extent.width / figure.dpi * 72, 10.0), max(extent.height / figure.dpi * 72, 10.0)


def _new_axes(width: float, height: float) -> Axes:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(max(width / 72, 2.5), max(height / 72, 1.2)))
    ax: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return ax

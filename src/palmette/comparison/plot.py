"""A comparison as a drawing: for each dataset the strategies below each other, with mean and standard deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palmette.comparison.cells import MEASURES, ComparisonCell
from palmette.comparison.significance import BEST, STAR
from palmette.tree.palette import FAINT_INK, INK, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from palmette.comparison.result import Comparison

__all__ = ["plot_comparison"]

STRONG = "#2c6fbb"
WEAK = "#c0392b"
ERRORS = ("search_error", "test_error")


def plot_comparison(comparison: Comparison, ax: Axes | None, measure: str) -> Axes:
    """Draw one measure; with the test error comes the search error, as an open circle."""
    groups = [
        [comparison.cells[dataset.name, strategy] for strategy in comparison.strategies]
        for dataset in comparison.datasets
    ]
    n_rows = len(groups) * (len(comparison.strategies) + 1)
    axes: Any = _axes(ax, n_rows)
    labels, places = [], []
    place = 0.0
    for dataset, cells in zip(comparison.datasets, groups, strict=True):
        if len(groups) > 1:
            axes.text(
                0.0,
                place,
                f" {dataset.name}",
                transform=axes.get_yaxis_transform(),
                va="center",
                weight="bold",
                color=INK,
            )
            place += 1
        for cell in cells:
            _draw(axes, cell, measure, place)
            labels.append(cell.strategy)
            places.append(place)
            place += 1
        axes.axhline(place - 0.5, color=LINE, linewidth=0.6)
    _dress(axes, measure, labels, places, place)
    drawn: Axes = axes
    return drawn


def _axes(ax: Axes | None, n_rows: int) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("A plot needs matplotlib: install it with pip install 'palmette[plot]'.") from None
    return plt.subplots(figsize=(7, 1.2 + 0.28 * n_rows), layout="constrained")[1] if ax is None else ax


def _draw(axes: Any, cell: ComparisonCell, measure: str, place: float) -> None:
    scale = 100.0 if measure in ERRORS else 1.0
    summary = cell.summaries.get(measure)
    if summary is None:
        why = "failed" if cell.failures else "no trial"
        axes.text(0.02, place, why, transform=axes.get_yaxis_transform(), va="center", color=FAINT_INK, style="italic")
        return
    end = scale * summary.mean
    if measure == "test_error" and "search_error" in cell.summaries:
        search = cell.summaries["search_error"]
        end = max(end, scale * search.mean)
        axes.plot([scale * search.mean, scale * summary.mean], [place, place], color=LINE, linewidth=1.2, zorder=1)
        axes.plot(scale * search.mean, place, "o", markerfacecolor="white", color=WEAK, markersize=5, zorder=3)
    spread = 0.0 if summary.sd != summary.sd else scale * summary.sd
    axes.errorbar(
        scale * summary.mean, place, xerr=spread, fmt="o", color=STRONG, markersize=5, elinewidth=1, capsize=2, zorder=2
    )
    if summary.mark in (BEST, STAR):
        sign = "*" if summary.mark == STAR else "highest" if MEASURES[measure].highest else "lowest"
        axes.annotate(
            sign,
            (max(end, scale * summary.mean + spread), place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color=INK,
        )


def _dress(axes: Any, measure: str, labels: list[str], places: list[float], end: float) -> None:
    axes.set_yticks(places, labels)
    axes.set_ylim(end - 0.4, -0.8)
    title = MEASURES[measure].title
    axes.set_xlabel(f"{title}, %" if measure in ERRORS else title)
    if measure != "stability":
        axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color=LINE, linewidth=0.5, alpha=0.6)
    axes.set_axisbelow(True)
    notes = "mean ± standard deviation over the trials"
    if measure == "test_error":
        notes = f"dot: test error, {notes}; circle: search error"
    if MEASURES[measure].marked:
        notes += "\n*: not different from the best in a paired t-test at 95 %"
    axes.set_title(notes, fontsize="small", color=FAINT_INK, loc="left")

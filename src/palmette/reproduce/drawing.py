"""Draws a reproduction: tables as dots, ours full and the paper's hollow; figures as lines over their axis."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from palmette.tree.palette import FAINT_INK, INK, LINE

if TYPE_CHECKING:
    from palmette.reproduce.results import Reproduction, Row

__all__ = ["draw"]

# The "bright" scheme of Paul Tol (personal.sron.nl/~pault), made for lines and dots, safe for colour-blind readers.
COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#AA3377", "#66CCEE", "#BBBBBB")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
WIDE = 50.0
"""Values that are further apart than this factor are drawn on a logarithmic axis."""


def draw(result: Reproduction) -> Any:
    """The figure of a reproduction: one panel a quantity, and in figures one a dataset."""
    from matplotlib.figure import Figure

    asked = [row for row in result.rows if row.status != "not asked for"]
    places = [row for row in asked if isinstance(row.at, int | float)]
    panels = _line_panels(places) if places else _dot_panels(asked)
    if not panels:
        figure = Figure(figsize=(6, 2), layout="constrained")
        figure.text(0.5, 0.5, "Nothing was measured.", ha="center", color=FAINT_INK)
        return figure
    n_columns = min(len(panels), 3 if places else 2)
    n_rows = math.ceil(len(panels) / n_columns)
    n_datasets = max(len(dict.fromkeys(row.dataset for row in rows)) for _, rows in panels)
    height = 3.4 if places else 1.6 + 0.42 * n_datasets
    figure = Figure(figsize=(max(6.5, 4.6 * n_columns), height * n_rows + 0.7), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for axis, (title, rows) in zip(axes.flat, panels, strict=False):
        _prepare(axis, title)
        if places:
            _draw_lines(axis, rows, result)
        else:
            _draw_dots(axis, rows)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    width = int(figure.get_figwidth() * 10)
    figure.suptitle(textwrap.fill(f"{result.name}: {result.title}", width), color=INK, fontsize=12, x=0.01, ha="left")
    return figure


def _prepare(axis: Any, title: str) -> None:
    axis.set_title(title, color=INK, fontsize=10, loc="left")
    axis.tick_params(colors=FAINT_INK, labelsize=8, length=3)
    axis.grid(color=LINE, linewidth=0.5, alpha=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axis.spines[side].set_color(LINE)


def _dot_panels(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Tables: a panel for each quantity that has a number of ours."""
    quantities = dict.fromkeys(row.quantity for row in rows if row.ours is not None)
    return [
        (quantity[:1].upper() + quantity[1:], [row for row in rows if row.quantity == quantity])
        for quantity in quantities
    ]


def _draw_dots(axis: Any, rows: Sequence[Row]) -> None:
    from matplotlib.lines import Line2D

    datasets = list(dict.fromkeys(row.dataset for row in rows))
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    step = min(0.2, 0.7 / max(1, len(strategies)))
    has_paper = False
    for row in rows:
        number = strategies.index(row.strategy)
        color = COLORS[number % len(COLORS)]
        y = datasets.index(row.dataset) + step * (number - (len(strategies) - 1) / 2)
        if isinstance(row.published, int | float):
            has_paper = True
            axis.plot(row.published, y, "o", markersize=7, markerfacecolor="none", markeredgecolor=color, alpha=0.9)
        if row.ours is None:
            continue
        error = row.standard_error or 0.0
        axis.errorbar(row.ours, y, xerr=error, fmt="o", markersize=4, color=color, elinewidth=1.2)
    missing = {dataset for dataset in datasets if all(row.ours is None for row in rows if row.dataset == dataset)}
    reasons = {row.dataset: f"{row.dataset} ({row.status})" for row in rows if row.dataset in missing}
    axis.set_yticks(range(len(datasets)), [reasons.get(dataset, dataset) for dataset in datasets])
    axis.set_ylim(len(datasets) - 0.4, -0.6)
    _maybe_logarithmic(axis.set_xscale, rows)
    handles = [
        Line2D([], [], color=COLORS[number % len(COLORS)], marker="o", linestyle="", markersize=5, label=strategy)
        for number, strategy in enumerate(strategies)
    ]
    if has_paper:
        handles.append(
            Line2D(
                *([], []),
                color=FAINT_INK,
                marker="o",
                markerfacecolor="none",
                linestyle="",
                markersize=7,
                label="the paper's",
            )
        )
    # Below the axis, where no dot can be under it.
    axis.legend(
        handles=handles,
        fontsize=8,
        frameon=False,
        labelcolor=INK,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.07),
        ncols=min(4, len(handles)),
        handletextpad=0.2,
        columnspacing=1.2,
    )


def _line_panels(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Figures: a panel for each quantity and dataset; datasets with one line each share a panel."""
    panels = []
    for quantity in dict.fromkeys(row.quantity for row in rows if row.ours is not None):
        members = [row for row in rows if row.quantity == quantity]
        datasets = list(dict.fromkeys(row.dataset for row in members))
        if len({row.strategy for row in members}) == 1:
            panels.append((quantity[:1].upper() + quantity[1:], members))
            continue
        panels += [
            (f"{dataset}: {quantity}", [row for row in members if row.dataset == dataset]) for dataset in datasets
        ]
    return [(title, members) for title, members in panels if any(row.ours is not None for row in members)]


def _draw_lines(axis: Any, rows: Sequence[Row], result: Reproduction) -> None:
    names = {row.strategy for row in rows}
    by_dataset = len(names) == 1
    labels = list(dict.fromkeys(row.dataset if by_dataset else row.strategy for row in rows))
    for number, label in enumerate(labels):
        line = [row for row in rows if (row.dataset if by_dataset else row.strategy) == label and row.ours is not None]
        line.sort(key=lambda row: float(row.at or 0))
        if not line:
            axis.plot([], [], color=COLORS[number % len(COLORS)], label=f"{label} (over the limit)")
            continue
        reference = label in ("binomial", "exhaustive")
        axis.errorbar(
            [float(row.at or 0) for row in line],
            [float(row.ours or 0) for row in line],
            yerr=[row.standard_error or 0.0 for row in line],
            color=FAINT_INK if reference else COLORS[number % len(COLORS)],
            linestyle="--" if reference else "-",
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=1.5,
            elinewidth=0.9,
            label=label,
        )
    name = (result.axis or {}).get(rows[0].quantity, "")
    axis.set_xlabel({"m": "m, the least samples of a branch", "size": "features in the subset"}.get(name, name))
    axis.xaxis.label.set(color=FAINT_INK, fontsize=9)
    axis.xaxis.get_major_locator().set_params(integer=True)
    if name == "m":
        values = sorted({float(row.at) for row in rows if isinstance(row.at, int | float)})
        axis.set_xscale("log", base=2)
        axis.set_xticks(values, [f"{value:g}" for value in values])
        axis.minorticks_off()
    _maybe_logarithmic(axis.set_yscale, rows)
    if axis.get_yscale() == "linear":
        axis.ticklabel_format(axis="y", useOffset=False)
    axis.legend(fontsize=8, frameon=False, labelcolor=INK, loc="best")


def _maybe_logarithmic(set_scale: Any, rows: Sequence[Row]) -> None:
    """Times, and ratios of very different size, on a logarithmic axis."""
    quantity = rows[0].quantity
    values = [row.ours for row in rows if row.ours]
    is_plain = "error" in quantity or "number" in quantity
    if values and not is_plain and min(values) > 0 and max(values) > WIDE * min(values):
        set_scale("log")

"""The history of a complete search: a step for every change of the incumbent or of the bound, as a frame and a plot.

`path.py` is the history of an elimination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["SearchStep", "axes_or_new", "frame_of", "plot_steps"]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A moment at which the search knew more than before.

    Parameters
    ----------
    seconds : float
        Since the search began.
    error : float
        The error of the incumbent, as a rate over the search weight.
    bound : float
        The greatest number known then such that no subset has a smaller objective.
    features : tuple of str or of int
        The incumbent.
    """

    seconds: float
    error: float
    bound: float
    features: tuple[str, ...] | tuple[int, ...]


def frame_of(columns: Mapping[str, Any]) -> DataFrame:
    """A pandas frame of the columns."""
    try:
        import pandas
    except ImportError:
        raise ImportError("A frame needs pandas: install it with pip install 'palmette[pandas]'.") from None
    return pandas.DataFrame(columns)


def axes_or_new(ax: Axes | None) -> Any:
    """The axes to draw on."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("A plot needs matplotlib: install it with pip install 'palmette[plot]'.") from None
    return plt.subplots(figsize=(7, 4))[1] if ax is None else ax


def plot_steps(
    steps: Sequence[SearchStep],
    ax: Axes | None,
    *,
    feature_penalty: float = 0.0,
    by_value: bool = False,
    until: float | None = None,
) -> Axes:
    """Draw the objective of the incumbent and the bound over the time; what lies between them is not yet known.

    The values of a function (`by_value`) have no bound and may lie anywhere.
    """
    axes: Any = axes_or_new(ax)
    what = ("value" if by_value else "error") + (" plus penalty" if feature_penalty else "")
    seconds = [step.seconds for step in steps]
    best = [step.error + feature_penalty * len(step.features) for step in steps]
    known = [max(step.bound, 0.0) for step in steps]
    if steps and until is not None and until > seconds[-1]:
        seconds, best, known = [*seconds, until], [*best, best[-1]], [*known, known[-1]]
    # A line of one moment would not be seen.
    alone = len(set(seconds)) == 1
    dot = {"marker": "o", "markersize": 5} if alone else {}
    line = axes.step(seconds, best, where="post", color="#c0392b", label=f"{what} of the best subset so far", **dot)
    if not by_value:
        dot = {"marker": "o", "markersize": 10} if alone else {}
        under = line[0].get_zorder() - 0.1
        label = f"no subset has a smaller {what}"
        axes.step(seconds, known, where="post", color="#2c6fbb", label=label, zorder=under, **dot)
        axes.fill_between(seconds, known, best, step="post", color="#888888", alpha=0.15, linewidth=0)
        # A bound of 0 would lie on the axis, and not be seen.
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    if alone:
        axes.set_xlim(0.0, 2 * seconds[0] or 1.0)
    axes.set_xlabel("seconds")
    axes.set_ylabel(what.replace("value", "value of the function") if by_value else f"search {what}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    drawn: Axes = axes
    return drawn

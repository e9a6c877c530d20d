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
    steps: Sequence[SearchStep], ax: Axes | None, *, penalized: bool = False, until: float | None = None
) -> Axes:
    """Draw the error of the incumbent and the bound over the time; what lies between them is not yet known."""
    axes: Any = axes_or_new(ax)
    seconds = [step.seconds for step in steps]
    errors = [step.error for step in steps]
    bounds = [step.bound for step in steps]
    if steps and until is not None and until > seconds[-1]:
        seconds, errors, bounds = [*seconds, until], [*errors, errors[-1]], [*bounds, bounds[-1]]
    axes.step(seconds, errors, where="post", color="#c0392b", label="error of the best subset so far")
    known = [max(bound, 0.0) for bound in bounds]
    label = "no subset has a smaller error plus penalty" if penalized else "no subset has a smaller error"
    axes.step(seconds, known, where="post", color="#2c6fbb", label=label)
    if not penalized:
        axes.fill_between(seconds, known, errors, step="post", color="#888888", alpha=0.15, linewidth=0)
    axes.set_xlabel("seconds")
    axes.set_ylabel("search error")
    # A bound of 0 would lie on the axis, and not be seen.
    axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    drawn: Axes = axes
    return drawn

"""The path of an elimination: its steps, the subset after each of them, as a frame and as a plot.

A step tells what it took out or put in; all the subsets of 20 000 features would fill gigabytes, so `Path` keeps the
changes and gives the subset of a step when it is asked for. `ShowsItsPath` is for the estimators that walk one:
`elimination.py`, `oblivious/classifier.py`. `history.py` is the history of a complete search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from palmette.search.history import axes_or_new, frame_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["EliminationOutcome", "EliminationStep", "Path", "ShowsItsPath", "Stride", "read_steps"]

Names: TypeAlias = tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stride:
    """A step by feature indices: what it changed, and where it led."""

    removed: tuple[int, ...]
    added: tuple[int, ...]
    error: float
    n_features: int
    trees_built: int
    seconds: float


@dataclass(frozen=True, slots=True)
class EliminationOutcome:
    """An answer in rates, features by index."""

    features: tuple[int, ...]
    error: float
    status: str
    n_trees: int
    seconds: float
    start: tuple[int, ...]
    strides: tuple[Stride, ...]


class Path:
    """The subsets along a path, by their changes; a subset costs a pass over the features when it is asked for.

    Parameters
    ----------
    start : sequence of int
        The features of step 0.
    changes : sequence of sequences of int
        What each step took out or put in.
    names : tuple of str or None

    Examples
    --------
    >>> path = Path([0, 1, 2], [(), (1,), (2,), (1,)], ("a", "b", "c"))
    >>> path.features(0), path.features(2), path.features(3)
    (('a', 'b', 'c'), ('a',), ('a', 'b'))
    """

    __slots__ = ("_changed", "_ends", "_names", "_start")

    def __init__(self, start: Sequence[int], changes: Sequence[Sequence[int]], names: tuple[str, ...] | None) -> None:
        self._start: NDArray[np.int32] = np.array(start, dtype=np.int32)
        self._changed: NDArray[np.int32] = np.array([item for change in changes for item in change], dtype=np.int32)
        self._ends: NDArray[np.int64] = np.cumsum([len(change) for change in changes], dtype=np.int64)
        self._names = names

    def features(self, step: int) -> Names:
        """The subset after a step."""
        # Whoever was changed an odd number of times is not where it was at the start.
        counts = np.bincount(np.concatenate([self._start, self._changed[: self._ends[step]]]))
        chosen = np.flatnonzero(counts % 2).tolist()
        return tuple(chosen) if self._names is None else tuple(self._names[feature] for feature in chosen)


@dataclass(frozen=True, slots=True)
class EliminationStep:
    """A step of an elimination, and the subset that it came to. Step 0 is the subset that the search began with.

    Parameters
    ----------
    removed : tuple of str or of int
        The features that it took out: one, or a group of them; none at step 0 and where features were put in.
    added : tuple of str or of int
        The features that it put in.
    error : float
        The error of the subset, as a rate over the search weight.
    n_features : int
        The size of the subset.
    trees_built : int
        Candidate trees that were looked at to find this step; those known from earlier steps do not count.
    seconds : float
        Since the search began.
    """

    removed: Names
    added: Names
    error: float
    n_features: int
    trees_built: int
    seconds: float
    _path: Path = field(repr=False, compare=False)
    _place: int = field(repr=False, compare=False)

    @property
    def features(self) -> Names:
        """The subset; made anew at every call, because all of them together may be more than fits into memory."""
        return self._path.features(self._place)


def read_steps(outcome: EliminationOutcome, names: tuple[str, ...] | None) -> list[EliminationStep]:
    """The history as the user sees it: names if X had names, else indices."""
    path = Path(outcome.start, [(*stride.removed, *stride.added) for stride in outcome.strides], names)

    def named(features: tuple[int, ...]) -> Names:
        return features if names is None else tuple(names[feature] for feature in features)

    return [
        EliminationStep(
            named(stride.removed),
            named(stride.added),
            stride.error,
            stride.n_features,
            stride.trees_built,
            stride.seconds,
            path,
            place,
        )
        for place, stride in enumerate(outcome.strides)
    ]


class ShowsItsPath:
    """Mixin of the estimators that take features out or put them in, one step after another."""

    support_: NDArray[np.bool_]
    error_: float
    history_: list[EliminationStep]

    def history_frame(self) -> DataFrame:
        """The history as a pandas frame: removed, added, error, number of features, trees or tables built, seconds.

        The features of a step are `history_[step].features`; a column of them would hold millions of names.

        Returns
        -------
        pandas.DataFrame
        """
        check_is_fitted(self)
        names = ("removed", "added", "error", "n_features", "trees_built", "seconds")
        return frame_of({name: [getattr(step, name) for step in self.history_] for name in names})

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draw the error against the number of features, the chosen subset marked, with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        by_value = callable(getattr(self, "error", None))
        return _plot(self.history_, (int(self.support_.sum()), self.error_), ax, by_value=by_value)


def _plot(
    steps: Sequence[EliminationStep], chosen: tuple[int, float], ax: Axes | None, *, by_value: bool = False
) -> Axes:
    """Draw the error against the number of features, in the order of the path, with the chosen point marked.

    The values of a function (`by_value`) may lie anywhere, errors from 0 on.
    """
    axes: Any = axes_or_new(ax)
    sizes = np.array([step.n_features for step in steps])
    errors = np.array([step.error for step in steps])
    marker = "." if len(steps) <= 60 else ""
    axes.plot(sizes, errors, color="#2c6fbb", linewidth=1.2, marker=marker, label="along the path")
    n_features, error = chosen
    noun = "feature" if n_features == 1 else "features"
    axes.plot([n_features], [error], "o", color="#c0392b", markersize=8, label=f"chosen: {n_features:,} {noun}")
    if sizes.max() >= 100:
        axes.set_xscale("symlog", linthresh=10)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlim(1.05 * sizes.max() + 0.5, -0.5)
    axes.set_xlabel("features")
    axes.set_ylabel("value of the function" if by_value else "search error")
    if not by_value:
        axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    drawn: Axes = axes
    return drawn

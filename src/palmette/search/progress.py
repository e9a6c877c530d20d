"""How far a search has come: what listeners and callbacks hear, and a warning where the end is out of sight.

`support/progress.py` knows who listens; the core reports some twenty times a second.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from palmette import _core
from palmette.search.units import Units
from palmette.support.messages import user_stack_level
from palmette.support.progress import Progress, current_listener

__all__ = ["EliminationWatch", "SearchEffortWarning", "SearchProgress", "Watch", "duration", "what_ended"]

PROBE_SECONDS = 2.0
"""How long a search is watched before its length is estimated."""

LONG = 60.0
"""Seconds; a search that would take longer than this in all is worth a warning."""


class SearchEffortWarning(UserWarning):
    """A search will take long, or was stopped before its end."""


@dataclass(frozen=True, slots=True)
class SearchProgress(Progress):
    """How far a search has come; error and bound are rates over the search weight.

    Parameters
    ----------
    share : float
        The part of the lattice that is closed: searched, or proved to hold nothing better. For an elimination, the
        part of the work that is done; an estimate.
    trees : int
        Trees built so far.
    message : str
        What is being done.
    seconds : float
        Since the search began.
    error : float
        The objective of the incumbent, the best subset so far: its error, with the penalty for its features if there
        is one.
    bound : float
        No subset has a smaller objective than this; minus infinity where nothing is proved.
    n_features : int
        The number of features of the incumbent.
    """

    seconds: float
    error: float
    bound: float
    n_features: int


class Measured(Protocol):
    """What is searched, as far as a watch needs to know it."""

    @property
    def units(self) -> Units: ...
    def rate(self, weight: float) -> float:
        """A weight of errors as a share of the weight that is searched on."""


class Watch:
    """Passes the reports of the core on to the listener and to the callback, and warns once of a long search.

    A callback that returns True stops the search. `objective` names what is minimised, and `takes_gap` says whether a
    wider `error_gap` would end the search sooner.
    """

    probe_seconds = PROBE_SECONDS

    def __init__(
        self,
        task: Measured,
        budget: _core.Budget,
        *,
        message: str,
        time_limit: float | None,
        callback: Callable[[SearchProgress], Any] | None = None,
        why_long: str = "",
        objective: str = "error",
        takes_gap: bool = False,
    ) -> None:
        self._task = task
        self._budget = budget
        self._message = message
        self._listener = current_listener()
        self._callback = callback
        self._time_limit = time_limit
        self._late = False
        self._warned = time_limit is not None
        self._why_long = why_long
        self._objective = objective
        self._takes_gap = takes_gap
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def stopped_by(self) -> str:
        """The status of a call that ended before its work did."""
        return "time_limit" if self._late or self._budget.deadline_passed else "interrupted"

    def out_of_time(self) -> bool:
        """Whether a loop that asks the core for a little at a time should end.

        The core looks at the clock only in calls that are longer than a moment.
        """
        self._late = self._late or (self._time_limit is not None and self.seconds >= self._time_limit)
        return self._late or self._budget.spent

    def report(
        self, share: float, n_trees: int, n_expansions: int, objective: float, bound: float, n_features: int
    ) -> None:
        """What the core calls; objective and bound come as weights."""
        self.tell(share, n_trees, self._task.rate(objective), self._task.rate(bound), n_features)

    def report_share(self, share: float, n_trees: int, *_: Any) -> None:
        """What the core calls where there is no single incumbent."""
        self.tell(share, n_trees, float("nan"), float("nan"), 0)

    def tell(self, share: float, n_trees: int, error: float, bound: float, n_features: int) -> None:
        """The same with rates."""
        seconds = self.seconds
        progress = SearchProgress(share, n_trees, self._message, seconds, error, bound, n_features)
        if self._listener is not None:
            self._listener(progress)
        if self._callback is not None and self._callback(progress) is True:
            self._budget.request_stop()
        if not self._warned and seconds >= self.probe_seconds:
            self._warned = True
            remaining = self._remaining(progress)
            if seconds + remaining >= LONG:
                warnings.warn(self._long_words(progress, remaining), SearchEffortWarning, stacklevel=user_stack_level())

    def _remaining(self, progress: SearchProgress) -> float:
        """Seconds that the rest would take."""
        return progress.seconds * (1 - progress.share) / progress.share if progress.share > 0 else float("inf")

    def _long_words(self, progress: SearchProgress, remaining: float) -> str:
        closed = f"{progress.share:.1e}" if progress.share < 0.001 else f"{progress.share:.1%}"
        if progress.share == 0:
            closed = "less than a millionth"
        estimate = (
            f"even at this rate, which falls in most searches, the rest takes {duration(remaining)}"
            if progress.share
            else "no end is in sight"
        )
        known = ""
        if progress.error == progress.error:
            bound = f", and none can be below {progress.bound:.4g}" if progress.bound > float("-inf") else ""
            known = f" The best subset so far has the {self._objective} {progress.error:.4g}{bound}."
        gap = "accept a wider `error_gap`, " if self._takes_gap else ""
        return (
            f"After {progress.seconds:.0f} seconds {closed} of the lattice of 2^{self._task.units.n_free} subsets is "
            f"closed; {estimate}.{self._why_long}{known} Ctrl-C ends the search with what it has. To spend less: set "
            f"`time_limit`, {gap}set `max_features`, put columns that belong together into `groups`, or eliminate "
            "features first (BackwardEliminationSelector)."
        )


class EliminationWatch(Watch):
    """The same for a walk from subset to subset, where nothing is bounded.

    The first steps take longest, because nothing is shared yet; so the length is estimated later, by the rate of the
    second half of the probe.
    """

    probe_seconds = 10.0
    _halfway: tuple[float, float] | None = None

    def report_walk(self, share: float, n_trees: int, n_nodes: int, error: float, n_features: int) -> None:
        """What the core calls; the error comes as a weight."""
        self.tell(share, n_trees, self._task.rate(error), float("-inf"), n_features)

    def tell(self, share: float, n_trees: int, error: float, bound: float, n_features: int) -> None:
        if self._halfway is None and self.seconds >= self.probe_seconds / 2:
            self._halfway = self.seconds, share
        super().tell(share, n_trees, error, bound, n_features)

    def _remaining(self, progress: SearchProgress) -> float:
        since, share = self._halfway or (0.0, 0.0)
        gained = progress.share - share
        return (progress.seconds - since) * (1 - progress.share) / gained if gained > 0 else float("inf")

    def _long_words(self, progress: SearchProgress, remaining: float) -> str:
        known = remaining < float("inf")
        estimate = f"at this rate the rest takes {duration(remaining)}" if known else "no end is in sight"
        return (
            f"After {progress.seconds:.0f} seconds of elimination {progress.n_features} features are selected, with "
            f"the {self._objective} {progress.error:.4g}; {estimate}.{self._why_long} Ctrl-C ends the search with what "
            "it has. To spend less: set `time_limit`, put columns that belong together into `groups`, or filter "
            "features first (for example with scikit-learn's SelectKBest)."
        )


def what_ended(stopped_by: str) -> str:
    """What ended a search before its end, as the subject of a sentence."""
    return {"time_limit": "The time limit", "memory_limit": "`memory_limit`, which is too small,"}.get(
        stopped_by, "An interruption"
    )


def duration(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> duration(0.123), duration(45), duration(7200), duration(3e9)
    ('0.12 seconds', '45 seconds', '2 hours', '95 years')
    >>> duration(1.0), duration(1.04)
    ('1 second', '1 second')
    >>> duration(float("inf"))
    'longer than the sun will burn'
    """
    if seconds >= 1e9 * 365 * 86400:
        return "longer than the sun will burn"
    for unit, length in (("years", 365 * 86400.0), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.95 * length:
            return f"{seconds / length:,.0f} {unit}"
    shown = f"{seconds:.0f}" if seconds >= 9.5 else f"{seconds:.2g}"
    return f"{shown} second{'' if shown == '1' else 's'}"

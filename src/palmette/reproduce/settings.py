"""What a user may choose of a study, and the one deadline that holds for all of it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from palmette.reproduce.results import Status

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The choices of one run of a study; `registry.run` fills in what the user leaves open.

    Parameters
    ----------
    datasets : tuple of str
        The datasets asked for; the others of the paper are shown as "not asked for".
    repeats, folds : int
        Of the repeated stratified cross-validation.
    time_limit : float or None
        Seconds for the whole study; what is not done by then is "over the limit".
    trial_limit : float
        Seconds for one fit (the papers' was one hour).
    n_jobs : int
        Processes for errors, threads for times.
    random_state : int
        Seed of the folds and of everything that is drawn.
    cache : Path or None
        Folder where finished pieces are kept, so that a stopped run goes on; shared between studies.
    started : float
        Seconds since the epoch at which the study began.
    """

    datasets: tuple[str, ...]
    repeats: int = 10
    folds: int = 10
    time_limit: float | None = None
    trial_limit: float = 60.0
    n_jobs: int = 1
    random_state: int = 0
    cache: Path | None = None
    started: float = field(default_factory=time.time)

    @property
    def deadline(self) -> float:
        """Seconds since the epoch, which all processes of the machine share; infinite without a limit."""
        return math.inf if self.time_limit is None else self.started + self.time_limit

    @property
    def is_over(self) -> bool:
        return time.time() >= self.deadline

    def seconds_left(self, most: float = math.inf) -> float | None:
        """Until the deadline, at most `most`; what the `time_limit` of an estimator takes (None: no limit)."""
        left = max(0.0, min(most, self.deadline - time.time()))
        return None if math.isinf(left) else left

    @cached_property
    def here(self) -> frozenset[str]:
        """The datasets that can be read without a network."""
        from palmette.datasets import available

        return frozenset(record.name for record in available())

    def status_of(self, dataset: str) -> Status | None:
        """Why a dataset of the paper has no numbers of ours, or None if it can have some."""
        if dataset not in self.datasets:
            return "not asked for"
        return None if dataset in self.here else "no data"

    def usable(self, datasets: Sequence[str]) -> tuple[str, ...]:
        """Those of the paper's datasets that are asked for and there."""
        return tuple(dataset for dataset in datasets if self.status_of(dataset) is None)

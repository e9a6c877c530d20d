"""When a comparison ends before its work is done: a deadline, or a request of whoever started it.

A `Halt` goes with every trial to wherever it runs. The deadline holds in all processes; a request reaches the threads
of this process, and joblib ends the workers of others.
"""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Halt", "TrialStopped"]

_requested: set[str] = set()
_at_work: Counter[str] = Counter()
_change = threading.Condition()


class TrialStopped(BaseException):
    """Ends a trial from within; no Exception, so that no estimator takes it for a failed fit."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Until when trials may run, by the clock of the wall, which all processes share."""

    deadline: float = math.inf
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    @classmethod
    def after(cls, time_limit: float | None) -> Halt:
        """So many seconds from now; None for never."""
        return cls() if time_limit is None else cls(time.time() + time_limit)

    @property
    def out_of_time(self) -> bool:
        return time.time() >= self.deadline

    @property
    def due(self) -> bool:
        """Whether a trial should end now."""
        return self.out_of_time or self.token in _requested

    def request(self) -> None:
        """End all trials in the threads of this process."""
        _requested.add(self.token)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Around a trial, so that `wait` knows of it."""
        with _change:
            _at_work[self.token] += 1
        try:
            yield
        finally:
            with _change:
                _at_work[self.token] -= 1
                _change.notify_all()

    def wait(self, seconds: float) -> None:
        """Until the trials in the threads of this process have ended, at most so long.

        A thread that still works in the core when the interpreter ends would take the whole process down.
        """
        with _change:
            _change.wait_for(lambda: _at_work[self.token] <= 0, seconds)

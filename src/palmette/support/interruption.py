"""Ctrl-C while something is finished that must not be lost: it ends the questions, and the rest is still done.

The command line opens `finishing` around what follows a search; a report asks its questions inside `asking`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType

__all__ = ["Interruption", "asking", "finishing"]


@dataclass
class Interruption:
    """What became of Ctrl-C: whether it came, and whether it cut questions short."""

    came: bool = False
    cut_short: bool = False
    asking: bool = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal. Who presses Ctrl-C a second time wants the end at once."""
        again, self.came = self.came, True
        if self.asking or again:
            raise KeyboardInterrupt


_current: ContextVar[Interruption | None] = ContextVar("palmette_interruption", default=None)


@contextmanager
def finishing() -> Iterator[Interruption]:
    """Inside, the first Ctrl-C is raised in `asking` only: at once, or when the asking begins."""
    interruption = Interruption()
    # Python allows handlers in the main thread only, and a handler of somebody else's has its reasons.
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    token = _current.set(interruption)
    try:
        if ours:
            signal.signal(signal.SIGINT, interruption.note)
        yield interruption
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _current.reset(token)


@contextmanager
def asking() -> Iterator[None]:
    """Questions that may be cut short: a KeyboardInterrupt leaves it, also one for a Ctrl-C that came before."""
    interruption = _current.get() or Interruption()
    try:
        interruption.asking = True
        if interruption.came:
            raise KeyboardInterrupt
        yield
    except KeyboardInterrupt:
        interruption.came = interruption.cut_short = True
        raise
    finally:
        interruption.asking = False

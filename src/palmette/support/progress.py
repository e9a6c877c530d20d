"""Progress of long calls: whoever wants to watch listens here, and the estimators speak while the core works.

A listener is bound to the current context (`contextvars`), not to an estimator, so that watching changes no parameter
and reaches through pipelines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Listener", "Progress", "current_listener", "listening", "reporter"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come.

    Parameters
    ----------
    share : float
        The finished part of the work, from 0 to 1.
    trees : int
        Trees built so far.
    message : str
        What is being done.
    """

    share: float
    trees: int
    message: str


Listener: TypeAlias = Callable[[Progress], None]

_listener: ContextVar[Listener | None] = ContextVar("palmette_progress_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` some twenty times a second while palmette works inside the `with` block.

    An exception that the listener raises stops the work and is raised by the call that worked.

    >>> with listening(lambda progress: print(f"{progress.share:.0%}")):
    ...     pass
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> Listener | None:
    """Whoever listens now, or None."""
    return _listener.get()


def reporter(message: str) -> Callable[[float, int, int], None] | None:
    """What the core calls with (share, trees, nodes); None where nobody listens."""
    listener = _listener.get()
    if listener is None:
        return None

    def report(share: float, trees: int, nodes: int) -> None:
        listener(Progress(share, trees, f"{message}: {nodes} nodes" if nodes else message))

    return report

"""A trial: one strategy on one triple. What it selected, how it erred, and what that took.

`strategies.py` prepares the estimator, `reading.py` tells what a fitted one selected and used.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from palmette.comparison.halt import Halt, TrialStopped
from palmette.comparison.problems import Problem
from palmette.comparison.reading import features_of, has_callback, status_of, trees_built
from palmette.comparison.strategies import prepared, wrapped_selectors
from palmette.comparison.triples import Triple
from palmette.support.progress import Progress, current_listener, listening

__all__ = ["FAILED", "STOPPED", "Trial", "run_trial"]

FAILED = "failed"
STOPPED = ("time_limit", "memory_limit", "interrupted")


@dataclass(frozen=True, slots=True)
class Trial:
    """What one strategy did on one triple.

    Parameters
    ----------
    dataset, strategy : str
    repeat, fold : int
        The place of the triple.
    status : str
        The `status_` of the fitted estimator, "complete" where it has none, "failed" where it refused.
    message : str
        Why it failed, in a sentence; else empty.
    search_error : float or None
        On the search set, by a tree grown on the building set; what a search has minimised.
    test_error : float or None
        On the test set, by what was fitted to the whole training part.
    selected, used : tuple of int, or None
        The features that were selected and that the final tree(s) test, by index; None where nobody can tell.
    n_trees : int or None
        Trees built.
    seconds : float
        The wall time of the fit.
    cpu_seconds : float or None
        The CPU time of the fit; None where other trials ran in the same process.
    searched : bool
        Whether subsets were judged on the search set, so that its error was minimised.
    """

    dataset: str
    strategy: str
    repeat: int
    fold: int
    status: str
    message: str = ""
    search_error: float | None = None
    test_error: float | None = None
    selected: tuple[int, ...] | None = None
    used: tuple[int, ...] | None = None
    n_trees: int | None = None
    seconds: float = 0.0
    cpu_seconds: float | None = None
    searched: bool = False

    @property
    def failed(self) -> bool:
        return self.status == FAILED

    @property
    def place(self) -> tuple[int, int]:
        return self.repeat, self.fold

    @property
    def n_selected(self) -> int | None:
        return None if self.selected is None else len(self.selected)

    @property
    def n_used(self) -> int | None:
        return None if self.used is None else len(self.used)


def run_trial(
    problem: Problem, strategy: str, estimator: Any, triple: Triple, *, alone: bool = True, halt: Halt | None = None
) -> Trial | None:
    """Fit a copy of the estimator to the training part of the triple, and measure it; None where it was halted.

    What the estimator refuses is told by the trial; only KeyboardInterrupt is raised.
    """
    halt = halt or Halt()
    if halt.due:
        return None
    try:
        with halt.working(), _heeding(halt):
            return _run(problem, strategy, estimator, triple, alone)
    except TrialStopped:
        return None


@contextmanager
def _heeding(halt: Halt) -> Iterator[None]:
    """Ends what works inside, some twenty times a second asked, once the halt is due; whoever listened hears on."""
    outer = current_listener()

    def pass_on(progress: Progress) -> None:
        if halt.due:
            raise TrialStopped
        if outer is not None:
            outer(progress)

    with listening(pass_on):
        yield


def _run(problem: Problem, strategy: str, estimator: Any, triple: Triple, alone: bool) -> Trial:
    names = (problem.name, strategy, triple.repeat, triple.fold)
    X, y = problem.rows(triple.training)
    copy = prepared(estimator, triple.split_of_training(), triple.seed, alone=alone)
    try:
        with _clocks() as clocks:
            copy.fit(X, y)
        if status_of(copy) == "interrupted" and not has_callback(copy):
            # Our searches end well on Ctrl-C, with what they have; a comparison has no use for that.
            raise KeyboardInterrupt
        test_error = _error(copy, *problem.rows(triple.test))
        search_error = _search_error(copy, estimator, X, y, triple, alone)
    except Exception as error:
        return Trial(*names, FAILED, first_sentence(error))
    selected, used = features_of(copy, problem.n_features)
    return Trial(
        *names,
        status_of(copy),
        "",
        search_error,
        test_error,
        selected,
        used,
        trees_built(copy),
        clocks.seconds,
        clocks.cpu_seconds,
        any(wrapped_selectors(estimator)),
    )


def _search_error(fitted: Any, estimator: Any, X: Any, y: Any, triple: Triple, alone: bool) -> float:
    """The error on the search set of what the strategy makes of the building set, with the features it selected.

    A selector that judges on the search set knows it. What follows such a selector in a pipeline is fitted to the
    building set with the selected features. Everything else is fitted to the building set as a whole.
    """
    building, search = triple.split_of_training()
    selectors = list(wrapped_selectors(estimator))
    n_steps = len(estimator.steps) if isinstance(estimator, Pipeline) else 1
    if selectors and selectors[-1][0] == n_steps - 1:
        last = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
        return float(last.error_)
    if selectors:
        cut = selectors[-1][0] + 1
        X = fitted[:cut].transform(X)
        copy = clone(fitted[cut:])
    else:
        copy = prepared(estimator, None, triple.seed, alone=alone)
    copy.fit(_safe_indexing(X, building), y[building])
    return _error(copy, _safe_indexing(X, search), y[search])


def _error(fitted: Any, X: Any, y: Any) -> float:
    return float(np.mean(np.asarray(fitted.predict(X)) != y))


def first_sentence(error: Exception) -> str:
    """The first sentence of an error, or its kind where it has no words."""
    words = " ".join(str(error).split())
    if not words:
        return f"{type(error).__name__}."
    sentence = words.split(". ")[0].rstrip(".")
    return f"{sentence if len(sentence) <= 200 else sentence[:199] + '…'}."


class _Clocks:
    """Wall and CPU time of a stretch of work."""

    seconds: float
    cpu_seconds: float | None


_running: set[int] = set()
_shared: set[int] = set()
_lock = threading.Lock()


@contextmanager
def _clocks() -> Iterator[_Clocks]:
    """Measures; the CPU time only where no other trial runs in this process, because the clock is the process's."""
    clocks, me = _Clocks(), threading.get_ident()
    with _lock:
        _running.add(me)
        if len(_running) > 1:
            _shared.update(_running)
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield clocks
    finally:
        clocks.seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
        with _lock:
            clocks.cpu_seconds = None if me in _shared else cpu_seconds
            _running.discard(me)
            _shared.discard(me)

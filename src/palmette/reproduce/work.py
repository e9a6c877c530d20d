"""Runs the pieces of a study: each at most once, before the deadline, on several processes if asked.

A piece is a `Task`: a function at the top of a module and plain arguments. It is called with them and with `time_limit`
(seconds) and `n_jobs` (threads), and returns a dict of plain values that JSON can keep. `"complete": False` in the dict
says that the time limit cut it short, and `"refused": True` beside it that more time would not help.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from palmette import __version__
from palmette.reproduce.settings import Settings
from palmette.support.messages import user_stack_level
from palmette.support.progress import Progress, current_listener, listening
from palmette.support.strict_json import strict_json

__all__ = ["Outcomes", "Task", "run_tasks"]

Plain: TypeAlias = str | int | float | None
Outcome: TypeAlias = Mapping[str, Any]


@cache
def fingerprint_of_folds() -> str:
    """Of the way in which samples are divided, which every piece of work rests on."""
    import numpy as np

    from palmette.comparison.triples import Protocol, make_triples

    labels = np.repeat(np.arange(3, dtype=np.int32), (25, 15, 3))
    triples = make_triples(labels, Protocol(repeats=2, folds=3))
    rows = [[triple.building.tolist(), triple.search.tolist(), triple.seed] for triple in triples]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Task:
    """A call to be made once; equal tasks are the same piece of work."""

    call: Callable[..., Outcome]
    arguments: tuple[tuple[str, Plain], ...]

    @classmethod
    def of(cls, call: Callable[..., Outcome], **arguments: Plain) -> Task:
        return cls(call, tuple(sorted(arguments.items())))

    def __str__(self) -> str:
        return ", ".join(f"{value}" for _, value in self.arguments)

    @property
    def identity(self) -> str:
        """What the cache knows it by: another version of the package or of the folds, another piece of work."""
        name = f"{self.call.__module__}.{self.call.__qualname__}"
        return json.dumps([__version__, fingerprint_of_folds(), name, list(self.arguments)])


Skip: TypeAlias = Callable[[Task, Mapping[Task, Outcome]], bool]


Part: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Outcomes:
    """What came of the tasks: those that were not done are missing."""

    done: Mapping[Task, Outcome]
    interrupted: bool

    def get(self, task: Task) -> Outcome | None:
        return self.done.get(task)


def run_tasks(
    tasks: Sequence[Task],
    settings: Settings,
    *,
    threads: bool = False,
    skip: Skip | None = None,
    part: Part = (0.0, 1.0),
) -> Outcomes:
    """Run tasks in the order given, until the deadline or Ctrl-C.

    With `threads` (to measure times) one task runs at a time, on `settings.n_jobs` threads; otherwise so many run side
    by side, on one thread each. A task has at most `settings.trial_limit` seconds. One that the deadline of the study
    cut short counts as not done; one that its own limit cut short is kept, and done again when a later run allows it
    more. `skip(task, done)` is asked before a task starts, and leaves it out where it says so. `part` is the
    part of the study, from 0 to 1, that these tasks are, for whoever watches.
    """
    done: dict[Task, Outcome] = {}
    waiting = []
    for task in dict.fromkeys(tasks):
        known = _recall(settings.cache, task, settings.trial_limit)
        if known is None:
            waiting.append(task)
        else:
            done[task] = known
    listener = current_listener()
    n_known = len(done)
    total = max(1, n_known + len(waiting))

    def tell(task: Task | None, share: float = 0.0) -> None:
        if listener is not None:
            overall = part[0] + (part[1] - part[0]) * (len(done) + share) / total
            listener(Progress(overall, len(done), "" if task is None else str(task)))

    interrupted = False
    tell(None)
    wanted = (task for task in waiting if skip is None or not skip(task, done))
    try:
        work = _one_by_one if threads or settings.n_jobs == 1 else _side_by_side
        for task, outcome, allowed in work(wanted, settings, settings.n_jobs if threads else 1, tell):
            if outcome.get("interrupted"):
                interrupted = True
                break
            cut_short = not outcome.get("complete", True) and not outcome.get("refused")
            if cut_short and allowed < settings.trial_limit:
                continue
            done[task] = outcome
            _remember(settings.cache, task, outcome, allowed)
            tell(task)
    except KeyboardInterrupt:
        interrupted = True
    return Outcomes(done, interrupted)


Result: TypeAlias = tuple[Task, Outcome, float]


def _one_by_one(
    tasks: Iterable[Task], settings: Settings, n_threads: int, tell: Callable[[Task, float], None]
) -> Iterator[Result]:
    for task in tasks:
        if settings.is_over:
            return
        tell(task, 0.0)

        def inner(progress: Progress, task: Task = task) -> None:
            tell(task, min(1.0, max(0.0, progress.share)))

        with listening(inner):
            result = _do(task, settings.deadline, settings.trial_limit, n_threads)
        yield result


def _side_by_side(
    tasks: Iterable[Task], settings: Settings, n_threads: int, tell: Callable[[Task, float], None]
) -> Iterator[Result]:
    from joblib import Parallel, delayed

    def calls() -> Iterator[Any]:
        for task in tasks:
            if settings.is_over:
                return
            yield delayed(_do_elsewhere)(task, settings.deadline, settings.trial_limit, n_threads)

    # Dispatching one at a time keeps the rest out of the workers when the deadline comes.
    parallel = Parallel(n_jobs=settings.n_jobs, return_as="generator_unordered", pre_dispatch=settings.n_jobs)
    for result, caught in parallel(calls()):
        for words, category in caught:
            warnings.warn(words, category, stacklevel=user_stack_level())
        yield result


def _do_elsewhere(
    task: Task, deadline: float, trial_limit: float, n_threads: int
) -> tuple[Result, list[tuple[str, type[Warning]]]]:
    """The result and what was warned of: another process would print that as it likes, past whoever watches here."""
    with warnings.catch_warnings(record=True) as caught:
        result = _do(task, deadline, trial_limit, n_threads)
    return result, [(str(warning.message), warning.category) for warning in caught]


def _do(task: Task, deadline: float, trial_limit: float, n_threads: int) -> Result:
    allowed = max(0.0, min(trial_limit, deadline - time.time()))
    outcome = task.call(**dict(task.arguments), time_limit=allowed, n_jobs=n_threads)
    return task, outcome, allowed


def _path(cache: Path, task: Task) -> Path:
    return cache / f"piece-{hashlib.sha256(task.identity.encode()).hexdigest()[:24]}.json"


def _recall(cache: Path | None, task: Task, trial_limit: float) -> Outcome | None:
    """What an earlier run kept; a torn file, or one of a shorter limit that cut the task short, counts as nothing."""
    if cache is None:
        return None
    try:
        kept = json.loads(_path(cache, task).read_text(encoding="utf-8"))
        outcome, allowed = kept["outcome"], float(kept["allowed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if kept.get("task") != task.identity or not isinstance(outcome, dict):
        return None
    return outcome if outcome.get("complete", True) or allowed >= trial_limit else None


def _remember(cache: Path | None, task: Task, outcome: Outcome, allowed: float) -> None:
    if cache is None:
        return
    path = _path(cache, task)
    kept = {"task": task.identity, "outcome": dict(outcome), "allowed": allowed if math.isfinite(allowed) else 1e18}
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(strict_json(kept) + "\n", encoding="utf-8")
    partial.replace(path)

"""`compare`: runs every strategy on every triple of every dataset, in parallel, and goes on from where it was stopped.

`trial.py` runs one; here trials are taken from the cache or handed to joblib, collected as they end, and reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeAlias

import joblib

from palmette.comparison import fingerprint
from palmette.comparison.cache import Cache
from palmette.comparison.cells import DatasetRecord
from palmette.comparison.halt import Halt
from palmette.comparison.problems import Problem, read_problems
from palmette.comparison.result import Comparison
from palmette.comparison.strategies import limited, read_strategies
from palmette.comparison.trial import Trial, run_trial
from palmette.comparison.triples import Protocol, Triple, iterate_triples
from palmette.support.parameters import InvalidParameterError, check_number
from palmette.support.progress import Progress, current_listener, listening

__all__ = ["ComparisonProgress", "compare"]

PATIENCE = 10.0
"""Seconds to wait for trials that were told to end; those of other libraries do not hear it."""

TRIALS_AT_ONCE = 4
"""Trials a job that are handed over together where a backend of joblib cannot return them one by one."""


@dataclass(frozen=True, slots=True)
class ComparisonProgress(Progress):
    """How far a comparison has come.

    Parameters
    ----------
    share : float
        The finished part of the trials.
    trees : int
        Trees built so far, in the trials of this run.
    message : str
        What is being done.
    n_done : int
        Trials that are finished, those from the cache included.
    n_trials : int
        Trials in all.
    trial : Trial or None
        The one that has just ended; None where one is still at work.
    """

    n_done: int
    n_trials: int
    trial: Trial | None


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A trial that is to be run; its place is that among all trials of the comparison."""

    place: int
    problem: Problem
    strategy: str
    estimator: Any
    triple: Triple
    key: str | None


Ended: TypeAlias = tuple[int, str | None, Trial | None]
"""The place and the key of a task, and what came of it; None where it was halted."""


def compare(
    strategies: Any,
    datasets: Any,
    *,
    repeats: int = 10,
    folds: int = 10,
    search_size: float = 0.3,
    random_state: int = 0,
    cache: Any = None,
    time_limit: float | None = None,
    trial_time_limit: float | None = None,
    callback: Callable[[ComparisonProgress], Any] | None = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Compare strategies of feature selection on the same samples: repeated, stratified cross-validation.

    The protocol is that of Ruggieri (2019). Every training part is split once more into a building and a search set.
    Selectors judge subsets on these; the tree that is tested is grown on the whole training part with what they
    selected. Plain classifiers are fitted to the whole training part; their search error is that of a copy fitted to
    the building set.

    Parameters
    ----------
    strategies : mapping of names to estimators, or list of names
        Our selectors, trees and forests, any classifier, selector or pipeline of scikit-learn. A selector that does
        not predict is followed by a `C45Classifier`. The names are those of `palmette.comparison.STRATEGIES`. Only a
        selector whose `error` is "holdout" gets the split of the triple; every other `error` stays as it is.
        Parameters `random_state` of None become a seed of the triple.
    datasets : list of names, mapping of names to pairs (X, y), or one pair
        The names are those of `palmette.datasets.load`.
    repeats, folds : int, default=10
        So many times stratified cross-validation with so many folds. A class with fewer members than folds is
        missing in some test sets; a note of the result says so.
    search_size : float, default=0.3
        The share of the search set in the training part.
    random_state : int, default=0
        Seed of the triples. A triple depends on the labels, the seed and its place only: a comparison with more
        repeats, other strategies or other datasets has the same ones.
    cache : path or None, default=None
        A folder for finished trials. A comparison with the same folder takes them from there, also after a kill.
    time_limit : float or None, default=None
        Seconds after which no further trial begins; searches and forests that are at work are dropped.
    trial_time_limit : float or None, default=None
        Seconds for each fit of an estimator that has a `time_limit`; its trial counts, with what it came to.
    callback : callable or None, default=None
        Called after each trial with a `ComparisonProgress`; the comparison ends if it returns True.
    n_jobs : int or None, default=None
        Trials at a time; -1 for all cores. They run on threads, or on the backend that `joblib.parallel_config` names.
        Estimators work on one thread each then.

    Returns
    -------
    Comparison
        After Ctrl-C, too: its `status` is "interrupted", and it holds the trials that were finished.

    Examples
    --------
    >>> from palmette import compare
    >>> comparison = compare(["tree", "best"], ["iris"], repeats=1, folds=5)
    >>> [round(comparison.cell("iris", name).summaries["test_error"].mean, 4) for name in comparison.strategies]
    [0.06, 0.0733]
    """
    check_number("repeats", repeats, 1, integer=True)
    check_number("folds", folds, 2, integer=True)
    check_number("search_size", search_size, 0, 1, low_excluded=True, high_excluded=True)
    check_number("random_state", random_state, 0, 2**32 - 1, integer=True)
    check_number("time_limit", time_limit, 0, none_allowed=True)
    check_number("trial_time_limit", trial_time_limit, 0, none_allowed=True)
    check_number("n_jobs", n_jobs, integer=True, none_allowed=True)
    if n_jobs == 0:
        raise InvalidParameterError("`n_jobs` must not be 0. Pass a number of trials at a time, or -1 for all cores.")
    if callback is not None and not callable(callback):
        raise InvalidParameterError(f"`callback` must be a function or None, but is {callback!r}.")
    halt = Halt.after(time_limit)
    protocol = Protocol(int(repeats), int(folds), float(search_size), int(random_state))
    estimators = {name: limited(estimator, trial_time_limit) for name, estimator in read_strategies(strategies).items()}
    problems = read_problems(datasets, protocol.folds)
    store = None if cache is None else Cache(cache)
    run = _Run(store, halt, callback, n_jobs, n_trials=len(problems) * len(estimators) * repeats * folds)
    status = run.through(_tasks(problems, estimators, protocol, store))
    records = tuple(_record(problem, protocol) for problem in problems)
    return Comparison(protocol, records, tuple(estimators), run.results, status)


def _tasks(
    problems: Sequence[Problem], estimators: dict[str, Any], protocol: Protocol, store: Cache | None
) -> Iterator[Task]:
    """All trials, strategy by strategy within a triple, so that a comparison that is stopped early is a fair one."""
    kept = {} if store is None else {name: fingerprint.of_strategy(name, item) for name, item in estimators.items()}
    place = count()
    for problem in problems:
        data = None if store is None else fingerprint.of_problem(problem)
        for triple in iterate_triples(problem.labels, protocol):
            for name, estimator in estimators.items():
                key = None if data is None else fingerprint.of_trial(data, kept[name], triple)
                yield Task(next(place), problem, name, estimator, triple, key)


def _record(problem: Problem, protocol: Protocol) -> DatasetRecord:
    return DatasetRecord(
        problem.name,
        problem.n_samples,
        problem.n_features,
        len(problem.classes),
        problem.feature_names,
        problem.notes(protocol.folds),
    )


class _Run:
    """A run through the tasks; it holds the trials that have ended, whatever ended the run."""

    def __init__(
        self,
        store: Cache | None,
        halt: Halt,
        callback: Callable[[ComparisonProgress], Any] | None,
        n_jobs: int | None,
        *,
        n_trials: int,
    ) -> None:
        self._trials: dict[int, Trial] = {}
        self._store = store
        self._halt = halt
        self._callback = callback
        self._n_jobs = n_jobs
        self._listener = current_listener()
        self._n_trials = n_trials
        self._n_trees = 0

    @property
    def results(self) -> tuple[Trial, ...]:
        """In the order of the tasks, whichever ended first."""
        return tuple(self._trials[place] for place in sorted(self._trials))

    def through(self, tasks: Iterator[Task]) -> str:
        """Run all that are not in the cache, and return the status."""
        told = 0
        try:
            with closing(self._running(self._left(tasks))) as running:
                for place, key, trial in running:
                    if trial is None:
                        continue
                    self._keep(place, key, trial)
                    told = len(self._trials)
                    if self._ended_by_callback(trial):
                        break
            if told < len(self._trials):
                self._ended_by_callback(None)
        except KeyboardInterrupt:
            self._halt.request()
        except BaseException:
            self._halt.request()
            raise
        finally:
            # What is still at work in threads ends at its next report; other processes are ended by joblib.
            self._halt.wait(PATIENCE)
        if len(self._trials) == self._n_trials:
            return "complete"
        return "time_limit" if self._halt.out_of_time else "interrupted"

    def _left(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """The tasks that are not in the cache, until the halt is due; joblib takes one when it has room for it."""
        for task in tasks:
            if self._halt.due:
                return
            trial = self._recalled(task)
            if trial is None:
                yield task
            else:
                self._trials[task.place] = trial

    def _recalled(self, task: Task) -> Trial | None:
        if self._store is None or task.key is None:
            return None
        triple = task.triple
        return self._store.read(task.key, task.problem.name, task.strategy, triple.repeat, triple.fold)

    def _keep(self, place: int, key: str | None, trial: Trial) -> None:
        """Failures are not kept in the cache: what failed may be mended tomorrow."""
        self._trials[place] = trial
        self._n_trees += trial.n_trees or 0
        if self._store is not None and key is not None and not trial.failed:
            self._store.write(key, trial)

    def _ended_by_callback(self, trial: Trial | None) -> bool:
        """Report; whether the comparison shall end here. Without a trial the report is of the cache."""
        n_done = len(self._trials)
        words = "taken from the cache" if trial is None else f"{trial.dataset}, {trial.strategy}"
        progress = ComparisonProgress(n_done / self._n_trials, self._n_trees, words, n_done, self._n_trials, trial)
        if self._listener is not None:
            self._listener(progress)
        if self._callback is not None and self._callback(progress) is True:
            self._halt.request()
            return True
        return False

    def _running(self, tasks: Iterator[Task]) -> Generator[Ended]:
        """The trials as they end."""
        alone = joblib.effective_n_jobs(self._n_jobs) == 1
        # Threads, because the core works without the interpreter's lock: nothing is copied, and all can be halted.
        try:
            parallel = joblib.Parallel(n_jobs=self._n_jobs, prefer="threads", return_as="generator_unordered")
            bunches: Iterator[Iterable[Task]] = iter([tasks])
        except ValueError:
            parallel = joblib.Parallel(n_jobs=self._n_jobs, prefer="threads")
            bunches = _bunches(tasks, TRIALS_AT_ONCE * joblib.effective_n_jobs(self._n_jobs))
        for bunch in bunches:
            calls = (joblib.delayed(_run_task)(task, alone, self._halt) for task in bunch)
            with self._watching_alone(alone):
                outputs = parallel(calls)
                try:
                    yield from (output for output in outputs)
                finally:
                    _close(outputs)

    def _watching_alone(self, alone: bool) -> Any:
        """Whoever listens hears how far the one trial at work has come."""

        def tell(report: Progress) -> None:
            n_done = len(self._trials)
            share = (n_done + min(max(report.share, 0.0), 1.0)) / self._n_trials
            trees = self._n_trees + report.trees
            if self._listener is not None:
                self._listener(ComparisonProgress(share, trees, report.message, n_done, self._n_trials, None))

        return listening(tell if alone else _deaf)


def _close(outputs: Any) -> None:
    """Give up what joblib has not returned yet, without its remark that this could have been avoided."""
    if hasattr(outputs, "close"):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
            warnings.filterwarnings("ignore", message=".*tasks have been successfully executed")
            outputs.close()


def _deaf(report: Progress) -> None:
    """Several trials at once would speak in confusion."""


def _run_task(task: Task, alone: bool, halt: Halt) -> Ended:
    trial = run_trial(task.problem, task.strategy, task.estimator, task.triple, alone=alone, halt=halt)
    return task.place, task.key, trial


def _bunches(tasks: Iterator[Task], size: int) -> Iterator[list[Task]]:
    while bunch := list(islice(tasks, size)):
        yield bunch

"""Runs the complete search of the core for one subset, with its checkpoint.

`by_function.py` is for errors that nothing bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from palmette import _core
from palmette.search.checkpoint import Checkpoint
from palmette.search.outcome import PROVED, Outcome, Step
from palmette.search.progress import Watch
from palmette.search.task import SearchTask

__all__ = ["search_as_the_paper", "search_ranked"]


def search_ranked(
    task: SearchTask,
    settings: _core.SearchSettings,
    budget: _core.Budget,
    watch: Watch,
    checkpoint: Checkpoint | None,
    checkpoint_seconds: float,
) -> Outcome:
    """The best subset by the ranked search; goes on from the checkpoint, and keeps it."""
    saved = None if checkpoint is None else checkpoint.read()
    if saved is not None and saved.outcome is not None:
        return saved.outcome
    keeping: dict[str, Any] = {}
    if checkpoint is not None:
        save: Callable[[bytes], None] = checkpoint.keep
        keeping = {"checkpoint_seconds": checkpoint_seconds, "on_checkpoint": save}
        if saved is not None:
            keeping["resume_from"] = saved.state
    try:
        result = _core.find_best_subset(task.core, settings, budget, watch.report, **keeping)
    except ValueError as error:
        if checkpoint is None or saved is None:
            raise
        raise checkpoint.unreadable(error) from error
    outcome = _outcome(task, settings, result, watch.seconds)
    if checkpoint is not None and outcome.status in PROVED:
        checkpoint.keep(b"", outcome)
    return outcome


def search_as_the_paper(
    task: SearchTask, settings: _core.SearchSettings, budget: _core.Budget, watch: Watch
) -> Outcome:
    """The subset that DTaccept (Ruggieri 2019, Algorithms 3 and 4) finds."""
    paper = _core.PaperSettings()
    for name in ("error_gap", "feature_penalty", "max_features", "keep"):
        setattr(paper, name, getattr(settings, name))
    result = _core.search_as_paper(task.core, paper, budget, watch.report_share)
    units, error, objective = result.units, result.error, result.objective
    if not result.found:
        units = list(task.units.kept)
        error, _ = task.core.error_of(units)
        objective = error + settings.feature_penalty * len(task.units.features(units))
    bound = 0.0
    if result.proved:
        status = "optimal" if settings.error_gap == 0 else "within_gap"
        bound = max(objective - settings.error_gap, 0.0)
    else:
        status = "time_limit" if budget.deadline_passed else "interrupted"
    features = task.units.features(units)
    last = Step(watch.seconds, task.rate(error), task.rate(bound), features)
    return Outcome(
        features=features,
        error=last.error,
        objective=task.rate(objective),
        bound=last.bound,
        status=status,
        n_trees=result.n_built,
        seconds=last.seconds,
        steps=(last,),
    )


def _outcome(task: SearchTask, settings: _core.SearchSettings, result: _core.SearchResult, seconds: float) -> Outcome:
    """The result of the core in rates, features by index."""
    penalty = settings.feature_penalty
    errors: dict[tuple[int, ...], float] = {tuple(result.units): result.error}

    def error_of(units: tuple[int, ...], objective: float) -> float:
        if penalty == 0:
            return objective
        # The core's history tells objectives; few incumbents differ.
        if units not in errors:
            errors[units] = task.core.error_of(list(units))[0]
        return errors[units]

    steps = tuple(
        Step(
            moment,
            task.rate(error_of(tuple(units), objective)),
            task.rate(bound),
            task.units.features(units),
        )
        for moment, objective, bound, units in result.history
    )
    return Outcome(
        features=task.units.features(result.units),
        error=task.rate(result.error),
        objective=task.rate(result.objective),
        bound=task.rate(result.bound),
        status=result.status,
        n_trees=result.n_trees,
        # A resumed search counts from its first beginning, as its steps do.
        seconds=max([seconds, *(step.seconds for step in steps)]),
        steps=steps,
        n_first_trees=result.n_first_trees,
    )

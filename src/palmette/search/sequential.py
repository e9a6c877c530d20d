"""Runs the elimination of the core, and reads its path; `greedy.py` is for errors that are functions of the tree."""

from __future__ import annotations

from collections.abc import Iterator

from palmette import _core
from palmette.search.greedy import Rules
from palmette.search.path import EliminationOutcome, Stride
from palmette.search.progress import EliminationWatch
from palmette.search.task import SearchTask

__all__ = ["eliminate"]


def eliminate(
    task: SearchTask, algorithm: str, rules: Rules, budget: _core.Budget, watch: EliminationWatch
) -> EliminationOutcome:
    """The subset that a walk by the search error comes to."""
    result = _core.eliminate(task.core, settings_of(task, algorithm, rules), budget, watch.report_walk)
    strides = tuple(_strides(task, rules, result))
    return EliminationOutcome(
        features=task.units.features(result.units),
        error=task.rate(result.error),
        status=result.status,
        n_trees=result.n_trees,
        seconds=watch.seconds,
        start=task.units.features(_start(task, rules)),
        strides=strides,
    )


def settings_of(task: SearchTask, algorithm: str, rules: Rules) -> _core.EliminationSettings:
    """What the core is asked for."""
    settings = _core.EliminationSettings()
    settings.strategy = getattr(_core.EliminationStrategy, rules.strategy)
    settings.algorithm = getattr(_core.EliminationAlgorithm, algorithm)
    settings.accept_ties = rules.accept_ties
    settings.unused_together = rules.unused_together
    settings.keep = list(task.units.kept)
    if rules.max_features is not None:
        settings.max_features = rules.max_features
    settings.min_features = rules.min_features
    settings.beam_width = rules.beam_width
    settings.n_jobs = task.n_jobs
    settings.memory_limit = task.memory_limit
    return settings


def _start(task: SearchTask, rules: Rules) -> list[int]:
    if rules.strategy in ("forward", "floating_forward"):
        return list(task.units.kept)
    return list(range(len(task.units.members)))


def _strides(task: SearchTask, rules: Rules, result: _core.EliminationResult) -> Iterator[Stride]:
    """The steps with features in place of units, errors as rates."""
    features = task.units.features
    before = set(_start(task, rules))
    for step in result.steps:
        if rules.strategy == "beam":
            # The best subset of a level need not come from the best of the level before.
            after = set(step.units)
            removed, added = before - after, after - before
            before = after
        else:
            removed = {step.removed} if step.removed >= 0 else set()
            added = {step.added} if step.added >= 0 else set()
        yield Stride(
            features(removed), features(added), task.rate(step.error), step.size, step.trees_built, step.seconds
        )

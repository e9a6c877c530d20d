"""Figures as points: each a dataset, a line (strategy), a place on the axis, and the tasks that its value rests on.

`curves.py` has the curves that figures share; a study runs a `Figure`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palmette.reproduce.readings import NOTES
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.work import Outcome, Task, run_tasks

__all__ = ["M_VALUES", "Figure", "Point", "lines_of", "measured"]

M_VALUES = (128, 64, 32, 16, 8)
"""The stopping parameter m, as far as the figures show it; large ones first, because they are quick."""


@dataclass(frozen=True)
class Point:
    """One value of a figure.

    Without tasks it is known beforehand, and `value` is called with an empty mapping; NaN says that it is not defined.
    """

    dataset: str
    quantity: str
    strategy: str
    at: float
    tasks: tuple[Task, ...]
    value: Callable[[Outcome], float]
    keeps_unfinished: bool = False


def _no_rows(settings: Settings, rows: Sequence[Row]) -> Iterable[Row]:
    return ()


@dataclass(frozen=True, eq=False)
class Figure:
    """What a figure shows and what its paper says of it; called as the `run` of its study, it measures.

    Parameters
    ----------
    points : callable
        Takes the settings and a dataset, gives the points of the dataset.
    claims : callable
        Takes the settings and the rows, gives what the paper says in words, judged.
    axis : mapping
        What the place of a point is, by quantity.
    extra : callable
        Takes the settings and the rows of the points, gives the rows that follow from them.
    notes : tuple of str
    digits : mapping or None
        Decimals to print of each quantity, where they are not two.
    threads : bool
        Whether tasks run one after another, each on all threads, because their times count.
    """

    points: Callable[[Settings, str], Iterable[Point]]
    claims: Callable[[Settings, Sequence[Row]], Iterable[Claim]]
    axis: Mapping[str, str]
    extra: Callable[[Settings, Sequence[Row]], Iterable[Row]] = _no_rows
    notes: tuple[str, ...] = ()
    digits: Mapping[str, int] | None = None
    threads: bool = False

    def __call__(self, study: Study, settings: Settings) -> Reproduction:
        """Run the tasks of all points, and make a row of each."""
        shown = list(dict.fromkeys((*study.datasets, *settings.datasets)))
        wanted = {dataset: list(self.points(settings, dataset)) for dataset in shown}
        tasks = [
            task
            for dataset in shown
            if settings.status_of(dataset) is None
            for point in wanted[dataset]
            for task in point.tasks
        ]
        outcomes = run_tasks(tasks, settings, threads=self.threads, skip=_hopeless)
        rows: list[Row] = []
        for dataset in shown:
            status = settings.status_of(dataset)
            if status is not None:
                lines = dict.fromkeys((point.quantity, point.strategy) for point in wanted[dataset])
                rows += [absent(dataset, quantity, strategy, status) for quantity, strategy in lines]
                continue
            for point in wanted[dataset]:
                found = [outcome for task in point.tasks if (outcome := outcomes.get(task)) is not None]
                used = [outcome for outcome in found if outcome.get("complete", True) or point.keeps_unfinished]
                values = [point.value(outcome) for outcome in used] if point.tasks else [point.value({})]
                if any(map(math.isnan, values)):
                    rows.append(absent(dataset, point.quantity, point.strategy, "not defined", at=point.at))
                    continue
                unfinished = sum(not outcome.get("complete", True) for outcome in found)
                remark = ""
                if unfinished and point.keeps_unfinished:
                    remark = f"{len(found) - unfinished} of {len(found)} proved"
                elif unfinished:
                    remark = f"> {settings.trial_limit:g} s"
                planned = max(1, len(point.tasks))
                rows.append(
                    mean_row(
                        dataset, point.quantity, point.strategy, values, planned=planned, at=point.at, remark=remark
                    )
                )
        rows += self.extra(settings, rows)
        return Reproduction.of(
            study,
            settings,
            rows,
            claims=[_fitting(claim, study) for claim in self.claims(settings, rows)],
            notes=[*(NOTES[name] for name in settings.datasets if name in NOTES), *self.notes],
            axis=self.axis,
            digits=self.digits,
            interrupted=outcomes.interrupted,
        )


def _fitting(claim: Claim, study: Study) -> Claim:
    """A claim of the paper is no claim about a dataset that the paper did not have: it is shown, but not judged."""
    return replace(claim, holds=None) if claim.dataset and claim.dataset not in study.datasets else claim


def _hopeless(task: Task, done: Mapping[Task, Outcome]) -> bool:
    """Whether the same with a larger m, which is less work, ran out of time."""
    arguments = dict(task.arguments)
    m = arguments.get("m")
    if not isinstance(m, int):
        return False
    for larger in M_VALUES:
        outcome = done.get(Task.of(task.call, **{**arguments, "m": larger})) if larger > m else None
        if outcome is not None and not outcome.get("complete", True):
            return True
    return False


def lines_of(rows: Iterable[Row], quantity: str) -> dict[tuple[str, str], dict[float, float]]:
    """Our values of a quantity: by (dataset, strategy), then by place."""
    return {
        line: {at: row.ours for at, row in found.items() if row.ours is not None}
        for line, found in measured(rows, quantity).items()
    }


def measured(rows: Iterable[Row], quantity: str) -> dict[tuple[str, str], dict[float, Row]]:
    """The rows of a quantity that have a number of ours: by (dataset, strategy), then by place."""
    lines: dict[tuple[str, str], dict[float, Row]] = {}
    for row in rows:
        if row.quantity == quantity and row.ours is not None and isinstance(row.at, int | float):
            lines.setdefault((row.dataset, row.strategy), {})[float(row.at)] = row
    return lines

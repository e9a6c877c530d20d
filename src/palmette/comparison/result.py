"""The result of a comparison: every trial, and what they come to for each dataset and strategy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.comparison.significance import BEST, STAR, marks
from palmette.comparison.stability import StabilityScore, pairwise_correlations, stability_score
from palmette.comparison.trial import STOPPED, Trial
from palmette.comparison.triples import Protocol
from palmette.search.history import frame_of

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["MEASURES", "Cell", "Comparison", "DatasetRecord", "Measure", "Summary"]


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that is measured in every trial, or, for stability, in every pair of trials."""

    name: str
    title: str
    highest: bool = False


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("search_error", "search error"),
        Measure("test_error", "test error"),
        Measure("n_selected", "features selected"),
        Measure("n_used", "features used"),
        Measure("stability", "stability", highest=True),
        Measure("seconds", "seconds"),
        Measure("cpu_seconds", "CPU seconds"),
        Measure("n_trees", "trees built"),
    )
}
"""What is measured, in the order of the tables."""


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """What a comparison remembers of a dataset."""

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    feature_names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A mean over trials with its standard deviation (NaN for a single one), and the marks.

    `mark` is that of the paired t-test, as in the papers' tables; `mark_corrected` that of the test for resampled
    folds. "best", "star" (not different from the best at 95 %) or None.
    """

    mean: float
    sd: float
    n: int
    mark: str | None = None
    mark_corrected: str | None = None


@dataclass(frozen=True, eq=False)
class Cell:
    """What the trials of one strategy on one dataset come to."""

    dataset: str
    strategy: str
    trials: tuple[Trial, ...]
    """The finished ones, by place."""
    failures: tuple[Trial, ...]
    summaries: dict[str, Summary]
    """By the name of the measure; a measure that no trial has is not there."""
    stability: StabilityScore | None

    @property
    def n_stopped(self) -> int:
        """Trials that a limit of the estimator ended before its work was done."""
        return sum(trial.status in STOPPED for trial in self.trials)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Strategies side by side on the same triples of building, search and test samples; made by `compare`.

    Parameters
    ----------
    protocol : Protocol
        How the samples were divided.
    datasets : tuple of DatasetRecord
    strategies : tuple of str
    results : tuple of Trial
        Every trial that came to an end, failed ones included.
    status : {"complete", "interrupted", "time_limit"}
        Whether all trials were run, or what ended the comparison.
    """

    protocol: Protocol
    datasets: tuple[DatasetRecord, ...]
    strategies: tuple[str, ...]
    results: tuple[Trial, ...]
    status: str

    @property
    def n_trials(self) -> int:
        """How many trials a complete comparison has."""
        return len(self.datasets) * len(self.strategies) * self.protocol.repeats * self.protocol.folds

    @cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """What the trials come to, by (dataset, strategy)."""
        groups: dict[tuple[str, str], list[Trial]] = {
            (dataset.name, strategy): [] for dataset in self.datasets for strategy in self.strategies
        }
        for trial in sorted(self.results, key=lambda trial: trial.place):
            groups[trial.dataset, trial.strategy].append(trial)
        return {
            (dataset.name, strategy): cell
            for dataset in self.datasets
            for strategy, cell in _cells_of(
                dataset, {strategy: groups[dataset.name, strategy] for strategy in self.strategies}, self.protocol
            )
        }

    def cell(self, dataset: str, strategy: str) -> Cell:
        """What the trials of a strategy on a dataset come to."""
        if (dataset, strategy) not in self.cells:
            names = ", ".join(record.name for record in self.datasets)
            raise KeyError(
                f"There is no cell ({dataset!r}, {strategy!r}). The datasets are {names}; the strategies are "
                f"{', '.join(self.strategies)}."
            )
        return self.cells[dataset, strategy]

    def wins(self, measure: str = "test_error", *, corrected: bool = False) -> dict[str, tuple[int, int]]:
        """For each strategy the datasets where it is best, and those where it does not differ from the best at 95 %."""
        counts = {}
        for strategy in self.strategies:
            given = [
                summary.mark_corrected if corrected else summary.mark
                for dataset in self.datasets
                if (summary := self.cells[dataset.name, strategy].summaries.get(measure)) is not None
            ]
            counts[strategy] = (given.count(BEST), given.count(STAR))
        return counts

    def frame(self) -> DataFrame:
        """A pandas frame with a row for each dataset and strategy.

        For every measure `x` of a trial there are the mean `x`, the standard deviation `x_sd`, and the marks `x_mark`
        and `x_mark_corrected`; for the stability its interval, `stability_low` and `stability_high`.

        Returns
        -------
        pandas.DataFrame
        """
        return frame_of(_columns(_row(cell) for cell in self.cells.values()))

    def trials(self) -> DataFrame:
        """A pandas frame with a row for each trial.

        Returns
        -------
        pandas.DataFrame
        """
        return frame_of(_columns(_trial_row(trial) for trial in self.results))


def _cells_of(dataset: DatasetRecord, groups: dict[str, list[Trial]], protocol: Protocol) -> Iterable[tuple[str, Cell]]:
    finished = {name: tuple(trial for trial in trials if not trial.failed) for name, trials in groups.items()}
    summaries: dict[str, dict[str, Summary]] = {name: {} for name in groups}
    stabilities: dict[str, StabilityScore | None] = dict.fromkeys(groups)
    for measure in MEASURES.values():
        if measure.name == "stability":
            values = {name: _pairs(trials, dataset.n_features) for name, trials in finished.items()}
        else:
            values = {
                name: {
                    trial.place: float(number)
                    for trial in trials
                    if (number := getattr(trial, measure.name)) is not None
                }
                for name, trials in finished.items()
            }
        plain = marks(values, highest=measure.highest)
        # Pairs of folds overlap in many ways, for which no correction is known.
        corrected = (
            plain
            if measure.name == "stability"
            else marks(values, highest=measure.highest, test_to_training=1 / (protocol.folds - 1))
        )
        for name, numbers in values.items():
            if numbers:
                summaries[name][measure.name] = _summary(list(numbers.values()), plain[name], corrected[name])
    for name, trials in finished.items():
        masks = _masks(trials, dataset.n_features)
        if len(masks) >= 2:
            stabilities[name] = stability_score(masks)
    for name in groups:
        failures = tuple(trial for trial in groups[name] if trial.failed)
        yield name, Cell(dataset.name, name, finished[name], failures, summaries[name], stabilities[name])


def _masks(trials: tuple[Trial, ...], n_features: int) -> Any:
    used = [trial.used for trial in trials if trial.used is not None]
    masks = np.zeros((len(used), n_features), dtype=bool)
    for row, features in zip(masks, used, strict=True):
        row[list(features)] = True
    return masks


def _pairs(trials: tuple[Trial, ...], n_features: int) -> dict[object, float]:
    """The correlations of the sets of features used, by pairs of places."""
    known = [trial for trial in trials if trial.used is not None]
    if len(known) < 2:
        return {}
    correlations = pairwise_correlations(_masks(trials, n_features))
    return {
        (known[first].place, known[second].place): float(correlations[first, second])
        for first in range(len(known))
        for second in range(first + 1, len(known))
    }


def _summary(numbers: list[float], mark: str | None, corrected: str | None) -> Summary:
    sd = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else math.nan
    return Summary(float(np.mean(numbers)), sd, len(numbers), mark, corrected)


def _row(cell: Cell) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dataset": cell.dataset,
        "strategy": cell.strategy,
        "n_trials": len(cell.trials),
        "n_stopped": cell.n_stopped,
        "n_failed": len(cell.failures),
        "message": cell.failures[0].message if cell.failures else "",
    }
    for name in MEASURES:
        summary = cell.summaries.get(name)
        row[name] = math.nan if summary is None else summary.mean
        row[f"{name}_sd"] = math.nan if summary is None else summary.sd
        row[f"{name}_mark"] = None if summary is None else summary.mark
        row[f"{name}_mark_corrected"] = None if summary is None else summary.mark_corrected
        if name == "stability":
            row["stability_low"] = math.nan if cell.stability is None else cell.stability.low
            row["stability_high"] = math.nan if cell.stability is None else cell.stability.high
    return row


def _trial_row(trial: Trial) -> dict[str, Any]:
    return {
        "dataset": trial.dataset,
        "strategy": trial.strategy,
        "repeat": trial.repeat,
        "fold": trial.fold,
        "status": trial.status,
        "message": trial.message,
        **{name: getattr(trial, name) for name in MEASURES if name != "stability"},
        "selected": trial.selected,
        "used": trial.used,
    }


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns

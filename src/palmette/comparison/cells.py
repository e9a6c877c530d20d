"""What the trials of a comparison come to: means, deviations, marks and stability for each dataset and strategy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.comparison.significance import marks
from palmette.comparison.stability import StabilityScore, pairwise_correlations, stability_score
from palmette.comparison.trial import STOPPED, Trial
from palmette.comparison.triples import Protocol

__all__ = ["MEASURES", "ComparisonCell", "DatasetRecord", "Measure", "Summary", "cells_of"]


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that is measured in every trial, or, for stability, in every pair of trials."""

    name: str
    title: str
    highest: bool = False
    marked: bool = True
    """Whether a best one is marked, as in the papers' tables: not for what is no merit of its own."""


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("search_error", "search error"),
        Measure("test_error", "test error"),
        Measure("n_selected", "features selected"),
        Measure("n_used", "features used"),
        Measure("stability", "stability", highest=True),
        Measure("seconds", "seconds", marked=False),
        Measure("cpu_seconds", "CPU seconds", marked=False),
        Measure("n_trees", "trees", marked=False),
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
class ComparisonCell:
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


def cells_of(dataset: DatasetRecord, groups: Mapping[str, list[Trial]], protocol: Protocol) -> Iterator[ComparisonCell]:
    """The cells of a dataset, from the trials of each strategy, sorted by place."""
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
        plain: dict[str, str | None] = dict.fromkeys(values)
        corrected = plain
        if measure.marked:
            corrected = plain = marks(values, highest=measure.highest)
        if measure.marked and measure.name != "stability":
            # Pairs of folds overlap in many ways, for which no correction is known.
            corrected = marks(values, highest=measure.highest, test_to_training=1 / (protocol.folds - 1))
        for name, numbers in values.items():
            if numbers:
                summaries[name][measure.name] = _summary(list(numbers.values()), plain[name], corrected[name])
    for name, trials in finished.items():
        masks = _masks(trials, dataset.n_features)
        if len(masks) >= 2:
            stabilities[name] = stability_score(masks)
    for name in groups:
        failures = tuple(trial for trial in groups[name] if trial.failed)
        yield ComparisonCell(dataset.name, name, finished[name], failures, summaries[name], stabilities[name])


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

"""What a report asks beyond the result itself, each within a share of a time budget: what a feature costs to drop,
which other subsets are nearly as good, and how stable the selection is.

An answer that was cut short, or that could not be had, says so in `remark`.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing

from palmette.data.encoding import encode
from palmette.data.labels import read_labels
from palmette.data.reading import read_table
from palmette.data.table import Table
from palmette.data.weights import read_weights
from palmette.report.parts import several
from palmette.search.acceptable import AcceptableSubsets, acceptable_subsets
from palmette.search.costs import FeatureCosts, feature_costs
from palmette.search.folds import Fold
from palmette.search.pareto import ParetoFront, pareto_front
from palmette.search.progress import duration
from palmette.search.selector import SubsetSelector
from palmette.search.task import SearchTask
from palmette.search.units import MOST_UNITS, Units, read_units
from palmette.support.budget import bytes_of
from palmette.support.parameters import resolve_n_jobs
from palmette.tree.base import Problem

__all__ = ["Allowance", "Alternatives", "Drops", "Stability", "alternatives", "drops", "resampled", "stability"]

RESAMPLES = 20
FEWEST_RESAMPLES = 5
RESAMPLE_SHARE = 0.8
MOST_LISTED = 12
FUNCTION_WORDS = "The function that was minimised is not called again for a report."


class Allowance:
    """Seconds that may be spent; `share` gives a part of what is left. Ctrl-C ends it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds
        self._interrupted = False

    @property
    def left(self) -> float:
        return max(self._end - time.perf_counter(), 0.0)

    def share(self, part: float) -> float:
        """Seconds for the next question, at least a moment."""
        return max(self.left * part, 0.05)

    def interrupt(self) -> None:
        """Note a Ctrl-C that came within a question of which something is known already."""
        self._interrupted = True

    def check(self) -> None:
        """Raise KeyboardInterrupt where no further question may be asked."""
        if self._interrupted:
            raise KeyboardInterrupt


@dataclass(frozen=True, eq=False)
class Drops:
    """Search errors for every selected feature: without it, and of the best subset without it.

    Infinite where nobody knows; `replaced` is None where no complete search was possible.
    """

    features: tuple[int, ...]
    dropped: NDArray[np.float64]
    replaced: NDArray[np.float64] | None
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Other subsets: those within one standard error of the best, and the best of each size."""

    acceptable: AcceptableSubsets | None
    front: ParetoFront | None
    margin: float
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Stability:
    """How often each feature was selected on resamples; a row of `masks` is a resample."""

    masks: NDArray[np.bool_]
    remark: str = ""

    @property
    def frequencies(self) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = self.masks.mean(axis=0)
        return shares


def standard_error(selector: SubsetSelector) -> float:
    """That of the search error, as if the tree had not been chosen by it."""
    n_samples = sum(len(search) for _, search in selector.folds_)
    return math.sqrt(max(selector.error_ * (1 - selector.error_), 0.0) / n_samples)


def drops(selector: SubsetSelector, X: Any, y: Any, sample_weight: Any, allowance: Allowance) -> Drops:
    """What it costs to do without each selected feature, on the search samples of the fit."""
    chosen = np.flatnonzero(selector.support_).tolist()
    if callable(selector.error):
        remark = f"What each costs to drop is not known. {FUNCTION_WORDS}"
        return Drops(tuple(chosen), _unknown(chosen), None, remark)
    limit = allowance.share(0.3)
    start = time.perf_counter()
    dropped = _unknown(chosen)
    remark = ""
    units = read_units(None, selector.groups, selector.estimator_._schema.names, len(selector.support_))
    members = {feature: unit for unit in units.members for feature in unit}
    task = _narrow_task(selector, X, y, sample_weight, chosen) if chosen else None
    replaced, more = None, ""
    try:
        for place, feature in enumerate(chosen):
            if task is None or time.perf_counter() - start > limit:
                after = f"{place} of {len(chosen)} features"
                remark = f"The time for this question ({duration(limit)}) was over after {after}."
                break
            rest = [number for number, other in enumerate(chosen) if other not in members[feature]]
            dropped[place] = task.error_of(rest)
        replaced, more = _replaced(selector, X, y, sample_weight, allowance)
    except KeyboardInterrupt:
        allowance.interrupt()
        more = "This question was interrupted."
    return Drops(tuple(chosen), dropped, None if replaced is None else replaced[chosen], f"{remark} {more}".strip())


def _replaced(
    selector: SubsetSelector, X: Any, y: Any, sample_weight: Any, allowance: Allowance
) -> tuple[NDArray[np.float64] | None, str]:
    if _too_many(selector):
        return None, _why_not(selector)
    limit = allowance.share(0.4)
    with _quietly():
        costs: FeatureCosts = feature_costs(X, y, **_question(selector, sample_weight, limit))
    _end_where_interrupted(costs.status)
    if costs.status == "optimal":
        return costs.error_without, ""
    return None, f"The best subset without each feature was not found within {duration(limit)}."


def _end_where_interrupted(status: str) -> None:
    """A question ends on Ctrl-C with what it has; here it was meant for the report, and no other may be asked."""
    if status == "interrupted":
        raise KeyboardInterrupt


def alternatives(selector: SubsetSelector, X: Any, y: Any, sample_weight: Any, allowance: Allowance) -> Alternatives:
    """Subsets within one standard error of the best, and the best of each size."""
    if callable(selector.error):
        return Alternatives(None, None, 0.0, f"They are not known. {FUNCTION_WORDS}")
    margin = standard_error(selector)
    if _too_many(selector):
        return Alternatives(None, None, margin, _why_not(selector))
    limit = allowance.share(0.3)
    with _quietly():
        front: ParetoFront | None = pareto_front(X, y, **_question(selector, sample_weight, limit))
    remarks = []
    if front is not None and front.status != "optimal":
        _end_where_interrupted(front.status)
        remarks.append(f"The best of each size was not proved within {duration(limit)}.")
        front = None
    limit = allowance.share(0.4)
    with _quietly():
        question = _question(selector, sample_weight, limit)
        found = acceptable_subsets(X, y, error_gap=min(margin, 1.0), limit=MOST_LISTED, **question)
    if found.status == "interrupted":
        allowance.interrupt()
        remarks.append("The search for them was interrupted: there may be more and better ones than these.")
    elif found.status != "complete":
        remarks.append(
            f"The list was not complete after {duration(limit)}: there may be more and better ones than these."
        )
    return Alternatives(found, front, margin, " ".join(remarks))


def stability(
    selector: SubsetSelector, X: Any, y: Any, sample_weight: Any, allowance: Allowance, seed: int
) -> Stability:
    """The selection again on parts of the samples, as often as there is time for."""
    support = selector.support_
    if not isinstance(selector.error, str):
        own = "Its `error` names samples of its own, which a resample would not have."
        remark = FUNCTION_WORDS if callable(selector.error) else own
        return Stability(np.zeros((0, len(support)), dtype=bool), remark)
    return resampled(selector, support, X, y, sample_weight, allowance, seed, selector.search_seconds_)


def resampled(
    selector: Any,
    support: NDArray[np.bool_],
    X: Any,
    y: Any,
    sample_weight: Any,
    allowance: Allowance,
    seed: int,
    took: float = 0.0,
) -> Stability:
    """The same for any selector; `took` is how long a selection takes, if it is known."""
    nothing = np.zeros((0, len(support)), dtype=bool)
    if took * FEWEST_RESAMPLES > allowance.left:
        return Stability(
            nothing,
            f"One selection took {duration(took)}, and {FEWEST_RESAMPLES} of them would not fit into what is left of "
            f"the time for this report ({duration(allowance.left)}).",
        )
    labels = np.asarray(y)
    weights = None if sample_weight is None else np.asarray(sample_weight)
    generator = np.random.RandomState(seed)
    again = clone(selector)
    given = again.get_params(deep=False)
    again.set_params(**{name: None for name in ("callback", "checkpoint") if name in given})
    masks: list[NDArray[np.bool_]] = []
    cut = 0
    while len(masks) < RESAMPLES and allowance.left > took:
        start = time.perf_counter()
        rows = _resample(labels, generator)
        if len(np.unique(labels[rows])) < 2:
            break
        number = int(generator.randint(2**31 - 1))
        if "random_state" in given:
            again.set_params(random_state=number)
        if "time_limit" in given:
            limit = given["time_limit"]
            again.set_params(time_limit=max(allowance.left if limit is None else min(limit, allowance.left), 0.05))
        with _quietly():
            part = _safe_indexing(X, rows)
            if weights is None:
                again.fit(part, labels[rows])
            else:
                again.fit(part, labels[rows], sample_weight=weights[rows])
        status = getattr(again, "status_", "complete")
        if status == "interrupted":
            raise KeyboardInterrupt
        if status == "time_limit" and getattr(selector, "status_", "complete") != "time_limit":
            break
        cut += status in ("time_limit", "memory_limit")
        masks.append(np.array(again.get_support(), dtype=bool))
        took = max(took, time.perf_counter() - start) if took == 0 else took
    if len(masks) < FEWEST_RESAMPLES:
        return Stability(nothing, f"There was time for {several(len(masks), 'resample')} only: that tells too little.")
    remark = ""
    if len(masks) < RESAMPLES:
        remark = f"There was time for {len(masks)} resamples, not for {RESAMPLES}."
    if cut:
        remark += f" {cut} of the searches ended at a limit, with the best subset so far."
    return Stability(np.array(masks), remark.strip())


def _resample(labels: NDArray[Any], generator: np.random.RandomState) -> NDArray[np.int64]:
    """A part of the rows, without repetitions: one would be on both sides of the split of the search."""
    everyone = np.arange(len(labels))
    for classes in (labels, None):
        try:
            rows, _ = train_test_split(
                everyone, train_size=RESAMPLE_SHARE, stratify=classes, random_state=generator.randint(2**31 - 1)
            )
        except ValueError:  # A class of one sample cannot be on both sides.
            continue
        return np.sort(rows)
    return everyone


def _narrow_task(selector: SubsetSelector, X: Any, y: Any, sample_weight: Any, chosen: list[int]) -> SearchTask:
    """The task of the fit with its very folds, but of the selected columns only: there may be thousands of others."""
    reader: Any = clone(selector.estimator_)
    whole = read_table(X, reference=selector.estimator_._schema, needed=chosen)
    names = None if whole.names is None else tuple(whole.names[feature] for feature in chosen)
    table = Table(tuple(whole.columns[feature] for feature in chosen), whole.n_rows, names)
    labels, reader.classes_ = read_labels(y, table.n_rows)
    reader._schema = table.schema
    weights = read_weights(sample_weight, table.n_rows)
    n_jobs = resolve_n_jobs(selector.n_jobs)
    return SearchTask(
        reader=reader,
        problem=Problem(table, encode(table, labels, len(reader.classes_), weights, n_jobs)),
        weights=weights,
        folds=tuple(Fold(building, search) for building, search in selector.folds_),
        units=Units(tuple((place,) for place in range(len(chosen)))),
        max_features=None,
        memory_limit=bytes_of(None),
        n_jobs=n_jobs,
        seed=0,
    )


def _question(selector: SubsetSelector, sample_weight: Any, limit: float | None) -> dict[str, Any]:
    """The parameters of the fit, and its very folds."""
    return {
        "tree": selector.tree,
        "sample_weight": sample_weight,
        "error": selector.folds_,
        "search_size": selector.search_size,
        "n_folds": selector.n_folds,
        "keep": selector.keep,
        "groups": selector.groups,
        "max_features": selector.max_features,
        "memory_limit": selector.memory_limit,
        "n_jobs": selector.n_jobs,
        "random_state": 0,
        "time_limit": limit,
    }


def _too_many(selector: SubsetSelector) -> bool:
    return bool(len(selector.support_) > MOST_UNITS)


def _why_not(selector: SubsetSelector) -> str:
    return (
        f"With {len(selector.support_):,} features no complete search is possible, so the best subset without each "
        "feature, and all near-best subsets, are not known."
    )


def _unknown(features: list[int]) -> NDArray[np.float64]:
    return np.full(len(features), np.inf)


@contextmanager
def _quietly() -> Iterator[None]:
    """What a search would warn of is told in the report instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

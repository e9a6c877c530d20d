"""The curves that the figures of Ruggieri (2017, 2019) share, counts of trees, times and errors over m, and the claims.

`icml2017.py` and `jmlr2019_figures.py` say which figure has which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from palmette import published
from palmette.reproduce.counting import build_trial, count_trial
from palmette.reproduce.panels import M_VALUES, Point, lines_of, measured
from palmette.reproduce.results import Claim, Row
from palmette.reproduce.settings import Settings
from palmette.reproduce.timing import time_trial
from palmette.reproduce.trials import tree_trial
from palmette.reproduce.work import Outcome, Task

__all__ = [
    *("COUNTS", "GREATEST", "ONE_TRIPLE", "RATIO", "SEARCH", "SECONDS", "TEST"),
    *("below", "distribution", "error_over_m", "greatest_ratio", "n_features_of", "per_repeat", "ratio_claim"),
    *("ratio_over_m", "ratios_of", "seconds_over_m", "timed_over_m"),
]

COUNTS = "number of distinct trees"
RATIO = "trees built / distinct trees"
SECONDS = "seconds"
SEARCH = "search error in %"
TEST = "generalization error in %"
GREATEST = "greatest ratio of trees built to distinct trees"
ONE_TRIPLE = "Counts and times are of the first triple of every repetition; --repeats says how many."


def per_repeat(
    settings: Settings, call: Callable[..., Outcome], dataset: str, m: int, **arguments: str
) -> tuple[Task, ...]:
    """The same on the first triple of every repetition."""
    return tuple(
        Task.of(
            call,
            dataset=dataset,
            m=m,
            repeat=repeat,
            folds=settings.folds,
            seed=settings.random_state,
            **arguments,
        )
        for repeat in range(settings.repeats)
    )


def _counted(settings: Settings, dataset: str, order: str, m: int) -> tuple[Task, ...]:
    return per_repeat(settings, count_trial, dataset, m, order=order)


def distribution(settings: Settings, dataset: str, m_values: Sequence[int]) -> Iterable[Point]:
    """Distinct trees by the number of features that they use, beside the number of subsets of that size."""
    n_features = n_features_of(dataset)
    for m in m_values:
        tasks = _counted(settings, dataset, "ranked", m)
        for size in range(n_features + 1):
            yield Point(dataset, COUNTS, f"m = {m}", size, tasks, _item("by_size", size))
    for size in range(n_features + 1):
        yield Point(dataset, COUNTS, "binomial", size, (), _constant(math.comb(n_features, size)))


def ratio_over_m(
    settings: Settings, dataset: str, orders: Mapping[str, str], *, exhaustive: bool = False
) -> Iterable[Point]:
    """Trees built over distinct trees for every order; with `exhaustive`, also that of trying all subsets."""
    for m in M_VALUES:
        for title, order in orders.items():
            tasks = _counted(settings, dataset, order, m)
            yield Point(dataset, RATIO, title, m, tasks, lambda found: found["built"] / found["distinct"])
        if exhaustive:
            tasks = _counted(settings, dataset, "ranked", m)
            yield Point(
                dataset, RATIO, "exhaustive", m, tasks, lambda found: 2 ** found["n_features"] / found["distinct"]
            )


def seconds_over_m(
    settings: Settings, dataset: str, orders: Mapping[str, str], *, exhaustive: bool = False
) -> Iterable[Point]:
    """Seconds to enumerate the distinct trees in every order; with `exhaustive`, also to build those of all subsets."""
    for m in M_VALUES:
        if exhaustive:
            tasks = per_repeat(settings, build_trial, dataset, m)
            yield Point(dataset, SECONDS, "exhaustive", m, tasks, _entry("total"))
        for title, order in orders.items():
            yield Point(dataset, SECONDS, title, m, _counted(settings, dataset, order, m), _entry("seconds"))


def timed_over_m(
    settings: Settings, dataset: str, strategies: Mapping[str, str], quantity: str, measure: str
) -> Iterable[Point]:
    """Seconds or search errors over m, from fits that run one after another."""
    for m in M_VALUES:
        for title, strategy in strategies.items():
            tasks = tuple(
                Task.of(
                    time_trial,
                    strategy=strategy,
                    criterion="information_gain",
                    m=m,
                    threads=settings.n_jobs,
                    **place,
                )
                for place in _places(settings, dataset)
            )
            yield Point(dataset, quantity, title, m, tasks, _entry(measure))


def error_over_m(
    settings: Settings, dataset: str, strategies: Mapping[str, str], quantity: str, measure: str
) -> Iterable[Point]:
    """Errors over m; a search that ran out of time counts with the best subset it had."""
    for m in M_VALUES:
        for title, strategy in strategies.items():
            tasks = tuple(
                Task.of(tree_trial, strategy=strategy, criterion="information_gain", m=m, **place)
                for place in _places(settings, dataset)
            )
            keeps = strategy.startswith("DTaccept")
            yield Point(dataset, quantity, title, m, tasks, _entry(measure), keeps)


def _places(settings: Settings, dataset: str) -> list[dict[str, Any]]:
    return [
        {
            "dataset": dataset,
            "repeat": repeat,
            "fold": fold,
            "folds": settings.folds,
            "seed": settings.random_state,
        }
        for repeat in range(settings.repeats)
        for fold in range(settings.folds)
    ]


def below(
    words: str,
    rows: Sequence[Row],
    quantity: str,
    dataset: str,
    lower: str,
    higher: str,
    *,
    slack: float = 0.0,
    chosen: Callable[[float], bool] = lambda at: True,
) -> Claim:
    """A claim that one line lies below another wherever both were measured.

    A place speaks against it where the first is above the second by more than `slack` and two standard errors.
    """
    lines = measured(rows, quantity)
    first, second = lines.get((dataset, lower), {}), lines.get((dataset, higher), {})
    both = sorted(at for at in first if at in second and chosen(at))
    against = [at for at in both if _excess(first[at], second[at]) > slack]
    evidence = f"at {len(both) - len(against)} of {len(both)} places"
    if against:
        evidence += f"; not at {', '.join(f'{at:g}' for at in against)}"
    return Claim(words, not against if both else None, evidence if both else "", dataset)


def ratios_of(rows: Sequence[Row]) -> list[float]:
    """Trees built over distinct trees, wherever they were counted."""
    return [value for line in lines_of(rows, RATIO).values() for value in line.values()]


def greatest_ratio(study: str, rows: Sequence[Row]) -> Row:
    """The greatest of these ratios, beside the one that the text of the figure states."""
    found, paper = ratios_of(rows), published.stated(study, "greatest_ratio")
    if not found:
        return Row("all", GREATEST, "DTdistinct", published=paper, status="over the limit")
    return Row("all", GREATEST, "DTdistinct", ours=max(found), n=len(found), published=paper)


def ratio_claim(
    words: str, ratios: Collection[float], limit: float, *, digits: int, dataset: str = "", reached: bool = False
) -> Claim:
    """A claim that all ratios are below a limit, or at most equal to it where it may be `reached`."""
    if not ratios:
        return Claim(words, None, "", dataset)
    greatest = max(ratios)
    evidence = f"at most {greatest:.{digits}f}" + ("" if dataset else f" over {len(ratios)} counts")
    return Claim(words, greatest <= limit if reached else greatest < limit, evidence, dataset)


def _excess(first: Row, second: Row) -> float:
    """By how much one value is above the other, less two standard errors of the difference."""
    assert first.ours is not None
    assert second.ours is not None
    return first.ours - second.ours - 2 * math.hypot(first.standard_error or 0.0, second.standard_error or 0.0)


def n_features_of(dataset: str) -> int:
    """The number of features of a dataset; 0 where it is not there."""
    from palmette.datasets import available

    known = {record.name: record.features for record in available()}
    return int(known.get(dataset) or 0)


def _item(name: str, place: int) -> Callable[[Any], float]:
    return lambda found: float(found[name][place]) if place < len(found[name]) else 0.0


def _entry(name: str) -> Callable[[Any], float]:
    return lambda found: float(found[name])


def _constant(value: float) -> Callable[[Any], float]:
    return lambda found: float(value)

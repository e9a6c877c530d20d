"""Figures 4 to 8 of Ruggieri (2019): how many distinct trees there are, and what searching them costs and gives.

The paper prints curves without numbers; what its text says of them is judged as claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from palmette import published
from palmette.reproduce import curves
from palmette.reproduce.counting import build_trial, walk_trial
from palmette.reproduce.curves import COUNTS, GREATEST, ONE_TRIPLE, RATIO, SEARCH, SECONDS, TEST, below
from palmette.reproduce.panels import Figure, Point, lines_of
from palmette.reproduce.results import Claim, Row
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.work import Outcome

ENUMERATION = {"DTdistinct": "frontier_2019"}
ORDERS = {**ENUMERATION, "fixed": "fixed", "reverse": "reversed"}
ACCEPTABLE = {"δ = 0": "DTaccept0", "δ = 0.02": "DTaccept0.02", "δ = 0.04": "DTaccept0.04"}
SELECTED = {
    "baseline": "baseline",
    "DTaccept0": "DTaccept0",
    "DTaccept0.02": "DTaccept0.02",
    "DTaccept0.04": "DTaccept0.04",
    "SBE": "DTsbe",
}
MILLISECONDS = "milliseconds to build a tree"
EXCESS = "search error above that of a best subset, in points of %"
SPEED_UP = "time of SBE / time of DTsbe"
DATASETS_OF_FIGURE8 = ("letter", "hypo", "ionosphere", "soybean", "anneal", "sonar", "adult")


def _points_of_figure4(settings: Settings, dataset: str) -> Iterable[Point]:
    """Distinct trees by size, and the overhead of the orders."""
    yield from curves.distribution(settings, dataset, (128, 32, 8))
    yield from curves.ratio_over_m(settings, dataset, ORDERS, exhaustive=True)


def _claims_of_figure4(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    counts, ratios = lines_of(rows, COUNTS), lines_of(rows, RATIO)
    for dataset in settings.datasets:
        totals = {m: sum(counts.get((dataset, f"m = {m}"), {}).values()) for m in (128, 32, 8)}
        known = [total for total in totals.values() if total]
        yield Claim(
            "The smaller m, the nearer the distinct trees come to all subsets.",
            known == sorted(known) if len(known) > 1 else None,
            ", ".join(f"m = {m}: {total:.0f}" for m, total in totals.items() if total),
            dataset,
        )
    for dataset in settings.datasets:
        words = "With the order of DTdistinct the ratio is almost 1 everywhere."
        line = ratios.get((dataset, "DTdistinct"), {})
        yield curves.ratio_claim(words, line.values(), 1.01, digits=5, dataset=dataset)
        for other in ("fixed", "reverse"):
            words = f"And lower than with the {other} order."
            yield below(words, rows, RATIO, dataset, "DTdistinct", other)


def _points_of_figure5(settings: Settings, dataset: str) -> Iterable[Point]:
    """Time for a tree by its size, and for all of them by m."""
    # The lists start with the trees of one feature and with those of none.
    for title, call, first in (("exhaustive", build_trial, 1), ("enumeration", walk_trial, 0)):
        tasks = curves.per_repeat(settings, call, dataset, 8)
        for size in range(1, curves.n_features_of(dataset) + 1):
            yield Point(dataset, MILLISECONDS, title, size, tasks, _milliseconds(size - first))
    orders = {**ENUMERATION, "ranked": "ranked"}
    yield from curves.seconds_over_m(settings, dataset, orders, exhaustive=True)


def _milliseconds(place: int) -> Callable[[Outcome], float]:
    def value(found: Outcome) -> float:
        seconds = found["by_size"][place]
        return math.nan if seconds is None else 1000.0 * float(seconds)

    return value


def _claims_of_figure5(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    for dataset in settings.datasets:
        words = "DTdistinct takes less time than the exhaustive search, for every m."
        yield below(words, rows, SECONDS, dataset, "DTdistinct", "exhaustive")
        words = "On the way through the distinct trees a tree takes less time than from scratch."
        yield below(words, rows, MILLISECONDS, dataset, "enumeration", "exhaustive")


def _points_of_figure6(settings: Settings, dataset: str) -> Iterable[Point]:
    """Times and search errors of acceptable subsets."""
    yield from curves.timed_over_m(settings, dataset, ACCEPTABLE, SECONDS, "seconds")
    lines = {**ACCEPTABLE, "all features": "baseline"}
    yield from curves.timed_over_m(settings, dataset, lines, SEARCH, "search_error")


def _extra_of_figure6(settings: Settings, rows: Sequence[Row]) -> Iterable[Row]:
    lines = lines_of(rows, SEARCH)
    for dataset in settings.datasets:
        best = lines.get((dataset, "δ = 0"), {})
        for gap in ("0.02", "0.04"):
            line = lines.get((dataset, f"δ = {gap}"), {})
            above = [line[at] - best[at] for at in line if at in best]
            paper = published.stated("jmlr2019-figure6", f"excess_{gap}")
            if above:
                ours = sum(above) / len(above)
                yield Row(dataset, EXCESS, f"δ = {gap}", ours=ours, n=len(above), published=paper)


def _claims_of_figure6(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    for dataset in settings.datasets:
        for strategy, gap in (("δ = 0.02", 2.0), ("δ = 0.04", 4.0)):
            words = f"The error found with {strategy} is at most {gap:g} points above the best."
            yield below(words, rows, SEARCH, dataset, strategy, "δ = 0", slack=gap + 1e-9)
        words = "A best subset has a lower search error than all features."
        yield below(words, rows, SEARCH, dataset, "δ = 0", "all features")


def _points_of_figure7(settings: Settings, dataset: str) -> Iterable[Point]:
    """Times and search errors of the eliminations."""
    eliminations = {"SBE": "SBE", "DTsbe": "DTsbe"}
    yield from curves.timed_over_m(settings, dataset, eliminations, SECONDS, "seconds")
    lines = {**eliminations, "DTaccept0": "DTaccept0", "all features": "baseline"}
    yield from curves.timed_over_m(settings, dataset, lines, SEARCH, "search_error")


def _extra_of_figure7(settings: Settings, rows: Sequence[Row]) -> Iterable[Row]:
    lines = lines_of(rows, SECONDS)
    paper = published.stated("jmlr2019-figure7", "speedup")
    for dataset in settings.datasets:
        slow, fast = lines.get((dataset, "SBE"), {}), lines.get((dataset, "DTsbe"), {})
        ratios = [slow[at] / fast[at] for at in slow if fast.get(at)]
        if ratios:
            ours = sum(ratios) / len(ratios)
            yield Row(dataset, SPEED_UP, "mean over m", ours=ours, n=len(ratios), published=paper)


def _claims_of_figure7(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    errors = lines_of(rows, SEARCH)
    for dataset in settings.datasets:
        yield below("DTsbe is faster than SBE for every m.", rows, SECONDS, dataset, "DTsbe", "SBE")
        both = errors.get((dataset, "SBE"), {}), errors.get((dataset, "DTsbe"), {})
        same = [at for at in both[0] if at in both[1]]
        yield Claim(
            "SBE and DTsbe find the same error.",
            all(abs(both[0][at] - both[1][at]) < 1e-9 for at in same) if same else None,
            f"at {len(same)} values of m" if same else "",
            dataset,
        )
        words = "Their error is close to that of a best subset (within 1 point)."
        yield below(words, rows, SEARCH, dataset, "DTsbe", "DTaccept0", slack=1.0)


def _points_of_figure8(settings: Settings, dataset: str) -> Iterable[Point]:
    """The overhead on other datasets, and generalization errors over m."""
    if dataset != "adult":
        yield from curves.ratio_over_m(settings, dataset, ENUMERATION)
    if dataset in ("adult", "ionosphere") or dataset not in DATASETS_OF_FIGURE8:
        yield from curves.error_over_m(settings, dataset, SELECTED, TEST, "test_error")


def _extra_of_figure8(settings: Settings, rows: Sequence[Row]) -> Iterable[Row]:
    yield curves.greatest_ratio("jmlr2019-figure8", rows)


def _claims_of_figure8(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    limit = published.stated("jmlr2019-figure8", "greatest_ratio")
    yield curves.ratio_claim(f"The ratios are below {limit:g}.", curves.ratios_of(rows), limit, digits=6)
    if "adult" in settings.datasets:
        words = "Best subsets have the best generalization error."
        yield below(words, rows, TEST, "adult", "DTaccept0", "baseline")
        for gap in ("0.02", "0.04"):
            words = f"{gap}-acceptable subsets are very close to it (within half a point)."
            yield below(words, rows, TEST, "adult", f"DTaccept{gap}", "DTaccept0", slack=0.5)
    if "ionosphere" in settings.datasets:
        large = partial(below, chosen=lambda at: at >= 32)
        words = "With large m (32 and more) the baseline errs less than SBE."
        yield large(words, rows, TEST, "ionosphere", "baseline", "SBE")
        words = "With large m SBE errs less than the best subsets."
        yield large(words, rows, TEST, "ionosphere", "SBE", "DTaccept0")


FIGURE4 = Figure(
    _points_of_figure4,
    _claims_of_figure4,
    axis={COUNTS: "size", RATIO: "m"},
    notes=(ONE_TRIPLE,),
    digits={COUNTS: 0, RATIO: 5},
)
FIGURE5 = Figure(
    _points_of_figure5,
    _claims_of_figure5,
    axis={MILLISECONDS: "size", SECONDS: "m"},
    notes=(
        ONE_TRIPLE,
        "Exhaustive: estimated from six random subsets of every size, each tree grown from scratch. Enumeration: "
        "palmette's own, from one distinct tree to the next; DTdistinct: the paper's algorithm on our trees.",
        "The 7-fold speed-up on eight cores that the text tells of cannot be seen on fewer cores.",
    ),
    digits={MILLISECONDS: 3, SECONDS: 2},
    threads=True,
)
FIGURE6 = Figure(
    _points_of_figure6,
    _claims_of_figure6,
    axis={SECONDS: "m", SEARCH: "m"},
    extra=_extra_of_figure6,
    notes=(
        "The gap δ is in error rates: 0.02 is 2 points of %. Our search starts from the answer of an elimination, "
        "so that a subset within a gap is often found, and proved acceptable, at once.",
    ),
    digits={SECONDS: 3},
    threads=True,
)
FIGURE7 = Figure(
    _points_of_figure7,
    _claims_of_figure7,
    axis={SECONDS: "m", SEARCH: "m"},
    extra=_extra_of_figure7,
    digits={SECONDS: 3},
    threads=True,
)
FIGURE8 = Figure(
    _points_of_figure8,
    _claims_of_figure8,
    axis={RATIO: "m", TEST: "m"},
    extra=_extra_of_figure8,
    notes=(ONE_TRIPLE + " Errors are of all folds.", "SBE is answered by DTsbe, which finds the same subset."),
    digits={RATIO: 6, GREATEST: 6},
)


STUDIES = (
    Study(
        name="jmlr2019-figure4",
        title="Distinct decision trees and overhead of DTdistinct on Adult",
        claim="The smaller m, the nearer the number of distinct trees to that of all subsets; with the order "
        "rk_frontier almost no tree is built twice, with a reversed or fixed order many are.",
        datasets=("adult",),
        run=FIGURE4,
        repeats=1,
        trial_limit=600.0,
        short="--datasets vehicle --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="jmlr2019-figure5",
        title="DTdistinct elapsed times on Adult",
        claim="The time to build a tree from scratch is linear in the number of features, incrementally it is "
        "sub-linear; DTdistinct is constantly faster than the exhaustive search.",
        datasets=("adult",),
        run=FIGURE5,
        repeats=1,
        trial_limit=600.0,
        short="--datasets wine --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="jmlr2019-figure6",
        title="DTaccept elapsed times and estimated errors on Adult",
        claim="A best subset is found in less time than all distinct trees are enumerated; acceptable subsets for "
        "δ = 0.02 and 0.04 are very close to the best.",
        datasets=("adult",),
        run=FIGURE6,
        repeats=1,
        trial_limit=600.0,
        short="--datasets ionosphere --folds 5 --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="jmlr2019-figure7",
        title="SBE and DTsbe elapsed times and estimated errors on Adult",
        claim="DTsbe is consistently in the order of twice as fast as SBE; their errors are the same, and very close "
        "to that of a best subset.",
        datasets=("adult",),
        run=FIGURE7,
        repeats=1,
        trial_limit=600.0,
        short="--datasets ionosphere --folds 5 --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="jmlr2019-figure8",
        title="Procedure performances: overhead on other datasets, generalization errors over m",
        claim="At most 0.035 % of the trees are built twice; on Adult best subsets generalize best, on Ionosphere with "
        "large m all features do.",
        datasets=DATASETS_OF_FIGURE8,
        run=FIGURE8,
        repeats=1,
        short="--datasets ionosphere,sonar --folds 5 --trial-limit 5 --time-limit 60",
        takes_others=True,
    ),
)

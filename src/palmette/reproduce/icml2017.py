"""Table 1 and Figures 3 to 5 of Ruggieri (2017): the first enumeration of distinct trees, and PSBE.

Elimination stops here when no removal makes the error smaller; the order of the enumeration is that of the number of
samples at the nodes of a feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palmette import published
from palmette.reproduce import curves
from palmette.reproduce.curves import COUNTS, GREATEST, ONE_TRIPLE, RATIO, SEARCH, SECONDS, TEST, below
from palmette.reproduce.panels import Figure, Point, lines_of
from palmette.reproduce.readings import NOTES
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row, published_cell
from palmette.reproduce.settings import Settings
from palmette.reproduce.sizes import smallest_first
from palmette.reproduce.study import Study
from palmette.reproduce.timing import time_trial
from palmette.reproduce.trials import tree_trial
from palmette.reproduce.work import Outcome, Task, run_tasks

PAPER_FOLDS = 50
NAME = "icml2017-table1"
TIMES = {"PSBE": ("PSBE 2017", "psbe"), "SBE": ("SBE 2017", "sbe")}
ERRORS = {"top": ("baseline", "top"), "(P)SBE": ("SBE 2017", "sbe_error"), "optimal": ("DTaccept0", "optimal")}
TIME_RATIO = "ratio of the times, PSBE / SBE"
ENUMERATION = {"DTdistinct": "cases_2017"}
ORDERS = {**ENUMERATION, "fixed": "fixed", "reverse": "reversed"}
LINES = {"top tree": "baseline", "optimal": "DTaccept0", "SBE": "SBE 2017"}


def table1(study: Study, settings: Settings) -> Reproduction:
    """Times one after another, errors side by side."""
    usable = smallest_first(settings.usable(study.datasets))
    places = [(repeat, fold) for repeat in range(settings.repeats) for fold in range(settings.folds)]

    def common(dataset: str, place: tuple[int, int]) -> dict[str, Any]:
        names = {"dataset": dataset, "criterion": "information_gain", "m": 2, "repeat": place[0], "fold": place[1]}
        return {**names, "folds": settings.folds, "seed": settings.random_state}

    def timed(dataset: str, strategy: str, place: tuple[int, int]) -> Task:
        return Task.of(time_trial, strategy=strategy, threads=settings.n_jobs, **common(dataset, place))

    def judged(dataset: str, strategy: str, place: tuple[int, int]) -> Task:
        return Task.of(tree_trial, strategy=strategy, **common(dataset, place))

    def gave_up(task: Task, done: Mapping[Task, Outcome]) -> bool:
        """Whether the first fold was too much; an optimal subset is sought on all where the paper has one."""
        arguments = dict(task.arguments)
        dataset, strategy = str(arguments["dataset"]), str(arguments["strategy"])
        if strategy == "DTaccept0" and published_cell(NAME, dataset, "optimal", 1)[0] is not None:
            return False
        make = timed if task.call is time_trial else judged
        first = done.get(make(dataset, strategy, (0, 0)))
        return first is not None and not first["complete"]

    quick = [strategy for strategy, _ in ERRORS.values() if strategy != "DTaccept0"]
    # What is quick first, so that a short run has some of everything.
    phases = (
        ([judged(d, strategy, place) for place in places for d in usable for strategy in quick], False),
        ([timed(d, strategy, place) for place in places for d in usable for strategy, _ in TIMES.values()], True),
        ([judged(d, "DTaccept0", place) for place in places for d in usable], False),
    )
    done: dict[Task, Outcome] = {}
    interrupted = False
    for at, (tasks, threads) in enumerate(phases):
        if not interrupted:
            part = (at / len(phases), (at + 1) / len(phases))
            outcomes = run_tasks(tasks, settings, threads=threads, skip=gave_up, part=part)
            done |= outcomes.done
            interrupted = outcomes.interrupted

    rows: list[Row] = []
    for dataset in study.datasets:
        status = settings.status_of(dataset)
        seconds = {}
        for title, (strategy, column) in TIMES.items():
            cell = published_cell(NAME, dataset, column, PAPER_FOLDS)
            if status is not None:
                seconds[title] = absent(dataset, SECONDS, title, status, cell=cell)
                continue
            found = [out for place in places if (out := done.get(timed(dataset, strategy, place)))]
            remark = f"> {settings.trial_limit:g} s" if any(not out["complete"] for out in found) else ""
            values = [float(out["seconds"]) for out in found if out["complete"]]
            seconds[title] = mean_row(dataset, SECONDS, title, values, planned=len(places), cell=cell, remark=remark)
        rows += [*seconds.values(), _ratio(dataset, seconds["PSBE"], seconds["SBE"])]
        for title, (strategy, column) in ERRORS.items():
            cell = published_cell(NAME, dataset, column, PAPER_FOLDS)
            if status is not None:
                rows.append(absent(dataset, TEST, title, status, cell=cell))
                continue
            keeps = strategy == "DTaccept0" and cell[0] is not None
            found = [out for place in places if (out := done.get(judged(dataset, strategy, place)))]
            found = [out for out in found if out["complete"] or keeps]
            proved = sum(bool(out["proved"]) for out in found)
            remark = f"{proved} of {len(found)} proved" if proved < len(found) else ""
            values = [float(out["test_error"]) for out in found]
            rows.append(mean_row(dataset, TEST, title, values, planned=len(places), cell=cell, remark=remark))
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims_of_table1(rows),
        notes=[
            *(NOTES[dataset] for dataset in usable if dataset in NOTES),
            f"A fit has at most {settings.trial_limit:g} s (the paper's: 1 h). The paper's times are of four cores "
            "of an i5-2410 at 2.3 GHz.",
        ],
        digits={SECONDS: 3, TIME_RATIO: 3},
        interrupted=interrupted,
    )


def _ratio(dataset: str, psbe: Row, sbe: Row) -> Row:
    cell = published_cell(NAME, dataset, "ratio", 1)
    if psbe.ours is None or sbe.ours is None:
        status = psbe.status if psbe.ours is None else sbe.status
        return absent(dataset, TIME_RATIO, "PSBE / SBE", status, cell=cell)
    return Row(dataset, TIME_RATIO, "PSBE / SBE", ours=psbe.ours / sbe.ours, n=min(psbe.n, sbe.n), published=cell[0])


def _claims_of_table1(rows: Sequence[Row]) -> list[Claim]:
    ratios = [row.ours for row in rows if row.quantity == TIME_RATIO and row.ours is not None]
    errors = {(row.dataset, row.strategy): row.ours for row in rows if row.quantity == TEST and row.ours is not None}
    datasets = [dataset for dataset, strategy in errors if strategy == "top" and (dataset, "(P)SBE") in errors]
    wins = sum(errors[dataset, "(P)SBE"] < errors[dataset, "top"] for dataset in datasets)
    return [
        Claim(
            "PSBE is faster than SBE, up to 100 times.",
            max(ratios) < 1 if ratios else None,
            f"ratios from {min(ratios):.3f} to {max(ratios):.3f} on {len(ratios)}" if ratios else "",
        ),
        Claim(
            "(P)SBE generalizes better than the top tree in most cases.",
            wins > len(datasets) / 2 if len(datasets) >= 5 else None,
            f"{wins} of {len(datasets)} datasets" if datasets else "",
        ),
    ]


def _points_of_figure3(settings: Settings, dataset: str) -> Iterable[Point]:
    """Distinct trees by size, overhead of the orders, and times."""
    yield from curves.distribution(settings, dataset, (128, 32, 8))
    yield from curves.ratio_over_m(settings, dataset, ORDERS, exhaustive=True)
    yield from curves.seconds_over_m(settings, dataset, ENUMERATION, exhaustive=True)


def _claims_of_figure3(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    lines = lines_of(rows, RATIO)
    for dataset in settings.datasets:
        ratios = lines.get((dataset, "DTdistinct"), {}).values()
        words = "The order by samples keeps the overhead close to 1."
        yield curves.ratio_claim(words, ratios, 1.05, digits=4, dataset=dataset)
        words = "DTdistinct takes less time than the exhaustive search."
        yield below(words, rows, SECONDS, dataset, "DTdistinct", "exhaustive")


def _points_of_figure4(settings: Settings, dataset: str) -> Iterable[Point]:
    """Overhead and times on other datasets, and search errors on Adult."""
    if dataset == "adult":
        yield from curves.error_over_m(settings, dataset, LINES, SEARCH, "search_error")
    else:
        yield from curves.ratio_over_m(settings, dataset, ENUMERATION)
        yield from curves.seconds_over_m(settings, dataset, ENUMERATION)


def _extra_of_figure4(settings: Settings, rows: Sequence[Row]) -> Iterable[Row]:
    yield curves.greatest_ratio("icml2017-figure4", rows)


def _claims_of_figure4(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    limit = published.stated("icml2017-figure4", "greatest_ratio")
    words = f"The ratio of trees built to distinct trees ranges from 1 to {limit:g}."
    yield curves.ratio_claim(words, curves.ratios_of(rows), limit, digits=5, reached=True)
    times = lines_of(rows, SECONDS).get(("anneal", "DTdistinct"), {})
    for m in (16, 8):
        seconds = published.stated("icml2017-figure4", f"seconds_m{m}")
        words = f"DTdistinct runs in less than {seconds:g} seconds for m = {m}."
        taken = times.get(float(m))
        if taken is None:
            yield Claim(words, None, "", "anneal")
        else:
            yield Claim(words, taken < seconds, f"{taken:.1f} s", "anneal")
    if "adult" in settings.datasets:
        yield below("SBE has a lower search error than the top tree.", rows, SEARCH, "adult", "SBE", "top tree")
        yield below("The optimal search error is lower than that of SBE.", rows, SEARCH, "adult", "optimal", "SBE")


def _points_of_figure5(settings: Settings, dataset: str) -> Iterable[Point]:
    """Generalization errors over m."""
    yield from curves.error_over_m(settings, dataset, LINES, TEST, "test_error")


def _claims_of_figure5(settings: Settings, rows: Sequence[Row]) -> Iterable[Claim]:
    pairs = (
        ("adult", "optimal", "SBE", "Optimal is better than SBE."),
        ("adult", "SBE", "top tree", "SBE is better than the top tree."),
        ("ionosphere", "top tree", "optimal", "The optimal tree has the worst performance."),
        ("anneal", "top tree", "SBE", "SBE is the worst."),
    )
    for dataset, lower, higher, words in pairs:
        if dataset in settings.datasets:
            yield below(words, rows, TEST, dataset, lower, higher)


FIGURE3 = Figure(
    _points_of_figure3,
    _claims_of_figure3,
    axis={COUNTS: "size", RATIO: "m", SECONDS: "m"},
    notes=(ONE_TRIPLE, "Exhaustive times are estimated from six random subsets of every size."),
    digits={COUNTS: 0, RATIO: 5},
    threads=True,
)
FIGURE4 = Figure(
    _points_of_figure4,
    _claims_of_figure4,
    axis={RATIO: "m", SECONDS: "m", SEARCH: "m"},
    extra=_extra_of_figure4,
    notes=(ONE_TRIPLE + " Errors are of all folds.",),
    digits={RATIO: 5, SECONDS: 3, GREATEST: 5},
    threads=True,
)
FIGURE5 = Figure(_points_of_figure5, _claims_of_figure5, axis={TEST: "m"})


STUDIES = (
    Study(
        name=NAME,
        title="Elapsed times of PSBE and SBE, and cross-validation errors; information gain, m = 2",
        claim="PSBE is up to 100 times as fast as SBE; it wins over the top tree in most cases, and there is no clear "
        "evidence that the optimal subset is better than SBE's.",
        datasets=tuple(str(row["dataset"]) for row in published.table(NAME)),
        run=table1,
        repeats=5,
        short="--datasets ionosphere,sonar,anneal --repeats 1 --trial-limit 5 --time-limit 60",
    ),
    Study(
        name="icml2017-figure3",
        title="Adult: distribution of distinct trees, ratio built/distinct, elapsed times",
        claim="The order of DTdistinct is impressively effective, with an overhead close to 1; it is much faster than "
        "the exhaustive search even where almost all subsets give distinct trees.",
        datasets=("adult",),
        run=FIGURE3,
        repeats=1,
        trial_limit=600.0,
        short="--datasets wine --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="icml2017-figure4",
        title="Ratio built/distinct trees, elapsed times of DTdistinct, search errors on Adult",
        claim="The ratio ranges from 1 to 1.35; Anneal takes less than 20 s for m = 16 and less than 270 s for m = 8; "
        "SBE is close to the optimal search error.",
        datasets=("letter", "hypo", "ionosphere", "soybean", "anneal", "sonar", "adult"),
        run=FIGURE4,
        repeats=1,
        short="--datasets ionosphere,anneal --trial-limit 8 --time-limit 60",
        takes_others=True,
    ),
    Study(
        name="icml2017-figure5",
        title="Cross-validation errors over m on Adult, Ionosphere and Anneal",
        claim="On Adult optimal is better than SBE, and SBE than the top tree; on Ionosphere the optimal tree is the "
        "worst, on Anneal SBE is.",
        datasets=("adult", "ionosphere", "anneal"),
        run=FIGURE5,
        repeats=5,
        short="--datasets ionosphere --repeats 1 --trial-limit 5 --time-limit 60",
        takes_others=True,
    ),
)

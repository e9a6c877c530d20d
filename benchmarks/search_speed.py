"""How fast is the best subset proved, beside the paper's algorithm and its published time?

One row a dataset: the first of ten folds, its training part split 70/30 into building and search set, C4.5 growing,
m = 2, missing values as they are. `ranked` is the default; it proves the least error and that no smaller subset has it
("smallest"), or the least error alone ("first"), which is what the goals of search.md were measured with. `paper` is
DTaccept (Ruggieri 2019) with the same split evaluation; it is given the least error as its warm start, so that it has
only the proof left to do, and is compared with "first". Seconds are of the search alone; the data is read before. All
ranked searches come first, so that a quiet machine is needed for minutes only.

    python benchmarks/search_speed.py                      # the datasets of ../shared/search.md, section 5
    python benchmarks/search_speed.py --datasets sonar,hypo --limit 60 --paper-limit 60
    python benchmarks/search_speed.py --orders             # distinct and built trees of the paper's orders (Figure 4b)
    python benchmarks/search_speed.py --moonshot clean1 --first --limit 1800
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from measuring import run_measured
from sklearn.model_selection import StratifiedKFold, train_test_split
from tables import load, print_table, show_row

from palmette import C45Classifier, _core
from palmette.data.encoding import encode
from palmette.data.reading import read_table
from palmette.data.table import ContinuousColumn

# Published seconds of DTaccept_0 on 8 cores (Table 1 of the 2019 paper), and the goals of search.md in wall seconds on
# two cores.
PUBLISHED = {
    "ionosphere": 0.74,
    "sonar": 18.8,
    "anneal": 18.3,
    "hypo": 56.0,
    "soybean": 1843.0,
    "letter": 232.0,
    "adult": 32.0,
}
GOALS = {
    "ionosphere": 0.1,
    "sonar": 0.2,
    "anneal": 0.2,
    "hypo": 0.4,
    "german": 0.8,
    "vehicle": 0.4,
    "soybean": 2.0,
    "kr_vs_kp": 12.0,
    "letter": 10.0,
    "adult": 4.0,
    "waveform": 7.0,
}


@dataclass(frozen=True, slots=True)
class Split:
    """A dataset with its building and search rows."""

    frame: Any
    labels: np.ndarray
    building: np.ndarray
    search: np.ndarray


@dataclass(frozen=True, slots=True)
class Run:
    """One search: what it found and what it took."""

    error: float
    size: int
    bound: float
    proved: bool
    trees: int
    expansions: int
    wall: float
    processor: float
    megabytes: float
    resident: float


def first_fold(name: str, seed: int = 0) -> Split:
    """The training part of the first of ten folds, and its 70/30 split."""
    frame, labels = load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        training, _ = next(StratifiedKFold(10, shuffle=True, random_state=seed).split(frame, labels))
    frame = frame.iloc[training].reset_index(drop=True)
    _, labels = np.unique(labels[training], return_inverse=True)
    stratified = labels if np.bincount(labels).min() >= 2 else None
    building, search = train_test_split(np.arange(len(labels)), test_size=0.3, stratify=stratified, random_state=seed)
    return Split(frame, labels.astype(np.int32), np.sort(building), np.sort(search))


def search_problem(split: Split, **parameters: Any) -> Any:
    """The problem as the core takes it."""
    table = read_table(split.frame)
    classifier = C45Classifier(**parameters)
    dataset = encode(table, split.labels, int(split.labels.max()) + 1, None, 1)
    problem = _core.SearchProblem(dataset, classifier._growth_options(), classifier._threshold_rule())
    for feature, column in enumerate(table.columns):
        if isinstance(column, ContinuousColumn):
            problem.set_values(feature, column.values())
    problem.add_fold(split.building.astype(np.uint32), split.search.astype(np.uint32))
    return problem


def run_ranked(problem: Any, n_jobs: int, limit: float, memory: int, smallest: bool) -> Run:
    settings = _core.SearchSettings()
    settings.n_jobs = n_jobs
    settings.memory_limit = memory
    settings.smallest = smallest
    budget = _core.Budget()
    budget.set_time_limit(limit)
    run = run_measured(lambda: _core.find_best_subset(problem, settings, budget))
    result = run.result
    return Run(
        result.error,
        len(result.units),
        result.bound,
        result.status == "optimal",
        result.n_trees,
        result.n_expansions,
        run.wall,
        run.processor,
        result.peak_bytes / 2**20,
        run.resident / 2**20,
    )


def run_paper(problem: Any, initial_error: float, limit: float) -> Run:
    settings = _core.PaperSettings()
    settings.algorithm = _core.PaperAlgorithm.accept
    settings.initial_error = initial_error
    budget = _core.Budget()
    budget.set_time_limit(limit)
    run = run_measured(lambda: _core.search_as_paper(problem, settings, budget))
    result = run.result
    return Run(
        min(result.error, initial_error),
        len(result.units),
        math.nan,
        result.proved,
        result.n_built,
        result.n_expansions,
        run.wall,
        run.processor,
        math.nan,
        run.resident / 2**20,
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranked searches of one dataset: on one thread and on several, for the smallest and for the first."""

    smallest: tuple[Run, Run]
    first: tuple[Run, Run]


def compare(names: list[str], limit: float, paper_limit: float, memory: int, jobs: int) -> None:
    splits = {name: first_fold(name) for name in names}
    ranked = {}
    for name, split in splits.items():
        problem = search_problem(split)

        def on_one_and_more(smallest: bool, problem: Any = problem) -> tuple[Run, Run]:
            return (
                run_ranked(problem, 1, limit, memory, smallest),
                run_ranked(problem, jobs, limit, memory, smallest),
            )

        ranked[name] = Ranked(on_one_and_more(True), on_one_and_more(False))
    compare_ranked(splits, ranked, jobs)
    if paper_limit > 0:
        compare_with_paper(splits, ranked, paper_limit)


def compare_ranked(splits: dict[str, Split], ranked: dict[str, Ranked], jobs: int) -> None:
    rows, published_ratios, met = [], [], []
    for name, runs in ranked.items():
        one, two = runs.smallest
        first_one, first_two = runs.first
        published, goal = PUBLISHED.get(name), GOALS.get(name)
        if published is not None:
            published_ratios.append(published / two.wall)
        if goal is not None:
            met.append((first_two.wall <= goal, two.wall <= goal))
        rows.append(
            [
                name,
                splits[name].frame.shape[1],
                len(splits[name].search),
                f"{two.error:g}",
                two.size,
                "yes" if two.proved else f"no, >= {two.bound:g}",
                two.trees,
                two.expansions,
                *(f"{seconds:.2f}" for seconds in (one.processor, one.wall, two.wall, one.wall / two.wall)),
                *(f"{seconds:.2f}" for seconds in (first_one.wall, first_two.wall, first_one.wall / first_two.wall)),
                f"{two.megabytes:.0f} ({two.resident:.0f})",
                "-" if published is None else f"{published:g}",
                "-" if goal is None else f"{goal:g}",
                "-" if goal is None else ("yes" if first_two.wall <= goal else "no"),
                "-" if goal is None else ("yes" if two.wall <= goal else "no"),
            ]
        )
    header = [
        *("dataset", "N", "search", "best", "size", "proved", "trees", "expansions"),
        *("CPU s, 1 thread", "wall s, 1", f"wall s, {jobs}", "speed-up"),
        *("first: wall s, 1", f"first: wall s, {jobs}", "speed-up"),
        *("MB (resident)", "published s", "goal s", "met, first", "met, smallest"),
    ]
    print_table("Best subset, proved: the ranked search", header, rows)
    if published_ratios:
        print(f"published (8 cores) / ours ({jobs} cores, smallest): least {min(published_ratios):.1f}")
    if met:
        print(
            f"goals met: {sum(first for first, _ in met)} of {len(met)} for the least error, "
            f"{sum(smallest for _, smallest in met)} with the smallest subset",
            flush=True,
        )


def compare_with_paper(splits: dict[str, Split], ranked: dict[str, Ranked], limit: float) -> None:
    rows, ratios = [], []
    for name, runs in ranked.items():
        ours = runs.first[0]
        paper = run_paper(search_problem(splits[name]), ours.error, limit)
        ratios.append(paper.processor / ours.processor)
        more = "" if paper.proved else "> "
        rows.append(
            [
                name,
                f"{ours.processor:.2f}",
                more + f"{paper.processor:.1f}",
                more + f"{ratios[-1]:.1f}",
                ours.expansions,
                more + str(paper.expansions),
                more + f"{paper.expansions / ours.expansions:.1f}",
            ]
        )
        show_row(rows[-1])
    header = [
        *("dataset", "ranked CPU s", "paper CPU s", "paper / ranked"),
        *("ranked expansions", "paper expansions", "paper / ranked"),
    ]
    print_table("The same proof by the paper's algorithm, one thread", header, rows)
    print(f"paper / ranked: median at least {statistics.median(ratios):.1f}")


def compare_orders(names: list[str], limit: float) -> None:
    """Trees built and distinct trees, for the orders of the papers and the ranked enumeration (Figures 4b, 8a).

    How many are distinct is counted by the paper's enumeration, so that the ranked one is checked and not only divided
    by itself.
    """
    rows = []
    for name in names:
        problem = search_problem(first_fold(name))
        distinct, ratios = None, []
        for order in ("frontier_2019", "cases_2017", "reversed", "fixed"):
            settings = _core.PaperSettings()
            settings.order = getattr(_core.PaperOrder, order)
            budget = _core.Budget()
            budget.set_time_limit(limit)
            found = _core.enumerate_as_paper(problem, settings, budget, False)
            if not found.finished:
                ratios.append("time limit")
                continue
            distinct = sum(found.trees_by_size)
            ratios.append(f"{found.n_built / distinct:.6f}")
        budget = _core.Budget()
        budget.set_time_limit(limit)
        counts, _ = _core.count_distinct_trees(problem, _core.SearchSettings(), budget)
        n_ranked = sum(counts.values())
        if budget.spent:
            ranked = f"time limit, {n_ranked} so far"
        elif distinct is None:
            ranked = f"{n_ranked} trees, unchecked"
        else:
            ranked = f"{n_ranked / distinct:.6f}"
        rows.append([name, problem.n_units, "?" if distinct is None else distinct, ranked, *ratios])
        show_row(rows[-1])
    print_table(
        "Trees built / distinct trees",
        ["dataset", "N", "distinct", "ranked", "2019", "2017", "reversed", "fixed"],
        rows,
    )


def shoot_for_the_moon(names: list[str], seed: int, limit: float, memory: int, jobs: int, smallest: bool) -> None:
    """The incumbent and the proved bound over time on a dataset that nobody has proved."""
    for name in names:
        split = first_fold(name, seed)
        problem = search_problem(split)
        settings = _core.SearchSettings()
        settings.n_jobs = jobs
        settings.memory_limit = memory
        settings.smallest = smallest
        budget = _core.Budget()
        budget.set_time_limit(limit)
        result = _core.find_best_subset(problem, settings, budget)
        print(f"{name}: N {split.frame.shape[1]}, {len(split.search)} search samples, {result.status}")
        last = (math.nan, math.nan)
        for seconds, objective, bound, units in result.history:
            if (objective, bound) != last:
                print(
                    f"  {seconds:9.2f} s   errors {objective:g} with {len(units)} features, proved at least {bound:g}"
                )
                last = (objective, bound)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(GOALS))
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each ranked search")
    parser.add_argument("--paper-limit", type=float, default=60.0, help="seconds for each search of the paper; 0: none")
    parser.add_argument("--memory", type=float, default=1.0, help="GiB")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--orders", action="store_true")
    parser.add_argument("--moonshot", default="")
    parser.add_argument("--seed", type=int, default=0, help="moonshot: of the folds and of the split of the first")
    parser.add_argument("--first", action="store_true", help="moonshot: prove the least error, not the smallest subset")
    arguments = parser.parse_args()
    memory = int(arguments.memory * 2**30)
    names = arguments.datasets.split(",")
    if arguments.moonshot:
        shoot_for_the_moon(
            arguments.moonshot.split(","), arguments.seed, arguments.limit, memory, arguments.jobs, not arguments.first
        )
    elif arguments.orders:
        compare_orders(names, arguments.limit)
    else:
        compare(names, arguments.limit, arguments.paper_limit, memory, arguments.jobs)


if __name__ == "__main__":
    main()

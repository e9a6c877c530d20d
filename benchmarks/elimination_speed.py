"""How fast is backward elimination, beside the black box, the published DTsbe, the prototype, and what people use now?

One row a dataset: the first of ten folds, its training part split 70/30 into building and search set, C4.5 growing,
m = 2, missing values as they are; every contestant gets the same split. The tables:

    Table 1     processor seconds of ours (DTsbe), of our black box (SBE) and their ratio, the paper's beside them
    scans       nodes whose features were ranked, by the white box and by DTsbe as published (algorithm="paper")
    prototype   processor seconds of ours and of ../shared/prototype/sbe.cpp, which is compiled here where g++ is there
    machine     wall and processor seconds for 1 and 2 threads, peak memory, and the goals of the issue
    --peers     scikit-learn's SequentialFeatureSelector and mlxtend's SFS, whole fits on one thread
    --memory    the peak under a memory limit, on Dexter and on a generated table of 5 000 x 5 000

Seconds are of the search alone unless said otherwise; the data is read before. Those of short searches are medians.
Table 1 has processor seconds, which the work of others on the machine disturbs least.
What a time limit ended is printed as "> seconds", and a ratio to it as "<".

The prototype grows `growth="literal"`, with missing values as a category of their own or a number above all others, so
ours is run once more that way beside it.

    python benchmarks/elimination_speed.py
    python benchmarks/elimination_speed.py --datasets sonar,clean1 --black-limit 60 --peers
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from elimination_peers import compare_with_peers
from measuring import machine_line, run_measured
from search_speed import Split, first_fold, search_problem
from tables import data_folder, generate, print_table
from variants import missing_as_category

from palmette import _core, published

DATASETS = (
    *("adult", "letter", "hypo", "ionosphere", "soybean", "kr_vs_kp", "anneal", "spambase", "sonar", "optdigits"),
    *("coil2000", "clean1", "clean2", "madelon", "isolet", "arcene", "dexter", "census"),
)
GOALS = {"madelon": 0.4, "clean2": 0.2, "arcene": 0.5, "dexter": 1.5, "census": 10.0}
"""Wall seconds on two threads."""

MANY_FEATURES = 50
SCAN_GOAL = 10.0
"""How many times fewer nodes are to be scanned than by the paper's DTsbe: on the median of rows of many features."""

SHORT, REPEATS = 0.5, 5
"""Searches of fewer seconds are repeated."""


@dataclass(frozen=True, slots=True)
class Run:
    """One search: what it found and what it took."""

    result: Any
    wall: float
    processor: float
    resident: int

    @property
    def finished(self) -> bool:
        return self.result.status == "complete"

    @property
    def path(self) -> list[tuple[int, float]]:
        return [(step.removed, step.error) for step in self.result.steps]


def run(
    problem: Any, algorithm: str, *, jobs: int = 1, limit: float | None = None, memory: int = 2**30, repeat: bool = True
) -> Run:
    """Eliminate backward; of several short runs the medians."""
    settings = _core.EliminationSettings()
    settings.algorithm = getattr(_core.EliminationAlgorithm, algorithm)
    settings.n_jobs = jobs
    settings.memory_limit = memory

    def once() -> Run:
        budget = _core.Budget()
        if limit is not None:
            budget.set_time_limit(limit)

        run = run_measured(lambda: _core.eliminate(problem, settings, budget))
        return Run(run.result, run.wall, run.processor, run.resident)

    runs = [once()]
    while repeat and runs[0].wall < SHORT and len(runs) < REPEATS:
        runs.append(once())
    return replace(
        runs[-1],
        wall=statistics.median(one.wall for one in runs),
        processor=statistics.median(one.processor for one in runs),
        resident=max(one.resident for one in runs),
    )


class Prototype:
    """The measuring stick of ../shared/prototype, compiled for the width of each dataset."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = data_folder().parent / "prototype" / "sbe.cpp"
        self.why_not = ""
        if shutil.which("g++") is None:
            self.why_not = "there is no g++ here"
        elif not self.source.is_file():
            self.why_not = f"{self.source} is not there"

    def run(self, split: Split, algorithm: str = "ranked", limit: float = 600.0) -> dict[str, float] | None:
        """What it printed: cpu, err, exp (nodes scanned), mb and more; None if it cannot run."""
        if self.why_not:
            return None
        words = -(-split.frame.shape[1] // 64)
        program = self.folder / f"sbe{words}"
        if not program.exists():
            flags = ["-O3", "-march=native", "-std=c++17", "-w", f"-DNW={words}"]
            built = subprocess.run(["g++", *flags, "-o", program, self.source], capture_output=True, text=True)
            if built.returncode:
                self.why_not = f"g++ fails: {built.stderr.strip().splitlines()[0]}"
                return None
        table = self.folder / "table.txt"
        write_codes(split, table)
        done = subprocess.run([program, table, algorithm, "2", str(limit)], capture_output=True, text=True)
        table.unlink()
        if done.returncode:
            return None
        return {key: float(value) for key, value in re.findall(r"([\w|]+)=([-+.\de]+)(?=\s|$)", done.stdout)}


def nothing_missing(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A missing value becomes a category of its own, or a number above all others, as the prototype has it."""
    filled = missing_as_category(name, frame)
    holes = [column for column in filled.columns if filled[column].isna().any()]
    return filled.assign(**{column: filled[column].fillna(filled[column].max() + 1) for column in holes})


def write_codes(split: Split, path: Path) -> None:
    """The table as the prototype reads it: a search mark, rank codes or category codes, the class."""
    columns, kinds = [], []
    for name in split.frame.columns:
        values = split.frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            codes = values.cat.codes.to_numpy(dtype=np.int64)
            codes = np.where(codes < 0, len(values.cat.categories), codes)
            kinds.append((0, int(codes.max()) + 1))
        else:
            distinct, codes = np.unique(values.to_numpy(dtype=np.float64, na_value=np.nan), return_inverse=True)
            kinds.append((1, len(distinct)))
        columns.append(codes)
    searched = np.zeros(len(split.labels), dtype=np.int64)
    searched[split.search] = 1
    table = np.column_stack([searched, *columns, split.labels])
    with path.open("w") as file:
        file.write(f"{len(table)} {len(columns)} {int(split.labels.max()) + 1}\n")
        file.writelines(f"{kind} {size}\n" for kind, size in kinds)
        np.savetxt(file, table, fmt="%d")


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured on one dataset."""

    name: str
    n_features: int
    one: Run
    two: Run
    black: Run | None
    paper: Run | None
    literal: Run | None
    prototype: dict[str, float] | None


def measure(name: str, arguments: argparse.Namespace, prototype: Prototype) -> Row:
    split = first_fold(name)
    problem = search_problem(split)
    memory = int(arguments.memory_limit * 2**20)
    one = run(problem, "white_box", memory=memory)
    two = run(problem, "white_box", jobs=2, memory=memory)
    if one.path != two.path:
        raise SystemExit(f"{name}: two threads come to another path than one")
    others: list[Run | None] = []
    for algorithm, limit in (("black_box", arguments.black_limit), ("paper", arguments.paper_limit)):
        other = run(problem, algorithm, limit=limit, repeat=False) if limit > 0 else None
        if other is not None and other.path != one.path[: len(other.path)]:
            raise SystemExit(f"{name}: the {algorithm} comes to another path than the white box")
        others.append(other)
    black, paper = others
    literal, theirs = None, None
    if arguments.prototype:
        complete = replace(split, frame=nothing_missing(name, split.frame))
        theirs = prototype.run(complete)
        if theirs is not None:
            literal = run(search_problem(complete, growth="literal"), "white_box", memory=memory)
    row = Row(name, split.frame.shape[1], one, two, black, paper, literal, theirs)
    print(f"{name}: {one.wall:.3f} s, {len(one.result.units)} of {row.n_features} features left", flush=True)
    return row


def seconds(one: Run | None, of: Callable[[Run], float] = lambda run: run.wall) -> str:
    if one is None:
        return "—"
    value = of(one)
    return f"{'' if one.finished else '> '}{value:.3f}" if value < 10 else f"{'' if one.finished else '> '}{value:.0f}"


def processor_seconds(one: Run | None) -> str:
    return seconds(one, lambda run: run.processor)


def yes(met: bool) -> str:
    return "yes" if met else "NO"


def show_table_1(rows: list[Row]) -> None:
    cells, judged = [], []
    by_name = {row["dataset"]: row for row in published.table("jmlr2019-table1")}
    for row in rows:
        paper = by_name.get(row.name, {})
        ratio = row.one.processor / row.black.processor if row.black is not None else None
        theirs = paper.get("ratio")
        verdict = "—"
        if row.black is not None and ratio is not None and isinstance(theirs, float):
            # Of a black box that was stopped the true ratio is smaller: it may be met, but not missed.
            if row.black.finished or ratio <= theirs:
                judged.append(ratio <= theirs)
                verdict = yes(judged[-1])
            else:
                verdict = "stopped"
        shown = "—" if ratio is None else f"{'' if row.black is not None and row.black.finished else '< '}{ratio:.4f}"
        same = "—" if row.black is None else ("all" if row.black.finished else f"{len(row.black.path)} steps")
        cells.append(
            [
                *(row.name, row.n_features, len(row.one.result.units), f"{row.one.result.error:g}"),
                *(processor_seconds(row.one), processor_seconds(row.black), shown, same),
                *(str(paper.get(column) or "—") for column in ("instances", "dtsbe", "sbe", "ratio")),
                verdict,
            ]
        )
    header = ["dataset", "N", "left", "errors", "DTsbe", "SBE", "ratio", "same path"]
    header += ["paper: rows", "DTsbe", "SBE", "ratio", "ratio met"]
    print_table("Table 1: processor seconds on one thread, ours and published (wall, 8 cores)", header, cells)
    print(f"Our ratio is at most the paper's on {sum(judged)} of {len(judged)} rows that can be judged.")


def show_scans(rows: list[Row]) -> None:
    cells, ratios = [], []
    for row in rows:
        if row.paper is None:
            continue
        ratio = row.paper.result.n_scans / max(row.one.result.n_scans, 1)
        if row.n_features >= MANY_FEATURES:
            # DTsbe that was stopped would have scanned more: nobody knows how many.
            ratios.append((ratio, ratio if row.paper.finished else float("inf")))
        mark = "" if row.paper.finished else "> "
        counts = [row.one.result.n_scans, f"{mark}{row.paper.result.n_scans}", f"{mark}{ratio:.1f}"]
        processor = [processor_seconds(row.one), processor_seconds(row.paper)]
        trees = [row.one.result.n_trees, row.paper.result.n_trees]
        cells.append([row.name, row.n_features, *counts, *processor, *trees])
    header = ["dataset", "N", "ours", "DTsbe", "DTsbe / ours", "CPU s, ours", "DTsbe", "trees, ours", "DTsbe"]
    print_table("Nodes scanned: the white box, and DTsbe as published", header, cells)
    if ratios:
        least, most = (statistics.median(bounds) for bounds in zip(*ratios, strict=True))
        met = "undecided" if least < SCAN_GOAL <= most else yes(least >= SCAN_GOAL)
        shown = f"{least:.1f}" if least == most else f"between {least:.1f} and {most:.1f}"
        print(
            f"Median of {len(ratios)} rows of at least {MANY_FEATURES} features: {shown} times fewer scans "
            f"(goal {SCAN_GOAL:g}: {met}). DTsbe that was stopped counts as what it did, and as infinity."
        )


def show_prototype(rows: list[Row], why_not: str) -> None:
    cells, met = [], []
    for row in rows:
        if row.prototype is None or row.literal is None:
            continue
        theirs = row.prototype
        met.append(row.literal.processor <= theirs["cpu"] + 0.005)
        found = [f"{row.literal.result.error:g} / {len(row.literal.result.units)}"]
        found += [f"{theirs['err']:g} / {theirs['|S|']:g}"]
        scans = [row.literal.result.n_scans, f"{theirs['exp']:.0f}"]
        cpu = [f"{row.literal.processor:.3f}", f"{theirs['cpu']:.2f}", processor_seconds(row.one)]
        cells.append([row.name, row.n_features, *found, *scans, *cpu, yes(met[-1])])
    if not cells:
        print(f"\nThe prototype was not run{': ' + why_not if why_not else ''}.")
        return
    header = ["dataset", "N", "ours: errors / left", "prototype", "scans, ours", "prototype"]
    header += ["CPU s, ours", "prototype", "ours, c45", "met"]
    print_table("Beside the prototype: growth literal, missing values as a category, one thread", header, cells)
    print(f"No more processor time than the prototype on {sum(met)} of {len(met)} rows (it prints hundredths).")
    print("Thresholds differ where a search value lies between two building values, so errors may too.")


def show_machine(rows: list[Row]) -> None:
    cells = []
    for row in rows:
        goal = GOALS.get(row.name)
        cells.append(
            [
                *(row.name, row.n_features),
                *(seconds(row.one), seconds(row.two), f"{row.one.wall / row.two.wall:.2f}"),
                *(processor_seconds(row.one), processor_seconds(row.two)),
                *(f"{row.one.result.peak_bytes / 2**20:.1f}", f"{row.one.resident / 2**20:.1f}"),
                *("—" if goal is None else f"{goal:g}", "—" if goal is None else yes(row.two.wall <= goal)),
            ]
        )
    header = ["dataset", "N", "wall s, 1", "wall s, 2", "speed-up", "CPU s, 1", "CPU s, 2"]
    header += ["peak MB, counted", "resident", "goal s, 2", "met"]
    print_table("One and two threads, and memory", header, cells)


def show_memory(limits: list[float]) -> None:
    """The peak of the search under a limit."""
    tables = {"dexter": lambda: first_fold("dexter"), "generated 5 000 x 5 000": generated}
    cells = []
    for name, make in tables.items():
        problem = search_problem(make())
        free = run(problem, "white_box", repeat=False)
        for limit in limits:
            bound = int(limit * 2**20)
            one = run(problem, "white_box", memory=bound, repeat=False)
            same = one.path == free.path
            megabytes = [f"{one.result.peak_bytes / 2**20:.1f}", f"{one.resident / 2**20:.1f}"]
            met = one.result.peak_bytes <= bound
            cells.append([name, f"{limit:g}", *megabytes, one.result.status, seconds(one), yes(same), yes(met)])
    header = ["table", "limit MB", "peak, counted", "resident", "status", "seconds", "same path", "met"]
    print_table("Memory under a limit (the coded table itself is not counted)", header, cells)


def generated() -> Split:
    X, y = generate(5000, 5000)
    rows = np.arange(len(y))
    search = rows % 10 >= 7
    frame = pd.DataFrame(X, columns=[f"x{number}" for number in range(X.shape[1])])
    return Split(frame, y.astype(np.int32), rows[~search], rows[search])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--black-limit", type=float, default=600.0, help="seconds for each black box; 0: not run")
    parser.add_argument("--paper-limit", type=float, default=600.0, help="seconds for each DTsbe; 0: not run")
    parser.add_argument("--memory-limit", type=float, default=1024.0, help="MiB for each search")
    parser.add_argument("--prototype", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--peers", action="store_true", help="only the comparison with other libraries")
    parser.add_argument("--peer-limit", type=float, default=300.0, help="seconds for each of them")
    parser.add_argument("--memory", action="store_true", help="only the memory under limits")
    arguments = parser.parse_args()
    print(machine_line())
    if arguments.peers:
        compare_with_peers(arguments.peer_limit)
    if arguments.memory:
        show_memory([16.0, 64.0, 256.0])
    if arguments.peers or arguments.memory:
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        prototype = Prototype(Path(folder))
        rows = [measure(name, arguments, prototype) for name in arguments.datasets.split(",")]
    show_table_1(rows)
    show_scans(rows)
    show_prototype(rows, prototype.why_not)
    show_machine(rows)


if __name__ == "__main__":
    main()

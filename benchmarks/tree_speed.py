"""How fast and how small is the grower beside scikit-learn's? Same data, same machine, one thread.

Trees: ours with growth="literal" grows to purity as DecisionTreeClassifier(criterion="entropy") does (the
node counts stand beside each other), and with the default growth="c45". Forests: 20 trees, log2 of the
features at each node, on both sides; on a million rows, where theirs take ten to twenty seconds a tree, both
sides grow 6, so that all forests take less than twenty minutes. A time is that of the whole `fit`: reading and
coding the table is in ours, the cast to float32 is in theirs. Runs alternate; times are medians. A ratio above
1: ours is faster.

    python benchmarks/tree_speed.py                                   # everything
    python benchmarks/tree_speed.py --quick --trees --rows letter,spambase
    python benchmarks/tree_speed.py --memory --instructions

Without --trees, --forests, --threads, --memory or --instructions all five are done. --quick takes three
repeats and smaller generated tables.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from contestants import CONTESTANTS, FOREST_SIZE, LARGE, QUICK_ROWS, ROWS, SpeedTable, count_nodes, read_row
from measuring import Timing, alternate, machine_line
from tables import print_table, show_row

from palmette import _core

# A round of one and two threads in which the host takes processors away is made again, up to as many times.
PATIENCE = 4
PARTS = ("trees", "forests", "threads", "memory", "instructions")
INSTRUCTION_ROWS = ("letter", "spambase")
FASTER_GOAL = 3.0
SECOND_CORE_GOAL = 1.7
MEMORY_GOAL = 2.0


def fit(contestant: str, table: SpeedTable, jobs: int = 1) -> Any:
    """Fit one contestant on its form of the table."""
    contender = CONTESTANTS[contestant]
    X = table.X_ours if contender.is_ours else table.X_theirs
    return contender.make(jobs, table.n_trees).fit(X, table.y)


def race(kind: str, rows: list[str], repeats: int) -> dict[str, list[float]]:
    """Time our two growth rules against scikit-learn on every row; give the ratios by growth rule."""
    names = [f"literal {kind}", f"c45 {kind}", f"scikit-learn {kind}"]
    ratios: dict[str, list[float]] = {"literal": [], "c45": []}
    times, grown = [], []
    for row in rows:
        table = read_row(row)
        size = f"{table.X_theirs.shape[0]}×{table.X_theirs.shape[1]}"
        if kind == "forest":
            size += f", {table.n_trees} trees"
        timings = alternate({name: partial(fit, name, table) for name in names}, repeats)
        literal, c45, theirs = (timings[name] for name in names)
        ratios["literal"].append(theirs.seconds / literal.seconds)
        ratios["c45"].append(theirs.seconds / c45.seconds)
        times.append(
            [
                row,
                size,
                *(f"{timing.seconds:.3f}" for timing in (literal, c45, theirs)),
                f"{ratios['literal'][-1]:.2f}",
                f"{ratios['c45'][-1]:.2f}",
                f"{theirs.processor_seconds / literal.processor_seconds:.2f}",
            ]
        )
        show_row(times[-1])
        grown.append(
            [
                row,
                size,
                *(f"{count_nodes(timing.result)}" for timing in (literal, c45, theirs)),
                *(f"{accuracy(name, timings[name], table):.4f}" for name in names),
            ]
        )
    print_table(
        f"fit of a {kind} on one thread: median seconds of {repeats} alternating runs, and theirs ÷ ours",
        ["table", "size", "literal", "c45", "scikit-learn", "÷ literal", "÷ c45", "÷ literal, cpu"],
        times,
    )
    print_table(
        f"what was grown: nodes and training accuracy of each {kind}",
        ["table", "size", "literal", "c45", "scikit-learn", "literal", "c45", "scikit-learn"],
        grown,
    )
    return ratios


def accuracy(contestant: str, timing: Timing[Any], table: SpeedTable) -> float:
    """Training accuracy, on at most 100 000 rows."""
    X = table.X_ours if CONTESTANTS[contestant].is_ours else table.X_theirs
    return float(timing.result.score(X[:100_000], table.y[:100_000]))


def two_at_once(work: Callable[[], Any]) -> Any:
    """Do the work here and in a forked process at the same time."""
    child = os.fork()
    if child == 0:
        failed = True
        try:
            work()
            failed = False
        finally:
            os._exit(failed)
    result = work()
    if os.waitpid(child, 0)[1] != 0:
        raise SystemExit("the fit in the forked process failed")
    return result


def second_core(rows: list[str], repeats: int) -> list[float]:
    """Time our trees and forests on two threads against one; give the speed-ups of the literal trees.

    What the machine gives at most is measured beside it: two processes that fit at once, on one thread each.
    """
    speedups = []
    lines = []
    for row in rows:
        table = read_row(row)
        for name in ("literal tree", "c45 tree", "c45 forest"):
            runs = {str(jobs): partial(fit, name, table, jobs) for jobs in (1, 2)}
            runs["at once"] = partial(two_at_once, runs["1"])
            timings = alternate(runs, repeats, patience=PATIENCE)
            speedup = timings["1"].seconds / timings["2"].seconds
            if name == "literal tree":
                speedups.append(speedup)
            nodes = [count_nodes(timings[jobs].result) for jobs in ("1", "2")]
            lines.append(
                [
                    f"{row}, {name}",
                    f"{timings['1'].seconds:.3f}",
                    f"{timings['2'].seconds:.3f}",
                    f"{speedup:.2f}",
                    f"{timings['2'].processor_seconds / timings['1'].processor_seconds:.2f}",
                    f"{2 * timings['1'].seconds / timings['at once'].seconds:.2f}",
                    f"{timings['1'].stolen:.1%}",
                    f"{nodes[0]}" if nodes[0] == nodes[1] else f"{nodes[0]} ≠ {nodes[1]}",
                ]
            )
            show_row(lines[-1])
    print_table(
        f"the second core: n_jobs=2 against n_jobs=1, medians of {repeats} alternating runs",
        ["fit", "s one", "s two", "speed-up", "cpu two/one", "two fits at once", "stolen", "nodes"],
        lines,
    )
    return speedups


def probe(*words: str, prefix: tuple[str, ...] = ()) -> str:
    """Run probe.py in a fresh process on one thread and give what it prints."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [*prefix, sys.executable, str(Path(__file__).with_name("probe.py")), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def memory(rows: list[str]) -> list[float]:
    """Measure the peak memory of fits in fresh processes; give the ratios of literal trees to the coded data."""
    judged = []
    lines, kept = [], []
    for row in rows:
        peaks = {
            name: json.loads(probe("memory", row, name))
            for name in ("literal tree", "c45 tree", "c45 forest", "scikit-learn tree")
        }
        if row not in LARGE:
            ours, theirs = peaks["c45 forest"], json.loads(probe("memory", row, "scikit-learn forest"))
            kept.append(
                [
                    row,
                    *(f"{model['pickled'] / 1e6:.2f}" for model in (ours, theirs)),
                    f"{theirs['pickled'] / ours['pickled']:.2f}",
                ]
            )
        coded = peaks["literal tree"]["coded"]
        ratio = peaks["literal tree"]["peak"] / coded
        judged.append(ratio)
        lines.append(
            [
                row,
                f"{peaks['literal tree']['given'] / 1e6:.2f}",
                f"{coded / 1e6:.2f}",
                f"{peaks['literal tree']['model'] / 1e6:.2f}",
                *(f"{peak['peak'] / 1e6:.2f}" for peak in peaks.values()),
                f"{ratio:.2f}",
                f"{peaks['c45 tree']['peak'] / coded:.2f}",
            ]
        )
        show_row(lines[-1])
    print_table(
        "peak memory of one fit in MB, beyond the data as given (codes and the fitted tree included)",
        [
            *("table", "given", "coded", "fitted tree", "literal tree", "c45 tree", "c45 forest", "sklearn tree"),
            *("literal/coded", "c45/coded"),
        ],
        lines,
    )
    if kept:
        print_table(
            f"a forest of {FOREST_SIZE} trees as a pickle, MB",
            ["table", "c45 forest", "sklearn forest", "sklearn/c45"],
            kept,
        )
    return judged


def instructions(rows: list[str]) -> None:
    """Count the instructions of growing (callgrind): a run that codes and grows less one that only codes."""
    if shutil.which("valgrind") is None:
        print("\ninstructions: valgrind is not installed (Debian, Ubuntu: apt install valgrind)")
        return
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            table = read_row(row)
            path = Path(folder, "table.npz")
            np.savez(path, X=table.X_theirs, y=table.y)
            output = Path(folder, "callgrind.out")
            counts = {work: callgrind(work, path, output) for work in ("encode", "grow")}
            tree = fit("literal tree", table).tree_
            work_done = float(tree.weight[tree.feature >= 0].sum()) * table.X_theirs.shape[1]
            growing = counts["grow"] - counts["encode"]
            lines.append(
                [
                    row,
                    f"{table.X_theirs.shape[0]}×{table.X_theirs.shape[1]}",
                    f"{tree.n_nodes}",
                    f"{work_done / 1e6:.1f}",
                    f"{growing / 1e6:.1f}",
                    f"{growing / work_done:.1f}",
                ]
            )
    print_table(
        "instructions of growing a literal tree (callgrind), per sample × feature × level",
        ["table", "size", "nodes", "10⁶ sample × feature × level", "10⁶ instructions", "instructions each"],
        lines,
    )
    print("sample × feature × level: the samples of every inner node, summed, times the features.")


def callgrind(work: str, table: Path, output: Path) -> int:
    """Instructions of one probe under callgrind."""
    prefix = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={output}")
    probe(work, str(_core.__file__), str(table), prefix=prefix)
    for line in output.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    raise SystemExit(f"{output} has no line of totals")


def print_goals(
    races: dict[str, dict[str, list[float]]], speedups: list[float], memory_ratios: list[float], scale: str
) -> None:
    """The goals of the issue, each met or missed by the numbers above."""

    def verdict(met: bool) -> str:
        return "met" if met else "MISSED"

    print(f"\ngoals{scale}")
    for kind, ratios in races.items():
        for growth, values in ratios.items():
            least, middle = min(values), statistics.median(values)
            print(f"  {kind}, {growth}: faster on every row: {verdict(least > 1)} (least {least:.2f}×)")
            met = verdict(middle >= FASTER_GOAL)
            print(f"  {kind}, {growth}: {FASTER_GOAL:g}× on the median: {met} ({middle:.2f}×)")
    if speedups:
        met = verdict(min(speedups) >= SECOND_CORE_GOAL)
        least = min(speedups)
        print(f"  ≥ {SECOND_CORE_GOAL:g}× from the second core on the large tables: {met} (least {least:.2f}×)")
    if memory_ratios:
        most = max(memory_ratios)
        met = verdict(most <= MEMORY_GOAL)
        print(f"  peak memory at most {MEMORY_GOAL:g}× the coded data: {met} (most {most:.2f}×)")


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", help=f"comma-separated tables; all: {', '.join(ROWS)}")
    parser.add_argument("--repeats", type=int, help="runs of each contestant (5; 3 with --quick)")
    parser.add_argument("--quick", action="store_true", help="smaller generated tables, no census, 3 repeats")
    for part in PARTS:
        parser.add_argument(f"--{part}", action="store_true", help=f"do the {part}")
    return parser.parse_args()


def main() -> None:
    """Run the parts that were asked for, one table per question, and judge the goals."""
    arguments = parse_arguments()
    rows = arguments.rows.split(",") if arguments.rows else list(QUICK_ROWS if arguments.quick else ROWS)
    repeats = arguments.repeats or (3 if arguments.quick else 5)
    parts = [part for part in PARTS if getattr(arguments, part)] or list(PARTS)

    print(f"{machine_line()}, scikit-learn {sklearn.__version__}")
    kinds = [part for part in parts if part in ("trees", "forests")]
    races = {kind: race(kind.removesuffix("s"), rows, repeats) for kind in kinds}
    large = [row for row in rows if row in LARGE]
    speedups = second_core(large, repeats) if "threads" in parts and large else []
    memory_ratios = memory(rows) if "memory" in parts else []
    if "instructions" in parts:
        instructions([row for row in rows if row in INSTRUCTION_ROWS] or list(INSTRUCTION_ROWS))
    print_goals(races, speedups, memory_ratios, " (quick run: smaller tables)" if arguments.quick else "")


if __name__ == "__main__":
    main()

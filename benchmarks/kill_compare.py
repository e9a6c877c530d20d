"""Does a killed comparison always come to the same table? Kills (SIGKILL) and interrupts (SIGINT) at random moments.

Children are forked, so that a round costs no import; each goes on from the cache of the one before. When a comparison
is complete its table is compared with one that nobody disturbed, and the next begins in an empty folder. Times and the
trees that a search happened to build are left out of the tables: they differ between any two runs.

    python benchmarks/kill_compare.py --kills 50 --interrupts 50
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from palmette import Comparison, compare

STRATEGIES = ["tree", "backward", "best", "backward-forest"]
SHOWN = ["search_error", "test_error", "n_selected", "n_used", "stability"]


def table_of(comparison: Comparison) -> str:
    return comparison.table(SHOWN, width=200)


def child(seed: int, cache: Path | None, n_jobs: int, result: Path) -> None:
    """Compares in a process of its own and writes the comparison, if it lives long enough."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        comparison = compare(STRATEGIES, ["wine"], repeats=2, folds=3, random_state=seed, cache=cache, n_jobs=n_jobs)
        unfinished = result.with_suffix(".unfinished")
        comparison.to_json(unfinished)
        unfinished.replace(result)
        result.with_suffix(".modules").write_text("\n".join(sys.modules))
        os._exit(0)
    except KeyboardInterrupt:
        os._exit(signal.SIGINT)
    except BaseException as error:  # Whatever it is, the parent must hear of it.
        print(f"The child failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)


def start(seed: int, cache: Path | None, n_jobs: int, result: Path) -> int:
    """Forks a child; the parent itself never compares, so that it has no threads to lose in a fork."""
    result.unlink(missing_ok=True)
    # A signal between the fork and the first line of the child would be raised where nobody catches it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    process = os.fork()
    if process == 0:
        child(seed, cache, n_jobs, result)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return process


def undisturbed(seed: int, result: Path) -> tuple[str, float]:
    """The table of a comparison without a cache, and the seconds that it took."""
    begin = time.perf_counter()
    os.waitpid(start(seed, None, 1, result), 0)
    return table_of(Comparison.from_json(result)), time.perf_counter() - begin


def import_what_it_needs(result: Path) -> None:
    """Imports before the forks what a comparison imports as it goes.

    At moments an import swallows Ctrl-C, and Python says so on stderr; that is not what is tried here. It also makes
    the first comparison as quick as those after it.
    """
    undisturbed(0, result)
    for module in result.with_suffix(".modules").read_text().splitlines():
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def run(number: int, which: signal.Signals, generator: random.Random, folder: Path) -> dict[str, int]:
    """Sends the signal so many times, and checks every table that is completed in between."""
    counts = {"sent": 0, "ended": 0, "finished": 0, "wrong": 0, "failed": 0}
    seed = 0
    complete = False
    cache, result = folder / "cache", folder / "comparison.json"
    expected, seconds = undisturbed(seed, result)
    # The last comparison is brought to its end, even if the signals came before it had written anything.
    while counts["sent"] < number or not complete:
        process = start(seed, cache, generator.choice([1, 2]), result)
        if counts["sent"] < number:
            # Several signals a comparison, however slow this machine is today.
            time.sleep(generator.uniform(0.0, 0.4 * seconds))
            os.kill(process, which)
            counts["sent"] += 1
        _, status = os.waitpid(process, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
            counts["failed"] += 1
        comparison = Comparison.from_json(result) if result.exists() else None
        complete = comparison is not None and comparison.status == "complete"
        if comparison is None or not complete:
            counts["ended"] += 1
            continue
        counts["finished"] += 1
        counts["wrong"] += table_of(comparison) != expected
        shutil.rmtree(cache)
        if counts["sent"] < number:
            seed += 1
            expected, seconds = undisturbed(seed, result)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--interrupts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ.pop("PALMETTE_DATA", None)
    # A shell starts what works in its background deaf to SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    generator = random.Random(options.seed)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        import_what_it_needs(Path(folder) / "comparison.json")
    print(f"{'signal':8} {'sent':>6} {'ended a run':>12} {'tables':>7} {'wrong':>6} {'failures':>9} {'seconds':>8}")
    for which, number in ((signal.SIGKILL, options.kills), (signal.SIGINT, options.interrupts)):
        begin = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            counts = run(number, which, generator, Path(folder))
        print(
            f"{which.name:8} {counts['sent']:6} {counts['ended']:12} {counts['finished']:7} {counts['wrong']:6} "
            f"{counts['failed']:9} "
            f"{time.perf_counter() - begin:8.0f}",
            flush=True,
        )
        bad += counts["wrong"] + counts["failed"] + (counts["finished"] == 0) + (counts["ended"] == 0)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())

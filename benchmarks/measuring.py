"""How the benchmarks measure: alternating runs, peak memory of a fit, the machine they ran on."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class Timing(Generic[Model]):
    """Median seconds of one contestant (wall clock, processor), and what its last run returned.

    `stolen` is the median share of the processors that a host took while the contestants had their turns.
    """

    seconds: float
    processor_seconds: float
    result: Model
    stolen: float = 0.0


@dataclass(frozen=True, slots=True)
class _Round:
    """One run of every contestant, by name, and the share of the processors that a host took meanwhile."""

    wall: dict[str, float]
    processor: dict[str, float]
    stolen: float


# A host that takes less than this share of the processors does not disturb a round.
UNDISTURBED = 0.005


def alternate(
    contestants: Mapping[str, Callable[[], Model]], repeats: int, patience: int = 1
) -> dict[str, Timing[Model]]:
    """Run the contestants in turn, another one first each round, so that a slow minute hits them all.

    On a virtual machine the host may take a processor away, most of all when all are busy, and a contestant that uses
    two of them pays for it twice. With `patience` up to that many times as many rounds are made until enough of them
    were not disturbed; those disturbed least are counted.
    """
    names = list(contestants)
    rounds: list[_Round] = []
    results: dict[str, Model] = {}
    while len(rounds) < repeats * patience:
        if sum(made.stolen <= UNDISTURBED for made in rounds) >= repeats:
            break
        first = len(rounds) % len(names)
        wall, processor = {}, {}
        stolen_before, begin = _stolen_seconds(), time.perf_counter()
        for name in names[first:] + names[:first]:
            results.pop(name, None)
            gc.collect()
            start, processor_start = time.perf_counter(), time.process_time()
            results[name] = contestants[name]()
            processor[name] = time.process_time() - processor_start
            wall[name] = time.perf_counter() - start
        available = (time.perf_counter() - begin) * (os.cpu_count() or 1)
        rounds.append(_Round(wall, processor, (_stolen_seconds() - stolen_before) / available))
    counted = sorted(rounds, key=lambda made: made.stolen)[:repeats]
    return {
        name: Timing(
            statistics.median(made.wall[name] for made in counted),
            statistics.median(made.processor[name] for made in counted),
            results[name],
            statistics.median(made.stolen for made in counted),
        )
        for name in names
    }


def _stolen_seconds() -> float:
    """Seconds of all processors that the host of a virtual machine gave to others; 0 where that is not told."""
    try:
        words = Path("/proc/stat").read_text().split(maxsplit=9)
    except OSError:
        return 0.0
    return int(words[8]) / os.sysconf("SC_CLK_TCK")


def peak_memory(work: Callable[[], Model]) -> tuple[int, Model]:
    """Bytes by which the resident memory of this process rises at its peak during the work (Linux).

    The high-water mark of the kernel is reset first: ``ru_maxrss`` alone would remember the loading of the
    data and, after a fork, even the size of the parent.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    result = work()
    return _status("VmHWM") - before, result


# From a first line on its input to a second, reads the resident pages of a process over and over, and prints the most
# that it saw. It says when it has begun.
_WATCHER = """
import os, sys
status = os.open(f"/proc/{sys.argv[1]}/statm", os.O_RDONLY)
os.read(0, 1)
os.set_blocking(0, False)
most = 0
print("watching", flush=True)
while True:
    for _ in range(20):
        most = max(most, int(os.pread(status, 100, 0).split()[1]))
    try:
        os.read(0, 1)
        break
    except BlockingIOError:
        pass
print(most)
"""


def watched_peak_memory(work: Callable[[], Model]) -> tuple[int, Model]:
    """The same, as another process sees it, which reads the resident memory every few microseconds.

    The high-water mark was seen to miss a quarter of a megabyte where the peak is over before the work is and memory
    was given back since. Pages of program files, which are mapped when code runs for the first time, are not the work's
    and are left out.
    """
    command = [sys.executable, "-S", "-c", _WATCHER, str(os.getpid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watcher:
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        watcher.stdin.write("\n")
        watcher.stdin.flush()
        watcher.stdout.readline()
        before, files = _status("VmRSS"), _status("RssFile")
        result = work()
        files = _status("RssFile") - files
        after = _status("VmRSS")
        watcher.stdin.write("\n")
        watcher.stdin.flush()
        seen = int(watcher.stdout.readline()) * os.sysconf("SC_PAGE_SIZE")
    return max(seen, after) - before - files, result


@dataclass(frozen=True, slots=True)
class Measured:
    """What a piece of work gave, and what it took."""

    result: Any
    wall: float
    processor: float
    resident: int  # bytes


def run_measured(work: Callable[[], Any]) -> Measured:
    """Time and memory of the work. The clocks run inside: preparing for the memory takes longer than a short search."""

    def timed() -> tuple[Any, float, float]:
        start, processor = time.perf_counter(), time.process_time()
        result = work()
        return result, time.perf_counter() - start, time.process_time() - processor

    resident, (result, wall, processor) = peak_memory(timed)
    return Measured(result, wall, processor, resident)


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {key}")


def machine_line() -> str:
    """Processor, cores, load and versions, for the head of a report."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{model}, {cores} cores{load}, {platform.system()}, Python {platform.python_version()}"

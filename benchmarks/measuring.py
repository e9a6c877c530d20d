"""How the benchmarks measure: alternating runs, peak memory of a fit, the machine they ran on."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class Timing(Generic[Model]):
    """Median seconds of one contestant (wall clock, processor), and what its last run returned."""

    seconds: float
    processor_seconds: float
    result: Model


def alternate(contestants: Mapping[str, Callable[[], Model]], repeats: int) -> dict[str, Timing[Model]]:
    """Run the contestants in turn, another one first each round, so that a slow minute hits them all."""
    names = list(contestants)
    wall: dict[str, list[float]] = {name: [] for name in names}
    processor: dict[str, list[float]] = {name: [] for name in names}
    results: dict[str, Model] = {}
    for round_number in range(repeats):
        first = round_number % len(names)
        for name in names[first:] + names[:first]:
            results.pop(name, None)
            gc.collect()
            start, processor_start = time.perf_counter(), time.process_time()
            results[name] = contestants[name]()
            processor[name].append(time.process_time() - processor_start)
            wall[name].append(time.perf_counter() - start)
    return {
        name: Timing(statistics.median(wall[name]), statistics.median(processor[name]), results[name]) for name in names
    }


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

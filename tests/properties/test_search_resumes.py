"""A search that was stopped says the truth so far, and one that goes on from a checkpoint ends with the same answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oracles.lattice import Fold
from palmette import _core
from problems import Problem
from search_problems import SearchProblem, chunk_name, chunks, search_of_seed, shown

LONG = [0, 1, 2]


@cache
def long_search(seed: int, n_features: int = 24) -> SearchProblem:
    """A search that takes about a second: too many subsets for brute force, so the core is its own witness."""
    random = np.random.default_rng(seed)
    n_rows = 10 * n_features
    values = random.integers(0, 6, (n_rows, n_features)).astype(float)
    noise = random.integers(-6, 7, n_rows)
    labels = (values[:, :8].sum(axis=1) + noise > 20).astype(int).tolist()
    values[random.random(values.shape) < 0.02 * (seed % 2)] = np.nan
    frame = pd.DataFrame(values).add_prefix("feature ")
    parameters = {"criterion": "information_gain", "growth": "c45", "threshold": "c45", "min_samples": 2}
    problem = Problem(frame, labels, None, {**parameters, "max_depth": None}, frame[:0])
    rows = random.permutation(n_rows).tolist()
    return SearchProblem(problem, (Fold(tuple(rows[n_rows // 3 :]), tuple(rows[: n_rows // 3])),))


@cache
def long_answer(seed: int) -> tuple[list[int], float]:
    result = find(long_search(seed))
    assert result.status == "optimal"
    return result.units, result.objective


def find(
    searched: SearchProblem, *, budget: _core.Budget | None = None, n_jobs: int = 1, **arguments: Any
) -> _core.SearchResult:
    budget = _core.Budget() if budget is None else budget
    return _core.find_best_subset(searched.core(), searched.settings(n_jobs=n_jobs), budget, **arguments)


def limited(seconds: float) -> _core.Budget:
    budget = _core.Budget()
    budget.set_time_limit(seconds)
    return budget


@dataclass
class Watcher:
    """Keeps the checkpoints, and interrupts the search after some calls."""

    patience: int = 10**9
    interruption: type[BaseException] = KeyboardInterrupt
    checkpoints: list[bytes] = field(default_factory=list)
    views: list[tuple[Any, ...]] = field(default_factory=list)

    def on_progress(self, *view: Any) -> None:
        self.views.append(view)
        if len(self.views) >= self.patience:
            raise self.interruption

    def callbacks(self) -> dict[str, Any]:
        return {
            "on_progress": self.on_progress,
            "on_checkpoint": self.checkpoints.append,
            "checkpoint_seconds": 1e-6,
        }


def assert_truth_lies_between(result: _core.SearchResult, seed: int) -> None:
    _, objective = long_answer(seed)
    assert result.bound <= objective <= result.objective
    for _, incumbent, bound, _ in result.history:
        assert bound <= objective <= incumbent


def assert_answered(result: _core.SearchResult, seed: int) -> None:
    units, objective = long_answer(seed)
    assert result.status == "optimal"
    assert (result.units, result.objective, result.bound) == (units, objective, objective)


@pytest.mark.slow
@pytest.mark.threads
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("seed", LONG)
def test_any_checkpoint_leads_to_the_same_answer(seed: int, n_jobs: int):
    watcher = Watcher()
    assert_answered(find(long_search(seed), n_jobs=n_jobs, **watcher.callbacks()), seed)
    assert watcher.checkpoints
    for checkpoint in Random(seed).sample(watcher.checkpoints, min(4, len(watcher.checkpoints))):
        for jobs in (1, 2):
            assert_answered(find(long_search(seed), n_jobs=jobs, resume_from=checkpoint), seed)


@pytest.mark.slow
@pytest.mark.threads
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("seed", LONG)
def test_a_time_limit_ends_with_a_verdict_and_the_search_goes_on(seed: int, n_jobs: int):
    """Again and again a short time, each run from where the last one stopped."""
    checkpoint = None
    for _ in range(2000):
        watcher = Watcher()
        result = find(
            long_search(seed), budget=limited(0.15), n_jobs=n_jobs, resume_from=checkpoint, **watcher.callbacks()
        )
        assert_truth_lies_between(result, seed)
        if result.status != "time_limit":
            break
        if watcher.checkpoints:
            checkpoint = watcher.checkpoints[-1]
    assert_answered(result, seed)


@pytest.mark.slow
def test_a_search_long_enough_for_bounding_runs_goes_on_to_the_same_answer():
    """After three seconds runs that only raise the bound take turns with the search; both are in the checkpoint."""
    searched = long_search(3, 30)
    whole = find(searched)
    assert whole.status == "optimal"
    watcher = Watcher()
    first = find(searched, budget=limited(4.0), **watcher.callbacks())
    assert first.bound <= whole.objective <= first.objective
    again = find(searched, resume_from=watcher.checkpoints[-1])
    assert again.status == "optimal"
    assert (again.units, again.objective, again.bound) == (whole.units, whole.objective, whole.objective)
    for _, incumbent, bound, _ in again.history:
        assert bound <= whole.objective <= incumbent


@pytest.mark.slow
@pytest.mark.parametrize("patience", [1, 2, 4])
@pytest.mark.parametrize("seed", LONG)
def test_an_interrupted_search_has_a_result_and_goes_on(seed: int, patience: int):
    watcher = Watcher(patience)
    result = find(long_search(seed), **watcher.callbacks())
    assert result.status in ("interrupted", "optimal")
    assert_truth_lies_between(result, seed)
    if watcher.checkpoints:
        assert_answered(find(long_search(seed), resume_from=watcher.checkpoints[-1]), seed)


@pytest.mark.slow
def test_other_exceptions_of_the_callbacks_reach_the_caller():
    with pytest.raises(ZeroDivisionError):
        find(long_search(1), **Watcher(1, ZeroDivisionError).callbacks())

    def refuse(data: bytes) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        find(long_search(0), on_checkpoint=refuse, checkpoint_seconds=1e-6)


@pytest.mark.slow
def test_progress_only_grows():
    watcher = Watcher()
    find(long_search(1), **watcher.callbacks())
    assert watcher.views
    shares, n_trees, n_expansions, objectives, bounds, _ = map(list, zip(*watcher.views, strict=True))
    for growing in (shares, n_trees, n_expansions, bounds):
        assert growing == sorted(growing)
    assert objectives == sorted(objectives, reverse=True)
    assert shares[0] >= 0.0
    assert shares[-1] <= 1.0 + 1e-9


@pytest.mark.slow
def test_damaged_and_foreign_checkpoints_are_refused():
    watcher = Watcher()
    find(long_search(0), budget=limited(0.3), **watcher.callbacks())
    data = watcher.checkpoints[0]
    other = search_of_seed(1)
    for damaged in (b"palmette", data[:-1], data[: len(data) // 2], data + b"\0", bytes(len(data))):
        with pytest.raises(ValueError):
            find(long_search(0), resume_from=damaged)
    with pytest.raises(ValueError):
        find(other, resume_from=data)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(300), ids=chunk_name)
def test_small_searches_go_on_to_the_answer_of_brute_force(seeds: range):
    """Stopped at once or after microseconds, then again from the newest checkpoint, until proved."""
    for seed in seeds:
        searched = search_of_seed(7_000_000 + seed, rich=True)
        with shown(searched, seed):
            random = Random(seed)
            best = searched.lattice.best(searched.terms)
            checkpoint = None
            for attempt in range(50):
                watcher = Watcher()
                seconds = random.choice([0.0, 1e-5, 1e-4, 1e-3]) if attempt < 40 else 10.0
                result = find(
                    searched,
                    budget=limited(seconds),
                    n_jobs=random.choice([1, 1, 2]),
                    resume_from=checkpoint,
                    **watcher.callbacks(),
                )
                assert result.bound <= searched.weight(best.objective) <= result.objective
                if result.status != "time_limit":
                    break
                checkpoint = watcher.checkpoints[-1] if watcher.checkpoints else checkpoint
            if searched.gap == 0:
                assert result.status == "optimal"
                assert result.units == list(best.units)
                assert result.bound == result.objective == searched.weight(best.objective)
            else:
                assert result.objective <= result.bound + searched.gap

"""Tasks run once, before the deadline, and what is kept is used again, unless it is torn or was cut short."""

from __future__ import annotations

import json
import math
import time
import warnings

import pytest

from palmette.reproduce.counting import walk_trial
from palmette.reproduce.jmlr2019_figures import _milliseconds
from palmette.reproduce.settings import Settings
from palmette.reproduce.work import Task, fingerprint_of_folds, run_tasks

calls: list[int] = []


def work(number, time_limit, n_jobs):
    calls.append(number)
    return {"square": number**2, "n_jobs": n_jobs}


def cut_short(number, time_limit, n_jobs):
    calls.append(number)
    return {"complete": False, "limit": time_limit}


def sleep(number, time_limit, n_jobs):
    time.sleep(min(0.05, time_limit))
    return {"complete": time_limit >= 0.05}


def warn(number, time_limit, n_jobs):
    warnings.warn("the moon is full", UserWarning, stacklevel=1)
    return {}


def interrupt(number, time_limit, n_jobs):
    if number == 2:
        raise KeyboardInterrupt
    return {}


@pytest.fixture(autouse=True)
def _forget_calls():
    calls.clear()


def settings(**changes):
    return Settings(datasets=(), **changes)


def test_equal_tasks_run_once_and_get_threads_when_times_are_measured():
    tasks = [Task.of(work, number=number) for number in (1, 2, 2, 3)]
    outcomes = run_tasks(tasks, settings(n_jobs=2), threads=True)
    assert calls == [1, 2, 3]
    assert outcomes.get(tasks[1]) == {"square": 4, "n_jobs": 2}


def test_processes_give_what_one_process_gives():
    tasks = [Task.of(work, number=number) for number in range(5)]
    assert run_tasks(tasks, settings(n_jobs=2)).done == run_tasks(tasks, settings()).done


def test_warnings_of_other_processes_are_heard_in_this_one(capfd):
    tasks = [Task.of(warn, number=number) for number in range(3)]
    with pytest.warns(UserWarning, match="the moon is full"):
        run_tasks(tasks, settings(n_jobs=2))
    assert "moon" not in capfd.readouterr().err


def test_a_cache_is_used_again_and_a_torn_file_is_done_again(tmp_path):
    tasks = [Task.of(work, number=number) for number in (1, 2)]
    first = run_tasks(tasks, settings(cache=tmp_path))
    torn, *_ = sorted(tmp_path.iterdir())
    torn.write_bytes(torn.read_bytes()[:20])
    calls.clear()
    assert run_tasks(tasks, settings(cache=tmp_path)) == first
    assert len(calls) == 1


def test_what_its_own_limit_cut_short_is_done_again_only_with_a_longer_one(tmp_path):
    tasks = [Task.of(cut_short, number=1)]
    for limit, expected in ((5.0, 1), (5.0, 1), (3.0, 1), (9.0, 2)):
        outcomes = run_tasks(tasks, settings(cache=tmp_path, trial_limit=limit))
        assert outcomes.get(tasks[0]) is not None
        assert len(calls) == expected


def test_the_deadline_holds_and_what_it_cut_short_is_not_done(tmp_path):
    tasks = [Task.of(sleep, number=number) for number in range(1000)]
    fingerprint_of_folds()  # the first call imports scikit-learn
    start = time.time()
    outcomes = run_tasks(tasks, settings(time_limit=2.0, cache=tmp_path))
    assert time.time() - start < 25  # all of them would take 50 s
    assert 0 < len(outcomes.done) < 1000
    assert all(outcome["complete"] for outcome in outcomes.done.values())
    assert len(list(tmp_path.iterdir())) == len(outcomes.done)


def test_a_limit_of_nothing_does_nothing():
    assert not run_tasks([Task.of(work, number=1)], settings(time_limit=0.0)).done
    assert not calls


def test_ctrl_c_keeps_what_is_done():
    tasks = [Task.of(interrupt, number=number) for number in (1, 2, 3)]
    outcomes = run_tasks(tasks, settings())
    assert outcomes.interrupted
    assert list(outcomes.done) == tasks[:1]


def test_skipped_tasks_are_not_started():
    tasks = [Task.of(work, number=number) for number in (1, 2, 3)]
    outcomes = run_tasks(tasks, settings(), skip=lambda task, done: len(done) == 1 and task != tasks[2])
    assert list(outcomes.done) == [tasks[0], tasks[2]]


def test_a_walk_returns_from_a_cache_as_it_was(tmp_path):
    # Few trees of wine ask for many features, so that some sizes have no tree, and no mean time.
    tasks = [Task.of(walk_trial, dataset="wine", m=8, repeat=0, folds=2, seed=0)]
    first = run_tasks(tasks, settings(cache=tmp_path, trial_limit=2.0))
    assert None in first.get(tasks[0])["by_size"]
    (path,) = tmp_path.iterdir()
    json.loads(path.read_text(), parse_constant=pytest.fail)
    assert run_tasks(tasks, settings(cache=tmp_path, trial_limit=2.0)) == first
    seconds = [_milliseconds(place)(first.get(tasks[0])) for place in range(14)]
    assert any(map(math.isnan, seconds))
    assert any(value > 0 for value in seconds)

"""Checkpoints: a search that is stopped or killed goes on, a finished one is not repeated, a wrong file is refused."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from palmette import BestSubsetSelector, C45Classifier
from palmette.search import best_subset, complete


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "search.checkpoint"


def selector(path, **parameters):
    return BestSubsetSelector(**{"checkpoint": path, "checkpoint_seconds": 0.02, "random_state": 0, **parameters})


def stop_after(seconds):
    return lambda progress: progress.seconds > seconds


@pytest.mark.threads
def test_a_stopped_search_goes_on_to_the_same_answer(cancer, path):
    expected = BestSubsetSelector(random_state=0).fit(*cancer)
    rounds = 0
    n_first_trees = 1
    while True:
        rounds += 1
        found = selector(path, callback=stop_after(0.1 * rounds), n_jobs=1 + rounds % 2).fit(*cancer)
        assert path.exists()
        assert found._n_first_trees >= n_first_trees
        n_first_trees = found._n_first_trees
        if found.status_ == "optimal":
            break
        assert found.status_ == "interrupted"
        assert found.error_ >= expected.error_ >= found.error_bound_
        assert rounds < 100
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert found.error_ == expected.error_ == found.error_bound_
    assert found.search_seconds_ >= found.history_[-1].seconds


def test_a_finished_search_is_not_repeated(cancer, path, monkeypatch):
    first = selector(path).fit(*cancer)
    assert first.status_ == "optimal"

    def never(*arguments, **options):
        raise AssertionError("searched again")

    monkeypatch.setattr(complete._core, "find_best_subset", never)
    again = selector(path, n_jobs=2, time_limit=100, memory_limit="50MB", checkpoint_seconds=3).fit(*cancer)
    np.testing.assert_array_equal(again.support_, first.support_)
    assert again.error_ == first.error_
    assert again.status_ == "optimal"
    assert again.history_ == first.history_
    assert again.tree_ == first.tree_
    assert again.summary() == first.summary()


OTHERS = {
    "data": lambda X, y: (selector(None), X + 1e-9, y),
    "labels": lambda X, y: (selector(None), X, np.roll(y, 1)),
    "seed": lambda X, y: (selector(None, random_state=1), X, y),
    "size": lambda X, y: (selector(None, search_size=0.4), X, y),
    "error": lambda X, y: (selector(None, error="training"), X, y),
    "gap": lambda X, y: (selector(None, error_gap=0.01), X, y),
    "penalty": lambda X, y: (selector(None, feature_penalty=0.01), X, y),
    "keep": lambda X, y: (selector(None, keep=[3]), X, y),
    "groups": lambda X, y: (selector(None, groups=[[0, 1]]), X, y),
    "max_features": lambda X, y: (selector(None, max_features=2), X, y),
    "tie_break": lambda X, y: (selector(None, tie_break="first"), X, y),
    "tree": lambda X, y: (selector(None, tree=C45Classifier(min_samples=3)), X, y),
}


@pytest.mark.parametrize("change", OTHERS)
def test_a_checkpoint_of_another_search_is_refused(path, change):
    X, y = load_wine(return_X_y=True)
    selector(path).fit(X, y)
    before = path.read_bytes()
    other, X_other, y_other = OTHERS[change](X, y)
    with pytest.raises(ValueError, match="belongs to another search"):
        other.set_params(checkpoint=path).fit(X_other, y_other)
    assert path.read_bytes() == before


def test_sample_weights_make_another_search(path):
    X, y = load_wine(return_X_y=True)
    selector(path).fit(X, y)
    with pytest.raises(ValueError, match="belongs to another search"):
        selector(path).fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))


@pytest.mark.parametrize("finished", [True, False])
def test_a_damaged_checkpoint_is_refused(cancer, path, finished):
    selector(path, callback=None if finished else stop_after(0.1)).fit(*cancer)
    whole = path.read_bytes()
    generator = random.Random(0)
    for _ in range(40):
        damaged = bytearray(whole)
        if generator.random() < 0.5:
            del damaged[generator.randrange(len(damaged)) :]
        else:
            damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"damaged|no checkpoint|format|another search"):
            selector(path).fit(*cancer)
    for content in (b"", b"hello", b"palmette checkpoint\n", b"palmette checkpoint\n{}\n", os.urandom(100)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"damaged|no checkpoint"):
            selector(path).fit(*cancer)


def test_a_newer_format_is_told(path):
    X, y = load_wine(return_X_y=True)
    selector(path).fit(X, y)
    path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 2'))
    with pytest.raises(ValueError, match="has the format 2, but this palmette reads the format 1"):
        selector(path).fit(X, y)


def test_a_state_that_the_core_refuses(cancer, path):
    task_mark = []
    original = best_subset.fingerprint
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_subset, "fingerprint", lambda *a, **k: task_mark.append(original(*a, **k)) or task_mark[-1])
        selector(path, callback=stop_after(0.05)).fit(*cancer)
    from palmette.search.checkpoint import Checkpoint

    Checkpoint(path, task_mark[0]).write(b"not a state of the core")
    with pytest.raises(ValueError, match="cannot be resumed"):
        selector(path).fit(*cancer)


def test_no_unfinished_file_stays_behind(cancer, path):
    selector(path).fit(*cancer)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
def test_killed_at_random_moments_and_resumed(path):
    script = textwrap.dedent(f"""
        from sklearn.datasets import load_breast_cancer
        from palmette import BestSubsetSelector
        X, y = load_breast_cancer(return_X_y=True)
        print("ready", flush=True)
        selector = BestSubsetSelector(random_state=2, checkpoint={str(path)!r}, checkpoint_seconds=0.02).fit(X, y)
        print(selector.status_, selector.get_support(indices=True).tolist(), flush=True)
        """)
    expected = BestSubsetSelector(random_state=2).fit(*load_breast_cancer(return_X_y=True))
    generator = random.Random(1)
    answer = ""
    for kill in range(60):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        if kill < 3:
            time.sleep(generator.uniform(0.05, 0.3))
            process.kill()
        answer, _ = process.communicate(timeout=120)
        if process.returncode == 0:
            break
    assert answer.strip() == f"optimal {expected.get_support(indices=True).tolist()}"


@pytest.mark.parametrize("place", ["/dev/null", "/dev/zero", "/proc/checkpoint"])
def test_a_place_where_nothing_can_be_kept_is_refused_before_the_search(cancer, place):
    if not os.path.exists(os.path.dirname(place)):
        pytest.skip("a place of Linux")
    with pytest.raises(ValueError, match="Name another"):
        selector(place).fit(*cancer)


def test_a_full_disk_costs_the_checkpoint_but_not_the_answer(cancer, path, monkeypatch):
    expected = BestSubsetSelector(random_state=0).fit(*cancer)

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match=r"could not be written \(No space left on device\)"):
        found = selector(path).fit(*cancer)
    assert found.status_ == "optimal"
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert not path.exists()

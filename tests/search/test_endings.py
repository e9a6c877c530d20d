"""How a fit of the search selectors ends: by its time limit, Ctrl-C, the callback, an exception; and who hears of it.

`test_selector.py` and `test_elimination.py` have the answers of fits that come to their end.
"""

from __future__ import annotations

import inspect
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_digits, load_iris, load_wine

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    SearchEffortWarning,
    acceptable_subsets,
    count_distinct_trees,
    feature_costs,
    pareto_front,
)
from palmette.search import SearchProgress
from palmette.search.progress import EliminationWatch, Watch
from palmette.support.progress import listening
from patience import PATIENCE

STRATEGIES = ("backward", "forward", "floating_backward", "floating_forward", "beam")
N_NOISE = 300


@cache
def digits():
    """A problem that no proof is in sight for."""
    return load_digits(return_X_y=True)


@cache
def noise(n_rows=3000):
    """A problem that takes some seconds by the black box: nothing can be learned from it, so trees are large."""
    generator = np.random.default_rng(0)
    return generator.normal(size=(n_rows, N_NOISE)), generator.integers(0, 3, n_rows)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X[:, :8], y


@dataclass(frozen=True)
class Way:
    """A selector, a problem that keeps it busy, and the parameters that make it slow."""

    selector: type
    problem: Any
    parameters: dict[str, Any] = field(default_factory=dict)
    slow: dict[str, Any] = field(default_factory=dict)

    def make(self, **parameters):
        return self.selector(**{"random_state": 0, **self.parameters, **parameters})

    def fit_long(self, **parameters):
        return self.make(**self.slow, **parameters).fit(*self.problem())


BEST = Way(BestSubsetSelector, digits)
WALKS = {
    name: Way(BackwardEliminationSelector, noise, {"strategy": name}, {"algorithm": "black_box"}) for name in STRATEGIES
}
SELECTORS = {"best": BEST, "backward": WALKS["backward"]}
each_selector = pytest.mark.parametrize("way", SELECTORS.values(), ids=SELECTORS)
each_way = pytest.mark.parametrize("way", [BEST, *WALKS.values()], ids=["best", *WALKS])


def assert_usable(selector, X, y):
    """An answer is there, however the fit ended; a proof has a bound, a walk has its start."""
    assert 0 <= selector.error_ <= 1
    assert selector.predict(X).shape == y.shape
    if isinstance(selector, BestSubsetSelector):
        assert 0 <= selector.error_bound_ <= selector.error_
    else:
        assert selector.history_[0].n_features == (0 if "forward" in selector.strategy else X.shape[1])


# Time


@each_way
@pytest.mark.parametrize("limit", [0, 0.3])
def test_a_time_limit_is_kept(limit, way):
    start = time.perf_counter()
    selector = way.fit_long(time_limit=limit)
    assert time.perf_counter() - start < limit + PATIENCE
    assert selector.status_ == "time_limit"
    assert_usable(selector, *way.problem())
    assert "time limit" in selector.summary()


# Callbacks and listeners


@pytest.mark.threads
@each_selector
def test_a_callback_watches_and_stops(way):
    heard: list[SearchProgress] = []

    def stop_soon(progress):
        heard.append(progress)
        return progress.seconds > 0.3

    selector = way.fit_long(callback=stop_soon, n_jobs=2)
    assert selector.status_ == "interrupted"
    assert_usable(selector, *way.problem())
    assert heard
    assert all(0 <= progress.share <= 1 for progress in heard)
    if way is BEST:
        assert len(heard) >= 2
        errors = [progress.error for progress in heard]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] >= selector.error_
    else:
        assert all(progress.bound == -np.inf for progress in heard)


@each_selector
def test_a_listener_hears_the_search(way):
    heard = []
    with listening(heard.append):
        way.fit_long(time_limit=0.4)
    assert any(isinstance(progress, SearchProgress) for progress in heard)


@each_selector
def test_an_exception_of_the_callback_is_raised(way):
    class Enough(Exception):
        pass

    def refuse(progress):
        raise Enough

    with pytest.raises(Enough):
        way.fit_long(callback=refuse)


# An error of one's own


@each_selector
def test_a_function_may_be_interrupted(wine, way):
    calls = []

    def interrupted(classifier):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return classifier.n_leaves_

    selector = way.make(error=interrupted).fit(*wine)
    assert selector.status_ == "interrupted"
    assert "interrupted" in selector.summary()
    if way is BEST:
        assert selector.error_bound_ == -np.inf


@each_selector
def test_a_function_may_run_out_of_time(wine, way):
    X, y = wine
    selector = way.make(error=lambda classifier: classifier.n_leaves_, time_limit=0).fit(X, y)
    assert selector.status_ == "time_limit"
    assert selector.predict(X).shape == y.shape
    if way is not BEST:
        assert selector.support_.all()


@each_selector
def test_a_function_may_be_stopped_by_a_callback(wine, way):
    X, y = wine
    heard = []

    def stop(progress):
        heard.append(progress)
        return len(heard) == 3

    selector = way.make(error=lambda classifier: classifier.n_leaves_, callback=stop).fit(X, y)
    assert selector.status_ == "interrupted"
    assert selector.predict(X).shape == y.shape


@each_selector
@pytest.mark.parametrize("answer", ["good", None, float("nan")])
def test_a_function_must_return_a_number(wine, way, answer):
    with pytest.raises(ValueError, match="lower is better"):
        way.make(error=lambda classifier: answer).fit(*wine)


# Mistakes


@each_selector
def test_a_failed_fit_leaves_nothing_of_the_one_before(wine, way):
    X, y = wine
    selector = way.make().fit(X, y)
    with pytest.raises(ValueError):
        selector.set_params(keep=[99]).fit(X, y)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        selector.predict(X)


# Warnings of no end in sight


def test_a_warning_before_the_sun_burns_out():
    with pytest.warns(SearchEffortWarning, match=r"After 2 seconds .* 2\^64 subsets .*time_limit.*Backward") as caught:
        BestSubsetSelector(callback=lambda progress: progress.seconds > 2.3, random_state=0).fit(*digits())
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "question", [pareto_front, feature_costs, count_distinct_trees, acceptable_subsets], ids=lambda one: one.__name__
)
def test_a_warning_of_a_long_question_gives_advice_that_it_takes(monkeypatch, question):
    told = first_warning(monkeypatch, lambda: question(*digits(), random_state=0))
    for name in re.findall(r"`(\w+)`", told):
        assert name in inspect.signature(question).parameters
    assert "error_gap" not in told
    assert "0.0e+00" not in told


def test_a_warning_of_a_long_search_tells_what_its_numbers_are(monkeypatch):
    def fit(**parameters):
        return first_warning(monkeypatch, BestSubsetSelector(random_state=0, **parameters).fit, *digits())

    assert re.search(r"has the error 0\.\d+, and none can be below .*accept a wider `error_gap`", fit())
    assert re.search(r"has the error plus penalty 0\.\d+, and none", fit(feature_penalty=0.01))
    by_function = fit(error=lambda tree: -tree.n_leaves_)
    assert re.search(r"has the value -\d+\. Ctrl-C", by_function)
    assert "error_gap" not in by_function
    assert "inf" not in by_function


def first_warning(monkeypatch, search, *data):
    """The words of the warning of a long search, which ends with them."""
    monkeypatch.setattr(Watch, "probe_seconds", 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SearchEffortWarning)
        with pytest.raises(SearchEffortWarning) as caught:
            search(*data)
    return str(caught.value)


def test_a_warning_of_a_long_elimination(monkeypatch):
    monkeypatch.setattr(EliminationWatch, "probe_seconds", 1.0)
    selector = WALKS["backward"].make(algorithm="black_box", callback=lambda progress: progress.seconds > 1.3)
    with pytest.warns(SearchEffortWarning, match=r"seconds of elimination .*time_limit") as caught:
        selector.fit(*noise(20_000))
    assert caught[0].filename == __file__


@each_selector
def test_no_warning_of_small_problems_or_where_a_limit_is_set(wine, way, monkeypatch):
    monkeypatch.setattr(EliminationWatch, "probe_seconds", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SearchEffortWarning)
        way.make().fit(*load_iris(return_X_y=True))
        way.make().fit(*wine)
        way.fit_long(time_limit=2.4)


# Ctrl-C

SCRIPT = """
    import numpy as np
    from sklearn.datasets import load_digits
    from palmette import BackwardEliminationSelector, BestSubsetSelector
    if {strategy!r} is None:
        X, y = load_digits(return_X_y=True)
        selector = BestSubsetSelector(random_state=0, n_jobs=2)
    else:
        generator = np.random.default_rng(0)
        X, y = generator.normal(size=(5000, 200)), generator.integers(0, 3, 5000)
        selector = BackwardEliminationSelector(strategy={strategy!r}, random_state=0, n_jobs=2)
    while True:
        try:
            print("fitting", flush=True)
            selector.fit(X, y)
            if {strategy!r} is None:
                sound = 0 <= selector.error_bound_ <= selector.error_ < 1
            else:
                sound = 0 < selector.error_ < 1
            print(selector.status_, sound and selector.predict(X).shape == y.shape, flush=True)
        except KeyboardInterrupt:  # before or after the search: reading, the final tree, predicting
            print("outside", flush=True)
"""


@pytest.mark.slow
@pytest.mark.threads
@pytest.mark.parametrize("strategy", [None, *STRATEGIES], ids=["best", *STRATEGIES])
def test_ctrl_c_at_random_moments_leaves_a_usable_selector(strategy):
    script = textwrap.dedent(SCRIPT.format(strategy=strategy))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    moments = random.Random(str(strategy))
    answers = []
    try:
        # At least five moments, and more until one has hit the search itself, which a fast machine has soon behind it.
        while len(answers) < 5 or (len(answers) < 60 and not any("interrupted" in answer for answer in answers)):
            # A signal that met a fit at its very end may have left a second line.
            while (line := process.stdout.readline()) != "fitting\n":
                assert line == "outside\n"
            time.sleep(moments.uniform(0.0, 0.8))
            sent = time.perf_counter()
            process.send_signal(signal.SIGINT)
            answers.append(process.stdout.readline())
            assert time.perf_counter() - sent < PATIENCE
    finally:
        process.kill()
        process.communicate()
    ended = "optimal" if strategy is None else "complete"
    assert set(answers) <= {"interrupted True\n", "outside\n", f"{ended} True\n"}
    assert any("interrupted" in answer for answer in answers)


FEW_THREADS = """
import resource
import numpy as np
from palmette import BestSubsetSelector, pareto_front

generator = np.random.default_rng(0)
X = generator.integers(0, 3, size=(300, 12)).astype(float)
y = (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=300) / 2) > 1.5
alone = BestSubsetSelector(random_state=0, n_jobs=1).fit(X, y)
with open("/proc/self/statm") as file:
    in_use = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (in_use + 20 * 2**20,) * 2)  # room for the stacks of two or three threads
together = BestSubsetSelector(random_state=0, n_jobs=8).fit(X, y)
assert together.status_ == "optimal"
assert (together.support_ == alone.support_).all()
assert len(pareto_front(X, y, random_state=0, n_jobs=8)) > 0
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is set by way of /proc")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes more address space than the limit leaves")
def test_a_search_goes_on_with_the_threads_that_it_gets():
    ended = subprocess.run(
        [sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr

"""Every elimination of the core takes exactly the steps that growing every tree of every step takes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from threading import Timer
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from oracles.elimination import Outcome, SequentialSearch
from palmette import _core
from search_problems import SearchProblem, chunk_name, chunks, one_in, search_of_seed, search_problems, shown

N_BACKWARD = 2400
N_STRATEGIES = 600
N_THREADS = 300

# Less than the nodes of any problem need: whatever may be forgotten is.
TINY = 2**10

Algorithm = _core.EliminationAlgorithm
Strategy = _core.EliminationStrategy

small = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def random_terms(searched: SearchProblem, random: Random) -> SequentialSearch:
    """The problem's own `keep` and `max_features`, and what an elimination is asked for beyond."""
    n_features = len(searched.lattice.columns)
    most = n_features if searched.max_features is None else searched.max_features
    return SequentialSearch(
        searched.lattice,
        searched.keep,
        searched.max_features,
        random.randint(0, most) if one_in(random, 4) else 0,
        random.choice([True, False]),
        random.randint(1, 4),
    )


def eliminate(searched: SearchProblem, terms: SequentialSearch, **changes: Any) -> _core.EliminationResult:
    chosen = _core.EliminationSettings()
    chosen.keep = sorted(terms.keep)
    if terms.max_features is not None:
        chosen.max_features = terms.max_features
    chosen.min_features = terms.min_features
    chosen.accept_ties = terms.accept_ties
    chosen.beam_width = terms.beam_width
    for name, value in changes.items():
        setattr(chosen, name, value)
    chosen.unused_together = terms.unused_together and chosen.strategy == Strategy.backward
    return _core.eliminate(searched.core(), chosen, _core.Budget())


def told(result: _core.EliminationResult) -> list[tuple[Any, ...]]:
    return [(step.removed, step.added, step.units, step.size, step.error, step.used) for step in result.steps]


def assert_same(searched: SearchProblem, result: _core.EliminationResult, expected: Outcome) -> None:
    """The same steps, the same answer."""
    assert told(result) == [
        (
            -1 if step.removed is None else step.removed,
            -1 if step.added is None else step.added,
            list(step.units),
            step.size,
            searched.weight(step.error),
            list(step.used),
        )
        for step in expected.steps
    ]
    assert result.units == list(expected.units)
    assert result.error == searched.weight(expected.error)
    assert result.status == "complete"


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_BACKWARD), ids=chunk_name)
def test_backward_elimination_takes_the_steps_of_the_oracle(seeds: range):
    for seed in seeds:
        searched = search_of_seed(20_000_000 + seed)
        drawn = random_terms(searched, Random(seed))
        with shown(searched, seed):
            for terms in (
                replace(drawn, accept_ties=True),
                replace(drawn, accept_ties=False),
                replace(drawn, unused_together=True),
            ):
                expected = terms.backward()
                for algorithm in (Algorithm.white_box, Algorithm.black_box, Algorithm.paper):
                    assert_same(searched, eliminate(searched, terms, algorithm=algorithm), expected)
                assert_same(searched, eliminate(searched, terms, memory_limit=TINY), expected)
                assert_same(searched, eliminate(searched, terms, n_jobs=2), expected)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", chunks(N_STRATEGIES, 50), ids=chunk_name)
def test_the_other_strategies_take_the_steps_of_the_oracle(seeds: range):
    for seed in seeds:
        searched = search_of_seed(21_000_000 + seed)
        terms = random_terms(searched, Random(seed))
        with shown(searched, seed):
            for strategy, expected in (
                (Strategy.forward, terms.forward()),
                (Strategy.floating_forward, terms.floating_forward()),
                (Strategy.floating_backward, terms.floating_backward()),
                (Strategy.beam, terms.beam()),
            ):
                assert_same(searched, eliminate(searched, terms, strategy=strategy), expected)
                assert_same(
                    searched,
                    eliminate(searched, terms, strategy=strategy, algorithm=Algorithm.black_box),
                    expected,
                )
                assert_same(
                    searched, eliminate(searched, terms, strategy=strategy, memory_limit=TINY, n_jobs=2), expected
                )


@pytest.mark.threads
@pytest.mark.parametrize("seeds", chunks(N_THREADS, 50), ids=chunk_name)
def test_two_threads_take_the_same_steps_and_count_the_same_trees(seeds: range):
    for seed in seeds:
        searched = search_of_seed(22_000_000 + seed, max_rows=80, max_features=12, rich=True)
        terms = random_terms(searched, Random(seed))
        with shown(searched, seed):
            terms = replace(terms, unused_together=one_in(Random(seed), 3))
            one = eliminate(searched, terms)
            for changes in (
                {"n_jobs": 2},
                {"n_jobs": 2, "memory_limit": TINY},
                {"n_jobs": 2, "algorithm": Algorithm.paper},
            ):
                two = eliminate(searched, terms, **changes)
                assert (told(two), two.units, two.error) == (told(one), one.units, one.error)
            two = eliminate(searched, terms, n_jobs=2)
            assert [step.trees_built for step in two.steps] == [step.trees_built for step in one.steps]
            assert (two.n_trees, two.n_scans, two.n_expansions) == (one.n_trees, one.n_scans, one.n_expansions)


@pytest.mark.slow
@pytest.mark.parametrize("n_units", [64, 65, 70, 200, 600])
def test_many_units_change_nothing_but_the_width_of_the_sets(n_units: int):
    """More units than fit into one word: the white box then keeps lists of them, and the heads of rankings."""
    # The black box grows a tree for every unit of every step: too many for the widest problems.
    reference = Algorithm.black_box if n_units < 100 else Algorithm.paper
    for seed in range(6):
        searched = wide_search(n_units, seed)
        terms = SequentialSearch(searched.lattice, accept_ties=seed % 2 == 0, unused_together=seed % 3 == 0)
        with shown(searched, seed):
            expected = eliminate(searched, terms, algorithm=reference)
            for changes in ({}, {"n_jobs": 2}, {"memory_limit": TINY}, {"algorithm": Algorithm.paper}):
                found = eliminate(searched, terms, **changes)
                assert (told(found), found.units, found.error) == (told(expected), expected.units, expected.error)


def wide_search(n_units: int, seed: int) -> SearchProblem:
    """A search among many noisy features, some of them alike."""
    searched = replace(
        search_of_seed(23_000_000 + seed, rich=True, max_features=6), keep=frozenset(), max_features=None
    )
    random = Random(seed)
    frame = searched.problem.frame
    wide = frame.to_dict("series")
    for number in range(frame.shape[1], n_units):
        n_values = random.choice([2, 3, 5, 50])
        wide[f"noise {number}"] = pd.Series(
            [float(random.randint(1, n_values)) for _ in frame.index], index=frame.index
        )
    names = list(wide)
    random.shuffle(names)
    return replace(searched, problem=replace(searched.problem, frame=pd.DataFrame(wide)[names]), unit_of=None)


@small
@given(search_problems(max_rows=20, max_features=4))
def test_backward_elimination_on_problems_that_shrink(searched: SearchProblem):
    plain = SequentialSearch(searched.lattice, searched.keep, searched.max_features)
    for terms in (plain, replace(plain, accept_ties=False), replace(plain, unused_together=True)):
        expected = terms.backward()
        for algorithm in (Algorithm.white_box, Algorithm.black_box, Algorithm.paper):
            assert_same(searched, eliminate(searched, terms, algorithm=algorithm), expected)


@pytest.mark.parametrize("unused_together", [False, True])
def test_a_stopped_elimination_has_taken_the_first_steps(unused_together: bool):
    searched = wide_search(300, 1)
    settings = _core.EliminationSettings()
    settings.unused_together = unused_together
    whole = _core.eliminate(searched.core(), settings, _core.Budget())
    core = searched.core()
    for milliseconds in range(20):
        budget = _core.Budget()
        timer = Timer(milliseconds / 1000, budget.request_stop)
        timer.start()
        part = _core.eliminate(core, settings, budget)
        timer.join()
        assert 1 <= len(part.steps) <= len(whole.steps)
        assert told(part) == told(whole)[: len(part.steps)]
        assert part.units == part.steps[-1].units
        assert part.status == "interrupted" or len(part.steps) == len(whole.steps)


def test_no_time_at_all_leaves_the_whole_set():
    searched = wide_search(100, 2)
    for strategy in (Strategy.backward, Strategy.beam, Strategy.floating_backward):
        for algorithm in (Algorithm.white_box, Algorithm.black_box):
            chosen = _core.EliminationSettings()
            chosen.strategy, chosen.algorithm = strategy, algorithm
            budget = _core.Budget()
            budget.set_time_limit(0.0)
            result = _core.eliminate(searched.core(), chosen, budget)
            assert result.units == list(range(100))
            assert result.status == "time_limit"
            assert result.error == searched.core().error_of(result.units)[0]

"""The best subset by a function of the tree: nothing bounds the function, so all distinct trees are grown and judged.

`complete.py` is the search for errors that are sums over samples; `greedy.py` eliminates by a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

from palmette import _core
from palmette.search.outcome import Outcome, Step
from palmette.search.progress import Watch
from palmette.search.task import SearchTask
from palmette.support.messages import listing
from palmette.tree.classifier import C45Classifier

__all__ = ["search_by_function", "value_of"]

TREES_AT_ONCE = 64


def search_by_function(
    task: SearchTask,
    function: Callable[[Any], Any],
    feature_penalty: float,
    settings: _core.SearchSettings,
    budget: _core.Budget,
    watch: Watch,
) -> Outcome:
    """The minimum of (value + penalty, number of features, feature indices) over all distinct trees."""
    best: tuple[float, int, tuple[int, ...]] | None = None
    value_of_best = math.inf
    n_trees, closed = 0, 0
    steps: list[Step] = []
    status = ""
    enumerator = _core.TreeEnumerator(task.core, settings, None)
    try:
        for units, n_subsets in _candidates(task, enumerator, budget):
            features = task.units.features(units)
            value = value_of(function, task.grow(features), task.named(features))
            n_trees += n_subsets > 0
            closed += n_subsets
            candidate = (value + feature_penalty * len(features), len(features), features)
            if best is None or candidate < best:
                best, value_of_best = candidate, value
                steps.append(Step(watch.seconds, value, -math.inf, features))
            watch.tell(closed / task.n_subsets, n_trees, best[0], -math.inf, best[1])
            if watch.out_of_time():
                break
        else:
            status = "optimal" if enumerator.finished else ""
    except KeyboardInterrupt:
        if best is None:
            raise
        status = "interrupted"
    assert best is not None
    if not status:
        status = enumerator.stopped_by(budget) or watch.stopped_by
    objective, _, features = best
    bound = objective if status == "optimal" else -math.inf
    steps.append(Step(watch.seconds, value_of_best, bound, features))
    return Outcome(features, value_of_best, objective, bound, status, n_trees, watch.seconds, tuple(steps))


def _candidates(
    task: SearchTask, enumerator: _core.TreeEnumerator, budget: _core.Budget
) -> Iterator[tuple[list[int], int]]:
    """The units of every distinct tree, with the number of subsets that give it; first of all those that are kept.

    So there is an answer even where no time is left for a search.
    """
    yield list(task.units.kept), 0
    while not enumerator.finished:
        found = enumerator.next(TREES_AT_ONCE, budget)
        if not found:
            return
        for subset in found:
            yield subset.units, task.n_subsets_of(subset)


def value_of(
    function: Callable[[Any], Any], classifier: C45Classifier, names: tuple[str, ...] | tuple[int, ...]
) -> float:
    """What the function says of a tree; `names` are the features that it was grown with."""
    value = function(classifier)
    if not isinstance(value, Real) or math.isnan(value) or value == -math.inf:
        grown_with = f"the features {listing(names)}" if names else "no features"
        raise ValueError(
            f"The function `error` returned {value!r} for the tree with {grown_with}. It must return a number: "
            "lower is better."
        )
    return float(value)

"""The steps of a complete search, as a frame and as a picture."""

from __future__ import annotations

import numpy as np
import pytest

from palmette import BestSubsetSelector
from palmette.search import SearchStep
from palmette.search.history import plot_steps


def test_the_history_ends_with_the_answer(wine):
    selector = BestSubsetSelector(random_state=0).fit(*wine)
    assert all(isinstance(step, SearchStep) for step in selector.history_)
    seconds = [step.seconds for step in selector.history_]
    assert seconds == sorted(seconds)
    last = selector.history_[-1]
    assert (last.error, last.bound) == (selector.error_, selector.error_bound_)
    assert last.features == tuple(selector.get_support(indices=True).tolist())
    frame = selector.history_frame()
    assert frame.columns.tolist() == ["seconds", "error", "bound", "n_features", "features"]
    assert len(frame) == len(selector.history_)


def test_the_history_can_be_drawn(wine):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    selector = BestSubsetSelector(random_state=0).fit(*wine)
    axes = selector.plot_history()
    assert axes.get_xlabel() == "seconds"
    assert selector.plot_history(axes) is axes
    BestSubsetSelector(random_state=0, feature_penalty=0.01).fit(*wine).plot_history()


def drawn(selector):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    return selector.plot_history()


def test_with_a_penalty_the_objective_is_drawn_against_its_bound(wine):
    selector = BestSubsetSelector(random_state=0, feature_penalty=0.02).fit(*wine)
    axes = drawn(selector)
    best, bound = (np.asarray(line.get_ydata()) for line in axes.lines)
    assert best[-1] == pytest.approx(selector.objective_)
    assert bound[-1] == pytest.approx(selector.error_bound_)
    assert np.all(bound <= best + 1e-6)
    assert axes.get_ylabel() == "search error plus penalty"


@pytest.mark.parametrize("sign", [-1, 1])
def test_values_of_a_function_are_drawn_where_they_lie_and_without_a_bound(wine, sign):
    X, y = wine
    selector = BestSubsetSelector(error=lambda tree: 5 * sign + tree.score(X, y), max_features=2, random_state=0)
    axes = drawn(selector.fit(X, y))
    (best,) = axes.lines
    low, high = axes.get_ylim()
    assert low < min(best.get_ydata()) <= max(best.get_ydata()) < high
    assert high - low < 3
    assert axes.get_ylabel() == "value of the function"
    assert "none has a smaller value, and" in selector.summary()


def test_a_history_of_one_step_is_drawn_as_points(wine):
    selector = BestSubsetSelector(random_state=0, algorithm="paper").fit(*wine)
    assert len(selector.history_) == 1
    axes = drawn(selector)
    assert [line.get_marker() for line in axes.lines] == ["o", "o"]
    assert axes.get_xlim()[0] == 0


def test_a_bound_of_zero_is_drawn_above_the_axis():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    steps = [SearchStep(0.1, 0.3, 0.0, (0, 1)), SearchStep(0.2, 0.2, 0.0, (0,))]
    axes = plot_steps(steps, None, until=1.0)
    bound = axes.lines[1]
    assert set(bound.get_ydata()) == {0.0}
    axes.figure.canvas.draw()
    zero, floor = (axes.transData.transform((0.1, y))[1] for y in (0.0, axes.get_ylim()[0]))
    assert zero - floor > bound.get_linewidth() * axes.figure.dpi / 72
    assert all(tick >= 0 for tick in axes.get_yticks() if tick >= axes.get_ylim()[0])

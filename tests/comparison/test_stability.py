"""`stability_score` against the formulas of the papers, pair by pair, and on cases that can be worked out by hand."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from oracles import stability as oracle
from palmette import BackwardEliminationSelector, stability_score
from palmette.datasets import load

HALF = NormalDist().inv_cdf(0.975)


@st.composite
def masks(draw):
    n_features = draw(st.integers(1, 7))
    row = st.lists(st.integers(0, 1), min_size=n_features, max_size=n_features)
    return draw(st.lists(row, min_size=3, max_size=6))


@settings(max_examples=40)
@given(masks())
def test_pearson_is_the_mean_over_the_pairs(rows):
    score = stability_score(rows)
    assert score.value == pytest.approx(oracle.mean_correlation(rows), abs=1e-12)
    half = HALF * math.sqrt(oracle.jackknife_variance(rows))
    assert score.low == pytest.approx(max(-1, score.value - half), abs=1e-9)
    assert score.high == pytest.approx(min(1, score.value + half), abs=1e-9)


@settings(max_examples=40)
@given(masks())
def test_frequency_is_the_measure_of_2018(rows):
    score = stability_score(rows, measure="frequency")
    assert score.value == pytest.approx(oracle.frequency_measure(rows), abs=1e-12)
    half = HALF * math.sqrt(oracle.frequency_variance(rows))
    assert score.low == pytest.approx(max(-1, score.value - half), abs=1e-9)
    assert score.high == pytest.approx(min(1, score.value + half), abs=1e-9)


def test_the_measures_agree_where_all_sets_have_one_size():
    generator = np.random.RandomState(0)
    rows = np.array([generator.permutation([1] * 4 + [0] * 8) for _ in range(30)])
    pearson, frequency = (stability_score(rows, measure=name) for name in ("pearson", "frequency"))
    assert pearson.value == pytest.approx(frequency.value)
    # The two estimates of the variance have different roads to the same place.
    assert pearson.high - pearson.low == pytest.approx(frequency.high - frequency.low, rel=0.2)


def test_a_case_by_hand():
    # Correlations of the pairs: 1, 0, 0.
    score = stability_score([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert score.value == pytest.approx(1 / 3)
    assert score.sd == pytest.approx(np.std([1, 0, 0], ddof=1))
    assert score.frequencies == pytest.approx((1, 2 / 3, 1 / 3, 0))
    assert (score.n_sets, score.n_features, score.mean_size) == (3, 4, 2)
    assert float(score) == score.value


def test_the_correlation_is_that_of_scipy():
    rows = np.random.RandomState(1).rand(2, 40) < 0.3
    assert stability_score(rows).value == pytest.approx(stats.pearsonr(*rows.astype(float)).statistic)


def test_opposite_sets():
    assert stability_score([[1, 0], [0, 1]]).value == pytest.approx(-1)


def test_table_4_of_2019_full_sets_count_as_equal_and_as_unlike_all_others():
    # Adult: 13.92 of 14 features on average and a stability of 0.85: 92 of 100 folds used all of them.
    rows = np.ones((100, 14), dtype=bool)
    rows[:8, 0] = False
    score = stability_score(rows)
    assert score.mean_size == pytest.approx(13.92)
    assert round(score.value, 2) == 0.85
    assert round(score.sd, 2) == 0.36


@pytest.mark.parametrize("measure", ["pearson", "frequency"])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, 0, 0]] * 4, "are all empty"),
        ([[1, 1, 1]] * 4, "all hold every feature"),
        ([[1, 0, 1]] * 4, "are all the same"),
    ],
)
def test_equal_sets(rows, words, measure):
    score = stability_score(rows, measure=measure)
    assert (score.value, score.low, score.high) == (1, 1, 1)
    assert words in str(score)


def test_the_interval_covers_the_truth():
    # Independent sets of 3 of 12 features, two of them favoured: the stability of infinitely many is the mean of many.
    generator = np.random.RandomState(0)
    weights = np.array([4.0, 4.0] + [1.0] * 10)

    def draw(n_sets):
        # The three earliest of twelve random times, which come sooner for a larger weight.
        times = generator.exponential(1 / weights, (n_sets, 12))
        return times <= np.sort(times, axis=1)[:, 2:3]

    truth = stability_score(draw(2000)).value
    for measure in ("pearson", "frequency"):
        scores = [stability_score(draw(40), measure=measure) for _ in range(150)]
        covered = sum(score.low <= truth <= score.high for score in scores)
        assert 130 <= covered <= 149


def test_words_of_a_score():
    score = stability_score([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]], confidence=0.9)
    assert str(score).startswith("0.333 (90% interval ")
    assert str(score).endswith("3 sets of 2 of 4 features on average")


def test_two_sets_have_no_interval():
    score = stability_score([[1, 1, 0, 0], [1, 0, 1, 0]])
    assert score.value == pytest.approx(0)
    assert math.isnan(score.low)
    assert math.isnan(score.high)
    assert "interval" not in str(score)


def test_fitted_selectors():
    X, y = load("iris")
    selectors = [BackwardEliminationSelector(random_state=seed).fit(X, y) for seed in range(3)]
    assert stability_score(selectors).value == stability_score([item.get_support() for item in selectors]).value


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1, 0, 1]], "at least two sets, but `masks` holds 1"),
        ([], "a row of True and False"),
        ([[1, 0], [1, 0, 1]], "different lengths"),
        ([[1, 2], [0, 1]], "a row of True and False"),
        ([1, 0, 1], "a row of True and False"),
        ([["a", "b"], ["c", "d"]], "a row of True and False"),
        (np.zeros((3, 0)), "no feature at all"),
        (3, "a row of True and False"),
    ],
)
def test_mistakes(rows, words):
    with pytest.raises(ValueError, match=words):
        stability_score(rows)


def test_wrong_options():
    with pytest.raises(ValueError, match="`measure` must be"):
        stability_score([[1], [0]], measure="kendall")
    with pytest.raises(ValueError, match="`confidence` must be"):
        stability_score([[1], [0]], confidence=95)

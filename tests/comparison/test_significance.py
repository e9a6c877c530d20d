"""The t-tests against scipy and against their formulas; the marks and wins of the papers' tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palmette.comparison.significance import corrected_t_test, marks, paired_t_test

ERRORS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=30)


@settings(max_examples=40)
@given(ERRORS)
def test_the_paired_test_is_that_of_scipy(pairs):
    first, second = ([number / 20 for number in numbers] for numbers in zip(*pairs, strict=True))
    found = paired_t_test(first, second)
    differences = {a - b for a, b in pairs}
    if len(differences) == 1:
        assert found == (1.0 if differences == {0} else 0.0)
    else:
        assert found == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-9, abs=1e-300)


@settings(max_examples=40)
@given(ERRORS, st.sampled_from([1 / 9, 1 / 4, 1.0]))
def test_the_corrected_test_is_that_of_nadeau_and_bengio(pairs, share):
    first, second = ([number / 20 for number in numbers] for numbers in zip(*pairs, strict=True))
    found = corrected_t_test(first, second, share)
    differences = np.subtract(first, second)
    if len({a - b for a, b in pairs}) == 1:
        assert found in (0.0, 1.0)
        return
    # The same as a paired test, with a statistic that is smaller by the root of 1 + n · share.
    plain = stats.ttest_1samp(differences, 0)
    statistic = plain.statistic / math.sqrt(1 + len(pairs) * share)
    assert found == pytest.approx(2 * stats.t.sf(abs(statistic), len(pairs) - 1), rel=1e-9)
    assert found >= paired_t_test(first, second)


def test_too_few_pairs():
    assert math.isnan(paired_t_test([0.1], [0.2]))
    assert math.isnan(corrected_t_test([], [], 0.1))


def numbered(values):
    return dict(enumerate(values))


def test_the_best_mean_wins_and_what_does_not_differ_has_a_star():
    base = np.random.RandomState(0).rand(30)
    noise = 0.1 * np.resize([1.0, -1.0], 30)
    values = {
        "same": numbered(base + 0.01 + noise),
        "best": numbered(base),
        "worse": numbered(base + 0.2 + noise),
    }
    assert marks(values) == {"same": "star", "best": "best", "worse": None}
    assert marks({name: {k: -v for k, v in row.items()} for name, row in values.items()}, highest=True) == {
        "same": "star",
        "best": "best",
        "worse": None,
    }


def test_the_correction_makes_stars():
    values = {"best": numbered([0.1, 0.2, 0.3, 0.2]), "other": numbered([0.2, 0.22, 0.41, 0.3])}
    assert marks(values)["other"] is None
    assert marks(values, test_to_training=1.0)["other"] == "star"


def test_all_that_have_the_best_mean_win():
    values = {"a": numbered([0.1, 0.2, 0.3]), "b": numbered([0.3, 0.2, 0.1]), "c": numbered([0.8, 0.9, 0.9])}
    assert marks(values) == {"a": "best", "b": "best", "c": None}
    assert marks({"a": {0: 0.1}, "b": {0: 0.1}}) == {"a": "best", "b": "best"}


def test_who_has_too_few_trials_does_not_compete():
    values = {"full": numbered([0.2] * 10), "lucky": {0: 0.0}, "none": {}}
    assert marks(values) == {"full": "best", "lucky": None, "none": None}
    assert marks({"none": {}}) == {"none": None}


def test_one_trial_each():
    assert marks({"a": {0: 0.1}, "b": {0: 0.2}}) == {"a": "best", "b": None}

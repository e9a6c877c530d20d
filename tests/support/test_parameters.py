"""Checks of constructor parameters: what passes, and the message of what does not."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from palmette.support.messages import did_you_mean, listing
from palmette.support.parameters import (
    MOST_THREADS_PER_CORE,
    check_choice,
    check_flag,
    check_number,
    resolve_n_jobs,
)

CRITERIA = ["information_gain", "gain_ratio", "gini"]


def test_a_choice():
    for criterion in CRITERIA:
        check_choice("criterion", criterion, CRITERIA)
    check_choice("pruning", None, [None, "error_based"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "ginni",
            "`criterion` must be 'information_gain' or .* or 'gini', but is 'ginni'. Did you mean 'gini'?",
        ),
        ("GINI", "but is 'GINI'. Did you mean 'gini'?"),
        ("squared", "but is 'squared'.$"),
        (None, "but is None.$"),
        (3, "but is 3.$"),
        (np.array(["gini"]), "but is array"),
    ],
)
def test_a_wrong_choice(value, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_choice("criterion", value, CRITERIA)


@pytest.mark.parametrize("value", [1, 2.5, np.int64(3), np.float32(0.5), 1e300])
def test_a_number(value):
    check_number("weight", value, 0)


def test_limits_may_be_excluded():
    check_number("confidence", 1, 0, 1, low_excluded=True)
    check_number("share", 0, 0, 1, high_excluded=True)
    check_number("depth", None, 1, integer=True, none_allowed=True)
    check_number("count", 10**400, 1, integer=True)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (0, {"low": 1, "integer": True}, "`p` must be an integer at least 1, but is 0.$"),
        (
            2.5,
            {"low": 1, "integer": True},
            "must be an integer at least 1, but is 2.5. Pass 2 if that is meant",
        ),
        (
            "2",
            {"low": 1},
            "must be a number at least 1, but is '2', which is text. Pass a number without quotes",
        ),
        (True, {"integer": True}, "must be an integer, but is True, which is a bool"),
        (None, {}, "must be a number, but is None, which is a NoneType"),
        ([1], {"none_allowed": True}, r"must be a number, or None, but is \[1\], which is a list"),
        (float("nan"), {"low": 0}, "must be a number at least 0, but is nan"),
        (float("nan"), {}, "must be a number, but is nan"),
        (0, {"low": 0, "high": 1, "low_excluded": True}, "a number above 0 and at most 1, but is 0"),
        (1, {"low": 0, "high": 1, "high_excluded": True}, "a number at least 0 and below 1, but is 1"),
        (3, {"high": 2}, "a number at most 2, but is 3"),
        (1j, {}, "must be a number, but is 1j"),
    ],
)
def test_a_wrong_number(value, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_number("p", value, **options)


def test_a_flag():
    check_flag("bootstrap", True)
    check_flag("bootstrap", np.bool_(False))
    for value in (None, 1, "True", [True]):
        with pytest.raises(InvalidParameterError, match="`bootstrap` must be True or False, but is"):
            check_flag("bootstrap", value)


def test_n_jobs():
    cores = joblib.cpu_count()
    assert resolve_n_jobs(None) == 1
    assert resolve_n_jobs(3) == 3
    assert resolve_n_jobs(np.int64(1)) == 1
    assert resolve_n_jobs(-1) == cores
    assert resolve_n_jobs(-2) == max(1, cores - 1)
    assert resolve_n_jobs(-1000) == 1
    assert resolve_n_jobs(10**9) == MOST_THREADS_PER_CORE * cores


def test_n_jobs_inside_a_context_of_joblib():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert resolve_n_jobs(None) == min(2, joblib.cpu_count())
        assert resolve_n_jobs(1) == 1


@pytest.mark.parametrize(("value", "message"), [(0, "must not be 0"), (1.5, "an integer, or None"), ("2", "text")])
def test_wrong_n_jobs(value, message):
    with pytest.raises(InvalidParameterError, match=f"`n_jobs` .*{message}"):
        resolve_n_jobs(value)


def test_pieces_of_messages():
    assert did_you_mean("Incme", ["age", "income"]) == " Did you mean 'income'?"
    assert did_you_mean("zzz", ["age", "income"]) == ""
    assert listing([1, 2, 3]) == "1, 2, 3"
    assert listing([1, 2, 3], limit=2) == "1, 2 and 1 more"

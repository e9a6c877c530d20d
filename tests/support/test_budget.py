"""Budgets: what `memory_limit` and `time_limit` may be."""

from __future__ import annotations

import pytest

from palmette.support.budget import budget_of, bytes_of


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (1, 1),
        ("1", 1),
        ("500 kB", 500_000),
        ("2GB", 2 * 10**9),
        ("2 gib", 2 * 2**30),
        ("1.5MiB", 3 * 2**19),
        ("1T", 10**12),
        (10**30, 2**62),
        ("9" * 400 + "GB", 2**62),
    ],
)
def test_sizes_of_memory(limit, expected):
    assert bytes_of(limit) == expected


def test_the_default_is_a_share_of_the_machine():
    assert 2**20 < bytes_of(None) <= 4 * 2**30


@pytest.mark.parametrize("limit", ["", "GB", "-1GB", "2 parsec", "0", 0, -5, 1.5, True, [1]])
def test_what_is_no_size(limit):
    with pytest.raises(ValueError, match="`memory_limit` must be"):
        bytes_of(limit)


def test_time_limits():
    assert not budget_of(None).spent
    assert not budget_of(10**400).spent
    with pytest.raises(ValueError, match="`time_limit`"):
        budget_of(-1)

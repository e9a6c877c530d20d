"""The study of Figure 1 of Langley & Sage: rows, limits and verdicts, on curves that are made up or tiny."""

from __future__ import annotations

from functools import partial

import pytest

from palmette import reproduce
from palmette.reproduce import langley1994
from palmette.reproduce.langley1994 import QUANTITY, REDRAWN, crossing


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(langley1994, "IRRELEVANT", (0, 2, 4))
    monkeypatch.setattr(langley1994, "SIZES", (16, 64, 256))
    return partial(reproduce.run, "langley1994-figure1", datasets=["conjunction"], repeats=3)


def test_a_small_run_has_every_row(small, tmp_path):
    result = small(cache=tmp_path)
    assert len(result.rows) == 3 * 4 * 3
    assert {row.status for row in result.rows if row.dataset != "conjunction"} == {"not asked for"}
    ours = {(row.strategy, row.at): row for row in result.rows if row.dataset == "conjunction"}
    assert ours["OBLIVION", 4].ours is not None
    assert ours[REDRAWN, 4].ours is not None
    assert ours["C4.5", 0].ours is not None
    for row in ours.values():
        assert (row.ours is None) == (row.status == "over the limit")
        assert row.ours is not None or row.remark == "> 256"
    assert result.axis == {QUANTITY: "irrelevant features"}
    assert "irrelevant" in result.table()
    again = small(cache=tmp_path)
    assert again.rows == result.rows


def test_without_time_every_row_is_over_the_limit(small):
    result = small(time_limit=0)
    assert {row.status for row in result.rows if row.dataset == "conjunction"} == {"over the limit"}
    assert {claim.holds for claim in result.claims} == {None}


def test_redrawn_folds_go_on_where_leave_one_out_stops():
    accuracy = {
        learner: langley1994.learn("all_equal", learner, 20, 100, repeats=5, seed=0, time_limit=600, n_jobs=1)[
            "accuracy"
        ]
        for learner in ("OBLIVION", REDRAWN)
    }
    assert accuracy[REDRAWN] > accuracy["OBLIVION"] + 0.05


def rows_of(curves):
    return [
        reproduce.Row("all_equal", QUANTITY, learner, ours=ours, n=1, at=at)
        for learner, needed in curves.items()
        for at, ours in needed.items()
    ]


def test_claims_are_judged_by_the_numbers():
    rows = rows_of(
        {
            "nearest neighbour": {0: 16.0, 2: 40.0, 4: 110.0, 6: 270.0},
            "OBLIVION": {0: 20.0, 2: 22.0, 4: 26.0, 8: 40.0, 10: 46.0, 20: 400.0},
            REDRAWN: {0: 28.0, 2: 30.0, 4: 33.0, 8: 42.0, 10: 46.0, 20: 65.0},
        }
    )
    verdicts = {claim.words: claim.holds for claim in langley1994._claims(rows)}
    by_words = {
        words: next(holds for claim, holds in verdicts.items() if words in claim)
        for words in (
            "exponential in",
            "neighbour's (all_equal, leave-one-out)",
            "leave-one-out, up to 10",
            "leave-one-out, up to 20",
            "neighbour's (all_equal, 2 folds redrawn)",
            "2 folds redrawn, up to 20",
            "conjunctions",
        )
    }
    assert by_words == {
        "exponential in": True,
        "neighbour's (all_equal, leave-one-out)": True,
        "leave-one-out, up to 10": True,
        "leave-one-out, up to 20": False,
        "neighbour's (all_equal, 2 folds redrawn)": True,
        "2 folds redrawn, up to 20": True,
        "conjunctions": None,
    }


def test_a_curve_crosses_at_once_between_or_never():
    assert crossing([(10, 0.96), (20, 0.9)]) == 10
    assert crossing([(10, 0.90), (20, 1.0)]) == pytest.approx(15)
    assert crossing([(10, 0.90), (20, 0.94)]) is None
    assert crossing([]) is None

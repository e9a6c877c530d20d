"""The trials of the studies are those of `palmette.compare`; what the tables make of them is what its result holds."""

from __future__ import annotations

import pytest

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    C45Classifier,
    C45ForestClassifier,
    compare,
    published,
)
from palmette.datasets import available
from palmette.reproduce import find, run
from palmette.reproduce.jmlr2019_claims import FEATURES, SEARCH, STABILITY, TEST
from palmette.reproduce.readings import read

pytestmark = pytest.mark.skipif(
    "ionosphere" not in {record.name for record in available()},
    reason="set PALMETTE_DATA to the folder of the papers' datasets",
)
PROTOCOL = {"repeats": 1, "folds": 3}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def comparison():
    strategies = {
        "baseline": C45Classifier(),
        "DTsbe": BackwardEliminationSelector(),
        "DTaccept0": BestSubsetSelector(tie_break="first"),
        "RF": C45ForestClassifier(max_features="log2+1", voting="hard"),
    }
    return compare(strategies, {"ionosphere": read("ionosphere")}, **PROTOCOL)


@pytest.mark.parametrize(
    ("study", "quantity", "measure", "scale"),
    [
        ("jmlr2019-table2", SEARCH, "search_error", 100),
        ("jmlr2019-table2", TEST, "test_error", 100),
        ("jmlr2019-table3", TEST, "test_error", 100),
        ("jmlr2019-table4", FEATURES, "n_used", 1),
        ("jmlr2019-table4", STABILITY, "stability", 1),
    ],
)
def test_a_table_holds_the_numbers_of_compare(study, quantity, measure, scale, comparison, cache):
    result = run(study, datasets=["ionosphere"], cache=cache, **PROTOCOL)
    rows = [row for row in result.rows if row.dataset == "ionosphere" and row.quantity == quantity]
    compared = [row for row in rows if row.strategy in comparison.strategies]
    assert compared
    for row in compared:
        summary = comparison.cell("ionosphere", row.strategy).summaries[measure]
        assert row.ours == pytest.approx(scale * summary.mean)
        if measure != "stability":
            assert row.standard_error == pytest.approx(scale * summary.sd / 3**0.5)


def test_tables_share_their_trials_through_the_cache(cache, monkeypatch):
    run("jmlr2019-table2", datasets=["ionosphere"], cache=cache, **PROTOCOL)

    def refuse(*_, **__):
        raise AssertionError("a trial was run again")

    monkeypatch.setattr("palmette.reproduce.work._do", refuse)
    result = run("jmlr2019-table4", datasets=["ionosphere"], cache=cache, **PROTOCOL)
    assert all(row.ours is not None for row in result.rows if row.dataset == "ionosphere")


def test_the_published_numbers_stand_beside_ours(cache):
    result = run("jmlr2019-table2", datasets=["ionosphere"], cache=cache, **PROTOCOL)
    row = next(row for row in result.rows if row.dataset == "ionosphere" and row.strategy == "DTsbe")
    assert row.published == 5.78
    assert row.published_standard_error == pytest.approx(0.186)
    absent = next(row for row in result.rows if row.dataset == "gisette")
    assert absent.status == "not asked for"
    assert absent.published == 6.65


@pytest.mark.parametrize("name", ["jmlr2019-table1", "icml2017-table1"])
def test_every_dataset_of_the_paper_is_in_its_study(name):
    assert find(name).datasets == tuple(row["dataset"] for row in published.table(name))


@pytest.mark.parametrize(
    ("study", "quantity", "remark"),
    [("jmlr2019-table2", SEARCH, ""), ("jmlr2019-table1", "seconds", "too many features")],
)
def test_a_complete_search_of_too_many_features_is_over_the_limit_and_the_others_go_on(
    study, quantity, remark, monkeypatch
):
    monkeypatch.setattr("palmette.reproduce.trials.MOST_UNITS", 33)  # ionosphere has 34
    result = run(study, datasets=["ionosphere"], time_limit=60, trial_limit=600, **PROTOCOL)
    rows = {row.strategy: row for row in result.rows if row.dataset == "ionosphere" and row.quantity == quantity}
    assert rows["DTaccept0"].status == "over the limit"
    assert rows["DTaccept0"].remark == remark
    assert rows["DTsbe"].status == "measured"

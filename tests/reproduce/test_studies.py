"""Every study: found by name, whole, and run end to end with tiny settings."""

from __future__ import annotations

import time

import pytest

from palmette import published, reproduce
from palmette.datasets import available

HERE = {record.name for record in available() if record.where != "scikit-learn"}
TINY = {"repeats": 1, "folds": 2, "trial_limit": 1.0, "time_limit": 6.0}
SMALL = ("ionosphere", "sonar", "anneal", "iris", "voting", "wine", "adult")


def small_dataset(study):
    if study.takes_others:
        return "wine"
    return next((name for name in (*SMALL, *study.datasets) if name in study.datasets and name in HERE), None)


def test_names_are_unique_and_sorted_as_people_count():
    names = [study.name for study in reproduce.studies()]
    assert len(set(names)) == len(names)
    tables = [name for name in names if name.startswith("jmlr2019-table")]
    assert tables == sorted(tables, key=lambda name: int(name.removeprefix("jmlr2019-table")))


@pytest.mark.parametrize("study", reproduce.studies(), ids=lambda study: study.name)
def test_a_study_says_what_it_is(study):
    assert study.title
    assert study.claim
    assert study.datasets
    assert study.short
    if study.name in published.available():
        rows = [row for row in published.table(study.name) if row.get("dataset")]
        assert {row["dataset"] for row in rows} <= set(study.datasets)


@pytest.mark.parametrize("study", reproduce.studies(), ids=lambda study: study.name)
def test_a_tiny_run_ends_in_time_with_every_row(study, tmp_path):
    dataset = small_dataset(study)
    if dataset is None:
        pytest.skip("none of its datasets is here: set PALMETTE_DATA to the folder of the papers' datasets")
    start = time.time()
    result = reproduce.run(study, datasets=[dataset], cache=tmp_path, **TINY)
    assert time.time() - start < 60
    assert {row.dataset for row in result.rows} >= set(study.datasets)
    assert all(row.ours is None for row in result.rows if row.status != "measured")
    assert all(row.ours is not None for row in result.rows if row.status == "measured")
    assert any(row.ours is not None for row in result.rows if row.dataset == dataset)
    assert result.name in result.table()
    assert result.markdown()
    assert result.to_csv().count("\n") == len(result.rows) + 1


@pytest.mark.parametrize("study", reproduce.studies(), ids=lambda study: study.name)
def test_without_time_every_row_is_over_the_limit(study):
    dataset = small_dataset(study)
    if dataset is None:
        pytest.skip("none of its datasets is here")
    result = reproduce.run(study, datasets=[dataset], repeats=1, folds=2, time_limit=0)
    measured = [row for row in result.rows if row.dataset == dataset and row.status == "measured"]
    # What is read off the table itself, such as its size, takes no time.
    assert all(row.standard_error is None for row in measured)
    assert any(row.status == "over the limit" for row in result.rows)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"datasets": ["adlut"]}, "has no dataset 'adlut'"),
        ({"repeats": 0}, "repeats"),
        ({"folds": 1}, "folds"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_mistakes_are_told(options, words):
    with pytest.raises(ValueError, match=words):
        reproduce.run("jmlr2019-table1", **options)


def test_an_unknown_study_is_told_the_nearest():
    with pytest.raises(ValueError, match="jmlr2019-table1"):
        reproduce.find("jmlr2019-tabel1")

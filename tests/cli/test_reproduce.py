"""`palmette reproduce`: lists the studies, prints and writes a result, and tells of mistakes in one sentence."""

from __future__ import annotations

import json
import os

import pytest

FOLDER = os.environ.get("PALMETTE_DATA", "")
needs_data = pytest.mark.skipif(not FOLDER, reason="set PALMETTE_DATA to the folder of the papers' datasets")


def test_the_list_names_every_table_and_figure_with_a_short_command(run):
    result = run("reproduce", "--list")
    assert result.code == 0
    for number in range(1, 9):
        assert f"jmlr2019-table{number} " in result.out
    for name in ("jmlr2019-figure4", "jmlr2019-figure8", "icml2017-table1", "icml2017-figure3", "icml2017-figure5"):
        assert name in result.out
    assert "--time-limit" in result.out


@pytest.mark.parametrize("width", [20, 80, 200])
def test_every_command_of_the_list_is_whole(run, monkeypatch, width):
    from palmette.reproduce import studies

    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("reproduce", "--list").out.splitlines()
    for study in studies():
        assert f"    palmette reproduce {study.name} {study.short}" in lines


@needs_data
def test_a_study_is_printed_and_written(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PALMETTE_DATA", FOLDER)
    words = ["--datasets", "ionosphere,gisette", "--repeats", 1, "--folds", 2, "--time-limit", 30]
    outputs = ["--csv", tmp_path / "a.csv", "--json", tmp_path / "a.json", "--plot", tmp_path / "a.png"]
    result = run("reproduce", "jmlr2019-table3", *words, *outputs)
    assert result.code == 0, result.err
    assert "ionosphere" in result.out
    assert "no data" in result.out
    assert "Not asked for: adult" in result.out
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + 2 * 20 + 1
    assert json.loads((tmp_path / "a.json").read_text())["name"] == "jmlr2019-table3"
    assert (tmp_path / "a.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--list"),
        (["jmlr2019-table22"], "Did you mean 'jmlr2019-table2'?"),
        (["jmlr2019-table2", "--datasets", "adlut"], "has no dataset 'adlut'"),
        (["jmlr2019-table2", "--datasets", ","], "has no dataset"),
        (["jmlr2019-table2", "--repeats", "0"], "repeats"),
        (["jmlr2019-table2", "--jobs", "0"], "--jobs"),
        (["jmlr2019-table2", "--csv", "/nowhere/at/all.csv"], "no folder"),
        (["jmlr2019-table2", "--cache", __file__], "no folder"),
        (["jmlr2019-table2", "--plot", "table.xyz"], "must end in .png"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(run, words, told):
    result = run("reproduce", *words)
    assert result.code == 2
    assert told in result.err
    assert "Traceback" not in result.err

"""`palmette select --strategy oblivion` and `focus`: the same answers as the estimators, shown and kept."""

from __future__ import annotations

import json

import pytest

from palmette import FocusSelector, ObliviousTreeClassifier
from palmette.datasets import load


def told(text: str, title: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(title)).removeprefix(title).strip()


def test_oblivion_shows_its_table(run, tmp_path):
    words = ["--strategy", "oblivion", "--cv", 5, "--keep", "ash", "--min-features", 3, "--seed", 2]
    result = run("select", "wine", *words, "--json", tmp_path / "out.json", "--max-lines", 6)
    assert result.code == 0
    X, y = load("wine")
    model = ObliviousTreeClassifier(cv=5, keep=["ash"], min_features=3, random_state=2).fit(X, y)
    assert told(result.out, "features") == ", ".join(model.get_feature_names_out())
    assert told(result.out, "search error") == f"{model.error_:.2%}"
    assert f"{model.n_tables_} tables" in told(result.out, "way")
    assert "\n".join(model.to_text(max_cells=None).splitlines()[:6]) in result.out
    assert "more lines (--max-lines 0 shows all)" in result.out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["features"] == list(model.get_feature_names_out()) == data["table"]["features"]
    assert data["n_tables"] == model.n_tables_
    assert data["error"] == model.error_
    assert len(data["table"]["cells"]) == len(model.table_)
    assert [step["removed"] for step in data["history"]] == [list(step.removed) for step in model.history_]


def test_the_table_is_measured_on_held_out_samples(run):
    result = run("select", "wine", "--strategy", "oblivion", "--test-size", 0.3)
    assert result.code == 0
    assert " % ± " in told(result.out, "of the table")
    assert "with all features" in told(result.out, "held-out error")


def test_focus_shows_what_it_proves(run, tmp_path):
    result = run("select", "wine", "--strategy", "focus", "--keep", "hue", "--json", tmp_path / "out.json")
    assert result.code == 0
    X, y = load("wine")
    selector = FocusSelector(keep=["hue"]).fit(X, y)
    assert told(result.out, "features") == ", ".join(selector.get_feature_names_out())
    assert f"no set of fewer than {selector.size_bound_}" in told(result.out, "proved")
    assert selector.estimator_.to_text() in result.out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["size_bound"] == selector.size_bound_ == len(data["features"])
    assert data["n_inseparable"] == selector.n_inseparable_
    assert "error" not in data


def test_what_focus_cannot_tell_apart_is_a_remark(run):
    result = run("select", "iris", "--strategy", "focus")
    assert result.code == 0
    assert "have the same values as a sample of another class" in result.err


@pytest.mark.parametrize(
    "words", [["--gap", 0.1], ["--error", "training"], ["--max-features", 3], ["--ties"], ["--trees", 3]]
)
def test_what_is_not_for_oblivion_is_refused(run, words):
    result = run("select", "wine", "--strategy", "oblivion", *words)
    assert result.code == 2
    assert f"{words[0]} is not for --strategy oblivion." in result.err


@pytest.mark.parametrize(
    "words", [["--groups", "ash,hue"], ["--min-features", 2], ["--memory-limit", "1GB"], ["--cv", 5], ["--trees", 3]]
)
def test_what_is_not_for_focus_is_refused(run, words):
    result = run("select", "wine", "--strategy", "focus", *words)
    assert result.code == 2
    assert f"{words[0]} is not for --strategy focus." in result.err


@pytest.mark.parametrize("strategy", ["best", "backward", "rrf"])
def test_folds_of_oblivion_are_not_for_others(run, strategy):
    assert f"--cv is not for --strategy {strategy}." in run("select", "wine", "--strategy", strategy, "--cv", 5).err


def test_a_wrong_number_of_folds_is_told(run):
    result = run("select", "wine", "--strategy", "oblivion", "--cv", 1)
    assert result.code == 2
    assert "number of folds" in result.err


def test_an_error_that_nobody_counted_is_null(run, tmp_path):
    path = tmp_path / "out.json"
    result = run("select", "digits", "--strategy", "oblivion", "--time-limit", 0, "--json", path, "--max-lines", 1)
    assert result.code == 0
    assert told(result.out, "search error") == "not counted"
    assert "nan" not in result.out

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    data = json.loads(path.read_text(), parse_constant=refuse)
    assert data["error"] is None
    assert data["history"][0]["error"] is None

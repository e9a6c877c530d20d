"""`palmette select` on files and datasets: what it finds, shows and writes, and how it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    C45Classifier,
    RegularizedBoostingSelector,
    RegularizedForestSelector,
)
from palmette.datasets import load


def told(out, name):
    """The value beside a name in the table."""
    return re.search(rf"^{name} +(.*?) *$", out, re.MULTILINE)[1]


def test_a_dataset_by_name(run):
    result = run("select", "wine")
    assert result.code == 0
    expected = BestSubsetSelector(random_state=0).fit(*load("wine"))
    assert "wine: 178 samples, 13 features, 3 classes of 'class'" in result.out
    assert told(result.out, "features") == ", ".join(expected.get_feature_names_out())
    assert told(result.out, "search error") == f"{expected.error_:.2%}"
    assert told(result.out, "status") == "optimal"
    assert expected.estimator_.to_text() in result.out
    assert "no estimate of the error on new samples" in " ".join(result.out.split())


def test_a_raw_table(run, weather):
    result = run("select", weather, "--target", "play", "--strategy", "best")
    assert result.code == 0
    assert "Column 'day' holds dates or times, which a tree cannot use: it is left out." in result.err
    assert "Column 'station' has 120 texts in 120 rows" in result.err
    assert told(result.out, "features") == "outlook, humidity"


def test_the_options_reach_the_search(run):
    X, y = load("wine")
    tree = C45Classifier(criterion="gini", growth="literal", min_samples=5, max_depth=3, pruning="error_based")
    expected = BestSubsetSelector(
        tree,
        search_size=0.4,
        error_gap=0.0,
        feature_penalty=0.02,
        keep=["ash"],
        groups=[["alcohol", "hue"]],
        max_features=4,
        random_state=7,
    ).fit(X, y)
    words = ["--criterion", "gini", "--growth", "literal", "--min-samples", 5, "--max-depth", 3, "--prune"]
    words += ["--search-size", 0.4, "--penalty", 0.02, "--keep", "ash", "--groups", "pair=alcohol, hue"]
    words += ["--max-features", 4, "--seed", 7, "--jobs", 2, "--time-limit", 60, "--memory-limit", "200MB"]
    result = run("select", "wine", *words)
    assert result.code == 0
    assert told(result.out, "features") == ", ".join(expected.get_feature_names_out())
    assert told(result.out, "search error") == f"{expected.error_:.2%}"
    assert expected.estimator_.to_text() in result.out
    assert run("select", "wine", "--error", "cross_validation", "--gap", 0.05).code == 0


@pytest.mark.parametrize(
    ("strategy", "parameters"),
    [
        ("backward", {}),
        ("backward", {"unused": "together"}),
        ("forward", {"accept_ties": False}),
        ("floating", {"strategy": "floating_backward", "max_features": 3}),
        ("floating-forward", {"strategy": "floating_forward", "keep": ["ash"]}),
        ("beam", {"beam_width": 2, "min_features": 4}),
    ],
)
def test_eliminations(run, tmp_path, strategy, parameters):
    X, y = load("wine")
    expected = BackwardEliminationSelector(**{"strategy": strategy, "random_state": 0, **parameters}).fit(X, y)
    words = ["--strategy", strategy]
    for name, value in parameters.items():
        if name == "accept_ties":
            words.append("--ties" if value else "--no-ties")
        elif name != "strategy":
            words += ["--" + name.replace("_", "-"), *(value if isinstance(value, list) else [value])]
    path = tmp_path / "result.json"
    result = run("select", "wine", *words, "--json", path)
    assert result.code == 0
    assert told(result.out, "features") == ", ".join(expected.get_feature_names_out())
    assert told(result.out, "search error") == f"{expected.error_:.2%}"
    assert told(result.out, "status") == "complete"
    assert told(result.out, "way").startswith(f"{len(expected.history_) - 1} steps from ")
    assert "proved  " not in result.out
    data = json.loads(path.read_text())
    assert data["strategy"] == strategy
    assert data["error"] == expected.error_
    assert "error_bound" not in data
    assert [step["removed"] for step in data["history"]] == [list(step.removed) for step in expected.history_]
    assert [step["added"] for step in data["history"]] == [list(step.added) for step in expected.history_]


def test_one_tree_is_one_tree(run):
    result = run("select", "wine", "--strategy", "forward", "--max-features", 0)
    assert told(result.out, "way").endswith("; 1 tree")


def test_held_out_samples(run):
    result = run("select", "iris", "--test-size", 0.3)
    error = r"\d+\.\d % ± \d+\.\d"
    assert re.search(rf"held-out error +{error} of 45 samples; with all features {error}", result.out)
    assert re.search(rf"held-out error {error} \(45 samples", " ".join(result.out.split()))
    assert "held-out" not in run("select", "iris").out


def test_json(run, tmp_path):
    path = tmp_path / "result.json"
    result = run("select", "iris", "--json", path, "--test-size", 0.2)
    assert f"Wrote {path}." in result.err
    data = json.loads(path.read_text())
    assert data["strategy"] == "best"
    assert data["status"] == "optimal"
    assert data["error"] == data["error_bound"]
    assert data["held_out"]["samples"] == 30
    assert 0 <= data["held_out"]["error"] <= 1
    assert 0 < data["held_out"]["standard_error"] < 0.2
    assert data["history"][-1]["features"] == data["features"]
    X, y = load("iris")
    tree = C45Classifier.from_json(json.dumps(data["tree"]))
    assert (tree.predict(X) == y).mean() > 0.9


def test_a_report(run, tmp_path, weather):
    page = tmp_path / "page.html"
    result = run("select", weather, "--report", page, "--report-seconds", 2, "--test-size", 0.25)
    assert result.code == 0
    assert f"Wrote {page}." in result.err
    html = page.read_text(encoding="utf-8")
    for words in (
        "of ‘play’ apart",
        "Column &#39;day&#39; holds dates or times, which a tree cannot use: it is left out.",
        f"palmette select {weather} --report {page} --report-seconds 2 --test-size 0.25",
        "values missing",
        "Held-out error",
        "With all features",
    ):
        assert words in html


def test_an_elimination_with_a_report(run, tmp_path):
    page = tmp_path / "page.html"
    result = run("select", "wine", "--strategy", "backward", "--report", page, "--report-seconds", 1)
    assert result.code == 0
    assert "Every step" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("strategy", ["rrf", "cfs", "oblivion", "focus"])
def test_every_kind_of_strategy_has_a_report(run, tmp_path, strategy):
    page = tmp_path / "page.html"
    words = ["--report", page, "--report-seconds", 1, "--test-size", 0.3]
    assert run("select", "iris", "--strategy", strategy, *words).code == 0
    html = page.read_text(encoding="utf-8")
    for told in ("With all features", "The tree", "Stability", f"--strategy {strategy}"):
        assert told in html


def test_a_checkpoint(run, tmp_path):
    path = tmp_path / "search.checkpoint"
    first = run("select", "wine", "--checkpoint", path)
    assert path.exists()
    again = run("select", "wine", "--checkpoint", path)
    assert told(again.out, "features") == told(first.out, "features")
    other = run("select", "iris", "--checkpoint", path)
    assert other.code == 2
    assert "belongs to another search" in other.err


def test_a_time_limit_is_told(run):
    result = run("select", "digits", "--time-limit", 0.5, "--max-lines", 3)
    assert result.code == 0
    assert told(result.out, "status") == "time limit"
    assert "more lines" in result.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--strategy", "bestest"], "there is no 'bestest'; there is best, backward"),
        (["--strategy", "backward", "--gap", "0.1"], "--gap is not for --strategy backward"),
        (["--strategy", "beam", "--penalty", "0.1"], "--penalty is not for --strategy beam"),
        (["--strategy", "forward", "--checkpoint", "file"], "--checkpoint is not for --strategy forward"),
        (["--strategy", "floating", "--beam-width", "3"], "--beam-width is not for --strategy floating"),
        (["--strategy", "beam", "--beam-width", "0"], "--beam-width must be"),
        (["--strategy", "rrf", "--new-feature-weight", "0"], "but is 0. --drop keeps a column out."),
        (["--strategy", "rrf", "--new-feature-weight", "2"], "--new-feature-weight must be a number above 0"),
        (["--min-features", "3"], "--min-features is not for --strategy best"),
        (["--no-ties"], "--no-ties is not for --strategy best"),
        (["--strategy", "backward", "--min-features", "99"], "X has 13 features"),
        (["--keep", "ahs"], "--keep: 'wine' has no column 'ahs'; did you mean 'ash'?"),
        (["--groups", "ash,hues"], "did you mean 'hue'?"),
        (["--groups", "ash,hue", "--groups", "hue,alcohol"], "into two groups"),
        (["--gap", "-1"], "--gap must be"),
        (["--penalty", "nan"], "--penalty must be"),
        (["--max-features", "-1"], "--max-features must be"),
        (["--max-features", "0", "--keep", "ash"], "allow at least 1"),
        (["--time-limit", "-1"], "--time-limit must be"),
        (["--memory-limit", "lots"], "--memory-limit must be"),
        (["--checkpoint", "nowhere/file"], "there is no folder"),
        (["--json", "nowhere/file"], "there is no folder"),
        (["--json", "."], "is a directory"),
        (["--report", "nowhere/page.html"], "--report: there is no folder"),
        (["--report", "."], "--report: '.' is a directory"),
        (["--report-seconds", "-1"], "--report-seconds"),
        (["--gap", "2"], "at most 1"),
        (["--memory-limit", "-5GB"], "--memory-limit must be"),
        (["--strategy", "beam", "--beam-width", "two"], "--beam-width"),
        (["--error", "bootstrap"], "bootstrap"),
        (["--search-size", "1"], "--search-size must be"),
        (["--test-size", "1"], "--test-size"),
        (["--min-samples", "0"], "--min-samples must be"),
    ],
    ids=str,
)
def test_mistakes(run, words, message):
    result = run("select", "wine", *words)
    assert result.code == 2
    assert result.out == ""
    line = result.err.splitlines()[-1]
    assert line.startswith("palmette: ")
    assert message in line


def test_help(run):
    result = run("select", "--help")
    assert result.code == 0
    for option in (
        "--strategy",
        "--beam-width",
        "--min-features",
        "--ties",
        "--gap",
        "--penalty",
        "--keep",
        "--groups",
        "--checkpoint",
        "--memory-limit",
    ):
        assert option in result.out


@pytest.mark.slow
def test_ctrl_c_shows_what_was_found():
    words = [sys.executable, "-m", "palmette", "select", "digits", "--max-lines", "3"]
    environment = {**os.environ, "COLUMNS": "200"}
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    # The probe warns after two seconds of search.
    while "of the lattice" not in (line := process.stderr.readline()):
        assert line, process.communicate()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told(out, "status") == "interrupted"
    assert "features" in out
    assert err.strip().splitlines()[-1] == "palmette: Stopped."
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("strategy", "selector"), [("rrf", RegularizedForestSelector), ("rboost", RegularizedBoostingSelector)]
)
def test_trees_that_share_their_features(run, tmp_path, strategy, selector):
    words = ["--strategy", strategy, "--trees", 7, "--new-feature-weight", 0.2, "--keep", "ash", "--test-size", 0.3]
    result = run("select", "wine", *words, "--seed", 3, "--json", tmp_path / "out.json")
    assert result.code == 0
    assert "search error" not in result.out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["n_trees"] == 7
    assert "ash" in data["features"]
    assert "error" not in data
    assert set(data["held_out"]) == {
        *("samples", "error", "standard_error", "error_with_all_features", "error_of_own_model")
    }
    assert set(data["history"][0]) == {"feature", "gain", "weight", "tree", "depth"}
    tree = C45Classifier.from_json(json.dumps(data["tree"]))
    assert tree.feature_names_in_.tolist() == data["features"]
    assert tree.to_text() in result.out
    assert data["history"][0]["feature"] in told(result.out, "way")
    X, y = load("wine")
    fitted = selector(7, new_feature_weight=0.2, initial=["ash"], random_state=3).fit(X, y)
    whole = run("select", "wine", *words[:-2], "--seed", 3)
    assert told(whole.out, "features") == ", ".join(fitted.get_feature_names_out())


@pytest.mark.parametrize(
    "words",
    [
        ("--gap", 0.1),
        ("--groups", "ash,hue"),
        ("--max-features", 3),
        ("--error", "training"),
        ("--memory-limit", "1GB"),
    ],
)
def test_what_is_not_for_the_regularized_trees_is_refused(run, words):
    result = run("select", "wine", "--strategy", "rrf", *words)
    assert result.code == 2
    assert f"{words[0]} is not for --strategy rrf." in result.err
    assert "--trees is not for --strategy best." in run("select", "wine", "--trees", 3).err

"""`palmette compare` on files and datasets: what it shows and writes, how it fails, and how it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from palmette import Comparison, compare
from palmette.cli.options import Strategies
from palmette.comparison import STRATEGIES

SMALL = ["--repeats", 1, "--folds", 3]


def test_a_dataset_by_name(run, tmp_path):
    out = tmp_path / "comparison.json"
    result = run("compare", "iris", *SMALL, "--strategies", "tree, best", "--json", out)
    assert result.code == 0
    expected = compare(["tree", "best"], ["iris"], repeats=1, folds=3)
    shown = ["search_error", "test_error", "n_used", "stability"]
    read = Comparison.from_json(out)
    assert read.table(shown) == expected.table(shown)
    assert result.out.startswith(read.table(width=200))
    assert "proved best on the search set" in " ".join(result.out.split())
    assert f"Wrote {out}." in result.err


def test_several_tables_and_a_plot(run, weather, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.png"
    words = ["--target", "play", "--strategies", "tree,backward", "--measures", "test_error,n_used", "--plot", plot]
    result = run("compare", weather, *SMALL, *words)
    assert result.code == 0
    assert "weather.csv: 120 samples, 3 features, 2 classes." in result.out
    assert "Column 'day' holds dates or times" in result.err
    assert "search error %" not in result.out
    assert plot.read_bytes().startswith(b"\x89PNG")
    both = run("compare", "iris", "wine", *SMALL, "--strategies", "tree", "--jobs", 2)
    assert both.code == 0
    assert "wins/*" in both.out
    assert "Of 2 datasets, the lowest test error has tree on 2." in " ".join(both.out.split())


def test_columns_taken_as_categories(run, weather):
    words = [*SMALL, "--target", "play", "--strategies", "tree", "--drop", "outlook"]
    plain = run("compare", weather, *words)
    nominal = run("compare", weather, *words, "--categorical", "humidity")
    assert plain.code == nominal.code == 0
    assert plain.out != nominal.out


def test_the_cache_is_taken_up(run, tmp_path):
    words = ["compare", "iris", *SMALL, "--strategies", "tree,forest", "--cache", tmp_path / "cache"]
    first, second = run(*words), run(*words)
    assert first.code == second.code == 0
    assert first.out == second.out
    assert len(list((tmp_path / "cache").iterdir())) == 6


def test_a_time_limit(run):
    result = run("compare", "wine", "--strategies", "tree,forest", "--time-limit", 0.5)
    assert result.code == 0
    assert "The time limit ended the comparison" in result.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["iris", "--strategies", "tree,bst"], "There is no strategy 'bst'. Did you mean 'best'?"),
        (["iris", "--strategies", ","], "--strategies is empty."),
        (["iris", "--measures", "accuracy"], "--measures must be"),
        (["iris", "--repeats", 0], "--repeats must be an integer at least 1"),
        (["iris", "--folds", 1], "--folds must be an integer at least 2"),
        (["iris", "--search-size", 1], "--search-size must be"),
        (["iris", "--jobs", 0], "'--jobs': it must not be 0"),
        (["none.csv"], "none.csv"),
        (["iris", "--target", "kind"], "no column 'kind'"),
        (["iris", "--json", "no/such/folder/out.json"], "--json: there is no folder"),
        (["iris", "--plot", "out.gif"], "--plot: 'out.gif' must end in .png, .svg, .pdf."),
        ([], "Missing argument"),
    ],
)
def test_mistakes_are_one_sentence(run, words, complaint):
    result = run("compare", *words)
    assert result.code == 2
    assert result.out == ""
    assert complaint in result.err
    assert "Traceback" not in result.err


def test_a_file_as_cache(run, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    result = run("compare", "iris", "--cache", file)
    assert result.code == 2
    assert "which is a file" in result.err


def test_two_tables_of_one_name(run, weather, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    copy = other / weather.name
    copy.write_text(weather.read_text())
    result = run("compare", weather, copy, "--target", "play")
    assert result.code == 2
    assert "Two of the tables are called 'weather.csv'" in result.err


def test_the_help_names_strategies_that_exist(run):
    (option,) = Strategies.__metadata__
    listed = option.help.split(":")[1].split(" and ")[0]
    assert {name.strip() for name in listed.split(",")} <= set(STRATEGIES)


@pytest.mark.skipif(os.name != "posix", reason="it sends POSIX signals, which this system lacks")
def test_ctrl_c_shows_what_is_done_and_the_next_run_goes_on(tmp_path):
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "palmette", "compare", "iris", "--strategies", "tree", "--cache", str(cache)]
    process = subprocess.Popen(
        [*command, "--repeats", "2000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not cache.is_dir() or len(list(cache.glob("*.json"))) < 5:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "The comparison was interrupted" in out
    assert "of 20000 trials" in " ".join(out.split())
    assert "goes on from the trials in" in " ".join(err.split())
    assert "Traceback" not in err


def test_a_report(run, tmp_path):
    page = tmp_path / "page.html"
    result = run("compare", "iris", "--repeats", 1, "--folds", 3, "--strategies", "tree,backward", "--report", page)
    assert result.code == 0
    assert f"Wrote {page}." in result.err
    html = page.read_text(encoding="utf-8")
    for words in ("Which strategy errs least on new samples of iris?", "paired t-test", "palmette compare iris"):
        assert words in html

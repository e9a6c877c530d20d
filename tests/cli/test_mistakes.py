"""Every mistake at the command line ends in one sentence on stderr and the exit code 2; Ctrl-C in 130."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from palmette.cli.main import main


def assert_one_sentence(result, *words):
    assert result.code == 2
    assert result.out == ""
    line = result.err.splitlines()[-1]
    assert line.startswith("palmette: ")
    assert "Traceback" not in result.err
    for word in words:
        assert word in line, line


TABLES = {
    "empty": (b"", "is empty"),
    "binary": (bytes(range(256)), "binary data"),
    "ragged": (b"a,class\n1,x\n2\n", "line 3: 1 field"),
    "one class": (b"a,class\n1,x\n2,x\n3,x\n", "class"),
    "one column": (b"class\nx\ny\n", "no column left to learn 'class' from"),
    "fractions": (b"a,class\n1,0.5\n2,1.25\n", "fractional numbers such as 0.5"),
    "classes beyond 64 bits": (
        b"a,class\n1,5\n2,100000000000000000000\n3,200000000000000000000\n",
        "numbers such as 1e+20, which are rounded",
    ),
    "classes beyond doubles": (b"a,class\n1,9007199254740993.0\n2,9007199254740995.0\n", "so that classes could merge"),
    "dates as classes": (b"a,class\n1,2024-01-01\n2,2024-01-02\n", "a tree learns classes"),
    "no classes": (b"a,class\n1,\n2,?\n", "'class' has no value in any row"),
    "gzip": (b"\x1f\x8b\x08\x00" + bytes(40), "a gzip archive: unpack it first"),
    "Excel": (b"PK\x03\x04" + bytes(40), "an Excel workbook"),
    "JSON": (b'[{"a": 1, "class": "x"}, {"a": 2, "class": "y"}]\n', "but JSON"),
    "JSON lines": (b'{"a": 1, "class": "x"}\n{"a": 2, "class": "y"}\n', "but JSON"),
    "HTML": (b"<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>\n", "an HTML or XML document"),
    "open quotation": (b'a,class\n1,"x\n2,y\n', "opened in line 2 is never closed"),
    "names only": (b"a,b,class\n", "no rows"),
    "names twice": (b"a,a,class\n1,2,x\n2,3,y\n", "two columns named 'a'"),
    "infinite": (b"a,class\n1,x\ninf,y\n" + b"1,x\n2,y\n" * 12, "infinit"),
}


VERBS = ("tree", "select", "compare")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", TABLES)
def test_bad_tables(run, tmp_path, kind, verb):
    content, sentence = TABLES[kind]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert_one_sentence(run(verb, path), sentence)


@pytest.mark.parametrize("verb", VERBS)
def test_no_file_a_directory_and_no_dataset(run, tmp_path, verb):
    assert_one_sentence(run(verb, tmp_path / "nowhere.csv"), "There is no file")
    assert_one_sentence(run(verb, tmp_path), "is a directory")
    assert_one_sentence(run(verb, "irsi"), "Did you mean 'iris'?")
    assert_one_sentence(run(verb, "../iris"), "There is no file '../iris'")


def test_no_such_column(run, weather):
    assert_one_sentence(run("tree", weather, "--target", "ploy"), "--target", "did you mean 'play'?")
    assert_one_sentence(run("tree", weather, "--drop", "zzz"), "--drop", "it has day, station, outlook")
    assert_one_sentence(run("tree", weather, "--categorical", "humid"), "did you mean 'humidity'?")
    assert_one_sentence(run("tree", weather, "--target", "play", "--drop", "play"), "cannot be dropped")


@pytest.mark.parametrize(
    ("verb", "option"),
    [(verb, option) for verb in VERBS for option in ("--json", "--report")] + [("select", "--checkpoint")],
)
def test_no_output_is_written_over_the_table(run, weather, verb, option):
    content = weather.read_bytes()
    link = weather.with_name("link.csv")
    link.symlink_to(weather)
    roundabout = weather.parent / ".." / weather.parent.name / weather.name
    for output in (weather, link, roundabout):
        assert_one_sentence(run(verb, weather, option, output), f"{option}: '{output}' is the table that is read")
    assert weather.read_bytes() == content


@pytest.mark.parametrize("verb", VERBS)
def test_no_output_is_written_over_a_dataset(run, tmp_path, monkeypatch, verb):
    dataset = tmp_path / "my_table.parquet"
    pq.write_table(pa.table({"a": [1, 2], "class": ["x", "y"]}), dataset)
    monkeypatch.setenv("PALMETTE_DATA", str(tmp_path))
    for name in ("my_table", "My-Table"):
        assert_one_sentence(run(verb, name, "--json", dataset), "is the table that is read")


@pytest.mark.parametrize("verb", VERBS)
def test_no_output_is_written_over_another(run, tmp_path, verb):
    output = tmp_path / "out.html"
    sentence = f"--json and --report both name '{output}'"
    assert_one_sentence(run(verb, "iris", "--json", output, "--report", output), sentence)
    assert not output.exists()


@pytest.mark.parametrize("verb", ["tree", "compare"])
def test_no_picture_is_written_over_another_output(run, tmp_path, verb):
    picture = tmp_path / "out.png"
    assert_one_sentence(run(verb, "iris", "--json", picture, "--plot", picture), "--json and --plot both name")


def test_a_study_writes_each_output_to_a_file_of_its_own(run, tmp_path):
    output = tmp_path / "out.csv"
    result = run("reproduce", "jmlr2019-table2", "--csv", output, "--json", output)
    assert_one_sentence(result, "--csv and --json both name")


def test_what_is_no_file_takes_any_number_of_outputs(run, weather):
    assert run("tree", weather, "--json", "/dev/null", "--report", "/dev/null").code == 0


@pytest.mark.parametrize("words", [["tree", "iris"], ["select", "iris"], ["compare", "iris"], ["reproduce", "x"]])
def test_a_seed_is_of_32_bits(run, words):
    for seed in (-1, 2**32):
        sentence = f"Invalid value for '--seed': it must be at least 0 and at most 4294967295, not {seed}."
        assert_one_sentence(run(*words, "--seed", seed), sentence)


@pytest.mark.parametrize("verb", ["tree", "select"])
def test_a_share_that_leaves_too_few_samples(run, tmp_path, verb):
    much = "--test-size 0.99 of 150 samples leaves 1 to grow on, fewer than the 3 classes: take a smaller share"
    assert_one_sentence(run(verb, "iris", "--test-size", 0.99), much)
    little = "--test-size 0.01 of 150 samples leaves 2 to measure accuracy, fewer than the 3 classes: take a larger"
    assert_one_sentence(run(verb, "iris", "--test-size", 0.01), little)
    single = tmp_path / "single.csv"
    single.write_text("a,class\n1,x\n2,y\n3,y\n")
    alone = "--test-size 0.99 of 3 samples leaves 0 to grow on: take a smaller share, or 0"
    assert_one_sentence(run(verb, single, "--test-size", 0.99), alone)


@pytest.mark.parametrize("verb", VERBS)
def test_the_target_is_no_category(run, weather, verb):
    for words in (["--target", "play"], []):
        assert_one_sentence(
            run(verb, weather, *words, "--categorical", "play"), "--categorical names 'play', which is the target"
        )


def test_a_column_may_be_dropped_and_called_categorical(run, weather):
    assert run("tree", weather, "--categorical", "code", "--drop", "code").code == 0


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_left_out_is_told_before_the_error(run, tmp_path, verb):
    path = tmp_path / "shares.csv"
    path.write_text("share,price,t\n" + "".join(f"{row}%,${row},{row % 2}\n" for row in range(60)))
    result = run(verb, path)
    assert_one_sentence(result, "no column left to learn 't' from")
    for name in ("share", "price"):
        assert f"Column '{name}' has 60 texts in 60 rows, like a name (--categorical keeps it)" in result.err


def test_what_was_decided_in_reading_is_told_before_the_error(run, tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_bytes("a,class\n1,ä\n2\n".encode("latin-1"))
    result = run("tree", path)
    assert_one_sentence(result, "line 3: 1 field")
    assert "is not UTF-8; it was read as Latin-1." in result.err.splitlines()[0]


@pytest.mark.parametrize("verb", VERBS)
def test_integers_that_would_be_rounded(run, tmp_path, verb):
    path = tmp_path / "identifiers.csv"
    path.write_text("an id,b,t\n" + "".join(f"{2**60 + row},{row % 3},{row % 2}\n" for row in range(60)))
    told = (str(2**60 + 1), "--drop 'an id'", "--categorical 'an id'")
    result = run(verb, path)
    assert_one_sentence(result, *told)
    assert "categorical_features" not in result.err
    assert run("tree", path, "--categorical", "an id").code == 0
    assert run("tree", path, "--drop", "an id").code == 0


def test_integers_that_a_double_holds_are_taken(run, tmp_path):
    path = tmp_path / "even.csv"
    path.write_text("a,t\n" + "".join(f"{2**60 + 256 * row},{row % 2}\n" for row in range(60)))
    assert run("tree", path).code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tree", "iris", "--jobs", "0"], "'--jobs': it must not be 0; -1 stands for all cores"),
        (["select", "iris", "--jobs", "0"], "'--jobs': it must not be 0"),
        (["compare", "iris", "--jobs", "0"], "'--jobs': it must not be 0"),
        (["reproduce", "jmlr2019-table2", "--jobs", "0"], "'--jobs': it must not be 0"),
        (["tree", "iris", "--max-depth", "-1"], "--max-depth must be an integer at least 0, but is -1."),
        (["tree", "iris", "--min-samples", "-1"], "--min-samples must be"),
        (["select", "iris", "--gap", "-1"], "--gap must be"),
        (["select", "iris", "--strategy", "rrf", "--trees", "-1"], "--trees must be"),
        (["compare", "iris", "--folds", "1"], "--folds must be an integer at least 2, but is 1."),
        (["reproduce", "jmlr2019-table2", "--repeats", "0"], "--repeats must be"),
        (["select", "iris", "--no-ties"], "--no-ties is not for --strategy best."),
        (["select", "iris", "--ties"], "palmette: --ties is not for --strategy best."),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_errors_speak_of_options(run, words, told):
    result = run(*words)
    assert_one_sentence(result, told)
    assert "`" not in result.err
    assert "None" not in result.err


@pytest.mark.parametrize(
    "words",
    [
        ["--criterion", "entropy"],
        ["--test-size", "1.5"],
        ["--test-size", "-0.1"],
        ["--test-size", "0.001"],
        ["--cv", "1"],
        ["--cv", "51"],
        ["--min-samples", "-1"],
        ["--min-samples", "nan"],
        ["--max-depth", "-1"],
        ["--prune", "--confidence", "2"],
        ["--jobs", "0"],
        ["--seed", "-1"],
        ["--plot", "tree.gif"],
        ["--plot", "nowhere/tree.png"],
        ["--json", "nowhere/tree.json"],
        ["--json", "."],
        ["--frobnicate"],
        ["two", "sources"],
    ],
    ids=" ".join,
)
def test_bad_options(run, words):
    assert_one_sentence(run("tree", "iris", *words))


def test_bad_verbs(run):
    assert_one_sentence(run("treee"), "treee", "(palmette --help tells more.)")
    assert_one_sentence(run("--frobnicate"), "--frobnicate", "(palmette --help tells more.)")
    assert_one_sentence(run("tree"), "FILE_OR_DATASET", "(palmette tree --help tells more.)")


def test_a_plot_without_matplotlib(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert_one_sentence(run("tree", "iris", "--plot", "tree.png"), "pip install 'palmette[plot]'")


def test_help_and_version(run):
    from importlib.metadata import version

    assert "palmette tree" in run("tree", "--help").out
    assert "datasets" in run().out
    assert run("--version").out == f"palmette {version('palmette')}\n"
    assert run("tree", "--help").code == run().code == run("--version").code == 0


def test_ctrl_c_in_a_fit(run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("palmette.C45Classifier.fit", interrupted)
    result = run("tree", "iris")
    assert (result.code, result.out, result.err.strip()) == (130, "", "palmette: Stopped.")


def test_ctrl_c_from_outside(tmp_path):
    path = tmp_path / "table.csv"
    rows = (f"{number * 7919 % 100_003},{number * 104_729 % 99_991},{number % 7}" for number in range(150_000))
    path.write_text("a,b,class\n" + "\n".join(rows) + "\n")
    words = [sys.executable, "-m", "palmette", "tree", str(path), "--growth", "literal", "--cv", "50"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The target is named just before the tree is grown.
    assert "The target is" in process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip().splitlines()[-1] == "palmette: Stopped."
    assert "Traceback" not in err


def test_a_fault_of_ours_is_not_hidden(monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("palmette.C45Classifier.fit", broken)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        main(["tree", "iris"])

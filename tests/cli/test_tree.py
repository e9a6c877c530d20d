"""`palmette tree` on files and datasets: what it shows, what it writes, what it says aloud."""

from __future__ import annotations

import json
import re

import pytest

from palmette import C45Classifier
from palmette.datasets import load


def test_a_dataset_by_name(run):
    result = run("tree", "iris")
    assert result.code == 0
    assert "iris: 150 samples, 4 features, 3 classes of 'class'" in result.out
    assert C45Classifier().fit(*load("iris")).to_text() in result.out
    assert re.search(r"training accuracy +9\d\.\d% +of the 150 samples", result.out)
    assert re.search(r"held-out accuracy +9\d\.\d% +± \d\.\d% of 45 samples.* on the other 105", result.out)


def test_a_raw_table(run, weather):
    result = run("tree", weather, "--target", "play", "--cv", 3)
    assert result.code == 0
    assert "Column 'day' holds dates or times, which a tree cannot use: it is left out." in result.err
    assert "Column 'station' has 120 texts in 120 rows" in result.err
    assert "outlook = overcast: yes" in result.out
    assert re.search(r"3-fold accuracy +\d+\.\d% +± \d+\.\d%", result.out)


def test_the_default_target_is_said_aloud(run, weather, tmp_path):
    assert "The target is the last column, 'play'" in run("tree", weather).err
    path = tmp_path / "table.csv"
    path.write_text("Class,a\n" + "x,1\ny,2\n" * 10)
    result = run("tree", path)
    assert "The target is the column 'Class'" in result.err
    assert "a <= 1: x" in result.out


def test_columns_may_be_dropped_or_taken_as_categories(run, weather):
    result = run("tree", weather, "--drop", "outlook", "--drop", "humidity", "--categorical", "code")
    assert result.code == 0
    assert "outlook" not in result.out
    assert "code <=" not in result.out
    result = run("tree", weather, "--categorical", "station")
    assert "Column 'station'" not in result.err


def test_the_options_reach_the_estimator(run):
    words = ["--criterion", "gini", "--growth", "literal", "--min-samples", 5, "--max-depth", 2, "--jobs", 1]
    X, y = load("iris")
    expected = C45Classifier(criterion="gini", growth="literal", min_samples=5, max_depth=2).fit(X, y)
    assert expected.to_text() in run("tree", "iris", *words, "--test-size", 0).out
    expected = C45Classifier(pruning="error_based", confidence=0.05).fit(X, y)
    assert expected.to_text() in run("tree", "iris", "--prune", "--confidence", 0.05).out


def test_no_hold_out(run):
    assert "held-out" not in run("tree", "iris", "--test-size", 0).out


def test_the_same_seed_gives_the_same_numbers(run):
    first, second = (run("tree", "wine", "--seed", 3, "--cv", 3).out for _ in range(2))
    assert first == second


def test_rules(run):
    result = run("tree", "iris", "--rules")
    assert len(re.findall(r"^if .* then \w+ \(", result.out, re.MULTILINE)) >= 3


def test_json_can_be_read_back(run, tmp_path):
    path = tmp_path / "tree.json"
    result = run("tree", "iris", "--json", path)
    assert f"Wrote {path}." in result.err
    json.loads(path.read_text())
    X, y = load("iris")
    assert (C45Classifier.from_json(path).predict(X) == C45Classifier().fit(X, y).predict(X)).all()


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plots(run, tmp_path, suffix, magic):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"tree.{suffix}"
    assert run("tree", "iris", "--plot", path).code == 0
    assert path.read_bytes().startswith(magic)


def test_a_long_tree_is_cut(run):
    result = run("tree", "digits", "--max-lines", 5, "--test-size", 0)
    assert re.search(r"… \d+ more lines", result.out)
    assert "more lines" not in run("tree", "digits", "--max-lines", 0, "--test-size", 0).out


def test_rows_without_a_class_are_left_out(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,class\n" + "1,x\n2,y\n" * 8 + "3,?\n")
    result = run("tree", path)
    assert "1 row without a value of 'class' left out." in result.err
    assert "16 samples" in result.out


def test_a_class_with_one_sample_is_not_stratified(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,class\n" + "1,x\n2,y\n" * 8 + "3,z\n")
    assert "not stratified" in run("tree", path).out


FINE = ["--growth", "literal", "--min-samples", 1]


def one_rare(path, n_usual):
    path.write_text("a,class\n" + "".join(f"{row},usual\n" for row in range(n_usual)) + "99,rare\n")
    return path


def test_the_tree_is_shown_where_a_fold_has_one_class_only(run, tmp_path):
    table, tree, page = one_rare(tmp_path / "table.csv", 39), tmp_path / "tree.json", tmp_path / "page.html"
    result = run("tree", table, "--cv", 5, *FINE, "--json", tree, "--report", page)
    assert result.code == 0
    assert "a > 38: rare (1.0)" in result.out
    why = "--cv 5: class 'rare' has one sample; with it held out, only class 'usual' is left to grow on"
    assert re.search(rf"^5-fold accuracy +– +{why} *$", result.out, re.MULTILINE)
    assert re.search(r"training accuracy +100.0%", result.out)
    assert "only class" in page.read_text(encoding="utf-8")
    assert C45Classifier.from_json(tree).classes_.tolist() == ["rare", "usual"]


def test_the_tree_is_shown_where_all_of_a_class_is_held_out(run, tmp_path):
    words = ["tree", one_rare(tmp_path / "table.csv", 10), *FINE]
    results = [run(*words, "--seed", seed) for seed in range(12)]
    assert {result.code for result in results} == {0}
    assert all("a > 9: rare (1.0)" in result.out for result in results)
    why = "--test-size 0.3: class 'rare' has one sample; with it held out, only class 'usual' is left to grow on"
    told = [bool(re.search(rf"held-out accuracy +– +{why}", result.out)) for result in results]
    assert any(told)
    assert not all(told)


@pytest.mark.parametrize("values", ["0 1", "true false", "1.0 2.0", "a b"])
def test_kinds_of_classes(run, tmp_path, values):
    first, second = values.split()
    path = tmp_path / "table.csv"
    path.write_text("a,class\n" + f"1,{first}\n2,{second}\n" * 8)
    assert "held-out accuracy" in run("tree", path).out


def test_strange_words_of_a_table_are_shown_as_they_are(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("[red]a[/],class\n" + "1,[bold]\n2,b: (1.0)\n" * 8)
    result = run("tree", path)
    assert "[red]a[/] <= 1: [bold] (8.0)" in result.out
    assert "[red]a[/] > 1: b: (1.0) (8.0)" in result.out


def test_an_arff_and_a_parquet_file(run, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1, 2] * 8, "class": ["x", "y"] * 8}), tmp_path / "table.parquet")
    assert "a <= 1: x" in run("tree", tmp_path / "table.parquet").out
    head = "@relation r\n@attribute a {p,q,r}\n@attribute class {x,y}\n@data\n"
    (tmp_path / "table.arff").write_text(head + "p,x\nq,y\n" * 8)
    assert "a = r: x (0.0)" in run("tree", tmp_path / "table.arff").out


def test_a_file_without_a_header(run, tmp_path):
    path = tmp_path / "iris.data"
    path.write_text("5.1,setosa\n6.3,virginica\n" * 10)
    assert "column_1 <= 5.1: setosa" in run("tree", path, "--no-header").out


def test_a_report(run, tmp_path):
    page = tmp_path / "page.html"
    result = run("tree", "iris", "--report", page, "--cv", 5)
    assert result.code == 0
    assert f"Wrote {page}." in result.err
    html = page.read_text(encoding="utf-8")
    for words in ("How does a tree tell the 3 classes", "Held-out accuracy", "5-fold accuracy", "palmette tree iris"):
        assert words in html

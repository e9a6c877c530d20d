"""The HTML of a report: well-formed, self-contained, escaped, and it says what the result says."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    C45Classifier,
    C45ForestClassifier,
    RegularizedForestSelector,
    compare,
    render_report,
    write_report,
)
from palmette.datasets import load
from palmette.report.page import _template
from palmette.report.svg import text_width

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Reader(HTMLParser):
    """Checks that elements nest, and collects attributes, ids and text."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.attributes = []
        self.text = []
        self.scripts = []

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append(dict(attributes).get("type"))

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)

    @classmethod
    def of(cls, html):
        reader = cls()
        reader.feed(html)
        reader.close()
        assert reader.open == []
        return reader

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def check_self_contained(html):
    assert not re.search(r"https?:|//[a-z]|@import|url\(", re.sub(r"//[^\n]*\n", "\n", html), re.IGNORECASE)
    for tag, name, value in Reader.of(html).attributes:
        if name in ("src", "href", "xlink:href", "action", "poster", "srcset"):
            assert value.startswith(("#", "data:")), (tag, name, value)
        assert not name.startswith("on"), (tag, name)


def test_a_selection_says_what_the_selector_says(wine_page):
    reader = Reader.of(wine_page)
    X, y = load("wine")
    selector = BestSubsetSelector(random_state=0).fit(X[::2], y[::2])
    for name in selector.get_feature_names_out():
        assert name in reader.words
    assert "Which of the 13 features does a decision tree need" in reader.words
    assert "Proved over all 2¹³ subsets" in reader.words
    assert f"{selector.error_:.2%}".replace("%", " %") in reader.words
    assert re.search(r"held-out error \d+\.\d % ± \d+\.\d \(89 samples", reader.words)
    assert "oversearching" in reader.words
    for section in ("features", "tree", "search", "alternatives", "stability", "data"):
        assert ("section", "id", section) in reader.attributes
    assert "The stability score is" in reader.words


def test_pages_are_self_contained(wine_page, large_tree):
    check_self_contained(wine_page)
    classifier, X, y = large_tree
    check_self_contained(render_report(classifier, X, y))


def test_a_tree_of_200_nodes_is_light(large_tree):
    classifier, X, y = large_tree
    html = render_report(classifier, X, y, source="large")
    assert len(html.encode()) < 1_000_000
    assert html.count('class="node ') + html.count("class=&#34;node ") == classifier.n_nodes_


def test_every_node_has_its_rule_and_its_samples(large_tree):
    classifier, X, y = large_tree
    html = render_report(classifier, X, y)
    data = json.loads(re.search(r'<script type="application/json" class="tree-data">(.*?)</script>', html, re.S)[1])
    tree = classifier.tree_
    rules = {str(rule).split(" then ")[0].removeprefix("if ").replace("<=", "≤") for rule in classifier.to_rules()}
    leaves = [node for node in data["nodes"] if node["kind"] == "leaf"]
    written = {" and ".join(data["conditions"][condition] for condition in node["rule"]) for node in leaves}
    assert written == rules
    assert [node["parent"] for node in data["nodes"]] == tree.parent.tolist()
    assert [node["label"] for node in data["nodes"]] == tree.label.tolist()


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def test_names_and_classes_cannot_break_out():
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(1)
    X = pandas.DataFrame(
        {
            HOSTILE: generator.normal(size=80),
            "plain": generator.choice([HOSTILE, "b", "<b>"], 80),
            "{{ 7 * 7 }}": generator.normal(size=80),
        }
    )
    y = np.where((X[HOSTILE] > 0) ^ (X["plain"] == "b"), HOSTILE, "<!-- other")
    selector = BackwardEliminationSelector(C45Classifier(pruning=None), error="training", keep=list(X)).fit(X, y)
    for fitted in (selector, C45Classifier().fit(X, y)):
        html = render_report(
            fitted, X, y, source=HOSTILE, target=HOSTILE, notes=[HOSTILE], command=HOSTILE, facts=[(HOSTILE,) * 3]
        )
        reader = Reader.of(html)
        assert reader.scripts == ["application/json", None]
        assert not any(tag == "img" or name == "onerror" for tag, name, _ in reader.attributes)
        assert HOSTILE in "".join(reader.text)
        assert fitted is not selector or "{{ 7 * 7 }}" in "".join(reader.text)
        check_self_contained(html.replace("alert", ""))


def test_without_data_it_tells_what_it_knows():
    X, y = load("wine")
    words = Reader.of(render_report(BestSubsetSelector(random_state=0).fit(X, y))).words
    assert "alcohol, ash and hue" in words
    assert "Stability" not in words


@pytest.mark.parametrize("strategy", ["backward", "forward", "beam"])
def test_eliminations(strategy):
    X, y = load("wine")
    selector = BackwardEliminationSelector(strategy=strategy, random_state=0).fit(X, y)
    words = Reader.of(render_report(selector, X, y, time_limit=2)).words
    assert "number of features" in words
    assert "Every step" in words
    assert "nothing is proved" in words


@pytest.mark.parametrize(
    "parameters",
    [
        {"error": "cross_validation", "n_folds": 3},
        {"error": "training", "feature_penalty": 0.05},
        {"error": [(list(range(0, 178, 2)), list(range(1, 178, 2)))]},
        {"error": lambda classifier: classifier.n_nodes_ / 100, "max_features": 2},
        {"groups": [["alcohol", "hue"], ["ash", "proline"]], "keep": ["ash"]},
        {"max_features": 0},
        {"error_gap": 0.1, "tree": C45Classifier(pruning="error_based", max_depth=2)},
    ],
    ids=["folds", "penalty", "fixed split", "function", "groups", "no features", "gap and pruning"],
)
def test_every_kind_of_search_has_a_page(parameters):
    X, y = load("wine")
    html = render_report(BestSubsetSelector(random_state=0, **parameters).fit(X, y), X, y, time_limit=1)
    check_self_contained(html)


def test_weights_and_arrays_and_other_tables():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 4)).round(1)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    weight = generator.integers(1, 3, 60).astype(float)
    selector = BestSubsetSelector(random_state=0).fit(X, y, sample_weight=weight)
    assert "x0" in render_report(selector, X, y, sample_weight=weight, time_limit=1)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(X)
    arrow = pytest.importorskip("pyarrow").table({f"c{place}": X[:, place] for place in range(4)})
    polars = pytest.importorskip("polars").DataFrame({f"c{place}": X[:, place] for place in range(4)})
    for table in (sparse, arrow, polars, X.tolist()):
        selector = BestSubsetSelector(random_state=0).fit(table, y)
        assert "of 20" in render_report(selector, table, y, time_limit=10)


def test_a_single_leaf_and_many_classes():
    X = np.arange(40.0).reshape(-1, 1)
    always = C45Classifier(max_depth=0).fit(X, [0, 1] * 20)
    assert "single leaf" in render_report(always, X, [0, 1] * 20)
    labels = [f"class {place}" for place in range(40)]
    check_self_contained(render_report(C45Classifier(min_samples=1).fit(X, labels), X, labels))


def test_a_comparison():
    result = compare(["tree", "best"], ["iris"], repeats=1, folds=3)
    html = render_report(result, command="palmette compare iris")
    check_self_contained(html)
    words = Reader.of(html).words
    for text in (
        "Which strategy errs least",
        "best",
        "Trees of a complete search: those that its proof completed",
        "150 samples",
        "Stability",
        "6 of 6",
        "palmette compare iris",
    ):
        assert text in words


def test_any_selector_has_a_page():
    from sklearn.feature_selection import SelectKBest, f_classif

    X, y = load("wine")
    selector = SelectKBest(f_classif, k=3).fit(X, y)
    chosen = selector.get_feature_names_out().tolist()
    html = render_report(selector, X, y, tree=C45Classifier().fit(X[chosen], y), source="wine", time_limit=20)
    check_self_contained(html)
    words = Reader.of(html).words
    assert "Which of the 13 features does SelectKBest select?" in words
    assert "The stability score is" in words
    assert 'class="node ' in html
    for name in chosen:
        assert name in words
    assert "flavanoids" in render_report(selector)


def test_mistakes(tmp_path):
    X, y = load("iris")
    tree = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="is a directory"):
        write_report(tree, tmp_path)
    with pytest.raises(ValueError, match="There is no folder"):
        write_report(tree, tmp_path / "nowhere" / "page.html")
    with pytest.raises(ValueError, match="both of X and y"):
        render_report(tree, X)
    with pytest.raises(ValueError, match="both of X_test and y_test"):
        render_report(tree, y_test=y)
    for fitted in (tree, BestSubsetSelector(random_state=0).fit(X, y), RegularizedForestSelector(5).fit(X, y)):
        with pytest.raises(ValueError, match="None of the held-out labels is a class that `fit` saw: they are 1, 2, 3"):
            render_report(fitted, X_test=X, y_test=np.tile([1, 2, 3], 50))
    with pytest.raises(ValueError, match="are not what `fit` saw"):
        render_report(tree, X[:100], y[:100])
    with pytest.raises(ValueError, match="X has 2 columns, but `fit` saw 4"):
        render_report(tree, np.zeros((150, 2)), y)
    with pytest.raises(ValueError, match="time_limit"):
        render_report(tree, X, y, time_limit=-1)
    with pytest.raises(TypeError, match="not for C45ForestClassifier"):
        render_report(C45ForestClassifier(n_estimators=2).fit(X, y))
    with pytest.raises(Exception, match="not fitted"):
        render_report(C45Classifier())


def test_write_report_returns_the_file(tmp_path):
    X, y = load("iris")
    path = write_report(C45Classifier().fit(X, y), tmp_path / "page.html", X, y)
    assert path == tmp_path / "page.html"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_data_for_the_script_are_json_for_a_browser():
    written = (
        _template().environment.from_string("{{ data | tojson }}").render(data=[float("nan"), float("inf"), "</a>"])
    )
    assert json.loads(written, parse_constant=pytest.fail) == [None, None, "</a>"]
    assert "</a>" not in written


def test_an_answer_within_the_gap_is_not_called_proved_best():
    X, y = load("wine")
    selector = BestSubsetSelector(error_gap=0.05, random_state=0).fit(X, y)
    assert selector.status_ == "within_gap"
    words = Reader.of(render_report(selector)).words
    assert "they are no farther apart than the gap that was asked for, 5 percentage points." in words
    assert "they meet" not in words


def test_with_a_penalty_both_columns_show_the_same_quantity():
    X, y = load("wine")
    selector = BestSubsetSelector(feature_penalty=0.02, random_state=0).fit(X, y)
    html = render_report(selector)
    words = Reader.of(html).words
    objective = f"{100 * selector.objective_:.2f} %"
    assert "they meet: the answer is proved" in words
    assert "Best error plus penalty so far" in words
    assert f"{objective} {objective} {selector.support_.sum()}" in words
    # The legend begins where the name of the axis has ended.
    name = re.search(r'<text x="([0-9.]+)"[^>]*class="name">search error plus penalty</text>', html)
    first = re.search(r'<text x="([0-9.]+)"[^>]*class="label">best so far</text>', html)
    assert float(first[1]) - float(name[1]) > text_width("search error plus penalty", 12)


def test_of_a_function_values_are_told_and_no_column_that_was_not_asked_for():
    X, y = load("wine")
    selector = BestSubsetSelector(error=lambda tree: -tree.score(X, y), max_features=2, random_state=0).fit(X, y)
    words = Reader.of(render_report(selector, X, y, time_limit=1)).words
    assert f"Value {selector.error_:.4g} of the function that was minimised" in words
    for absent in ("-98", "The search error is", "Error when dropped", "not asked", "pp"):
        assert absent not in words.partition("The tree as rules")[0], absent
    assert "What each costs to drop is not known." in words

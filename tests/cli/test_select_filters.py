"""`palmette select --strategy cfs|fcbf`: what is shown, written and refused."""

from __future__ import annotations

import json
import re

import pytest

from palmette import C45Classifier, CFSSelector, FCBFSelector
from palmette.datasets import load

FILTERS = [("cfs", CFSSelector), ("fcbf", FCBFSelector)]


@pytest.mark.parametrize(("strategy", "selector"), FILTERS)
def test_a_filter(run, tmp_path, strategy, selector):
    result = run("select", "wine", "--strategy", strategy, "--prune", "--json", tmp_path / "out.json")
    assert result.code == 0
    expected = selector(tree=C45Classifier(pruning="error_based")).fit(*load("wine"))
    told = " ".join(result.out.split())
    assert ", ".join(expected.get_feature_names_out()) in told
    assert expected.way() in told
    assert "search error" not in result.out
    assert re.search(r"^status +complete", result.out, re.MULTILINE)
    assert expected.estimator_.to_text() in result.out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["features"] == expected.get_feature_names_out().tolist()
    assert not {"error", "error_bound", "n_trees"} & set(data)
    assert len(data["history"]) == len(expected.history_)
    assert C45Classifier.from_json(json.dumps(data["tree"])).to_text() == expected.estimator_.to_text()


@pytest.mark.parametrize(("strategy", "selector"), FILTERS)
def test_held_out_samples(run, strategy, selector):
    result = run("select", "wine", "--strategy", strategy, "--test-size", 0.3)
    assert result.code == 0
    assert re.search(r"^held-out error +\d+\.\d % ± \d+\.\d of 54 samples", result.out, re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        ("--keep", "ash"),
        ("--gap", 0.1),
        ("--ties",),
        ("--groups", "ash,hue"),
        ("--error", "training"),
        ("--trees", 3),
        ("--max-features", 3),
    ],
)
def test_what_is_not_for_filters_is_refused(run, words):
    result = run("select", "wine", "--strategy", "fcbf", *words)
    assert result.code == 2
    assert f"{words[0]} is not for --strategy fcbf." in result.err

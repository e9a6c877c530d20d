"""The examples run from end to end, on less than they would show a person."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

EXAMPLES = Path(__file__).parents[1] / "examples"

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    example("demo").main(["--datasets", "iris", "--folds", "3", "--output", str(tmp_path)])
    seen = capsys.readouterr().out
    for words in (
        "A tree for iris",
        "Proved 3 times of 3",
        "palmette, backward",
        "palmette forest",
        "Pruning keeps",
        "values gone",
    ):
        assert words in seen
    assert (tmp_path / "iris.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_of_the_readme(tmp_path, monkeypatch):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    example("draw_tree").main([str(tmp_path / "tree.png")])
    assert (tmp_path / "tree.png").stat().st_size > 10_000


def test_regularized_forest(capsys):
    example("regularized_forest").main(["--rows", "300", "--copies", "4", "--trees", "10"])
    seen = capsys.readouterr().out
    for words in ("150 samples, 27 features, of which 3 decide", "RRF, guided", "RBoost", "features are selected by"):
        assert words in seen


def test_elimination_and_forest(monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    example("elimination_and_forest").main(["--folds", "2", "--features", "40"])
    seen = capsys.readouterr().out
    for words in ("madelon is left out", "generated: 600 samples, 41 features", "elimination, forest", "the forest ("):
        assert words in seen


def test_irrelevant_features(capsys):
    example("irrelevant_features").main(
        ["--samples", "100", "--irrelevant", "0,3", "--repeats", "2", "--noise", "0.05"]
    )
    seen = capsys.readouterr().out
    for words in (
        "Accuracy after 100 samples, 5% of the labels wrong",
        "OBLIVION",
        "without x",
        "FOCUS: 3 of 8",
    ):
        assert words in seen


def test_filters(monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    example("filters").main(["--folds", "2", "--noise", "30"])
    seen = capsys.readouterr().out
    for words in (
        "wide: 600 samples, 94 features",
        "parity: 400 samples",
        "elimination",
        "FCBFSelector:",
        "CFSSelector:",
    ):
        assert words in seen


def test_max_dependency(monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    module = example("max_dependency")
    module.main(["--datasets", "breast_cancer", "mushroom"])
    seen = " ".join(capsys.readouterr().out.split())
    assert "It uses X1, X2. The Max-Dependency tree has the levels X2:" in seen
    assert "breast_cancer 30" in seen or "breast_can… 30" in seen
    assert "mushroom" not in seen


def test_a_selector_of_ones_own(monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    own = example("own_selector")
    own.main(["--dataset", "iris"])
    assert "all subsets" in capsys.readouterr().out
    X, y = load_iris(as_frame=True, return_X_y=True)
    kept = own.RandomSubsetSelector(keep=["sepal width (cm)"], max_features=2, n_draws=20, random_state=0).fit(X, y)
    assert kept.get_support()[1]
    assert kept.get_support().sum() <= 2
    assert kept.transform(X).shape[1] == kept.get_support().sum()
    with pytest.raises(ValueError, match="n_draws"):
        own.RandomSubsetSelector(n_draws=0).fit(X, y)
    assert own.RandomSubsetSelector(time_limit=0).fit(X, y).status_ == "time_limit"


def test_strategies_side_by_side(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    plot = tmp_path / "plot.png"
    example("compare_strategies").main(["--datasets", "iris", "--folds", "3", "--plot", str(plot)])
    seen = capsys.readouterr().out
    for words in ("iris: 150 samples, 4 features", "their forest", "proved best", "corrected", "stability of the best"):
        assert words in seen
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_evolving_a_tree(tmp_path, capsys):
    example("evolve_a_tree").main([str(tmp_path / "evolution.png"), "--folds", "2"])
    seen = capsys.readouterr().out
    for words in ("evolved (Ardennes)", "bred (as LEGAL-Tree)", "One evolution: converged", "is drawn in"):
        assert words in seen
    assert (tmp_path / "evolution.png").read_bytes().startswith(b"\x89PNG")

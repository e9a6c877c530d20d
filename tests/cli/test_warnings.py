"""A warning on the command line is one plain sentence, told once, without the path and line of its source."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

from palmette import C45Classifier


@pytest.fixture
def warning_tree(monkeypatch):
    """Trees that warn, in two lines, each time they are grown."""
    fit = C45Classifier.fit

    def warn_and_fit(self, *arguments, **options):
        warnings.warn("The moon is full,\n  and trees are tall.", UserWarning, stacklevel=1)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(C45Classifier, "fit", warn_and_fit)


@pytest.mark.parametrize(
    "words",
    [
        ["tree", "iris", "--cv", 3],
        ["select", "iris", "--test-size", 0.3, "--strategy", "backward"],
        ["compare", "iris", "--strategies", "tree", "--repeats", 1, "--folds", 2],
    ],
    ids=lambda words: words[0],
)
def test_a_warning_is_a_sentence_told_once(run, warning_tree, words):
    result = run(*words)
    assert result.code == 0
    assert [line for line in result.err.splitlines() if "moon" in line] == ["The moon is full, and trees are tall."]
    assert ".py:" not in result.err
    assert "UserWarning" not in result.err


@pytest.mark.parametrize("n_classes", [60, 26], ids=["a class a row", "26 classes"])
@pytest.mark.parametrize("verb", ["tree", "select"])
def test_a_wrong_target_is_noted_and_nothing_else(tmp_path, verb, n_classes):
    path = tmp_path / "n.csv"
    n_rows = 60 if n_classes == 60 else 50
    path.write_text("a,b,price\n" + "".join(f"{row},{row % 3},{row % n_classes}\n" for row in range(n_rows)))
    words = [sys.executable, "-m", "palmette", verb, str(path)]
    err = subprocess.run(words, capture_output=True, text=True, timeout=60).stderr
    assert f"The target 'price' has {n_classes} classes in" in err
    assert "is it the right one?" in err
    assert "unique classes" not in err


def test_warnings_are_as_before_when_the_command_is_done(run):
    before = (warnings.showwarning, list(warnings.filters))
    assert run("tree", "iris").code == 0
    assert (warnings.showwarning, list(warnings.filters)) == before

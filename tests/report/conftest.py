"""Pages to look at, made once: a small selection and a tree of some 200 nodes."""

from __future__ import annotations

import numpy as np
import pytest

from palmette import BestSubsetSelector, C45Classifier, render_report
from palmette.datasets import load


@pytest.fixture(scope="module", autouse=True)
def bundled_datasets():
    """Datasets by name are scikit-learn's bundled ones, whatever folder of datasets is set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PALMETTE_DATA", raising=False)
        yield


@pytest.fixture(scope="session")
def wine_page():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PALMETTE_DATA", raising=False)
        X, y = load("wine")
    selector = BestSubsetSelector(random_state=0).fit(X[::2], y[::2])
    return render_report(
        selector, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2], source="wine", target="class", time_limit=3.0
    )


@pytest.fixture(scope="session")
def large_tree():
    """A tree of a few more than 200 nodes, with nominal splits, missing values and long names."""
    generator = np.random.default_rng(0)
    n_samples = 1500
    names = ["a_rather_long_name_of_a_column_" + str(place) for place in range(6)]
    colors = generator.choice(["red", "green", "blue", "yellow"], n_samples)
    X = [
        [*(None if generator.random() < 0.05 else float(value) for value in row), color]
        for row, color in zip(generator.normal(size=(n_samples, 6)), colors, strict=True)
    ]
    y = [
        ("good", "bad", "ugly")[int(((row[0] or 0) > 0) + ((row[1] or 0) * (row[2] or 0) > 0.3) * (row[6] == "red"))]
        for row in X
    ]
    flip = generator.random(n_samples) < 0.1
    y = [generator.choice(["good", "bad", "ugly"]) if change else label for label, change in zip(y, flip, strict=True)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[*names, "color"])
    classifier = C45Classifier(growth="literal", min_samples=8).fit(frame, y)
    assert 200 <= classifier.n_nodes_ <= 400
    return classifier, frame, y

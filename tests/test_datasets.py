"""Where a dataset comes from, what it looks like, and what is said when there is none."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from palmette import datasets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of datasets with one that its index names and one that it does not."""
    size = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 0], pa.int8()), pa.array(["s", "m", "l"]))
    table = pa.table({"size": size, "price": [1, None, 3, 4], "class": ["a", "b", "a", "b"]})
    pq.write_table(table, tmp_path / "toy_shop.parquet")
    pq.write_table(table.drop_columns(["class"]), tmp_path / "unlabelled.parquet")
    entry = {"title": "Toys", "rows": 4, "features": 2, "classes": 2, "missing_cells": 2, "source": "a shop"}
    (tmp_path / "index.json").write_text(json.dumps({"toy_shop": entry, "gone": entry}))
    monkeypatch.setenv("PALMETTE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("breast_cancer", (569, 30), 2),
        ("wine", (178, 13), 3),
        ("iris", (150, 4), 3),
        ("digits", (1797, 64), 10),
    ],
)
@pytest.mark.usefixtures("no_folder")
def test_bundled_sets_are_as_they_are_listed(name, shape, classes):
    dataset = datasets.load(name)
    assert (dataset.X.shape, len(dataset.y), len(np.unique(dataset.y))) == (shape, shape[0], classes)
    (record,) = [record for record in datasets.available() if record.name == name]
    assert (record.rows, record.features, record.classes, record.missing) == (*shape, classes, 0)
    assert dataset.source == record.where == "scikit-learn"


@pytest.mark.usefixtures("no_folder")
def test_a_dataset_unpacks():
    X, y = datasets.load("iris")
    assert list(X.columns) == ["sepal length", "sepal width", "petal length", "petal width"]
    assert set(y) == {"setosa", "versicolor", "virginica"}
    again, _ = datasets.load("iris", return_X_y=True)
    assert again.equals(X)


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_the_frame_may_be_chosen(folder, frame):
    library = pytest.importorskip(frame)
    X, y = datasets.load("toy_shop", frame=frame)
    assert isinstance(X, getattr(library, "DataFrame", None) or library.Table)
    assert X.shape == (4, 2)
    assert y.tolist() == ["a", "b", "a", "b"]


def test_the_folder_comes_first_and_keeps_categories(folder):
    dataset = datasets.load("toy_shop")
    assert (dataset.title, dataset.source) == ("Toys", "a shop")
    assert dataset.X["size"].cat.categories.tolist() == ["s", "m", "l"]
    assert dataset.X["price"].isna().tolist() == [False, True, False, False]
    assert datasets.load("Toy-Shop").name == "toy_shop"

    pq.write_table(pa.table({"x": [1, 2], "class": ["p", "q"]}), folder / "iris.parquet")
    assert datasets.load("iris").X.shape == (2, 1)


def test_what_is_listed_is_there(folder):
    records = {record.name: record for record in datasets.available()}
    assert records["toy_shop"] == datasets.Record("toy_shop", "Toys", 4, 2, 2, 2, str(folder))
    assert records["unlabelled"].rows is None
    assert "gone" not in records
    assert records["wine"].where == "scikit-learn"


@pytest.mark.usefixtures("no_folder")
def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(ValueError, match=r"no dataset named 'irsi'. Did you mean 'iris'\?"):
        datasets.load("irsi")


@pytest.mark.parametrize("name", ["../iris", "a/b", "..", ".hidden", "", "a\\b", "C:iris", "a\0b", "openml:../x"])
def test_a_path_is_no_name(folder, name):
    with pytest.raises(ValueError, match="cannot be the name of a dataset"):
        datasets.load(name)


def test_a_name_is_a_string():
    with pytest.raises(TypeError, match="is a string, not int"):
        datasets.load(61)


def test_bad_folders(folder, monkeypatch):
    with pytest.raises(ValueError, match="has no column 'class'"):
        datasets.load("unlabelled")
    (folder / "index.json").write_text("{")
    with pytest.raises(ValueError, match="is not valid JSON"):
        datasets.available()
    (folder / "index.json").write_text("[]")
    with pytest.raises(ValueError, match="must hold an object"):
        datasets.available()
    (folder / "toy_shop.parquet").write_bytes(b"PAR1 torn PAR1")
    (folder / "index.json").unlink()
    with pytest.raises(ValueError, match="damaged Parquet"):
        datasets.load("toy_shop")
    monkeypatch.setenv("PALMETTE_DATA", str(folder / "nowhere"))
    with pytest.raises(ValueError, match="is no folder"):
        datasets.load("iris")


def test_frames_that_cannot_be(monkeypatch):
    with pytest.raises(ValueError, match="`frame` must be"):
        datasets.load("iris", frame="numpy")
    monkeypatch.setattr(datasets, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install polars"):
        datasets.load("iris", frame="polars")
    assert isinstance(datasets.load("iris").X, pa.Table)
    with pytest.raises(ImportError, match="needs pandas"):
        datasets.load("openml:credit-g")


@pytest.mark.usefixtures("no_folder")
def test_openml_is_asked_last(monkeypatch):
    pandas = pytest.importorskip("pandas")
    asked = []

    def fetch(**arguments):
        asked.append(arguments)
        frame = pandas.DataFrame({"x": [1, 2]})
        return SimpleNamespace(data=frame, target=pandas.Series(["p", "q"]), details={"id": "31", "name": "credit-g"})

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    dataset = datasets.load("credit-g")
    assert (dataset.X.shape, dataset.y.tolist(), dataset.source) == ((2, 1), ["p", "q"], "OpenML 31")
    assert isinstance(datasets.load("openml:31", frame="pyarrow").X, pa.Table)
    assert [next(iter(arguments.items())) for arguments in asked] == [("name", "credit-g"), ("data_id", 31)]


@pytest.mark.usefixtures("no_folder")
def test_openml_out_of_reach_or_ignorant(monkeypatch):
    def offline(**arguments):
        raise URLError("no route to host")

    def ignorant(**arguments):
        raise ValueError("No active dataset credit-x found.")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(ConnectionError, match=r"OpenML cannot be asked for it \(no route to host\)"):
        datasets.load("credit-x")
    monkeypatch.setattr("sklearn.datasets.fetch_openml", ignorant)
    with pytest.raises(ValueError, match="nor at OpenML"):
        datasets.load("credit-x")


@pytest.mark.skipif("PALMETTE_DATA" not in os.environ, reason="PALMETTE_DATA names no folder of datasets")
def test_the_papers_datasets_are_as_the_index_says():
    for record in datasets.available():
        if record.where == "scikit-learn" or record.rows is None or record.rows * record.features > 100_000:
            continue
        X, y = datasets.load(record.name)
        assert (X.shape, len(np.unique(y))) == ((record.rows, record.features), record.classes), record.name
        assert int(X.isna().to_numpy().sum()) == record.missing, record.name

"""Datasets by name: the folder `PALMETTE_DATA`, then scikit-learn's bundled sets, then OpenML.

The folder holds one Parquet file a dataset, with a column `class`, and an `index.json` that tells their
titles, sizes and sources. The bundled sets need no network. `openml:NAME` asks OpenML at once. Files of
one's own are read by `data/files.py`, which the command line uses. The `make_` functions of `concepts.py` draw samples
of artificial concepts.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from palmette.concepts import make_all_equal, make_conjunction, make_parity

__all__ = ["Dataset", "Record", "available", "load", "make_all_equal", "make_conjunction", "make_parity"]

TARGET = "class"
FOLDER_VARIABLE = "PALMETTE_DATA"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, its labels, and where they come from; unpacks as `X, y = load("iris")`.

    `classes` are the labels in the order in which the file declares them, or sorted where it declares none.
    """

    name: str
    title: str
    X: Any
    y: np.ndarray[Any, Any]
    source: str
    note: str = ""
    classes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not self.classes:
            object.__setattr__(self, "classes", tuple(np.unique(self.y[self.y == self.y]).tolist()))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Dataset({self.name!r}: {rows} samples, {features} features, {len(np.unique(self.y))} classes)"


@dataclass(frozen=True, slots=True)
class Record:
    """A dataset that `load` finds without a network; None where the folder's index does not tell."""

    name: str
    title: str
    rows: int | None
    features: int | None
    classes: int | None
    missing: int | None
    where: str


@dataclass(frozen=True, slots=True)
class Bundled:
    """A dataset that comes with scikit-learn."""

    loader: str
    title: str
    rows: int
    features: int
    classes: int


BUNDLED = {
    "breast_cancer": Bundled("load_breast_cancer", "Breast cancer Wisconsin (diagnostic)", 569, 30, 2),
    "digits": Bundled("load_digits", "Handwritten digits, 8 × 8 pixels", 1797, 64, 10),
    "iris": Bundled("load_iris", "Iris", 150, 4, 3),
    "wine": Bundled("load_wine", "Wine recognition", 178, 13, 3),
}


@overload
def load(name: str, *, return_X_y: Literal[False] = False, frame: str | None = None) -> Dataset: ...
@overload
def load(name: str, *, return_X_y: Literal[True], frame: str | None = None) -> tuple[Any, np.ndarray[Any, Any]]: ...
def load(
    name: str, *, return_X_y: bool = False, frame: str | None = None
) -> Dataset | tuple[Any, np.ndarray[Any, Any]]:
    """Load a dataset by name.

    Parameters
    ----------
    name : str
        A name of `available()`, the name of a dataset of OpenML, or `openml:` and such a name.
    return_X_y : bool, default=False
        Return the pair `(X, y)` in place of a `Dataset`.
    frame : {"pandas", "polars", "pyarrow"}, optional
        What `X` shall be. By default a pandas frame where pandas is installed, else an Arrow table.

    Examples
    --------
    >>> from palmette.datasets import load
    >>> load("breast_cancer")
    Dataset('breast_cancer': 569 samples, 30 features, 2 classes)
    >>> X, y = load("breast_cancer")
    >>> X.shape
    (569, 30)
    """
    kind = _checked_frame(frame)
    dataset = _find(_checked_name(name), kind)
    return (dataset.X, dataset.y) if return_X_y else dataset


def available() -> list[Record]:
    """The datasets that `load` finds without a network, sorted by name, the folder's before scikit-learn's.

    Examples
    --------
    >>> from palmette.datasets import available
    >>> [record.name for record in available() if record.where == "scikit-learn"][:2]
    ['breast_cancer', 'digits']
    """
    folder = _folder()
    records = {
        name: Record(name, b.title, b.rows, b.features, b.classes, 0, "scikit-learn") for name, b in BUNDLED.items()
    }
    for name, entry in _index(folder).items() if folder else ():
        records[name] = Record(
            name,
            str(entry.get("title", name)),
            entry.get("rows"),
            entry.get("features"),
            entry.get("classes"),
            entry.get("missing_cells"),
            str(folder),
        )
    return sorted(records.values(), key=lambda record: (record.where == "scikit-learn", record.name))


def file_of(name: str) -> Path | None:
    """The Parquet file of a dataset in the user's folder; None where there is none."""
    folder = _folder()
    if folder is None:
        return None
    files = (folder / f"{candidate}.parquet" for candidate in (name, _plain(name)))
    return next((file for file in files if file.is_file()), None)


def _plain(name: str) -> str:
    return re.sub(r"[- ]", "_", name).lower()


def _find(name: str, kind: str) -> Dataset:
    if name.startswith("openml:"):
        return _from_openml(name.removeprefix("openml:"), kind)
    folder = _folder()
    index = _index(folder) if folder else {}
    plain = _plain(name)
    for candidate in (name, plain):
        if folder and candidate in index:
            return _from_folder(folder, candidate, index[candidate], kind)
    if plain in BUNDLED:
        return _from_scikit_learn(plain, kind)
    close = difflib.get_close_matches(plain, sorted({*index, *BUNDLED}), n=1, cutoff=0.7)
    if close:
        raise ValueError(
            f"There is no dataset named {name!r}. Did you mean {close[0]!r}? "
            f"(load('openml:{name}') asks OpenML for that very name.)"
        )
    return _from_openml(name, kind)


def _checked_name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"The name of a dataset is a string, not {type(name).__name__}.")
    # Nothing that could leave the folder: no separators, no dots at the start.
    if not re.fullmatch(r"(openml:)?[A-Za-z0-9_][A-Za-z0-9_.()+-]*", name):
        raise ValueError(f"{name!r} cannot be the name of a dataset: it is made of letters, digits, '_', '-' and '.'.")
    return name


def _checked_frame(frame: str | None) -> str:
    if frame is None:
        return "pandas" if find_spec("pandas") else "pyarrow"
    if frame not in ("pandas", "polars", "pyarrow"):
        raise ValueError(f"`frame` must be 'pandas', 'polars' or 'pyarrow', not {frame!r}.")
    if find_spec(frame) is None:
        raise ImportError(f"frame={frame!r} needs {frame}: install it with pip install {frame}.")
    return frame


def _folder() -> Path | None:
    value = os.environ.get(FOLDER_VARIABLE, "").strip()
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise ValueError(f"{FOLDER_VARIABLE} names {value!r}, which is no folder.")
    return folder


def _index(folder: Path) -> dict[str, dict[str, Any]]:
    """What `index.json` says of each Parquet file that is there: nothing, where it does not name it."""
    entries: Any = {}
    file = folder / "index.json"
    if file.is_file():
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"'{file}' is not valid JSON: {error}.") from None
        if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
            raise ValueError(f"'{file}' must hold an object with one object a dataset.")
    return {path.stem: entries.get(path.stem, {}) for path in sorted(folder.glob("*.parquet"))}


def _from_folder(folder: Path, name: str, entry: dict[str, Any], kind: str) -> Dataset:
    from palmette.data.files import read_file

    table = read_file(folder / f"{name}.parquet").table
    if TARGET not in table.column_names:
        raise ValueError(
            f"'{folder / name}.parquet' has no column '{TARGET}', which holds the labels; "
            f"it has {', '.join(table.column_names[:8])}."
        )
    labels, classes = _labels(table.column(TARGET)), _declared(table.column(TARGET))
    source = str(entry.get("source", "")) or str(folder / f"{name}.parquet")
    X = _as_frame(table.drop_columns([TARGET]), kind)
    return Dataset(name, str(entry.get("title", name)), X, labels, source, str(entry.get("note", "")), classes)


def _from_scikit_learn(name: str, kind: str) -> Dataset:
    import pyarrow as pa
    import sklearn.datasets

    bundled = BUNDLED[name]
    bunch = getattr(sklearn.datasets, bundled.loader)()
    names = [str(feature).removesuffix(" (cm)") for feature in bunch.feature_names]
    table = pa.table([np.ascontiguousarray(column) for column in bunch.data.T], names=names)
    labels = bunch.target if name == "digits" else np.asarray(bunch.target_names, dtype=str)[bunch.target]
    return Dataset(name, bundled.title, _as_frame(table, kind), labels, "scikit-learn")


def _from_openml(name: str, kind: str) -> Dataset:
    if find_spec("pandas") is None:
        raise ImportError(f"Fetching {name!r} from OpenML needs pandas: install it with pip install pandas.")
    import pyarrow as pa
    from sklearn.datasets import fetch_openml

    asked = {"data_id": int(name)} if name.isdecimal() else {"name": name}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")
            bunch = fetch_openml(**asked, as_frame=True, parser="auto", n_retries=1, delay=0.5)
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        raise ConnectionError(
            f"There is no dataset {name!r} in {_places()}, and OpenML cannot be asked for it ({reason})."
        ) from None
    except ValueError as error:
        answer = " ".join(str(error).split())
        raise ValueError(f"There is no dataset {name!r} in {_places()}, nor at OpenML ({answer}).") from None
    if bunch.target is None:
        raise ValueError(f"The dataset {name!r} of OpenML has no label column.")
    X = bunch.data if kind == "pandas" else _as_frame(pa.Table.from_pandas(bunch.data, preserve_index=False), kind)
    details = getattr(bunch, "details", {}) or {}
    source = f"OpenML {details.get('id', '')}".strip()
    return Dataset(name, str(details.get("name", name)), X, np.asarray(bunch.target), source)


def _places() -> str:
    folder = os.environ.get(FOLDER_VARIABLE, "").strip()
    return f"'{folder}' or scikit-learn's bundled sets" if folder else "scikit-learn's bundled sets"


def _labels(column: Any) -> np.ndarray[Any, Any]:
    """The labels of a column as a NumPy array: of strings where it holds strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values: np.ndarray[Any, Any] = column.to_numpy()
    if values.dtype == object and column.null_count == 0 and all(isinstance(value, str) for value in values):
        return values.astype(str)
    return values


def _declared(column: Any) -> tuple[Any, ...]:
    """The labels that occur, in the order of the file's declaration; nothing where it has none."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return ()
    occurring = set(column.unique().cast(column.type.value_type).to_pylist())
    dictionary = column.unify_dictionaries().chunk(0).dictionary.to_pylist() if column.num_chunks else []
    return tuple(label for label in dictionary if label in occurring)


def _as_frame(table: Any, kind: str) -> Any:
    if kind == "pandas":
        return table.to_pandas(ignore_metadata=True)
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    return table

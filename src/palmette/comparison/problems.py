"""The datasets of a comparison: by name, by mapping, or a single pair (X, y)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from palmette.comparison.triples import rare_classes, refuse_impossible
from palmette.data.labels import read_labels
from palmette.data.reading import read_table
from palmette.support.parameters import InvalidParameterError

__all__ = ["Problem", "read_problems"]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table as the user gave it, with the class codes of its rows."""

    name: str
    X: Any
    labels: NDArray[np.int32]
    classes: NDArray[Any]
    feature_names: tuple[str, ...] | None
    n_features: int

    @property
    def n_samples(self) -> int:
        return len(self.labels)

    def rows(self, rows: NDArray[np.uint32]) -> tuple[Any, NDArray[Any]]:
        """X and y of some rows."""
        return _safe_indexing(self.X, rows), self.classes[self.labels[rows]]

    def notes(self, folds: int) -> tuple[str, ...]:
        """What the reader of a comparison should know of the data."""
        rare = rare_classes(self.labels, folds)
        if not rare:
            return ()
        shown = [f"{self.classes[code]} ({count})" for code, count in rare[:5]]
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        return (f"Classes with fewer members than folds are missing in some test sets: {', '.join(shown)}{more}.",)


def read_problems(datasets: Any, folds: int) -> list[Problem]:
    """The problems that `datasets` stands for: names, a mapping of names to pairs (X, y), or one pair."""
    if isinstance(datasets, str):
        datasets = [datasets]
    if isinstance(datasets, Mapping):
        pairs = list(datasets.items())
    elif _is_pair(datasets):
        pairs = [("data", datasets)]
    elif isinstance(datasets, Iterable):
        pairs = [_loaded(name) for name in datasets]
    else:
        raise _mistake(f"is {type(datasets).__name__}")
    if not pairs:
        raise _mistake("is empty")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameterError(f"`datasets` names {name!r} twice.")
    return [_read(name, pair, folds) for name, pair in pairs]


def _mistake(what: str) -> InvalidParameterError:
    return InvalidParameterError(
        "`datasets` must be names of datasets (palmette.datasets.available() lists them), a mapping of names to pairs "
        f"(X, y), or one pair (X, y), but it {what}."
    )


def _is_pair(datasets: Any) -> bool:
    """Whether it is (X, y) rather than two names."""
    if hasattr(datasets, "X") and hasattr(datasets, "y"):
        return True
    return isinstance(datasets, tuple) and len(datasets) == 2 and not any(isinstance(item, str) for item in datasets)


def _loaded(name: Any) -> tuple[str, Any]:
    if hasattr(name, "X") and hasattr(name, "name"):
        return str(name.name), name
    if not isinstance(name, str):
        raise _mistake(f"lists {type(name).__name__}, which is no name")
    from palmette.datasets import load

    return name, load(name)


def _read(name: Any, pair: Any, folds: int) -> Problem:
    if not isinstance(name, str) or not name.strip():
        raise _mistake(f"calls a dataset {name!r}")
    try:
        X, y = pair
    except (TypeError, ValueError):
        raise _mistake(f"has no pair (X, y) under {name!r}") from None
    if isinstance(X, list):
        X = np.array(X)
    try:
        table = read_table(X)
        labels, classes = read_labels(y, table.n_rows)
        refuse_impossible(labels, folds)
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"Dataset {name!r}: {error}") from None
    return Problem(name, X, labels, classes, table.names, len(table.columns))

"""What a trial depends on, as a short text: the data, the strategy, the triple and the versions; for `cache.py`."""

from __future__ import annotations

import hashlib
import inspect
import json
from importlib.metadata import PackageNotFoundError, version
from types import FunctionType
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator

from palmette.comparison.problems import Problem
from palmette.comparison.triples import Triple
from palmette.data.reading import read_table
from palmette.data.table import ContinuousColumn, NominalColumn

__all__ = ["of_problem", "of_strategy", "of_trial"]

WITHOUT_EFFECT = ("n_jobs", "callback", "verbose", "checkpoint", "checkpoint_seconds")
"""Parameters that change how a fit goes, not what it comes to."""


def of_problem(problem: Problem) -> str:
    """A digest of the table and its labels, as our trees read them, and of the kind of table, which others may heed."""
    digest = hashlib.sha256()

    def add(name: str, data: bytes) -> None:
        digest.update(f"{name} {len(data)} ".encode())
        digest.update(data)

    add("kind", f"{type(problem.X).__module__}.{type(problem.X).__qualname__} {_dtypes(problem.X)}".encode())
    add("names", json.dumps(problem.feature_names).encode())
    for column in read_table(problem.X).columns:
        if isinstance(column, NominalColumn):
            add(f"nominal {column.categories!r}", np.ascontiguousarray(column.codes).tobytes())
        elif isinstance(column, ContinuousColumn):
            add("continuous", np.ascontiguousarray(column.values(), dtype=np.float64).tobytes())
    add(f"labels {problem.classes.tolist()!r}", problem.labels.tobytes())
    return digest.hexdigest()


def _dtypes(X: Any) -> str:
    for name in ("dtypes", "schema", "dtype"):
        if hasattr(X, name):
            kinds = getattr(X, name)
            return repr([str(kind) for kind in kinds]) if hasattr(kinds, "__iter__") else str(kinds)
    return ""


def of_strategy(name: str, estimator: Any) -> str:
    """A digest of an estimator with all its parameters, and of the versions of the packages it comes from.

    A ValueError where a parameter has no content that could be compared.
    """
    return hashlib.sha256(json.dumps(_described(name, "", estimator), sort_keys=True).encode()).hexdigest()


def of_trial(problem: str, strategy: str, triple: Triple) -> str:
    """A digest of everything; the problem and the strategy by their digests."""
    digest = hashlib.sha256(f"{problem} {strategy} {triple.seed}".encode())
    for rows in (triple.building, triple.search, triple.test):
        digest.update(f" {len(rows)} ".encode())
        digest.update(rows.astype(np.int64).tobytes())
    return digest.hexdigest()


def _described(strategy: str, parameter: str, value: Any) -> Any:
    """A value as data that JSON can hold, equal for equal values in every process."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_described(strategy, parameter, item) for item in value]
    if isinstance(value, BaseEstimator):
        kind = type(value)
        parameters = {
            name: _described(strategy, name, item)
            for name, item in value.get_params(deep=False).items()
            if name not in WITHOUT_EFFECT
        }
        return {"class": f"{kind.__module__}.{kind.__qualname__}", "version": _version(kind), "parameters": parameters}
    if isinstance(value, FunctionType):
        return {"function": f"{value.__module__}.{value.__qualname__}", "code": _code(value)}
    try:
        return {"content": str(joblib.hash(value))}
    except Exception:
        raise ValueError(
            f"The strategy {strategy!r} cannot be kept in a cache: the content of its parameter `{parameter}` "
            f"({type(value).__name__}) cannot be told. Pass `cache=None`, or another value."
        ) from None


def _version(kind: type) -> str:
    package = kind.__module__.partition(".")[0]
    distribution = {"sklearn": "scikit-learn"}.get(package, package)
    try:
        return version(distribution)
    except PackageNotFoundError:
        return _source(kind)


def _source(kind: type) -> str:
    """The text of a class of no installed package: one of the user's own, which may change any day."""
    try:
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()
    except (OSError, TypeError):
        return ""


def _code(function: FunctionType) -> str:
    """The compiled code of a function; not of those that it calls."""
    code = function.__code__
    described = (
        f"{code.co_code!r} {[item for item in code.co_consts if not hasattr(item, 'co_code')]!r} {code.co_names}"
    )
    return hashlib.sha256(described.encode()).hexdigest()

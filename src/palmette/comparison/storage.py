"""A comparison as JSON and back. The loader trusts nothing: whatever is wrong with a text ends as a ValueError."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from palmette.comparison.cache import trial_as_data, trial_from_data
from palmette.comparison.cells import DatasetRecord
from palmette.comparison.result import Comparison
from palmette.comparison.triples import Protocol
from palmette.support.parameters import check_number
from palmette.support.strict_json import strict_json

__all__ = ["comparison_from_json", "comparison_to_json"]

FORMAT = "palmette-comparison"
VERSION = 1
STATUSES = ("complete", "interrupted", "time_limit")


def comparison_to_json(comparison: Comparison, path: str | os.PathLike[str] | None = None) -> str:
    """The JSON text of a comparison, written to `path` if one is given."""
    protocol = comparison.protocol
    text = strict_json(
        {
            "format": FORMAT,
            "version": VERSION,
            "status": comparison.status,
            "repeats": protocol.repeats,
            "folds": protocol.folds,
            "search_size": protocol.search_size,
            "random_state": protocol.random_state,
            "strategies": list(comparison.strategies),
            "datasets": [
                {
                    "name": dataset.name,
                    "n_samples": dataset.n_samples,
                    "n_features": dataset.n_features,
                    "n_classes": dataset.n_classes,
                    "feature_names": None if dataset.feature_names is None else list(dataset.feature_names),
                    "notes": list(dataset.notes),
                }
                for dataset in comparison.datasets
            ],
            "trials": [trial_as_data(trial) for trial in comparison.results],
        }
    )
    if path is not None:
        Path(path).write_text(text + "\n", encoding="utf-8")
    return text


def comparison_from_json(text_or_path: str | bytes | os.PathLike[str]) -> Comparison:
    """The comparison in a JSON text, or in a file of it."""
    if isinstance(text_or_path, os.PathLike) or not _looks_like_json(text_or_path):
        try:
            text: str | bytes = Path(os.fsdecode(text_or_path)).read_bytes()
        except OSError as error:
            raise ValueError(f"'{os.fsdecode(text_or_path)}' cannot be read: {error.strerror}.") from None
    else:
        text = text_or_path
    try:
        return _read(json.loads(text))
    except (KeyError, TypeError, RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"This is no comparison of palmette: {reason}.") from None


def _looks_like_json(text: str | bytes) -> bool:
    return text.lstrip()[:1] in ("{", b"{")


def _read(data: Any) -> Comparison:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"This is no comparison of palmette: it has no format {FORMAT!r}.")
    if data["version"] != VERSION:
        raise ValueError(f"The comparison has the version {data['version']!r}, but this palmette reads {VERSION}.")
    if data["status"] not in STATUSES:
        raise ValueError(f"The status of the comparison is {data['status']!r}.")
    check_number("repeats", data["repeats"], 1, integer=True)
    check_number("folds", data["folds"], 2, integer=True)
    check_number("search_size", data["search_size"], 0, 1, low_excluded=True, high_excluded=True)
    check_number("random_state", data["random_state"], 0, integer=True)
    protocol = Protocol(data["repeats"], data["folds"], float(data["search_size"]), data["random_state"])
    datasets = tuple(_dataset(record) for record in data["datasets"])
    strategies = tuple(_text(name) for name in data["strategies"])
    trials = tuple(map(trial_from_data, data["trials"]))
    n_features = {dataset.name: dataset.n_features for dataset in datasets}
    for trial in trials:
        if trial.dataset not in n_features or trial.strategy not in strategies:
            raise ValueError(f"A trial is of {trial.dataset!r} and {trial.strategy!r}, which the comparison has not.")
        if trial.repeat >= protocol.repeats or trial.fold >= protocol.folds:
            raise ValueError(
                f"A trial is of repeat {trial.repeat} and fold {trial.fold}, which the comparison has not."
            )
        if any(feature >= n_features[trial.dataset] for feature in (*(trial.selected or ()), *(trial.used or ()))):
            raise ValueError(f"A trial names a feature that {trial.dataset!r} has not.")
    if len({(trial.dataset, trial.strategy, trial.place) for trial in trials}) < len(trials):
        raise ValueError("A trial is there twice.")
    return Comparison(protocol, datasets, strategies, trials, data["status"])


def _dataset(record: Any) -> DatasetRecord:
    for name in ("n_samples", "n_features", "n_classes"):
        check_number(name, record[name], 1, integer=True)
    names = record["feature_names"]
    if names is not None:
        names = tuple(map(_text, names))
        if len(names) != record["n_features"]:
            raise ValueError(f"{record['name']!r} has {record['n_features']} features, but {len(names)} names of them.")
    notes = tuple(map(_text, record["notes"]))
    return DatasetRecord(
        _text(record["name"]), record["n_samples"], record["n_features"], record["n_classes"], names, notes
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} stands where a text should.")
    return value

"""The folder of finished trials from which a comparison goes on: one small file a trial.

A file is named by the fingerprint of all that the trial depends on, and holds a checksum. It is put in place in one
step; whatever else is found under the name, torn or foreign, counts as nothing and is written anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from palmette.comparison.trial import Trial
from palmette.support.parameters import InvalidParameterError
from palmette.support.strict_json import strict_json

__all__ = ["Cache", "trial_as_data", "trial_from_data"]

FORMAT = "palmette-trial"
VERSION = 1
UNFINISHED = ".unfinished"
LITTER_SECONDS = 60.0
"""An unfinished file as old as this was left by a process that was killed."""

FIELDS: Mapping[str, tuple[type, ...]] = {
    "status": (str,),
    "message": (str,),
    "search_error": (float, type(None)),
    "test_error": (float, type(None)),
    "selected": (tuple, type(None)),
    "used": (tuple, type(None)),
    "n_trees": (int, type(None)),
    "seconds": (float,),
    "cpu_seconds": (float, type(None)),
    "searched": (bool,),
}
"""What a trial came to, with the types; the rest of it is its place."""


class Cache:
    """A folder of finished trials. It is made where there is none."""

    def __init__(self, folder: Any) -> None:
        if not isinstance(folder, (str, os.PathLike)):
            raise InvalidParameterError(f"`cache` must be the path of a folder or None, but is {folder!r}.")
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "which is a file" if self.folder.is_file() else f"which cannot be made ({error.strerror})"
            raise InvalidParameterError(f"`cache` is '{self.folder}', {reason}. Name a folder.") from None
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise InvalidParameterError(
                f"`cache` is '{self.folder}', where nothing can be written. Name another folder."
            )
        self._remove_litter()

    def read(self, key: str, dataset: str, strategy: str, repeat: int, fold: int) -> Trial | None:
        """The trial kept under a key, as one of this dataset, strategy and place; None where there is no sound file."""
        try:
            record = json.loads(self._path(key).read_bytes())
            if record["format"] != FORMAT or record["version"] != VERSION or record["key"] != key:
                return None
            if record["checksum"] != _checksum(record["trial"]):
                return None
            return trial_from_data({**record["trial"], "place": [dataset, strategy, repeat, fold]})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, key: str, trial: Trial) -> None:
        """Keep a finished trial; a kill at any moment leaves a whole file or none."""
        data = {name: value for name, value in trial_as_data(trial).items() if name != "place"}
        record = {"format": FORMAT, "version": VERSION, "key": key, "checksum": _checksum(data), "trial": data}
        unfinished = self.folder / f"{key}.{os.getpid()}{UNFINISHED}"
        unfinished.write_text(strict_json(record), encoding="utf-8")
        os.replace(unfinished, self._path(key))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _remove_litter(self) -> None:
        for path in self.folder.glob(f"*{UNFINISHED}"):
            try:
                if time.time() - path.stat().st_mtime > LITTER_SECONDS:
                    path.unlink()
            except OSError:
                continue


def _checksum(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(strict_json(data, sort_keys=True).encode()).hexdigest()


def trial_as_data(trial: Trial) -> dict[str, Any]:
    """A trial as plain data; numbers return exactly."""
    data = {name: value for name, value in asdict(trial).items() if name in FIELDS}
    return {"place": [trial.dataset, trial.strategy, trial.repeat, trial.fold], **data}


def trial_from_data(data: Mapping[str, Any]) -> Trial:
    """The trial in plain data; a ValueError where it is none."""
    dataset, strategy, repeat, fold = data["place"]
    if not (isinstance(dataset, str) and isinstance(strategy, str) and _is_index(repeat) and _is_index(fold)):
        raise ValueError(f"{data['place']!r} is no place of a trial.")
    values: dict[str, Any] = {}
    for name, types in FIELDS.items():
        value = data[name]
        if isinstance(value, list) and all(map(_is_index, value)):
            value = tuple(value)
        elif isinstance(value, int) and not isinstance(value, bool) and float in types:
            value = float(value)
        if not isinstance(value, types) or isinstance(value, bool) != (types == (bool,)):
            raise ValueError(f"The {name} of a trial is {value!r}.")
        values[name] = value
    return Trial(dataset, strategy, repeat, fold, **values)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0

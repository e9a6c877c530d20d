"""The file from which a killed search goes on, and from which a finished one need not be repeated.

A line that names the format, a line of JSON (version, fingerprint of the task, checksum, and the outcome once there is
one), then the bytes of the core. The file is replaced in one step: a kill at any moment leaves the old one or the new.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from palmette.data.table import ContinuousColumn, NominalColumn
from palmette.search.outcome import Outcome
from palmette.search.task import SearchTask
from palmette.support.messages import user_stack_level
from palmette.support.parameters import InvalidParameterError

__all__ = ["Checkpoint", "Saved", "fingerprint"]

MAGIC = b"palmette checkpoint\n"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """What a checkpoint holds: how far the core was, or the outcome of a finished search."""

    state: bytes
    outcome: Outcome | None


class Checkpoint:
    """A checkpoint file of one task."""

    def __init__(self, path: Any, fingerprint: str) -> None:
        self.path = Path(path)
        self._fingerprint = fingerprint

    @staticmethod
    def check_path(path: object) -> None:
        """Raise, before any work, where no file could be written."""
        if not isinstance(path, (str, os.PathLike)):
            raise InvalidParameterError(f"`checkpoint` must be a path or None, but is {path!r}.")
        place = Path(path)
        if place.is_dir():
            raise InvalidParameterError(f"`checkpoint` is '{place}', which is a directory. Name a file in it.")
        if place.exists() and not place.is_file():
            raise InvalidParameterError(f"`checkpoint` is '{place}', which is no ordinary file. Name another one.")
        if not place.absolute().parent.is_dir():
            raise InvalidParameterError(f"`checkpoint` is '{place}', but there is no folder '{place.parent}'.")
        unfinished = _unfinished(place)
        try:
            unfinished.touch()
            unfinished.unlink()
        except OSError as error:
            raise InvalidParameterError(
                f"`checkpoint` is '{place}', but no file can be written there ({error.strerror}). Name another place."
            ) from None

    def read(self) -> Saved | None:
        """What the file holds, or None where there is none; a ValueError about a file that does not fit."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        if not data.startswith(MAGIC):
            raise ValueError(f"'{self.path}' is no checkpoint of palmette. Name another file.")
        line, newline, state = data[len(MAGIC) :].partition(b"\n")
        header = self._header(line) if newline else None
        if header is None:
            raise self._damaged()
        if header["version"] != VERSION:
            raise ValueError(
                f"The checkpoint '{self.path}' has the format {header['version']}, but this palmette reads the format "
                f"{VERSION}. Remove it to search from the start."
            )
        if hashlib.sha256(state).hexdigest() != header["state"] or _digest(header) != header["header"]:
            raise self._damaged()
        if header["task"] != self._fingerprint:
            raise ValueError(
                f"The checkpoint '{self.path}' belongs to another search: other data, another split, or other "
                "parameters. Name another file, or remove this one to search from the start."
            )
        outcome = header["outcome"]
        return Saved(state, None if outcome is None else Outcome.from_dict(outcome))

    def keep(self, state: bytes, outcome: Outcome | None = None) -> None:
        """Write the file; a disk that is full costs the checkpoint, not the search."""
        try:
            self.write(state, outcome)
        except OSError as error:
            warnings.warn(
                f"The checkpoint '{self.path}' could not be written ({error.strerror}). The answer is not lost by it, "
                "but a kill would cost all that came after the last checkpoint.",
                UserWarning,
                stacklevel=user_stack_level(),
            )

    def write(self, state: bytes, outcome: Outcome | None = None) -> None:
        """Replace the file; whoever is killed in between leaves the old one."""
        header: dict[str, Any] = {
            "version": VERSION,
            "task": self._fingerprint,
            "state": hashlib.sha256(state).hexdigest(),
            "outcome": None if outcome is None else outcome.as_dict(),
        }
        header["header"] = _digest(header)
        unfinished = _unfinished(self.path)
        with open(unfinished, "wb") as file:
            file.write(MAGIC + json.dumps(header).encode() + b"\n" + state)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, self.path)
        _sync_folder(self.path.absolute().parent)

    def unreadable(self, error: Exception) -> ValueError:
        """The error about a state that the core does not take."""
        return ValueError(f"The checkpoint '{self.path}' cannot be resumed ({error}). Remove it to search anew.")

    def _header(self, line: bytes) -> dict[str, Any] | None:
        try:
            header = json.loads(line)
        except ValueError:
            return None
        whole = isinstance(header, dict) and {"version", "task", "state", "outcome", "header"} <= header.keys()
        return header if whole else None

    def _damaged(self) -> ValueError:
        return ValueError(f"The checkpoint '{self.path}' is damaged. Remove it to search from the start.")


def _unfinished(path: Path) -> Path:
    """Where a checkpoint is written first; the name is fixed, so that kills leave one such file at most."""
    return path.with_name(f"{path.name}.unfinished")


def _digest(header: dict[str, Any]) -> str:
    """A checksum of everything else in the header."""
    rest = {name: value for name, value in header.items() if name != "header"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _sync_folder(folder: Path) -> None:
    """The new name survives a power failure too, where the system can promise that."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def fingerprint(task: SearchTask, **parameters: Any) -> str:
    """A digest of all that the answer depends on: data, split, units, how trees are grown, and the parameters given.

    Not of threads, time and memory: a search may go on with other means.
    """
    digest = hashlib.sha256()

    def add(name: str, data: bytes) -> None:
        digest.update(f"{name} {len(data)} ".encode())
        digest.update(data)

    for column in task.problem.table.columns:
        if isinstance(column, NominalColumn):
            add(f"nominal {len(column.categories)}", np.ascontiguousarray(column.codes).tobytes())
        elif isinstance(column, ContinuousColumn):
            add("continuous", np.ascontiguousarray(column.values(), dtype=np.float64).tobytes())
    add(f"labels {len(task.reader.classes_)}", task.problem.labels.tobytes())
    add("weights", b"" if task.weights is None else task.weights.tobytes())
    for fold in task.folds:
        add("building", fold.building.tobytes())
        add("search", fold.search.tobytes())
    add("units", task.units.unit_of.tobytes())
    reader = task.reader
    growing = {name: getattr(reader, name) for name in ("criterion", "growth", "threshold", "min_samples", "max_depth")}
    described = {"kept": task.units.kept, "max_features": task.max_features, **growing, **parameters}
    add("parameters", json.dumps(described, sort_keys=True, default=float).encode())
    return digest.hexdigest()

"""What a search for one subset ends with, whichever way it went: the answer and the verdict.

`Outcome` is that of a complete search, `path.py` has that of an elimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["PROVED", "Answer", "Outcome", "Step"]

PROVED = ("optimal", "within_gap")
"""The verdicts after which nothing is left to search."""


class Answer(Protocol):
    """What all searches have in common: a subset, features by index, its error as a rate, and why the search ended."""

    @property
    def features(self) -> tuple[int, ...]: ...
    @property
    def error(self) -> float: ...
    @property
    def status(self) -> str: ...
    @property
    def n_trees(self) -> int: ...
    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of the history, features by index."""

    seconds: float
    error: float
    bound: float
    features: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer in rates, features by index."""

    features: tuple[int, ...]
    error: float
    objective: float
    bound: float
    status: str
    n_trees: int
    seconds: float
    steps: tuple[Step, ...]
    n_first_trees: int = 0
    """Those that a quick first search and the local searches looked at."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for a checkpoint."""
        return {
            "features": list(self.features),
            "error": self.error,
            "objective": self.objective,
            "bound": self.bound,
            "status": self.status,
            "n_trees": self.n_trees,
            "n_first_trees": self.n_first_trees,
            "seconds": self.seconds,
            "steps": [[step.seconds, step.error, step.bound, list(step.features)] for step in self.steps],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Outcome:
        """The outcome in plain data."""
        steps = tuple(Step(seconds, error, bound, tuple(features)) for seconds, error, bound, features in data["steps"])
        return cls(**{**data, "features": tuple(data["features"]), "steps": steps})

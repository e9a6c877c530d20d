"""The ways in which `palmette select` can search, by name: one entry a strategy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmette import C45Classifier

__all__ = ["STRATEGIES", "Request"]


@dataclass(frozen=True)
class Request:
    """What the options of the command line ask for; a strategy takes what it knows and refuses the rest."""

    tree: C45Classifier
    error: str
    search_size: float
    error_gap: float
    feature_penalty: float
    keep: list[str] | None
    groups: list[list[str]] | None
    max_features: int | None
    time_limit: float | None
    memory_limit: str | None
    checkpoint: Path | None
    n_jobs: int | None
    random_state: int


def _best(request: Request) -> Any:
    from palmette import BestSubsetSelector

    # Field by field: dataclasses.asdict would take the tree apart.
    return BestSubsetSelector(**vars(request))


STRATEGIES: dict[str, Callable[[Request], Any]] = {
    "best": _best,
}

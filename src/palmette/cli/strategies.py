"""The ways in which `palmette select` can search, by name: one entry a strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmette import C45Classifier

__all__ = ["STRATEGIES", "Request"]


COMPLETE_ONLY = {
    "error_gap": ("--gap", 0.0),
    "feature_penalty": ("--penalty", 0.0),
    "checkpoint": ("--checkpoint", None),
}
ELIMINATION_ONLY = {
    "min_features": ("--min-features", None),
    "accept_ties": ("--ties", None),
    "beam_width": ("--beam-width", None),
}
"""Options of one kind of search only, with the value that says that nobody asked for them."""


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
    min_features: int | None
    accept_ties: bool | None
    beam_width: int | None
    time_limit: float | None
    memory_limit: str | None
    checkpoint: Path | None
    n_jobs: int | None
    random_state: int

    def parameters(self, strategy: str, *foreign: Mapping[str, tuple[str, object]]) -> dict[str, Any]:
        """The parameters that were asked for, by name; none of a foreign kind."""
        # Field by field: dataclasses.asdict would take the tree apart.
        asked = dict(vars(self))
        for options in foreign:
            for name, (option, unasked) in options.items():
                if asked.pop(name) != unasked:
                    raise ValueError(f"{option} is not for --strategy {strategy}.")
        return {name: value for name, value in asked.items() if value is not None}


def _best(request: Request) -> Any:
    from palmette import BestSubsetSelector

    return BestSubsetSelector(**request.parameters("best", ELIMINATION_ONLY))


def _elimination(name: str, strategy: str) -> Callable[[Request], Any]:
    def make(request: Request) -> Any:
        from palmette import BackwardEliminationSelector

        beam_only = {} if strategy == "beam" else {"beam_width": ELIMINATION_ONLY["beam_width"]}
        return BackwardEliminationSelector(strategy=strategy, **request.parameters(name, COMPLETE_ONLY, beam_only))

    return make


STRATEGIES: dict[str, Callable[[Request], Any]] = {
    "best": _best,
    "backward": _elimination("backward", "backward"),
    "forward": _elimination("forward", "forward"),
    "floating": _elimination("floating", "floating_backward"),
    "floating-forward": _elimination("floating-forward", "floating_forward"),
    "beam": _elimination("beam", "beam"),
}

"""The ways in which `palmette select` can search, by name: one entry a strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palmette.cli.telling import Covered, Filtered, Grown, Proved, Tabled, Telling, Walked

if TYPE_CHECKING:
    from palmette import C45Classifier

__all__ = ["STRATEGIES", "Request", "Strategy"]


COMPLETE_ONLY = {
    "error_gap": ("--gap", 0.0),
    "feature_penalty": ("--penalty", 0.0),
    "checkpoint": ("--checkpoint", None),
}
ELIMINATION_ONLY = {
    "min_features": ("--min-features", None),
    "accept_ties": ("--ties", None),
    "unused": ("--unused", None),
    "beam_width": ("--beam-width", None),
}
SEARCH_ONLY = {
    "error": ("--error", "holdout"),
    "search_size": ("--search-size", 0.3),
    "max_features": ("--max-features", None),
}
LATTICE_ONLY = {
    "groups": ("--groups", None),
    "memory_limit": ("--memory-limit", None),
}
REGULARIZED_ONLY = {
    "n_estimators": ("--trees", None),
    "new_feature_weight": ("--new-feature-weight", None),
}
OBLIVION_ONLY = {"cv": ("--cv", None)}
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
    unused: str | None
    beam_width: int | None
    time_limit: float | None
    memory_limit: str | None
    checkpoint: Path | None
    n_estimators: int | None
    new_feature_weight: float | None
    cv: int | None
    n_jobs: int | None
    random_state: int

    def parameters(self, strategy: str, *foreign: Mapping[str, tuple[str, object]]) -> dict[str, Any]:
        """The parameters that were asked for, by name; none of a foreign kind."""
        # Field by field: dataclasses.asdict would take the tree apart.
        asked = dict(vars(self))
        for options in foreign:
            for name, (option, unasked) in options.items():
                value = asked.pop(name)
                if value != unasked:
                    option = option.replace("--", "--no-", 1) if value is False else option
                    raise ValueError(f"{option} is not for --strategy {strategy}.")
        return {name: value for name, value in asked.items() if value is not None}


def _best(request: Request) -> Any:
    from palmette import BestSubsetSelector

    return BestSubsetSelector(**request.parameters("best", ELIMINATION_ONLY, REGULARIZED_ONLY, OBLIVION_ONLY))


def _elimination(name: str, strategy: str) -> Callable[[Request], Any]:
    def make(request: Request) -> Any:
        from palmette import BackwardEliminationSelector

        special = {"beam_width": "beam", "unused": "backward"}
        others_only = {option: ELIMINATION_ONLY[option] for option, owner in special.items() if owner != strategy}
        asked = request.parameters(name, COMPLETE_ONLY, REGULARIZED_ONLY, OBLIVION_ONLY, others_only)
        return BackwardEliminationSelector(strategy=strategy, **asked)

    return make


def _regularized(name: str, estimator: str) -> Callable[[Request], Any]:
    def make(request: Request) -> Any:
        import palmette

        foreign = (COMPLETE_ONLY, ELIMINATION_ONLY, SEARCH_ONLY, LATTICE_ONLY, OBLIVION_ONLY)
        asked = request.parameters(name, *foreign)
        if asked.get("new_feature_weight") == 0:
            # In Python 0 keeps single columns out; here another option does.
            raise ValueError("--new-feature-weight must be above 0 and at most 1, but is 0. --drop keeps a column out.")
        # The tree is grown with the features when they are found. What must stay is selected from the start.
        tree = asked.pop("tree")
        return getattr(palmette, estimator)(
            initial=asked.pop("keep", None), categorical_features=tree.categorical_features, **asked
        )

    return make


def _filter(name: str, estimator: str) -> Callable[[Request], Any]:
    def make(request: Request) -> Any:
        import palmette

        foreign = (COMPLETE_ONLY, ELIMINATION_ONLY, SEARCH_ONLY, LATTICE_ONLY, REGULARIZED_ONLY, OBLIVION_ONLY)
        asked = request.parameters(name, *foreign, {"keep": ("--keep", None)})
        # Nothing is drawn at random.
        del asked["random_state"]
        return getattr(palmette, estimator)(**asked)

    return make


def _oblivion(request: Request) -> Any:
    from palmette import ObliviousTreeClassifier

    walk_only = {name: ELIMINATION_ONLY[name] for name in ("accept_ties", "unused", "beam_width")}
    asked = request.parameters("oblivion", COMPLETE_ONLY, SEARCH_ONLY, REGULARIZED_ONLY, walk_only)
    return ObliviousTreeClassifier(categorical_features=asked.pop("tree").categorical_features, **asked)


def _focus(request: Request) -> Any:
    from palmette import FocusSelector

    foreign = (COMPLETE_ONLY, ELIMINATION_ONLY, SEARCH_ONLY, LATTICE_ONLY, REGULARIZED_ONLY, OBLIVION_ONLY)
    asked = request.parameters("focus", *foreign)
    # Nothing is drawn, and only the tree can use threads.
    del asked["random_state"]
    asked["tree"].set_params(n_jobs=asked.pop("n_jobs", None))
    return FocusSelector(**asked)


@dataclass(frozen=True)
class Strategy:
    """A way to select, and what kind of answer it gives."""

    make: Callable[[Request], Any]
    telling: type[Telling]


STRATEGIES: dict[str, Strategy] = {
    "best": Strategy(_best, Proved),
    "backward": Strategy(_elimination("backward", "backward"), Walked),
    "forward": Strategy(_elimination("forward", "forward"), Walked),
    "floating": Strategy(_elimination("floating", "floating_backward"), Walked),
    "floating-forward": Strategy(_elimination("floating-forward", "floating_forward"), Walked),
    "beam": Strategy(_elimination("beam", "beam"), Walked),
    "rrf": Strategy(_regularized("rrf", "RegularizedForestSelector"), Grown),
    "rboost": Strategy(_regularized("rboost", "RegularizedBoostingSelector"), Grown),
    "cfs": Strategy(_filter("cfs", "CFSSelector"), Filtered),
    "fcbf": Strategy(_filter("fcbf", "FCBFSelector"), Filtered),
    "oblivion": Strategy(_oblivion, Tabled),
    "focus": Strategy(_focus, Covered),
}

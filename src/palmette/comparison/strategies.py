"""What can be compared: any classifier, selector or pipeline; and the ready-made ones, by name.

`trial.py` runs a strategy on a triple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline, make_pipeline

from palmette.ensemble.forest import C45ForestClassifier
from palmette.evolution.evolved import EvolvedTreeClassifier
from palmette.evolution.genetic import GeneticTreeClassifier
from palmette.filter.cfs import CFSSelector
from palmette.filter.fcbf import FCBFSelector
from palmette.oblivious.classifier import ObliviousTreeClassifier
from palmette.oblivious.focus import FocusSelector
from palmette.search.best_subset import BestSubsetSelector
from palmette.search.elimination import BackwardEliminationSelector
from palmette.search.selector import SubsetSelector
from palmette.support.messages import did_you_mean
from palmette.support.parameters import InvalidParameterError
from palmette.tree.classifier import C45Classifier

__all__ = ["DEFAULT_STRATEGIES", "STRATEGIES", "limited", "prepared", "read_strategies", "wrapped_selectors"]

STRATEGIES: dict[str, Callable[[], Any]] = {
    "tree": lambda: C45Classifier(),
    "pruned": lambda: C45Classifier(pruning="error_based"),
    "forest": lambda: C45ForestClassifier(),
    "ardennes": lambda: EvolvedTreeClassifier(),
    "legal": lambda: GeneticTreeClassifier(),
    "best": lambda: BestSubsetSelector(),
    "backward": lambda: BackwardEliminationSelector(),
    "forward": lambda: BackwardEliminationSelector(strategy="forward"),
    "floating": lambda: BackwardEliminationSelector(strategy="floating_backward"),
    "floating-forward": lambda: BackwardEliminationSelector(strategy="floating_forward"),
    "beam": lambda: BackwardEliminationSelector(strategy="beam"),
    "cfs": lambda: CFSSelector(),
    "fcbf": lambda: FCBFSelector(),
    "oblivion": lambda: ObliviousTreeClassifier(),
    "focus": lambda: FocusSelector(),
    "backward-forest": lambda: make_pipeline(BackwardEliminationSelector(min_features=1), C45ForestClassifier()),
}
"""The strategies that have a name, one line each."""

DEFAULT_STRATEGIES = ("tree", "pruned", "backward", "forest")
"""Those of the command line: all of them are done in moments, even on wide tables."""


def read_strategies(strategies: Any) -> dict[str, Any]:
    """Strategies by name: from a mapping of estimators, or from names of `STRATEGIES`.

    A selector that cannot predict is followed by a plain C4.5 tree.

    >>> list(read_strategies(["tree", "best"]))
    ['tree', 'best']
    """
    if isinstance(strategies, str):
        strategies = [strategies]
    if isinstance(strategies, Mapping):
        pairs = list(strategies.items())
    elif isinstance(strategies, Iterable):
        pairs = [(name, _by_name(name)) for name in strategies]
    else:
        raise InvalidParameterError(
            "`strategies` must be a mapping of names to estimators, or a list of names such as "
            f"{list(DEFAULT_STRATEGIES)}, but is {strategies!r}."
        )
    if not pairs:
        raise InvalidParameterError("`strategies` is empty. Name at least one.")
    read = {_checked_name(name): _checked(name, estimator) for name, estimator in pairs}
    if len(read) < len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in [other for other, _ in pairs[:at]])
        raise InvalidParameterError(f"`strategies` names {twice!r} twice.")
    return read


def _by_name(name: Any) -> Any:
    if not isinstance(name, str):
        raise InvalidParameterError(
            f"`strategies` lists {name!r}, which is no name. Pass a mapping of names to estimators."
        )
    if name not in STRATEGIES:
        raise InvalidParameterError(
            f"There is no strategy {name!r}.{did_you_mean(name, STRATEGIES)} There are {', '.join(STRATEGIES)}."
        )
    return STRATEGIES[name]()


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameterError(f"A strategy must have a name, a text, but one is called {name!r}.")
    return name


def _checked(name: str, estimator: Any) -> Any:
    if isinstance(estimator, type) or not isinstance(estimator, BaseEstimator):
        hint = f" Pass {estimator.__name__}()." if isinstance(estimator, type) else ""
        raise InvalidParameterError(f"The strategy {name!r} must be an estimator, but is {estimator!r}.{hint}")
    if hasattr(estimator, "predict"):
        return estimator
    if hasattr(estimator, "get_support") or hasattr(estimator, "transform"):
        return make_pipeline(clone(estimator), C45Classifier())
    raise InvalidParameterError(f"The strategy {name!r} can neither predict nor transform: {estimator!r}.")


def wrapped_selectors(estimator: Any) -> Iterator[tuple[int, SubsetSelector]]:
    """The selectors of a strategy that judge subsets on a search set, with their places in the pipeline (else 0)."""
    steps = [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]
    for place, step in enumerate(steps):
        if isinstance(step, SubsetSelector) and isinstance(step.error, str) and step.error == "holdout":
            yield place, step


def limited(estimator: Any, seconds: float | None) -> Any:
    """A copy that takes so many seconds at most for a fit, where it has a time limit."""
    copy = clone(estimator)
    if seconds is None:
        return copy
    limits = {
        name: seconds if value is None else min(seconds, value)
        for name, value in copy.get_params(deep=True).items()
        if _is(name, "time_limit")
    }
    return copy.set_params(**limits)


def prepared(estimator: Any, split: Any, seed: int, *, alone: bool) -> Any:
    """A fresh copy for one triple: its selectors judge on the split, and what is random draws from the seed.

    Only where no seed is given. Unless it is alone on the machine, it works on one thread.
    """
    copy = clone(estimator)
    for _, selector in wrapped_selectors(copy):
        selector.set_params(error=[split])
    parameters = copy.get_params(deep=True)
    seeds = {name: seed for name, value in parameters.items() if _is(name, "random_state") and value is None}
    jobs = {} if alone else {name: 1 for name in parameters if _is(name, "n_jobs")}
    return copy.set_params(**seeds, **jobs)


def _is(parameter: str, name: str) -> bool:
    return parameter.rpartition("__")[2] == name

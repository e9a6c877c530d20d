"""The result of a search in a few honest sentences; `guidance.py` knows what it means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from palmette.search.guidance import HeldOutError, lattice, meaning, oversearch_warning
from palmette.search.outcome import PROVED
from palmette.search.progress import duration
from palmette.search.units import read_units
from palmette.support.messages import listing

if TYPE_CHECKING:
    from palmette.search.best_subset import BestSubsetSelector
    from palmette.search.elimination import BackwardEliminationSelector
    from palmette.search.selector import SubsetSelector

__all__ = ["how_known", "meant", "summarize", "wrong_size"]

STOPPED_BY = {
    "time_limit": "The time limit ended the search",
    "memory_limit": "The memory limit ended the search",
    "interrupted": "The search was interrupted",
}


def summarize(selector: SubsetSelector, held_out: HeldOutError | None = None) -> str:
    """What was found, what was proved or walked, and what it does not say."""
    return " ".join([_found(selector), how_known(selector), *meant(selector, held_out)])


def how_known(selector: SubsetSelector) -> str:
    """What a complete search has proved, or along which path an elimination went."""
    if hasattr(selector, "error_bound_"):
        return _proved(cast("BestSubsetSelector", selector))
    return _walked(cast("BackwardEliminationSelector", selector))


def meant(selector: SubsetSelector, held_out: HeldOutError | None = None) -> list[str]:
    """What it means, and a warning where there is reason for one."""
    return [sentence for sentence in (meaning(selector, held_out), oversearch_warning(selector)) if sentence]


def _found(selector: SubsetSelector) -> str:
    names = selector.get_feature_names_out().tolist()
    n_features = selector.n_features_in_
    error = f"the value {selector.error_:.4g}" if callable(selector.error) else _errors(selector, selector.error_)
    if not names:
        return f"The best subset found is empty: a single leaf, without any of the {n_features} features, has {error}."
    are = "is" if len(names) == 1 else "are"
    return f"{len(names)} of {n_features} features {are} selected, with {error}: {listing(names)}."


def _errors(selector: SubsetSelector, rate: float) -> str:
    """A rate with what it counts."""
    weight = selector._search_weight
    n_samples = sum(len(search) for _, search in selector.folds_)
    count = f"{rate * weight:.6g}"
    of = f"{n_samples} search samples" if weight == n_samples else f"the weight {weight:.6g} of the search samples"
    noun = "error" if count == "1" else "errors"
    return f"{count} {noun} on {of} ({rate:.2%})"


def _proved(selector: BestSubsetSelector) -> str:
    what = "value" if callable(selector.error) else "error"
    what += " plus penalty" if selector.feature_penalty else ""
    subsets = lattice(selector)
    over = f"all {subsets}" if selector._n_subsets > 1 else f"the only {subsets.removeprefix('1 ')}"
    took = duration(selector.search_seconds_)
    if selector.status_ in PROVED and selector.n_trees_ == 0 and selector._n_free > 0:
        # The search may still have looked at subsets of the same error with fewer features; it counts no tree for that.
        took += f"; a quick first search had found this {what}, bounds did the rest"
    if selector.status_ == "optimal":
        fewest = selector.tie_break == "smallest" and selector.algorithm == "ranked"
        smaller = ", and none with the same has fewer features" if fewest else ""
        return f"Proved over {over}: none has a smaller {what}{smaller} ({took})."
    gap = selector.objective_ - selector.error_bound_
    if selector.status_ == "within_gap":
        return f"Proved over {over}: none has an {what} smaller by more than {_points(gap)} ({took})."
    head = f"{STOPPED_BY[selector.status_]} before the proof ({took})"
    if callable(selector.error):
        return f"{head}: some subset may be better, by an unknown amount."
    if selector.error_bound_ <= 0:
        return f"{head}: how much better another of the {subsets} could be is not known."
    return (
        f"{head}: none of the {subsets} has an {what} below {selector.error_bound_:.2%}, so the answer is at "
        f"most {_points(gap)} from the best."
    )


def _walked(selector: BackwardEliminationSelector) -> str:
    first, steps = selector.history_[0], len(selector.history_) - 1
    start = "no feature" if first.n_features == 0 else _counted(first.n_features, "feature")
    how = "value" if callable(selector.error) else "error"
    shown = f"{first.error:.4g}" if callable(selector.error) else f"{first.error:.2%}"
    trees = _counted(selector.n_trees_, "tree")
    path = (
        f"{_counted(steps, 'step')} from {start} ({how} {shown}), with {trees} looked at "
        f"({duration(selector.search_seconds_)})"
    )
    if selector.status_ != "complete":
        return (
            f"{STOPPED_BY[selector.status_]} after {path}: further steps may be better. {wrong_size(selector)}".rstrip()
        )
    wrong = wrong_size(selector)
    told = f"{path}; {_why_ended(selector)}."
    return f"{told} {wrong + ' ' if wrong else ''}Another subset may be better: nothing is proved."


def _why_ended(selector: BackwardEliminationSelector) -> str:
    """Why the walk took no further step; the answer may lie before the end of its path."""
    forward = "forward" in selector.strategy
    last = selector.history_[-1]
    names = selector.estimator_._schema.names
    units = read_units(selector.keep, selector.groups, names, selector.n_features_in_)
    inside = set(last.features)
    others = [
        len(features)
        for unit, features in enumerate(units.members)
        if unit not in units.kept and ((features[0] if names is None else names[features[0]]) in inside) != forward
    ]
    if not others:
        return f"no feature is left to {'add' if forward else 'remove'}"
    limit = selector.max_features if forward else selector.min_features
    room = math.inf if limit is None else limit - last.n_features if forward else last.n_features - limit
    step = "addition" if forward else "removal"
    if min(others) > room:
        return f"`{'max' if forward else 'min'}_features` allows no further {step}"
    return f"no further {step} was acceptable"


def wrong_size(selector: BackwardEliminationSelector) -> str:
    """A sentence where the walk did not come to between `min_features` and `max_features`; else nothing."""
    n_features = int(np.count_nonzero(selector.support_))
    least, most = selector.min_features or 0, selector.max_features
    if most is not None and n_features > most:
        wanted = f"more than the {most:,} of `max_features`"
    elif n_features < least:
        wanted = f"fewer than the {least:,} of `min_features`"
    else:
        return ""
    if selector.status_ == "complete":
        # Single features always get there: only groups can step over the sizes in between.
        advice = (
            "the groups left or joined whole, and no step of the walk fits. Try another `strategy`, or wider limits"
        )
    else:
        advice = "give it more time"
    return f"{_counted(n_features, 'feature')} {'is' if n_features == 1 else 'are'} {wanted}: {advice}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _points(rate: float) -> str:
    return f"{100 * rate:.3g} percentage points"

"""What OBLIVION and FOCUS found, in a few honest sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from palmette.search.progress import duration
from palmette.search.summary import STOPPED_BY
from palmette.support.messages import listing

if TYPE_CHECKING:
    from palmette.oblivious.classifier import ObliviousTreeClassifier
    from palmette.oblivious.focus import FocusSelector

__all__ = ["summarize_focus", "summarize_table"]


def summarize_table(model: ObliviousTreeClassifier) -> str:
    """What is left, along which path, and what it does not say."""
    names = model.get_feature_names_out().tolist()
    how = "leave-one-out" if model.cv == "loo" else f"{model.cv}-way cross-validation"
    if model.redraw_folds:
        how += " in folds that every step drew anew"
    error = "an error that was not counted" if math.isnan(model.error_) else f"an error of {model.error_:.2%} by {how}"
    cells = f"{len(model.table_):,} cell{'' if len(model.table_) == 1 else 's'}"
    if names:
        found = (
            f"{len(names)} of {model.n_features_in_} features {'is' if len(names) == 1 else 'are'} left, a table of "
            f"{cells} with {error}: {listing(names)}."
        )
    else:
        found = f"None of the {model.n_features_in_} features is left: the most frequent class alone has {error}."
    steps = len(model.history_) - 1
    first = model.history_[0].error
    walk = (
        f"{steps:,} step{'' if steps == 1 else 's'} from all features"
        f"{'' if math.isnan(first) else f' (error {first:.2%})'}, with {model.n_tables_:,} tables judged "
        f"({duration(model.search_seconds_)})"
    )
    if model.status_ == "complete":
        way = f"{walk}; no further removal was acceptable. Another subset may be better: nothing is proved."
    else:
        way = f"{STOPPED_BY[model.status_]} after {walk}: further steps may be better."
    if model.n_tables_ == 0:
        return f"{found} {way}"
    return (
        f"{found} {way} The error was minimised over many subsets, so it is no estimate of the error on new samples: "
        "measure that on samples that `fit` has not seen."
    )


def summarize_focus(selector: FocusSelector) -> str:
    """What was found, what is proved, and what it does not say."""
    names = selector.get_feature_names_out().tolist()
    n_features = selector.n_features_in_
    if names:
        found = (
            f"{len(names)} of {n_features} features tell{'s' if len(names) == 1 else ''} all samples of different "
            f"classes apart: {listing(names)}."
        )
    else:
        found = f"None of the {n_features} features is needed: all samples are alike."
    took = duration(selector.search_seconds_)
    if selector.status_ == "complete":
        proved = f"Proved: no set of fewer features does ({took})."
    elif selector.size_bound_ == len(names):
        proved = f"{STOPPED_BY[selector.status_]} ({took}), but it is proved that no set of fewer features does."
    else:
        proved = (
            f"{STOPPED_BY[selector.status_]} ({took}): it is proved only that at least {selector.size_bound_} "
            f"feature{' is' if selector.size_bound_ == 1 else 's are'} needed."
        )
    left = selector.n_inseparable_
    apart = (
        f" {left:,} samples are alike on all features with a sample of another class; no set can tell these apart."
        if left
        else ""
    )
    return (
        f"{found} {proved}{apart} A set that tells the training samples apart need not be one that predicts: with "
        "noise in the classes it is larger than it should be."
    )

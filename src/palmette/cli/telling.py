"""What `palmette select` tells of a fitted selector: rows of a table, the model as text, plain data.

One class for each kind of selector; `strategies.py` says which strategy is of which kind, `select.py` shows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text

from palmette.cli.screen import colored_tree

if TYPE_CHECKING:
    from palmette import C45Classifier
    from palmette.search.guidance import HeldOutError

__all__ = ["Covered", "Filtered", "Grown", "HeldOut", "Proved", "Tabled", "Telling", "Walked"]


class HeldOut(NamedTuple):
    """Errors on the samples that the selection never saw."""

    selected: HeldOutError
    """Of a tree with the selected features."""
    everything: HeldOutError
    """Of a tree with all of them."""
    own: HeldOutError | None
    """Of the selector's own model, where that is not the tree."""


class Telling:
    """A fitted selector, a tree of the selected features, and the seconds that the fit took.

    The tree is the selector's own; where the selector predicts with another model, `grow` makes one.
    """

    own_model: str | None = None
    """What the selector predicts with, where that is not the tree."""

    def __init__(self, selector: Any, grow: Callable[[], C45Classifier], seconds: float) -> None:
        self.selector = selector
        self.tree: C45Classifier = selector.estimator_ if self.own_model is None else grow()
        self.seconds = seconds

    def rows(self) -> list[tuple[str, str]]:
        """What was found beside the features, and how."""
        return [("way", self.way())]

    def way(self) -> str:
        """How the features were found, in a line."""
        raise NotImplementedError

    def model(self) -> Text:
        """What the selector would predict with."""
        from palmette.tree.wording import printable

        return colored_tree(self.tree.to_text(), [printable(label) for label in self.selector.classes_.tolist()])

    def summary(self, held_out: HeldOut | None) -> str:
        """A few sentences, with the held-out error if there is one."""
        told = str(self.selector.summary())
        if held_out is None:
            return told
        error = held_out.own or held_out.selected
        return f"{told} Held-out error {error} ({error.n_samples:,} samples that the selection never saw)."

    def data(self) -> dict[str, Any]:
        """What this kind knows, as plain data."""
        return {"seconds": self.seconds, "history": [asdict(step) for step in self.selector.history_]}

    def tree_data(self) -> Any:
        """The tree as `palmette tree --json` writes it."""
        return json.loads(self.tree.to_json())


class Searched(Telling):
    """A search by the error on samples that no tree was grown on."""

    def rows(self) -> list[tuple[str, str]]:
        return [("search error", f"{self.selector.error_:.2%}"), *super().rows()]

    def summary(self, held_out: HeldOut | None) -> str:
        from palmette.search.summary import summarize

        return summarize(self.selector, None if held_out is None else held_out.selected)

    def data(self) -> dict[str, Any]:
        return {
            "error": self.selector.error_,
            "n_trees": self.selector.n_trees_,
            "seconds": self.selector.search_seconds_,
        }


class Proved(Searched):
    """A complete search: an error and a bound."""

    def rows(self) -> list[tuple[str, str]]:
        return [("search error", f"{self.selector.error_:.2%}"), ("proved", self._proved())]

    def _proved(self) -> str:
        found = self.selector
        if found.error_bound_ <= 0 and found.status_ not in ("optimal", "within_gap"):
            return "nothing yet"
        what = "error" if found.objective_ == found.error_ else "error plus penalty"
        return f"no subset has an {what} below {found.error_bound_:.2%}"

    def data(self) -> dict[str, Any]:
        return {
            **super().data(),
            "error_bound": self.selector.error_bound_,
            "objective": self.selector.objective_,
            "history": [
                {"seconds": step.seconds, "error": step.error, "bound": step.bound, "features": list(step.features)}
                for step in self.selector.history_
            ],
        }


class Walked(Searched):
    """An elimination or another walk, one feature at a time."""

    def way(self) -> str:
        return f"{steps_taken(self.selector.history_)}; {_counted(self.selector.n_trees_, 'tree')}"

    def data(self) -> dict[str, Any]:
        return {**super().data(), "history": steps_data(self.selector.history_)}


class Grown(Telling):
    """A regularized ensemble: features come in as trees need them."""

    own_model = "ensemble"

    def way(self) -> str:
        history = self.selector.history_
        entries = [f"{entry.feature} (tree {entry.tree + 1}, gain {entry.gain:.3g})" for entry in history[:5]]
        more = len(history) - len(entries)
        words = f"{_counted(len(self.selector.trees_), 'tree')}; first came {', '.join(entries) if entries else 'none'}"
        return f"{words} and {more} more" if more > 0 else words

    def data(self) -> dict[str, Any]:
        return {**super().data(), "n_trees": len(self.selector.trees_)}


class Filtered(Telling):
    """A filter, which looks at pairs of columns."""

    def way(self) -> str:
        return str(self.selector.way())


class Tabled(Telling):
    """An oblivious tree: a decision table, its columns taken out one by one."""

    own_model = "table"

    def rows(self) -> list[tuple[str, str]]:
        return [("search error", error_words(self.selector.error_)), *super().rows()]

    def way(self) -> str:
        return f"{steps_taken(self.selector.history_)}; {_counted(self.selector.n_tables_, 'table')}"

    def model(self) -> Text:
        return Text(self.selector.to_text(max_cells=None))

    def data(self) -> dict[str, Any]:
        table, classes = self.selector.table_, self.selector.classes_.tolist()
        cells = [
            {"values": list(cell.values), "weights": list(cell.class_weights), "class": classes[label]}
            for cell, label in zip(table, table.class_weights.argmax(axis=1).tolist(), strict=True)
        ]
        return {
            "error": self.selector.error_,
            "n_tables": self.selector.n_tables_,
            "seconds": self.seconds,
            "history": steps_data(self.selector.history_),
            "table": {"features": list(table.features), "classes": classes, "cells": cells},
        }


class Covered(Telling):
    """FOCUS: the fewest features that tell the classes apart."""

    def rows(self) -> list[tuple[str, str]]:
        return [("proved", f"no set of fewer than {self.selector.size_bound_} tells the classes apart")]

    def data(self) -> dict[str, Any]:
        return {
            "seconds": self.seconds,
            "size_bound": self.selector.size_bound_,
            "n_inseparable": self.selector.n_inseparable_,
        }


def steps_taken(history: Any) -> str:
    """How long a walk was, and where it began."""
    steps = len(history) - 1
    return (
        f"{_counted(steps, 'step')} from {_counted(history[0].n_features, 'feature')}, error "
        f"{error_words(history[0].error)}"
    )


def error_words(error: float) -> str:
    """An error; a search that had no time at all has counted none."""
    return "not counted" if math.isnan(error) else f"{error:.2%}"


def steps_data(history: Any) -> list[dict[str, Any]]:
    """The steps of a walk: what went and came. The features of all the steps may be millions of names."""
    return [
        {
            "seconds": step.seconds,
            "error": step.error,
            "removed": list(step.removed),
            "added": list(step.added),
            "n_features": step.n_features,
            "trees_built": step.trees_built,
        }
        for step in history
    ]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

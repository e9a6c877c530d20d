"""How features came into the set of a regularized ensemble, as small frozen values and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palmette.support.messages import listing

if TYPE_CHECKING:
    from palmette.ensemble.regularized import RegularizedSelector

__all__ = ["FeatureEntry", "summarize"]


@dataclass(frozen=True, slots=True)
class FeatureEntry:
    """The moment at which a feature was selected.

    Parameters
    ----------
    feature : str or int
        Its name if X had names, else its index.
    gain : float
        The gain of its split, before the penalty: information gain in bits, or the decrease of the Gini index with
        `criterion="cran"`.
    weight : float
        The weight of the samples at that node.
    tree : int
        The number of the tree, from 0 on.
    depth : int
        The depth of the node; the root has depth 0.
    """

    feature: str | int
    gain: float
    weight: float
    tree: int
    depth: int


STOPPED_BY = {"time_limit": "The time limit ended the growing", "interrupted": "The growing was interrupted"}


def summarize(selector: RegularizedSelector) -> str:
    """What was selected, by how many trees, and what that does not say."""
    order = [str(feature) for feature in selector.selected_order_]
    n_features, n_trees = selector.n_features_in_, len(selector.trees_)
    trees = f"{n_trees} tree{'' if n_trees == 1 else 's'}"
    if not order:
        found = f"None of the {n_features} features is selected: no split was found."
    else:
        are = "is" if len(order) == 1 else "are"
        found = (
            f"{len(order)} of {n_features} features {are} selected by {trees} that share them, in order of entry: "
            f"{listing(order)}."
        )
    parts = [found]
    if selector.history_:
        last = selector.history_[-1]
        parts.append(f"The last one entered in tree {last.tree + 1}.")
    ended = selector._ended_early()
    if selector.status_ in STOPPED_BY:
        parts.append(f"{STOPPED_BY[selector.status_]} after {trees}: more trees may select more.")
    elif ended:
        parts.append(ended)
    parts.append("The set depends on the draws (`random_state`) and on the penalty; nothing is proved.")
    return " ".join(parts)

"""Searches over the lattice of feature subsets: the best, the good, and the number of them.

`best_subset.py` and `elimination.py` are the selectors; `distinct.py`, `acceptable.py`, `pareto.py` and `costs.py`
answer other questions with the complete search.
"""

from __future__ import annotations

from palmette.search.acceptable import AcceptableSubsets, acceptable_subsets
from palmette.search.best_subset import BestSubsetSelector
from palmette.search.costs import FeatureCosts, feature_costs
from palmette.search.distinct import DistinctTree, count_distinct_trees, enumerate_distinct_trees
from palmette.search.elimination import BackwardEliminationSelector
from palmette.search.history import SearchStep
from palmette.search.pareto import ParetoFront, pareto_front
from palmette.search.path import EliminationStep
from palmette.search.progress import SearchEffortWarning, SearchProgress

__all__ = [
    "AcceptableSubsets",
    "BackwardEliminationSelector",
    "BestSubsetSelector",
    "DistinctTree",
    "EliminationStep",
    "FeatureCosts",
    "ParetoFront",
    "SearchEffortWarning",
    "SearchProgress",
    "SearchStep",
    "acceptable_subsets",
    "count_distinct_trees",
    "enumerate_distinct_trees",
    "feature_costs",
    "pareto_front",
]

"""palmette: decision trees on raw tables, and the features that they need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palmette._core import __version__

if TYPE_CHECKING:
    from palmette import datasets, reproduce
    from palmette.comparison.result import Comparison
    from palmette.comparison.running import compare
    from palmette.comparison.stability import StabilityScore, stability_score
    from palmette.data.discretization import MDLDiscretizer
    from palmette.ensemble.forest import C45ForestClassifier
    from palmette.ensemble.regularized_boosting import RegularizedBoostingSelector
    from palmette.ensemble.regularized_forest import RegularizedForestSelector
    from palmette.evolution.evolved import EvolvedTreeClassifier
    from palmette.evolution.genetic import GeneticTreeClassifier
    from palmette.filter.cfs import CFSSelector
    from palmette.filter.fcbf import FCBFSelector
    from palmette.oblivious.classifier import ObliviousTreeClassifier
    from palmette.oblivious.focus import FocusSelector
    from palmette.report.writing import render_report, write_report
    from palmette.search.acceptable import acceptable_subsets
    from palmette.search.best_subset import BestSubsetSelector
    from palmette.search.costs import feature_costs
    from palmette.search.distinct import DistinctTree, count_distinct_trees, enumerate_distinct_trees
    from palmette.search.elimination import BackwardEliminationSelector
    from palmette.search.pareto import pareto_front
    from palmette.search.progress import SearchEffortWarning
    from palmette.tree.classifier import C45Classifier
    from palmette.tree.model import Feature, Tree

__all__ = [
    "BackwardEliminationSelector",
    "BestSubsetSelector",
    "C45Classifier",
    "C45ForestClassifier",
    "CFSSelector",
    "Comparison",
    "DistinctTree",
    "EvolvedTreeClassifier",
    "FCBFSelector",
    "Feature",
    "FocusSelector",
    "GeneticTreeClassifier",
    "MDLDiscretizer",
    "ObliviousTreeClassifier",
    "RegularizedBoostingSelector",
    "RegularizedForestSelector",
    "SearchEffortWarning",
    "StabilityScore",
    "Tree",
    "__version__",
    "acceptable_subsets",
    "compare",
    "count_distinct_trees",
    "datasets",
    "enumerate_distinct_trees",
    "feature_costs",
    "pareto_front",
    "render_report",
    "reproduce",
    "stability_score",
    "write_report",
]

# Imported at first use: scikit-learn takes a second and a half, which `palmette --help` need not wait for.
_MODULES = {
    "BackwardEliminationSelector": "palmette.search.elimination",
    "BestSubsetSelector": "palmette.search.best_subset",
    "C45Classifier": "palmette.tree.classifier",
    "C45ForestClassifier": "palmette.ensemble.forest",
    "CFSSelector": "palmette.filter.cfs",
    "Comparison": "palmette.comparison.result",
    "DistinctTree": "palmette.search.distinct",
    "FCBFSelector": "palmette.filter.fcbf",
    "Feature": "palmette.tree.model",
    "FocusSelector": "palmette.oblivious.focus",
    "MDLDiscretizer": "palmette.data.discretization",
    "ObliviousTreeClassifier": "palmette.oblivious.classifier",
    "RegularizedBoostingSelector": "palmette.ensemble.regularized_boosting",
    "RegularizedForestSelector": "palmette.ensemble.regularized_forest",
    "EvolvedTreeClassifier": "palmette.evolution.evolved",
    "GeneticTreeClassifier": "palmette.evolution.genetic",
    "SearchEffortWarning": "palmette.search.progress",
    "StabilityScore": "palmette.comparison.stability",
    "Tree": "palmette.tree.model",
    "acceptable_subsets": "palmette.search.acceptable",
    "compare": "palmette.comparison.running",
    "count_distinct_trees": "palmette.search.distinct",
    "enumerate_distinct_trees": "palmette.search.distinct",
    "feature_costs": "palmette.search.costs",
    "pareto_front": "palmette.search.pareto",
    "render_report": "palmette.report.writing",
    "stability_score": "palmette.comparison.stability",
    "write_report": "palmette.report.writing",
}


def __getattr__(name: str) -> Any:
    if name in ("datasets", "reproduce"):
        return import_module(f"palmette.{name}")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'palmette' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

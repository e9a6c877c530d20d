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
    from palmette.ensemble.forest import C45ForestClassifier
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
    "Comparison",
    "DistinctTree",
    "Feature",
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
    "Comparison": "palmette.comparison.result",
    "DistinctTree": "palmette.search.distinct",
    "Feature": "palmette.tree.model",
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

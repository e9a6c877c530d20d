"""palmette: decision trees on raw tables, and the features that they need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palmette._core import __version__

if TYPE_CHECKING:
    from palmette import datasets
    from palmette.ensemble.forest import C45ForestClassifier
    from palmette.tree.classifier import C45Classifier
    from palmette.tree.model import Feature, Tree

__all__ = ["C45Classifier", "C45ForestClassifier", "Feature", "Tree", "__version__", "datasets"]

# Imported at first use: scikit-learn takes a second and a half, which `palmette --help` need not wait for.
_MODULES = {
    "C45Classifier": "palmette.tree.classifier",
    "C45ForestClassifier": "palmette.ensemble.forest",
    "Feature": "palmette.tree.model",
    "Tree": "palmette.tree.model",
}


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("palmette.datasets")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'palmette' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

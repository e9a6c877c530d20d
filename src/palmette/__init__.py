"""palmette: decision trees on raw tables, and the features that they need."""

from __future__ import annotations

from palmette import datasets
from palmette._core import __version__
from palmette.ensemble.forest import C45ForestClassifier
from palmette.tree.classifier import C45Classifier
from palmette.tree.model import Feature, Tree

__all__ = ["C45Classifier", "C45ForestClassifier", "Feature", "Tree", "__version__", "datasets"]

"""Ensembles of trees: the forest, and the regularized ones that select features."""

from __future__ import annotations

from palmette.ensemble.entries import FeatureEntry
from palmette.ensemble.forest import C45ForestClassifier
from palmette.ensemble.regularized_boosting import RegularizedBoostingSelector
from palmette.ensemble.regularized_forest import RegularizedForestSelector

__all__ = ["C45ForestClassifier", "FeatureEntry", "RegularizedBoostingSelector", "RegularizedForestSelector"]

"""Ensembles of trees."""

from __future__ import annotations

from palmette.ensemble.forest import C45ForestClassifier

__all__ = ["C45ForestClassifier"]

"""Evolved trees: an estimation-of-distribution algorithm (Ardennes) and a genetic one (in the spirit of LEGAL-Tree)."""

from __future__ import annotations

from palmette.evolution.distribution import TreeDistribution
from palmette.evolution.evolved import EvolvedTreeClassifier
from palmette.evolution.genetic import GeneticTreeClassifier
from palmette.evolution.history import Generation, Spread

__all__ = ["EvolvedTreeClassifier", "Generation", "GeneticTreeClassifier", "Spread", "TreeDistribution"]

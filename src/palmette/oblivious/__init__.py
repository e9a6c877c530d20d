"""Oblivious decision trees, which are tables, and the features that they need: OBLIVION and FOCUS."""

from __future__ import annotations

from palmette.oblivious.classifier import ObliviousTreeClassifier
from palmette.oblivious.focus import FocusSelector
from palmette.oblivious.table import Cell, DecisionTable

__all__ = ["Cell", "DecisionTable", "FocusSelector", "ObliviousTreeClassifier"]

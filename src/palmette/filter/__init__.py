"""Filters: features selected by what they tell of the classes and of each other, before any tree is grown.

A package of its own beside `search`: a filter has no error, no building and search samples, and no tree to judge by.
"""

from __future__ import annotations

from palmette.filter.cfs import CFSSelector, CFSStep
from palmette.filter.fcbf import FCBFSelector, FCBFStep

__all__ = ["CFSSelector", "CFSStep", "FCBFSelector", "FCBFStep"]

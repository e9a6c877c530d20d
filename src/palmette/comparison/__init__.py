"""Strategies side by side on the same samples: `compare`, its result, and `stability_score`.

`triples.py` divides the samples, `trial.py` runs one strategy on one triple, `running.py` all of them, `result.py`
holds what came out.
"""

from __future__ import annotations

from palmette.comparison.cells import MEASURES, ComparisonCell, DatasetRecord, Summary
from palmette.comparison.result import Comparison
from palmette.comparison.running import ComparisonProgress, compare
from palmette.comparison.stability import StabilityScore, stability_score
from palmette.comparison.strategies import DEFAULT_STRATEGIES, STRATEGIES
from palmette.comparison.trial import Trial
from palmette.comparison.triples import Protocol, Triple, make_triples

__all__ = [
    "DEFAULT_STRATEGIES",
    "MEASURES",
    "STRATEGIES",
    "Comparison",
    "ComparisonCell",
    "ComparisonProgress",
    "DatasetRecord",
    "Protocol",
    "StabilityScore",
    "Summary",
    "Trial",
    "Triple",
    "compare",
    "make_triples",
    "stability_score",
]

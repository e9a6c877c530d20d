"""Variants of the calibration: one rule or one reading of the data changed; used by calibrate_baseline.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from palmette.reproduce import readings


def _as_read(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _as_declared(y: NDArray[np.int64]) -> NDArray[np.int64]:
    return y


@dataclass(frozen=True, slots=True)
class Variant:
    """A change of one thing, to find out what explains a miss."""

    meaning: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    forest_parameters: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[str, pd.DataFrame], pd.DataFrame] = _as_read
    number_classes: Callable[[NDArray[np.int64]], NDArray[np.int64]] = _as_declared
    declare_seen_categories_only: bool = False


def missing_as_category(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A missing value of a nominal feature becomes the category "?"; continuous features keep theirs."""
    return readings.missing_as_category(frame)


def integers_as_nominal(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A continuous feature of at most ten distinct whole numbers becomes nominal."""
    changed = {}
    for column in frame.columns.difference(readings.nominal(frame)):
        values = frame[column].dropna().to_numpy(dtype=np.float64)
        if np.unique(values).size <= 10 and np.all(values == np.round(values)):
            changed[column] = frame[column].astype("category")
    return frame.assign(**changed)


def numerals_as_continuous(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A nominal feature of numerals becomes continuous; so do the two of COIL 2000, by their UCI codes."""
    return readings.coil_as_continuous(frame) if name == "coil2000" else readings.numerals_as_continuous(frame)


def reversed_features(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The features in reverse order, so that ties go to the highest index."""
    return frame[frame.columns[::-1]]


def reversed_classes(y: NDArray[np.int64]) -> NDArray[np.int64]:
    """The classes in reverse order, so that ties between classes go to the last one declared."""
    return int(y.max()) - y


VARIANTS = {
    "default": Variant("the estimators' defaults on the data as read"),
    "growth_literal": Variant("a leaf iff pure or fewer than m samples", {"growth": "literal"}),
    "threshold_midpoint": Variant("thresholds at the midpoint", {"threshold": "midpoint"}),
    "min_samples_1": Variant("m = 1", {"min_samples": 1}),
    "missing_category": Variant("a missing nominal value is a category of its own", read=missing_as_category),
    "integers_nominal": Variant("few distinct integers are nominal", read=integers_as_nominal),
    "numerals_continuous": Variant("nominal numerals are continuous", read=numerals_as_continuous),
    "ties_last": Variant("ties between features go to the highest index", read=reversed_features),
    "classes_reversed": Variant("ties between classes go to the last", number_classes=reversed_classes),
    "seen_categories": Variant(
        "only the categories of the training part are declared", declare_seen_categories_only=True
    ),
    "forest_sqrt": Variant("√ features drawn at a node", forest_parameters={"max_features": "sqrt"}),
    "forest_min_samples_1": Variant("m = 1 in forests", forest_parameters={"min_samples": 1}),
    "forest_literal": Variant("literal growth in forests", forest_parameters={"growth": "literal"}),
    "forest_all_rows": Variant("no bootstrap", forest_parameters={"bootstrap": False}),
}

# Datasets whose stored form is not the paper's: the variant that reads them as the paper did, and why.
DATA_VERSIONS = {
    "anneal": (
        "missing_category",
        "UCI's '-' is a value, 'not applicable'; the stored file has it as missing",
    ),
    "coil2000": (
        "numerals_continuous",
        "all its features were continuous (Table 5 marks no discrete one); the stored file has two nominal",
    ),
}

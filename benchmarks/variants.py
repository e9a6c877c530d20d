"""Variants of the calibration: one rule or one reading of the data changed; used by calibrate_baseline.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


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


def _nominal(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]


def missing_as_category(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A missing value of a nominal feature becomes the category "?"; continuous features keep theirs."""
    changed = {
        column: frame[column].cat.rename_categories(str).cat.add_categories("?").fillna("?")
        for column in _nominal(frame)
        if frame[column].isna().any()
    }
    return frame.assign(**changed)


def integers_as_nominal(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A continuous feature of at most ten distinct whole numbers becomes nominal."""
    changed = {}
    for column in frame.columns.difference(_nominal(frame)):
        values = frame[column].dropna().to_numpy(dtype=np.float64)
        if np.unique(values).size <= 10 and np.all(values == np.round(values)):
            changed[column] = frame[column].astype("category")
    return frame.assign(**changed)


def numerals_as_continuous(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A nominal feature of numerals becomes continuous; so do the two of COIL 2000, by their UCI codes."""
    changed = {}
    for column in _nominal(frame):
        categories = pd.Series(frame[column].cat.categories, dtype=object)
        if len(categories) > 0 and pd.to_numeric(categories, errors="coerce").notna().all():
            changed[column] = pd.to_numeric(frame[column].astype(object), errors="coerce").astype(np.float64)
    if name == "coil2000":
        changed |= _coil_codes(frame)
    return frame.assign(**changed)


def reversed_features(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The features in reverse order, so that ties go to the highest index."""
    return frame[frame.columns[::-1]]


def reversed_classes(y: NDArray[np.int64]) -> NDArray[np.int64]:
    """The classes in reverse order, so that ties between classes go to the last one declared."""
    return int(y.max()) - y


# The TIC dictionary of COIL 2000: customer sub types (L0) and main types (L2) in the order of their codes.
_COIL_SUB_TYPES = (
    "High Income, expensive child|Very Important Provincials|High status seniors|"
    "Affluent senior apartments|Mixed seniors|Career and childcare|Dinki's (double income no kids)|"
    "Middle class families|Modern, complete families|Stable family|Family starters|"
    "Affluent young families|Young all american family|Junior cosmopolitan|Senior cosmopolitans|"
    "Students in apartments|Fresh masters in the city|Single youth|Suburban youth|Etnically diverse|"
    "Young urban have-nots|Mixed apartment dwellers|Young and rising|Young, low educated|"
    "Young seniors in the city|Own home elderly|Seniors in apartments|Residential elderly|"
    "Porchless seniors: no front yard|Religious elderly singles|Low income catholics|Mixed seniors|"
    "Lower class large families|Large family, employed child|Village families|"
    "Couples with teens 'Married with children'|Mixed small town dwellers|Traditional families|"
    "Large religous families|Large family farms|Mixed rurals"
)
_COIL_MAIN_TYPES = (
    "Successful hedonists|Driven Growers|Average Family|Career Loners|Living well|Cruising Seniors|"
    "Retired and Religeous|Family with grown ups|Conservative families|Farmers"
)


def _coil_codes(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """The two labelled columns of COIL 2000 as the integer codes of the UCI files."""
    sub_types = _COIL_SUB_TYPES.split("|")
    sub_code = {label: code for code, label in reversed(list(enumerate(sub_types, start=1)))}
    main_code = {label: code for code, label in enumerate(_COIL_MAIN_TYPES.split("|"), start=1)}
    sub_type = frame["STYPE"].astype(object).map(sub_code).astype(np.int64)
    main_type = frame["MOSHOOFD"].astype(object).map(main_code).astype(np.int64)
    # "Mixed seniors" names two sub types; the main type tells which.
    second = sub_types.index("Mixed seniors", sub_code["Mixed seniors"]) + 1
    retired = main_code["Retired and Religeous"]
    sub_type = sub_type.mask((sub_type == sub_code["Mixed seniors"]) & (main_type == retired), second)
    return {"STYPE": sub_type, "MOSHOOFD": main_type}


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

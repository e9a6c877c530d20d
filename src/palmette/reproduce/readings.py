"""The datasets as the papers had them, and the folds of their cross-validation.

Two stored files differ from the papers' version (docs/calibration.md has the evidence). Classes are numbered in the
order in which a file declares them: ties go to the first, and on COIL 2000 that decides between 9 % and 11 % error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from palmette.comparison.triples import Triple

__all__ = ["NOTES", "folds_of", "missing_as_category", "numerals_as_continuous", "read", "triples_of"]

NOTES = {
    "anneal": "anneal: UCI's '-' means 'not applicable' and is read as a category of its own, as the paper must have.",
    "coil2000": "coil2000: all features are continuous, as in the paper; the stored file has two as categories.",
}


@lru_cache(maxsize=4)
def read(dataset: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The features as a frame with its own dtypes, read as the paper did, and the labels as numbers."""
    from palmette.datasets import load

    found = load(dataset, frame="pandas")
    number = {label: code for code, label in enumerate(found.classes)}
    y = np.array([number[label] for label in found.y.tolist()], dtype=np.int64)
    return READINGS.get(dataset, _as_stored)(found.X), y


@lru_cache(maxsize=8)
def triples_of(dataset: str, repeat: int, folds: int, seed: int) -> list[Triple]:
    """The triples of one repetition: those of `palmette.compare`."""
    from palmette.comparison.triples import Protocol, make_triples

    _, y = read(dataset)
    triples = make_triples(y.astype(np.int32), Protocol(repeat + 1, folds, random_state=seed))
    return triples[repeat * folds :]


def folds_of(y: NDArray[np.int64], repeat: int, folds: int, seed: int) -> list[tuple[Any, Any]]:
    """Training and test rows of one repetition of the stratified cross-validation."""
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed + repeat)
    with warnings.catch_warnings():
        # Hypo and Anneal have a class of fewer samples than folds; the papers' folds have the same gap.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(np.zeros(len(y)), y))


def _as_stored(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def nominal(frame: pd.DataFrame) -> list[str]:
    """The features of a frame that hold categories."""
    import pandas as pd

    return [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]


def missing_as_category(frame: pd.DataFrame) -> pd.DataFrame:
    """A missing value of a nominal feature becomes the category "?"; continuous features keep theirs."""
    changed = {
        column: frame[column].cat.rename_categories(str).cat.add_categories("?").fillna("?")
        for column in nominal(frame)
        if frame[column].isna().any()
    }
    return frame.assign(**changed)


def numerals_as_continuous(frame: pd.DataFrame) -> pd.DataFrame:
    """A nominal feature of numerals becomes continuous."""
    import pandas as pd

    changed = {}
    for column in nominal(frame):
        categories = pd.Series(frame[column].cat.categories, dtype=object)
        if len(categories) > 0 and pd.to_numeric(categories, errors="coerce").notna().all():
            changed[column] = pd.to_numeric(frame[column].astype(object), errors="coerce").astype(np.float64)
    return frame.assign(**changed)


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


def coil_as_continuous(frame: pd.DataFrame) -> pd.DataFrame:
    """COIL 2000 with its two labelled columns as the integer codes of the UCI files, and all others continuous."""
    sub_types = _COIL_SUB_TYPES.split("|")
    sub_code = {label: code for code, label in reversed(list(enumerate(sub_types, start=1)))}
    main_code = {label: code for code, label in enumerate(_COIL_MAIN_TYPES.split("|"), start=1)}
    sub_type = frame["STYPE"].astype(object).map(sub_code).astype(np.int64)
    main_type = frame["MOSHOOFD"].astype(object).map(main_code).astype(np.int64)
    # "Mixed seniors" names two sub types; the main type tells which.
    second = sub_types.index("Mixed seniors", sub_code["Mixed seniors"]) + 1
    retired = main_code["Retired and Religeous"]
    sub_type = sub_type.mask((sub_type == sub_code["Mixed seniors"]) & (main_type == retired), second)
    return numerals_as_continuous(frame).assign(STYPE=sub_type, MOSHOOFD=main_type)


READINGS: dict[str, Callable[[Any], Any]] = {"anneal": missing_as_category, "coil2000": coil_as_continuous}

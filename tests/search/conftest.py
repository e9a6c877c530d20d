"""A table whose subsets are soon searched; files that need fewer or more columns have their own."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_wine

WINE_COLUMNS = 7


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X[:, :WINE_COLUMNS], y


@pytest.fixture(scope="module")
def wine_frame():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.iloc[:, :WINE_COLUMNS], y

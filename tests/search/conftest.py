"""Wine, as a matrix and as a frame, with so few columns that its subsets are soon searched."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_wine


@pytest.fixture(scope="module")
def n_columns(request):
    """A module that needs fewer or more says so in WINE_COLUMNS."""
    return getattr(request.module, "WINE_COLUMNS", 7)


@pytest.fixture(scope="module")
def wine(n_columns):
    X, y = load_wine(return_X_y=True)
    return X[:, :n_columns], y


@pytest.fixture(scope="module")
def wine_frame(n_columns):
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.iloc[:, :n_columns], y

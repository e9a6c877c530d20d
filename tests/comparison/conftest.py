"""Datasets by name are scikit-learn's bundled ones here, whatever folder of datasets is set."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def bundled_datasets():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PALMETTE_DATA", raising=False)
        yield

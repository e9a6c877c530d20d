"""Fits that fail leave nothing half done."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hostile.inputs import (
    NUMBERS,
    ROWS,
    Y,
    ask,
    asks_of,
    each_estimator,
    fresh,
)
from palmette import C45Classifier

pytestmark = pytest.mark.filterwarnings("ignore")


@each_estimator
def test_a_fit_that_fails_late_leaves_no_model(name: str) -> None:
    from palmette.support.progress import listening

    class Stop(Exception):
        pass

    def stop(_: object) -> None:
        raise Stop

    rng = np.random.default_rng(0)
    model = fresh(name, oob_score=False) if name == "forest" else fresh(name)
    model.fit(NUMBERS, Y)
    X, y = rng.normal(size=(150_000, 20)), rng.integers(5, 8, 150_000)
    longer = {"growth": "literal", "n_estimators": 100, "population_size": 1000, "numeric": "as_is"}
    model.set_params(**{parameter: longer[parameter] for parameter in longer if parameter in model.get_params()})
    with pytest.raises(Stop), listening(stop):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        ask(model, NUMBERS)
    assert len(ask(model.fit(NUMBERS, Y), NUMBERS)) == ROWS


@each_estimator
def test_an_unfitted_model_says_so(name: str) -> None:
    model = fresh(name)
    for action in asks_of(model):
        with pytest.raises(NotFittedError):
            action(NUMBERS)
    if isinstance(model, C45Classifier):
        for action in ("to_json", "to_text", "to_rules", "to_dot"):
            with pytest.raises(NotFittedError):
                getattr(model, action)()

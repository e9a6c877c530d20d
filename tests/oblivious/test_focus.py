"""`FocusSelector`: what it finds and proves, its parameters, its manners; the oracles are in `properties`."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError

from palmette import C45Classifier, FocusSelector, MDLDiscretizer
from palmette.datasets import make_all_equal, make_conjunction, make_parity
from palmette.search import SearchProgress
from palmette.support.progress import listening


@pytest.mark.parametrize("make", [make_parity, make_conjunction, make_all_equal])
def test_the_relevant_features_among_many(make):
    X, y = make(300, n_relevant=3, n_irrelevant=40, random_state=5)
    selector = FocusSelector().fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]
    assert selector.status_ == "complete"
    assert selector.size_bound_ == 3
    assert selector.n_inseparable_ == 0
    assert selector.transform(X).shape == (300, 3)


def test_of_the_smallest_sets_the_first_is_taken():
    X = pd.DataFrame({name: list(values) for name, values in {"a": "xxyy", "b": "pqqp", "c": "uvuv"}.items()})
    assert FocusSelector().fit(X, [0, 1, 0, 1]).get_feature_names_out().tolist() == ["c"]
    X["d"] = X["c"]
    assert FocusSelector().fit(X, [0, 1, 0, 1]).get_feature_names_out().tolist() == ["c"]
    # a and b, a and c, b and c: all tell four classes apart.
    assert FocusSelector().fit(X, [0, 1, 2, 3]).get_feature_names_out().tolist() == ["a", "b"]
    assert FocusSelector(keep=["c"]).fit(X, [0, 1, 2, 3]).get_feature_names_out().tolist() == ["a", "c"]


def test_samples_that_nothing_tells_apart_are_named_and_left():
    X = pd.DataFrame({"a": list("xxyy"), "b": list("uuuv")})
    with pytest.warns(UserWarning, match="2 of 4 samples have the same values as a sample of another class"):
        selector = FocusSelector().fit(X, [0, 1, 1, 1])
    assert selector.n_inseparable_ == 2
    assert selector.get_feature_names_out().tolist() == ["a"]
    assert "2 samples are alike on all features" in selector.summary()


def test_missing_values_are_a_value_of_their_own():
    X = pd.DataFrame({"a": ["x", None, "x", None], "b": ["u", "u", "v", "v"]})
    assert FocusSelector().fit(X, [0, 1, 0, 1]).get_feature_names_out().tolist() == ["a"]
    assert FocusSelector().fit(X, [0, 0, 1, 1]).get_feature_names_out().tolist() == ["b"]


def test_numbers_as_intervals_or_as_they_are():
    X, y = load_wine(return_X_y=True)
    cut = FocusSelector().fit(X, y)
    intervals = MDLDiscretizer().fit(X, y).transform(X)
    same = FocusSelector(numeric="as_is").fit(intervals, y)
    np.testing.assert_array_equal(cut.support_, same.support_)
    # A column of measurements that are all different tells all samples apart.
    X = np.column_stack([np.arange(20.0), np.tile([0.0, 1.0], 10)])
    assert FocusSelector(numeric="as_is").fit(X, np.arange(20) % 2).get_support(indices=True).tolist() == [0]
    assert FocusSelector(numeric="mdl").fit(X, np.arange(20) % 2).get_support(indices=True).tolist() == [1]


def test_weights_of_zero_leave_samples_out():
    X = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv")})
    selector = FocusSelector().fit(X, [0, 1, 1, 1], sample_weight=[1, 0, 1, 1])
    assert selector.get_feature_names_out().tolist() == ["a"]


def test_it_predicts_by_a_tree_on_the_selected_features():
    X, y = make_conjunction(200, n_relevant=2, n_irrelevant=5, random_state=0)
    selector = FocusSelector(C45Classifier(max_depth=1)).fit(X, y)
    assert selector.tree_.depth == 1
    assert set(FocusSelector().fit(X, y).used_features_) == {0, 1}
    assert FocusSelector().fit(X, y).score(X, y) == 1
    assert pickle.loads(pickle.dumps(selector)).predict(X).tolist() == selector.predict(X).tolist()


def hard_problem():
    """Noise: a smallest set takes long to prove."""
    generator = np.random.default_rng(0)
    return generator.integers(0, 2, (300, 80)).astype(bool), generator.integers(0, 2, 300)


def test_a_time_limit_leaves_a_consistent_set_and_a_bound():
    X, y = hard_problem()
    nothing = FocusSelector(time_limit=0).fit(X, y)
    assert nothing.status_ == "time_limit"
    assert nothing.support_.all()
    selector = FocusSelector(time_limit=0.3).fit(X, y)
    assert selector.status_ == "time_limit"
    assert 0 < selector.size_bound_ <= selector.support_.sum() < 80
    chosen = pd.DataFrame(X[:, selector.support_]).assign(y=y)
    assert (chosen.groupby(list(chosen.columns[:-1]))["y"].nunique() == 1).all()
    assert "at least" in selector.summary()


def test_a_callback_hears_and_can_end_it():
    heard: list[SearchProgress] = []
    with listening(heard.append):
        selector = FocusSelector(callback=lambda progress: len(heard) >= 3).fit(*hard_problem())
    assert selector.status_ == "interrupted"
    assert "at least" in heard[-1].message
    assert all(0 <= progress.share <= 1 for progress in heard)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"tree": "C4.5"}, "`tree` must be a C45Classifier"),
        ({"numeric": None}, "`numeric` must be 'mdl' or 'as_is'"),
        ({"keep": [9]}, "holds the index 9"),
        ({"time_limit": "soon"}, "time_limit"),
        ({"callback": 1}, "`callback` must be a function"),
    ],
)
def test_mistakes_are_told(parameters, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=words):
            FocusSelector(**parameters).fit(*load_iris(return_X_y=True))
    with pytest.raises(NotFittedError):
        FocusSelector(**parameters).predict([[1]])

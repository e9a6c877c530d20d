"""Categories, classes and depths by the ten thousand."""

from __future__ import annotations

import pytest

from hostile.inputs import (
    run_apart,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_hundred_thousand_categories() -> None:
    run_apart("""
        import pandas as pd
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"a": rng.permutation(100_000).astype(str), "b": rng.normal(size=100_000)})
        y = (frame["b"] > 0).astype(int)
        for model in (C45Classifier(max_depth=3), C45Classifier(growth="literal", criterion="gain_ratio", max_depth=3),
                      C45ForestClassifier(n_estimators=2, max_features=2, random_state=0, max_depth=3)):
            assert model.fit(frame, y).predict_proba(frame).shape == (100_000, 2)
    """)


def test_more_classes_than_the_core_can_number() -> None:
    run_apart("""
        X, y = np.zeros((140_000, 1)), np.arange(140_000) % 70_000
        for model in (C45Classifier(), C45ForestClassifier(n_estimators=1)):
            try:
                model.fit(X, y)
            except ValueError as error:
                assert "65535" in str(error) and "70000" in str(error), error
            else:
                raise AssertionError
    """)


def test_thousands_of_classes() -> None:
    run_apart("""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(6000, 2)), np.arange(6000) % 3000
        model = C45Classifier(max_depth=6).fit(X, y)
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
        constant = C45Classifier().fit(np.zeros((60_000, 1)), np.arange(60_000))
        assert constant.n_nodes_ == 1 and constant.predict(np.zeros((2, 1))).tolist() == [0, 0]
    """)


def test_a_tree_as_deep_as_its_table_is_long() -> None:
    run_apart("""
        X, y = np.arange(5001.0).reshape(-1, 1), np.arange(5001) % 2
        model = C45Classifier(growth="literal", min_samples=1).fit(X, y)
        assert model.depth_ > 4900 and model.score(X, y) == 1
        import pickle
        assert pickle.loads(pickle.dumps(model)).score(X, y) == 1
        assert C45Classifier.from_json(model.to_json()).score(X, y) == 1
        assert len(model.to_rules()) == model.n_leaves_
        assert model.to_text(max_depth=3) and model.to_dot(max_depth=3)
        assert C45Classifier(growth="literal", min_samples=1, pruning="error_based").fit(X, y).n_nodes_ == 1
    """)

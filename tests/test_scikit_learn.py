"""scikit-learn's own estimator checks, and the places where estimators meet the rest of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    C45Classifier,
    C45ForestClassifier,
    CFSSelector,
    EvolvedTreeClassifier,
    FCBFSelector,
    FocusSelector,
    GeneticTreeClassifier,
    MDLDiscretizer,
    ObliviousTreeClassifier,
    RegularizedBoostingSelector,
    RegularizedForestSelector,
)

ESTIMATORS = [
    C45Classifier(),
    C45Classifier(criterion="gain_ratio", pruning="error_based"),
    C45Classifier(criterion="gini", growth="literal", threshold="midpoint"),
    C45ForestClassifier(n_estimators=10, random_state=0),
    BestSubsetSelector(error="training"),
    BestSubsetSelector(random_state=0),
    BackwardEliminationSelector(error="training"),
    BackwardEliminationSelector(random_state=0, strategy="floating_forward"),
    CFSSelector(),
    FCBFSelector(),
    RegularizedForestSelector(n_estimators=10, random_state=0),
    RegularizedForestSelector(n_estimators=5, bootstrap=False, criterion="cran", random_state=0),
    RegularizedBoostingSelector(n_estimators=10, random_state=0),
    RegularizedBoostingSelector(n_estimators=5, resample=False, random_state=0),
    EvolvedTreeClassifier(20, n_elite=10, max_generations=5, random_state=0),
    EvolvedTreeClassifier(20, n_elite=10, max_generations=5, validation_size=None, random_state=0),
    GeneticTreeClassifier(40, n_elite=4, max_generations=10, random_state=0),
    ObliviousTreeClassifier(),
    ObliviousTreeClassifier(cv=3, numeric="as_is", random_state=0),
    FocusSelector(),
    FocusSelector(numeric="as_is"),
]
TRANSFORMERS = [MDLDiscretizer()]

OTHER_SPLIT = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a split of weighted rows is not the split of repeated rows",
)

OTHER_SAMPLE = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a bootstrap sample of weighted rows is not the bootstrap sample of repeated rows",
)

LEFT_OUT_AS_ONE = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a weighted row is left out as one, repeated rows predict each other",
)

EXPECTED_FAILURES = {
    "BestSubsetSelector": OTHER_SPLIT,
    "BackwardEliminationSelector": OTHER_SPLIT,
    "C45ForestClassifier": OTHER_SAMPLE,
    "RegularizedForestSelector": OTHER_SAMPLE,
    "RegularizedBoostingSelector": OTHER_SAMPLE,
    "EvolvedTreeClassifier": OTHER_SPLIT,
    "GeneticTreeClassifier": OTHER_SPLIT,
    "ObliviousTreeClassifier": LEFT_OUT_AS_ONE,
}


def expected_failures(estimator):
    # Nothing is split for the training error, or where nothing validates, and no rows are drawn.
    if getattr(estimator, "error", None) == "training" or getattr(estimator, "validation_size", 0) is None:
        return {}
    if getattr(estimator, "bootstrap", None) is False or getattr(estimator, "resample", None) is False:
        return {}
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


# The checks draw tables of noise, of which FocusSelector says in dozens of warnings that no features explain them.
@pytest.mark.filterwarnings("ignore:.*no features tell them apart.*:UserWarning")
@parametrize_with_checks(ESTIMATORS + TRANSFORMERS, expected_failed_checks=expected_failures)
def test_estimator_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_pickle_and_clone_keep_the_estimator(estimator):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(fitted.predict_proba(X), again.predict_proba(X))
    assert clone(again).get_params() == estimator.get_params()


@pytest.mark.filterwarnings("ignore:.*no features tell them apart.*:UserWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0], ["no", "yes"]], ids=str)
def test_labels_that_are_held_as_objects_have_a_score(estimator, labels):
    X = np.column_stack([np.repeat([0.0, 1.0], 20), np.arange(40) % 7])
    y = np.array(labels, dtype=object)[np.repeat([0, 1], 20)]
    model = clone(estimator).fit(X, y)
    weight = np.arange(1.0, 41.0)
    hits = model.predict(X) == y
    for held in (y, pd.Series(y), pd.DataFrame({"y": y})):
        assert model.score(X, held) == pytest.approx(hits.mean())
        assert model.score(X, held, sample_weight=weight) == pytest.approx(np.average(hits, weights=weight))


def test_missing_labels_have_no_score():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1], 10)
    model = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="1 of 20 labels are missing"):
        model.score(X, np.array([None, *y[1:]], dtype=object))


def test_grid_search_over_growth_parameters():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        C45Classifier(),
        {"criterion": ["information_gain", "gain_ratio", "gini"], "min_samples": [2, 5]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.9


def test_pipeline_passes_names_and_categories_through_set_output():
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.0, 3.0, 4.0, np.nan, 6.0] * 5,
            "color": pd.Categorical(["red", "red", "blue", "blue", None, "green"] * 5),
        }
    )
    y = ["a", "a", "b", "b", "a", "b"] * 5
    keep = ColumnTransformer([("all", "passthrough", ["size", "color"])], verbose_feature_names_out=False)
    pipeline = Pipeline([("keep", keep.set_output(transform="pandas")), ("tree", C45Classifier())])
    pipeline.fit(frame, y)
    assert pipeline["tree"].feature_names_in_.tolist() == ["size", "color"]
    assert pipeline["tree"].tree_.features[1].categories == ("blue", "green", "red")
    assert pipeline.score(frame, y) > 0.8


def test_sample_weight_is_routed_through_a_pipeline():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = C45Classifier().set_fit_request(sample_weight=True)
        pipeline = Pipeline([("keep", "passthrough"), ("tree", tree)]).fit(X, y, sample_weight=weight)
        assert pipeline["tree"].tree_.weight[0] == weight.sum()
        scores = cross_val_score(
            tree.set_score_request(sample_weight=False), X, y, params={"sample_weight": weight}, cv=3
        )
    assert scores.mean() > 0.9


def test_importances_drive_select_from_model():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = SelectFromModel(C45ForestClassifier(20, random_state=0)).set_output(transform="pandas").fit(X, y)
    chosen = selector.transform(X)
    assert 0 < chosen.shape[1] < X.shape[1]
    assert set(chosen.columns) <= set(X.columns)

"""`BestSubsetSelector`: its answers against brute force, its parameters, its results.

`test_endings.py` has the fits that end early, `test_history.py` and `test_summary.py` what a fit tells.
"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline

from palmette import BestSubsetSelector, C45Classifier, Tree
from search.brute_force import judge_all, subset_error

# Answers


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"search_size": 0.5},
        {"error": "training"},
        {"error": "cross_validation", "n_folds": 3},
        {"tree": C45Classifier(criterion="gini", growth="literal")},
        {"tree": C45Classifier(criterion="gain_ratio", min_samples=5, max_depth=3)},
        {"keep": [0, 5]},
        {"max_features": 2},
    ],
    ids=str,
)
@pytest.mark.threads
def test_the_answer_is_the_best_of_all_subsets(wine, parameters, n_jobs):
    X, y = wine
    selector = BestSubsetSelector(random_state=3, n_jobs=n_jobs, **parameters).fit(X, y)
    judged = judge_all(X, y, selector.folds_, tree=parameters.get("tree"), keep=parameters.get("keep", ()))
    best = next(one for one in judged if one.size <= parameters.get("max_features", X.shape[1]))
    weight = sum(len(search) for _, search in selector.folds_)
    assert selector.status_ == "optimal"
    assert selector.get_support(indices=True).tolist() == list(best.features)
    assert selector.error_ == selector.error_bound_ == selector.objective_ == pytest.approx(best.error / weight)


def test_sample_weights_count_in_the_error(wine):
    X, y = wine
    weight = np.where(y == 1, 2.5, 1.0)
    weight[::9] = 0
    selector = BestSubsetSelector(random_state=1).fit(X, y, sample_weight=weight)
    building, search = selector.folds_[0]
    assert weight[building].all()
    assert weight[search].all()
    best = judge_all(X, y, selector.folds_, weight=weight)[0]
    assert selector.get_support(indices=True).tolist() == list(best.features)
    assert selector.error_ == pytest.approx(best.error / weight[search].sum())


def test_a_penalty_is_weighed_against_errors(wine):
    X, y = wine
    plain = BestSubsetSelector(random_state=2).fit(X, y)
    penalty = 0.03
    selector = BestSubsetSelector(random_state=2, feature_penalty=penalty).fit(X, y)
    n_search = len(selector.folds_[0][1])
    best = min((one.error / n_search + penalty * one.size, *one[1:]) for one in judge_all(X, y, selector.folds_))
    assert selector.objective_ == pytest.approx(best[0])
    assert selector.objective_ == pytest.approx(selector.error_ + penalty * selector.support_.sum())
    assert selector.error_bound_ == pytest.approx(selector.objective_)
    assert selector.get_support(indices=True).tolist() == list(best[2])
    assert selector.support_.sum() <= plain.support_.sum()
    assert [step.error for step in selector.history_][-1] == pytest.approx(selector.error_)


def test_a_gap_is_kept(wine):
    X, y = wine
    best = BestSubsetSelector(random_state=2).fit(X, y)
    selector = BestSubsetSelector(random_state=2, error_gap=0.1).fit(X, y)
    assert selector.status_ in ("optimal", "within_gap")
    assert selector.error_ <= best.error_ + 0.1
    assert selector.error_bound_ <= best.error_
    assert selector.error_ - selector.error_bound_ <= 0.1 + 1e-12


def test_the_first_of_the_best_has_the_same_error(wine):
    X, y = wine
    smallest = BestSubsetSelector(random_state=2).fit(X, y)
    first = BestSubsetSelector(random_state=2, tie_break="first").fit(X, y)
    assert first.status_ == "optimal"
    assert first.error_ == smallest.error_
    assert first.support_.sum() >= smallest.support_.sum()


def test_the_search_error_is_that_of_the_search_tree(wine):
    X, y = wine
    for error in ("holdout", "training", "cross_validation"):
        selector = BestSubsetSelector(error=error, n_folds=4, random_state=0).fit(X, y)
        trees = selector.search_tree_ if isinstance(selector.search_tree_, list) else [selector.search_tree_]
        assert len(trees) == len(selector.folds_)
        features = selector.get_support(indices=True)
        weight = sum(len(search) for _, search in selector.folds_)
        assert subset_error(X, y, features, selector.folds_)[0] / weight == pytest.approx(selector.error_)
        for tree, (building, _) in zip(trees, selector.folds_, strict=True):
            assert tree.weight[0] == len(building)
            assert set(tree.used) <= set(features.tolist())


def test_the_holdout_is_the_one_of_train_test_split(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=5).fit(X, y)
    building, search = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=5)
    np.testing.assert_array_equal(selector.folds_[0][0], np.sort(building))
    np.testing.assert_array_equal(selector.folds_[0][1], np.sort(search))


def test_given_pairs_give_the_same_answer(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=5).fit(X, y)
    again = BestSubsetSelector(error=selector.folds_).fit(X, y)
    np.testing.assert_array_equal(again.support_, selector.support_)
    mask = np.zeros(len(y), dtype=bool)
    mask[selector.folds_[0][0]] = True
    by_mask = BestSubsetSelector(error=[(mask, ~mask)]).fit(X, y)
    np.testing.assert_array_equal(by_mask.support_, selector.support_)
    assert by_mask.error_ == selector.error_


def test_the_final_tree_is_grown_on_all_samples_and_pruned_if_asked(wine):
    X, y = wine
    plain = BestSubsetSelector(random_state=0).fit(X, y)
    features = plain.get_support(indices=True)
    alone = C45Classifier().fit(X[:, features], y)
    assert plain.estimator_.n_leaves_ == alone.n_leaves_
    np.testing.assert_array_equal(plain.predict_proba(X), alone.predict_proba(X[:, features]))
    pruned = BestSubsetSelector(C45Classifier(pruning="error_based", confidence=0.01), random_state=0).fit(X, y)
    np.testing.assert_array_equal(pruned.support_, plain.support_)
    assert pruned.error_ == plain.error_
    assert pruned.search_tree_ == plain.search_tree_
    assert pruned.tree_.n_leaves < plain.tree_.n_leaves


def test_missing_values_and_categories():
    generator = np.random.default_rng(0)
    color = generator.choice(["red", "green", "blue"], 200)
    frame = pd.DataFrame({"noise": generator.normal(size=200), "color": color, "size": generator.normal(size=200)})
    y = np.where((color == "red") ^ (frame["size"] > 0.3), "yes", "no")
    frame.loc[::7, "color"] = None
    frame.loc[::11, "size"] = np.nan
    selector = BestSubsetSelector(random_state=0).fit(frame, y)
    assert selector.status_ == "optimal"
    assert selector.get_feature_names_out().tolist() == ["color", "size"]
    assert selector.score(frame, y) > 0.85
    (building, search) = selector.folds_[0]
    model = C45Classifier().fit(frame.iloc[building][["color", "size"]], y[building])
    wrong = model.predict(frame.iloc[search][["color", "size"]]) != y[search]
    assert wrong.mean() == pytest.approx(selector.error_)


# What is selected


def test_names_masks_and_frames(wine_frame):
    pl = pytest.importorskip("polars")
    X, y = wine_frame
    selector = BestSubsetSelector(random_state=0).fit(X, y)
    names = X.columns[selector.support_].tolist()
    assert selector.get_feature_names_out().tolist() == names
    assert selector.feature_names_in_.tolist() == X.columns.tolist()
    assert set(selector.used_features_) <= set(names)
    assert selector.history_[-1].features == tuple(names)
    pd.testing.assert_frame_equal(selector.transform(X), X[names])
    np.testing.assert_array_equal(selector.transform(X.to_numpy()), X[names].to_numpy())
    polars = selector.transform(pl.from_pandas(X))
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns == names
    assert isinstance(clone(selector).set_output(transform="polars").fit(X, y).transform(X), pl.DataFrame)
    assert isinstance(
        clone(selector).set_output(transform="pandas").fit(X, y).transform(pl.from_pandas(X)), pd.DataFrame
    )


def test_types_of_columns_survive():
    frame = pd.DataFrame(
        {"color": pd.Categorical(["red", "blue", None, "red"] * 10), "noise": [1, 2, 3, 4] * 10, "day": [1.5] * 40}
    )
    y = ["a", "b", "b", "a"] * 10
    chosen = BestSubsetSelector(keep=["color"], random_state=0).fit_transform(frame, y)
    assert chosen["color"].dtype == frame["color"].dtype


def test_no_feature_at_all_is_an_answer():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 3)), np.r_[np.zeros(50), np.ones(10)].astype(int)
    selector = BestSubsetSelector(feature_penalty=0.5, random_state=0).fit(X, y)
    assert selector.support_.tolist() == [False] * 3
    assert selector.tree_.n_nodes == 1
    assert set(selector.predict(X).tolist()) == {0}
    assert "empty" in selector.summary()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (60, 0)
    frame = pd.DataFrame(X, columns=list("abc"))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert clone(selector).fit(frame, y).transform(frame).shape == (60, 0)
    assert clone(selector).set_params(max_features=0).fit(X, y).status_ == "optimal"


def test_all_features_are_an_answer(wine_frame):
    X, y = wine_frame
    selector = BestSubsetSelector(keep=list(X.columns), random_state=0).fit(X, y)
    assert selector.support_.all()
    assert selector.status_ == "optimal"
    full = C45Classifier().fit(X, y)
    assert selector.tree_ == full.tree_


@pytest.mark.parametrize(
    "groups",
    [
        {"first": ["alcohol", "ash"], "second": ["magnesium", "flavanoids"]},
        [["alcohol", "ash"], ["magnesium", "flavanoids"]],
        [[0, 2], [4, 6]],
        ["a", None, "a", None, "b", None, "b"],
        np.array([0, 1, 0, 3, 4, 5, 4]),
        pd.Series([0, 1, 0, 3, 4, 5, 4]),
    ],
    ids=["mapping", "names", "indices", "labels", "array", "series"],
)
def test_a_group_stays_or_goes_together(wine_frame, groups):
    X, y = wine_frame
    selector = BestSubsetSelector(groups=groups, random_state=0).fit(X, y)
    assert selector.support_[0] == selector.support_[2]
    assert selector.support_[4] == selector.support_[6]
    plain = BestSubsetSelector(random_state=0).fit(X, y)
    assert selector.error_ >= plain.error_
    kept = BestSubsetSelector(groups=groups, keep=[2], random_state=0).fit(X, y)
    assert kept.support_[0]
    assert kept.support_[2]


def test_a_group_of_one_hot_columns_counts_all_its_features(wine):
    X, y = wine
    with pytest.raises(ValueError, match="`keep` asks for 3 features"):
        BestSubsetSelector(groups=[[0, 1, 2]], keep=[1], max_features=2).fit(X, y)
    selector = BestSubsetSelector(groups=[[0, 1, 2], [3, 4, 5]], max_features=2, random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() in ([], [6])


# An error of one's own


def test_a_function_judges_every_distinct_tree(wine):
    X, y = wine
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    seen = []

    def error(classifier):
        seen.append(classifier.tree_.used)
        return 1 - classifier.score(X_new, y_new) + 0.001 * classifier.n_leaves_

    selector = BestSubsetSelector(error=error).fit(X, y)
    assert selector.status_ == "optimal"
    assert selector.error_ == selector.error_bound_ == error(selector.estimator_)
    assert isinstance(selector.search_tree_, Tree)
    from palmette import enumerate_distinct_trees

    trees = list(enumerate_distinct_trees(X, y))
    assert selector.n_trees_ == len(trees)
    assert min(error(tree.estimator) for tree in trees) == selector.error_


# Manners


@pytest.mark.threads
def test_the_answer_does_not_depend_on_threads_or_memory():
    X, y = load_breast_cancer(return_X_y=True)
    parameters = [{}, {"n_jobs": 2}, {"n_jobs": 3}, {"memory_limit": "20MB"}]
    selectors = [BestSubsetSelector(random_state=1, **each).fit(X, y) for each in parameters]
    for selector in selectors:
        assert selector.status_ == "optimal"
        np.testing.assert_array_equal(selector.support_, selectors[0].support_)
        assert selector.error_ == selectors[0].error_


def test_the_paper_finds_the_same_error(wine):
    X, y = wine
    ours = BestSubsetSelector(random_state=0).fit(X, y)
    theirs = BestSubsetSelector(random_state=0, algorithm="paper").fit(X, y)
    assert theirs.status_ == "optimal"
    assert theirs.error_ == ours.error_ == theirs.error_bound_
    assert theirs.support_.sum() >= ours.support_.sum()


# Mistakes


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tree": "c45"}, "`tree` must be a C45Classifier"),
        ({"tree": C45Classifier(criterion="entropy")}, "`criterion`"),
        ({"error": "hold-out"}, "Did you mean 'holdout'"),
        ({"error": 3}, "`error` must be"),
        ({"error": []}, "empty list"),
        ({"error": ([0, 1], [2, 3])}, "holds no pair|row numbers|must be"),
        ({"error": [([0, 1], [178])]}, "names row 178"),
        ({"error": [([0, 0], [3])]}, "names row 0 twice"),
        ({"error": [([0, 1], [])]}, "`error`"),
        ({"error": [([0.5, 1], [2])]}, "row numbers"),
        ({"search_size": 0}, "`search_size`"),
        ({"search_size": 1.0}, "`search_size`"),
        ({"n_folds": 1}, "`n_folds`"),
        ({"error": "cross_validation", "n_folds": 100}, "largest class has only 71"),
        ({"error_gap": -0.1}, "`error_gap`"),
        ({"feature_penalty": "much"}, "`feature_penalty`"),
        ({"algorithm": "papers"}, "Did you mean 'paper'"),
        ({"algorithm": "paper", "error": len}, "needs bounds"),
        ({"tie_break": "last"}, "`tie_break`"),
        ({"keep": ["alcohool"]}, "Did you mean 'alcohol'"),
        ({"keep": "alcohol"}, r"Pass \['alcohol'\]"),
        ({"keep": [7]}, "columns 0 to 6"),
        ({"keep": [True]}, "a mask of 1 values"),
        ({"keep": [1.5]}, "neither a name nor an index"),
        ({"groups": [["alcohol", "ahs"]]}, "Did you mean 'ash'"),
        ({"groups": [[0, 1], [1, 2]]}, "into two groups"),
        ({"groups": {"a": "alcohol"}}, "Pass a list of columns"),
        ({"groups": ["a", "b"]}, "holds 2 labels"),
        ({"groups": 3}, "`groups` must be"),
        ({"max_features": -1}, "`max_features`"),
        ({"max_features": 10**30}, "`max_features` must be an integer at least 0 and at most 1000000000, or None"),
        ({"max_features": 1, "keep": [0, 1]}, "allow at least 2"),
        ({"time_limit": -1}, "`time_limit`"),
        ({"memory_limit": "much"}, "`memory_limit`"),
        ({"memory_limit": 0}, "`memory_limit`"),
        ({"checkpoint": 3}, "`checkpoint` must be a path"),
        ({"checkpoint": "/nowhere/file", "random_state": 0}, "there is no folder"),
        ({"checkpoint": "file"}, "needs a `random_state`"),
        ({"checkpoint": "file", "error": len}, "`checkpoint` needs an error"),
        ({"checkpoint_seconds": -1}, "`checkpoint_seconds`"),
        ({"callback": 3}, "`callback`"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"random_state": "seed"}, "seed"),
    ],
    ids=str,
)
def test_mistakes_are_told(wine_frame, parameters, message):
    with pytest.raises(ValueError, match=message):
        BestSubsetSelector(**parameters).fit(*wine_frame)


def test_splits_that_were_used_up_are_no_empty_list(wine_frame):
    with pytest.raises(ValueError, match=r"iterator that has nothing left. Pass a list"):
        BestSubsetSelector(error=iter([])).fit(*wine_frame)


def test_too_many_features():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(20, 2049)), np.arange(20) % 2
    with pytest.raises(ValueError, match=r"2049 features.*BackwardEliminationSelector"):
        BestSubsetSelector().fit(X, y)
    grouped = BestSubsetSelector(groups=[[0, 1]], time_limit=0.2, random_state=0).fit(X, y)
    assert grouped.status_ in ("optimal", "time_limit")


# scikit-learn


def test_pickle_clone_and_pipeline(wine_frame):
    X, y = wine_frame
    selector = BestSubsetSelector(C45Classifier(min_samples=3), random_state=0, keep=["ash"])
    pipeline = Pipeline([("select", selector), ("tree", C45Classifier())]).fit(X, y)
    fitted = pipeline["select"]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.summary() == fitted.summary()
    assert again.search_tree_ == fitted.search_tree_
    assert pipeline["tree"].feature_names_in_.tolist() == fitted.get_feature_names_out().tolist()
    assert pipeline.score(X, y) > 0.9


def test_grid_search_reaches_the_tree(wine):
    search = GridSearchCV(
        BestSubsetSelector(C45Classifier(), random_state=0), {"tree__min_samples": [2, 8], "max_features": [1, 3]}, cv=3
    ).fit(*wine)
    assert set(search.best_params_) == {"tree__min_samples", "max_features"}
    assert search.best_score_ > 0.7


def test_sample_weight_is_routed(wine):
    X, y = wine
    weight = np.where(y == 0, 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = BestSubsetSelector(random_state=0).set_fit_request(sample_weight=True)
        pipeline = Pipeline([("keep", "passthrough"), ("select", selector)]).fit(X, y, sample_weight=weight)
        assert pipeline["select"].tree_.weight[0] == weight.sum()
        scores = cross_val_score(
            selector.set_score_request(sample_weight=False), X, y, params={"sample_weight": weight}, cv=3
        )
    assert scores.mean() > 0.8


def test_a_class_of_one_sample_is_for_building():
    X = np.c_[np.arange(21.0), np.arange(21.0) % 3]
    y = np.r_[np.arange(20) % 2, 2]
    selector = BestSubsetSelector(random_state=0).fit(X, y)
    assert 20 in selector.folds_[0][0]
    assert sorted(np.concatenate(selector.folds_[0]).tolist()) == list(range(21))


def test_classes_of_one_sample_have_no_cross_validation():
    selector = BestSubsetSelector(error="cross_validation", n_folds=2)
    with pytest.raises(ValueError, match=r"Every class has a single sample.*Pass more samples") as caught:
        selector.fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "c"])
    assert "folds" not in str(caught.value)


@pytest.mark.parametrize("weight", [1e-6, 1e-9, 1.5 / 2**32])
@pytest.mark.filterwarnings("ignore")
def test_equal_weights_give_the_rates_of_no_weights_however_light(weight):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 4)), random.integers(0, 2, 40)
    selector = BestSubsetSelector(error="training", tree=C45Classifier(max_depth=0))
    light = clone(selector).fit(X, y, sample_weight=np.full(40, weight))
    assert light.error_ == selector.fit(X, y).error_ == min(y.mean(), 1 - y.mean())

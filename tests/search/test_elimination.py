"""`BackwardEliminationSelector`: its paths against brute force, its parameters, its results.

`test_endings.py` has the fits that end early.
"""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline

from palmette import (
    BackwardEliminationSelector,
    BestSubsetSelector,
    C45Classifier,
    C45ForestClassifier,
    SearchEffortWarning,
    Tree,
)
from palmette.search import EliminationStep
from palmette.support.parameters import InvalidParameterError
from search.brute_force import Walker, subset_error

STRATEGIES = ("backward", "forward", "floating_backward", "floating_forward", "beam")
WINE_COLUMNS = 8


# Paths


def check_against_brute_force(X, y, strategy, weight=None, groups=None, **parameters):
    selector = BackwardEliminationSelector(strategy=strategy, random_state=3, groups=groups, **parameters)
    selector.fit(X, y, sample_weight=weight)
    tree = parameters.pop("tree", None)

    @functools.cache
    def judge(features):
        return subset_error(X, y, features, selector.folds_, tree=tree, weight=weight)[0]

    grouped = {feature for group in groups or [] for feature in group}
    units = [*map(tuple, groups or []), *((feature,) for feature in range(X.shape[1]) if feature not in grouped)]
    limits = ("accept_ties", "keep", "max_features", "min_features", "beam_width")
    walker = Walker(
        judge, sorted(units), **{name: parameters[name] for name in limits if parameters.get(name) is not None}
    )
    path = walker.walk(strategy)
    total = sum(len(search) if weight is None else weight[search].sum() for _, search in selector.folds_)
    assert selector.status_ == "complete"
    assert [step.features for step in selector.history_] == [walker.features(subset) for _, subset in path]
    np.testing.assert_allclose([step.error for step in selector.history_], [error / total for error, _ in path])
    features, error = walker.answer(path)
    assert tuple(selector.get_support(indices=True).tolist()) == features
    assert selector.error_ == pytest.approx(error / total)
    return selector


@pytest.mark.threads
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("algorithm", ["white_box", "black_box", "paper"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"accept_ties": False},
        {"error": "training"},
        {"error": "cross_validation", "n_folds": 3},
        {"tree": C45Classifier(criterion="gini", growth="literal")},
        {"tree": C45Classifier(criterion="gain_ratio", min_samples=5, max_depth=3)},
        {"keep": [0, 5]},
        {"groups": [[0, 3], [1, 6, 7]], "keep": [3]},
        {"max_features": 2},
        {"max_features": 3, "groups": [[0, 3], [1, 6]]},
        {"min_features": 5},
    ],
    ids=str,
)
def test_backward_elimination_by_brute_force(wine, parameters, algorithm, n_jobs):
    check_against_brute_force(*wine, "backward", algorithm=algorithm, n_jobs=n_jobs, **parameters)


@pytest.mark.threads
@pytest.mark.parametrize("algorithm", ["white_box", "black_box"])
@pytest.mark.parametrize("strategy", STRATEGIES[1:])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"accept_ties": False},
        {"error": "cross_validation", "n_folds": 3},
        {"keep": [0, 5], "groups": [[2, 3]]},
        {"max_features": 2},
        {"min_features": 4},
    ],
    ids=str,
)
def test_other_strategies_by_brute_force(wine, strategy, parameters, algorithm):
    check_against_brute_force(*wine, strategy, algorithm=algorithm, n_jobs=2, beam_width=3, **parameters)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_missing_values_and_weights_by_brute_force(strategy):
    X, y = load_breast_cancer(return_X_y=True)
    generator = np.random.default_rng(1)
    X = X[:200, :7].copy()
    X[generator.random(X.shape) < 0.15] = np.nan
    weight = generator.choice([0.5, 1.0, 2.5], len(X))
    check_against_brute_force(X, y[:200], strategy, weight=weight, beam_width=2)


def test_a_beam_of_one_is_backward_elimination(wine):
    one = BackwardEliminationSelector(strategy="beam", beam_width=1, random_state=0).fit(*wine)
    plain = BackwardEliminationSelector(random_state=0).fit(*wine)
    assert [step.features for step in one.history_] == [step.features for step in plain.history_]
    np.testing.assert_array_equal(one.support_, plain.support_)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_beats_the_proof(wine, strategy):
    best = BestSubsetSelector(random_state=1).fit(*wine)
    selector = BackwardEliminationSelector(strategy=strategy, random_state=1).fit(*wine)
    assert selector.error_ >= best.error_


def test_the_split_is_that_of_the_best_subset(wine):
    X, y = wine
    selector = BackwardEliminationSelector(random_state=5).fit(X, y)
    best = BestSubsetSelector(random_state=5).fit(X, y)
    for ours, theirs in zip(selector.folds_[0], best.folds_[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    again = BackwardEliminationSelector(error=selector.folds_).fit(X, y)
    np.testing.assert_array_equal(again.support_, selector.support_)


@pytest.mark.threads
def test_the_answer_does_not_depend_on_threads_memory_or_algorithm():
    X, y = load_digits(return_X_y=True)
    ways = [{}, {"n_jobs": 2}, {"n_jobs": 3}, {"memory_limit": "2MB"}, {"algorithm": "paper"}]
    selectors = [BackwardEliminationSelector(random_state=1, **way).fit(X[:600], y[:600]) for way in ways]
    for selector in selectors:
        np.testing.assert_array_equal(selector.support_, selectors[0].support_)
        assert [step.removed for step in selector.history_] == [step.removed for step in selectors[0].history_]
        assert [step.error for step in selector.history_] == [step.error for step in selectors[0].history_]


def test_the_search_error_is_that_of_the_search_tree(wine):
    X, y = wine
    for error in ("holdout", "training", "cross_validation"):
        selector = BackwardEliminationSelector(error=error, n_folds=4, random_state=0).fit(X, y)
        trees = selector.search_tree_ if isinstance(selector.search_tree_, list) else [selector.search_tree_]
        features = selector.get_support(indices=True)
        wrong = total = 0
        for tree, (building, search) in zip(trees, selector.folds_, strict=True):
            assert tree.weight[0] == len(building)
            assert set(tree.used) <= set(features.tolist())
            model = C45Classifier().fit(X[building][:, features], y[building])
            assert model.n_leaves_ == tree.n_leaves
            wrong += (model.predict(X[search][:, features]) != y[search]).sum()
            total += len(search)
        assert wrong / total == pytest.approx(selector.error_)


def test_the_final_tree_is_pruned_if_asked(wine):
    X, y = wine
    plain = BackwardEliminationSelector(random_state=0).fit(X, y)
    pruned = BackwardEliminationSelector(C45Classifier(pruning="error_based", confidence=0.01), random_state=0)
    pruned.fit(X, y)
    np.testing.assert_array_equal(pruned.support_, plain.support_)
    assert pruned.search_tree_ == plain.search_tree_
    assert pruned.tree_.n_leaves < plain.tree_.n_leaves


def test_raw_frames_with_categories_and_holes():
    generator = np.random.default_rng(0)
    color = generator.choice(["red", "green", "blue"], 300)
    frame = pd.DataFrame({f"noise{number}": generator.normal(size=300) for number in range(5)})
    frame.insert(2, "color", color)
    frame["size"] = generator.normal(size=300)
    y = np.where((color == "red") ^ (frame["size"] > 0.3), "yes", "no")
    frame.loc[::7, "color"] = None
    frame.loc[::11, "size"] = np.nan
    selector = BackwardEliminationSelector(random_state=0).fit(frame, y)
    assert {"color", "size"} <= set(selector.get_feature_names_out())
    chosen = frame.columns[selector.support_]
    (building, search) = selector.folds_[0]
    model = C45Classifier().fit(frame.iloc[building][chosen], y[building])
    assert (model.predict(frame.iloc[search][chosen]) != y[search]).mean() == pytest.approx(selector.error_)
    black = BackwardEliminationSelector(random_state=0, algorithm="black_box").fit(frame, y)
    assert [step.features for step in black.history_] == [step.features for step in selector.history_]


# What is selected


def test_names_masks_and_frames(wine_frame):
    pl = pytest.importorskip("polars")
    X, y = wine_frame
    selector = BackwardEliminationSelector(random_state=0).fit(X, y)
    names = X.columns[selector.support_].tolist()
    assert selector.get_feature_names_out().tolist() == names
    assert set(selector.used_features_) <= set(names)
    pd.testing.assert_frame_equal(selector.transform(X), X[names])
    assert selector.transform(pl.from_pandas(X)).columns == names
    assert isinstance(clone(selector).set_output(transform="polars").fit(X, y).transform(X), pl.DataFrame)


def test_all_features_may_be_the_answer(wine_frame):
    X, y = wine_frame
    for parameters in ({"keep": list(X.columns)}, {"min_features": X.shape[1]}):
        selector = BackwardEliminationSelector(random_state=0, **parameters).fit(X, y)
        assert selector.support_.all()
        assert len(selector.history_) == 1
        assert selector.tree_ == C45Classifier().fit(X, y).tree_


def test_no_feature_may_be_the_answer():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 3)), np.r_[np.zeros(50), np.ones(10)].astype(int)
    selector = BackwardEliminationSelector(max_features=0, random_state=0).fit(X, y)
    assert selector.support_.tolist() == [False] * 3
    assert selector.tree_.n_nodes == 1
    assert isinstance(selector.search_tree_, Tree)
    assert "empty" in selector.summary()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (60, 0)


def test_a_group_stays_or_goes_together(wine_frame):
    X, y = wine_frame
    selector = BackwardEliminationSelector(groups={"pair": ["alcohol", "ash"]}, random_state=0).fit(X, y)
    assert selector.support_[0] == selector.support_[2]
    gone = [step for step in selector.history_ if len(step.removed) > 1]
    assert [step.removed for step in gone] == ([] if selector.support_[0] else [("alcohol", "ash")])


# Wide tables


@pytest.mark.parametrize("kind", ["dense", "sparse", "frame"])
def test_thousands_of_features(kind):
    generator = np.random.default_rng(0)
    X = np.where(generator.random((200, 3000)) < 0.02, generator.integers(1, 5, (200, 3000)), 0).astype(float)
    X[:, 1234] = generator.integers(0, 4, 200)
    y = X[:, 1234] > 1
    given = {"dense": X, "sparse": scipy.sparse.csr_array(X), "frame": pd.DataFrame(X).add_prefix("f")}[kind]
    selector = BackwardEliminationSelector(random_state=0).fit(given, y)
    assert selector.get_support(indices=True).tolist() == [1234]
    assert len(selector.history_) == 3000
    assert len(selector.history_[1].features) == 2999
    assert selector.error_ == 0
    assert selector.transform(given).shape == (200, 1)
    assert len(selector.history_frame()) == 3000
    assert len(pickle.dumps(selector)) < 5e6


# An error of one's own


@pytest.mark.parametrize(
    "parameters", [{}, {"keep": [1]}, {"max_features": 1}, {"min_features": 4}, {"accept_ties": False}], ids=str
)
def test_a_function_and_the_core_let_unused_features_go_alike(wine, parameters):
    X, y = wine
    X, y = X[::2], y[::2]
    known = BackwardEliminationSelector(error="training", unused="together", **parameters).fit(X, y)

    def error(classifier):
        return 1 - classifier.score(X, y)

    found = BackwardEliminationSelector(error=error, unused="together", **parameters).fit(X, y)
    assert [step.features for step in found.history_] == [step.features for step in known.history_]
    assert found.error_ == pytest.approx(known.error_)


def test_unused_features_leave_together_once_no_other_may_go(wine):
    selector = BackwardEliminationSelector(unused="together", random_state=3).fit(*wine)
    assert selector.status_ == "complete"
    used = set(selector.search_tree_.used)
    # Whoever is left is used: the others have left, used ones before them.
    assert used == set(selector.get_support(indices=True).tolist())
    # One by one is another walk here, so the option does something.
    other = BackwardEliminationSelector(random_state=3).fit(*wine)
    assert [step.removed for step in selector.history_] != [step.removed for step in other.history_]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_function_is_a_black_box(wine, strategy):
    X, y = wine
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)

    def error(classifier):
        return 1 - classifier.score(X_new, y_new) + 0.001 * classifier.n_leaves_

    selector = BackwardEliminationSelector(error=error, strategy=strategy, keep=[1], beam_width=2).fit(X, y)

    # A classifier of a few columns cannot be asked about all of them, so the judge of the test picks them.
    @functools.cache
    def judge_alone(features):
        model = C45Classifier().fit(X[:, features], y)
        return 1 - model.score(X_new[:, features], y_new) + 0.001 * model.n_leaves_

    walker = Walker(judge_alone, [(feature,) for feature in range(X.shape[1])], keep=[1], beam_width=2)
    path = walker.walk(strategy)
    assert [step.features for step in selector.history_] == [walker.features(subset) for _, subset in path]
    assert tuple(selector.get_support(indices=True).tolist()) == walker.answer(path)[0]
    assert selector.error_ == error(selector.estimator_)
    assert selector.n_trees_ >= sum(step.trees_built for step in selector.history_) > 0
    assert "value" in selector.summary()


# What is told


def test_the_history(wine_frame):
    X, y = wine_frame
    selector = BackwardEliminationSelector(random_state=0).fit(X, y)
    first, *steps = selector.history_
    assert (first.removed, first.added, first.features) == ((), (), tuple(X.columns))
    assert all(isinstance(step, EliminationStep) for step in steps)
    left = list(X.columns)
    for number, step in enumerate(steps, start=1):
        left.remove(step.removed[0])
        assert step.features == tuple(left)
        assert step.n_features == len(left)
        assert step.error <= selector.history_[number - 1].error
        assert step.seconds >= selector.history_[number - 1].seconds
    assert tuple(left) == tuple(selector.get_feature_names_out())
    assert steps[-1].error == selector.error_
    with pytest.raises(AttributeError):
        first.error = 0
    frame = selector.history_frame()
    assert frame.columns.tolist() == ["removed", "added", "error", "n_features", "trees_built", "seconds"]
    assert frame["n_features"].tolist() == list(range(X.shape[1], len(left) - 1, -1))


def test_the_history_can_be_drawn(wine):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    selector = BackwardEliminationSelector(random_state=0).fit(*wine)
    axes = selector.plot_history()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("features", "search error")
    marked = axes.lines[-1]
    assert marked.get_xydata().tolist() == [[selector.support_.sum(), selector.error_]]
    assert selector.plot_history(axes) is axes


def test_values_of_a_function_are_drawn_where_they_lie(wine):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = wine
    selector = BackwardEliminationSelector(error=lambda tree: -tree.score(X, y), max_features=2).fit(X, y)
    axes = selector.plot_history()
    values = [step.error for step in selector.history_]
    low, high = axes.get_ylim()
    assert low < min(values) <= max(values) < high < 0
    assert axes.get_ylabel() == "value of the function"
    assert BackwardEliminationSelector(random_state=0).fit(X, y).plot_history().get_ylim()[0] == 0


@pytest.mark.parametrize("strategy", ["forward", "floating_forward"])
def test_the_summary_tells_why_the_walk_ended_wherever_the_answer_lies(wine, strategy):
    X, y = wine
    # Features that nobody uses go in without harm, so the walk passes its answer and ends at a limit.
    X = np.column_stack([X[:, 0], np.zeros((len(X), 4))])

    def ended(**parameters):
        selector = BackwardEliminationSelector(random_state=0, strategy=strategy, **parameters).fit(X, y)
        return selector, selector.summary()

    selector, summary = ended(max_features=3)
    assert selector.support_.sum() < 3 == selector.history_[-1].n_features
    assert "`max_features` allows no further addition" in summary
    assert "`max_features` allows no further addition" in ended(max_features=2, groups=[[1, 2], [3, 4]])[1]
    assert "no feature is left to add" in ended()[1]
    assert "no further addition was acceptable" in ended(accept_ties=False)[1]


def test_the_summary_tells_why_an_elimination_ended(wine):
    X, y = wine
    selector = BackwardEliminationSelector(random_state=0, min_features=7).fit(X, y)
    assert "`min_features` allows no further removal" in selector.summary()
    assert "no further removal was acceptable" in BackwardEliminationSelector(random_state=0).fit(X, y).summary()
    kept = BackwardEliminationSelector(random_state=0, keep=list(range(X.shape[1]))).fit(X, y)
    assert "no feature is left to remove" in kept.summary()


def test_the_summary_is_honest(wine):
    X, y = wine
    summary = BackwardEliminationSelector(random_state=0).fit(X, y).summary()
    for words in ("54 search samples", "from 8 features", "nothing is proved", "no estimate of the error on new"):
        assert words in summary
    assert "from no feature" in BackwardEliminationSelector(strategy="forward", random_state=0).fit(X, y).summary()
    assert "no further removal was acceptable" in summary
    limited = BackwardEliminationSelector(random_state=0, min_features=6).fit(X, y).summary()
    assert "`min_features` allows no further removal" in limited
    limited = BackwardEliminationSelector(strategy="forward", random_state=0, max_features=1).fit(X, y).summary()
    assert "`max_features` allows no further addition" in limited


def test_a_walk_that_is_stopped_above_max_features_says_so(wine):
    selector = BackwardEliminationSelector(random_state=0, max_features=2, time_limit=0.0)
    with pytest.warns(SearchEffortWarning, match="8 features are more than the 2 of `max_features`") as told:
        selector.fit(*wine)
    assert told[0].filename == __file__
    assert "more than the 2 of `max_features`" in selector.summary()


# Mistakes


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tree": "c45"}, "`tree` must be a C45Classifier"),
        ({"error": "hold-out"}, "Did you mean 'holdout'"),
        ({"error": [([0, 1], [178])]}, "names row 178"),
        ({"search_size": 0}, "`search_size`"),
        ({"n_folds": 1}, "`n_folds`"),
        ({"strategy": "backwards"}, "Did you mean 'backward'"),
        ({"algorithm": "whitebox"}, "Did you mean 'white_box'"),
        ({"algorithm": "paper", "strategy": "forward"}, "is backward elimination"),
        ({"algorithm": "paper", "error": len}, "counts errors on samples"),
        ({"accept_ties": 1}, "`accept_ties` must be True or False"),
        ({"unused": "at once"}, "`unused` must be 'one_by_one' or 'together'"),
        ({"unused": "together", "strategy": "beam"}, "is a way of backward elimination"),
        ({"beam_width": 0}, "`beam_width`"),
        ({"beam_width": 10**30}, "`beam_width` must be an integer at least 1 and at most 1000000000"),
        ({"max_features": 10**30}, "`max_features` must be an integer at least 0 and at most 1000000000, or None"),
        ({"keep": ["alcohool"]}, "Did you mean 'alcohol'"),
        ({"groups": [[0, 1], [1, 2]]}, "into two groups"),
        ({"max_features": 1, "keep": [0, 1]}, "allow at least 2"),
        ({"min_features": -1}, "`min_features`"),
        ({"min_features": 9}, "X has 8 features"),
        ({"min_features": 4, "max_features": 3}, "no subset is between"),
        ({"time_limit": -1}, "`time_limit`"),
        ({"memory_limit": "much"}, "`memory_limit`"),
        ({"callback": 3}, "`callback`"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
    ids=str,
)
def test_mistakes_are_told(wine_frame, parameters, message):
    with pytest.raises(ValueError, match=message):
        BackwardEliminationSelector(**parameters).fit(*wine_frame)


# scikit-learn


def test_pickle_and_clone(wine_frame):
    X, y = wine_frame
    fitted = BackwardEliminationSelector(C45Classifier(min_samples=3), random_state=0, keep=["ash"]).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.summary() == fitted.summary()
    assert again.history_ == fitted.history_
    assert again.history_[-1].features == fitted.history_[-1].features
    assert clone(again).get_params()["keep"] == ["ash"]


def test_a_forest_on_the_features_of_the_elimination():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({f"noise{number}": generator.normal(size=300) for number in range(30)})
    frame["color"] = pd.Categorical(generator.choice(["red", "green", "blue"], 300))
    frame["size"] = generator.normal(size=300)
    y = np.where((frame["color"] == "red") ^ (frame["size"] > 0.3), "yes", "no")
    frame.loc[::11, "size"] = np.nan
    pipeline = Pipeline(
        [("select", BackwardEliminationSelector(random_state=0)), ("forest", C45ForestClassifier(30, random_state=0))]
    ).fit(frame, y)
    chosen = pipeline["select"].get_feature_names_out().tolist()
    assert pipeline["forest"].feature_names_in_.tolist() == chosen
    assert len(chosen) < 20
    assert pipeline.score(frame, y) > 0.9
    alone = cross_val_score(C45ForestClassifier(30, random_state=0), frame, y, cv=3).mean()
    assert cross_val_score(pipeline, frame, y, cv=3).mean() > alone


@pytest.mark.parametrize("strategy", ["backward", "forward", "beam", "floating_backward", "floating_forward"])
def test_sizes_that_no_union_of_groups_has_are_refused(strategy):
    X, y = load_wine(return_X_y=True)
    groups = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    selector = BackwardEliminationSelector(
        strategy=strategy, groups=groups, min_features=4, max_features=5, random_state=0
    )
    with pytest.raises(InvalidParameterError, match="no subset is between them: the nearest have 3 or 6 features"):
        selector.fit(X[:, :9], y)
    assert selector.set_params(max_features=6).fit(X[:, :9], y).support_.sum() == 6


@pytest.mark.parametrize(("strategy", "compared"), [("backward", "more than the 4"), ("forward", "fewer than the 4")])
def test_a_walk_that_steps_over_the_wanted_size_says_so(strategy, compared):
    X, y = load_wine(return_X_y=True)
    columns = [1, 10, 7, 9, 12, 4, 5, 8, 0]
    selector = BackwardEliminationSelector(
        strategy=strategy,
        groups=[[0, 1], [2, 3, 4], [5, 6, 7, 8]],
        min_features=4,
        max_features=4,
        random_state=0,
    )
    with pytest.warns(SearchEffortWarning, match="no step of the walk fits") as caught:
        selector.fit(X[:, columns], y)
    assert selector.status_ == "complete"
    sentence = str(caught[0].message)
    assert compared in sentence
    assert "more time" not in sentence
    assert sentence in selector.summary()


def test_a_stopped_walk_that_is_still_too_small_says_so():
    X, y = load_digits(return_X_y=True)
    selector = BackwardEliminationSelector(
        strategy="forward", min_features=50, callback=lambda progress: True, random_state=0
    )
    with pytest.warns(SearchEffortWarning, match=r"fewer than the 50 of `min_features`: give it more time"):
        selector.fit(np.tile(X, 10), y)


def test_grid_search_reaches_the_tree(wine):
    search = GridSearchCV(
        BackwardEliminationSelector(C45Classifier(), random_state=0),
        {"tree__min_samples": [2, 8], "strategy": ["backward", "forward"]},
        cv=3,
    ).fit(*wine)
    assert set(search.best_params_) == {"tree__min_samples", "strategy"}
    assert search.best_score_ > 0.7


def test_sample_weight_is_routed(wine):
    X, y = wine
    weight = np.where(y == 0, 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = BackwardEliminationSelector(random_state=0).set_fit_request(sample_weight=True)
        pipeline = Pipeline([("keep", "passthrough"), ("select", selector)]).fit(X, y, sample_weight=weight)
        assert pipeline["select"].tree_.weight[0] == weight.sum()
        scores = cross_val_score(
            selector.set_score_request(sample_weight=False), X, y, params={"sample_weight": weight}, cv=3
        )
    assert scores.mean() > 0.7

"""`ObliviousTreeClassifier`: what it finds, its parameters, its table, its manners; the oracles are in `properties`."""

from __future__ import annotations

import math
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError

from palmette import MDLDiscretizer, ObliviousTreeClassifier
from palmette.datasets import make_all_equal, make_conjunction, make_parity
from palmette.oblivious import Cell
from palmette.search import EliminationStep, SearchProgress
from palmette.support.progress import listening


@pytest.fixture(scope="module")
def parity():
    return make_parity(200, n_relevant=3, n_irrelevant=5, random_state=0)


@pytest.fixture
def weather():
    """Play outside unless it rains; the wind does not matter. One value of each is missing."""
    return (
        pd.DataFrame(
            {
                "sky": ["sun", "rain", "sun", "rain", None, None, "sun", "rain"],
                "wind": [True, False, False, True, True, False, None, True],
            }
        ),
        ["out", "in", "out", "in", "out", "out", "out", "in"],
    )


@pytest.mark.parametrize("make", [make_parity, make_conjunction, make_all_equal])
@pytest.mark.parametrize("cv", ["loo", 10])
def test_irrelevant_features_go_and_interacting_ones_stay(make, cv):
    X, y = make(250, n_relevant=3, n_irrelevant=6, random_state=3)
    order = np.random.default_rng(3).permutation(9)
    model = ObliviousTreeClassifier(cv=cv, random_state=0).fit(X[:, order], y)
    assert sorted(order[model.support_]) == [0, 1, 2]
    assert model.error_ == 0
    fresh, labels = make(500, n_relevant=3, n_irrelevant=6, random_state=9)
    assert model.score(fresh[:, order], labels) == 1


def test_the_history_is_that_of_an_elimination(parity):
    model = ObliviousTreeClassifier().fit(*parity)
    assert all(isinstance(step, EliminationStep) for step in model.history_)
    errors = [step.error for step in model.history_]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == model.error_ == 0
    assert [step.n_features for step in model.history_] == [8, 7, 6, 5, 4, 3]
    assert model.history_[0].removed == ()
    assert model.history_[-1].features == (0, 1, 2)
    assert {feature for step in model.history_ for feature in step.removed} == {3, 4, 5, 6, 7}
    # One table at the start, and as many as there are features at every step and at the last, which found nothing.
    assert model.n_tables_ == 1 + 8 + 7 + 6 + 5 + 4 + 3
    assert model.history_frame().shape == (6, 6)
    assert model.history_[2].trees_built == 7


def test_missing_values_are_a_value_of_their_own(weather):
    X, y = weather
    model = ObliviousTreeClassifier().fit(X, y)
    assert model.get_feature_names_out().tolist() == ["sky"]
    cells = {cell.values: cell for cell in model.table_}
    assert set(cells) == {("sun",), ("rain",), (None,)}
    assert cells[(None,)] == Cell((None,), (0.0, 2.0), "out")
    assert cells[(None,)].weight == 2
    # A category that was not there counts as missing; so does a hole.
    assert model.predict(pd.DataFrame({"sky": ["snow", None, "rain"], "wind": [True, None, None]})).tolist() == [
        "out",
        "out",
        "in",
    ]


def test_the_text_and_the_frame_of_the_table(weather):
    model = ObliviousTreeClassifier().fit(*weather)
    assert model.to_text() == textwrap.dedent("""\
        sky   predicts  in  out
        ────  ────────  ──  ───
        sun   out        ·    3
        rain  in         3    ·
        ?     out        ·    2""")
    assert model.to_text(max_cells=1).splitlines()[-1] == "… 2 more cells"
    frame = model.table_.to_frame()
    assert frame.columns.tolist() == ["sky", "predicts", "weight of in", "weight of out"]
    assert frame["predicts"].tolist() == ["out", "in", "out"]


def test_an_unmatched_sample_asks_all_nearest_cells():
    X = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1], [2, 2, 2]])
    X = pd.DataFrame(X, columns=list("abc")).astype("category")
    y = [0, 0, 1, 1, 2]
    model = ObliviousTreeClassifier(keep=["a", "b", "c"]).fit(X, y)
    stranger = pd.DataFrame({"a": [1], "b": [0], "c": [0]}).astype("category")
    # At distance 1: two samples of class 0 in one cell, two of class 1 in two cells.
    np.testing.assert_allclose(model.predict_proba(stranger), [[0.5, 0.5, 0]])
    assert model.predict(stranger).tolist() == [0]


def test_numbers_are_cut_as_the_discretizer_cuts():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = ObliviousTreeClassifier().fit(X, y)
    discretizer = MDLDiscretizer().fit(X, y)
    chosen = model.get_support(indices=True)
    assert [model.table_.values[place] for place in range(len(chosen))] == [
        discretizer.interval_names_[feature] for feature in chosen
    ]
    coded = ObliviousTreeClassifier(categorical_features=list(X.columns)).fit(discretizer.transform(X), y)
    assert coded.error_ == model.error_
    np.testing.assert_array_equal(coded.support_, model.support_)


def test_columns_of_two_numbers_are_not_asked_whether_they_tell_something_alone(parity):
    X, y = parity
    for numbers in (X.astype(float), X.astype(np.int8), np.where(X, 7.5, -1.0)):
        model = ObliviousTreeClassifier().fit(numbers, y)
        assert model.get_support(indices=True).tolist() == [0, 1, 2]
        np.testing.assert_array_equal(model.predict(numbers), y)
    assert model.table_.values[0] == ("-1", "7.5")
    # Between them the cut decides.
    assert model.predict([[3.2] * 8, [3.3] * 8]).tolist() == [0, 1]


def test_numbers_as_they_are_match_only_themselves():
    X = np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0]])
    y = [0, 0, 1, 1, 0, 0]
    model = ObliviousTreeClassifier(numeric="as_is").fit(X, y)
    assert model.predict([[1.0], [2.0], [3.0]]).tolist() == [0, 1, 0]
    # As far from all of them: the majority.
    assert model.predict([[2.5], [np.nan], [-9.0]]).tolist() == [0, 0, 0]


def test_every_container_gives_the_same(parity):
    pl = pytest.importorskip("polars")
    X, y = parity
    frame = pd.DataFrame(X, columns=[f"f{place}" for place in range(8)])
    expected = ObliviousTreeClassifier().fit(X, y)
    for table in (frame, pl.from_pandas(frame), scipy.sparse.csr_matrix(X.astype(float)), X.tolist()):
        model = ObliviousTreeClassifier().fit(table, y)
        np.testing.assert_array_equal(model.support_, expected.support_)
        np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(X))
    assert ObliviousTreeClassifier().fit(frame, y).transform(frame).columns.tolist() == ["f0", "f1", "f2"]
    assert ObliviousTreeClassifier().fit(pl.from_pandas(frame), y).transform(pl.from_pandas(frame)).width == 3


def test_keep_groups_and_min_features(parity):
    X, y = parity
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    assert "h" in ObliviousTreeClassifier(keep=["h"]).fit(frame, y).get_feature_names_out()
    together = ObliviousTreeClassifier(groups=[["a", "e"], ["f", "g", "h"]]).fit(frame, y)
    assert together.get_feature_names_out().tolist() == ["a", "b", "c", "e"]
    assert ("f", "g", "h") in [step.removed for step in together.history_]
    assert ObliviousTreeClassifier(min_features=5).fit(frame, y).support_.sum() == 5
    assert ObliviousTreeClassifier(keep=list("abcdefgh")).fit(frame, y).history_[0].n_features == 8


def test_no_feature_may_be_left():
    X = np.random.default_rng(0).integers(0, 2, (40, 2)).astype(bool)
    y = np.zeros(40, dtype=int)
    y[0] = 1
    model = ObliviousTreeClassifier().fit(X, y)
    assert model.support_.sum() == 0
    assert model.error_ == 1 / 40
    assert len(model.table_) == 1
    assert model.predict(X).tolist() == [0] * 40
    assert "None of the 2 features is left" in model.summary()
    assert model.to_text().splitlines()[0].split() == ["predicts", "0", "1"]


def test_weights_vote_and_samples_without_weight_do_not_count():
    X = pd.DataFrame({"a": pd.Categorical(list("xxxyyy"))})
    y = [0, 0, 1, 1, 1, 0]
    heavy = ObliviousTreeClassifier(keep=["a"]).fit(X, y, sample_weight=[1, 1, 5, 1, 1, 1])
    assert heavy.predict(X[:1]).tolist() == [1]
    without = ObliviousTreeClassifier(keep=["a"]).fit(X, y, sample_weight=[1, 1, 0, 1, 1, 0])
    alone = ObliviousTreeClassifier(keep=["a"]).fit(X.iloc[[0, 1, 3, 4]], [0, 0, 1, 1])
    assert without.error_ == alone.error_ == 0
    np.testing.assert_array_equal(without.predict_proba(X), alone.predict_proba(X))


def test_folds_are_those_of_the_seed_and_as_many_as_samples_are_leave_one_out():
    X, y = load_wine(return_X_y=True)
    one, again, other = (ObliviousTreeClassifier(cv=4, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert [step.error for step in one.history_] == [step.error for step in again.history_]
    assert [step.error for step in one.history_] != [step.error for step in other.history_]
    every, alone = ObliviousTreeClassifier(cv=len(y)).fit(X, y), ObliviousTreeClassifier().fit(X, y)
    assert [(step.removed, step.error) for step in every.history_] == [
        (step.removed, step.error) for step in alone.history_
    ]


def test_redrawn_folds_find_few_features_among_many_where_kept_ones_stop_early():
    exact = {False: 0, True: 0}
    for seed in range(12):
        X, y = make_all_equal(120, n_relevant=3, n_irrelevant=20, random_state=seed)
        for redraw in exact:
            model = ObliviousTreeClassifier(cv=2, redraw_folds=redraw, random_state=seed).fit(X, y)
            exact[redraw] += model.get_support(indices=True).tolist() == [0, 1, 2]
    assert exact[False] <= 4
    assert exact[True] >= 10


def test_redrawn_folds_are_those_of_the_seed_and_need_folds():
    X, y = load_wine(return_X_y=True)
    one, again, other = (
        ObliviousTreeClassifier(cv=3, redraw_folds=True, random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    assert [step.error for step in one.history_] == [step.error for step in again.history_]
    assert [step.error for step in one.history_] != [step.error for step in other.history_]
    assert "by 3-way cross-validation in folds that every step drew anew" in one.summary()
    # As many folds as samples stay leave-one-out, however they are drawn.
    every = ObliviousTreeClassifier(cv=len(y), redraw_folds=True).fit(X, y)
    assert [step.error for step in every.history_] == [
        step.error for step in ObliviousTreeClassifier().fit(X, y).history_
    ]
    with pytest.raises(ValueError, match='`redraw_folds` needs folds, but `cv` is "loo"'):
        ObliviousTreeClassifier(redraw_folds=True).fit(X, y)


@pytest.mark.threads
def test_threads_change_nothing():
    X, y = make_parity(500, n_relevant=3, n_irrelevant=12, flip_y=0.1, random_state=1)
    for cv in ("loo", 5):
        one, two = (ObliviousTreeClassifier(cv=cv, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
        assert [(step.removed, step.error) for step in one.history_] == [
            (step.removed, step.error) for step in two.history_
        ]
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_too_little_memory_costs_time_only(parity):
    small, large = (ObliviousTreeClassifier(memory_limit=limit).fit(*parity) for limit in (1, "1GB"))
    assert [(step.removed, step.error) for step in small.history_] == [
        (step.removed, step.error) for step in large.history_
    ]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"cv": "lou"}, "`cv` must be \"loo\" or a number of folds from 2 to 200.*but is 'lou'. Did you mean 'loo'"),
        ({"cv": 1}, "but is 1"),
        ({"cv": 201}, "but is 201"),
        ({"cv": True}, "but is True"),
        ({"cv": 2.0}, "but is 2.0"),
        ({"cv": None}, "but is None"),
        ({"numeric": "mld"}, "`numeric` must be 'mdl' or 'as_is'"),
        ({"min_features": 9}, "X has 8 features"),
        ({"keep": ["a"]}, "X has no column names"),
        ({"groups": [[0, 1], [1, 2]]}, "two groups"),
        ({"time_limit": -1}, "time_limit"),
        ({"memory_limit": "much"}, "memory_limit"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"callback": 3}, "`callback` must be a function"),
    ],
)
def test_mistakes_are_told(parity, parameters, words):
    with pytest.raises(ValueError, match=words):
        ObliviousTreeClassifier(**parameters).fit(*parity)


def test_a_fit_that_fails_leaves_nothing_behind(parity):
    X, y = parity
    model = ObliviousTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="cv"):
        model.set_params(cv=0).fit(X, y)
    for call in (model.predict, model.transform):
        with pytest.raises(NotFittedError):
            call(X)


def test_a_time_limit_of_nothing_leaves_a_usable_table(parity):
    X, y = parity
    model = ObliviousTreeClassifier(time_limit=0).fit(X, y)
    assert model.status_ == "time_limit"
    assert math.isnan(model.error_)
    assert model.support_.all()
    assert model.score(X, y) == 1
    assert "not counted" in model.summary()
    pytest.importorskip("matplotlib").use("agg")
    model.plot_history()


def test_the_summary_and_the_plot(parity):
    model = ObliviousTreeClassifier().fit(*parity)
    for words in ("3 of 8 features are left", "8 cells", "0.00% by leave-one-out", "5 steps", "nothing is proved"):
        assert words in model.summary()
    assert "by 10-way cross-validation" in ObliviousTreeClassifier(cv=10).fit(*parity).summary()
    pytest.importorskip("matplotlib").use("agg")
    axes = model.plot_history()
    assert axes.get_lines()[0].get_ydata().tolist() == [step.error for step in model.history_]


def test_a_pickle_predicts_the_same(parity):
    X, y = parity
    model = ObliviousTreeClassifier().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert again.to_text() == model.to_text()


def slow_problem():
    return make_parity(4000, n_relevant=3, n_irrelevant=60, random_state=0)


def test_progress_is_told_and_a_callback_can_end_it():
    X, y = slow_problem()
    heard: list[SearchProgress] = []
    with listening(heard.append):
        model = ObliviousTreeClassifier(callback=lambda progress: len(heard) >= 3).fit(X, y)
    assert model.status_ == "interrupted"
    assert len(heard) >= 3
    assert all(0 <= progress.share <= 1 for progress in heard)
    assert model.predict(X[:5]).shape == (5,)


def test_ctrl_c_ends_with_what_is_left():
    program = """
        from palmette import ObliviousTreeClassifier
        from palmette.datasets import make_parity
        X, y = make_parity(4000, n_relevant=3, n_irrelevant=60, random_state=0)
        def say(progress):
            print("running", flush=True)
        model = ObliviousTreeClassifier(callback=say).fit(X, y)
        print("status", model.status_, model.score(X[:9], y[:9]), flush=True)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    seen, errors = process.communicate(timeout=120)
    assert "status interrupted 1.0" in seen
    assert errors == ""

"""What a report asks beyond the result: errors of subsets against the oracle, drops, alternatives, resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from palmette import BackwardEliminationSelector, BestSubsetSelector, C45Classifier, CFSSelector, render_report
from palmette.datasets import load
from palmette.report import questions
from palmette.report.caveats import table_caveats
from palmette.search.task import read_task
from search_problems import chunk_name, chunks, search_of_seed, shown


def distinct(rows):
    return len(set(rows)) == len(rows)


@pytest.mark.parametrize("seeds", chunks(80, 40), ids=chunk_name)
def test_the_error_of_any_subset_is_that_of_the_oracle(seeds):
    checked = 0
    for seed in seeds:
        searched = search_of_seed(seed, max_features=4, max_rows=25)
        problem = searched.problem
        if len(set(problem.labels)) < 2 or not all(distinct(fold.building + fold.search) for fold in searched.folds):
            continue
        with shown(searched, seed):
            task = read_task(
                problem.frame,
                problem.labels,
                problem.weights,
                tree=C45Classifier(**problem.parameters),
                error=[(list(fold.building), list(fold.search)) for fold in searched.folds],
                search_size=0.3,
                n_folds=2,
                keep=None,
                groups=None,
                max_features=None,
                memory_limit=None,
                n_jobs=1,
                random_state=0,
            )
            for point in searched.lattice.points:
                features = searched.lattice.features_of(point.subset)
                expected = searched.weight(point.error)
                assert task.error_of(features) * task.search_weight == pytest.approx(expected, abs=1e-6)
                checked += 1
    assert checked > 100


@pytest.fixture(scope="module")
def wine():
    return load("wine")


@pytest.mark.parametrize("kind", [BestSubsetSelector, BackwardEliminationSelector])
def test_drops(wine, kind):
    X, y = wine
    selector = kind(random_state=0).fit(X, y)
    found = questions.drops(selector, X, y, None, questions.Allowance(30))
    assert found.remark == ""
    names = np.array(X.columns)
    for feature, dropped, replaced in zip(found.features, found.dropped, found.replaced, strict=True):
        rest = [name for name in selector.get_feature_names_out() if name != names[feature]]
        alone = BestSubsetSelector(error=selector.folds_, keep=rest, max_features=len(rest)).fit(X, y)
        assert dropped == alone.error_
        without = X.drop(columns=[names[feature]])
        assert replaced == BestSubsetSelector(error=selector.folds_).fit(without, y).error_


def test_a_group_is_dropped_whole(wine):
    X, y = wine
    groups = [["alcohol", "hue", "ash"]]
    selector = BestSubsetSelector(random_state=0, groups=groups, keep=["alcohol"]).fit(X, y)
    found = questions.drops(selector, X, y, None, questions.Allowance(30))
    members = [place for place, feature in enumerate(found.features) if X.columns[feature] in groups[0]]
    assert len(set(found.dropped[members])) == 1
    assert np.isinf(found.replaced[members]).all()


def test_alternatives_are_within_one_standard_error(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=0).fit(X, y)
    found = questions.alternatives(selector, X, y, None, questions.Allowance(30))
    assert found.remark == ""
    assert found.margin == pytest.approx((selector.error_ * (1 - selector.error_) / 54) ** 0.5)
    assert all(one.error <= selector.error_ + found.margin for one in found.acceptable)
    assert found.acceptable[0].features == tuple(selector.get_feature_names_out())
    assert found.front[-1].error == selector.error_


def test_stability_is_the_selection_on_parts(wine):
    X, y = wine
    selector = BestSubsetSelector(random_state=0).fit(X, y)
    found = questions.stability(selector, X, y, None, questions.Allowance(60), seed=3)
    again = questions.stability(selector, X, y, None, questions.Allowance(60), seed=3)
    assert found.masks.shape == (questions.RESAMPLES, 13)
    assert (found.masks == again.masks).all()
    assert 0 < found.frequencies.max() <= 1
    assert selector.random_state == 0
    assert selector.time_limit is None


def test_without_time_it_says_so():
    X, y = load("digits")
    selector = BackwardEliminationSelector(random_state=0, time_limit=0.3).fit(X, y)
    html = render_report(selector, X, y, time_limit=0)
    assert "was over after" in html
    assert "Not measured. One selection took" in html


def test_an_interruption_leaves_a_page(wine, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    X, y = wine
    monkeypatch.setattr(questions, "alternatives", interrupted)
    html = render_report(BestSubsetSelector(random_state=0).fit(X, y), X, y)
    assert "interrupted: what is missing here was not asked" in html
    assert "What each selected feature costs to drop" in html


def test_what_is_known_of_an_interrupted_question_is_told(wine, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    X, y = wine
    monkeypatch.setattr(questions, "feature_costs", interrupted)
    monkeypatch.setattr(questions, "alternatives", pytest.fail)
    html = render_report(BestSubsetSelector(random_state=0).fit(X, y), X, y)
    assert "interrupted: what is missing here was not asked" in html
    assert "What each selected feature costs to drop" in html
    assert "This question was interrupted." in html


def test_an_interrupted_list_ends_the_asking(wine, monkeypatch):
    found = questions.acceptable_subsets

    def interrupted(*arguments, **options):
        return replace(found(*arguments, **options), status="interrupted")

    X, y = wine
    monkeypatch.setattr(questions, "acceptable_subsets", interrupted)
    monkeypatch.setattr(questions, "stability", pytest.fail)
    html = render_report(BestSubsetSelector(random_state=0).fit(X, y), X, y)
    assert "interrupted: what is missing here was not asked" in html
    assert "The search for them was interrupted" in html


def test_an_interruption_leaves_a_page_of_any_selector(wine, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    X, y = wine
    monkeypatch.setattr(questions, "resampled", interrupted)
    html = render_report(CFSSelector().fit(X, y), X, y)
    assert "interrupted: what is missing here was not asked" in html


def test_caveats():
    nan = float("nan")
    X = np.array(
        [[1, 1, 5, nan, nan, 0.0], [2, 2, 5, nan, 1, -0.0], [3, 3, 5, nan, 2, 1], [4, 4, nan, nan, 2, 2]], dtype=float
    )
    found = {caveat.what: caveat.where for caveat in table_caveats(X, [0, 0, 0, 0] * 1)}
    assert found["6 of 24 values missing"].startswith("x3 (100.0%)")
    assert found["1 empty column"] == "x3"
    assert found["1 constant column"] == "x2"
    assert found["2 duplicate columns"] == "x0 = x1"
    many = [[f"c{place}"] for place in range(60)] * 2
    found = {caveat.what: caveat.where for caveat in table_caveats(many, [0] * 110 + [1] * 10)}
    assert found == {
        "Many categories": "x0 (60)",
        "Uneven classes": "91.7% of the samples are 0",
    }

"""What a comparison shows and keeps: tables, sentences, frames, plots and JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from palmette import Comparison, compare, render_report, stability_score
from palmette.comparison import DatasetRecord, Protocol, Trial
from palmette.comparison.words import oversearched

PROTOCOL = Protocol(1, 10)
FOLDS = range(10)


def made(errors, *, datasets=("d",), status="complete", **fields):
    """A comparison of the given errors: for each strategy the pairs (search error, test error) of ten folds."""
    trials = [
        Trial(
            dataset,
            strategy,
            0,
            fold,
            fields.get("verdict", {}).get(strategy, "complete"),
            search_error=search,
            test_error=test,
            selected=(0, 1, 2),
            used=(0, fold % 3),
            n_trees=fields.get("n_trees", {}).get(strategy, 5),
            seconds=0.5,
            searched=strategy != "tree",
        )
        for dataset in datasets
        for strategy, pairs in errors.items()
        for fold, (search, test) in enumerate(pairs)
    ]
    records = tuple(DatasetRecord(name, 200, 4, 2) for name in datasets)
    return Comparison(PROTOCOL, records, tuple(errors), tuple(trials), status)


def around(search, test, noise=0.02):
    return [(search + noise * (fold % 2), test + noise * (fold % 3)) for fold in FOLDS]


@pytest.fixture(scope="module")
def real():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PALMETTE_DATA", raising=False)
        return compare(["tree", "backward", "best"], ["iris", "wine"], repeats=2, folds=3)


def test_numbers_of_a_cell(real):
    cell = real.cell("wine", "best")
    errors = [trial.test_error for trial in real.results if (trial.dataset, trial.strategy) == ("wine", "best")]
    summary = cell.summaries["test_error"]
    assert summary.mean == pytest.approx(np.mean(errors))
    assert summary.sd == pytest.approx(np.std(errors, ddof=1))
    assert summary.n == 6
    masks = np.array([[feature in trial.used for feature in range(13)] for trial in cell.trials])
    assert cell.stability == stability_score(masks)
    assert cell.summaries["stability"].mean == pytest.approx(cell.stability.value)
    assert cell.summaries["stability"].sd == pytest.approx(cell.stability.sd)


def test_tests_between_strategies(real):
    first, second = ([trial.test_error for trial in real.cell("wine", name).trials] for name in ("tree", "best"))
    assert real.test("wine", "tree", "best") == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert real.test("wine", "tree", "best", corrected=True) > real.test("wine", "tree", "best")
    with pytest.raises(ValueError, match=r"no strategy 'bset'\. Did you mean 'best'"):
        real.test("wine", "tree", "bset")
    with pytest.raises(ValueError, match=r"no dataset 'vine'\. Did you mean 'wine'"):
        real.cell("vine", "tree")
    with pytest.raises(ValueError, match="`measure` must be"):
        real.test("wine", "tree", "best", "stability")


def test_marks_and_wins_follow_the_tests(real):
    for dataset in ("iris", "wine"):
        means = {name: real.cell(dataset, name).summaries["test_error"].mean for name in real.strategies}
        best = min(means, key=means.get)
        for name in real.strategies:
            mark = real.cell(dataset, name).summaries["test_error"].mark
            expected = "best" if name == best else None if real.test(dataset, best, name) < 0.05 else "star"
            assert mark == expected
    wins = real.wins()
    assert sum(best for best, _ in wins.values()) == 2
    assert real.wins("stability").keys() == wins.keys()
    with pytest.raises(ValueError, match="`measure` must be"):
        real.wins("seconds")


def test_frames(real):
    frame = real.frame()
    assert len(frame) == 6
    row = frame[(frame.dataset == "wine") & (frame.strategy == "best")].iloc[0]
    cell = real.cell("wine", "best")
    assert row.test_error == cell.summaries["test_error"].mean
    assert (row.stability_low, row.stability_high) == (cell.stability.low, cell.stability.high)
    assert row.n_trials == 6
    trials = real.trials()
    assert len(trials) == 36
    assert set(trials.columns) > {"repeat", "fold", "search_error", "test_error", "used", "seconds", "n_trees"}


@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_the_terminal(real, width):
    text = real.table(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("wins/*") >= 4


def test_a_table_in_the_manner_of_the_papers():
    comparison = made({"a": around(0.1, 0.2), "b": around(0.1, 0.5)}, datasets=("d", "e"))
    lines = comparison.table("test_error", width=80).splitlines()
    assert lines[2:] == [
        "test error %",
        "dataset  a               b",
        "d        21.80 ± 1.75 ●  51.80 ± 1.75",
        "e        21.80 ± 1.75 ●  51.80 ± 1.75",
        "wins/*   2/0             0/0",
        "",
        "Mean ± standard deviation over the trials. ● best.",
    ]


def test_cells_tell_on_how_many_trials_they_rest():
    whole = made({"a": around(0.1, 0.2), "b": around(0.1, 0.5)})
    part = Comparison(PROTOCOL, whole.datasets, whole.strategies, whole.results[:13], "interrupted")
    text = part.table(width=200)
    assert "21.80 ± 1.75 ●" in text
    assert "52.00 ± 2.00 (3)" in text
    assert "(n): rests on n of 10 trials." in text
    assert "The comparison was interrupted: 13 of 20 trials were run." in text


def test_no_sign_is_explained_that_no_cell_has():
    # Of two trials there is one pair, on which the stability rests.
    comparison = compare("tree", "iris", repeats=1, folds=2)
    assert comparison.cell("iris", "tree").summaries["stability"].n == 1
    assert "(n)" not in comparison.table()


def test_no_trees_are_explained():
    errors = {"a": around(0.1, 0.2), "best": around(0.1, 0.5)}
    about = "Trees of a complete search: those that its proof completed, after a quick first search."
    none = made(errors, n_trees={"best": 0})
    assert about in none.table(width=200)
    assert about not in none.table("test_error", width=200)
    assert about not in made(errors).table(width=200)


def test_wrong_measures(real):
    with pytest.raises(ValueError, match="Did you mean 'test_error'"):
        real.table("test_eror")
    with pytest.raises(ValueError, match="is empty"):
        real.table([])
    with pytest.raises(ValueError, match="`width` must be"):
        real.table(width=3)
    with pytest.raises(ValueError, match="`measure` must be"):
        real.plot(measure="error")


def test_sentences_about_a_proved_answer_and_oversearching():
    comparison = made(
        {"tree": around(0.22, 0.2), "best": around(0.02, 0.21), "walk": around(0.1, 0.3)}, verdict={"best": "optimal"}
    )
    words = comparison.summary()
    assert words.startswith("d: tree errs least on held-out samples, 21.8 % ± 1.8 over 10 trials.")
    assert (
        "best: proved best on the search set, with an error of 3.0 % there; not a generalization estimate: held-out "
        "error 22.8 % ± 1.8." in words
    )
    assert "walk: search error 11.0 %, but held-out error 31.8 % ± 1.8." in words
    assert "Oversearching: on the 54 search samples best and walk err far less than on held-out ones" in words
    assert not oversearched(comparison.cell("d", "tree"), 10)
    assert "an `error_gap` or a `feature_penalty` leave less to chance" in words
    assert "more search samples leave less to chance" in made({"walk": around(0.1, 0.3)}).summary()
    within = made({"best": around(0.02, 0.21)}, verdict={"best": "within_gap"}).summary()
    assert "best: proved within its gap of the best on the search set" in within


def test_no_warning_where_errors_agree_or_chance_explains_the_difference():
    assert "Oversearching" not in made({"best": around(0.2, 0.21)}).summary()
    assert "Oversearching" not in made({"tree": around(0.02, 0.21)}).summary()  # nothing was selected there
    noisy = [(0.1, 0.5 if fold == 0 else 0.1) for fold in FOLDS]
    assert "Oversearching" not in made({"best": noisy}).summary()


def test_sentences_about_ties():
    shifted = [(0.1, 0.2 + 0.02 * (fold % 3) + (0.05 if fold % 2 else -0.03)) for fold in FOLDS]
    words = made({"a": around(0.1, 0.2), "b": shifted}, datasets=("d", "e")).summary()
    assert "b does not differ from it at 95 %." in words
    assert "Of 2 datasets, the lowest test error has a on 2." in words


@pytest.mark.parametrize("order", ["abc", "bac"])
def test_equal_means_are_credited_to_all_who_have_them(order):
    turned = [*reversed(around(0.1, 0.2))]
    errors = {"a": around(0.1, 0.2), "b": turned, "c": around(0.1, 0.5)}
    comparison = made({name: errors[name] for name in order}, datasets=("d", "e"))
    first, second = order[:2]
    assert f"d: {first} and {second} err least on held-out samples, 21.8 % each over 10 trials." in comparison.summary()
    assert f"the lowest test error has {first} on 2 and {second} on 2." in comparison.summary()
    assert comparison.wins() == {"a": (2, 0), "b": (2, 0), "c": (0, 0)}
    assert comparison.table("test_error", width=80).count("21.80 ± 1.75 ●") == 4
    single = made({name: errors[name] for name in order})
    assert f"{first} and {second}, with 21.80 % each." in render_report(single)


def test_a_single_trial():
    comparison = made({"a": [(0.1, 0.2)]})
    assert math.isnan(comparison.cell("d", "a").summaries["test_error"].sd)
    assert comparison.cell("d", "a").stability is None
    assert "20.00 ● (1)" in comparison.table(width=200)
    assert "over 1 trial." in comparison.summary()


def test_json_returns_everything(real, tmp_path):
    path = tmp_path / "comparison.json"
    text = real.to_json(path)
    for source in (text, text.encode(), path, str(path)):
        again = Comparison.from_json(source)
        assert (again.protocol, again.datasets, again.strategies) == (real.protocol, real.datasets, real.strategies)
        assert again.results == real.results
        assert again.table() == real.table()


def test_json_that_is_no_comparison(real, tmp_path):
    data = json.loads(real.to_json())
    trial = data["trials"][0]
    for wrong, words in [
        ("{", "no comparison of palmette"),
        ('{"format": "palmette-tree"}', "has no format 'palmette-comparison'"),
        (json.dumps({**data, "version": 9}), "version 9"),
        (json.dumps({**data, "status": "fine"}), "status"),
        (json.dumps({**data, "folds": 1}), "`folds` must be"),
        (json.dumps({**data, "trials": [trial, trial]}), "twice"),
        (json.dumps({**data, "trials": [{**trial, "place": ["iris", "none", 0, 0]}]}), "which the comparison has not"),
        (json.dumps({**data, "trials": [{**trial, "place": ["iris", "tree", 5, 0]}]}), "which the comparison has not"),
        (json.dumps({**data, "trials": [{**trial, "used": [99]}]}), "names a feature"),
        (json.dumps({**data, "trials": [{**trial, "seconds": "1"}]}), "seconds"),
        (json.dumps({**data, "trials": [3]}), "no comparison"),
        (json.dumps({name: value for name, value in data.items() if name != "trials"}), "lacks 'trials'"),
        (tmp_path / "none.json", "cannot be read"),
        (tmp_path, "cannot be read"),
    ]:
        with pytest.raises(ValueError, match=words):
            Comparison.from_json(wrong)


@pytest.mark.parametrize("measure", ["test_error", "n_used", "stability", "seconds"])
def test_plots(real, measure):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    axes = real.plot(measure=measure)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(real.strategies) * 2
    axes.figure.canvas.draw()
    plt.close(axes.figure)
    figure, own = plt.subplots()
    assert made({"a": [], "b": around(0.1, 0.2)}).plot(own) is own
    plt.close(figure)

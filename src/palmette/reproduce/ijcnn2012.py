"""Tables II and III and Figure 4 of Deng & Runger (2012): how many features the regularized trees select, and how well
a strong and a weak classifier do with them.

One trial selects on one training half and judges on the other; the two tables share their trials. `ijcnn2012_trials.py`
has what runs in a trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palmette import published
from palmette.reproduce.ijcnn2012_trials import judge_ranking, judge_runs, judge_selection, ranking_of_svm
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row, published_cell
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.work import Outcome, Task, run_tasks

METHODS = {"RRF": "rrf", "RBoost": "rboost", "CFS": "cfs", "FCBF": "fcbf"}
ALL = "all"
CLASSIFIERS = {"RF": "rf", "C4.5": "c45"}
FEATURES = "number of features selected"
ENOUGH = 5
"""Datasets that a statement on how often something happens needs."""
SIGNS = {"better": "+", "worse": "−", None: ""}
DATASETS = tuple(str(row["dataset"]) for row in published.table("ijcnn2012-table1"))

NOTES = (
    "RF: 200 trees of C45ForestClassifier, grown to purity, with log2(M) + 1 features drawn at a node, as Weka's; C4.5 "
    "with gain ratio and error-based pruning. RRF and RBoost: 100 trees, λ = 0.5; how many trees the paper's have is "
    "not told (Table II lies between what 100 and 200 select). RBoost draws rows by their weights: by weighing them, "
    "boosting would end with its first tree, which makes no error.",
    "sick, madelon and arcene: the first 2800, 2000 and 100 rows, which are the paper's. anneal: '?' is missing. "
    "hill_valley: which half of the data the paper has is not known. gina and hiva are not to be had.",
)


class Trials:
    """The trials of Tables II and III: every method on every half."""

    def __init__(self, study: Study, settings: Settings) -> None:
        self.study = study
        self.settings = settings
        self.places = [(repeat, fold) for repeat in range(settings.repeats) for fold in range(settings.folds)]
        usable = settings.usable(study.datasets)
        # A repetition of everything first: a run that is cut short has some of each dataset.
        tasks = [
            self.task(dataset, method, place)
            for place in self.places
            for dataset in usable
            for method in (ALL, *METHODS)
        ]
        self.outcomes = run_tasks(tasks, settings)

    def task(self, dataset: str, method: str, place: tuple[int, int]) -> Task:
        repeat, fold = place
        folds, seed = self.settings.folds, self.settings.random_state
        return Task.of(
            judge_selection, dataset=dataset, method=method, repeat=repeat, fold=fold, folds=folds, seed=seed
        )

    def values(self, dataset: str, method: str, measure: str) -> dict[tuple[int, int], float]:
        found: dict[tuple[int, int], float] = {}
        for place in self.places:
            outcome = self.outcomes.get(self.task(dataset, method, place))
            if outcome is not None and outcome.get("complete", True):
                found[place] = float(outcome[measure])
        return found

    def by_repeat(self, dataset: str, method: str, measure: str) -> dict[int, float]:
        """The mean over the folds of each repetition that is done: what the paper's test compares."""
        values = self.values(dataset, method, measure)
        means = {}
        for repeat in range(self.settings.repeats):
            of_repeat = [values[place] for place in self.places if place[0] == repeat and place in values]
            if len(of_repeat) == self.settings.folds:
                means[repeat] = sum(of_repeat) / len(of_repeat)
        return means


def table2(study: Study, settings: Settings) -> Reproduction:
    """How many features each method selects."""
    trials = Trials(study, settings)
    rows = []
    for dataset in study.datasets:
        for method in (ALL, *METHODS):
            cell = published_cell(study.name, dataset, METHODS.get(method, ALL), 1)
            status = settings.status_of(dataset)
            if status is not None:
                rows.append(absent(dataset, FEATURES, method, status, cell=cell))
                continue
            values = list(trials.values(dataset, method, "n_features").values())
            rows.append(mean_row(dataset, FEATURES, method, values, planned=len(trials.places), cell=cell))
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims_on_numbers(rows),
        notes=NOTES,
        digits={FEATURES: 1},
        interrupted=trials.outcomes.interrupted,
    )


def _claims_on_numbers(rows: Sequence[Row]) -> list[Claim]:
    ours = {(row.dataset, row.strategy): row.ours for row in rows if row.ours is not None}
    datasets = [dataset for dataset in DATASETS if all((dataset, method) in ours for method in METHODS)]
    fewer = sum(
        max(ours[dataset, "CFS"], ours[dataset, "FCBF"]) < min(ours[dataset, "RRF"], ours[dataset, "RBoost"])
        for dataset in datasets
    )
    alike = [abs(ours[dataset, "RBoost"] / ours[dataset, "RRF"] - 1) for dataset in datasets if ours[dataset, "RRF"]]
    on = f"on {len(datasets)} datasets"
    return [
        Claim(
            "In general, CFS and FCBF select fewer features than the regularized trees.",
            fewer > len(datasets) / 2 if datasets else None,
            f"both fewer than both on {fewer} of {len(datasets)}" if datasets else "",
        ),
        Claim(
            "RRF and RBoost are similar in the number of features selected.",
            sorted(alike)[len(alike) // 2] < 0.2 if alike else None,
            f"median difference {sorted(alike)[len(alike) // 2]:.0%} {on}" if alike else "",
        ),
    ]


def table3(study: Study, settings: Settings) -> Reproduction:
    """Accuracies with the features that each method selects, and whether they differ from those with all."""
    trials = Trials(study, settings)
    rows: list[Row] = []
    marks: dict[tuple[str, str, str], str | None] = {}
    for classifier, prefix in CLASSIFIERS.items():
        quantity = _accuracy_of(classifier)
        for dataset in study.datasets:
            status = settings.status_of(dataset)
            for method in (ALL, *METHODS):
                column = f"{prefix}_{METHODS.get(method, ALL)}"
                cell = published_cell(study.name, dataset, column, 1)
                if status is not None:
                    rows.append(absent(dataset, quantity, method, status, cell=cell))
                    continue
                mark = _mark(trials, dataset, method, prefix) if method in METHODS else None
                if method in METHODS:
                    marks[classifier, method, dataset] = mark
                values = list(trials.values(dataset, method, prefix).values())
                row = mean_row(
                    dataset,
                    quantity,
                    method,
                    values,
                    planned=len(trials.places),
                    cell=cell,
                    remark="" if mark == "unknown" else SIGNS[mark],
                )
                rows.append(row)
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims_on_accuracy(marks),
        notes=[
            *_wins(marks),
            *NOTES,
            "+ and −: better or worse than with all features (paired t-test over the repetitions, level 0.05).",
        ],
        digits={_accuracy_of(classifier): 3 for classifier in CLASSIFIERS},
        interrupted=trials.outcomes.interrupted,
    )


def _accuracy_of(classifier: str) -> str:
    return f"accuracy of {classifier}"


def _mark(trials: Trials, dataset: str, method: str, measure: str) -> str | None:
    """ "better", "worse", None where the test tells no difference, "unknown" where there is too little to test."""
    from palmette.comparison.significance import ALPHA, paired_t_test

    with_all, selected = (trials.by_repeat(dataset, name, measure) for name in (ALL, method))
    common = [repeat for repeat in with_all if repeat in selected]
    if len(common) < 2:
        return "unknown"
    first, second = ([values[repeat] for repeat in common] for values in (selected, with_all))
    if not paired_t_test(first, second) < ALPHA:
        return None
    return "better" if sum(first) > sum(second) else "worse"


def _wins(marks: Mapping[tuple[str, str, str], str | None]) -> list[str]:
    """The last line of the table: wins, losses and ties against all features, ours and the paper's."""
    notes = []
    for classifier, prefix in CLASSIFIERS.items():
        words = []
        for method, column in METHODS.items():
            judged = {
                dataset: mark
                for (of, by, dataset), mark in marks.items()
                if (of, by) == (classifier, method) and mark != "unknown"
            }
            theirs = {
                str(row["dataset"]): row[f"{prefix}_{column}_mark"] for row in published.table("ijcnn2012-table3")
            }
            same = _line(theirs[dataset] for dataset in judged)
            words.append(f"{method} {_line(judged.values())} ({same}; {_line(theirs.values())})")
        notes.append(
            f"Wins/losses/ties of {classifier} against all features, ours (the paper's on the same datasets; on all of "
            f"its 18): {', '.join(words)}."
        )
    return notes


def _line(marks: Iterable[Any]) -> str:
    listed = list(marks)
    return "/".join(str(listed.count(mark)) for mark in ("better", "worse", None))


def _claims_on_accuracy(marks: Mapping[tuple[str, str, str], str | None]) -> list[Claim]:
    def losses(classifier: str, method: str) -> int:
        return sum(mark == "worse" for (of, by, _), mark in marks.items() if (of, by) == (classifier, method))

    judged = {dataset for (_, _, dataset), mark in marks.items() if mark != "unknown"}
    told = len(judged) >= ENOUGH
    of_trees, of_filters = (
        max(losses("RF", method) for method in methods) for methods in (("RRF", "RBoost"), ("CFS", "FCBF"))
    )
    weak = max(losses("C4.5", method) for method in METHODS)
    return [
        Claim(
            "RF loses with the features of CFS and FCBF more often than with those of RRF and RBoost.",
            min(losses("RF", "CFS"), losses("RF", "FCBF")) > of_trees if told else None,
            f"losses: RRF, RBoost at most {of_trees}, CFS, FCBF at most {of_filters}, of {len(judged)}" if told else "",
        ),
        Claim(
            "C4.5 with the features of every method is competitive to C4.5 with all features.",
            weak <= len(judged) / 2 if told else None,
            f"at most {weak} losses of {len(judged)}" if told else "",
        ),
    ]


ERROR = "error of RF in % after so many features"
SECONDS = "seconds to select"
FIGURE_DATASETS = tuple(str(row["dataset"]) for row in published.table("ijcnn2012-figure4"))


def figure4(study: Study, settings: Settings) -> Reproduction:
    """The error of RF along the path of SVM-RFE, and where RRF ends by itself."""
    usable = settings.usable(study.datasets)
    common: dict[str, Any] = {"folds": settings.folds, "seed": settings.random_state}
    runs = {dataset: Task.of(judge_runs, dataset=dataset, runs=settings.repeats, **common) for dataset in usable}
    rankings = {dataset: Task.of(ranking_of_svm, dataset=dataset, **common) for dataset in usable}
    ranked = run_tasks([*runs.values(), *rankings.values()], settings, part=(0.0, 0.6))
    paths: dict[str, Task] = {}
    for dataset, task in rankings.items():
        outcome = ranked.get(task)
        if outcome is not None and outcome["complete"]:
            order = " ".join(map(str, outcome["order"]))
            paths[dataset] = Task.of(judge_ranking, dataset=dataset, order=order, **common)
    judged = run_tasks(list(paths.values()), settings, part=(0.6, 1.0))

    rows: list[Row] = []
    claims: list[Claim] = []
    for dataset in study.datasets:
        status = settings.status_of(dataset)
        run = None if status else _finished(ranked.get(runs[dataset]))
        ranking = None if status else _finished(ranked.get(rankings[dataset]))
        path = _finished(judged.get(paths[dataset])) if dataset in paths else None
        rows += _seconds(study, dataset, status, ranking, run)
        rows += _path_rows(dataset, status, path, run)
        claims += _claims_of_path(dataset, path, run, ranking)
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=claims,
        notes=[
            "SVM-RFE is scikit-learn's RFE(LinearSVC), one feature a step, on standardised columns: categories as "
            "numbers, missing values as medians. The paper prints its curves without numbers.",
            *NOTES[:1],
        ],
        axis={ERROR: "features"},
        digits={ERROR: 1, SECONDS: 2},
        interrupted=ranked.interrupted or judged.interrupted,
    )


def _finished(outcome: Outcome | None) -> Outcome | None:
    return outcome if outcome is not None and outcome.get("complete", True) else None


def _seconds(study: Study, dataset: str, status: Any, ranking: Outcome | None, run: Outcome | None) -> list[Row]:
    rows = []
    found = {"SVM-RFE": ranking and [ranking["seconds"]], "RRF": run and run["seconds"]}
    for strategy, column in (("SVM-RFE", "svm_rfe_seconds"), ("RRF", "rrf_seconds")):
        cell = published_cell(study.name, dataset, column, 1)
        if status is not None:
            rows.append(absent(dataset, SECONDS, strategy, status, cell=cell))
        else:
            rows.append(mean_row(dataset, SECONDS, strategy, found[strategy] or [], planned=1, cell=cell))
    return rows


def _path_rows(dataset: str, status: Any, path: Outcome | None, run: Outcome | None) -> list[Row]:
    if status is not None:
        return [absent(dataset, ERROR, strategy, status) for strategy in ("SVM-RFE", "RRF")]
    rows = []
    if path is None:
        rows.append(absent(dataset, ERROR, "SVM-RFE", "over the limit"))
    else:
        for size, error in zip(path["sizes"], path["errors"], strict=True):
            rows.append(mean_row(dataset, ERROR, "SVM-RFE", [100 * error], planned=1, at=float(size)))
    if run is None:
        rows.append(absent(dataset, ERROR, "RRF", "over the limit"))
    else:
        at = round(sum(run["sizes"]) / len(run["sizes"]), 1)
        errors = [100 * error for error in run["errors"]]
        remark = f"{min(run['sizes'])} to {max(run['sizes'])} features"
        rows.append(mean_row(dataset, ERROR, "RRF", errors, planned=len(errors), at=at, remark=remark))
    return rows


def _claims_of_path(dataset: str, path: Outcome | None, run: Outcome | None, ranking: Outcome | None) -> list[Claim]:
    near = faster = None
    shown = took = ""
    if path is not None and run is not None:
        best, mean = min(path["errors"]), sum(run["errors"]) / len(run["errors"])
        near = mean <= best + 0.05
        shown = f"RRF {mean:.1%}, the best of SVM-RFE's path {best:.1%}"
    if ranking is not None and run is not None:
        seconds = sum(run["seconds"]) / len(run["seconds"])
        faster = seconds < ranking["seconds"]
        took = f"{seconds:.2f} s against {ranking['seconds']:.1f} s"
    return [
        Claim("RF with RRF's features is competitive to the optimum of SVM-RFE's path.", near, shown, dataset),
        Claim("RRF takes much less time than SVM-RFE.", faster, took, dataset),
    ]


STUDIES = (
    Study(
        name="ijcnn2012-table2",
        title="The total number of features, and the average number selected by each method",
        claim="CFS and FCBF tend to select fewer features than the regularized tree ensembles.",
        datasets=DATASETS,
        run=table2,
        folds=2,
        short="--datasets sonar,parkinsons,autos,horse_colic,german --repeats 2",
    ),
    Study(
        name="ijcnn2012-table3",
        title="Accuracy of a random forest and of C4.5 with all features and with those that each method selects",
        claim="With the features of CFS or FCBF a forest loses far more often than it wins; with those of the "
        "regularized trees it is competitive to using all features. C4.5 is competitive with every method.",
        datasets=DATASETS,
        run=table3,
        folds=2,
        short="--datasets sonar,parkinsons,autos,horse_colic,german --repeats 2",
    ),
    Study(
        name="ijcnn2012-figure4",
        title="Error of a forest along the elimination path of SVM-RFE, and with the features of RRF",
        claim="The forest with RRF's features is competitive to the optimum of SVM-RFE, at a fraction of the time.",
        datasets=FIGURE_DATASETS,
        run=figure4,
        folds=2,
        trial_limit=600.0,
        short="--datasets clean1 --repeats 3",
    ),
)

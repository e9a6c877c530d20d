"""Table III and Figures 3 to 6 of Cagnini, Barros & Basgalupp (2017): J48, LEGAL-Tree and Ardennes.

The folds of one stratified cross-validation serve all: one to test, the next to validate, the others to train. A
repeat is a run with another seed on the same folds. J48 has no use for a validation set: it trains on both, once for
each fold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette import published
from palmette.reproduce.readings import folds_of, read
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row, published_cell
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.work import Task, run_tasks

TOLERANT = "Ardennes, tol=0.02"
STRATEGIES = {"J48": "j48", "LEGAL-Tree": "legal", "Ardennes": "ardennes", TOLERANT: "ardennes"}
MEASURES = {"test accuracy": "accuracy", "tree height": "height", "nodes": "nodes"}
TABLE = "cec2017-table3"
FIGURES = "cec2017-figures"
RUNS = 10
"""Folds, or means of runs, that the paper's standard deviations are over."""


def parts_of(y: Any, fold: int, folds: int, seed: int) -> tuple[Any, Any, Any]:
    """Rows to train on, to validate on and to test on; of two folds, a ninth of the training one validates."""
    every = folds_of(y, 0, folds, seed)
    training, test = every[fold]
    if folds < 3:
        validation = training[::9]
    else:
        validation = every[(fold + 1) % folds][1]
    return np.setdiff1d(training, validation), validation, test


def fit_tree(
    dataset: str, strategy: str, repeat: int, fold: int, folds: int, seed: int, time_limit: float, n_jobs: int
) -> dict[str, Any]:
    """One tree of one strategy on one fold, and how it does on the test samples."""
    from palmette import C45Classifier, EvolvedTreeClassifier, GeneticTreeClassifier

    X, y = read(dataset)
    training, validation, test = parts_of(y, fold, folds, seed)
    limits: dict[str, Any] = {"time_limit": time_limit, "n_jobs": n_jobs}
    tree: Any
    if strategy == "J48":
        both = np.union1d(training, validation)
        tree = C45Classifier(criterion="gain_ratio", pruning="error_based", **limits).fit(X.iloc[both], y[both])
    else:
        evolving = GeneticTreeClassifier if strategy == "LEGAL-Tree" else EvolvedTreeClassifier
        tolerance = 0.02 if strategy == TOLERANT else 0.0
        tree = evolving(tol=tolerance, random_state=seed + 1000 * repeat + fold, **limits)
        tree.fit(X.iloc[training], y[training], validation_set=(X.iloc[validation], y[validation]))
    return {
        "accuracy": float(tree.score(X.iloc[test], y[test])),
        "height": tree.depth_ + 1,
        "nodes": tree.n_nodes_,
        "complete": tree.status_ not in ("time_limit", "interrupted"),
        "interrupted": tree.status_ == "interrupted",
    }


def run_table(study: Study, settings: Settings) -> Reproduction:
    """Every strategy on every fold; the evolved ones several times."""

    def task(dataset: str, strategy: str, repeat: int, fold: int) -> Task:
        place = {"repeat": repeat, "fold": fold, "folds": settings.folds, "seed": settings.random_state}
        return Task.of(fit_tree, dataset=dataset, strategy=strategy, **place)

    def places(strategy: str) -> list[tuple[int, int]]:
        repeats = 1 if strategy == "J48" else settings.repeats
        return [(repeat, fold) for repeat in range(repeats) for fold in range(settings.folds)]

    tasks = [
        task(dataset, strategy, repeat, fold)
        for repeat in range(settings.repeats)
        for dataset in settings.usable(study.datasets)
        for strategy in STRATEGIES
        for at, fold in places(strategy)
        if at == repeat
    ]
    outcomes = run_tasks(tasks, settings)
    rows: list[Row] = []
    for dataset in study.datasets:
        status = settings.status_of(dataset)
        for quantity, key in MEASURES.items():
            for strategy, column in STRATEGIES.items():
                cell = published_cell(TABLE, dataset, f"{column}_{key}", RUNS)
                if status is not None:
                    rows.append(absent(dataset, quantity, strategy, status, cell=cell))
                    continue
                wanted = places(strategy)
                found = [
                    (fold, float(outcome[key]))
                    for repeat, fold in wanted
                    if (outcome := outcomes.get(task(dataset, strategy, repeat, fold))) and outcome["complete"]
                ]
                folds, values = [fold for fold, _ in found], [value for _, value in found]
                rows.append(mean_row(dataset, quantity, strategy, values, planned=len(wanted), folds=folds, cell=cell))
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims(rows),
        notes=[
            "J48 is C45Classifier(criterion='gain_ratio', pruning='error_based'), on the training and the validation "
            "folds; LEGAL-Tree is GeneticTreeClassifier, in the spirit of an outline: its numbers may differ.",
            "The paper says that only equal accuracies tie, but its heights and nodes are nearer to those of a "
            "tolerance. So Ardennes is there with tol=0 and with tol=0.02, beside the same published numbers.",
            "Our standard errors are those of the folds' means, because the runs of a fold share its samples; the "
            "paper's are its deviations over √10.",
            "Heights count levels. The paper rounds accuracies to 0.01 and gives none of its deviations for J48's.",
            "ionosphere has 34 features here, 33 in the paper; vehicle has 4 classes, the paper's Table I says 2.",
        ],
        digits={"test accuracy": 3},
        interrupted=outcomes.interrupted,
    )


def _claims(rows: list[Row]) -> list[Claim]:
    ours: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.ours is not None:
            ours.setdefault((row.quantity, row.dataset), {})[row.strategy] = row.ours

    def compared(quantity: str, strategy: str, sign: int) -> tuple[int, int]:
        """On how many datasets Ardennes is better than the strategy, or as good to two decimals; and of how many."""
        pairs = [
            (round(one["Ardennes"], 2), round(one[strategy], 2))
            for (at, _), one in ours.items()
            if at == quantity and {"Ardennes", strategy} <= set(one)
        ]
        return sum(sign * (a - b) >= 0 for a, b in pairs), len(pairs)

    claims = []
    for words, quantity, strategy, sign, needed in (
        ("Ardennes is at least as accurate as LEGAL-Tree on all ten datasets.", "test accuracy", "LEGAL-Tree", 1, 1.0),
        ("Ardennes' trees are lower than LEGAL-Tree's on nine of ten.", "tree height", "LEGAL-Tree", -1, 0.9),
        ("Ardennes' trees have fewer nodes than LEGAL-Tree's on all ten.", "nodes", "LEGAL-Tree", -1, 1.0),
        ("Ardennes is at least as accurate as J48 on seven of ten.", "test accuracy", "J48", 1, 0.7),
    ):
        good, total = compared(quantity, strategy, sign)
        claims.append(Claim(words, good >= needed * total if total else None, f"{good} of {total}" if total else ""))
    return claims


def watch_run(
    dataset: str, repeat: int, fold: int, folds: int, seed: int, time_limit: float, n_jobs: int
) -> dict[str, Any]:
    """One run of Ardennes, its generations, and the accuracies of its answer."""
    from palmette import EvolvedTreeClassifier

    X, y = read(dataset)
    training, validation, test = parts_of(y, fold, folds, seed)
    tree = EvolvedTreeClassifier(
        random_state=seed + 1000 * repeat + fold, record_distribution=False, time_limit=time_limit, n_jobs=n_jobs
    )
    held_out = {
        "validation_set": (X.iloc[validation], y[validation]),
        "watched_set": (X.iloc[test], y[test]),
    }
    tree.fit(X.iloc[training], y[training], **held_out)
    curves = {
        f"{measure} {part}": [getattr(getattr(step, attribute), part) for step in tree.history_]
        for measure, attribute in CURVES.items()
        for part in PARTS
    }
    return {
        "generations": tree.n_generations_,
        "height": tree.height_,
        "nodes": tree.n_nodes_,
        "training": float(tree.score(X.iloc[training], y[training])),
        "validation": float(tree.score(X.iloc[validation], y[validation])),
        "test": float(tree.score(X.iloc[test], y[test])),
        "curves": curves,
        "complete": tree.status_ not in ("time_limit", "interrupted"),
        "interrupted": tree.status_ == "interrupted",
    }


CURVES = {"Figure 4, tree height": "height", "Figure 5, fitness": "accuracy", "Figure 6, test accuracy": "watched"}
PARTS = ("best", "mean", "worst")
ANSWER = {
    "generations": "generations",
    "height": "height of the answer",
    "nodes": "nodes of the answer",
    "training": "training accuracy",
    "validation": "validation accuracy",
    "test": "test accuracy",
}


def run_figures(study: Study, settings: Settings) -> Reproduction:
    """Runs of Ardennes on iris: the answers' means beside the paper's one run, and the curves of the first."""
    (dataset,) = study.datasets
    places = [(repeat, fold) for repeat in range(settings.repeats) for fold in range(settings.folds)]
    seeds = {"folds": settings.folds, "seed": settings.random_state}
    tasks = [Task.of(watch_run, dataset=dataset, repeat=repeat, fold=fold, **seeds) for repeat, fold in places]
    status = settings.status_of(dataset)
    outcomes = run_tasks([] if status else tasks, settings)
    found = [outcome for task in tasks if (outcome := outcomes.get(task)) and outcome["complete"]]
    rows: list[Row] = []
    for key, quantity in ANSWER.items():
        cell = published_cell(FIGURES, dataset, key, 1)
        if status is not None:
            rows.append(absent(dataset, quantity, "Ardennes", status, cell=cell))
        else:
            values = [float(outcome[key]) for outcome in found]
            rows.append(mean_row(dataset, quantity, "Ardennes", values, planned=len(tasks), cell=cell))
    first = outcomes.get(tasks[0])
    for measure in CURVES:
        for part in PARTS:
            values = first["curves"][f"{measure} {part}"] if first and first["complete"] else []
            rows += [
                mean_row(dataset, measure, part, [value], planned=1, at=generation)
                for generation, value in enumerate(values)
            ] or [absent(dataset, measure, part, status or "over the limit", at=0)]
    heights = first["curves"]["Figure 4, tree height best"] if first else []
    fitness = first["curves"]["Figure 5, fitness best"] if first else []
    settled = heights[fitness.index(fitness[-1])] if fitness else 0
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=[
            Claim(
                "The fittest individual never gets worse, and once fitness stands still, trees get lower.",
                None if not fitness else fitness == sorted(fitness) and heights[-1] <= settled,
                f"height {settled:g}, in the end {heights[-1]:g}" if fitness else "",
            ),
            Claim(
                "Ardennes fits the training set: the fittest individual makes no error on it.",
                None if not fitness else fitness[-1] == 1.0,
                f"{fitness[-1]:.3f}" if fitness else "",
            ),
        ],
        notes=[
            "The paper's numbers are of a single run; the curves here are of the first fold and run. Figure 3 is "
            "EvolvedTreeClassifier.plot_evolution(); Figures 8 to 10 draw Table III.",
        ],
        axis=dict.fromkeys(CURVES, "generation"),
        digits={"training accuracy": 3, "validation accuracy": 3, "test accuracy": 3},
        interrupted=outcomes.interrupted,
    )


STUDIES = (
    Study(
        name=TABLE,
        title="J48, LEGAL-Tree and Ardennes: test accuracy, tree height and nodes",
        claim="Ardennes is more accurate than LEGAL-Tree, with lower and smaller trees, and as accurate as J48 with "
        "trees that are 5 % smaller.",
        datasets=tuple(str(row["dataset"]) for row in published.table(TABLE)),
        run=run_table,
        short="--repeats 1",
    ),
    Study(
        name=FIGURES,
        title="Height, fitness and test accuracy over the generations of Ardennes on iris (Figures 4 to 6)",
        claim="Exploration, exploitation and pruning take turns: fitness converges, then the lower tree is preferred.",
        datasets=("iris",),
        run=run_figures,
        repeats=1,
        short="--repeats 1",
    ),
)

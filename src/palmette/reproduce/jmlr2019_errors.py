"""Tables 2, 3, 4, 6 and 8 of Ruggieri (2019): errors, features and stability of trees and forests.

`trials.py` runs one strategy on one triple; this file says which trials a table needs, and makes rows of them. A search
that runs out of time counts with the best subset it had, and the row tells how many were proved; an elimination or a
forest that does counts as not done.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from palmette import published
from palmette.reproduce.readings import NOTES
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.rows import absent, mean_row, published_cell
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.trials import forest_trial, tree_trial
from palmette.reproduce.work import Outcome, Task, run_tasks

PAPER_FOLDS = 100
SEARCH, TEST = "search error in %", "generalization error in %"
FEATURES, STABILITY = "number of features used", "stability of the features used (Pearson)"
FORESTS = ("RF", "DTsbe+RF")
COMPLETE = "DTaccept0"

Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Block:
    """Strategies that the paper sets side by side, and tests against each other, in one quantity."""

    quantity: str
    measure: str
    columns: Mapping[str, str]
    highest: bool = False


def _named(prefix: str, *strategies: str) -> dict[str, str]:
    return {strategy: prefix + strategy.lower().replace("+", "_") for strategy in strategies}


TREES = ("baseline", "DTsbe", COMPLETE)
BLOCKS = {
    2: (
        Block(SEARCH, "search_error", _named("search_", *TREES)),
        Block(TEST, "test_error", _named("generalization_", *TREES)),
    ),
    3: (Block(TEST, "test_error", _named("", *FORESTS)),),
    4: (
        Block(FEATURES, "n_used", _named("features_", *TREES)),
        Block(STABILITY, "stability", _named("stability_", *TREES), highest=True),
    ),
    6: (Block(TEST, "pruned_error", _named("", *TREES)), Block(TEST, "test_error", _named("", *FORESTS))),
    8: (Block(TEST, "test_error", _named("", *TREES)), Block(TEST, "test_error", _named("", *FORESTS))),
}


class Trials:
    """The trials of a table: which there are, which to leave out, and what came of them."""

    def __init__(self, study: Study, settings: Settings, number: int) -> None:
        self.study = study
        self.settings = settings
        self.criterion = "gain_ratio" if number == 8 else "information_gain"
        self.pruned = int(number == 6)
        self.places: list[Place] = [(r, f) for r in range(settings.repeats) for f in range(settings.folds)]
        self.datasets = smallest_first(settings.usable(study.datasets))
        self.strategies = list(dict.fromkeys(strategy for block in BLOCKS[number] for strategy in block.columns))
        self.proves = {
            dataset
            for dataset in self.datasets
            if published_cell("jmlr2019-table2", dataset, "search_dtaccept0", 1)[0] is not None
        }
        self.done: dict[Task, Outcome] = {}
        self.interrupted = False

    def run(self) -> None:
        """All of them, a repetition at a time: what is quick first, so that a short run has some of everything."""
        quick = [name for name in ("baseline", "DTsbe") if name in self.strategies]
        if "DTsbe+RF" in self.strategies and "DTsbe" not in quick:
            quick.append("DTsbe")
        phases: list[tuple[Callable[..., Iterable[Task]], tuple[str, ...]]] = [(self._trees, tuple(quick))]
        phases += [(self._forests, tuple(name for name in FORESTS if name in self.strategies))]
        phases += [(self._trees, tuple(name for name in self.strategies if name == COMPLETE))]
        phases = [(make, names) for make, names in phases if names]
        n_parts = len(phases) * self.settings.repeats
        for at in range(n_parts):
            make, names = phases[at % len(phases)]
            part = (at / n_parts, (at + 1) / n_parts)
            outcomes = run_tasks(list(make(names, at // len(phases))), self.settings, skip=self._given_up, part=part)
            self.done |= outcomes.done
            if outcomes.interrupted:
                self.interrupted = True
                return

    def tree(self, dataset: str, strategy: str, place: Place) -> Task:
        return Task.of(tree_trial, m=2, strategy=strategy, **self._common(dataset, place))

    def forest(self, dataset: str, strategy: str, place: Place) -> Task | None:
        """The trial of a forest; None where the elimination that it builds on is not done."""
        features = "all"
        if strategy != "RF":
            selected = self.done.get(self.tree(dataset, "DTsbe", place))
            if selected is None or not selected["complete"]:
                return None
            features = " ".join(map(str, selected["features"]))
        return Task.of(forest_trial, features=features, pruned=self.pruned, **self._common(dataset, place))

    def _common(self, dataset: str, place: Place) -> dict[str, Any]:
        repeat, fold = place
        return {
            "dataset": dataset,
            "criterion": self.criterion,
            "repeat": repeat,
            "fold": fold,
            "folds": self.settings.folds,
            "seed": self.settings.random_state,
        }

    def _trees(self, strategies: Sequence[str], repeat: int) -> Iterable[Task]:
        for dataset in self.datasets:
            for fold in range(self.settings.folds):
                for strategy in strategies:
                    yield self.tree(dataset, strategy, (repeat, fold))

    def _forests(self, strategies: Sequence[str], repeat: int) -> Iterable[Task]:
        for dataset in self.datasets:
            for fold in range(self.settings.folds):
                for strategy in strategies:
                    task = self.forest(dataset, strategy, (repeat, fold))
                    if task is not None:
                        yield task

    def _given_up(self, task: Task, done: Mapping[Task, Outcome]) -> bool:
        """Whether the first fold was too much for a fit; a search goes on where the paper's ended within its hour."""
        arguments = dict(task.arguments)
        dataset, strategy = str(arguments["dataset"]), str(arguments.get("strategy", "RF"))
        if strategy == COMPLETE and dataset in self.proves:
            return False
        first = self.tree(dataset, strategy, (0, 0)) if "strategy" in arguments else self.forest(dataset, "RF", (0, 0))
        outcome = None if first is None else done.get(first) or self.done.get(first)
        return outcome is not None and not outcome["complete"]

    def outcomes(self, dataset: str, strategy: str) -> dict[Place, Outcome]:
        """What there is of a strategy on a dataset, by place: searches that were cut short too, but no others."""
        found = {}
        for place in self.places:
            task = self.forest(dataset, strategy, place) if strategy in FORESTS else self.tree(dataset, strategy, place)
            outcome = None if task is None else self.done.get(task)
            if outcome is not None and (outcome["complete"] or (strategy == COMPLETE and dataset in self.proves)):
                found[place] = outcome
        return found


def smallest_first(datasets: Iterable[str]) -> list[str]:
    """By the number of cells, so that a study that runs out of time has finished as many as it could."""
    from palmette.datasets import available

    sizes = {record.name: (record.rows or 0) * (record.features or 0) for record in available()}
    return sorted(datasets, key=lambda dataset: sizes.get(dataset, math.inf))


def run(study: Study, settings: Settings, *, number: int) -> Reproduction:
    """Run what the table needs, and set it beside the paper's."""
    trials = Trials(study, settings, number)
    trials.run()
    rows = [row for dataset in study.datasets for block in BLOCKS[number] for row in _rows(trials, dataset, block)]
    rows += _correlation(rows) if number == 3 else []
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=CLAIMS[number](trials, rows),
        notes=_notes(trials, number),
        interrupted=trials.interrupted,
    )


def _rows(trials: Trials, dataset: str, block: Block) -> list[Row]:
    from palmette.comparison.significance import marks

    name, status = trials.study.name, trials.settings.status_of(dataset)
    cells = {strategy: published_cell(name, dataset, column, PAPER_FOLDS) for strategy, column in block.columns.items()}
    if status is not None:
        return [absent(dataset, block.quantity, strategy, status, cell=cell) for strategy, cell in cells.items()]
    outcomes = {strategy: trials.outcomes(dataset, strategy) for strategy in block.columns}
    values = {strategy: _values(found, block.measure, dataset) for strategy, found in outcomes.items()}
    given = marks(values, highest=block.highest)
    rows = []
    for strategy, column in block.columns.items():
        found = outcomes[strategy]
        proved = sum(bool(outcome.get("proved", True)) for outcome in found.values())
        estimate = published.estimate(name, dataset, column)
        row = mean_row(
            dataset,
            block.quantity,
            strategy,
            list(values[strategy].values()),
            planned=len(trials.places),
            cell=cells[strategy],
            remark=f"{proved} of {len(found)} proved" if proved < len(found) else "",
            mark=given[strategy],
            published_mark=estimate.mark if estimate else None,
        )
        rows.append(_of_pairs(row, found, dataset) if block.measure == "stability" and row.ours is not None else row)
    return rows


def _values(found: Mapping[Place, Outcome], measure: str, dataset: str) -> dict[Any, float]:
    if measure == "n_used":
        return {place: float(len(outcome["used"])) for place, outcome in found.items()}
    if measure == "stability":
        return _correlations(found, dataset)
    return {place: float(outcome[measure]) for place, outcome in found.items()}


def _masks(found: Mapping[Place, Outcome], dataset: str) -> Any:
    from palmette.reproduce.readings import read

    masks = np.zeros((len(found), read(dataset)[0].shape[1]), dtype=bool)
    for mask, outcome in zip(masks, found.values(), strict=True):
        mask[list(outcome["used"])] = True
    return masks


def _correlations(found: Mapping[Place, Outcome], dataset: str) -> dict[Any, float]:
    """The correlation of the features used on two triples, by pair."""
    from palmette.comparison.stability import pairwise_correlations

    if len(found) < 2:
        return {}
    table = pairwise_correlations(_masks(found, dataset))
    places = list(found)
    return {
        (places[first], places[second]): float(table[first, second])
        for first in range(len(places))
        for second in range(first + 1, len(places))
    }


def _of_pairs(row: Row, found: Mapping[Place, Outcome], dataset: str) -> Row:
    """A mean over pairs has the standard error of its sets, not of its pairs."""
    from dataclasses import replace

    from palmette.comparison.stability import stability_score

    score = stability_score(_masks(found, dataset))
    error = (score.high - score.low) / (2 * 1.959963984540054)
    return replace(row, standard_error=error if math.isfinite(error) else None, n=len(found))


def _correlation(rows: Sequence[Row]) -> list[Row]:
    """Section 7.5: the more features, the more a forest gains by eliminating some first."""
    from scipy.stats import spearmanr

    sizes = {row["dataset"]: row["features"] for row in published.table("jmlr2019-table1")}
    pairs = {row.dataset: row for row in rows if row.strategy == "RF" and row.ours is not None and row.n > 1}
    gains = {}
    for row in rows:
        plain = pairs.get(row.dataset)
        if row.strategy == "DTsbe+RF" and row.ours is not None and plain is not None and plain.standard_error:
            assert plain.ours is not None
            gains[row.dataset] = (plain.ours - row.ours) / (plain.standard_error * math.sqrt(plain.n))
    quantity, paper = "rank correlation of features and gain", published.stated("jmlr2019-table3", "rank_correlation")
    if len(gains) < 3:
        return [Row("all", quantity, "RF − DTsbe+RF", published=paper, status="over the limit")]
    ours = float(spearmanr([sizes[dataset] for dataset in gains], list(gains.values())).statistic)
    return [Row("all", quantity, "RF − DTsbe+RF", ours=ours, n=len(gains), published=paper)]


def _ours(rows: Sequence[Row], quantity: str, strategy: str) -> dict[str, float]:
    return {
        row.dataset: row.ours
        for row in rows
        if row.quantity == quantity and row.strategy == strategy and row.ours is not None
    }


def _always_lower(words: str, lower: Mapping[str, float], higher: Mapping[str, float], factor: float = 1.0) -> Claim:
    """A claim that one strategy has the lower number on every dataset."""
    both = [dataset for dataset in lower if dataset in higher]
    against = [dataset for dataset in both if lower[dataset] > factor * higher[dataset]]
    evidence = f"{len(both) - len(against)} of {len(both)} datasets"
    if against:
        evidence += f"; not {', '.join(against)}"
    return Claim(words, not against if both else None, evidence if both else "")


def _claims_of_table2(trials: Trials, rows: Sequence[Row]) -> list[Claim]:
    search = {strategy: _ours(rows, SEARCH, strategy) for strategy in TREES}
    test = {strategy: _ours(rows, TEST, strategy) for strategy in TREES}
    gaps = {}
    common = [dataset for dataset in test[COMPLETE] if dataset in test["DTsbe"]]
    for strategy in TREES:
        gaps[strategy] = float(np.mean([test[strategy][d] - search[strategy][d] for d in common])) if common else 0.0
    wins = {
        strategy: sum(row.mark == "best" for row in rows if row.quantity == TEST and row.strategy == strategy)
        for strategy in TREES
    }
    enough = sum(wins.values()) >= 10
    return [
        _always_lower("The search error of DTsbe is lower than the baseline's.", search["DTsbe"], search["baseline"]),
        _always_lower("The best subset has the lowest search error.", search[COMPLETE], search["DTsbe"]),
        Claim(
            "DTsbe generalizes best more often than the baseline and than the complete search.",
            wins["DTsbe"] == max(wins.values()) if enough else None,
            ", ".join(f"{strategy} wins {count}" for strategy, count in wins.items()),
        ),
        Claim(
            "The more is searched, the further the search error is below the generalization error.",
            gaps["baseline"] < gaps["DTsbe"] < gaps[COMPLETE] if common else None,
            ", ".join(f"{strategy} {gap:+.1f}" for strategy, gap in gaps.items()) if common else "",
        ),
    ]


def _claims_of_table3(trials: Trials, rows: Sequence[Row]) -> list[Claim]:
    found = next(row for row in rows if row.dataset == "all")
    return [
        Claim(
            "On tables of many features, elimination before the forest pays: the rank correlation is positive.",
            found.ours > 0 if found.ours is not None and found.n >= 8 else None,
            f"{found.ours:.2f} over {found.n} datasets" if found.ours is not None else "",
        )
    ]


def _claims_of_table4(trials: Trials, rows: Sequence[Row]) -> list[Claim]:
    features = {strategy: _ours(rows, FEATURES, strategy) for strategy in TREES}
    stability = {strategy: _ours(rows, STABILITY, strategy) for strategy in TREES}
    return [
        _always_lower("DTsbe uses fewer features than the baseline.", features["DTsbe"], features["baseline"]),
        _always_lower("The baseline is the most stable.", stability["DTsbe"], stability["baseline"]),
        _always_lower("The complete search is less stable still.", stability[COMPLETE], stability["baseline"]),
    ]


def _claims_of_table6(trials: Trials, rows: Sequence[Row]) -> list[Claim]:
    pruned = _ours(rows, TEST, "baseline")
    plain = {}
    for dataset in pruned:
        found = trials.outcomes(dataset, "baseline")
        plain[dataset] = float(np.mean([outcome["test_error"] for outcome in found.values()]))
    smaller = sum(pruned[dataset] <= plain[dataset] for dataset in pruned)
    return [
        Claim(
            "Pruning lowers the generalization error almost always.",
            smaller > len(pruned) / 2 if pruned else None,
            f"of the baseline on {smaller} of {len(pruned)} datasets" if pruned else "",
        )
    ]


def _claims_of_table8(trials: Trials, rows: Sequence[Row]) -> list[Claim]:
    trees, forests = _ours(rows, TEST, "baseline"), _ours(rows, TEST, "RF")
    both = [dataset for dataset in trees if dataset in forests]
    better = sum(forests[dataset] < trees[dataset] for dataset in both)
    return [
        Claim(
            "Forests err less than a single tree on most datasets, under the gain ratio too.",
            better > len(both) / 2 if both else None,
            f"{better} of {len(both)} datasets" if both else "",
        )
    ]


CLAIMS = {
    2: _claims_of_table2,
    3: _claims_of_table3,
    4: _claims_of_table4,
    6: _claims_of_table6,
    8: _claims_of_table8,
}


def _notes(trials: Trials, number: int) -> list[str]:
    settings = trials.settings
    notes = [NOTES[dataset] for dataset in trials.datasets if dataset in NOTES]
    if COMPLETE in trials.strategies:
        notes.append(
            f"A complete search has {settings.trial_limit:g} s a fold (the paper's: 1 h). Where the paper has a number, "
            "a fold without a proof counts with the best subset found; elsewhere a first fold without a proof ends it."
        )
    if number == 4:
        notes.append(
            "The paper's spread of the stability is over pairs of folds; its standard error is taken as sd/10."
        )
    return notes


TITLES = {
    2: "Estimated (search) and generalization (cross-validation) errors; information gain, m = 2",
    3: "Generalization errors of random forests; information gain, m = 2",
    4: "Number of features and their stability in cross-validation; information gain, m = 2",
    6: "Generalization errors with error-based pruning; information gain, m = 2",
    8: "Generalization errors under the gain ratio; m = 2",
}
WORDS = {
    2: "Elimination (DTsbe) generalizes better than the baseline and than the complete search (DTaccept0), whose "
    "search error is lowest: oversearching overfits.",
    3: "Feature selection before a random forest pays on tables of many features (rank correlation 0.49).",
    4: "DTsbe uses half of the baseline's features or fewer; selection makes the features less stable, and complete "
    "search more so.",
    6: "Winners are almost those of Table 2; pruned trees err less nearly everywhere, pruned forests do not.",
    8: "Under the gain ratio the baseline wins or ties in three more cases, and elimination helps forests less.",
}
SHORT = {
    2: "--datasets ionosphere,sonar,anneal,hypo --repeats 1 --trial-limit 5 --time-limit 60",
    3: "--datasets ionosphere,sonar,anneal,clean1,hypo --repeats 1 --time-limit 60",
    4: "--datasets ionosphere,sonar,anneal,hypo --repeats 1 --trial-limit 5 --time-limit 60",
    6: "--datasets ionosphere,sonar,anneal --repeats 1 --trial-limit 5 --time-limit 60",
    8: "--datasets ionosphere,sonar,anneal --repeats 1 --trial-limit 5 --time-limit 60",
}
STUDIES = tuple(
    Study(
        name=f"jmlr2019-table{number}",
        title=TITLES[number],
        claim=WORDS[number],
        datasets=tuple(str(row["dataset"]) for row in published.table(f"jmlr2019-table{number}")),
        run=partial(run, number=number),
        short=SHORT[number],
    )
    for number in BLOCKS
)

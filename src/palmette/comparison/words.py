"""What a comparison tells, in sentences: who errs least, what a search error is worth, and who searched too much."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from palmette.comparison.cells import ComparisonCell, DatasetRecord
from palmette.comparison.significance import ALPHA, BEST, STAR, corrected_t_test
from palmette.search.outcome import PROVED

if TYPE_CHECKING:
    from palmette.comparison.result import Comparison

__all__ = ["about_trees", "oversearched", "summarize"]

FAR_BELOW = 0.75
"""A search error below this share of the test error, and not by chance, is what oversearching looks like."""


def summarize(comparison: Comparison) -> str:
    """A paragraph for each dataset, and one for all."""
    paragraphs = [_of_dataset(comparison, dataset) for dataset in comparison.datasets]
    if comparison.status != "complete":
        how = "by its time limit" if comparison.status == "time_limit" else "by an interruption"
        ran = f"{len(comparison.results)} of {comparison.n_trials} trials were run"
        paragraphs.insert(0, f"The comparison was ended {how}: {ran}.")
    if len(comparison.datasets) > 1:
        paragraphs.append(_of_all(comparison))
    return "\n\n".join(paragraphs)


def _of_dataset(comparison: Comparison, dataset: DatasetRecord) -> str:
    cells = [comparison.cells[dataset.name, strategy] for strategy in comparison.strategies]
    sentences = [f"{dataset.name}: {_winner(comparison, cells)}"]
    sentences += _verdicts(comparison, cells, dataset)
    sentences += [
        f"{cell.strategy} failed in {len(cell.failures)} trials: {cell.failures[0].message}"
        for cell in cells
        if cell.failures
    ]
    return " ".join(sentences)


def _winner(comparison: Comparison, cells: list[ComparisonCell]) -> str:
    by_mark: dict[str | None, list[str]] = {BEST: [], STAR: [], None: []}
    corrected = []
    for cell in cells:
        summary = cell.summaries.get("test_error")
        if summary is None:
            continue
        by_mark[summary.mark].append(cell.strategy)
        if summary.mark is None and summary.mark_corrected == STAR:
            corrected.append(cell.strategy)
    if not by_mark[BEST]:
        return "no trial was finished."
    best = by_mark[BEST]
    found = [cell.summaries["test_error"] for cell in cells if cell.strategy in best]
    fewest = min(summary.n for summary in found)
    trials = "1 trial" if fewest == 1 else f"{fewest} trials"
    if len(best) == 1:
        error = _percent(found[0].mean, found[0].sd)
        words = f"{best[0]} errs least on held-out samples, {error} over {trials}."
    else:
        least = "at least " if any(summary.n > fewest for summary in found) else ""
        error = _percent(found[0].mean, math.nan)
        words = f"{_joined(best)} err least on held-out samples, {error} each over {least}{trials}."
    it = "it" if len(best) == 1 else "them"
    if by_mark[STAR]:
        words += f" {_joined(by_mark[STAR])} {_do(by_mark[STAR])} not differ from {it} at 95 %."
    if corrected:
        too = "either" if by_mark[STAR] else "at 95 %"
        words += (
            f" Once the training samples that folds share are allowed for, {_joined(corrected)} {_do(corrected)} not "
            f"differ from {it} {too}."
        )
    return words


def _verdicts(comparison: Comparison, cells: list[ComparisonCell], dataset: DatasetRecord) -> list[str]:
    """What searches found, what that is worth, and who searched too much."""
    protocol = comparison.protocol
    n_search = round(dataset.n_samples * (1 - 1 / protocol.folds) * protocol.search_size)
    sentences, over = [], []
    for cell in cells:
        search, test = cell.summaries.get("search_error"), cell.summaries.get("test_error")
        if search is None or test is None:
            continue
        proved = [trial.status for trial in cell.trials if trial.status in PROVED]
        held_out = f"held-out error {_percent(test.mean, test.sd)}"
        if proved:
            often = "" if len(proved) == len(cell.trials) else f" in {len(proved)} of {len(cell.trials)} trials"
            what = "within its gap of the best" if "within_gap" in proved else "best"
            sentences.append(
                f"{cell.strategy}: proved {what} on the search set{often}, with an error of {100 * search.mean:.1f} % "
                f"there; not a generalization estimate: {held_out}."
            )
        if oversearched(cell, protocol.folds):
            over.append(cell.strategy)
            if not proved:
                sentences.append(f"{cell.strategy}: search error {100 * search.mean:.1f} %, but {held_out}.")
    if over:
        # Only a complete search has a gap and a penalty.
        complete = any(trial.status in PROVED for cell in cells if cell.strategy in over for trial in cell.trials)
        remedies = "search samples, an `error_gap` or a `feature_penalty` leave" if complete else "search samples leave"
        sentences.append(
            f"Oversearching: on the {n_search} search samples {_joined(over)} {'errs' if len(over) == 1 else 'err'} "
            "far less than on held-out ones; a part of what was found there is chance. Trust the held-out errors; more "
            f"{remedies} less to chance."
        )
    return sentences


def oversearched(cell: ComparisonCell, folds: int) -> bool:
    """Whether the search error lies far below the test error, and not by chance (corrected test at 95 %).

    The papers saw it where many trees are judged on a small search set. What has not been selected there cannot be.
    """
    pairs = [
        (trial.search_error, trial.test_error)
        for trial in cell.trials
        if trial.searched and trial.search_error is not None and trial.test_error is not None
    ]
    if len(pairs) < 2:
        return False
    searched, tested = zip(*pairs, strict=True)
    far = sum(searched) < FAR_BELOW * sum(tested)
    return far and corrected_t_test(searched, tested, 1 / (folds - 1)) < ALPHA


def about_trees(cells: Iterable[ComparisonCell]) -> str:
    """What a reader must know where a search counts no tree; else nothing."""
    if any(trial.n_trees == 0 for cell in cells for trial in cell.trials):
        return "Trees of a complete search: those that its proof completed, after a quick first search."
    return ""


def _of_all(comparison: Comparison) -> str:
    wins = {name: best for name, (best, _) in comparison.wins().items() if best}
    shares = [f"{name} on {count}" for name, count in sorted(wins.items(), key=lambda item: -item[1])]
    return f"Of {len(comparison.datasets)} datasets, the lowest test error has {_joined(shares)}." if shares else ""


def _percent(mean: float, sd: float) -> str:
    return f"{100 * mean:.1f} %" if sd != sd else f"{100 * mean:.1f} % ± {100 * sd:.1f}"


def _do(names: list[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

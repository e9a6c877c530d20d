"""A comparison as text that fits a terminal, in the manner of the papers' tables."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from palmette.comparison.cells import MEASURES, ComparisonCell, DatasetRecord, Summary
from palmette.comparison.significance import BEST, STAR
from palmette.comparison.words import about_trees
from palmette.support.parameters import InvalidParameterError, check_choice, check_number

if TYPE_CHECKING:
    from palmette.comparison.result import Comparison

__all__ = ["comparison_table", "measured", "read_measures"]

SHOWN = ("search_error", "test_error", "n_used", "stability", "seconds", "n_trees")
ERRORS = ("search_error", "test_error")
NOTHING = "–"
GAP = "  "


def comparison_table(comparison: Comparison, measures: Sequence[str] | str | None, width: int | None) -> str:
    """The table, what its signs mean, and what the reader must know of its cells."""
    chosen = read_measures(measures)
    check_number("width", width, 20, integer=True, none_allowed=True)
    columns = int(width) if width is not None else max(20, shutil.get_terminal_size((100, 24)).columns)
    if len(comparison.datasets) == 1:
        parts = [fill(_heading(comparison, comparison.datasets[0]), columns), *_of_one(comparison, chosen, columns)]
    else:
        parts = [fill(f"{_division(comparison)}.", columns)]
        parts += [block for name in chosen for block in _of_many(comparison, name, columns)]
    footnotes = "\n".join(fill(line, columns, subsequent_indent=GAP) for line in _footnotes(comparison))
    return "\n\n".join(part for part in [*parts, fill(_legend(comparison, chosen), columns), footnotes] if part)


def read_measures(measures: Sequence[str] | str | None) -> tuple[str, ...]:
    """The names of the measures to show, checked; None for the usual ones."""
    chosen = (measures,) if isinstance(measures, str) else SHOWN if measures is None else tuple(measures)
    if not chosen:
        raise InvalidParameterError(f"`measures` is empty. Choose of {', '.join(MEASURES)}.")
    for name in chosen:
        check_choice("measures", name, tuple(MEASURES))
    return chosen


def _division(comparison: Comparison) -> str:
    protocol = comparison.protocol
    share = f"{100 * protocol.search_size:g} %"
    return f"{protocol.repeats} × {protocol.folds} folds, {share} of each training part to search on"


def _heading(comparison: Comparison, dataset: DatasetRecord) -> str:
    size = f"{dataset.n_samples} samples, {dataset.n_features} features, {dataset.n_classes} classes"
    return f"{dataset.name}: {size}. {_division(comparison)}."


def _title(name: str) -> str:
    return f"{MEASURES[name].title} %" if name in ERRORS else MEASURES[name].title


def _of_one(comparison: Comparison, chosen: Sequence[str], width: int) -> list[str]:
    """One dataset: a row for each strategy."""
    dataset = comparison.datasets[0].name
    rows = [["strategy", *map(_title, chosen)]]
    for strategy in comparison.strategies:
        cell = comparison.cells[dataset, strategy]
        rows.append([strategy, *(_shown(comparison, cell, name) for name in chosen)])
    return _blocks(rows, width)


def _of_many(comparison: Comparison, name: str, width: int) -> list[str]:
    """Several datasets, one measure: a row for each dataset, and the wins."""
    rows = [["dataset", *comparison.strategies]]
    for dataset in comparison.datasets:
        cells = (comparison.cells[dataset.name, strategy] for strategy in comparison.strategies)
        rows.append([dataset.name, *(_shown(comparison, cell, name) for cell in cells)])
    if MEASURES[name].marked:
        rows.append(["wins/*", *(f"{best}/{star}" for best, star in comparison.wins(name).values())])
    title = _title(name)
    first, *others = _blocks(rows, width)
    return [f"{title}\n{first}", *(f"{title}, continued\n{block}" for block in others)]


def _shown(comparison: Comparison, cell: ComparisonCell, name: str) -> str:
    summary = cell.summaries.get(name)
    if summary is None:
        return NOTHING
    words = measured(name, summary)
    mark = _mark(summary)
    if mark:
        words += f" {mark}"
    if _rests_on_few(comparison, name, summary):
        words += f" ({summary.n})"
    return words


def _rests_on_few(comparison: Comparison, name: str, summary: Summary) -> bool:
    """Whether the cell says on how many trials it rests: some are lacking. A stability is one of pairs of trials."""
    return name != "stability" and summary.n < comparison.trials_a_cell


def measured(name: str, summary: Summary) -> str:
    """A mean with its deviation, in the digits that suit the measure; errors in percent.

    >>> measured("test_error", Summary(0.25838, 0.0905, 100)), measured("n_trees", Summary(1234.0, 10.0, 100))
    ('25.84 ± 9.05', '1,234')
    """
    if name in ERRORS:
        return _with_spread(100 * summary.mean, 100 * summary.sd, 2)
    if name == "stability":
        return _with_spread(summary.mean, summary.sd, 2)
    if name in ("n_used", "n_selected"):
        return _with_spread(summary.mean, summary.sd, 1)
    if name == "n_trees":
        return (
            f"{summary.mean:,.0f}"
            if summary.mean >= 100 or summary.mean == int(summary.mean)
            else f"{summary.mean:.1f}"
        )
    return (
        f"{summary.mean:.2g}"
        if summary.mean < 10
        else f"{summary.mean:.1f}"
        if summary.mean < 100
        else f"{summary.mean:,.0f}"
    )


def _with_spread(mean: float, sd: float, digits: int) -> str:
    spread = "" if sd != sd else f" ± {sd:.{digits}f}"
    return f"{mean:.{digits}f}{spread}"


def _mark(summary: Summary) -> str:
    if summary.mark == BEST:
        return "●"
    if summary.mark == STAR:
        return "*"
    return "°" if summary.mark_corrected == STAR else ""


def _blocks(rows: list[list[str]], width: int) -> list[str]:
    """The rows with aligned columns; what is too wide is continued in further blocks, under the first column again."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    groups: list[list[int]] = []
    room = 0
    for column in range(1, len(widths)):
        needed = len(GAP) + widths[column]
        if not groups or needed > room:
            groups.append([])
            room = width - widths[0]
        groups[-1].append(column)
        room -= needed
    return [
        "\n".join(GAP.join(row[column].ljust(widths[column]) for column in [0, *group]).rstrip() for row in rows)
        for group in groups
    ]


def _legend(comparison: Comparison, chosen: Sequence[str]) -> str:
    shown = [
        (name, summary)
        for cell in comparison.cells.values()
        for name in chosen
        if (summary := cell.summaries.get(name))
    ]
    signs = {_mark(summary) for _, summary in shown}
    words = ["● best"] if "●" in signs else []
    if "*" in signs:
        words.append("* not different from the best in a paired t-test at 95 %")
    if "°" in signs:
        words.append("° different, but not once the training samples that folds share are allowed for")
    legend = ["Mean ± standard deviation over the trials."] if shown else []
    if words:
        legend.append("; ".join(words) + ".")
    if any(_rests_on_few(comparison, name, summary) for name, summary in shown):
        legend.append(f"(n): rests on n of {comparison.trials_a_cell} trials.")
    if "n_trees" in chosen and (about := about_trees(comparison.cells.values())):
        legend.append(about)
    return " ".join(legend)


def _footnotes(comparison: Comparison) -> list[str]:
    """What ended the comparison, failed, or was cut short."""
    lines = []
    if comparison.status != "complete":
        how = (
            "The time limit ended the comparison"
            if comparison.status == "time_limit"
            else "The comparison was interrupted"
        )
        lines.append(f"{how}: {len(comparison.results)} of {comparison.n_trials} trials were run.")
    for cell in comparison.cells.values():
        whose = f"{cell.dataset}, {cell.strategy}"
        ran = len(cell.trials) + len(cell.failures)
        if cell.failures:
            lines.append(f"{whose}: {len(cell.failures)} of {ran} trials failed: {cell.failures[0].message}")
        if cell.n_stopped:
            lines.append(f"{whose}: {cell.n_stopped} of {ran} searches were stopped before their end by a limit.")
    return [*lines, *(f"{dataset.name}: {note}" for dataset in comparison.datasets for note in dataset.notes)]

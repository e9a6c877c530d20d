"""The page of a comparison: who errs least on new samples, by how much, and what it costs in features and time."""

from __future__ import annotations

import math

from palmette.comparison.cells import MEASURES, DatasetRecord, Summary
from palmette.comparison.result import Comparison
from palmette.comparison.significance import BEST, STAR
from palmette.comparison.table import measured
from palmette.comparison.words import about_trees
from palmette.report.blocks import Block, Cell, Fact, Figure, Page, Paragraph, Section, Table, cells
from palmette.report.charts import Interval, interval_chart
from palmette.report.context import Context
from palmette.report.parts import data_section, features_words, made_with, percent, several
from palmette.tree.wording import printable

__all__ = ["comparison_page"]

NORMAL_95 = 1.96


def comparison_page(comparison: Comparison, context: Context) -> Page:
    """The page of the result of `compare`."""
    sections = [_dataset_section(comparison, record, place) for place, record in enumerate(comparison.datasets)]
    if len(comparison.datasets) > 1:
        sections.insert(0, _wins_section(comparison))
    strategies = ", ".join(printable(name) for name in comparison.strategies)
    told = comparison.summary().split("\n\n")
    general = told if len(comparison.datasets) == 1 else told[len(told) - 1 :]
    details = [*(Paragraph(words) for words in general), Paragraph(_protocol_words(comparison), "remark")]
    if comparison.status != "complete":
        details.insert(0, Paragraph(told[0], "warning"))
    names = features_words([printable(record.name) for record in comparison.datasets])
    return Page(
        title=f"A comparison of {len(comparison.strategies)} strategies",
        kicker=context.kicker("Comparison"),
        question=f"Which strategy errs least on new samples of {names}?",
        answer=_answer(comparison),
        details=tuple(details),
        facts=(
            Fact("Strategies", str(len(comparison.strategies)), strategies if len(strategies) < 90 else ""),
            Fact("Datasets", str(len(comparison.datasets)), names if len(names) < 90 else ""),
            Fact("Trials", f"{len(comparison.results):,}", f"of {comparison.n_trials:,}"),
            *context.facts,
        ),
        sections=(*sections, *data_section(context, None)),
        origin=made_with(_call(comparison), context),
    )


def _protocol_words(comparison: Comparison) -> str:
    protocol = comparison.protocol
    return (
        f"{several(protocol.repeats, 'repetition')} of {protocol.folds}-fold cross-validation, stratified, the same "
        f"folds for all; {protocol.search_size:.0%} of a training part is the search set of those that search. Bold "
        "is the best mean; * does not differ from it in a paired t-test at 95 %; ° does, but not once the training "
        "samples that folds share are allowed for."
    )


def _call(comparison: Comparison) -> str:
    protocol = comparison.protocol
    return (
        f"compare({list(comparison.strategies)!r}, {[record.name for record in comparison.datasets]!r}, "
        f"repeats={protocol.repeats}, folds={protocol.folds}, search_size={protocol.search_size:g}, "
        f"random_state={protocol.random_state})"
    )


def _answer(comparison: Comparison) -> str:
    if len(comparison.datasets) == 1:
        found = {name: _summary(comparison, comparison.datasets[0], name) for name in comparison.strategies}
        best = [name for name, summary in found.items() if summary is not None and summary.mark == BEST]
        if not best:
            return "Nobody can tell: no trial came to an end."
        even = [
            name
            for name, summary in found.items()
            if summary is not None and STAR in (summary.mark, summary.mark_corrected)
        ]
        winner = found[best[0]]
        assert winner is not None
        each = " each" if len(best) > 1 else ""
        words = f"{features_words([printable(name) for name in best])}, with {percent(winner.mean)}{each}"
        if even:
            it = "them" if each else "it"
            words += f"; {features_words([printable(name) for name in even])} cannot be told apart from {it}"
        return f"{words}."
    wins = comparison.wins()
    most = max(won for won, _ in wins.values())
    if most == 0:
        return "Nobody can tell: no trial came to an end."
    leaders = features_words([printable(name) for name, (won, _) in wins.items() if won == most])
    return f"{leaders}: best on {most} of {len(comparison.datasets)} datasets."


def _summary(
    comparison: Comparison, record: DatasetRecord, strategy: str, measure: str = "test_error"
) -> Summary | None:
    return comparison.cell(record.name, strategy).summaries.get(measure)


def _wins_section(comparison: Comparison) -> Section:
    wins = comparison.wins()
    rows = []
    for strategy in comparison.strategies:
        won, even = wins[strategy]
        row = [Cell(printable(strategy), strong=True), *cells(won, even)]
        row += [_cell(_summary(comparison, record, strategy), "test_error") for record in comparison.datasets]
        rows.append(row)
    columns = ("Strategy", "Best", "Not different", *(printable(record.name) for record in comparison.datasets))
    return Section(
        "wins",
        "Wins, and the errors on new samples",
        (Table("Test errors in %, mean ± standard deviation", columns, rows),),
    )


def _dataset_section(comparison: Comparison, record: DatasetRecord, place: int) -> Section:
    known = [measure for measure in MEASURES.values() if measure.name != "cpu_seconds"]
    rows: list[list[Cell]] = []
    marked: set[int] = set()
    intervals: list[Interval] = []
    troubles: list[str] = []
    for strategy in comparison.strategies:
        cell = comparison.cell(record.name, strategy)
        error = cell.summaries.get("test_error")
        if error is not None and error.mark == BEST:
            marked.add(len(rows))
        rows.append(
            [
                Cell(printable(strategy), strong=True),
                *(_cell(cell.summaries.get(measure.name), measure.name) for measure in known),
            ]
        )
        if error is not None:
            half = _half_width(error, comparison.protocol.folds)
            best = error.mark == BEST
            intervals.append(Interval(printable(strategy), error.mean, error.mean - half, error.mean + half, best))
        if cell.failures:
            troubles.append(
                f"{printable(strategy)}: {several(len(cell.failures), 'trial')} failed ({cell.failures[0].message})"
            )
        if cell.n_stopped:
            troubles.append(
                f"{printable(strategy)}: {several(cell.n_stopped, 'trial')} ended at a limit, with the best so far."
            )
    own = [words for words in comparison.summary().split("\n\n") if words.startswith(f"{record.name}: ")]
    blocks: list[Block] = [
        Paragraph(
            f"{several(record.n_samples, 'sample')}, {several(record.n_features, 'feature')}, "
            f"{several(record.n_classes, 'class', 'classes')}."
        )
    ]
    if len(comparison.datasets) > 1:
        blocks += [Paragraph(words.removeprefix(f"{record.name}: ")) for words in own]
    if intervals:
        caption = (
            "Test errors with 95 % intervals that allow for the samples which the folds share. Intervals that overlap "
            "may still differ: the strategies ran on the same folds, and the marks of the table look at differences."
        )
        blocks.append(Figure(interval_chart(intervals, unit="error on new samples", caption=caption), caption))
    columns = ("Strategy", *(_title(measure.name, measure.title) for measure in known))
    blocks.append(Table("Means ± standard deviations over the trials", columns, rows, chosen=frozenset(marked)))
    blocks += [Paragraph(trouble, "warning") for trouble in troubles]
    if about := about_trees(comparison.cell(record.name, strategy) for strategy in comparison.strategies):
        blocks.append(Paragraph(about, "remark"))
    blocks += [Paragraph(note, "remark") for note in record.notes]
    return Section(f"dataset-{place + 1}", printable(record.name), tuple(blocks))


def _title(name: str, title: str) -> str:
    return f"{title.capitalize()} in %" if name in ("search_error", "test_error") else title.capitalize()


def _half_width(error: Summary, folds: int) -> float:
    """Half of the interval of a mean over folds that share samples (Nadeau and Bengio 2003)."""
    if math.isnan(error.sd):
        return 0.0
    half: float = NORMAL_95 * error.sd * math.sqrt(1 / error.n + 1 / (folds - 1))
    return half


def _cell(summary: Summary | None, measure: str) -> Cell:
    if summary is None:
        return Cell("–", number=True)
    text = measured(measure, summary)
    if summary.mark == STAR:
        text += " *"
    elif summary.mark is None and summary.mark_corrected == STAR:
        text += " °"
    return Cell(text, number=True, strong=summary.mark == BEST)

"""The page of a selector: the answer, the features and their costs, the tree, the search, what else is good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.comparison.stability import StabilityScore, stability_score
from palmette.report import questions
from palmette.report.blocks import Block, Cell, Fact, Figure, Page, Paragraph, Section, Table, cells
from palmette.report.charts import Mark, size_chart
from palmette.report.context import Context
from palmette.report.course import changes, course_section, listed
from palmette.report.parts import (
    data_section,
    features_words,
    origin_of,
    percent,
    points,
    rules_table,
    several,
    with_powers,
)
from palmette.report.tree_figure import SHADED_CLASSES, tree_figure
from palmette.search.guidance import HeldOutError, lattice
from palmette.search.progress import duration
from palmette.search.selector import SubsetSelector
from palmette.search.summary import how_known, meant
from palmette.support.interruption import asking
from palmette.tree.wording import printable

__all__ = ["interrupted_section", "selection_page", "stability_section"]


def selection_page(selector: SubsetSelector, context: Context, seconds: float, seed: int) -> Page:
    """The page of a fitted selector; the questions beyond its result may take so many seconds."""
    names = [printable(feature.name) for feature in selector.tree_.features]
    chosen = np.flatnonzero(selector.support_).tolist()
    held_out = context.held_out(selector)
    extra: list[Section] = []
    if context.has_data:
        extra = _questions(selector, context, names, questions.Allowance(seconds), seed)
    costs = [section for section in extra if section.name == "features"] or [_plain_features(names, chosen)]
    sections = [
        *costs,
        _tree_section(selector),
        course_section(selector),
        *(section for section in extra if section.name != "features"),
        *data_section(context, getattr(selector.tree, "categorical_features", "from_dtype")),
    ]
    return Page(
        title=f"{context.source}: the features a tree needs" if context.source else "The features a tree needs",
        kicker=context.kicker("Feature selection"),
        question=(
            f"Which of the {len(names):,} features does a decision tree need to tell the "
            f"{several(len(selector.classes_), 'class', 'classes')}{context.of_target} apart?"
        ),
        answer=_answer(names, chosen),
        details=_details(selector, held_out),
        facts=(*_facts(selector, chosen, names, held_out), *context.facts),
        sections=tuple(sections),
        n_colors=min(len(selector.classes_), SHADED_CLASSES),
        origin=origin_of(selector, context),
    )


def _answer(names: list[str], chosen: list[int]) -> str:
    if not chosen:
        return "None of them: a single leaf does as well."
    return f"{len(chosen):,} of them: {features_words([names[feature] for feature in chosen])}."


def _details(selector: SubsetSelector, held_out: HeldOutError | None) -> tuple[Paragraph, ...]:
    means, *warning = meant(selector, held_out)
    return (
        Paragraph(with_powers(f"{how_known(selector)} {means}")),
        *(Paragraph(with_powers(words), "warning") for words in warning),
    )


def _facts(selector: SubsetSelector, chosen: list[int], names: list[str], held_out: HeldOutError | None) -> list[Fact]:
    n_search = sum(len(search) for _, search in selector.folds_)
    if callable(selector.error):
        error = Fact("Value", f"{selector.error_:.4g}", "of the function that was minimised")
    else:
        error = Fact("Search error", percent(selector.error_), f"on {n_search:,} samples; minimised, so no promise")
    facts = [Fact("Features", f"{len(chosen):,}", f"of {len(names):,}"), error]
    if held_out is not None:
        facts.append(Fact("Held-out error", str(held_out), f"{held_out.n_samples:,} samples the search never saw"))
    took = duration(selector.search_seconds_)
    verdicts = {"optimal": "proved best", "within_gap": "proved near-best", "complete": "complete"}
    verdict = verdicts.get(selector.status_, selector.status_.replace("_", " "))
    over = with_powers(lattice(selector)) if hasattr(selector, "error_bound_") else f"{selector.n_trees_:,} trees"
    facts.append(Fact("Search", verdict, f"{over}, {took}"))
    tree = selector.tree_
    facts.append(
        Fact("Tree", several(tree.n_nodes, "node"), f"{several(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}")
    )
    return facts


# The features


def _plain_features(names: list[str], chosen: Sequence[int], remark: str = "") -> Section:
    rows = [cells(Cell(names[feature], strong=True)) for feature in chosen]
    blocks: list[Block] = [Table("The selected features", ("Feature",), rows, shown=30)]
    if not chosen:
        blocks = [Paragraph("No feature is selected.")]
    elif remark:
        blocks.append(Paragraph(remark, "remark"))
    return Section("features", "The features", tuple(blocks))


def _features_section(selector: SubsetSelector, names: list[str], found: questions.Drops) -> Section:
    if found.replaced is None and not np.isfinite(found.dropped).any():
        return _plain_features(names, found.features, found.remark)
    base = selector.error_
    order = sorted(range(len(found.features)), key=lambda place: -_finite(float(found.dropped[place]), -1.0))
    most = max([_finite(value, base) - base for value in found.dropped.tolist()], default=0.0)
    rows = []
    for place in order:
        dropped = float(found.dropped[place])
        cost = dropped - base
        known = np.isfinite(dropped)
        row = [
            Cell(names[found.features[place]], strong=True),
            Cell(percent(dropped) if known else "not asked", number=True),
            Cell(
                points(cost) if known else "",
                number=True,
                share=max(cost, 0.0) / most if known and most > 0 else 0.0,
            ),
        ]
        if found.replaced is not None:
            replaced = float(found.replaced[place])
            row.append(Cell(percent(replaced) if np.isfinite(replaced) else "must stay", number=True))
            row.append(Cell(_reading(cost, replaced - base, known)))
        rows.append(row)
    columns = ["Feature", "Error when dropped", "Cost of dropping"]
    lead = (
        f"The search error is {percent(base)} with all of them. The second column is the error when one of them is "
        "dropped and nothing takes its place; the third, how much worse that is, in percentage points."
    )
    if found.replaced is not None:
        columns += ["Best without it", "What that says"]
        lead += " The fourth is the least error of any subset without it: whether other features could take its place."
    blocks: list[Block] = [Paragraph(lead)]
    if rows:
        blocks.append(Table("What each selected feature costs to drop", tuple(columns), rows, shown=20))
    else:
        blocks = [Paragraph("No feature is selected: the tree is a single leaf, and nothing can be dropped.")]
    if found.remark:
        blocks.append(Paragraph(found.remark, "remark"))
    return Section("features", "The features, and what each costs to drop", tuple(blocks))


def _reading(cost: float, loss: float, known: bool) -> str:
    if not np.isfinite(loss):
        return "Kept on demand"
    if loss > 1e-12:
        return f"Needed: without it at least {points(loss)}"
    if loss < -1e-12:
        return "Replaceable: some subsets without it err less"
    if known and cost <= 1e-12:
        return "Could go: nothing is lost"
    return "Replaceable: other features do as well"


def _finite(value: float, otherwise: float) -> float:
    return float(value) if np.isfinite(value) else otherwise


# The tree


def _tree_section(selector: SubsetSelector) -> Section:
    tree = selector.tree_
    pruned = " and pruned" if getattr(selector.tree, "pruning", None) else ""
    caption = (
        f"Grown on all {several(round(float(tree.weight[0])), 'training sample')} with the selected features{pruned}. "
        "Choose a node to see its samples and the rule that leads to it."
    )
    return Section("tree", "The tree", (tree_figure(tree, caption), rules_table(tree)))


# What is asked beyond the result


def _questions(
    selector: SubsetSelector, context: Context, names: list[str], allowance: questions.Allowance, seed: int
) -> list[Section]:
    """The sections that need the data; Ctrl-C ends the asking, and the page is made of what is known."""
    data = (selector, context.X, context.y, context.sample_weight, allowance)
    sections: list[Section] = []
    try:
        with asking():
            sections.append(_features_section(selector, names, questions.drops(*data)))
            allowance.check()
            sections.append(_alternatives_section(selector, names, questions.alternatives(*data)))
            allowance.check()
            sections.append(stability_section(selector.support_, names, questions.stability(*data, seed)))
    except KeyboardInterrupt:
        sections.append(interrupted_section())
    return sections


def interrupted_section() -> Section:
    """In place of what Ctrl-C left unasked."""
    told = Paragraph("The making of this report was interrupted: what is missing here was not asked.", "remark")
    return Section("interrupted", "Not asked", (told,))


def _alternatives_section(selector: SubsetSelector, names: list[str], found: questions.Alternatives) -> Section:
    blocks: list[Block] = []
    if found.acceptable is not None and len(found.acceptable):
        blocks += _acceptable(selector, found)
    elif not hasattr(selector, "error_bound_") and not callable(selector.error):
        blocks += _along_the_path(selector, found.margin)
    front = found.front
    if front is not None and len(front) > 1:
        marks = [
            Mark(
                len(one.features),
                float(one.error or 0.0),
                f"{several(len(one.features), 'feature')}, {percent(one.error or 0.0)}: {listed(one.features)}",
            )
            for one in front
        ]
        size = int(selector.support_.sum())
        chosen = min(range(len(marks)), key=lambda at: (abs(marks[at].n_features - size), at))
        caption = (
            "The least error of all subsets of each size, proved. Sizes that are missing are no better than a smaller "
            "one; the shaded errors are within one standard error of the best."
        )
        band = min(mark.error for mark in marks) + found.margin
        blocks.append(Figure(size_chart(marks, chosen, joined_by="stairs", caption=caption, band=band), caption))
    if found.remark:
        blocks.append(Paragraph(found.remark, "remark"))
    return Section("alternatives", "Near-best alternatives", tuple(blocks))


def _acceptable(selector: SubsetSelector, found: questions.Alternatives) -> list[Block]:
    subsets = found.acceptable
    assert subsets is not None
    margin = percent(found.margin)
    shown = "" if not subsets.truncated else f" The best {len(subsets)} are listed."
    lead = (
        f"{several(subsets.n_trees, 'tree')} of {several(subsets.n_subsets, 'subset')} "
        f"{'is' if subsets.n_trees == 1 else 'are'} within one standard error ({margin}) of the least search error: "
        f"the search samples cannot tell them apart.{shown}"
    )
    if found.margin == 0:
        those = f"{several(subsets.n_trees, 'tree')} of {several(subsets.n_subsets, 'subset')}"
        lead = f"{those} without any search error.{shown}"
    chosen = tuple(selector.get_feature_names_out().tolist())
    if subsets.n_trees == 1:
        return [Paragraph(f"No other tree is within one standard error ({margin}) of the least search error.")]
    rows, marked = [], set()
    for place, one in enumerate(subsets):
        if tuple(map(str, one.features)) == chosen:
            marked.add(place)
        rows.append(cells(Cell(percent(one.error or 0.0), number=True), len(one.features), listed(one.features)))
    table = Table("Subsets near the best", ("Search error", "Features", "Subset"), rows, chosen=frozenset(marked))
    return [Paragraph(lead), table]


def _along_the_path(selector: Any, margin: float) -> list[Block]:
    near = [step for step in selector.history_ if step.error <= selector.error_ + margin]
    near.sort(key=lambda step: (step.n_features, step.error))
    rows = [
        cells(Cell(percent(step.error), number=True), step.n_features, changes(step))
        for step in near[: questions.MOST_LISTED]
    ]
    lead = (
        f"{several(len(near), 'subset')} along the path {'is' if len(near) == 1 else 'are'} within one standard error "
        f"({percent(margin)}) of the chosen one; the smallest first."
    )
    return [Paragraph(lead), Table("Steps near the chosen one", ("Search error", "Features", "Last change"), rows)]


def stability_section(support: NDArray[np.bool_], names: list[str], found: questions.Stability) -> Section:
    """How often each feature was selected on resamples."""
    n_resamples = len(found.masks)
    if n_resamples == 0:
        return Section("stability", "Stability", (Paragraph(f"Not measured. {found.remark}", "remark"),))
    frequencies = found.frequencies
    order = [
        place for place in np.argsort(-frequencies, kind="stable").tolist() if frequencies[place] > 0 or support[place]
    ]
    rows: list[list[Cell]] = []
    marked: set[int] = set()
    for place in order[:60]:
        if support[place]:
            marked.add(len(rows))
        share = float(frequencies[place])
        words = f"{round(share * n_resamples)} of {n_resamples}"
        rows.append([Cell(names[place], strong=bool(support[place])), Cell(words, number=True, share=share)])
    lead = (
        f"The selection was repeated on {n_resamples} random parts of {questions.RESAMPLE_SHARE:.0%} of the samples. A "
        "feature that is selected nearly always is a finding; one that comes and goes has rivals that do as well."
    )
    score = stability_score(found.masks)
    blocks: list[Block] = [Paragraph(lead), Paragraph(_score_words(score))]
    blocks.append(
        Table(
            "How often each feature was selected (those of the answer are marked)",
            ("Feature", "Selected"),
            rows,
            shown=15,
            chosen=frozenset(marked),
        )
    )
    if len(order) > 60:
        blocks.append(Paragraph(f"{len(order) - 60:,} more features were selected at least once.", "remark"))
    if found.remark:
        blocks.append(Paragraph(found.remark, "remark"))
    return Section("stability", "Stability", tuple(blocks))


def _score_words(score: StabilityScore) -> str:
    if score.value == 1.0:
        return "The stability score is 1: all resamples gave the same features."
    return (
        f"The stability score is {score.value:.2f} ({score.confidence:.0%} interval {score.low:.2f} to {score.high:.2f}"
        "): 1 where all resamples give the same features, about 0 where they agree no more than random choices do."
    )

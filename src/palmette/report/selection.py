"""The page of a selector: the answer in words, the features and their costs, the tree, the search, what else is good."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.report import questions
from palmette.report.blocks import Block, Cell, Fact, Figure, Page, Paragraph, Section, Table, cells
from palmette.report.charts import Mark, closing_chart, size_chart
from palmette.report.context import Context
from palmette.report.parts import data_section, features_words, origin_of, percent, rules_table, several, with_powers
from palmette.report.tree_figure import SHADED_CLASSES, tree_figure
from palmette.search.guidance import HeldOutError
from palmette.search.progress import duration
from palmette.search.selector import SubsetSelector
from palmette.search.summary import how_known, meant
from palmette.tree.wording import enumeration, printable

__all__ = ["selection_page"]

MOST_STEPS = 200


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
        _search_section(selector),
        *(section for section in extra if section.name != "features"),
        *data_section(context, getattr(selector.tree, "categorical_features", "from_dtype")),
    ]
    return Page(
        title=f"{context.source}: the features a tree needs" if context.source else "The features a tree needs",
        kicker=context.kicker("Feature selection"),
        question=(
            f"Which of the {len(names):,} features does a decision tree need to tell the "
            f"{several(len(selector.classes_), 'class', 'classes')} of {context.target} apart?"
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
    n_free = getattr(selector, "_n_free", None)
    over = f"{selector.n_trees_:,} trees" if n_free is None else with_powers(f"2^{n_free} subsets")
    facts.append(Fact("Search", verdict, f"{over}, {took}"))
    tree = selector.tree_
    facts.append(
        Fact("Tree", several(tree.n_nodes, "node"), f"{several(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}")
    )
    return facts


# The features


def _plain_features(names: list[str], chosen: list[int]) -> Section:
    rows = [cells(Cell(names[feature], strong=True)) for feature in chosen]
    blocks: tuple[Block, ...] = (Table("The selected features", ("Feature",), rows, shown=30),)
    if not chosen:
        blocks = (Paragraph("No feature is selected."),)
    return Section("features", "The features", blocks)


def _features_section(selector: SubsetSelector, names: list[str], found: questions.Drops) -> Section:
    base = selector.error_
    order = sorted(range(len(found.features)), key=lambda place: -_finite(found.dropped[place], -1.0))
    most = max([_finite(value, base) - base for value in found.dropped], default=0.0)
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
        return f"Needed: without it every subset errs more, by {points(loss).lstrip('+')} at least"
    if known and cost <= 1e-12:
        return "Could go"
    return "Replaceable: other features do as well"


def _finite(value: float, otherwise: float) -> float:
    return float(value) if np.isfinite(value) else otherwise


def points(rate: float) -> str:
    """A difference of rates.

    >>> points(0.0185), points(-0.002)
    ('+1.85 pp', '−0.20 pp')
    """
    sign = "−" if rate < -5e-5 else "+" if rate > 5e-5 else "±"
    return f"{sign}{100 * abs(rate):.2f} pp"


# The tree and the search


def _tree_section(selector: SubsetSelector) -> Section:
    tree = selector.tree_
    pruned = " and pruned" if getattr(selector.tree, "pruning", None) else ""
    caption = (
        f"Grown on all {several(round(float(tree.weight[0])), 'training sample')} with the selected features{pruned}. "
        "Choose a node to see its samples and the rule that leads to it."
    )
    return Section("tree", "The tree", (tree_figure(tree, caption), rules_table(tree)))


def _search_section(selector: SubsetSelector) -> Section:
    blocks: list[Block]
    if hasattr(selector, "error_bound_"):
        blocks = _closing(selector)
    else:
        blocks = _path(selector)
    return Section("search", "The search", tuple(blocks))


def _closing(selector: Any) -> list[Block]:
    steps = selector.history_
    if not steps:
        return [Paragraph("The search ended before its first step.", "remark")]
    if callable(selector.error):
        rows = [
            cells(
                seconds(step.seconds),
                Cell(f"{step.error:.6g}", number=True),
                len(step.features),
                _listed(step.features),
            )
            for step in steps
        ]
        return [Table("Every better subset that was found", ("After", "Value", "Features", "Subset"), rows)]
    penalty = float(selector.feature_penalty)
    objective = "search error plus penalty" if penalty else "search error"
    course = [(step.seconds, step.error + penalty * len(step.features), step.bound) for step in steps]
    proved = selector.status_ in ("optimal", "within_gap")
    chart, caption = closing_chart(course, selector.search_seconds_, objective=objective, proved=proved)
    rows = [
        cells(
            seconds(step.seconds),
            Cell(percent(step.error), number=True),
            Cell(percent(max(step.bound, 0.0)), number=True),
            len(step.features),
            _listed(step.features),
        )
        for step in _thinned(steps)
    ]
    columns = ("After", "Best error so far", "Bound", "Features", "Subset")
    table = Table(
        "Every change of the best subset and of the bound", columns, rows, shown=8, chosen=frozenset({len(rows) - 1})
    )
    return [Figure(chart, caption), table]


def _path(selector: Any) -> list[Block]:
    steps = selector.history_
    by_value = callable(selector.error)
    size, error = int(selector.support_.sum()), selector.error_
    place = next(
        (at for at in range(len(steps) - 1, -1, -1) if steps[at].n_features == size and steps[at].error == error),
        len(steps) - 1,
    )
    blocks: list[Block] = []
    caption = (
        f"The error of every step, from {several(steps[0].n_features, 'feature')} on; the large dot is the subset that "
        "was chosen: the least error along the path, and of these the fewest features."
    )
    if not by_value:
        marks = [Mark(step.n_features, step.error, _step_words(step)) for step in steps]
        thin, at = _thinned_marks(marks, place)
        blocks.append(Figure(size_chart(thin, at, joined_by="lines", caption=caption), caption))
    shown = _thinned(list(enumerate(steps)))
    rows = [
        cells(
            number,
            _changes(step),
            Cell(f"{step.error:.6g}" if by_value else percent(step.error), number=True),
            step.n_features,
            step.trees_built,
            seconds(step.seconds),
        )
        for number, step in shown
    ]
    columns = ("Step", "Change", "Value" if by_value else "Error", "Features", "Trees", "After")
    marked = frozenset(row for row, (number, _) in enumerate(shown) if number == place)
    blocks.append(Table("Every step", columns, rows, shown=8, chosen=marked))
    if len(shown) < len(steps):
        blocks.append(Paragraph(f"Of {len(steps):,} steps {len(shown)} are listed, evenly.", "remark"))
    return blocks


def _changes(step: Any) -> str:
    words = []
    if step.removed:
        words.append(f"− {enumeration(step.removed, 60)}")
    if step.added:
        words.append(f"+ {enumeration(step.added, 60)}")
    return " ".join(words) or "start"


def _step_words(step: Any) -> str:
    return f"{several(step.n_features, 'feature')}, {percent(step.error)} ({_changes(step)})"


def seconds(value: float) -> Cell:
    return Cell(f"{value:.3g} s", number=True)


def _listed(features: Any) -> str:
    return enumeration(list(features), 90) if len(features) else "none"


def _thinned(items: list[Any]) -> list[Any]:
    """At most so many as a page holds: the first, the last, and evenly between them."""
    if len(items) <= MOST_STEPS:
        return items
    places = np.unique(np.linspace(0, len(items) - 1, MOST_STEPS).round().astype(int))
    return [items[place] for place in places.tolist()]


def _thinned_marks(marks: list[Mark], chosen: int) -> tuple[list[Mark], int]:
    if len(marks) <= 1500:
        return marks, chosen
    places = sorted({*np.linspace(0, len(marks) - 1, 1500).round().astype(int).tolist(), chosen})
    return [marks[place] for place in places], places.index(chosen)


# What is asked beyond the result


def _questions(
    selector: SubsetSelector, context: Context, names: list[str], allowance: questions.Allowance, seed: int
) -> list[Section]:
    """The sections that need the data; Ctrl-C ends the asking, and the page is made of what is known."""
    data = (selector, context.X, context.y, context.sample_weight, allowance)
    sections: list[Section] = []
    try:
        sections.append(_features_section(selector, names, questions.drops(*data)))
        sections.append(_alternatives_section(selector, names, questions.alternatives(*data)))
        sections.append(_stability_section(selector, names, questions.stability(*data, seed)))
    except KeyboardInterrupt:
        told = Paragraph("The making of this report was interrupted: what is missing here was not asked.", "remark")
        sections.append(Section("interrupted", "Not asked", (told,)))
    return sections


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
                f"{several(len(one.features), 'feature')}, {percent(one.error or 0.0)}: {_listed(one.features)}",
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
    listed = "" if not subsets.truncated else f" The best {len(subsets)} are listed."
    lead = (
        f"{several(subsets.n_trees, 'tree')} of {several(subsets.n_subsets, 'subset')} "
        f"{'is' if subsets.n_trees == 1 else 'are'} within one standard error ({margin}) of the least search error: the "
        f"search samples cannot tell them apart.{listed}"
    )
    if found.margin == 0:
        lead = f"{several(subsets.n_trees, 'tree')} of {several(subsets.n_subsets, 'subset')} without any search error.{listed}"
    chosen = tuple(selector.get_feature_names_out().tolist())
    if subsets.n_trees == 1:
        lead += " There is no alternative this near."
    rows, marked = [], set()
    for place, one in enumerate(subsets):
        if tuple(map(str, one.features)) == chosen:
            marked.add(place)
        rows.append(cells(Cell(percent(one.error or 0.0), number=True), len(one.features), _listed(one.features)))
    table = Table("Subsets near the best", ("Search error", "Features", "Subset"), rows, chosen=frozenset(marked))
    return [Paragraph(lead), table]


def _along_the_path(selector: Any, margin: float) -> list[Block]:
    near = [step for step in selector.history_ if step.error <= selector.error_ + margin]
    near.sort(key=lambda step: (step.n_features, step.error))
    rows = [
        cells(Cell(percent(step.error), number=True), step.n_features, _changes(step))
        for step in near[: questions.MOST_LISTED]
    ]
    lead = (
        f"{several(len(near), 'subset')} along the path {'is' if len(near) == 1 else 'are'} within one standard error "
        f"({percent(margin)}) of the chosen one; the smallest first."
    )
    return [Paragraph(lead), Table("Steps near the chosen one", ("Search error", "Features", "Last change"), rows)]


def _stability_section(selector: SubsetSelector, names: list[str], found: questions.Stability) -> Section:
    n_resamples = len(found.masks)
    if n_resamples == 0:
        return Section("stability", "Stability", (Paragraph(f"Not measured. {found.remark}", "remark"),))
    frequencies = found.frequencies
    order = [
        place
        for place in np.argsort(-frequencies, kind="stable").tolist()
        if frequencies[place] > 0 or selector.support_[place]
    ]
    rows, marked = [], set()
    for place in order[:60]:
        if selector.support_[place]:
            marked.add(len(rows))
        share = float(frequencies[place])
        words = f"{round(share * n_resamples)} of {n_resamples}"
        rows.append([Cell(names[place], strong=bool(selector.support_[place])), Cell(words, number=True, share=share)])
    lead = (
        f"The selection was repeated on {n_resamples} random parts of {questions.RESAMPLE_SHARE:.0%} of the samples. A "
        "feature that is selected nearly always is a finding; one that comes and goes has rivals that do as well."
    )
    blocks: list[Block] = [Paragraph(lead)]
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

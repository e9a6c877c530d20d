"""The section on the course of a search: the incumbent and the bound closing in, or the path of an elimination."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.report.blocks import Block, Cell, Figure, Paragraph, Section, Table, cells
from palmette.report.charts import Mark, closing_chart, size_chart
from palmette.report.parts import percent, several
from palmette.search.selector import SubsetSelector
from palmette.tree.wording import enumeration

__all__ = ["changes", "course_section", "listed"]

MOST_STEPS = 200
MOST_DOTS = 1500


def course_section(selector: SubsetSelector) -> Section:
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
                listed(step.features),
            )
            for step in steps
        ]
        return [Table("Every better subset that was found", ("After", "Value", "Features", "Subset"), rows)]
    penalty = float(selector.feature_penalty)
    objective = "search error plus penalty" if penalty else "search error"
    course = [(step.seconds, step.error + penalty * len(step.features), step.bound) for step in steps]
    ending = _ending(selector)
    chart, caption = closing_chart(course, selector.search_seconds_, objective=objective, ending=ending)
    rows = [
        cells(
            seconds(moment),
            Cell(percent(value), number=True),
            Cell(percent(max(bound, 0.0)), number=True),
            len(step.features),
            listed(step.features),
        )
        for step, (moment, value, bound) in _thinned(list(zip(steps, course, strict=True)))
    ]
    best = "Best error plus penalty so far" if penalty else "Best error so far"
    columns = ("After", best, "Bound", "Features", "Subset")
    table = Table(
        "Every change of the best subset and of the bound", columns, rows, shown=8, chosen=frozenset({len(rows) - 1})
    )
    return [Figure(chart, caption), table]


def _ending(selector: Any) -> str:
    """What is known of the gap between the incumbent and the bound at the end."""
    if selector.status_ == "optimal":
        return "they meet: the answer is proved"
    if selector.status_ == "within_gap":
        gap = f"{100 * float(selector.error_gap):.3g} percentage points"
        return f"they are no farther apart than the gap that was asked for, {gap}"
    return "what lies between them is not known"


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
            changes(step),
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


def changes(step: Any) -> str:
    words = []
    if step.removed:
        words.append(f"− {enumeration(step.removed, 60)}")
    if step.added:
        words.append(f"+ {enumeration(step.added, 60)}")
    return " ".join(words) or "start"


def _step_words(step: Any) -> str:
    return f"{several(step.n_features, 'feature')}, {percent(step.error)} ({changes(step)})"


def seconds(value: float) -> Cell:
    return Cell(f"{value:.3g} s", number=True)


def listed(features: Any) -> str:
    return enumeration(list(features), 90) if len(features) else "none"


def _thinned(items: list[Any]) -> list[Any]:
    """At most so many as a page holds: the first, the last, and evenly between them."""
    if len(items) <= MOST_STEPS:
        return items
    places = np.unique(np.linspace(0, len(items) - 1, MOST_STEPS).round().astype(int))
    return [items[place] for place in places.tolist()]


def _thinned_marks(marks: list[Mark], chosen: int) -> tuple[list[Mark], int]:
    if len(marks) <= MOST_DOTS:
        return marks, chosen
    places = sorted({*np.linspace(0, len(marks) - 1, MOST_DOTS).round().astype(int).tolist(), chosen})
    return [marks[place] for place in places], places.index(chosen)

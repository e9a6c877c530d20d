"""Parts that several pages share: rules, the data and their caveats, how the page was made, and small wordings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from palmette import __version__
from palmette.report.blocks import Block, Cell, Paragraph, Section, Table, cells
from palmette.report.caveats import table_caveats
from palmette.report.context import Context
from palmette.tree.model import Tree
from palmette.tree.rules import tree_to_rules
from palmette.tree.wording import printable, weight_text

__all__ = [
    "data_section",
    "features_words",
    "made_with",
    "origin_of",
    "percent",
    "points",
    "rules_table",
    "several",
    "with_powers",
]

MOST_RULES = 100
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(rate: float) -> str:
    """A rate for a reader.

    >>> percent(0.0185), percent(1.0)
    ('1.85 %', '100 %')
    """
    return f"{100 * rate:.0f} %" if rate in (0.0, 1.0) else f"{100 * rate:.2f} %"


def points(rate: float) -> str:
    """A difference of rates.

    >>> points(0.0185), points(-0.002)
    ('+1.85 pp', '−0.20 pp')
    """
    sign = "−" if rate < -5e-5 else "+" if rate > 5e-5 else "±"
    return f"{sign}{100 * abs(rate):.2f} pp"


def with_powers(text: str) -> str:
    """The text with 2^13 as a power.

    >>> with_powers("all 2^13 subsets")
    'all 2¹³ subsets'
    """
    return re.sub(r"(?<=\d)\^(\d+)", lambda found: found[1].translate(POWERS), text)


def several(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> several(1, "leaf", "leaves"), several(2000, "leaf", "leaves")
    ('1 leaf', '2,000 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def features_words(names: Sequence[str], room: int = 90) -> str:
    """Names as one says them, as many as there is room for.

    >>> features_words(["hue"]), features_words(["ash", "hue", "alcohol"])
    ('hue', 'ash, hue and alcohol')
    >>> features_words(["alcohol", "magnesium", "ash"], room=10)
    'alcohol and 2 more'
    """
    shown, used = 1, len(names[0])
    while shown < len(names) and used + 2 + len(names[shown]) <= room:
        used += 2 + len(names[shown])
        shown += 1
    if shown < len(names) - 1:
        return f"{', '.join(names[:shown])} and {len(names) - shown:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def rules_table(tree: Tree) -> Table:
    """The rules of the tree, those that cover most first."""
    rules = tree_to_rules(tree, order="coverage")[:MOST_RULES]
    total = float(tree.weight[0]) or 1.0
    rows = [
        cells(
            " and ".join(str(condition).replace("<=", "≤") for condition in rule.conditions) or "always",
            Cell(printable(rule.label), strong=True),
            Cell(weight_text(rule.weight), number=True, share=rule.weight / total),
            Cell(f"{rule.confidence:.0%}" if rule.weight else "–", number=True),
        )
        for rule in rules
    ]
    caption = "The tree as rules, the widest first"
    if tree.n_leaves > MOST_RULES:
        caption += f" (the first {MOST_RULES} of {tree.n_leaves:,})"
    return Table(caption, ("If", "Then", "Samples", "Right"), rows, shown=6)


def data_section(context: Context, categorical_features: Any) -> list[Section]:
    """The data, what was left out, and what to keep in mind; nothing where nothing is known."""
    blocks: list[Block] = []
    if context.has_data:
        n_rows, n_columns = _shape(context.X)
        classes, counts = np.unique(np.asarray(context.y).astype(str), return_counts=True)
        shares = ", ".join(
            f"{printable(label)} {count / counts.sum():.1%}"
            for label, count in list(zip(classes.tolist(), counts.tolist(), strict=True))[:10]
        )
        shares += f" and {len(classes) - 10:,} more" if len(classes) > 10 else ""
        blocks.append(
            Paragraph(
                f"{several(n_rows, 'sample')}, {several(n_columns, 'feature')}. Classes{context.of_target}: {shares}."
            )
        )
        found = table_caveats(context.X, context.y, categorical_features)
        if found:
            rows = [cells(Cell(caveat.what, strong=True), caveat.where, caveat.meaning) for caveat in found]
            blocks.append(Table("What to keep in mind", ("What", "Where", "What it means here"), rows))
        else:
            blocks.append(Paragraph("No value is missing, no column is constant, and no two are equal."))
    if context.notes:
        rows = [cells(note) for note in context.notes]
        blocks.append(Table("What was decided while reading", ("Decision",), rows, shown=20))
    return [Section("data", "The data", tuple(blocks))] if blocks else []


def _shape(X: Any) -> tuple[int, int]:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[0]), int(shape[1])
    return len(X), len(X[0])


def origin_of(fitted: Any, context: Context) -> tuple[tuple[str, str], ...]:
    """How the page was made: command, method, version, date."""
    return made_with(" ".join(repr(fitted).split()), context)


def made_with(method: str, context: Context) -> tuple[tuple[str, str], ...]:
    """The same for a method in words."""
    origin = []
    if context.command:
        origin.append(("Command", context.command))
    if context.source:
        origin.append(("Data", context.source))
    origin.append(("Method", method if len(method) <= 600 else method[:599] + "…"))
    origin.append(("palmette", __version__))
    origin.append(("Date", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")))
    return tuple(origin)

"""What a page is made of: a heading in words, sections, and in them paragraphs, tables and figures.

The modules that know a result (`selection`, `single_tree`, `compared`) make these values; `page` turns them into
HTML and escapes every text in them. Only `Markup` of `svg` goes through unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

__all__ = ["Block", "Cell", "Fact", "Figure", "Page", "Paragraph", "Section", "Table", "TreeFigure", "cells"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A number with its name, shown large."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or a few; a remark is set apart, a warning more so."""

    text: str
    tone: Literal["plain", "remark", "warning"] = "plain"
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; `share` draws a bar behind its text, from 0 to 1."""

    text: str
    number: bool = False
    share: float | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; a long one shows its first rows, and the others on demand."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    shown: int = 12
    chosen: frozenset[int] = frozenset()
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and its caption."""

    svg: Markup
    caption: str
    kind: Literal["figure"] = "figure"


@dataclass(frozen=True, slots=True)
class TreeFigure:
    """A tree to move about in; `data` is what the script of the page shows of each node."""

    svg: Markup
    data: dict[str, Any]
    caption: str
    legend: tuple[tuple[int, str], ...]
    height: float
    kind: Literal["tree"] = "tree"


Block: TypeAlias = Paragraph | Table | Figure | TreeFigure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with its own heading; `name` is its anchor."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report."""

    title: str
    kicker: str
    question: str
    answer: str
    details: tuple[Paragraph, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    n_colors: int = 0
    origin: tuple[tuple[str, str], ...] = field(default=())


def cells(*values: object) -> tuple[Cell, ...]:
    """Texts as they are, numbers to the right, cells as they are."""
    row = []
    for value in values:
        if isinstance(value, Cell):
            row.append(value)
        elif isinstance(value, int | float):
            row.append(Cell(f"{value:,}" if isinstance(value, int) else f"{value:,.4g}", number=True))
        else:
            row.append(Cell(str(value)))
    return tuple(row)

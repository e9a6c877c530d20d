"""A reproduction as text: one block a quantity, a line a dataset, a group of columns a strategy.

A group holds ours (with its standard error), the paper's number, and how far they are apart: in standard errors where
the paper prints a spread, else as the ratio ours / paper.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from palmette.reproduce.results import Claim, Reproduction, Row

__all__ = ["as_markdown", "as_text"]

MARKS = {"best": " ●", "star": " *", None: ""}
VERDICTS = {True: "agrees", False: "DIFFERS", None: "not judged"}
GAP = "  "
Value = TypeVar("Value")


def as_text(result: Reproduction, width: int) -> str:
    """For a terminal of so many columns."""
    lines = [f"{result.name}: {result.title}", *_wrapped(f"The paper: {result.claim}", width)]
    for quantity in _shown(result):
        lines += ["", _heading(quantity), *_block(result, quantity, width)]
    unasked = _unasked(result)
    if unasked:
        lines += ["", *_wrapped(f"Not asked for: {', '.join(unasked)}.", width)]
    lines += _summary(result)
    if result.claims:
        lines += ["", "What the paper says, and whether ours agrees"]
        for claim in result.claims:
            lines += _wrapped(_judged(claim), width, "  ")
    if result.notes:
        lines += ["", "Notes"]
        for note in result.notes:
            lines += _wrapped(note, width, "  ")
    lines += ["", *_wrapped(_provenance(result), width)]
    return "\n".join(line.rstrip() for line in lines)


def as_markdown(result: Reproduction) -> str:
    """For a page: the same blocks as tables of Markdown."""
    lines = [f"## {result.name}: {result.title}", "", result.claim]
    for quantity in _shown(result):
        header, body = _cells(result, quantity, _strategies(result, quantity))
        titles = [" ".join(part for part in column if part) for column in header]
        lines += ["", f"**{_heading(quantity)}**", ""]
        lines += [_markdown_row(titles), _markdown_row(["---", *["--:"] * (len(titles) - 1)])]
        lines += [_markdown_row(row) for row in body]
    unasked = _unasked(result)
    if unasked:
        lines += ["", f"Not asked for: {', '.join(unasked)}."]
    lines += _summary(result)
    if result.claims:
        lines += ["", "What the paper says, and whether ours agrees:", ""]
        lines += [f"- {_judged(claim)}" for claim in result.claims]
    if result.notes:
        lines += ["", *(f"- {note}" for note in result.notes)]
    return "\n".join([*lines, "", _provenance(result), ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _summary(result: Reproduction) -> list[str]:
    """The meaning of the marks, and how many numbers are the paper's."""
    lines = []
    if any(row.mark for row in result.rows):
        lines += ["", "● best of its row, * not different from it at 95 % (paired t-test)."]
    differences = [abs(row.difference) for row in result.rows if row.difference is not None]
    if differences:
        close = sum(difference <= 2 for difference in differences)
        lines += ["", f"{close} of {len(differences)} numbers are within 2 standard errors of the paper's."]
    return lines


def _heading(quantity: str) -> str:
    return quantity[:1].upper() + quantity[1:]


def _judged(claim: Claim) -> str:
    words = f"{claim.dataset}: {claim.words}" if claim.dataset else claim.words
    return f"{VERDICTS[claim.holds]}: {words}" + (f" ({claim.evidence})" if claim.evidence else "")


def _provenance(result: Reproduction) -> str:
    settings = result.settings or {}
    return (
        f"{settings.get('repeats')} × {settings.get('folds')} folds, seed {settings.get('random_state')}, "
        f"{settings.get('n_jobs')} job(s); {result.seconds:.0f} s on {result.date}, {result.machine}."
        + (" Interrupted." if result.interrupted else "")
    )


def _block(result: Reproduction, quantity: str, width: int) -> list[str]:
    """The table of one quantity, its strategies in as many parts as the width asks for."""
    strategies = _strategies(result, quantity)
    lines: list[str] = []
    while strategies:
        take = len(strategies)
        while take > 1 and _width(result, quantity, strategies[:take]) > width:
            take -= 1
        lines += [""] * bool(lines) + _layout(*_cells(result, quantity, strategies[:take]))
        strategies = strategies[take:]
    return lines


def _width(result: Reproduction, quantity: str, strategies: Sequence[str]) -> int:
    return max(len(line) for line in _layout(*_cells(result, quantity, strategies)))


def _layout(header: Sequence[tuple[str, str]], body: Sequence[Sequence[str]]) -> list[str]:
    widths = [max([len(below), *(len(row[at]) for row in body)]) for at, (_, below) in enumerate(header)]
    groups = [at for at, (above, _) in enumerate(header) if above] + [len(header)]
    # The name of a strategy stands over its columns; a long one widens the last of them.
    for first, end in pairwise(groups):
        lacking = len(header[first][0]) - sum(widths[first:end]) - len(GAP) * (end - first - 1)
        widths[end - 1] += max(0, lacking)
    starts = [sum(widths[:at]) + len(GAP) * at for at in range(len(widths))]
    above = ""
    for at in groups[:-1]:
        above = above.ljust(starts[at]) + header[at][0]
    n_keys = groups[0] if groups else len(header)
    lines = [above, _joined([below for _, below in header], widths, n_keys)]
    lines.append(GAP.join("─" * width for width in widths))
    return lines + [_joined(row, widths, n_keys) for row in body]


def _joined(cells: Sequence[str], widths: Sequence[int], n_keys: int) -> str:
    return GAP.join(
        cell.ljust(width) if at < n_keys else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def _cells(
    result: Reproduction, quantity: str, strategies: Sequence[str]
) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The header (strategy above its first column, column below) and the lines of a block."""
    left_out = _unasked(result)
    rows = {
        (row.dataset, row.at, row.strategy): row
        for row in result.rows
        if row.quantity == quantity and row.dataset not in left_out
    }
    keys = _unique((dataset, at) for dataset, at, _ in rows)
    digits = (result.digits or {}).get(quantity, 2)
    header: list[tuple[str, str]] = [("", "dataset")]
    has_axis = any(at is not None for _, at in keys)
    if has_axis:
        header.append(("", (result.axis or {}).get(quantity, "at")))
    groups = []
    for strategy in strategies:
        members = [row for row in rows.values() if row.strategy == strategy]
        parts = ["ours"]
        if any(row.published is not None for row in members):
            parts.append("paper")
            if any(row.difference is not None for row in members):
                parts.append("Δ/se")
            elif any(_ratio(row) is not None for row in members):
                parts.append("ratio")
        groups.append(parts)
        header += [(strategy if number == 0 else "", part) for number, part in enumerate(parts)]
    body = []
    for dataset, at in keys:
        line = [dataset, *([_place(at)] if has_axis else [])]
        for strategy, parts in zip(strategies, groups, strict=True):
            row = rows.get((dataset, at, strategy))
            line += [_cell(row, part, digits) if row else "" for part in parts]
        body.append(line)
    return header, body


def _cell(row: Row, part: str, digits: int) -> str:
    match part:
        case "ours":
            return _ours(row, digits)
        case "paper":
            return _number(row.published, digits) + MARKS[row.published_mark]
        case "Δ/se":
            return "" if row.difference is None else f"{row.difference:+.1f}"
        case _:
            ratio = _ratio(row)
            return "" if ratio is None else f"{ratio:.3g}"


def _ours(row: Row, digits: int) -> str:
    if row.ours is None:
        return row.status + (f" ({row.remark})" if row.remark else "")
    text = f"{row.ours:.{digits}f}"
    if row.standard_error is not None:
        text += f" ± {row.standard_error:.{digits}f}"
    remarks = [f"{row.n} of {row.planned}"] if row.n < row.planned else []
    remarks += [row.remark] if row.remark else []
    return text + MARKS[row.mark] + (f" ({', '.join(remarks)})" if remarks else "")


def _number(value: float | str | None, digits: int) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def _ratio(row: Row) -> float | None:
    if row.ours is None or not isinstance(row.published, int | float) or row.published == 0:
        return None
    return row.ours / row.published


def _place(at: float | str | None) -> str:
    return "" if at is None else at if isinstance(at, str) else f"{at:g}"


def _unasked(result: Reproduction) -> list[str]:
    """The datasets that nobody asked for: one line names them, so that the others stand together."""
    asked = {row.dataset for row in result.rows if row.status != "not asked for"}
    return _unique(row.dataset for row in result.rows if row.dataset not in asked)


def _shown(result: Reproduction) -> list[str]:
    """The quantities of the datasets that somebody asked for."""
    return _unique(row.quantity for row in result.rows if row.status != "not asked for")


def _strategies(result: Reproduction, quantity: str) -> list[str]:
    return _unique(row.strategy for row in result.rows if row.quantity == quantity)


def _unique(values: Iterable[Value]) -> list[Value]:
    return list(dict.fromkeys(values))


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, max(40, width), initial_indent=indent, subsequent_indent=indent + "  ") or [""]

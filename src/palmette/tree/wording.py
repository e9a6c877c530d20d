"""How names, numbers and categories read in every rendering of a tree (text, rules, dot, plot).

All words that come from the user's data pass through `printable`, so a hostile name cannot break a terminal
or a line. Thresholds that are short decimals are written in full: a digit less, and a value of the data could
seem to lie on the other side. The others get as few digits as keep the thresholds of one feature apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palmette.tree.model import Tree

FEWEST_DIGITS = 6
MOST_DIGITS = 17
SHORT_DECIMAL = 12
"""Data as people write them have fewer digits than this; a midpoint of two has one or two more."""


def printable(value: object) -> str:
    r"""The text of a name, category or class on one line, with unprintable characters escaped.

    >>> printable("two\nlines"), printable(3), printable("")
    ('two\\nlines', '3', "''")
    """
    text = str(value)
    if not text or text != text.strip():
        text = repr(text)
    return escaped(text)


def escaped(text: str) -> str:
    r"""The text on one line, with unprintable characters escaped.

    >>> escaped("\x1b[31mred")
    '\\x1b[31mred'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii") for char in text
    )


def number(value: float, digits: int = FEWEST_DIGITS) -> str:
    """A number with so many significant digits; whole numbers stay whole.

    >>> number(2.4500000000000002), number(1500000.0), number(0.1 + 0.2, 17)
    ('2.45', '1500000', '0.30000000000000004')
    """
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if digits >= MOST_DIGITS else f"{value:.{digits}g}"


def weight_text(weight: float) -> str:
    """A sample weight for a person: whole where it is whole, else one decimal, with thousands apart.

    >>> weight_text(32561.0), weight_text(12.25), weight_text(0.04)
    ('32,561', '12.2', '0.04')
    """
    if 0 < weight < 0.05:
        return f"{weight:.1g}"
    rounded = round(float(weight), 1)
    return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:,.1f}"


def digits_to_tell_apart(values: Iterable[float]) -> int:
    """The fewest digits with which distinct values stay distinct and in order, and short decimals are complete.

    >>> digits_to_tell_apart([0.1, 0.2]), digits_to_tell_apart([52.520015]), digits_to_tell_apart([1 / 3])
    (6, 8, 6)
    """
    ordered = sorted(set(values))
    fewest = max(map(_digits_of_decimal, ordered), default=FEWEST_DIGITS)
    for digits in range(fewest, MOST_DIGITS):
        written = [float(number(value, digits)) for value in ordered]
        if all(low < high for low, high in pairwise(written)):
            return digits
    return MOST_DIGITS


def _digits_of_decimal(value: float) -> int:
    """The digits of a short decimal, but for the noise of computing with it; the fewest of any other number."""
    for digits in range(FEWEST_DIGITS, SHORT_DECIMAL + 1):
        if math.isclose(float(f"{value:.{digits}g}"), value, rel_tol=1e-15):
            return digits
    return FEWEST_DIGITS


def threshold_digits(tree: Tree, features: Iterable[int] | None = None) -> dict[int, int]:
    """The digits that thresholds need, for every continuous feature split on (or those asked for)."""
    nodes = np.flatnonzero(~np.isnan(tree.threshold))
    if features is not None:
        nodes = nodes[np.isin(tree.feature[nodes], list(features))]
    if not len(nodes):
        return {}
    nodes = nodes[np.argsort(tree.feature[nodes], kind="stable")]
    used, starts = np.unique(tree.feature[nodes], return_index=True)
    groups = np.split(tree.threshold[nodes], starts[1:])
    return {int(feature): digits_to_tell_apart(group.tolist()) for feature, group in zip(used, groups, strict=True)}


def enumeration(items: Sequence[object], room: int = 40, ellipsis: str = "…") -> str:
    """As many items as fit into `room` characters (at least one), then how many more there are.

    >>> enumeration(["red", "green", "blue", "yellow"], room=12)
    'red, green, … +2'
    """
    texts = [printable(item) for item in items]
    if len(texts) == 1 or len(", ".join(texts)) <= room:
        return ", ".join(texts)
    shown = 1
    while shown < len(texts) and len(", ".join(texts[: shown + 1])) <= room:
        shown += 1
    return f"{', '.join(texts[:shown])}, {ellipsis} +{len(texts) - shown}"


def shortened(text: str, room: int) -> str:
    """The text, its middle left out where it is longer than `room`: words often differ at their end.

    >>> shortened("Married-spouse-absent", 14)
    'Married-s…sent'
    """
    if len(text) <= room:
        return text
    ending = max(room - 1, 0) // 3
    return f"{text[: room - 1 - ending]}…{text[len(text) - ending :]}"


def wrapped(text: str, room: int = 20, most_lines: int = 2) -> str:
    """The text on few lines of about `room` characters, broken after spaces, underscores and other joints."""
    pieces = [piece for piece in re.split(r"(?<=[\s_\-/.,:;()])", text) if piece]
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > room:
            lines.append(piece)
        else:
            lines[-1] += piece
    if len(lines) > most_lines:
        # Long names often differ at their end, so the last line is taken from there.
        ending = ""
        while pieces and len(ending) + len(pieces[-1]) <= room:
            ending = pieces.pop() + ending
        lines = [*lines[: most_lines - 1], f"… {(ending or text[-room:]).strip()}"]
    return "\n".join(shortened(line.strip(), room + 4) for line in lines)

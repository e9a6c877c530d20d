"""How the numbers of a CSV file are written: which sign is the decimal one, and which one separates thousands.

Arrow reads 1.5 by itself and leaves 1,5 and 1,234.5 as text, for `files.py` to hand over. What has one reading gets it.
What has two (1,234 and 1.234) follows the columns that have one: a file is written in one notation. Where no column
tells, a comma stays text and a dot is a decimal point, with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from palmette.support.messages import listing

__all__ = ["numbers_or", "read_notation"]

SIGNS = {".": "dots", ",": "commas"}


class Notation(NamedTuple):
    """A way to write numbers: the decimal sign, and the sign between thousands."""

    decimal: str
    separator: str

    @property
    def grouped(self) -> str:
        """What a number with separators looks like; none begins with 0, so 0,123 is a fraction."""
        return rf"[1-9]\d{{0,2}}([{self.separator}]\d{{3}})+"

    @property
    def number(self) -> str:
        return rf"^[-+]?(\d*[{self.decimal}]?\d+([eE][-+]?\d+)?|{self.grouped}([{self.decimal}]\d+)?)$"


POINTS, COMMAS = Notation(".", ","), Notation(",", ".")
NOTATIONS = (POINTS, COMMAS)


class Evidence(NamedTuple):
    """The columns, by position, that have one reading only, for each notation."""

    with_decimals: dict[Notation, list[int]]
    with_groups: dict[Notation, list[int]]

    def decided(self) -> tuple[Notation | None, int]:
        """The notation of the file and a column that shows it; None where no column does, or two disagree.

        Decimals weigh more than groups: 1.234.567 beside 0.5 is no number but, say, the number of a part.
        """
        for places in (self.with_decimals, self.with_groups):
            shown = [notation for notation in NOTATIONS if places[notation]]
            if shown:
                return (shown[0], places[shown[0]][0]) if len(shown) == 1 else (None, -1)
        return None, -1


def read_notation(
    columns: list[Any], names: list[str], texts_of: Callable[[list[int]], list[Any]], *, cut_by_commas: bool
) -> tuple[list[Any], list[str]]:
    """The columns, with numbers in place of texts that are numbers, and notes on how they were read.

    Parameters
    ----------
    columns : list of Arrow columns
        Texts without blanks around them, doubles where all values have dots or none, or anything else.
    names : list of str
        What the columns are called in the notes.
    texts_of : callable
        The texts of the columns of doubles at the given positions, as they are in the file.
    cut_by_commas : bool
        Whether the delimiter is the comma. Then a dot needs no proof that it is a decimal point.
    """
    evidence = Evidence({notation: [] for notation in NOTATIONS}, {notation: [] for notation in NOTATIONS})
    doubtful: dict[int, Any] = {}
    for place, column in enumerate(columns):
        if not pa.types.is_string(column.type):
            continue
        fitting = [notation for notation in NOTATIONS if _all_match(column, notation.number)]
        if len(fitting) == 1:
            with_decimals = _any_match(column, rf"[{fitting[0].decimal}]")
            (evidence.with_decimals if with_decimals else evidence.with_groups)[fitting[0]].append(place)
        elif fitting and _any_match(column, "[.,]"):
            doubtful[place] = column

    found_in_text = bool(doubtful) or any(any(places.values()) for places in evidence)
    dotted: dict[int, Any] = {}
    if found_in_text or not cut_by_commas:
        dotted = _weigh_doubles(columns, texts_of, evidence)
    return _read(columns, names, evidence, doubtful, dotted, cut_by_commas)


def _weigh_doubles(
    columns: list[Any], texts_of: Callable[[list[int]], list[Any]], evidence: Evidence
) -> dict[int, Any]:
    """The texts of the columns of doubles whose dots could separate thousands; the others become evidence."""
    unsure = []
    for place, column in enumerate(columns):
        if pa.types.is_floating(column.type) and column.null_count < len(column):
            if _surely_decimal(column):
                evidence.with_decimals[POINTS].append(place)
            else:
                unsure.append(place)
    # The file is read again only where the texts can change something.
    if not unsure or (evidence.with_decimals[POINTS] and not evidence.with_decimals[COMMAS]):
        return {}
    doubtful = {}
    for place, texts in zip(unsure, texts_of(unsure), strict=True):
        dotted = texts.filter(pc.match_substring(texts, "."))
        if _all_match(dotted, rf"^[-+]?{COMMAS.grouped}$"):
            doubtful[place] = texts
        elif len(dotted):
            evidence.with_decimals[POINTS].append(place)
    return doubtful


def _surely_decimal(column: Any) -> bool:
    """Whether a number is there that no thousands separator can have made: 0.5, 1234.5 or 1.2345, but not 1.5."""
    values = np.abs(column.drop_null().to_numpy())
    values = values[np.isfinite(values) & (values != np.floor(values))]
    thousandfold = 1000 * values
    # A double near 1.234 is not a thousandth of 1234 exactly.
    return bool(((values < 1) | (values > 1000) | (np.abs(thousandfold - np.rint(thousandfold)) > 1e-6)).any())


def _read(
    columns: list[Any],
    names: list[str],
    evidence: Evidence,
    doubtful: dict[int, Any],
    dotted: dict[int, Any],
    cut_by_commas: bool,
) -> tuple[list[Any], list[str]]:
    """Read every column in its notation, or in that of the file."""
    read, notes = list(columns), list[str]()
    notation, witness = evidence.decided()

    def convert(places: Iterable[int], texts: Any, way: Notation) -> list[int]:
        changed = []
        for place in places:
            read[place] = _in_notation(texts[place], way)
            if read[place] is not texts[place]:
                changed.append(place)
        return changed

    def named(places: Iterable[int]) -> str:
        return listing([names[place] for place in places], 5)

    for way in NOTATIONS:
        sure = [*evidence.with_decimals[way], *(evidence.with_groups[way] if way is notation else ())]
        sure = convert((place for place in sorted(sure) if pa.types.is_string(columns[place].type)), columns, way)
        for sign, meaning in ((way.decimal, "decimal points"), (way.separator, "thousands separators")):
            places = [place for place in sure if _any_match(columns[place], rf"[{sign}]")]
            if places and (sign, meaning) != (".", "decimal points"):
                notes.append(f"The {SIGNS[sign]} in {named(places)} were read as {meaning}.")

    if notation is None:
        if doubtful:
            text = _example(doubtful, ",")
            notes.append(
                f"The commas in {named(doubtful)} may be decimal points or separate thousands, and the other columns "
                f"do not tell: they were left as text. Instead of {text}, write {text.replace(',', '')} or "
                f"{text.replace(',', '.')}."
            )
        if dotted and (not cut_by_commas or evidence.with_decimals[COMMAS]):
            text = _example(dotted, ".")
            notes.append(
                f"The dots in {named(dotted)} were read as decimal points, but may separate thousands, and the other "
                f"columns do not tell: if {text} is meant to be {text.replace('.', '')}, write that."
            )
        return read, notes

    shown = f"'{names[witness]}' shows that they are not"
    changed = convert(doubtful, doubtful, notation)
    if changed and notation is POINTS:
        notes.append(f"The commas in {named(changed)} were read as thousands separators: {shown} decimal points.")
    elif changed:
        notes.append(
            f"The commas in {named(changed)} were read as decimal points, as in '{names[witness]}', but could "
            "separate thousands."
        )
    if notation is COMMAS:
        changed = convert(dotted, dotted, notation)
        if changed:
            notes.append(f"The dots in {named(changed)} were read as thousands separators: {shown} decimal points.")
    return read, notes


def _in_notation(texts: Any, notation: Notation) -> Any:
    plain = pc.replace_substring(texts, notation.separator, "")
    # Arrow takes no plus sign before an integer, and would make a double of it.
    plain = pc.replace_substring_regex(pc.replace_substring(plain, notation.decimal, "."), r"^\+", "")
    return numbers_or(texts, plain)


def numbers_or(otherwise: Any, texts: Any) -> Any:
    """The texts as integers or doubles; something else where they are not all numbers."""
    for number in (pa.int64(), pa.float64()):
        try:
            return texts.cast(number)
        except pa.ArrowInvalid:
            continue
    return otherwise


def _all_match(column: Any, pattern: str) -> bool:
    """Whether every text that is there looks like that, and there is one."""
    # Most columns of words say no in the first rows.
    for part in (column.slice(0, 100), column):
        matching = pc.all(pc.match_substring_regex(part, pattern)).as_py()
        if matching is False:
            return False
    return matching is True


def _any_match(column: Any, pattern: str) -> bool:
    return pc.any(pc.match_substring_regex(column, pattern)).as_py() is True


def _example(columns: dict[int, Any], sign: str) -> str:
    """A text with that sign, of the first column."""
    texts = next(iter(columns.values()))
    text: str = texts.filter(pc.match_substring(texts, sign))[0].as_py()
    return text

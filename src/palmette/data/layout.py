"""What the first lines of a CSV file tell of its layout: where its table begins, and what stands between two values.

`files.py` reads the table by it.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

__all__ = ["DELIMITERS", "Layout", "find_layout"]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

LINE_ENDS = re.compile(r"(\r\n|\r|\n)+")
LINE_END = re.compile(r"\r\n|\r|\n")

# Excel's way to name the delimiter, which may be any sign.
NAMED_DELIMITER = re.compile(r'("?)sep=([!#-/:-@\[-`{-~ \t])\1[ \t]*(\r\n|\r|\n)+', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """The table of a CSV file: its text, the line that it begins in, its delimiter, and the fields of the first line.

    The delimiter is named by the file itself, or found. `comments` are the first and the last of the lines before the
    table that begin with # and have another number of fields.
    """

    text: str
    first_line: int
    delimiter: str
    width: int
    delimiter_is_named: bool = False
    comments: tuple[int, int] | None = None

    @property
    def delimiter_name(self) -> str:
        return DELIMITERS.get(self.delimiter, "blank" if self.delimiter == " " else f"'{self.delimiter}'")


def find_layout(text: str) -> Layout:
    """The layout that the first lines show.

    >>> layout = find_layout("# made by hand\\nheight;kind\\n1,5;tall\\n")
    >>> layout.first_line, layout.delimiter, layout.width, layout.comments
    (2, ';', 2, (1, 1))
    """
    blank = LINE_ENDS.match(text)
    start = blank.end() if blank else 0
    named = NAMED_DELIMITER.match(text, start)
    if named:
        start = named.end()
    delimiter, comments, start = _after_comments(text, start, named and named[2])
    return Layout(
        text[start:],
        _line_at(text, start),
        delimiter,
        _width(text[start:], delimiter),
        named is not None,
        (_line_at(text, comments[0]), _line_at(text, comments[-1])) if comments else None,
    )


def _after_comments(text: str, start: int, named: str | None) -> tuple[str, list[int], int]:
    """The delimiter, the places of the lines that begin with # and have another width than the rest, and its place."""
    lines = []
    place = start
    while text.startswith("#", place):
        end = LINE_ENDS.search(text, place)
        lines.append(place)
        place = end.end() if end else len(text)
    if lines and text[place:].strip():
        delimiter = named or _sniff_delimiter(text[place:])
        width = _width(text[place:], delimiter)
        # A line of names may begin with #, and so may values.
        while lines and _width(text[lines[-1] : place], delimiter) == width:
            place = lines.pop()
        if lines and width > 1:
            return delimiter, lines, place
    return named or _sniff_delimiter(text[start:]), [], start


def _line_at(text: str, place: int) -> int:
    """The number of the line that begins at a place."""
    return 1 + len(LINE_END.findall(text, 0, place))


def _width(text: str, delimiter: str) -> int:
    """The number of fields in the first line."""
    try:
        return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []))
    except csv.Error:
        return 0


def _sniff_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into the same number of fields, and the most of them."""
    sample = text[: 1 << 16].splitlines()
    # The last line of a sample may be cut in the middle.
    sample = sample[: max(1, min(len(sample) - 1, 50))] if len(text) > 1 << 16 else sample[:50]

    def worth(delimiter: str) -> tuple[bool, float, int]:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            return (False, 0.0, 0)
        agreeing = sum(width == widths[0] for width in widths) / len(widths) if widths else 0.0
        return (bool(widths) and widths[0] > 1, agreeing, widths[0] if widths else 0)

    return max(DELIMITERS, key=worth)

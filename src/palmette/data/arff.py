"""Reads the text of an ARFF file (Weka's format) into an Arrow table; `files.py` opens the file.

Nominal attributes become dictionary columns with the declared categories in the declared order, numeric
ones doubles (integers stay integers), strings strings. Sparse rows are filled with zeros: 0, or the first
category. A date is left out with a note. A bad line ends in an `ArffError` that tells its number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

__all__ = ["ArffError", "read_arff"]

NUMERIC = {"numeric", "real", "integer"}

# A quoted text with backslash escapes, or a run of other characters.
TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)""")
DECLARATION = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.*)$""", re.IGNORECASE
)
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class ArffError(ValueError):
    """Text that is not ARFF; the message says where and why."""


@dataclass(slots=True)
class Attribute:
    """A declared column and the values read for it: numbers, texts, or codes of the categories."""

    name: str
    kind: str
    categories: dict[str, int] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def parse(self, token: str | None, line: int) -> Any:
        if token is None:
            return None
        if self.kind == "nominal":
            code = self.categories.get(token)
            if code is None:
                raise ArffError(
                    f"line {line}: '{token}' is not a declared value of '{self.name}', "
                    f"which has {', '.join(list(self.categories)[:8])}."
                )
            return code
        if self.kind in NUMERIC:
            try:
                return float(token)
            except ValueError:
                raise ArffError(f"line {line}: '{token}' is not a number for '{self.name}'.") from None
        return token

    def zero(self) -> Any:
        """What a sparse row means by leaving the column out."""
        if self.kind == "nominal":
            return 0
        return 0.0 if self.kind in NUMERIC else ""

    def column(self) -> Any:
        if self.kind == "nominal":
            codes = pa.array(self.values, pa.int32())
            return pa.DictionaryArray.from_arrays(codes, pa.array(list(self.categories), pa.string()))
        if self.kind not in NUMERIC:
            return pa.array(self.values, pa.string())
        numbers = pa.array(self.values, pa.float64())
        if self.kind == "integer":
            try:
                return numbers.cast(pa.int64())
            except pa.ArrowInvalid:
                return numbers
        return numbers


def read_arff(text: str) -> tuple[pa.Table, list[str]]:
    """The table in an ARFF text, and sentences about the columns that were left out."""
    lines = re.split(r"\r\n|\n|\r", text)
    attributes, start = _read_header(lines)
    for number, line in enumerate(lines[start:], start + 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if stripped.startswith("{"):
            row = _sparse_row(stripped, attributes, number)
        else:
            row = _dense_row(stripped, attributes, number)
        for attribute, value in zip(attributes, row, strict=True):
            attribute.values.append(value)

    kept = [attribute for attribute in attributes if attribute.kind != "date"]
    notes = [
        f"Column '{attribute.name}' holds dates, which a tree cannot use: it is left out."
        for attribute in attributes
        if attribute.kind == "date"
    ]
    return pa.table([attribute.column() for attribute in kept], names=[a.name for a in kept]), notes


def _read_header(lines: list[str]) -> tuple[list[Attribute], int]:
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        keyword = stripped.lower()
        if not stripped or stripped.startswith("%") or keyword.startswith("@relation"):
            continue
        if keyword.startswith("@data"):
            if not attributes:
                raise ArffError(f"line {number}: @data comes before any @attribute.")
            return attributes, number
        if not keyword.startswith("@attribute"):
            raise ArffError(f"line {number}: expected @attribute or @data, found '{stripped[:40]}'.")
        attribute = _declared(stripped, number)
        if any(attribute.name == other.name for other in attributes):
            raise ArffError(f"line {number}: the attribute '{attribute.name}' is declared twice.")
        attributes.append(attribute)
    raise ArffError("it has no @data line.")


def _declared(line: str, number: int) -> Attribute:
    match = DECLARATION.match(line)
    if match is None:
        raise ArffError(f"line {number}: an attribute needs a name and a type.")
    single, double, bare, kind = match.groups()
    name = _unescape(single if single is not None else double) if bare is None else bare
    kind = kind.strip()
    if kind.startswith("{"):
        end = kind.rfind("}")
        if end < 0:
            raise ArffError(f"line {number}: the list of values of '{name}' has no closing brace.")
        values = [value for value in _tokens(kind[1:end], number) if value is not None]
        if not values:
            raise ArffError(f"line {number}: '{name}' has no values.")
        return Attribute(name, "nominal", {value: code for code, value in enumerate(dict.fromkeys(values))})
    word = kind.split()[0].lower() if kind else ""
    if word not in NUMERIC | {"string", "date"}:
        raise ArffError(
            f"line {number}: the type '{kind}' of '{name}' is not known "
            "(numeric, real, integer, string, date, or values in braces)."
        )
    return Attribute(name, word)


def _dense_row(line: str, attributes: list[Attribute], number: int) -> list[Any]:
    tokens = _tokens(line, number)
    if len(tokens) == 1 < len(attributes):
        tokens = _tokens(",".join(line.split()), number)
    if len(tokens) == len(attributes) + 1 and re.search(r",\s*\{[^{}]*\}\s*$", line):
        raise ArffError(f"line {number}: weights of rows are not supported.")
    if len(tokens) != len(attributes):
        raise ArffError(f"line {number}: {len(tokens)} values for {len(attributes)} declared attributes.")
    return [attribute.parse(token, number) for attribute, token in zip(attributes, tokens, strict=True)]


def _sparse_row(line: str, attributes: list[Attribute], number: int) -> list[Any]:
    if not line.endswith("}"):
        raise ArffError(f"line {number}: a sparse row has no closing brace.")
    row = [attribute.zero() for attribute in attributes]
    for entry in re.findall(r"""(?:[^,'"\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+""", line[1:-1]):
        match = re.match(r"\s*(\d+)\s+(.+?)\s*$", entry)
        if match is None:
            raise ArffError(f"line {number}: '{entry.strip()}' is not an index and a value.")
        index = int(match[1])
        if index >= len(attributes):
            raise ArffError(f"line {number}: index {index}, but there are only {len(attributes)} attributes.")
        (token,) = _tokens(match[2], number)
        row[index] = attributes[index].parse(token, number)
    return row


def _tokens(line: str, number: int) -> list[str | None]:
    """The values of a line; None where a bare question mark (or nothing) stands for a missing one."""
    if not any(sign in line for sign in "'\"\\"):
        return [token if token not in ("?", "") else None for token in map(str.strip, line.split(","))]
    tokens: list[str | None] = []
    place = 0
    while True:
        match = TOKEN.match(line, place)
        if match is None:
            raise ArffError(f"line {number}: a quotation mark is not closed, or text follows a closed one.")
        single, double, bare = match.groups()
        if bare is not None and bare.startswith(("'", '"')):
            raise ArffError(f"line {number}: a quotation mark is not closed, or text follows a closed one.")
        if bare is not None:
            tokens.append(_unescape(bare) if bare not in ("?", "") else None)
        else:
            tokens.append(_unescape(single if single is not None else double))
        place = match.end()
        if not match[0].endswith(","):
            return tokens


def _unescape(text: str) -> str:
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), text)

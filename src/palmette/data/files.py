"""Reads a table from a CSV, Parquet or ARFF file, for the command line and for `palmette.datasets`.

The kind of a file is told by its content, not by its name. Whatever cannot be read ends in a `FileError` of
one sentence; whatever was decided on the way (an encoding, a column left out) is said in `notes`. CSV and
Parquet are read by Arrow, which is strict about rows that are too short or too long; `arff.py` knows the
third format.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from palmette.data.arff import ArffError, read_arff

__all__ = ["MISSING", "FileContents", "FileError", "read_file"]

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""What stands for a missing value in a CSV file."""

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

DECIMAL_COMMA = r"^[-+]?\d*,?\d+([eE][-+]?\d+)?$"
THOUSANDS = r"^[-+]?\d{1,3}(,\d{3})?$"

# The first bytes of kinds of files that people hand over by mistake.
FOREIGN = {
    b"\x1f\x8b": "a gzip archive: unpack it first",
    b"PK\x03\x04": "a zip archive or an Excel workbook: unpack it, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save it as CSV",
    b"ARROW1": "an Arrow file: save it as Parquet",
    b"SQLite format 3": "an SQLite database: export the table as CSV",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x80\x04\x95": "a Python pickle: save the table as Parquet",
    b"\x80\x05\x95": "a Python pickle: save the table as Parquet",
    b"\x28\xb5\x2f\xfd": "a zstd archive: unpack it first",
    b"BZh": "a bzip2 archive: unpack it first",
}


class FileError(ValueError):
    """A file that cannot be read as a table; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class FileContents:
    """A table read from a file, the format found in it, and what the reader decided on the way."""

    table: pa.Table
    format: str
    notes: tuple[str, ...] = ()


def read_file(path: str | Path, *, header: bool = True) -> FileContents:
    """Read the table in a CSV, Parquet or ARFF file.

    Parameters
    ----------
    path : str or Path
        The file.
    header : bool, default=True
        Whether the first line of a CSV file holds the names of the columns.
    """
    path = Path(path)
    if path.is_dir():
        raise FileError(f"'{path}' is a directory: name a CSV, Parquet or ARFF file in it.")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"There is no file '{path}'.") from None
    except OSError as error:
        raise FileError(f"'{path}' cannot be read: {error.strerror or error}.") from None

    if raw.startswith(b"PAR1"):
        contents = FileContents(_read_parquet(raw, path), "Parquet")
    else:
        text, notes = _decode(raw, path)
        if not text.strip():
            raise FileError(f"'{path}' is empty.")
        _refuse_documents(text, path)
        if _looks_like_arff(text):
            try:
                table, more = read_arff(text)
            except ArffError as error:
                raise FileError(f"'{path}' is not a valid ARFF file: {error}") from None
            contents = FileContents(table, "ARFF", (*notes, *more))
        else:
            table, more = _read_csv(text, path, header)
            contents = FileContents(table, "CSV", (*notes, *more))
    if contents.table.num_rows == 0:
        raise FileError(f"'{path}' has column names but no rows.")

    promised = {".csv": "CSV", ".tsv": "CSV", ".parquet": "Parquet", ".pq": "Parquet", ".arff": "ARFF"}
    expected = promised.get(path.suffix.lower(), contents.format)
    if expected != contents.format:
        note = f"'{path.name}' is {contents.format} in spite of its name, and was read as such."
        contents = FileContents(contents.table, contents.format, (note, *contents.notes))
    return contents


def _decode(raw: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    for magic, kind in FOREIGN.items():
        if raw.startswith(magic):
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF but {kind}.")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16"), ()
        except UnicodeDecodeError:
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.") from None
    if b"\0" in raw:
        raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.")
    try:
        return raw.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        control = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in raw[:4096])
        if control > 40:
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.") from None
        return raw.decode("latin-1"), (f"'{path.name}' is not UTF-8; it was read as Latin-1.",)


def _refuse_documents(text: str, path: Path) -> None:
    """Raise where the text is JSON, HTML or XML, which would make strange tables."""
    start = text.lstrip()
    if re.match(r"<(!doctype|html|\?xml|svg|[a-z]+[ >])", start[:100], re.IGNORECASE):
        raise FileError(f"'{path}' is not CSV, Parquet or ARFF but an HTML or XML document: save the table as CSV.")
    # Whole, or one value a line.
    for candidate in (start, start.partition("\n")[0]) if start[0] in "{[" else ():
        try:
            json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        raise FileError(f"'{path}' is not CSV, Parquet or ARFF but JSON: save the table as CSV or Parquet.")


def _looks_like_arff(text: str) -> bool:
    for line in io.StringIO(text):
        line = line.strip()
        if line and not line.startswith("%"):
            return line.lower().startswith(("@relation", "@attribute"))
    return False


def _read_parquet(raw: bytes, path: Path) -> pa.Table:
    try:
        table = pa.parquet.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as error:
        raise FileError(f"'{path}' is a damaged Parquet file: {_one_line(error)}") from None
    index = [name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)]
    return _plain_numbers(_checked_names(table.drop_columns(index), path))


def _plain_numbers(table: pa.Table) -> pa.Table:
    """The same table with decimals and half floats as doubles."""
    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) or pa.types.is_float16(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float64(), safe=False))
    return table


def _read_csv(text: str, path: Path, header: bool) -> tuple[pa.Table, list[str]]:
    notes: list[str] = []
    text, original = text.lstrip("\r\n"), text
    delimiter = _sniff_delimiter(text)
    try:
        first = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise FileError(f"'{path}' is not a valid CSV file: {error}.") from None
    if header:
        names = [name.strip() for name in first]
        if sum(_is_decimal(name) for name in names) > 0:
            notes.append(f"The first line of '{path.name}' looks like data (--no-header says that it is).")
    else:
        names = [f"column_{place}" for place in range(1, len(first) + 1)]

    opened = _unclosed_quote(original, delimiter)
    if opened is not None:
        raise FileError(f"'{path}': the quotation mark opened in line {opened} is never closed.")
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(text.encode()),
            read_options=pa.csv.ReadOptions(
                column_names=[str(place) for place in range(len(names))],
                skip_rows_after_names=int(header),
                block_size=1 << 24,
            ),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                null_values=list(MISSING), strings_can_be_null=True, check_utf8=False
            ),
        )
    except pa.ArrowException as error:
        raise FileError(_csv_complaint(original, delimiter, len(names), path, error)) from None

    columns = [_tidy(table.column(place)) for place in range(table.num_columns)]
    columns = _with_decimal_points(columns, names, delimiter, notes)
    kept = []
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        if name:
            kept.append((name, column))
        elif column.null_count == len(column):
            continue
        elif place == 0 and _counts_rows(column):
            notes.append("The first column has no name and counts the rows: it is left out.")
        else:
            notes.append(f"Column {place + 1} has no name and is called 'column_{place + 1}'.")
            kept.append((f"column_{place + 1}", column))
    table = pa.table([column for _, column in kept], names=[name for name, _ in kept])
    return _checked_names(table, path), notes


def _checked_names(table: pa.Table, path: Path) -> pa.Table:
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise FileError(f"'{path}' has two columns named '{twice[0]}': give every column its own name.")
    return table


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


def _csv_complaint(text: str, delimiter: str, width: int, path: Path, error: Exception) -> str:
    kind = DELIMITERS[delimiter]
    try:
        for line, row in _rows(text, delimiter):
            if row and len(row) != width:
                return (
                    f"'{path}', line {line}: {_count(len(row), 'field')} where the first line has {width} "
                    f"(fields end at a {kind})."
                )
    except csv.Error as complaint:
        return f"'{path}' is not a valid CSV file: {complaint}."
    return f"'{path}' is not a valid CSV file: {_one_line(error)}"


def _unclosed_quote(text: str, delimiter: str) -> int | None:
    """The line in which a quotation opens that the end of the file cuts off."""
    if text.count('"') % 2 == 0:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for _ in reader:
            line = reader.line_num + 1
    except csv.Error as error:
        return line if "unexpected end of data" in str(error) else None
    return None


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def _tidy(column: Any) -> Any:
    """Strings without blanks around them, missing ones found, numbers where all are numbers."""
    if pa.types.is_null(column.type):
        return column.cast(pa.float64())
    if not pa.types.is_string(column.type):
        return column
    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, value_set=pa.array(MISSING))
    column = pc.if_else(missing, pa.scalar(None, pa.string()), column)
    return _numbers(column, column)


def _with_decimal_points(columns: list[Any], names: list[str], delimiter: str, notes: list[str]) -> list[Any]:
    """Text that is numbers with decimal commas, as numbers.

    Between commas a quoted "1,234" may be a thousand and more, so there some number must show that it is none.
    """
    read, changed = [], []
    for name, column in zip(names, columns, strict=True):
        numbers = column
        if pa.types.is_string(column.type) and _all_match(column, DECIMAL_COMMA):
            sure = delimiter != "," or not _all_match(column, THOUSANDS)
            numbers = _numbers(pc.replace_substring(column, ",", "."), column) if sure else column
        if numbers is not column:
            changed.append(name)
        read.append(numbers)
    if changed:
        named = ", ".join(f"'{name}'" for name in changed[:5]) + (
            f" and {len(changed) - 5} more" if changed[5:] else ""
        )
        notes.append(f"The commas in {named} were read as decimal points.")
    return read


def _all_match(column: Any, pattern: str) -> bool:
    """Whether every text that is there looks like that, and there is one."""
    return column.null_count < len(column) and pc.all(pc.match_substring_regex(column, pattern)).as_py() is True


def _numbers(candidate: Any, otherwise: Any) -> Any:
    for number in (pa.int64(), pa.float64()):
        try:
            return candidate.cast(number)
        except pa.ArrowInvalid:
            continue
    return otherwise


def _counts_rows(column: Any) -> bool:
    if not pa.types.is_integer(column.type) or column.null_count:
        return False
    values = column.to_numpy()
    return bool(len(values) > 1 and values[0] in (0, 1) and (values[1:] - values[:-1] == 1).all())


def _is_decimal(name: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.\d*|\.\d+)([eE][-+]?\d+)?", name) is not None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _one_line(error: Exception) -> str:
    message = " ".join(str(error).split())
    return message if message.endswith(".") else message[:200] + "."

"""Reads a table from a CSV, Parquet or ARFF file, for the command line and for `palmette.datasets`.

The kind of a file is told by its content, not by its name. Whatever cannot be read ends in a `FileError` of
one sentence; whatever was decided on the way (an encoding, a column left out) is said in `notes`. CSV and
Parquet are read by Arrow, which is strict about rows that are too short or too long; `layout.py` looks at the first
lines of a CSV file and `notation.py` at its numbers; `arff.py` knows the third format.
"""

from __future__ import annotations

import collections
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from palmette.data.arff import ArffError, read_arff
from palmette.data.layout import Layout, find_layout
from palmette.data.notation import numbers_or, read_notation

__all__ = ["MISSING", "FileContents", "FileError", "read_file"]

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""What stands for a missing value in a CSV file."""

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
    """A file that cannot be read as a table; the message is one sentence for the user.

    `notes` hold what the reader had decided before it gave up, which may be the cause.
    """

    def __init__(self, message: str, notes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.notes = tuple(notes)


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

    notes: list[str] = []
    try:
        table, kind = _read(raw, path, header, notes)
    except FileError as error:
        raise FileError(str(error), notes) from None
    promised = {".csv": "CSV", ".tsv": "CSV", ".parquet": "Parquet", ".pq": "Parquet", ".arff": "ARFF"}
    if promised.get(path.suffix.lower(), kind) != kind:
        notes.insert(0, f"'{path.name}' is {kind} in spite of its name, and was read as such.")
    return FileContents(table, kind, tuple(notes))


def _read(raw: bytes, path: Path, header: bool, notes: list[str]) -> tuple[pa.Table, str]:
    """The table in the bytes, and its format; what is decided on the way goes into the notes."""
    if raw.startswith(b"PAR1"):
        table, kind = _read_parquet(raw, path), "Parquet"
    else:
        text = _decode(raw, path, notes)
        if not text.strip():
            raise FileError(f"'{path}' is empty.")
        _refuse_documents(text, path)
        if _looks_like_arff(text):
            try:
                table, more = read_arff(text)
            except ArffError as error:
                raise FileError(f"'{path}' is not a valid ARFF file: {error}") from None
            notes += more
            kind = "ARFF"
        else:
            table, kind = _read_csv(text, path, header, notes), "CSV"
    if table.num_rows == 0:
        raise FileError(f"'{path}' has column names but no rows.")
    return table, kind


def _decode(raw: bytes, path: Path, notes: list[str]) -> str:
    for magic, kind in FOREIGN.items():
        if raw.startswith(magic):
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF but {kind}.")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.") from None
    if b"\0" in raw:
        raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        control = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in raw[:4096])
        if control > 40:
            raise FileError(f"'{path}' is not CSV, Parquet or ARFF: it holds binary data.") from None
        notes.append(f"'{path.name}' is not UTF-8; it was read as Latin-1.")
        return raw.decode("latin-1")


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
        # Arrow finds columns by name, and calls two of the same name a fault of the file.
        content = _in_arrow(raw)
        _refuse_doubled_names(pa.parquet.read_schema(pa.BufferReader(content)).names, path)
        table = pa.parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise FileError(f"'{path}' is a damaged Parquet file: {_one_line(error)}") from None
    index = [name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)]
    return _plain_numbers(table.drop_columns(index))


def _in_arrow(content: bytes) -> pa.Buffer:
    """A copy in Arrow's own memory.

    Of 180 programs that ended right after reading Python's bytes, 7 aborted, and none of 180 with a copy. The likely
    cause: Arrow's threads let go of what they have read a little later, and need the interpreter for that.
    """
    stream = pa.BufferOutputStream()
    stream.write(content)
    return stream.getvalue()


def _plain_numbers(table: pa.Table) -> pa.Table:
    """The same table with decimals and half floats as doubles."""
    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) or pa.types.is_float16(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float64(), safe=False))
    return table


def _read_csv(text: str, path: Path, header: bool, notes: list[str]) -> pa.Table:
    layout = find_layout(text)
    if not layout.text.strip():
        raise FileError(f"'{path}' is empty.")
    notes += _layout_notes(layout, path)
    try:
        first = next(csv.reader(io.StringIO(layout.text, newline=""), delimiter=layout.delimiter))
    except csv.Error as error:
        raise FileError(f"'{path}' is not a valid CSV file: {error}.") from None
    names = [name.strip() for name in first] if header else [""] * len(first)
    if any(_is_decimal(name) for name in names):
        notes.append(f"The first line of '{path.name}' looks like data (--no-header says that it is).")
    shown = [name or f"column_{place}" for place, name in enumerate(names, start=1)]

    opened = _unclosed_quote(layout)
    if opened is not None:
        raise FileError(f"'{path}': the quotation mark opened in line {opened} is never closed.")
    content = _in_arrow(layout.text.encode())
    try:
        columns = [_tidy(column) for column in _parse(content, layout, header)]
    except pa.ArrowException as error:
        raise FileError(_csv_complaint(layout, path, error)) from None
    columns, more = read_notation(
        columns,
        shown,
        lambda places: [_known_texts(column) for column in _parse(content, layout, header, places)],
        cut_by_commas=layout.delimiter == ",",
    )
    notes += more
    kept = []
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        if name or not header:
            kept.append((shown[place], column))
        elif column.null_count == len(column):
            continue
        elif place == 0 and _counts_rows(column):
            notes.append("The first column has no name and counts the rows: it is left out.")
        else:
            notes.append(f"Column {place + 1} has no name and is called '{shown[place]}'.")
            kept.append((shown[place], column))
    _refuse_doubled_names([name for name, _ in kept], path, perhaps_data=any(_is_number(name) for name in names))
    return pa.table([column for _, column in kept], names=[name for name, _ in kept])


def _parse(content: pa.Buffer, layout: Layout, header: bool, as_text: list[int] | None = None) -> list[Any]:
    """The columns of a CSV file by the types that Arrow finds; or some of them, as text."""
    places = None if as_text is None else [str(place) for place in as_text]
    table = pa.csv.read_csv(
        pa.BufferReader(content),
        read_options=pa.csv.ReadOptions(
            # Numbers, because the names in the file may not differ.
            column_names=[str(place) for place in range(layout.width)],
            skip_rows_after_names=int(header),
            block_size=1 << 24,
        ),
        parse_options=pa.csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            null_values=list(MISSING),
            strings_can_be_null=True,
            check_utf8=False,
            include_columns=places,
            column_types=None if places is None else dict.fromkeys(places, pa.string()),
        ),
    )
    return list(table.columns)


def _layout_notes(layout: Layout, path: Path) -> Iterator[str]:
    if layout.comments is not None:
        first, last = layout.comments
        if first == last:
            yield f"Line {first} of '{path.name}' begins with # and holds no values: it is left out."
        else:
            yield f"Lines {first} to {last} of '{path.name}' begin with # and hold no values: they are left out."
    if layout.width == 1:
        wanted = layout.delimiter_name if layout.delimiter_is_named else "comma, semicolon, tab or bar"
        yield (
            f"There is no {wanted} in line {layout.first_line} of '{path.name}': every line was read as a single value "
            "(blanks do not separate values)."
        )


def _refuse_doubled_names(names: list[str], path: Path, *, perhaps_data: bool = False) -> None:
    if len(set(names)) == len(names):
        return
    twice = min(name for name, count in collections.Counter(names).items() if count > 1)
    hint = ""
    if perhaps_data:
        hint = ", or tell that the first line holds data (--no-header; in Python, header=False)"
    raise FileError(f"'{path}' has two columns named '{twice}': give every column its own name{hint}.")


def _csv_complaint(layout: Layout, path: Path, error: Exception) -> str:
    try:
        for line, row in _rows(layout):
            if row and len(row) != layout.width:
                return (
                    f"'{path}', line {line}: {_count(len(row), 'field')} where the first line has {layout.width} "
                    f"(fields end at a {layout.delimiter_name})."
                )
    except csv.Error as complaint:
        return f"'{path}' is not a valid CSV file: {complaint}."
    return f"'{path}' is not a valid CSV file: {_one_line(error)}"


def _unclosed_quote(layout: Layout) -> int | None:
    """The line in which a quotation opens that the end of the file cuts off."""
    if layout.text.count('"') % 2 == 0:
        return None
    reader = csv.reader(io.StringIO(layout.text, newline=""), delimiter=layout.delimiter, strict=True)
    line = layout.first_line
    try:
        for _ in reader:
            line = layout.first_line + reader.line_num
    except csv.Error as error:
        return line if "unexpected end of data" in str(error) else None
    return None


def _rows(layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The rows of the table, each with the number of its first line in the file."""
    reader = csv.reader(io.StringIO(layout.text, newline=""), delimiter=layout.delimiter)
    line = layout.first_line
    for row in reader:
        yield line, row
        line = layout.first_line + reader.line_num


def _tidy(column: Any) -> Any:
    """Texts without blanks around them, missing ones found, numbers where all are numbers."""
    if pa.types.is_null(column.type):
        return column.cast(pa.float64())
    if not pa.types.is_string(column.type):
        return column
    column = _known_texts(column)
    return numbers_or(column, column)


def _known_texts(column: Any) -> Any:
    """Texts without blanks around them, and nulls where they stand for a missing value."""
    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, value_set=pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), column)


def _counts_rows(column: Any) -> bool:
    if not pa.types.is_integer(column.type) or column.null_count:
        return False
    values = column.to_numpy()
    return bool(len(values) > 1 and values[0] in (0, 1) and (values[1:] - values[:-1] == 1).all())


def _is_decimal(name: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+[.,]\d*|[.,]\d+)([eE][-+]?\d+)?", name) is not None


def _is_number(name: str) -> bool:
    return _is_decimal(name) or re.fullmatch(r"[-+]?\d+", name) is not None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _one_line(error: Exception) -> str:
    message = " ".join(str(error).split())
    return message if message.endswith(".") else message[:200] + "."

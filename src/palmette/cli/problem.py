"""What a verb works on: a file or a dataset becomes features, labels, and notes on what was decided."""

from __future__ import annotations

import difflib
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palmette.cli.screen import remark

if TYPE_CHECKING:
    import numpy as np

MANY_CLASSES = 50
FEW_OF_A_CLASS = 10
"""Samples of a class on average; with fewer and very many classes, somebody has probably named the wrong column."""

FEW_ROWS = 20
"""Tables of so few rows are examples, and may have a class a row, as scikit-learn has it."""

MOST_CATEGORIES = 1000
"""Text of more values than this is left out: a tree would split on it by chance."""

MANY_CATEGORIES = 50
DATE = r"^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2})?)?\s*$"

SUFFIXES = {".csv", ".tsv", ".txt", ".data", ".dat", ".parquet", ".pq", ".arff"}


@dataclass(frozen=True, eq=False)
class Problem:
    """A table of features (Arrow), the labels, and what was decided on the way to them."""

    name: str
    target: str
    X: Any
    y: np.ndarray[Any, Any]
    notes: tuple[str, ...]

    @property
    def size(self) -> str:
        """How many samples and features there are, in words."""
        rows, features = self.X.shape
        return f"{rows} sample{'s' * (rows != 1)}, {features} feature{'s' * (features != 1)}"

    def present(self, names: list[str] | None) -> list[str]:
        """Those of the names that are features; a note tells of each column that was left out."""
        return [name for name in names or [] if name in self.X.column_names]


def read_problem(
    source: str, target: str | None, drop: list[str], categorical: list[str], *, header: bool = True
) -> Problem:
    """The problem in a file or a dataset; a mistake of the user's is a ValueError of one sentence."""
    notes: list[str] = []
    try:
        return _read(source, target, drop, categorical, header, notes)
    except ValueError as error:
        # What was decided on the way is often the cause, such as columns that were left out.
        for note in (*notes, *getattr(error, "notes", ())):
            remark(note)
        raise


def _read(
    source: str, target: str | None, drop: list[str], categorical: list[str], header: bool, notes: list[str]
) -> Problem:
    if _is_file(source):
        from palmette.data.files import read_file

        contents = read_file(source, header=header)
        table, name = contents.table, Path(source).name
        notes += contents.notes
        target = _chosen_target(table.column_names, target, drop, notes, name)
    else:
        table, name = _dataset(source, Path(source))
        target = _chosen_target(table.column_names, target, drop, [], name)

    for unwanted in drop:
        require_column(table.column_names, unwanted, "--drop", name)
    for nominal in categorical:
        require_column(table.column_names, nominal, "--categorical", name)
    if target in drop:
        raise ValueError(f"'{target}' is the target: it cannot be dropped.")
    if target in categorical:
        raise ValueError(f"--categorical names '{target}', which is the target: its values are classes in any case.")

    table = table.drop_columns(sorted(set(drop)))
    known = table.column(target).is_valid()
    lost = table.num_rows - sum(chunk.true_count for chunk in known.chunks)
    if lost:
        table = table.filter(known)
        notes.append(f"{_rows(lost)} without a value of '{target}' left out.")
    if table.num_rows == 0:
        raise ValueError(f"'{target}' has no value in any row of '{name}'.")

    labels = _labels(table.column(target), target, notes)
    features = _usable_features(table.drop_columns([target]), categorical, notes)
    _refuse_infinity(features, name)
    _refuse_rounding(features, categorical, name)
    if features.num_columns == 0:
        raise ValueError(f"'{name}' has no column left to learn '{target}' from.")
    return Problem(name, target, features, labels, tuple(notes))


def _is_file(source: str) -> bool:
    return Path(source).exists() or Path(source).suffix.lower() in SUFFIXES or "/" in source or "\\" in source


def _dataset(source: str, path: Path) -> tuple[Any, str]:
    import pyarrow as pa

    from palmette.datasets import load

    try:
        dataset = load(source, frame="pyarrow")
    except ConnectionError as error:
        raise ValueError(f"There is no file '{path}', and: {error}") from None
    return dataset.X.append_column("class", pa.array(dataset.y)), dataset.name


def _chosen_target(names: list[str], target: str | None, drop: list[str], notes: list[str], file: str) -> str:
    if target is not None:
        require_column(names, target, "--target", file)
        return target
    candidates = [name for name in names if name not in drop]
    if not candidates:
        raise ValueError(f"'{file}' has no column left to learn.")
    for name in candidates:
        if name.lower() == "class":
            notes.append(f"The target is the column '{name}' (--target names another).")
            return name
    notes.append(f"The target is the last column, '{candidates[-1]}' (--target names another).")
    return candidates[-1]


def require_column(names: list[str], name: str, option: str, file: str) -> None:
    """Raise a ValueError of one sentence where an option names a column that is not there."""
    if name in names:
        return
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        hint = f"did you mean '{close[0]}'?"
    else:
        hint = f"it has {', '.join(names[:10])}{', …' if len(names) > 10 else ''}."
    raise ValueError(f"{option}: '{file}' has no column '{name}'; {hint}")


def _labels(column: Any, target: str, notes: list[str]) -> np.ndarray[Any, Any]:
    import numpy as np
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_temporal(column.type) or pa.types.is_nested(column.type):
        raise ValueError(f"The target '{target}' holds {column.type} values: a tree learns classes.")
    values: np.ndarray[Any, Any] = column.to_numpy()
    if pa.types.is_floating(column.type):
        if not np.isfinite(values).all():
            raise ValueError(f"The target '{target}' holds infinite numbers: a tree learns classes.")
        if (values != np.floor(values)).any():
            fraction = values[values != np.floor(values)][0]
            raise ValueError(
                f"The target '{target}' holds fractional numbers such as {fraction:g}: "
                "a tree learns classes, not quantities; cut it into ranges first."
            )
        _refuse_rounded_classes(values, target)
        values = values.astype(np.int64)
    if values.dtype == object:
        values = np.asarray([str(value) for value in values])
    classes = len(np.unique(values))
    few_of_each = classes > MANY_CLASSES and FEW_OF_A_CLASS * classes > len(values)
    hardly_any_twice = len(values) > FEW_ROWS and 2 * classes > len(values)
    if few_of_each or hardly_any_twice:
        notes.append(f"The target '{target}' has {classes} classes in {len(values)} rows: is it the right one?")
    return values


def _refuse_rounded_classes(values: np.ndarray[Any, Any], target: str) -> None:
    """Raise where classes are numbers so large that two of them may have become one when they were read."""
    import numpy as np

    from palmette.data.raw import LARGEST_EXACT_INTEGER

    large = values[np.abs(values) > LARGEST_EXACT_INTEGER]
    if large.size:
        raise ValueError(
            f"The target '{target}' holds numbers such as {float(large[0]):g}, which are rounded when they are read, "
            "so that classes could merge: name the classes by text or by smaller numbers in the file."
        )


def _usable_features(table: Any, categorical: list[str], notes: list[str]) -> Any:
    """The table without the columns that no tree can use."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def is_text(kind: Any) -> bool:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    for field in table.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        column = table.column(field.name)
        if pa.types.is_temporal(kind):
            reason = "holds dates or times, which a tree cannot use"
        elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
            reason = f"holds {kind} values, which a tree cannot use"
        elif field.name not in categorical and is_text(field.type):
            distinct = pc.count_distinct(column).as_py()
            if distinct <= MANY_CATEGORIES:
                continue
            if pc.all(pc.match_substring_regex(column, DATE)).as_py():
                reason = "holds dates or times, which a tree cannot use (--categorical keeps it as text)"
            elif 2 * distinct > table.num_rows:
                reason = f"has {distinct} texts in {table.num_rows} rows, like a name (--categorical keeps it)"
            elif distinct > MOST_CATEGORIES:
                reason = f"has {distinct} categories, on which a tree splits by chance (--categorical keeps it)"
            else:
                notes.append(f"Column '{field.name}' has {distinct} categories: a split on it may fit by chance.")
                continue
        else:
            continue
        notes.append(f"Column '{field.name}' {reason}: it is left out.")
        table = table.drop_columns([field.name])
    notes += _useless(table)
    return table


def _refuse_infinity(table: Any, file: str) -> None:
    import numpy as np
    import pyarrow as pa

    for field in table.schema:
        if pa.types.is_floating(field.type):
            rows = np.flatnonzero(np.isinf(table.column(field.name).to_numpy()))
            if len(rows):
                raise ValueError(
                    f"Column '{field.name}' of '{file}' holds an infinite number in row {rows[0] + 1}: put a large "
                    "number there, or nothing if the value is unknown."
                )


def _refuse_rounding(table: Any, categorical: list[str], file: str) -> None:
    """Raise where an integer would be rounded: mostly an identifier that somebody took for a quantity."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from palmette.data.raw import LARGEST_EXACT_INTEGER

    for field in table.schema:
        if not pa.types.is_integer(field.type) or field.name in categorical:
            continue
        column = table.column(field.name).drop_null()
        ends = pc.min_max(column).as_py()
        if max(-(ends["min"] or 0), ends["max"] or 0) <= LARGEST_EXACT_INTEGER:
            continue
        for value in column.to_pylist():
            # Python compares an integer with a float exactly.
            if value != float(value):
                word = shlex.quote(field.name)
                raise ValueError(
                    f"Column '{field.name}' of '{file}' holds the integer {value}, which would be rounded. If it is an "
                    f"identifier, --drop {word} leaves it out and --categorical {word} takes it as categories; if it "
                    "is a quantity, subtract an offset from it in the file."
                )


def _useless(table: Any) -> list[str]:
    """Notes on columns that stay, because they do no harm or because nobody can be sure: constant ones and counters."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    constant, counters = [], []
    for field in table.schema:
        column = table.column(field.name)
        numeric = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        if numeric:
            ends = pc.min_max(column).as_py()
            same = ends["min"] == ends["max"]
        else:
            same = len(column.drop_null().unique()) <= 1
        if same:
            constant.append(field.name)
        elif pa.types.is_integer(field.type) and not column.null_count and (np.diff(column.to_numpy()) == 1).all():
            counters.append(field.name)
    notes = [f"Column '{name}' counts the rows: is it a feature? (--drop leaves it out.)" for name in counters]
    if len(constant) == 1:
        notes.append(f"Column '{constant[0]}' holds a single value: no tree asks for it.")
    elif constant:
        listed = ", ".join(f"'{name}'" for name in constant[:5])
        listed += f" and {len(constant) - 5} more" if len(constant) > 5 else ""
        notes.append(f"Columns {listed} hold a single value each: no tree asks for them.")
    return notes


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"

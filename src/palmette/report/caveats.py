"""What a reader should know of the table: missing values, constant and equal columns, many categories, rare classes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.data.reading import read_table
from palmette.data.table import Column, NominalColumn
from palmette.tree.wording import printable

__all__ = ["Caveat", "table_caveats"]

MANY_CATEGORIES = 50
FEW_OF_A_CLASS = 10
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something about the table, in which columns, and what it means here."""

    what: str
    where: str
    meaning: str


def table_caveats(X: Any, y: Any, categorical_features: Any = "from_dtype") -> list[Caveat]:
    """The caveats of a table and its labels.

    >>> found = table_caveats([[1, 5, None], [1, 6, 2.0], [1, 7, 2.0]], ["a", "b", "b"])
    >>> [caveat.what for caveat in found]
    ['1 of 9 values missing', '2 constant columns', 'Rare classes']
    """
    table = read_table(X, categorical_features)
    missing: dict[str, int] = {}
    constant, empty, many = [], [], []
    seen: dict[bytes, list[str]] = {}
    for column in table.columns:
        if column is None:
            continue
        look = _look(column)
        if look.n_missing:
            missing[column.name] = look.n_missing
        if look.n_missing == table.n_rows:
            empty.append(column.name)
        elif look.constant:
            constant.append(column.name)
        else:
            seen.setdefault(look.mark, []).append(column.name)
        if look.n_categories > MANY_CATEGORIES:
            many.append(f"{printable(column.name)} ({look.n_categories:,})")
    caveats = _missing_values(missing, table.n_rows * len(table.columns), table.n_rows)
    if empty:
        caveats.append(Caveat(_counted(len(empty), "empty column"), _named(empty), "They hold no value: no tree asks."))
    if constant:
        meaning = "A column with one value splits nothing: no tree asks for it."
        caveats.append(Caveat(_counted(len(constant), "constant column"), _named(constant), meaning))
    alike = [names for names in seen.values() if len(names) > 1]
    if alike:
        groups = "; ".join(" = ".join(printable(name) for name in names[:4]) for names in alike[:MOST_NAMED])
        groups += f"; and {len(alike) - MOST_NAMED} more" if len(alike) > MOST_NAMED else ""
        meaning = "Equal columns grow equal trees: the first one stands for all, and which one it is means nothing."
        caveats.append(Caveat(_counted(sum(map(len, alike)), "duplicate column"), groups, meaning))
    if many:
        where = ", ".join(many[:MOST_NAMED]) + (f" and {len(many) - MOST_NAMED} more" if len(many) > MOST_NAMED else "")
        meaning = (
            "A split on many categories fits by chance: prefer the gain ratio, group them, or leave the column out."
        )
        caveats.append(Caveat("Many categories", where, meaning))
    return caveats + _classes(y)


@dataclass(frozen=True, slots=True)
class _Look:
    n_missing: int
    constant: bool
    n_categories: int
    mark: bytes


def _look(column: Column) -> _Look:
    if isinstance(column, NominalColumn):
        codes = column.codes
        known = codes[codes >= 0]
        used = np.unique(known)
        names = "\0".join(printable(item) for item in column.categories).encode()
        mark = hashlib.blake2b(names + b"\1" + np.ascontiguousarray(codes).tobytes(), digest_size=16).digest()
        return _Look(len(codes) - len(known), len(used) == 1, len(used), mark)
    values = np.asarray(column.values(), dtype=np.float64)
    present = values[~np.isnan(values)]
    # Adding 0 makes one zero of the two; NaN is the same number of bits everywhere then.
    canonical = np.where(np.isnan(values), np.nan, values + 0.0)
    mark = hashlib.blake2b(np.ascontiguousarray(canonical).tobytes(), digest_size=16).digest()
    constant = bool(len(present)) and float(present.min()) == float(present.max())
    return _Look(len(values) - len(present), constant, 0, mark)


def _missing_values(missing: dict[str, int], n_values: int, n_rows: int) -> list[Caveat]:
    if not missing:
        return []
    total = sum(missing.values())
    most = sorted(missing, key=lambda name: -missing[name])
    where = ", ".join(f"{printable(name)} ({missing[name] / n_rows:.1%})" for name in most[:MOST_NAMED])
    where += f" and {len(most) - MOST_NAMED} more" if len(most) > MOST_NAMED else ""
    meaning = "They are not filled in: a sample goes down all branches, with the weights of those whose value is known."
    return [Caveat(f"{total:,} of {n_values:,} values missing", where, meaning)]


def _classes(y: Any) -> list[Caveat]:
    labels, counts = np.unique(np.asarray(y).astype(str), return_counts=True)
    caveats = []
    rare = [
        f"{printable(str(label))} ({count})"
        for label, count in zip(labels, counts, strict=True)
        if count < FEW_OF_A_CLASS
    ]
    if rare:
        where = ", ".join(rare[:MOST_NAMED]) + (f" and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else "")
        meaning = f"Of a class with fewer than {FEW_OF_A_CLASS} samples little can be learnt or measured."
        caveats.append(Caveat("Rare classes", where, meaning))
    share = counts.max() / counts.sum()
    if share >= 0.8 and len(labels) > 1:
        meaning = "Whoever always says this class errs as rarely: compare errors with that."
        caveats.append(
            Caveat(
                "Uneven classes", f"{share:.1%} of the samples are {printable(str(labels[counts.argmax()]))}", meaning
            )
        )
    return caveats


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _named(names: Iterable[str]) -> str:
    listed = [printable(name) for name in names]
    rest = len(listed) - MOST_NAMED
    return ", ".join(listed[:MOST_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")

"""What the search takes or leaves: single features, and groups of features that stay or go together.

Reads the parameters `keep`, `groups`, `max_features` and `min_features`; the core knows units by number only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.data.positions import column_list, column_position
from palmette.data.table import display_name
from palmette.support.parameters import LARGEST_COUNT, InvalidParameterError, check_number

__all__ = ["MOST_UNITS", "Units", "read_max_features", "read_min_features", "read_units", "refuse_too_many"]

MOST_UNITS = 2048
"""The widest set of the core; no search of a larger lattice would end."""


@dataclass(frozen=True, slots=True)
class Units:
    """The elements of the lattice, numbered by their first feature.

    Parameters
    ----------
    members : tuple of tuples of int
        The features of each unit, ascending.
    kept : tuple of int
        The units that every subset holds.
    """

    members: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...] = ()

    @property
    def unit_of(self) -> NDArray[np.uint32]:
        """The unit of each feature."""
        owner = np.empty(sum(map(len, self.members)), dtype=np.uint32)
        for unit, features in enumerate(self.members):
            owner[list(features)] = unit
        return owner

    @property
    def grouped(self) -> bool:
        """Whether some unit holds several features."""
        return any(len(features) > 1 for features in self.members)

    @property
    def n_free(self) -> int:
        """How many units a subset may hold or not."""
        return len(self.members) - len(self.kept)

    @property
    def free(self) -> tuple[int, ...]:
        """The units that a subset may hold or not."""
        kept = set(self.kept)
        return tuple(unit for unit in range(len(self.members)) if unit not in kept)

    def n_subsets(self, among: Iterable[int], room: int) -> int:
        """How many sets of these units have at most `room` features.

        >>> Units(members=((0, 2), (1,), (3,))).n_subsets([0, 1, 2], room=2)
        5
        """
        ways = {0: 1}  # by the number of features
        for size, count in Counter(len(self.members[unit]) for unit in among).items():
            longer: Counter[int] = Counter()
            for features, number in ways.items():
                for taken in range(min(count, (room - features) // size) + 1):
                    longer[features + taken * size] += number * math.comb(count, taken)
            ways = longer
        return sum(ways.values())

    def features(self, units: Iterable[int]) -> tuple[int, ...]:
        """All features of some units, ascending.

        >>> Units(members=((0, 2), (1,))).features([1, 0])
        (0, 1, 2)
        """
        return tuple(sorted(feature for unit in units for feature in self.members[unit]))


def read_units(keep: object, groups: object, names: tuple[str, ...] | None, n_columns: int) -> Units:
    """The units that `keep` and `groups` make of the columns; features in no group are units of their own.

    >>> read_units(["age"], {"place": ["city", "zip"]}, ("city", "age", "zip"), 3)
    Units(members=((0, 2), (1,)), kept=(1,))
    """
    shared = _read_groups(groups, names, n_columns)
    taken = {feature for features in shared for feature in features}
    alone = [(feature,) for feature in range(n_columns) if feature not in taken]
    members = tuple(sorted([*shared, *alone]))
    kept_features = set(column_list("keep", keep, names, n_columns))
    kept = tuple(unit for unit, features in enumerate(members) if not kept_features.isdisjoint(features))
    return Units(members, kept)


def refuse_too_many(units: Units) -> None:
    """Raise where a complete search would have more units than it takes."""
    if len(units.members) > MOST_UNITS:
        raise ValueError(
            f"X has {len(units.members)} features{' or groups' if units.grouped else ''}, but a complete search takes "
            f"at most {MOST_UNITS}. Eliminate features first (BackwardEliminationSelector, or a filter of "
            "scikit-learn's such as SelectKBest), or put features that belong together into `groups`."
        )


def read_max_features(max_features: Any, units: Units) -> int | None:
    """The largest number of features of an answer, or None; it must leave room for what is kept."""
    check_number("max_features", max_features, 0, LARGEST_COUNT, integer=True, none_allowed=True)
    if max_features is None:
        return None
    n_kept = len(units.features(units.kept))
    if max_features < n_kept:
        grouped = " (with the features of their groups)" if units.grouped else ""
        raise InvalidParameterError(
            f"`max_features` is {max_features}, but `keep` asks for {n_kept} features{grouped}. "
            f"Keep fewer, or allow at least {n_kept}."
        )
    return int(max_features)


def read_min_features(min_features: Any, most: int | None, units: Units) -> int:
    """The smallest number of features of an answer; 0 where any will do."""
    check_number("min_features", min_features, 0, integer=True, none_allowed=True)
    if min_features is None:
        return 0
    n_features = sum(map(len, units.members))
    if min_features > n_features:
        raise InvalidParameterError(
            f"`min_features` is {min_features}, but X has {n_features} features. Pass at most {n_features}."
        )
    if most is None:
        return int(min_features)
    if min_features > most:
        raise InvalidParameterError(
            f"`min_features` is {min_features}, but `max_features` is {most}: no subset is between them."
        )
    sizes = _sizes(units)
    if not any(min_features <= size <= most for size in sizes):
        below = max((size for size in sizes if size < min_features), default=None)
        above = min((size for size in sizes if size > most), default=None)
        nearest = " or ".join(str(size) for size in (below, above) if size is not None)
        raise InvalidParameterError(
            f"`min_features` is {min_features} and `max_features` is {most}, but with these `groups` no subset is "
            f"between them: the nearest have {nearest} features."
        )
    return int(min_features)


def _sizes(units: Units) -> list[int]:
    """The numbers of features that subsets can have, ascending."""
    n_kept = len(units.features(units.kept))
    reached = 1 << n_kept  # bit s: some subset has s features
    for size, count in Counter(len(units.members[unit]) for unit in units.free).items():
        for _ in range(count):
            reached |= reached << size
    return [size for size in range(reached.bit_length()) if reached >> size & 1]


def _about(parameter: str) -> Callable[[str], Exception]:
    """Makes an exception of the end of a sentence whose subject is the parameter."""
    return lambda end: InvalidParameterError(f"`{parameter}` {end}")


def _group_mistake(what: str) -> Exception:
    mistake: Exception = InvalidParameterError(
        "`groups` must be None, a mapping from a name to a list of columns, a list of lists of columns, or a label for "
        f"each column; it {what}"
    )
    return mistake


def _read_groups(groups: object, names: tuple[str, ...] | None, n_columns: int) -> list[tuple[int, ...]]:
    """The groups, each ascending; a feature is in one group at most."""
    if groups is None:
        return []
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise _group_mistake(f"is {groups!r}.")
    lists: list[Any] = list(groups.values() if isinstance(groups, Mapping) else groups)
    if isinstance(groups, Mapping) or any(_is_list(item) for item in lists):
        found = [_read_group(item, names, n_columns) for item in lists]
    else:
        found = _groups_of_labels(lists, n_columns)
    owners: dict[int, int] = {}
    for number, features in enumerate(found):
        for feature in features:
            if owners.setdefault(feature, number) != number:
                raise _group_mistake(
                    f"puts the column {display_name(names, feature)!r} into two groups. "
                    "Join the groups, or take the column out of one."
                )
    return [features for features in found if features]


def _is_list(item: object) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, (str, bytes))


def _read_group(item: Any, names: tuple[str, ...] | None, n_columns: int) -> tuple[int, ...]:
    if not _is_list(item):
        raise _group_mistake(f"holds the group {item!r}. Pass a list of columns for each group.")
    return tuple(sorted({column_position(column, names, n_columns, _about("groups")) for column in item}))


def _groups_of_labels(labels: list[Any], n_columns: int) -> list[tuple[int, ...]]:
    """Columns with the same label; one without (None, NaN) is in no group."""
    if not labels:
        return []
    if len(labels) != n_columns:
        raise _group_mistake(
            f"holds {len(labels)} labels, while X has {n_columns} columns. For one group of columns pass a list in "
            "a list."
        )
    together: dict[Any, list[int]] = {}
    for feature, label in enumerate(labels):
        if label is not None and label == label:
            together.setdefault(label, []).append(feature)
    return [tuple(features) for features in together.values()]

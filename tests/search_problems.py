"""Random searches over subsets of features: a problem of problems.py with folds, groups, and terms.

`core()` and `settings()` make of one what the core takes, `lattice()` what the brute-force oracle takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from oracles.c45 import Rules
from oracles.lattice import Fold, Lattice, Subset, Terms, round_half_away
from palmette import C45Classifier, _core
from palmette.data.encoding import encode
from palmette.data.reading import read_table
from palmette.data.table import ContinuousColumn
from palmette.data.weights import read_weights
from problems import Problem, columns, random_problem


@dataclass(frozen=True)
class SearchProblem:
    """What to search: the problem, its folds, the unit of each feature, and the terms of an answer.

    Penalty and gap are weights that are whole in every fixed-point scale, so nothing is rounded.
    """

    problem: Problem
    folds: tuple[Fold, ...]
    unit_of: tuple[int, ...] | None = None
    keep: Subset = frozenset()
    max_features: int | None = None
    penalty: float = 0.0
    gap: float = 0.0

    def __repr__(self) -> str:
        folds = "\n".join(f"building {list(fold.building)}, search {list(fold.search)}" for fold in self.folds)
        return (
            f"{self.problem!r}\n{folds}\nunits {self.unit_of}, keep {sorted(self.keep)}, "
            f"max_features {self.max_features}, penalty {self.penalty}, gap {self.gap}"
        )

    @property
    def n_units(self) -> int:
        return self.problem.frame.shape[1] if self.unit_of is None else max(self.unit_of) + 1

    @cached_property
    def lattice(self) -> Lattice:
        """The brute-force oracle."""
        problem = self.problem
        rules = Rules(**problem.parameters)
        return Lattice(
            columns(problem.frame),
            problem.codes(),
            len(problem.classes),
            rules,
            problem.weights,
            self.folds,
            self.unit_of,
        )

    @property
    def terms(self) -> Terms:
        """Keep, limit and penalty as the oracle takes them."""
        return Terms(self.keep, self.max_features, self.fixed(self.penalty))

    def fixed(self, weight: float) -> int:
        return round_half_away(weight * self.lattice.one)

    def weight(self, fixed: int) -> float:
        """A fixed-point weight as the core shows it."""
        return fixed / self.lattice.one

    def core(self) -> _core.SearchProblem:
        """The problem as the core takes it."""
        problem = self.problem
        table = read_table(problem.frame)
        labels = np.array(problem.codes(), dtype=np.int32)
        weights = read_weights(problem.weights, len(labels))
        classifier = C45Classifier(**problem.parameters)
        searched = _core.SearchProblem(
            encode(table, labels, len(problem.classes), weights, 1),
            classifier._growth_options(),
            classifier._threshold_rule(),
        )
        for feature, column in enumerate(table.columns):
            if isinstance(column, ContinuousColumn):
                searched.set_values(feature, column.values())
        for fold in self.folds:
            searched.add_fold(np.array(fold.building, np.uint32), np.array(fold.search, np.uint32))
        if self.unit_of is not None:
            searched.set_units(np.array(self.unit_of, np.uint32))
        return searched

    def settings(self, **changes: Any) -> _core.SearchSettings:
        """The terms as the core takes them."""
        settings = _core.SearchSettings()
        settings.keep = sorted(self.keep)
        if self.max_features is not None:
            settings.max_features = self.max_features
        settings.feature_penalty = self.penalty
        settings.error_gap = self.gap
        for name, value in changes.items():
            setattr(settings, name, value)
        return settings


def random_search_problem(
    random: Random, *, max_rows: int = 40, max_features: int = 7, rich: bool | None = None, **limits: Any
) -> SearchProblem:
    """A search. Rich ones, two of three unless told, have many features and large trees, and so many trees."""
    if rich is None:
        rich = random.randint(0, 2) > 0
    problem = random_problem(random, min_rows=4, max_rows=max_rows, max_features=max_features, **limits)
    if rich:
        for _ in range(6):
            if 3 * problem.frame.shape[1] > 2 * max_features and 3 * len(problem.labels) > max_rows:
                break
            problem = random_problem(random, min_rows=4, max_rows=max_rows, max_features=max_features, **limits)
        large = {"growth": random.choice(["literal", "literal", "c45"]), "min_samples": random.choice([1, 1, 2])}
        problem = replace(problem, parameters={**problem.parameters, **large, "max_depth": None})
    n_rows, n_features = problem.frame.shape
    folds = random_folds(random, n_rows)
    if not all(has_weight(problem, fold.building) and has_weight(problem, fold.search) for fold in folds):
        folds = (Fold(tuple(range(n_rows)), tuple(range(n_rows))),)
    searched = SearchProblem(problem, folds, random_units(random, n_features))

    n_units = searched.n_units
    keep = (
        frozenset(unit for unit in range(n_units) if random.choice([0, 0, 0, 1])) if one_in(random, 4) else frozenset()
    )
    smallest = searched.lattice.size(keep)
    return replace(
        searched,
        keep=keep,
        max_features=random.randint(smallest, n_features) if one_in(random, 4) else None,
        penalty=random.choice([0.25, 0.5, 1.0, 2.0, 1.0 / 64, 100.0]) if one_in(random, 4) else 0.0,
        gap=random.choice([0.25, 0.5, 1.0, 1.0, 2.0, 5.0]) if one_in(random, 5) else 0.0,
    )


def one_in(random: Random, n: int) -> bool:
    return random.randint(1, n) == n


def random_folds(random: Random, n_rows: int) -> tuple[Fold, ...]:
    """A holdout, the same rows twice, a cross-validation, or any two sets of rows, repeats among them."""
    rows = list(range(n_rows))
    kind = random.choice(["holdout", "holdout", "holdout", "training", "cross-validation", "any"])
    if kind == "training":
        return (Fold(tuple(rows), tuple(rows)),)
    if kind == "any":
        n_folds = random.randint(1, 3)
        return tuple(
            Fold(
                tuple(random.choice(rows) for _ in rows),
                tuple(random.choice(rows) for _ in range(random.randint(1, n_rows))),
            )
            for _ in range(n_folds)
        )
    random.shuffle(rows)
    if kind == "holdout":
        n_search = max(1, round(random.choice([0.3, 0.5, 0.6]) * n_rows))
        return (Fold(tuple(rows[n_search:]), tuple(rows[:n_search])),)
    n_folds = random.randint(2, 3)
    return tuple(
        Fold(tuple(row for row in rows if row % n_folds != part), tuple(row for row in rows if row % n_folds == part))
        for part in range(n_folds)
    )


def random_units(random: Random, n_features: int) -> tuple[int, ...] | None:
    """None, or groups numbered in the order of their first features, or in any order."""
    if not one_in(random, 4):
        return None
    drawn = [random.randint(0, n_features - 1) for _ in range(n_features)]
    names = list(dict.fromkeys(drawn))
    if one_in(random, 2):
        random.shuffle(names)
    return tuple(names.index(unit) for unit in drawn)


def has_weight(problem: Problem, rows: tuple[int, ...]) -> bool:
    """Whether weight is left of these rows, also in fixed point."""
    return bool(rows) and (problem.weights is None or math.fsum(problem.weights[row] for row in rows) > 0)


def chunks(n_problems: int, size: int = 100) -> list[range]:
    """Ranges of seeds, so that pytest-xdist can spread them."""
    return [range(first, first + size) for first in range(0, n_problems, size)]


def chunk_name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"


@contextmanager
def shown(searched: SearchProblem, seed: int) -> Iterator[None]:
    """Tell which search it was when something fails."""
    try:
        yield
    except Exception as error:
        error.add_note(f"seed {seed}: {searched!r}")
        raise


def search_of_seed(seed: int, **limits: Any) -> SearchProblem:
    return random_search_problem(Random(seed), **limits)


@st.composite
def _shrinking_searches(draw: st.DrawFn, **limits: Any) -> SearchProblem:
    return random_search_problem(draw(st.randoms(use_true_random=False)), **limits)


def search_problems(**limits: Any) -> st.SearchStrategy[SearchProblem]:
    """The hypothesis strategy of such searches: every choice shrinks. Half of them are rich ones of a seed."""
    seeded = st.integers(0, 2**32).map(lambda seed: search_of_seed(seed, rich=True, **limits))
    return st.one_of(_shrinking_searches(**limits), seeded)

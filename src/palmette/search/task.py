"""A search task: the table, the folds and the units, as the user gave them and as the core takes them.

Everything that searches begins with `read_task` and grows its final trees with `SearchTask.grow`. Inside the task
errors are weights, as in the core; `rate` turns them into shares of the search weight for the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from palmette import _core
from palmette.data.encoding import encode, prediction_columns
from palmette.data.table import ContinuousColumn, Table
from palmette.data.weights import read_weights
from palmette.search.folds import Fold, read_folds
from palmette.search.units import Units, read_max_features, read_units, refuse_too_many
from palmette.support.budget import bytes_of
from palmette.support.parameters import InvalidParameterError, resolve_n_jobs
from palmette.tree.base import Problem, core_tree
from palmette.tree.classifier import C45Classifier
from palmette.tree.model import Tree

__all__ = ["SearchTask", "read_task"]

# What a classifier knows of the table it was fitted on, beside its tree.
READ_ATTRIBUTES = ("n_features_in_", "feature_names_in_", "classes_", "_schema")


@dataclass(frozen=True, eq=False)
class SearchTask:
    """What is searched, and with which means."""

    reader: C45Classifier
    """Unfitted, but it has read the table: its names, its classes, and how trees are grown."""
    problem: Problem
    weights: NDArray[np.float64] | None
    folds: tuple[Fold, ...]
    units: Units
    max_features: int | None
    memory_limit: int
    n_jobs: int
    seed: int

    @property
    def names(self) -> tuple[str, ...] | None:
        return self.problem.table.names

    @cached_property
    def search_weight(self) -> float:
        """The weight of the search samples, summed over the folds; in the fixed point in which errors are counted."""
        return float(self.core.search_weight)

    @property
    def n_search_samples(self) -> int:
        return sum(len(fold.search) for fold in self.folds)

    @cached_property
    def n_subsets(self) -> int:
        """How many subsets `keep`, `groups` and `max_features` allow."""
        if self.max_features is None:
            return int(2**self.units.n_free)
        return self.units.n_subsets(self.units.free, self.max_features - len(self.units.features(self.units.kept)))

    def n_subsets_of(self, found: _core.FoundSubset) -> int:
        """How many of them give the trees of this one."""
        if self.max_features is None:
            return int(2**found.n_free)  # asked for millions of trees: the units need not be looked at
        return self.units.n_subsets(found.free, self.max_features - found.size)

    def order(self, found: _core.FoundSubset) -> tuple[float, int, tuple[int, ...]]:
        """By which subsets are sorted, the best first."""
        return found.error, found.size, self.units.features(found.units)

    @cached_property
    def core(self) -> _core.SearchProblem:
        """The task as the core takes it."""
        problem = _core.SearchProblem(
            self.problem.dataset, self.reader._growth_options(), self.reader._threshold_rule()
        )
        for feature, column in enumerate(self.problem.table.columns):
            if isinstance(column, ContinuousColumn):
                problem.set_values(feature, column.values())
        for fold in self.folds:
            problem.add_fold(fold.building, fold.search)
        if self.units.grouped:
            problem.set_units(self.units.unit_of)
        return problem

    def settings(
        self, *, error_gap: float = 0.0, feature_penalty: float = 0.0, smallest: bool = True
    ) -> _core.SearchSettings:
        """The settings of the core; gap and penalty come as rates."""
        settings = _core.SearchSettings()
        settings.error_gap = error_gap * self.search_weight
        settings.feature_penalty = feature_penalty * self.search_weight
        settings.smallest = smallest
        settings.keep = list(self.units.kept)
        if self.max_features is not None:
            settings.max_features = self.max_features
        settings.n_jobs = self.n_jobs
        settings.memory_limit = self.memory_limit
        settings.seed = self.seed
        return settings

    def rate(self, weight: float) -> float:
        """A weight of errors as a share of the search weight."""
        return float(weight) / self.search_weight

    def named(self, features: Iterable[int]) -> tuple[str, ...] | tuple[int, ...]:
        """Features as the user knows them: names if X had names, else indices."""
        if self.names is None:
            return tuple(features)
        return tuple(self.names[feature] for feature in features)

    def mask(self, features: Sequence[int]) -> NDArray[np.bool_]:
        """The features as a mask over the columns of X."""
        mask = np.zeros(len(self.problem.table.columns), dtype=bool)
        mask[list(features)] = True
        return mask

    def grow(self, features: Sequence[int]) -> C45Classifier:
        """A classifier grown on all samples with the given features, pruned if the user's tree asks for it."""
        return self._grown(self._sibling(), self.problem, features)

    def grow_building_tree(self, fold: Fold, features: Sequence[int]) -> Tree:
        """The tree that the search saw: grown on the building samples of a fold, never pruned."""
        rows, table = fold.building, self.problem.table
        # Only the columns that it may use are coded again, which counts where X has thousands. None at all would be
        # no table.
        columns = sorted(features) or [0]
        narrow = Table(tuple(table.columns[column] for column in columns), table.n_rows, None).take(rows)
        labels = np.ascontiguousarray(self.problem.labels[rows])
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[rows])
        dataset = encode(narrow, labels, len(self.reader.classes_), weights, self.n_jobs)
        classifier = self._sibling(pruning=None)
        classifier._schema = narrow.schema
        grown = self._grown(classifier, Problem(narrow, dataset), range(len(features))).tree_
        split_on = np.where(grown.feature < 0, -1, np.array(columns)[grown.feature])
        return replace(grown, features=self.reader._features(), feature=split_on)

    def error_of(self, features: Sequence[int]) -> float:
        """The search error of one subset, as a rate: its building trees are grown, and judged on the search samples."""
        wrong = 0.0
        for fold in self.folds:
            tree = self.grow_building_tree(fold, features)
            columns = prediction_columns(self.problem.table.take(fold.search), tree.used)
            probabilities = _core.predict_probabilities([core_tree(tree)], columns, len(fold.search), self.n_jobs)
            missed = np.flatnonzero(probabilities.argmax(axis=1) != self.problem.labels[fold.search])
            wrong += len(missed) if self.weights is None else float(self.weights[fold.search][missed].sum())
        return self.rate(wrong)

    def _grown(self, classifier: C45Classifier, problem: Problem, features: Sequence[int]) -> C45Classifier:
        return classifier._grow(
            problem, classifier._growth_options(), classifier._budget(), self.n_jobs, [int(item) for item in features]
        )

    def _sibling(self, **parameters: Any) -> C45Classifier:
        sibling: C45Classifier = clone(self.reader).set_params(**parameters)
        for name in READ_ATTRIBUTES:
            if hasattr(self.reader, name):
                setattr(sibling, name, getattr(self.reader, name))
        return sibling


def read_task(
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    tree: Any,
    error: object,
    search_size: Any,
    n_folds: Any,
    keep: object,
    groups: object,
    max_features: Any,
    memory_limit: Any,
    n_jobs: Any,
    random_state: Any,
    complete: bool = True,
) -> SearchTask:
    """Read and check everything that a search needs; one that is not `complete` takes any number of features."""
    if tree is not None and not isinstance(tree, C45Classifier):
        raise InvalidParameterError(f"`tree` must be a C45Classifier or None, but is {tree!r}.")
    reader: C45Classifier = C45Classifier() if tree is None else clone(tree)
    reader._growth_options()
    reader._budget()
    memory = bytes_of(memory_limit)
    threads = resolve_n_jobs(n_jobs)
    generator = check_random_state(random_state)
    problem = reader._read_problem(X, y, sample_weight, threads)
    weights = read_weights(sample_weight, problem.table.n_rows)
    units = read_units(keep, groups, problem.table.names, len(problem.table.columns))
    if complete:
        refuse_too_many(units)
    most = read_max_features(max_features, units)
    folds = read_folds(error, problem.labels, weights, search_size=search_size, n_folds=n_folds, random_state=generator)
    seed = int(generator.randint(np.iinfo(np.int32).max))
    return SearchTask(reader, problem, weights, folds, units, most, memory, threads, seed)

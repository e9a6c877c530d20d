"""What the two evolved classifiers share: the course of a fit, the validation set, the history.

`evolved.py` is Ardennes, `genetic.py` the genetic algorithm; the core (`core/src/evolution`) does the work.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.encoding import encode, prediction_columns, resolve_thresholds
from palmette.data.labels import read_codes, read_labels, require_two_classes
from palmette.data.names import remember_columns
from palmette.data.reading import read_table
from palmette.data.table import Table
from palmette.data.weights import read_weights, warn_of_light_weights
from palmette.evolution.history import Generation, history_frame
from palmette.evolution.plot import plot_history
from palmette.search.folds import read_folds
from palmette.support.parameters import check_number, resolve_n_jobs
from palmette.support.progress import reporter
from palmette.tree.base import tree_view
from palmette.tree.single import SingleTreeClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["TALLEST", "EvolvingClassifier"]

TALLEST = 30
"""Levels. The complete tree has 2^max_height - 1 positions; none is stored that no individual has."""


class EvolvingClassifier(SingleTreeClassifier):
    """Base of the classifiers whose tree is the best of a population."""

    population_size: int
    n_elite: int | None
    max_generations: int
    max_height: int
    tol: float
    validation_size: float | None
    random_state: Any

    history_: tuple[Generation, ...]
    n_trees_: int

    _trees_per_elite: ClassVar[int]
    """Of so many trees one is in the elite, unless `n_elite` says otherwise."""

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, validation_set: Any = None, watched_set: Any = None
    ) -> Self:
        """Evolve the tree.

        Ctrl-C ends the evolution as a time limit does: with the best individual of the last whole generation, and
        `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            They count in growing and in every accuracy. A sample of weight 0 counts as none.
        validation_set : pair (X, y) or None
            Samples that decide which of the last individuals is the answer. With it nothing of X is set aside,
            whatever `validation_size` says.
        watched_set : pair (X, y) or None
            Samples that decide nothing; `history_` tells how the generations do on them.

        Returns
        -------
        self
        """
        options = self._options()
        n_jobs = resolve_n_jobs(self.n_jobs)
        budget = self._budget()
        random_state = check_random_state(self.random_state)
        table = read_table(X, self.categorical_features)
        labels, classes = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        warn_of_light_weights(weights)
        if weights is not None:
            require_two_classes(labels[weights > 0], classes, whose="y without the samples of weight 0")
        self._forget_model()
        remember_columns(self, table)
        self._schema = table.schema
        self.classes_ = classes

        sets = []
        training = np.arange(table.n_rows)
        if validation_set is not None:
            sets.append(self._given_set(validation_set, "validation_set"))
        elif self.validation_size is not None:
            training, validation = self._split(labels, weights, random_state)
            sets.append(_watched(table.take(validation), labels[validation], _rows_of(weights, validation)))
        validated = len(sets) == 1
        if watched_set is not None:
            sets.append(self._given_set(watched_set, "watched_set"))

        grown_on = table if len(training) == table.n_rows else table.take(training)
        dataset = encode(grown_on, labels[training], len(classes), _rows_of(weights, training), n_jobs)
        options.seed = int(random_state.randint(np.iinfo(np.int32).max))
        continuous = [index for index, categories in enumerate(self._schema.categories) if categories is None]
        values = prediction_columns(grown_on, continuous)
        run = self._run(dataset, values, sets, validated, options, budget, n_jobs, reporter("evolving the tree"))
        resolve_thresholds(run.tree, dataset, grown_on, _core.ThresholdRule.midpoint, n_jobs)
        self._predictor = run.tree.flatten(dataset.outline)
        self.tree_ = tree_view(self._predictor, self._features(), self.classes_)
        self.history_ = self._history(run, validated=validated, watched=watched_set is not None)
        self.n_trees_ = run.n_trees
        self.status_ = run.status
        return self

    @abstractmethod
    def _options(self) -> Any:
        """The checked parameters, as the core takes them."""

    @abstractmethod
    def _run(self, *arguments: Any) -> _core.EvolutionRun:
        """The evolution itself."""

    @abstractmethod
    def _history(self, run: _core.EvolutionRun, *, validated: bool, watched: bool) -> tuple[Generation, ...]:
        """The generations as Python values."""

    def _forget_model(self) -> None:
        super()._forget_model()
        for name in ("history_", "n_trees_"):
            self.__dict__.pop(name, None)

    def _check_parameters(self) -> None:
        self._options()

    def _check_common(self) -> None:
        check_number("population_size", self.population_size, 2, 10**6, integer=True)
        check_number("n_elite", self.n_elite, 1, self.population_size, integer=True, none_allowed=True)
        check_number("max_generations", self.max_generations, 0, 10**6, integer=True)
        check_number("max_height", self.max_height, 2, TALLEST, integer=True)
        check_number("tol", self.tol, 0, 1)
        check_number(
            "validation_size", self.validation_size, 0, 1, low_excluded=True, high_excluded=True, none_allowed=True
        )

    def _elite_size(self) -> int:
        """How many trees survive: as many as asked for, or the usual share of the population."""
        if self.n_elite is None:
            return max(1, int(self.population_size) // self._trees_per_elite)
        return int(self.n_elite)

    def _split(
        self, labels: NDArray[np.int32], weights: NDArray[np.float64] | None, random_state: np.random.RandomState
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Row numbers of the training and of the validation samples, stratified."""
        try:
            (fold,) = read_folds(
                "holdout",
                labels,
                weights,
                search_size=self.validation_size,
                n_folds=2,
                random_state=random_state,
            )
        except ValueError:
            raise ValueError(
                f"`validation_size={self.validation_size}` of {len(labels)} samples leaves no sample to train on or "
                "none to validate on. Pass more samples, a `validation_set` to `fit`, another `validation_size`, or "
                "None to do without."
            ) from None
        return fold.building, fold.search

    def _given_set(self, given: Any, name: str) -> tuple[list[Any], NDArray[np.int32], NDArray[np.float64]]:
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ValueError(f"`{name}` must be a pair (X, y), but is a {type(given).__name__}.")
        X, y = given
        table = read_table(X, reference=self._schema)
        return _watched(table, read_codes(y, table.n_rows, self.classes_), None)

    @property
    def height_(self) -> int:
        """The number of levels of the tree, as the paper counts them: one more than `depth_`."""
        return self.depth_ + 1

    @property
    def n_generations_(self) -> int:
        """How many generations came after the first population."""
        return len(self.history_) - 1

    def history_frame(self) -> DataFrame:
        """The history as a pandas frame, a row a generation: best, mean and worst of each measure."""
        return history_frame(self.history_)

    def plot_evolution(self, figure: Figure | None = None, generations: Any = None) -> Figure:
        """Draw the evolution, as Figures 3 to 6 of Cagnini et al. (2017) do.

        Above, the graphical model in some generations: a circle is a position of the complete tree, the hotter the
        more certain what is tested there, and a square where most often it is a leaf. Below, height, accuracy on the
        training set, and accuracy on the watched set (or else on the validation set), of the best individual, of
        the mean, and of the worst.

        Parameters
        ----------
        figure : matplotlib figure or None
            Where to draw; a new one if None.
        generations : list of int or None
            The generations whose model is drawn: the first, two between, and the last if None.

        Returns
        -------
        matplotlib figure
        """
        check_is_fitted(self)
        return plot_history(vars(self).get("history_", ()), figure, generations)


def _rows_of(weights: NDArray[np.float64] | None, rows: NDArray[Any]) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]


def _watched(
    table: Table, codes: NDArray[np.int32], weights: NDArray[np.float64] | None
) -> tuple[list[Any], NDArray[np.int32], NDArray[np.float64]]:
    """A set as the core takes it."""
    columns = prediction_columns(table, range(len(table.columns)))
    return columns, np.ascontiguousarray(codes), np.ones(table.n_rows) if weights is None else weights

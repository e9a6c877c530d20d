"""ObliviousTreeClassifier: OBLIVION, a decision table without the features that it errs no more without.

`coding.py` makes codes of the columns, `pruning.py` and `core/src/oblivious` prune, `table.py` holds what is left,
`search/path.py` the history.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.data.labels import read_labels, require_two_classes
from palmette.data.names import check_columns, remember_columns
from palmette.data.reading import read_table
from palmette.data.scoring import ScoresLabels
from palmette.data.selection import FrameSelector
from palmette.data.table import Table
from palmette.data.weights import read_weights, warn_of_light_weights
from palmette.oblivious.coding import NUMERIC, CodedFeature, code_features, coded_dataset, codes_of
from palmette.oblivious.pruning import Work, read_cv, read_redraw_folds, refuse_too_many, walked
from palmette.oblivious.summary import summarize_table
from palmette.oblivious.table import DecisionTable
from palmette.search.path import EliminationOutcome, ShowsItsPath, read_steps
from palmette.search.progress import EliminationWatch
from palmette.search.units import read_min_features, read_units
from palmette.support.budget import budget_of, bytes_of
from palmette.support.parameters import InvalidParameterError, check_choice, resolve_n_jobs
from palmette.support.probabilities import PredictsByProbability

__all__ = ["ObliviousTreeClassifier"]


class ObliviousTreeClassifier(ShowsItsPath, FrameSelector, PredictsByProbability, ScoresLabels, BaseEstimator):
    """OBLIVION (Langley & Sage 1994): an oblivious decision tree, pruned of irrelevant features.

    An oblivious tree tests the same feature at all nodes of a level, so it is a table: a cell for each combination of
    values, with the classes of its samples. A sample that fits no cell is predicted by the nearest ones, those that
    differ from it on the fewest features. It begins with all features and takes out one at a time, the one without
    which the table makes the fewest errors in leave-one-out cross-validation, as long as these are no more than
    before. Features that matter only together are seen, because all the others are still there when one is tried
    without: parity, which misleads a tree that grows from the root, is no harder than a conjunction.

    Parameters
    ----------
    cv : "loo" or int, default="loo"
        How errors are counted: each sample by the table of all others, or in so many stratified folds.
    redraw_folds : bool, default=False
        Whether every step draws the folds anew, and judges by them what is left as well as every removal. The fewest
        errors of many removals are fewest by luck too; with the same folds at every step, or in leave-one-out, the
        next removals are held against that luck, and the pruning stops early where many features are irrelevant. Few
        folds, such as `cv=2`, differ most from step to step. It needs a number of folds.
    numeric : {"mdl", "as_is"}, default="mdl"
        What becomes of numbers. "mdl": intervals, cut where the classes change (see `MDLDiscretizer`; they are cut
        once, on all training samples); a column of two numbers is left as it is. "as_is": every number is a value of
        its own, alike only with itself.
    categorical_features : "from_dtype", None, list of names or indices, or boolean mask, default="from_dtype"
        The columns that hold categories; see `C45Classifier`.
    keep : list of names or of indices, or mask, default=None
        Features that stay.
    groups : mapping, list of lists, or label for each column, default=None
        Features that stay or go together, such as one-hot columns. Features in no group stand for themselves.
    min_features : int or None, default=None
        The fewest features that may be left.
    time_limit : float or None, default=None
        Seconds after which the pruning ends with what is left then.
    memory_limit : int, str or None, default=None
        Bytes for the distances between cells, or a text such as "2GB". None: a quarter of the machine's memory, at most
        4 GiB. Where they do not fit, distances are counted anew at every step: slower, with the same answer.
    callback : callable or None, default=None
        Called some twenty times a second with a `SearchProgress`; the pruning ends if it returns True.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds; not used for leave-one-out.

    Attributes
    ----------
    support_ : array of bool
        The features that are left.
    error_ : float
        Their error in cross-validation, a rate over the weight of the samples. It was minimised, so it is no estimate
        of the error on new samples. NaN if the time limit did not allow to count it once.
    table_ : DecisionTable
        The cells of all training samples on these features; `predict` goes by it.
    history_ : list of EliminationStep
        Every step: what it removed, the error, the features left. Step 0 is the full set. The error never grows,
        unless the folds are drawn anew. `trees_built` counts the tables that were judged to find the step.
    status_ : {"complete", "time_limit", "interrupted"}
        Whether the pruning came to its end, or what stopped it.
    used_features_ : list of str or list of int
        The features that are left.
    n_tables_ : int
        Tables that were judged.
    search_seconds_ : float
        How long the pruning took.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Notes
    -----
    A missing value is a value of its own: alike with a missing value, different from all others. A category that `fit`
    has not met counts as missing. A sample is left out with all of its weight; so a weight of 2 is not the same as two
    samples, which predict each other.

    References
    ----------
    P. Langley, S. Sage. Pruning irrelevant features from oblivious decision trees. AAAI Fall Symposium on Relevance,
    1994.

    Examples
    --------
    >>> from palmette import ObliviousTreeClassifier
    >>> from palmette.datasets import make_parity
    >>> X, y = make_parity(200, n_relevant=3, n_irrelevant=5, random_state=0)
    >>> table = ObliviousTreeClassifier().fit(X, y)
    >>> table.get_support(indices=True)
    array([0, 1, 2])
    >>> table.error_
    0.0
    >>> len(table.table_)
    8
    """

    table_: DecisionTable
    status_: str
    n_tables_: int
    search_seconds_: float
    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        cv: str | int = "loo",
        *,
        redraw_folds: bool = False,
        numeric: str = "mdl",
        categorical_features: Any = "from_dtype",
        keep: Any = None,
        groups: Any = None,
        min_features: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callable[..., Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.redraw_folds = redraw_folds
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.keep = keep
        self.groups = groups
        self.min_features = min_features
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fill the table, and prune it.

        Ctrl-C ends the pruning as a time limit does: with the features that are left then, and `status_` "interrupted".

        Parameters
        ----------
        X : table
            A NumPy or scipy.sparse matrix, a pandas, polars or Arrow frame; missing values are welcome.
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None
            They count in the votes of a cell and in the error. Samples of weight 0 are left out.

        Returns
        -------
        self
        """
        check_choice("numeric", self.numeric, NUMERIC)
        if self.callback is not None and not callable(self.callback):
            raise InvalidParameterError(f"`callback` must be a function or None, but is {self.callback!r}.")
        memory_limit = bytes_of(self.memory_limit)
        n_jobs = resolve_n_jobs(self.n_jobs)
        generator = check_random_state(self.random_state)
        budget = budget_of(self.time_limit)
        self._forget()

        table = read_table(X, self.categorical_features)
        refuse_too_many(len(table.columns))
        labels, classes = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        warn_of_light_weights(weights)
        if weights is not None:
            require_two_classes(labels[weights > 0], classes, whose="y without the samples of weight 0")
        units = read_units(self.keep, self.groups, table.names, len(table.columns))
        settings = _core.TablePruningSettings()
        settings.units = [list(features) for features in units.members]
        settings.keep = list(units.kept)
        settings.min_features = read_min_features(self.min_features, None, units)
        settings.folds = read_cv(self.cv, labels, weights, generator)
        settings.redraw_folds = read_redraw_folds(self.redraw_folds, self.cv)
        if settings.redraw_folds:
            settings.seed = int(generator.randint(2**31))
        settings.n_jobs = n_jobs
        settings.memory_limit = memory_limit
        self._remember_table(table, classes)

        total = float(table.n_rows if weights is None else weights.sum())
        work = Work(units, total)
        watch = EliminationWatch(
            work, budget, message="pruning the table", time_limit=self.time_limit, callback=self.callback
        )
        features = code_features(table, labels, len(classes), weights, numeric=self.numeric, n_jobs=n_jobs)
        dataset = coded_dataset(table, features, labels, len(classes), weights)
        start = time.perf_counter()
        result = _core.prune_table(dataset, settings, budget, watch.report_walk)
        outcome = walked(result, work, time.perf_counter() - start)
        self._set_answer(outcome, table, dataset, features)
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit made: a fit that fails must not leave its answer beside new columns."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]
        self.__dict__.pop("_predictor", None)

    def _remember_table(self, table: Table, classes: NDArray[Any]) -> None:
        remember_columns(self, table)
        self._schema = table.schema
        self.classes_ = classes

    def _set_answer(
        self, outcome: EliminationOutcome, table: Table, dataset: _core.Dataset, features: tuple[CodedFeature, ...]
    ) -> None:
        chosen = list(outcome.features)
        self._coded_features = features
        self._predictor = _core.fill_table(dataset, chosen)
        self.table_ = DecisionTable(
            tuple(features[index].name for index in chosen),
            tuple(features[index].values for index in chosen),
            self.classes_,
            self._predictor.codes,
            self._predictor.class_weights,
        )
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[chosen] = True
        self.history_ = read_steps(outcome, table.names)
        self.error_ = outcome.error
        self.n_tables_ = outcome.n_trees
        self.search_seconds_ = outcome.seconds
        self.status_ = outcome.status

    @property
    def used_features_(self) -> list[str] | list[int]:
        """The features that are left, all of which the table asks for: names if X had names, else indices."""
        check_is_fitted(self)
        names = self._schema.names
        chosen: list[int] = np.flatnonzero(self.support_).tolist()
        return chosen if names is None else [names[index] for index in chosen]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The shares of the classes in the nearest cells.

        Parameters
        ----------
        X : table with the columns of `fit`; only those that are left are read

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        X = check_columns(self, X)
        needed = np.flatnonzero(self.support_).tolist()
        table = read_table(X, reference=self._schema, needed=needed)
        codes = codes_of(table, self._coded_features, needed)
        weights = self._core_table().nearest_class_weights(codes, resolve_n_jobs(self.n_jobs))
        shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def to_text(self, max_cells: int | None = 50) -> str:
        """The table as text: a line for each cell, the heaviest first.

        Parameters
        ----------
        max_cells : int or None, default=50
            Lines to print; None for all.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return self.table_.to_text(max_cells)

    def summary(self) -> str:
        """What was found and how, in a few sentences.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summarize_table(self)

    def _core_table(self) -> _core.DecisionTable:
        """The table in the form that predicts, made anew after a pickle."""
        predictor: _core.DecisionTable | None = getattr(self, "_predictor", None)
        if predictor is None:
            predictor = self._predictor = _core.DecisionTable(self.table_.codes, self.table_.class_weights)
        return predictor

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_predictor", None)
        return state

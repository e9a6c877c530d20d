"""BackwardEliminationSelector: features leave one by one as long as the tree does not get worse.

`task.py` reads what is searched, `sequential.py` and `greedy.py` walk, `path.py` keeps the history, `selector.py`
selects and predicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.search.greedy import Rules, walk_by_function
from palmette.search.path import ShowsItsPath, read_steps
from palmette.search.progress import EliminationWatch, SearchEffortWarning
from palmette.search.selector import SubsetSelector
from palmette.search.sequential import eliminate
from palmette.search.summary import summarize, wrong_size
from palmette.search.task import SearchTask
from palmette.search.units import read_min_features
from palmette.support.messages import user_stack_level
from palmette.support.parameters import (
    LARGEST_COUNT,
    InvalidParameterError,
    check_choice,
    check_flag,
    check_number,
)

__all__ = ["BackwardEliminationSelector"]

STRATEGIES = ("backward", "forward", "floating_backward", "floating_forward", "beam")
UNUSED = ("one_by_one", "together")
ALGORITHMS = ("white_box", "black_box", "paper")


class BackwardEliminationSelector(ShowsItsPath, SubsetSelector):
    """Selects features by taking out, one by one, those without which a C4.5 tree errs least.

    It begins with all features. A step looks at every tree that lacks one more of them and takes out the feature
    whose tree makes the fewest errors, as long as this is no worse than before. That is sequential backward
    elimination (SBE), which other libraries do by growing every tree from scratch; here subtrees are shared by all
    candidates (DTsbe of Ruggieri 2019, and further), with the very same answer. It takes thousands of features.
    The answer is good, not proved the best: `BestSubsetSelector` proves.

    Parameters
    ----------
    tree : C45Classifier or None, default=None
        How trees are grown; None for `C45Classifier()`. Its `pruning` and its `time_limit` are not for the search,
        only for the final `tree_`.
    error : {"holdout", "training", "cross_validation"}, list of pairs, or callable, default="holdout"
        What a subset is judged by. "holdout": a tree is grown on a part of the samples, the building set, and its
        errors are counted on the rest, the search set (a stratified split). "training": both are all samples.
        "cross_validation": stratified folds, errors summed. A list of pairs `(building_indices, search_indices)`:
        errors summed over the pairs. A callable gets a `C45Classifier` fitted to all training samples with a subset,
        and returns a number, lower is better; nothing is known of it, so this is a black box, whatever `algorithm`
        says: every candidate tree is grown, on one thread.
    search_size : float, default=0.3
        The share of the search set, for "holdout".
    n_folds : int, default=10
        The number of folds, for "cross_validation".
    strategy : {"backward", "forward", "floating_backward", "floating_forward", "beam"}, default="backward"
        "forward" begins with no feature (or those to `keep`) and puts in one at a time. The floating ones take
        steps back where these lead to a better subset than any of that size before. "beam" is backward from the
        best `beam_width` subsets of every size.
    beam_width : int, default=5
        How many subsets "beam" goes on from; 1 is "backward". The work grows with it.
    accept_ties : bool, default=True
        Whether a step that leaves the error as it was is taken (Ruggieri 2019), or only one that lowers it
        (2017). Without ties few features leave.
    unused : {"one_by_one", "together"}, default="one_by_one"
        How features leave that the tree does not use, for "backward". "one_by_one": as any other, the lowest index
        first among equals; this is the elimination of the textbooks. "together": features that the tree uses go first,
        and when none of them may go, all unused ones leave at once. As an unused feature may be needed once another is
        gone, this tends to err more on the search set; it agrees with the errors that the paper of 2019 reports.
    algorithm : {"white_box", "black_box", "paper"}, default="white_box"
        All come to the same answer with the same history. "black_box" grows every tree from scratch, "paper" is
        DTsbe as published (for "backward" only); both are to compare with, and much slower.
    keep : list of names or of indices, or mask, default=None
        Features that every subset holds.
    groups : mapping, list of lists, or label for each column, default=None
        Features that stay or go together, such as one-hot columns. Features in no group stand for themselves.
    max_features : int or None, default=None
        The most features that the answer may have, kept ones included. Worse steps are taken to get there.
    min_features : int or None, default=None
        The fewest features that the answer may have.
    time_limit : float or None, default=None
        Seconds after which the search ends with the best subset so far.
    memory_limit : int, str or None, default=None
        Bytes that the search may use, or a text such as "2GB". None: a quarter of the machine's memory, at most 4 GiB.
        Only `algorithm="white_box"` keeps to it.
    callback : callable or None, default=None
        Called some twenty times a second with a `SearchProgress`; the search ends if it returns True.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the split. The answer for a given split does not depend on it.

    Attributes
    ----------
    support_ : array of bool
        The selected features: of the subsets along the path within the limits, the one of the least error, and of
        these the smallest.
    error_ : float
        The error of the answer: a rate over the weight of the search samples (for a callable, its value). It was
        minimised, so it is no estimate of the error on new samples.
    status_ : {"complete", "time_limit", "memory_limit", "interrupted"}
        Whether the search came to its end, or what stopped it.
    tree_ : Tree
        Grown on all training samples with the selected features; pruned if `tree` asks for it.
    estimator_ : C45Classifier
        The classifier of `tree_`; takes all columns of X and reads those that it needs.
    search_tree_ : Tree or list of Tree
        The tree whose errors `error_` counts, grown on the building set; one for each fold if there are several.
    folds_ : list of pairs of arrays
        Building and search rows, as `error=` takes them.
    history_ : list of EliminationStep
        Every step: what it removed or added, the error, the features, the trees built. Step 0 is the full set.
    n_trees_ : int
        Candidate trees that were looked at.
    search_seconds_ : float
        How long it took.
    used_features_ : list of str or list of int
        The features that `tree_` tests.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Examples
    --------
    >>> from palmette import BackwardEliminationSelector
    >>> from palmette.datasets import load
    >>> X, y = load("wine")
    >>> selector = BackwardEliminationSelector(random_state=0).fit(X, y)
    >>> selector.status_
    'complete'
    >>> selector.history_[0].n_features
    13
    >>> selector.history_[-1].features == tuple(selector.get_feature_names_out())
    True
    """

    def __init__(
        self,
        tree: Any = None,
        *,
        error: Any = "holdout",
        search_size: float = 0.3,
        n_folds: int = 10,
        strategy: str = "backward",
        beam_width: int = 5,
        accept_ties: bool = True,
        unused: str = "one_by_one",
        algorithm: str = "white_box",
        keep: Any = None,
        groups: Any = None,
        max_features: int | None = None,
        min_features: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callable[..., Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tree = tree
        self.error = error
        self.search_size = search_size
        self.n_folds = n_folds
        self.strategy = strategy
        self.beam_width = beam_width
        self.accept_ties = accept_ties
        self.unused = unused
        self.algorithm = algorithm
        self.keep = keep
        self.groups = groups
        self.max_features = max_features
        self.min_features = min_features
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("strategy", self.strategy, STRATEGIES)
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_flag("accept_ties", self.accept_ties)
        check_choice("unused", self.unused, UNUSED)
        check_number("beam_width", self.beam_width, 1, LARGEST_COUNT, integer=True)
        if self.unused == "together" and self.strategy != "backward":
            raise InvalidParameterError(
                f'`unused="together"` is a way of backward elimination, but `strategy` is {self.strategy!r}. Pass '
                '`strategy="backward"`, or `unused="one_by_one"`.'
            )
        if self.algorithm == "paper":
            if self.strategy != "backward":
                raise InvalidParameterError(
                    f'`algorithm="paper"` is backward elimination, but `strategy` is {self.strategy!r}. Pass '
                    '`strategy="backward"`, or `algorithm="white_box"`.'
                )
            if callable(self.error):
                raise InvalidParameterError(
                    'A callable `error` is not for `algorithm="paper"`, which counts errors on samples. Pass '
                    '`algorithm="black_box"`.'
                )

    def _read_task(self, X: Any, y: Any, sample_weight: Any, *, complete: bool = False) -> SearchTask:
        return super()._read_task(X, y, sample_weight, complete=complete)

    def _search(self, task: SearchTask, budget: _core.Budget) -> None:
        rules = Rules(
            strategy=self.strategy,
            accept_ties=bool(self.accept_ties),
            max_features=task.max_features,
            min_features=read_min_features(self.min_features, task.max_features, task.units),
            beam_width=int(self.beam_width),
            unused_together=self.unused == "together",
        )
        by_function = callable(self.error)
        watch = EliminationWatch(
            task,
            budget,
            message="eliminating features",
            time_limit=self.time_limit,
            callback=self.callback,
            objective="value" if by_function else "error",
            why_long=" A callable `error` is a black box: every candidate tree is grown." if by_function else "",
        )
        if by_function:
            outcome = walk_by_function(task, self.error, rules, watch)
        else:
            outcome = eliminate(task, self.algorithm, rules, budget, watch)
        self.history_ = read_steps(outcome, task.names)
        self._set_answer(task, outcome)
        if wrong := wrong_size(self):
            stopped = (
                "" if self.status_ == "complete" else f"The search was stopped ({self.status_}) before it was done. "
            )
            warnings.warn(
                stopped + wrong,
                SearchEffortWarning,
                stacklevel=user_stack_level(),
            )

    def summary(self, X: Any = None, y: Any = None) -> str:
        """What was found and how, in a few sentences.

        Parameters
        ----------
        X, y : table and labels, or None
            Samples that `fit` has not seen: the summary then tells the error on them, with its standard error.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summarize(self, self._held_out(X, y))

"""BestSubsetSelector: the subset of features with which the tree errs least, proved over all subsets.

`task.py` reads what is searched, `complete.py` and `by_function.py` search, `selector.py` selects and predicts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.search.by_function import search_by_function
from palmette.search.checkpoint import Checkpoint, fingerprint
from palmette.search.complete import search_as_the_paper, search_ranked
from palmette.search.history import SearchStep, frame_of, plot_steps
from palmette.search.outcome import Outcome
from palmette.search.progress import Watch
from palmette.search.selector import SubsetSelector
from palmette.search.summary import summarize
from palmette.search.task import SearchTask
from palmette.support.parameters import InvalidParameterError, check_choice, check_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["BestSubsetSelector"]

ALGORITHMS = ("ranked", "paper")
TIE_BREAKS = ("smallest", "first")


class BestSubsetSelector(SubsetSelector):
    """Selects the features with which a C4.5 tree makes the fewest errors, and proves that no other subset does better.

    All subsets are searched, by what their trees have in common: a tree stands for every subset that grows it, and
    bounds close whole regions of the lattice unseen. The answer is the minimum of (error, number of features, feature
    indices), the same for any number of threads. A search that is stopped early answers with the best subset so
    far and a bound that tells how far it may be from the best of all.

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
        and returns a number, lower is better; nothing bounds it, so every distinct tree is grown and judged.
    search_size : float, default=0.3
        The share of the search set, for "holdout".
    n_folds : int, default=10
        The number of folds, for "cross_validation".
    error_gap : float, default=0.0
        An answer is good enough if its error is within this of the best; a rate. A wider gap is proved faster.
    feature_penalty : float, default=0.0
        What one more feature must earn: error + `feature_penalty` · number of features is minimised; a rate.
    algorithm : {"ranked", "paper"}, default="ranked"
        "paper": DTaccept as published (Ruggieri 2019), to compare with; much slower. It promises an error
        within the gap, not the smallest subset; it works on one thread and keeps no checkpoint.
    tie_break : {"smallest", "first"}, default="smallest"
        Among the subsets of the least error, the one with the fewest features (then the lowest indices), proved; or
        the first that the search meets, which is faster.
    keep : list of names or of indices, or mask, default=None
        Features that every subset holds.
    groups : mapping, list of lists, or label for each column, default=None
        Features that stay or go together, such as one-hot columns. Features in no group stand for themselves.
    max_features : int or None, default=None
        The most features that an answer may have, kept ones included.
    time_limit : float or None, default=None
        Seconds after which the search ends with the best subset so far.
    memory_limit : int, str or None, default=None
        Bytes that the search may use, or a text such as "2GB". None: a quarter of the machine's memory, at most 4 GiB.
        `algorithm="paper"` does not keep to it.
    checkpoint : path or None, default=None
        A file that the state of the search is written to. A `fit` with the same data and parameters goes on from it,
        and one after the end takes the answer from it. Needs a `random_state` where the split is drawn.
    checkpoint_seconds : float, default=10.0
        Seconds between two writings: what a kill can lose.
    callback : callable or None, default=None
        Called some twenty times a second with a `SearchProgress`; the search ends if it returns True.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the split. The answer for a given split does not depend on it.

    Attributes
    ----------
    support_ : array of bool
        The selected features.
    error_ : float
        The error of the answer: a rate over the weight of the search samples (for a callable, its value). It was
        minimised, so it is no estimate of the error on new samples.
    error_bound_ : float
        No subset has a smaller error than this; with a `feature_penalty`, no smaller `objective_`. Equals
        `objective_` if the answer is proved.
    objective_ : float
        What was minimised: `error_`, plus the penalty for the features of the answer.
    status_ : {"optimal", "within_gap", "time_limit", "memory_limit", "interrupted"}
        Whether the answer is proved the best, proved to be within `error_gap` of it, or what stopped the proof.
    tree_ : Tree
        Grown on all training samples with the selected features; pruned if `tree` asks for it.
    estimator_ : C45Classifier
        The classifier of `tree_`; takes all columns of X and reads those that it needs.
    search_tree_ : Tree or list of Tree
        The tree whose errors `error_` counts, grown on the building set; one for each fold if there are several.
    folds_ : list of pairs of arrays
        Building and search rows, as `error=` takes them.
    history_ : list of SearchStep
        Every change of the best subset so far or of the bound.
    n_trees_ : int
        Trees that the proof has completed, those of the quick first search not counted: none where its answer could
        be proved by bounds.
    search_seconds_ : float
        How long it took, with the runs before a resume from a checkpoint.
    used_features_ : list of str or list of int
        The features that `tree_` tests.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.

    Examples
    --------
    >>> from palmette import BestSubsetSelector
    >>> from palmette.datasets import load
    >>> X, y = load("wine")
    >>> selector = BestSubsetSelector(random_state=0).fit(X, y)
    >>> selector.status_
    'optimal'
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'ash', 'hue']
    >>> round(selector.error_, 4), round(selector.error_bound_, 4)
    (0.0185, 0.0185)
    """

    error_bound_: float
    objective_: float
    history_: list[SearchStep]

    def __init__(
        self,
        tree: Any = None,
        *,
        error: Any = "holdout",
        search_size: float = 0.3,
        n_folds: int = 10,
        error_gap: float = 0.0,
        feature_penalty: float = 0.0,
        algorithm: str = "ranked",
        tie_break: str = "smallest",
        keep: Any = None,
        groups: Any = None,
        max_features: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        checkpoint: Any = None,
        checkpoint_seconds: float = 10.0,
        callback: Callable[..., Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tree = tree
        self.error = error
        self.search_size = search_size
        self.n_folds = n_folds
        self.error_gap = error_gap
        self.feature_penalty = feature_penalty
        self.algorithm = algorithm
        self.tie_break = tie_break
        self.keep = keep
        self.groups = groups
        self.max_features = max_features
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_choice("tie_break", self.tie_break, TIE_BREAKS)
        check_number("error_gap", self.error_gap, 0, 1)
        check_number("feature_penalty", self.feature_penalty, 0, 1)
        check_number("checkpoint_seconds", self.checkpoint_seconds, 0)
        if self.checkpoint is not None:
            Checkpoint.check_path(self.checkpoint)
            if callable(self.error):
                raise InvalidParameterError(
                    "`checkpoint` needs an error that is counted on samples: what a function would answer cannot be "
                    "checked. Pass `checkpoint=None`, or another `error`."
                )
            drawn = isinstance(self.error, str) and self.error != "training"
            if drawn and self.random_state is None:
                raise InvalidParameterError(
                    "`checkpoint` needs a `random_state`: without one every fit draws another split, and none could "
                    "go on from the file of another. Pass an integer."
                )
        if self.algorithm == "paper":
            if self.checkpoint is not None:
                raise InvalidParameterError('`algorithm="paper"` keeps no checkpoint. Pass `checkpoint=None`.')
            if callable(self.error):
                raise InvalidParameterError('A callable `error` is not for `algorithm="paper"`, which needs bounds.')

    def _search(self, task: SearchTask, budget: _core.Budget) -> None:
        outcome = self._outcome(task, budget)
        self._n_free = task.units.n_free
        self._n_subsets = task.n_subsets
        self._n_first_trees = outcome.n_first_trees
        self.objective_ = outcome.objective
        self.error_bound_ = outcome.bound
        self.history_ = [
            SearchStep(step.seconds, step.error, step.bound, task.named(step.features)) for step in outcome.steps
        ]
        self._set_answer(task, outcome)

    def _outcome(self, task: SearchTask, budget: _core.Budget) -> Outcome:
        gap, penalty = float(self.error_gap), float(self.feature_penalty)
        settings = task.settings(error_gap=gap, feature_penalty=penalty, smallest=self.tie_break == "smallest")
        unbounded = callable(self.error)
        watch = Watch(
            task,
            budget,
            message="searching the best subset",
            time_limit=self.time_limit,
            callback=self.callback,
            why_long=" Nothing bounds a callable `error`, so every distinct tree is grown." if unbounded else "",
            objective=("value" if unbounded else "error") + (" plus penalty" if penalty else ""),
            takes_gap=not unbounded,
        )
        if unbounded:
            return search_by_function(task, self.error, penalty, settings, budget, watch)
        if self.algorithm == "paper":
            return search_as_the_paper(task, settings, budget, watch)
        checkpoint = None
        if self.checkpoint is not None:
            mark = fingerprint(task, error_gap=gap, feature_penalty=penalty, tie_break=self.tie_break)
            checkpoint = Checkpoint(self.checkpoint, mark)
        return search_ranked(task, settings, budget, watch, checkpoint, float(self.checkpoint_seconds))

    def summary(self, X: Any = None, y: Any = None) -> str:
        """What was found and what was proved, in a few sentences.

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

    def history_frame(self) -> DataFrame:
        """The history as a pandas frame: seconds, error, bound, number of features, features.

        Returns
        -------
        pandas.DataFrame
        """
        check_is_fitted(self)
        return frame_of(
            {
                "seconds": [step.seconds for step in self.history_],
                "error": [step.error for step in self.history_],
                "bound": [step.bound for step in self.history_],
                "n_features": [len(step.features) for step in self.history_],
                "features": [step.features for step in self.history_],
            }
        )

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draw the objective of the best subset so far and the bound over the seconds, with matplotlib.

        The objective is the error, with a `feature_penalty` the error plus penalty. The values of a function have no
        bound.

        Parameters
        ----------
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        return plot_steps(
            self.history_,
            ax,
            feature_penalty=float(self.feature_penalty),
            by_value=callable(self.error),
            until=self.search_seconds_,
        )

"""FCBFSelector: the fast correlation-based filter of Yu and Liu.

`base.py` holds the course of a fit; the core (`core/src/filter/fcbf.cpp`) selects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from palmette import _core
from palmette.filter.base import Filtered, FilterSelector
from palmette.support.parameters import check_number
from palmette.support.progress import reporter

__all__ = ["FCBFSelector", "FCBFStep"]

KEPT = -1
"""What the core says of a selected feature; of a redundant one it says which removed it, of the others less than -1."""


@dataclass(frozen=True, slots=True)
class FCBFStep:
    """What was decided on a relevant feature.

    Parameters
    ----------
    feature : str or int
        Its name if X had names, else its index.
    symmetric_uncertainty : float
        What it has in common with the class, from 0 to 1.
    removed_by : str, int or None
        The selected feature that made it redundant; None for a selected one.
    """

    feature: str | int
    symmetric_uncertainty: float
    removed_by: str | int | None


class FCBFSelector(FilterSelector):
    """Select relevant features that no better one makes redundant (FCBF, Yu & Liu 2004).

    A feature is relevant if its symmetric uncertainty with the class exceeds `threshold`. From the best of them on,
    each one that is left removes every worse one that has at least as much in common with it as with the class.
    Numbers are cut into intervals by `MDLDiscretizer(cut_cost="values")`, as Weka does.

    Parameters
    ----------
    threshold : float, default=0.0
        δ, from 0 to 1. At 0, every feature that tells anything of the class is relevant: the setting of Deng & Runger
        (2012), who took Weka's default, which is no threshold at all.
    tree : C45Classifier or None, default=None
        How the final tree is grown, and which columns are nominal. None stands for `C45Classifier()`.
    time_limit : float or None, default=None
        Seconds after which only the features that are sure to stay are selected.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The answer does not depend on it.

    Attributes
    ----------
    support_ : array of bool
        The mask of the selected features.
    selected_order_ : list of str or of int
        They, from the best on.
    removed_by_ : dict
        For each redundant feature, the selected one that removed it. A feature that is neither here nor selected is
        irrelevant (or, after a time limit, undecided).
    history_ : list of FCBFStep
        The decisions on the relevant features, from the best feature on.
    symmetric_uncertainty_ : array
        Of every feature with the class, from 0 to 1.
    n_correlations_ : int
        How many symmetric uncertainties were computed.
    estimator_ : C45Classifier
        Grown on all samples with the selected features; it predicts.
    tree_ : Tree
        The tree of `estimator_`.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    search_seconds_ : float
    status_ : {"complete", "time_limit", "interrupted"}

    Notes
    -----
    A sample with a missing value is spread over the values of the feature in proportion to their frequency, as in
    Weka; see `CFSSelector` for very many categories. Sample weights count. Of equally good features, the one that comes
    first in X goes first. Unlike in Weka, a feature that tells nothing of the class is never selected, even if there is
    no other.

    References
    ----------
    L. Yu, H. Liu. Efficient feature selection via analysis of relevance and redundancy. JMLR 5, 2004.

    Examples
    --------
    >>> from palmette import FCBFSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = FCBFSelector().fit(X, y)
    >>> selector.selected_order_
    ['petal width (cm)', 'petal length (cm)']
    >>> selector.removed_by_
    {'sepal length (cm)': 'petal width (cm)', 'sepal width (cm)': 'petal width (cm)'}
    """

    removed_by_: dict[Any, Any]
    history_: list[FCBFStep]

    def __init__(
        self,
        *,
        threshold: float = 0.0,
        tree: Any = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.tree = tree
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, 0, 1)

    def _select(self, dataset: _core.Dataset, budget: _core.Budget, n_jobs: int) -> Filtered:
        options = _core.FcbfOptions()
        options.threshold = float(self.threshold)
        found = _core.select_by_fcbf(dataset, options, budget, n_jobs, reporter("comparing features"))
        decided = [feature for feature, came_of_it in enumerate(found.removed_by) if came_of_it >= KEPT]
        decided.sort(key=lambda feature: -found.with_class[feature])
        names = self._named(range(self.n_features_in_))
        self.history_ = [
            FCBFStep(
                names[feature],
                float(found.with_class[feature]),
                None if found.removed_by[feature] == KEPT else names[found.removed_by[feature]],
            )
            for feature in decided
        ]
        self.removed_by_ = {step.feature: step.removed_by for step in self.history_ if step.removed_by is not None}
        return found

    def way(self) -> str:
        """How the features were selected, in a sentence.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        n_removed = len(self.removed_by_)
        n_relevant = int((self.symmetric_uncertainty_ > self.threshold).sum())
        return (
            f"{n_relevant} told of the classes alone (symmetric uncertainty above {self.threshold:g}); {n_removed} of "
            "them were redundant beside a better one."
        )

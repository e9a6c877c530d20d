"""The answers of the searches by trying every subset with the public classifier: slow and obvious."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from palmette import C45Classifier


class Judged(NamedTuple):
    """A subset, ordered as answers are: error weight, number of features, indices."""

    error: float
    size: int
    features: tuple[int, ...]


def subset_error(X, y, features, folds, *, tree=None, weight=None):
    """The error weight of a subset over the folds, and the features that its trees use."""
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    columns = list(features)
    error, used = 0.0, set()
    for building, search in folds:
        if columns:
            model = (C45Classifier() if tree is None else tree).fit(
                X[building][:, columns], y[building], sample_weight=weight[building]
            )
            predicted = model.predict(X[search][:, columns])
            used |= {columns[place] for place in model.tree_.used}
        else:
            labels = np.unique(y)
            votes = [weight[building][y[building] == label].sum() for label in labels]
            predicted = np.full(len(search), labels[int(np.argmax(votes))])
        error += float(weight[search][predicted != y[search]].sum())
    return error, tuple(sorted(used))


def all_subsets(n_features, keep=()):
    free = [feature for feature in range(n_features) if feature not in keep]
    for size in range(len(free) + 1):
        for chosen in combinations(free, size):
            yield tuple(sorted({*keep, *chosen}))


def judge_all(X, y, folds, *, tree=None, weight=None, keep=()):
    """The distinct answers (what the trees use, with what is kept), best first."""
    answers = set()
    for features in all_subsets(X.shape[1], keep):
        error, used = subset_error(X, y, features, folds, tree=tree, weight=weight)
        answer = tuple(sorted({*keep, *used}))
        answers.add(Judged(error, len(answer), answer))
    return sorted(answers)

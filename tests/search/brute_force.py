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


class Walker:
    """Sequential searches by growing every tree: `walk` gives the subsets along the way, as (error, units).

    A unit is a tuple of features. The rules are those of `BackwardEliminationSelector`, written without any saving.
    """

    def __init__(self, judge, units, *, accept_ties=True, keep=(), max_features=None, min_features=0, beam_width=1):
        self.judge = judge
        self.units = units
        self.accept_ties = accept_ties
        self.kept = {place for place, unit in enumerate(units) if set(unit) & set(keep)}
        self.most = sum(map(len, units)) if max_features is None else max_features
        self.least = min_features
        self.beam_width = beam_width

    def features(self, subset):
        return tuple(sorted(feature for place in subset for feature in self.units[place]))

    def error(self, subset):
        return self.judge(self.features(subset))

    def size(self, subset):
        return len(self.features(subset))

    def neighbours(self, subset, remove, limited=True):
        """(error, unit that goes or comes, subset), within the limits."""
        found = []
        for place in range(len(self.units)):
            if (place in subset) != remove or place in self.kept:
                continue
            other = subset - {place} if remove else subset | {place}
            allowed = self.size(other) >= self.least if remove else self.size(other) <= self.most or not limited
            if allowed:
                found.append((self.error(other), place, other))
        return found

    def goes_on(self, now, then, subset, remove):
        if (self.size(subset) > self.most) if remove else (self.size(subset) < self.least):
            return True
        return then <= now if self.accept_ties else then < now

    def walk(self, strategy):
        forward = strategy in ("forward", "floating_forward")
        start = frozenset(self.kept) if forward else frozenset(range(len(self.units)))
        path = [(self.error(start), start)]
        if strategy == "beam":
            self.go_by_beam(path)
        else:
            self.go(path, remove=not forward, floating="floating" in strategy)
        return path

    def go(self, path, remove, floating):
        least = {len(path[0][1]): path[0][0]}
        while True:
            error, subset = path[-1]
            found = min(self.neighbours(subset, remove), default=None)
            if found is None or not self.goes_on(error, found[0], subset, remove):
                return
            path.append((found[0], found[2]))
            least[len(found[2])] = min(least.get(len(found[2]), np.inf), found[0])
            while floating:
                back = min(self.neighbours(path[-1][1], not remove, limited=False), default=None)
                if back is None or back[0] >= least.get(len(back[2]), np.inf):
                    break
                path.append((back[0], back[2]))
                least[len(back[2])] = back[0]

    def go_by_beam(self, path):
        level = [path[0]]
        while True:
            children = {child: error for _, subset in level for error, _, child in self.neighbours(subset, True)}
            ranked = sorted(
                (error, sorted(set(range(len(self.units))) - child), child) for child, error in children.items()
            )
            if not ranked or not self.goes_on(level[0][0], ranked[0][0], level[0][1], True):
                return
            level = [(error, child) for error, _, child in ranked[: self.beam_width]]
            path.append(level[0])

    def answer(self, path):
        """Of the allowed sizes the least error, then the fewest features, then the first."""
        allowed = [one for one in path if self.least <= self.size(one[1]) <= self.most] or path
        best = min((error, self.size(subset)) for error, subset in allowed)
        return next(self.features(subset) for error, subset in allowed if (error, self.size(subset)) == best), best[0]

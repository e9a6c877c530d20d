"""A selector of your own in forty lines: random subsets, the rival that every clever search must beat.

`SubsetSelector` reads the table, splits it, checks `keep` and `groups`, grows the final tree and behaves as
scikit-learn expects; a selector of your own says only how it walks. Then backward elimination and the complete search
show what they gain over as many random draws.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette import BackwardEliminationSelector, BestSubsetSelector
from palmette.datasets import load
from palmette.search.progress import Watch
from palmette.search.selector import SubsetSelector
from palmette.support.parameters import check_number


@dataclass(frozen=True)
class Answer:
    """What `_set_answer` asks for: features by index, the error as a rate."""

    features: tuple[int, ...]
    error: float
    status: str
    n_trees: int
    seconds: float


class RandomSubsetSelector(SubsetSelector):
    """The best of many random subsets."""

    def __init__(
        self,
        tree: Any = None,
        *,
        n_draws: int = 1000,
        error: Any = "holdout",
        search_size: float = 0.3,
        n_folds: int = 10,
        keep: Any = None,
        groups: Any = None,
        max_features: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tree = tree
        self.n_draws = n_draws
        self.error = error
        self.search_size = search_size
        self.n_folds = n_folds
        self.keep = keep
        self.groups = groups
        self.max_features = max_features
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_number("n_draws", self.n_draws, 1, integer=True)

    def _search(self, task: Any, budget: Any) -> None:
        watch = Watch(task, budget, message="drawing subsets", time_limit=self.time_limit, callback=self.callback)
        generator = np.random.default_rng(task.seed)
        free = [unit for unit in range(task.core.n_units) if unit not in task.units.kept]
        room = len(free) if task.max_features is None else task.max_features - len(task.units.kept)
        best: tuple[float, int, tuple[int, ...]] | None = None
        status, n_trees = "complete", 0
        while n_trees < self.n_draws:
            size = generator.integers(0, min(room, len(free)) + 1)
            drawn = generator.choice(len(free), size=size, replace=False)
            error, used = task.core.error_of([*task.units.kept, *(free[place] for place in drawn)])
            n_trees += 1
            # A tie goes to fewer features, then to the lower indices, as in the searches of the library.
            features = task.units.features(sorted({*used, *task.units.kept}))
            best = min(best or (np.inf, 0, ()), (error, len(features), features))
            if watch.out_of_time():
                status = watch.stopped_by
                break
        assert best is not None
        self._set_answer(task, Answer(best[2], task.rate(best[0]), status, n_trees, watch.seconds))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="breast_cancer")
    options = parser.parse_args(arguments)
    X, y = load(options.dataset)
    elimination = BackwardEliminationSelector(random_state=0).fit(X, y)
    rivals = {
        "backward elimination": elimination,
        "as many random subsets": RandomSubsetSelector(n_draws=elimination.n_trees_, random_state=0).fit(X, y),
        "a thousand random subsets": RandomSubsetSelector(random_state=0).fit(X, y),
        "all subsets": BestSubsetSelector(random_state=0).fit(X, y),
    }
    print(f"{options.dataset}: {X.shape[1]} features")
    for name, selector in rivals.items():
        print(
            f"{name:26} search error {selector.error_:6.2%} with {selector.support_.sum():2} features, "
            f"{selector.n_trees_:5} trees"
        )
    print("The complete search counts the trees that its proof completed: few or none, because bounds close the rest.")


if __name__ == "__main__":
    main()

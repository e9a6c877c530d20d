"""Does the subset with the least search error also err least on new samples? Strategies side by side on the same folds.

A complete search finds the best subset for the search set, proved. On a small search set that is partly luck: its
error there is far below its error on the test folds, where elimination, a plain tree or a forest may be ahead
(Ruggieri 2019, Section 7.4). And the more is searched, the less the chosen features agree from fold to fold.

    python examples/compare_strategies.py
    python examples/compare_strategies.py --datasets breast_cancer --repeats 10 --folds 10 --cache trials --jobs -1
    python examples/compare_strategies.py --dask    # on a cluster: here two workers on this machine
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from palmette import BackwardEliminationSelector, BestSubsetSelector, C45Classifier, C45ForestClassifier, compare

STRATEGIES: dict[str, Any] = {
    "tree": C45Classifier(),
    "best": BestSubsetSelector(),
    "penalized": BestSubsetSelector(feature_penalty=0.01),
    "backward": BackwardEliminationSelector(),
    "4 best": make_pipeline(SelectKBest(k=4), C45Classifier()),
    "forest": C45ForestClassifier(50),
    "their forest": RandomForestClassifier(50),
}


@contextmanager
def two_workers() -> Iterator[None]:
    """Trials go to a cluster of dask; any other cluster is named in `Client(address)`."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=["wine", "breast_cancer"])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="a folder from which a stopped run goes on")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--plot", type=Path, help="a picture to draw")
    parser.add_argument("--dask", action="store_true", help="run the trials on a cluster of dask")
    options = parser.parse_args(arguments)

    def run() -> Any:
        return compare(
            STRATEGIES,
            options.datasets,
            repeats=options.repeats,
            folds=options.folds,
            cache=options.cache,
            n_jobs=options.jobs,
        )

    if options.dask:
        with two_workers():
            comparison = run()
    else:
        comparison = run()

    print(comparison.table(["search_error", "test_error", "n_used", "stability"]))
    print()
    print(comparison.summary())
    for dataset in options.datasets:
        p_value = comparison.test(dataset, "best", "forest")
        corrected = comparison.test(dataset, "best", "forest", corrected=True)
        print(f"\n{dataset}, the best subset against the forest: p = {p_value:.3f}, corrected {corrected:.3f}")
        print(f"{dataset}, stability of the best subset: {comparison.cell(dataset, 'best').stability}")
    if options.plot:
        comparison.plot().figure.savefig(options.plot, bbox_inches="tight", dpi=150)


if __name__ == "__main__":
    main()

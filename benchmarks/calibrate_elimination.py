"""Is our backward elimination the paper's? Errors and features of DTsbe, ours beside those of the 2019 paper.

The protocol is the paper's: 10 repetitions of stratified 10-fold cross-validation; each training part is split 70/30
(stratified) into building and search set; features are eliminated by the error on the search set, ties accepted;
the tree of the answer is grown on the whole training part. m = 2, information gain. Four quantities:

    search          error on the search set (Table 2, DTsbe)
    generalization  error on the test fold (Table 2, DTsbe)
    features        number of features that the final tree uses (Table 4, DTsbe)
    forest          error on the test fold of a random forest on the selected features (Table 3, DTsbe+RF); --forest

Means ± standard errors, sd/√folds, as in calibrate_baseline.py: folds share training data, so this is a custom, not a
truth. A difference is judged against √(se_ours² + se_paper²): errors within 2 standard errors and features within 0.5
are "ok". The search error is what decides whether the elimination is the paper's; the final tree and the features
inherit the misses of the baseline. A dataset that the paper had in another version is read in that version
(variants.py says what differs). Repetition r is `StratifiedKFold(10, shuffle=True, random_state=r)`.

    python benchmarks/calibrate_elimination.py --jobs 2 --cache elimination.jsonl --time-limit 600
    python benchmarks/calibrate_elimination.py --repeats 1 --datasets sonar,madelon
    python benchmarks/calibrate_elimination.py --unused one_by_one --rounding nearest

The paper's words leave two things open, and its numbers tell which way it went (docs/calibration.md has both ways).

    --unused    `together`, the default here: features that the tree uses go first, and when none of them may go, all
                others leave at once. `one_by_one`, the default of the selector, as the paper's text reads: each
                departure shows other trees, so it finds lower errors than the paper reports.
    --rounding  `down`, the default here: of each class 30 % go to the search set, rounded down, so a class of two or
                three samples is for building only. `nearest`, as scikit-learn and the selector split: hypo has
                a class of two samples, and the one that is searched on is an error of nearly every tree.

With --cache a stopped run goes on where it stopped; remove the file when the engine has changed.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from calibrate_baseline import DATASETS as BASELINE_DATASETS
from calibrate_baseline import ERROR_TOLERANCE, FEATURE_TOLERANCE, PAPER_FOLDS, judge
from folds import parts, read_variant
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import chi2
from tables import print_table
from variants import DATA_VERSIONS

from palmette import BackwardEliminationSelector, C45ForestClassifier, published

DATASETS = (*BASELINE_DATASETS, "isolet", "arcene", "dexter", "census")
FOLDS = 10
SEARCH_SHARE = 0.3
QUANTITIES = {
    "search": ("search error in %", "jmlr2019-table2", "search_dtsbe"),
    "generalization": ("test error in %", "jmlr2019-table2", "generalization_dtsbe"),
    "features": ("features used", "jmlr2019-table4", "features_dtsbe"),
    "forest": ("test error in % of a forest", "jmlr2019-table3", "dtsbe_rf"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one fold gave; errors in percent."""

    dataset: str
    repeat: int
    fold: int
    search: float
    generalization: float
    features: int
    forest: float | None
    steps: int
    seconds: float
    unused: str
    rounding: str


def variant_of(dataset: str) -> str:
    """The reading of the dataset that is the paper's."""
    return DATA_VERSIONS[dataset][0] if dataset in DATA_VERSIONS else "default"


def search_rows(labels: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """Of each class 30 %, rounded down."""
    generator = np.random.default_rng(seed)
    members = [generator.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    return np.sort(np.concatenate([rows[: int(SEARCH_SHARE * len(rows))] for rows in members]))


def run_fold(dataset: str, repeat: int, fold: int, with_forest: bool, unused: str, rounding: str) -> Outcome:
    X, y = read_variant(dataset, variant_of(dataset))
    training, test = parts(dataset, variant_of(dataset), repeat, FOLDS)[fold]
    X_training, X_test = X.iloc[training], X.iloc[test]
    seed = repeat * FOLDS + fold
    error: Any = "holdout"
    if rounding == "down":
        search = search_rows(y[training], seed)
        error = [(np.setdiff1d(np.arange(len(training)), search), search)]
    start = time.perf_counter()
    selector = BackwardEliminationSelector(
        error=error, search_size=SEARCH_SHARE, unused=unused, random_state=seed, n_jobs=1
    ).fit(X_training, y[training])
    chosen = X.columns[selector.support_]
    seconds = time.perf_counter() - start
    forest = None
    if with_forest:
        model = C45ForestClassifier(100, random_state=seed, n_jobs=1)
        if len(chosen):
            model.fit(X_training[chosen], y[training])
            forest = 100.0 * float(np.mean(model.predict(X_test[chosen]) != y[test]))
    return Outcome(
        dataset=dataset,
        repeat=repeat,
        fold=fold,
        search=100.0 * selector.error_,
        generalization=100.0 * float(np.mean(selector.predict(X_test) != y[test])),
        features=len(selector.used_features_),
        forest=forest,
        steps=len(selector.history_) - 1,
        seconds=seconds,
        unused=unused,
        rounding=rounding,
    )


def read_cache(path: Path | None) -> list[Outcome]:
    """The folds that an earlier run finished; a line that a crash cut off, or of another version, is skipped."""
    if path is None or not path.exists():
        return []
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(Outcome(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            continue
    return found


def run(arguments: argparse.Namespace, outcomes: list[Outcome]) -> None:
    """Run the folds that the cache lacks, whole repetitions first; a finished fold goes to the cache at once."""
    known = {(one.dataset, one.repeat, one.fold) for one in outcomes if one.forest is not None or not arguments.forest}
    for dataset in arguments.datasets:
        deadline = math.inf if arguments.time_limit is None else time.monotonic() + arguments.time_limit
        tasks = _tasks(dataset, arguments, known, deadline)
        for outcome in Parallel(n_jobs=arguments.jobs, return_as="generator", pre_dispatch=arguments.jobs)(tasks):
            outcomes.append(outcome)
            if arguments.cache is not None:
                with arguments.cache.open("a") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")


def _tasks(
    dataset: str, arguments: argparse.Namespace, known: set[tuple[str, int, int]], deadline: float
) -> Iterator[Any]:
    for repeat in range(arguments.repeats):
        for fold in range(FOLDS):
            if time.monotonic() > deadline:
                return
            if (dataset, repeat, fold) not in known:
                yield delayed(run_fold)(dataset, repeat, fold, arguments.forest, arguments.unused, arguments.rounding)


def report(outcomes: list[Outcome], datasets: list[str]) -> bool:
    """One table a quantity; whether every search error is that of the paper."""
    verdicts: dict[str, list[str]] = {}
    deviations: dict[str, list[float]] = {}  # in standard errors, where the paper had as many samples
    for quantity, (title, table, column) in QUANTITIES.items():
        rows = []
        for dataset in datasets:
            folds = [one for one in outcomes if one.dataset == dataset]
            values = [float(value) for one in folds if (value := getattr(one, quantity)) is not None]
            if len(values) < 2:
                continue
            mean, se = statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))
            paper = published.estimate(table, dataset, column)
            cells = ["—", "—", "—"]
            verdict = "not in the paper"
            if paper is not None:
                paper_se = paper.sd / math.sqrt(PAPER_FOLDS)
                difference, difference_se = mean - paper.mean, math.hypot(se, paper_se)
                cells = [f"{paper.mean:.2f} ± {paper_se:.2f}", f"{difference:+.2f}", f"{difference_se:.2f}"]
                verdict = judge("features" if quantity == "features" else "error", difference, difference_se)
                verdicts.setdefault(quantity, []).append(verdict)
            shape = next(row for row in published.table("jmlr2019-table1") if row["dataset"] == dataset)
            n_rows = len(read_variant(dataset, variant_of(dataset))[0])
            theirs = int(shape["instances"] or 0)
            if paper is not None and n_rows == theirs:
                deviations.setdefault(quantity, []).append(difference / difference_se)
            sizes = f"{n_rows}" if n_rows == theirs else f"{n_rows}/{theirs}"
            steps = statistics.fmean(one.steps for one in folds)
            took = statistics.fmean(one.seconds for one in folds)
            ours = f"{mean:.2f} ± {se:.2f}"
            mark = "" if variant_of(dataset) == "default" else f" · {variant_of(dataset)}"
            rows.append([dataset + mark, sizes, len(values), ours, *cells, f"{steps:.1f}", f"{took:.2f}", verdict])
        if rows:
            header = ["dataset", "rows", "folds", "ours", "paper", "diff", "se", "steps", "s/fold", "verdict"]
            print_table(f"DTsbe: {title} (mean ± standard error), {table}", header, rows)
    print()
    for quantity, found in verdicts.items():
        together = ""
        if alike := deviations.get(quantity):
            square = sum(deviation**2 for deviation in alike)
            together = f"; all together χ² = {square:.1f} on {len(alike)} (p = {chi2.sf(square, len(alike)):.2g})"
        print(f"{quantity}: {found.count('ok')} of {len(found)} ok{together}")
    print(f"(errors within {ERROR_TOLERANCE:g} standard errors, features within {FEATURE_TOLERANCE:g})")
    print("rows: ours/paper where they differ; there the number of samples explains a part of the difference.")
    return all(verdict == "ok" for verdict in verdicts.get("search", []))


def main() -> int:
    """0 if every search error is the paper's, 1 otherwise, 130 when interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS), help="comma-separated names")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--unused", choices=("together", "one_by_one"), default="together", help="how they leave")
    parser.add_argument("--rounding", choices=("down", "nearest"), default="down", help="of a class in the search set")
    parser.add_argument("--forest", action="store_true", help="also a forest on the selected features")
    parser.add_argument("--jobs", type=int, default=1, help="processes; each fold runs on one thread")
    parser.add_argument("--time-limit", type=float, help="seconds per dataset; no new fold starts after it")
    parser.add_argument("--cache", type=Path, help="JSON-lines file of finished folds")
    arguments = parser.parse_args()
    arguments.datasets = arguments.datasets.split(",")
    way = (arguments.unused, arguments.rounding)
    outcomes = [one for one in read_cache(arguments.cache) if (one.unused, one.rounding) == way]
    interrupted = False
    try:
        run(arguments, outcomes)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted; what was finished follows", file=sys.stderr)
    is_ok = report(outcomes, arguments.datasets)
    return 130 if interrupted else int(not is_ok)


if __name__ == "__main__":
    sys.exit(main())

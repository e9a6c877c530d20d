"""Is our C4.5 the paper's? Cross-validated errors and features used, ours beside those of the 2019 paper.

The protocol is the paper's: 10 repetitions of stratified 10-fold cross-validation, m = 2, the tree (or the
forest of 100 trees) grown on the whole training part. Five measures, each against its column of a table:

    baseline    error (Table 2) and number of features used (Table 4) of the plain tree
    ebp         error after error-based pruning (Table 6)
    gain_ratio  error with gain ratio in place of information gain (Table 8)
    forest      error of the random forest (Table 3)
    breiman     the same with int(log2 N + 1) features drawn and majority votes, as in Breiman's and Weka's forests

The paper prints mean ± standard deviation over the 100 folds. The standard error of such a mean is taken, as
is the custom, as sd/√100, although folds share training data and are not independent; a difference is judged
against √(se_ours² + se_paper²). Verdicts: errors within 2 standard errors and features within 0.5 are "ok",
anything else is printed as the size of the miss. Where the stored data is not the paper's version, a second
row, marked ·, reads it as the paper did and is the one that is judged; variants.py says what differs.

    python benchmarks/calibrate_baseline.py --jobs 2 --cache calibration.jsonl
    python benchmarks/calibrate_baseline.py --repeats 1 --datasets anneal --variant missing_category

With --cache a stopped run goes on where it stopped; remove the file when the grower has changed.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from folds import MEASURES, Batch, Fold, read_variant, run_fold
from joblib import Parallel, delayed
from tables import print_table
from variants import DATA_VERSIONS, VARIANTS

from palmette import published

DATASETS = (
    *("adult", "letter", "hypo", "ionosphere", "soybean", "kr_vs_kp", "anneal", "spambase", "sonar"),
    *("optdigits", "coil2000", "clean1", "clean2", "madelon"),
)
PAPER_FOLDS = 100
ERROR_TOLERANCE = 2.0  # standard errors of the difference
FEATURE_TOLERANCE = 0.5  # features


Results: TypeAlias = dict[Batch, list[Fold]]


def read_cache(path: Path | None) -> Results:
    """The batches that an earlier run finished; a line that was cut off by a crash is skipped."""
    results: Results = {}
    if path is not None and path.exists():
        for line in path.read_text().splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            results[Batch(**record["batch"])] = [Fold(**fold) for fold in record["folds"]]
    return results


def run_dataset(batches: list[Batch], jobs: int, time_limit: float | None) -> Iterator[tuple[Batch, list[Fold]]]:
    """Run the batches of one dataset, folds in parallel, and give each batch when its last fold is done."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    started: list[Batch] = []

    def tasks() -> Iterator[Any]:
        for batch in batches:
            if time.monotonic() > deadline:
                return
            started.append(batch)
            for fold in range(batch.folds):
                yield delayed(run_fold)(batch, fold)

    outcomes = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch=2 * jobs)(tasks())
    done = 0
    while folds := list(islice(outcomes, batches[0].folds)):
        yield started[done], folds
        done += 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our mean beside the paper's, with standard errors and a verdict."""

    dataset: str
    measure: str
    quantity: str
    variant: str
    shown_under: str
    rows: int
    rows_paper: int
    folds: int
    ours: float
    ours_sd: float
    ours_se: float
    repeat_sd: float | None
    paper: float | None
    paper_sd: float | None
    paper_se: float | None
    difference: float | None
    difference_se: float | None
    verdict: str
    nodes: float | None
    seconds: float


def compare(
    dataset: str, measure: str, quantity: str, variant: str, shown_under: str, repeats: list[list[Fold]]
) -> Comparison:
    """The comparison of one quantity ("error" or "features") over the repetitions that were run."""
    per_repeat = [[fold.error if quantity == "error" else float(fold.used or 0) for fold in folds] for folds in repeats]
    values = [value for part in per_repeat for value in part]
    mean = statistics.fmean(values)
    sd = statistics.stdev(values)
    se = sd / math.sqrt(len(values))
    repeat_means = [statistics.fmean(part) for part in per_repeat]
    if quantity == "error":
        paper = published.estimate(MEASURES[measure].table, dataset, MEASURES[measure].column)
    else:
        paper = published.estimate("jmlr2019-table4", dataset, "features_baseline")
    paper_se = None if paper is None else paper.sd / math.sqrt(PAPER_FOLDS)
    difference = None if paper is None else mean - paper.mean
    difference_se = None if paper_se is None else math.hypot(se, paper_se)
    sizes = [fold.nodes for folds in repeats for fold in folds if fold.nodes is not None]
    shape = next(row for row in published.table("jmlr2019-table1") if row["dataset"] == dataset)
    return Comparison(
        dataset=dataset,
        measure=measure,
        quantity=quantity,
        variant=variant,
        shown_under=shown_under,
        rows=len(read_variant(dataset, variant)[0]),
        rows_paper=int(shape["instances"] or 0),
        folds=len(values),
        ours=mean,
        ours_sd=sd,
        ours_se=se,
        repeat_sd=statistics.stdev(repeat_means) if len(repeat_means) > 1 else None,
        paper=None if paper is None else paper.mean,
        paper_sd=None if paper is None else paper.sd,
        paper_se=paper_se,
        difference=difference,
        difference_se=difference_se,
        verdict=judge(quantity, difference, difference_se),
        nodes=statistics.fmean(sizes) if sizes else None,
        seconds=sum(fold.seconds for folds in repeats for fold in folds),
    )


def judge(quantity: str, difference: float | None, difference_se: float | None) -> str:
    """ "ok", or the size of the miss."""
    if difference is None or difference_se is None:
        return "not in the paper"
    if quantity == "features":
        is_ok = abs(difference) <= FEATURE_TOLERANCE
    else:
        is_ok = abs(difference) <= ERROR_TOLERANCE * difference_se
    if is_ok:
        return "ok"
    return f"off by {difference:+.2f} = {difference / difference_se if difference_se else math.inf:+.1f} se"


def report(comparisons: list[Comparison]) -> None:
    """One table per measure and quantity."""
    kinds = dict.fromkeys((entry.measure, entry.quantity, entry.shown_under) for entry in comparisons)
    for measure, quantity, variant in kinds:
        rows = []
        for entry in comparisons:
            if (entry.measure, entry.quantity, entry.shown_under) != (measure, quantity, variant):
                continue
            rows.append(
                [
                    entry.dataset if entry.variant == variant else f"· {entry.variant}",
                    f"{entry.rows}/{entry.rows_paper}" if entry.rows != entry.rows_paper else f"{entry.rows}",
                    f"{entry.folds}",
                    f"{entry.ours:.2f} ± {entry.ours_se:.2f}",
                    "—" if entry.paper is None else f"{entry.paper:.2f} ± {entry.paper_se:.2f}",
                    "—" if entry.difference is None else f"{entry.difference:+.2f}",
                    "—" if entry.difference_se is None else f"{entry.difference_se:.2f}",
                    "—" if entry.nodes is None else f"{entry.nodes:.0f}",
                    f"{entry.seconds:.1f}",
                    entry.verdict,
                ]
            )
        source = MEASURES[measure].table if quantity == "error" else "jmlr2019-table4"
        what = "error in %" if quantity == "error" else "features used"
        suffix = "" if variant == "default" else f" · variant {variant}: {VARIANTS[variant].meaning}"
        print_table(
            f"{MEASURES[measure].title}: {what} (mean ± standard error), {source}{suffix}",
            ["dataset", "rows", "folds", "ours", "paper", "diff", "se", "nodes", "seconds", "verdict"],
            rows,
        )
    judged = [entry for entry in comparisons if is_judged(entry)]
    missed = [entry for entry in judged if entry.verdict != "ok"]
    print(f"\n{len(judged) - len(missed)} of {len(judged)} comparisons are ok", end="")
    print(f" (errors within {ERROR_TOLERANCE:g} standard errors, features within {FEATURE_TOLERANCE:g}).")
    for entry in missed:
        print(f"  {entry.dataset}, {entry.measure}, {entry.quantity}: {entry.verdict}")
    for dataset in dict.fromkeys(entry.dataset for entry in judged if entry.variant != entry.shown_under):
        variant, reason = DATA_VERSIONS[dataset]
        print(f"{dataset} is judged as the paper had it (· {variant}):\n  {reason}.")
    print("rows: ours/paper where they differ. Standard errors are sd/√folds, as is the custom; folds of one")
    print("repetition share training data, so they are not independent.")


def is_judged(entry: Comparison) -> bool:
    """Whether the verdict counts: the paper has the number, and the dataset is read as the paper had it.

    A dataset with another version is judged on that version alone, for every measure: taking whichever
    version fits a measure best would explain too much.
    """
    return entry.difference is not None and entry.variant == readings(entry.dataset, entry.shown_under)[-1]


def readings(dataset: str, variant: str) -> list[str]:
    """The variant and, beside the default, the one that reads the dataset as the paper had it."""
    return [variant, DATA_VERSIONS[dataset][0]] if variant == "default" and dataset in DATA_VERSIONS else [variant]


def comparisons_of(results: Results, arguments: argparse.Namespace) -> list[Comparison]:
    """The comparisons that the finished batches allow, in the order of the arguments."""
    found = []
    for variant in arguments.variant:
        for measure in arguments.measures:
            for quantity in ("error", "features") if measure == "baseline" else ("error",):
                for dataset in arguments.datasets:
                    for reading in readings(dataset, variant):
                        repeats = [
                            results[batch]
                            for repeat in range(arguments.repeats)
                            if (batch := Batch(dataset, repeat, measure, reading, arguments.folds)) in results
                        ]
                        if repeats:
                            found.append(compare(dataset, measure, quantity, reading, variant, repeats))
    return found


def _names(known: Mapping[str, object] | tuple[str, ...]) -> Any:
    def parse(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in known]
        if unknown or not names:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)!r}: choose from {', '.join(known)}")
        return names

    return parse


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    meanings = "\n".join(f"  {name:20} {variant.meaning}" for name, variant in VARIANTS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"variants:\n{meanings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = tuple(str(row["dataset"]) for row in published.table("jmlr2019-table1"))
    parser.add_argument("--datasets", type=_names(known), default=list(DATASETS), help="comma-separated names")
    parser.add_argument("--measures", type=_names(MEASURES), default=list(MEASURES), help="comma-separated")
    parser.add_argument("--variant", type=_names(VARIANTS), default=["default"], help="comma-separated")
    parser.add_argument("--repeats", type=int, default=10, help="repetitions of the cross-validation")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1, help="processes; each fold runs on one thread")
    parser.add_argument("--time-limit", type=float, help="seconds per dataset; no new batch starts after it")
    parser.add_argument("--cache", type=Path, help="JSON-lines file of finished batches")
    parser.add_argument("--json", type=Path, help="write the comparisons here")
    parser.add_argument("--csv", type=Path, help="write the comparisons here")
    return parser.parse_args(words)


def run(arguments: argparse.Namespace, results: Results) -> None:
    """Run what the cache lacks; every finished batch goes to the results and to the cache at once."""
    for dataset in arguments.datasets:
        wanted = [
            Batch(dataset, repeat, measure, reading, arguments.folds)
            for repeat in range(arguments.repeats)
            for variant in arguments.variant
            for reading in readings(dataset, variant)
            for measure in arguments.measures
        ]
        missing = list(dict.fromkeys(batch for batch in wanted if batch not in results))
        if not missing:
            continue
        for number, (batch, folds) in enumerate(run_dataset(missing, arguments.jobs, arguments.time_limit), start=1):
            results[batch] = folds
            if arguments.cache is not None:
                record = {"batch": asdict(batch), "folds": [asdict(fold) for fold in folds]}
                with arguments.cache.open("a") as file:
                    file.write(json.dumps(record) + "\n")
            if sys.stderr.isatty():
                print(f"\r\033[K{dataset}: {number}/{len(missing)} batches", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def main() -> int:
    """Run, print, write; 0 if every judged comparison is ok, 1 otherwise, 130 when interrupted."""
    arguments = parse_arguments()
    results = read_cache(arguments.cache)
    interrupted = False
    try:
        run(arguments, results)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted; what was finished follows", file=sys.stderr)
    comparisons = comparisons_of(results, arguments)
    report(comparisons)
    records = [asdict(entry) for entry in comparisons]
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(records, indent=1) + "\n")
    if arguments.csv is not None and records:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(records[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
    if interrupted:
        return 130
    return 0 if all(entry.verdict == "ok" for entry in comparisons if is_judged(entry)) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The options of the command line, one alias each, so that a word means the same in every verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, BadParameter, Option


def not_zero(jobs: int | None) -> int | None:
    """Refuse `--jobs 0`, in the words of the command line."""
    if jobs == 0:
        raise BadParameter("it must not be 0; -1 stands for all cores.")
    return jobs


def of_32_bits(seed: int) -> int:
    """Refuse a `--seed` that the generators of NumPy do not take."""
    if not 0 <= seed < 2**32:
        raise BadParameter(f"it must be at least 0 and at most {2**32 - 1}, not {seed}.")
    return seed


Source = Annotated[
    str,
    Argument(
        metavar="FILE_OR_DATASET",
        help="A CSV, Parquet or ARFF file, or a name of `palmette datasets`.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None, Option(metavar="NAME", help="The column to learn. By default 'class', else the last one.")
]
Drop = Annotated[list[str] | None, Option(metavar="NAME", help="A column to leave out (may be repeated).")]
Categorical = Annotated[
    list[str] | None,
    Option(metavar="NAME", help="A column to be taken as categories (may be repeated)."),
]
Header = Annotated[
    bool, Option("--header/--no-header", help="Whether a CSV file starts with the names of its columns.")
]
Criterion = Annotated[Literal["information_gain", "gain_ratio", "gini"], Option(help="What makes a split good.")]
Growth = Annotated[Literal["c45", "literal"], Option(help="C4.5's rules for splits, or the plain ones of the papers.")]
MinSamples = Annotated[float, Option(help="The least weight of a branch.")]
MaxDepth = Annotated[int | None, Option(help="The greatest depth of the tree.")]
Prune = Annotated[bool, Option("--prune/--no-prune", help="Cut branches back by C4.5's estimate of their errors.")]
Confidence = Annotated[float, Option(help="Confidence of the pruning: a smaller one cuts more.")]
TestSize = Annotated[float, Option(help="Share of the samples held out to measure accuracy; 0 for none.")]
Folds = Annotated[int | None, Option(metavar="FOLDS", help="Also cross-validate with so many folds.")]
Seed = Annotated[int, Option(callback=of_32_bits, help="Seed of the hold-out and of the folds.")]
Jobs = Annotated[int | None, Option(callback=not_zero, help="Threads; -1 for all cores.")]
Rules = Annotated[bool, Option("--rules", help="Print rules in place of the tree.")]
MaxLines = Annotated[int, Option(min=0, help="Lines of the tree to print; 0 for all.")]
JsonOut = Annotated[
    Path | None, Option(metavar="OUT", help="Write the tree as JSON; C45Classifier.from_json reads it.")
]
PlotOut = Annotated[Path | None, Option(metavar="OUT", help="Draw the tree to a .png, .svg or .pdf file.")]
Strategy = Annotated[
    str,
    Option(
        metavar="NAME",
        help="How to search. best: all subsets, with a proof. backward, forward, floating, floating-forward, beam: "
        "features go or come one by one, for tables of thousands. rrf, rboost: trees that avoid new features. "
        "cfs, fcbf: filters, which look at pairs of columns and at no tree. "
        "oblivion: a decision table, pruned. focus: the fewest features that tell the classes apart, with a proof.",
    ),
]
Keep = Annotated[list[str] | None, Option(metavar="NAME", help="A column that must stay (may be repeated).")]
Groups = Annotated[
    list[str] | None,
    Option(metavar="NAMES", help="Columns that stay or go together, such as red,green,blue (may be repeated)."),
]
MaxFeatures = Annotated[int | None, Option(help="The most features to select.")]
MinFeatures = Annotated[int | None, Option(help="The fewest features to select (not for best).")]
Ties = Annotated[
    bool | None,
    Option(
        "--ties/--no-ties",
        help="Whether steps that leave the error as it was are taken; by default they are (not for best).",
        show_default=False,
    ),
]
Unused = Annotated[
    Literal["one_by_one", "together"] | None,
    Option(
        help="How features leave that the tree does not use, for backward; by default one_by_one.", show_default=False
    ),
]
BeamWidth = Annotated[int | None, Option(help="Subsets of each size to go on from, for beam; by default 5.")]
Gap = Annotated[float, Option(help="An error within this of the best is good enough, such as 0.01 (for best).")]
Penalty = Annotated[float, Option(help="What one more feature must earn, such as 0.002 (for best).")]
Error = Annotated[
    Literal["holdout", "training", "cross_validation"], Option(help="On which samples subsets are judged.")
]
SearchSize = Annotated[float, Option(help="Share of the samples that subsets are judged on, for holdout.")]
TimeLimit = Annotated[float | None, Option(metavar="SECONDS", help="When to stop with the best so far.")]
MemoryLimit = Annotated[str | None, Option(metavar="SIZE", help="Memory of the search, such as 2GB.")]
Checkpoint = Annotated[
    Path | None, Option(metavar="FILE", help="Keep the state of the search here, and go on from it (for best).")
]
Trees = Annotated[int | None, Option(help="How many trees share their features; by default 100 (for rrf, rboost).")]
CrossValidation = Annotated[
    int | None,
    Option("--cv", metavar="FOLDS", help="Folds to count errors in; by default leave-one-out (for oblivion)."),
]
NewFeatureWeight = Annotated[
    float | None,
    Option(help="What the gain of a new feature is multiplied by; by default 0.5 (for rrf, rboost)."),
]
SelectTestSize = Annotated[
    float,
    Option("--test-size", help="Share of the samples kept from the search to measure accuracy; 0 for none."),
]
SelectionOut = Annotated[Path | None, Option(metavar="OUT", help="Write the result as JSON.")]
Sources = Annotated[
    list[str],
    Argument(
        metavar="FILE_OR_DATASET...",
        help="CSV, Parquet or ARFF files, or names of `palmette datasets`.",
        show_default=False,
    ),
]
Strategies = Annotated[
    str,
    Option(
        metavar="NAMES",
        help="What to compare, separated by commas: tree, pruned, forest, best, backward, forward, backward-forest and "
        "others; a wrong name lists them all.",
    ),
]
Repeats = Annotated[int, Option(help="How often to cross-validate.")]
CompareFolds = Annotated[int, Option("--folds", help="Folds of each cross-validation.")]
Measures = Annotated[
    str | None,
    Option(
        metavar="NAMES",
        help="What to show, separated by commas: search_error, test_error, n_selected, n_used, stability, seconds, "
        "cpu_seconds, n_trees.",
    ),
]
CacheFolder = Annotated[
    Path | None, Option("--cache", metavar="FOLDER", help="Keep finished trials here, and go on from them.")
]
CompareTimeLimit = Annotated[
    float | None, Option("--time-limit", metavar="SECONDS", help="When to stop with the trials that are done.")
]
TrialTimeLimit = Annotated[
    float | None, Option(metavar="SECONDS", help="When a search stops with the best so far, in each trial.")
]
CompareJobs = Annotated[int | None, Option("--jobs", callback=not_zero, help="Trials at a time; -1 for all cores.")]
ComparisonOut = Annotated[
    Path | None,
    Option("--json", metavar="OUT", help="Write the result as JSON; Comparison.from_json reads it."),
]
ComparisonPlotOut = Annotated[
    Path | None, Option("--plot", metavar="OUT", help="Draw the result to a .png, .svg or .pdf file.")
]

ReportOut = Annotated[
    Path | None,
    Option(metavar="PAGE", help="Write a report as one HTML page, to show or to print.", show_default=False),
]
ReportSeconds = Annotated[
    float,
    Option(
        metavar="SECONDS",
        min=0,
        help="What the report may take to ask what features cost to drop, for alternatives, and for stability.",
    ),
]


def check_output(option: str, path: Path | None) -> None:
    """What can be known to fail is said before the work, not after it."""
    if path is not None and path.is_dir():
        raise ValueError(f"{option}: '{path}' is a directory; name a file in it.")
    if path is not None and not path.absolute().parent.is_dir():
        raise ValueError(f"{option}: there is no folder '{path.parent}'.")


def check_apart(sources: Sequence[str], outputs: Mapping[str, Path | None]) -> None:
    """Refuse an output that would be written over a table that is read, or over another output."""
    written: list[tuple[str, Path]] = []
    for option, path in outputs.items():
        # What is no file, such as /dev/null, takes any number of outputs.
        if path is None or (path.exists() and not path.is_file()):
            continue
        if any(_same_file(_table(source), path) for source in sources):
            raise ValueError(f"{option}: '{path}' is the table that is read; name another file.")
        for other, earlier in written:
            if _same_file(earlier, path):
                raise ValueError(f"{other} and {option} both name '{path}'; name a file for each.")
        written.append((option, path))


def _table(source: str) -> Path:
    """The file that a table is read from, also where a dataset of the user's folder is named."""
    from palmette.datasets import file_of

    path = Path(source)
    return path if path.exists() else file_of(source) or path


def _same_file(first: Path, second: Path) -> bool:
    """Whether two paths lead to one file, which need not be there yet."""
    if first.exists() and second.exists():
        return first.samefile(second)
    return first.resolve() == second.resolve()


PICTURES = (".png", ".svg", ".pdf")


def check_picture(option: str, path: Path | None) -> None:
    """The same for a drawing: its kind must be known, and matplotlib must be there."""
    check_output(option, path)
    if path is None:
        return
    from importlib.util import find_spec

    if path.suffix.lower() not in PICTURES:
        raise ValueError(f"{option}: '{path}' must end in {', '.join(PICTURES)}.")
    if find_spec("matplotlib") is None:
        raise ValueError(f"{option} needs matplotlib: install it with pip install 'palmette[plot]'.")

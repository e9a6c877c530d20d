"""The options of the command line, one alias each, so that a word means the same in every verb."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

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
Seed = Annotated[int, Option(min=0, help="Seed of the hold-out and of the folds.")]
Jobs = Annotated[int | None, Option(help="Threads; -1 for all cores.")]
Rules = Annotated[bool, Option("--rules", help="Print rules in place of the tree.")]
MaxLines = Annotated[int, Option(min=0, help="Lines of the tree to print; 0 for all.")]
JsonOut = Annotated[
    Path | None, Option(metavar="OUT", help="Write the tree as JSON; C45Classifier.from_json reads it.")
]
PlotOut = Annotated[Path | None, Option(metavar="OUT", help="Draw the tree to a .png, .svg or .pdf file.")]

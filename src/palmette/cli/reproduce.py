"""`palmette reproduce`: a table or figure of a paper, ours beside the published numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from palmette.cli.options import check_apart, check_output, check_picture, not_zero, of_32_bits
from palmette.cli.screen import live_bar, remark, results

if TYPE_CHECKING:
    from palmette.support.progress import Progress as Report

STOPPED = 130

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A name of `palmette reproduce --list`.", show_default=False),
]
List = Annotated[bool, typer.Option("--list", help="List the studies, each with the command of a short version.")]
Datasets = Annotated[
    str | None, typer.Option(metavar="A,B", help="Some of the study's datasets; by default all that are there.")
]
Repeats = Annotated[int | None, typer.Option(help="Repetitions of the cross-validation; by default the paper's.")]
Folds = Annotated[int | None, typer.Option(help="Folds of the cross-validation; by default the paper's.")]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="For the whole study; the rest is shown as over the limit.")
]
TrialLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="For one fit, such as one complete search on one fold.")
]
Jobs = Annotated[
    int, typer.Option(callback=not_zero, help="Processes for errors, threads for times; -1 for all cores.")
]
Seed = Annotated[int, typer.Option(callback=of_32_bits, help="Seed of the folds and of the forests.")]
Cache = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Keeps what is done: a stopped run goes on, and studies share it."),
]
CsvOut = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rows as CSV.")]
PlotOut = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it to a .png, .svg or .pdf file.")]
JsonOut = Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")]


def reproduce(
    name: Name = None,
    list_studies: List = False,
    datasets: Datasets = None,
    repeats: Repeats = None,
    folds: Folds = None,
    time_limit: TimeLimit = None,
    trial_limit: TrialLimit = None,
    jobs: Jobs = 1,
    seed: Seed = 0,
    cache: Cache = None,
    csv: CsvOut = None,
    plot: PlotOut = None,
    json: JsonOut = None,
) -> None:
    """Rebuild a table or figure of a paper, and print ours beside the published numbers."""
    if list_studies:
        _list()
        return
    if name is None:
        raise ValueError("Name a table or figure, such as jmlr2019-table2; palmette reproduce --list shows all.")
    for option, path in (("--csv", csv), ("--json", json)):
        check_output(option, path)
    check_picture("--plot", plot)
    check_apart([], {"--csv": csv, "--json": json, "--plot": plot})

    from palmette.reproduce import find, run

    study = find(name)
    asked = None if datasets is None else [part for part in datasets.split(",") if part.strip()]
    with _progress():
        result = run(
            study,
            datasets=asked,
            repeats=repeats,
            folds=folds,
            time_limit=time_limit,
            trial_limit=trial_limit,
            n_jobs=jobs,
            random_state=seed,
            cache=cache,
        )
    console = results()
    console.print(Text(result.table(console.width)), soft_wrap=True)
    if csv:
        result.to_csv(csv)
        remark(f"Wrote {csv}.")
    if json:
        result.to_json(json)
        remark(f"Wrote {json}.")
    if plot:
        result.plot(plot)
        remark(f"Wrote {plot}.")
    if result.interrupted:
        raise typer.Exit(STOPPED)


def _list() -> None:
    from palmette.reproduce import studies

    console, shown = results(), studies()
    width = max(len(study.name) for study in shown)
    for study in shown:
        # Not a table: its cells would be cut or folded, and a command is there to be copied.
        title = Text.assemble((study.name.ljust(width), "cyan"), "  ", study.title)
        command = Text(f"    palmette reproduce {study.name} {study.short}", style="dim")
        console.print(title, soft_wrap=True)
        console.print(command, soft_wrap=True)
    remark("Each command is a study in about a minute; without the options after the name it is as the paper has it.")


@contextmanager
def _progress() -> Iterator[None]:
    """A live line on stderr: the share done, and what is being done."""
    from palmette.support.progress import listening

    columns = (BarColumn(bar_width=20), TextColumn("{task.description}"), TimeElapsedColumn())
    with live_bar(*columns) as bar:
        task = bar.add_task("", total=1.0)

        def show(report: Report) -> None:
            share = report.share if math.isfinite(report.share) else 0.0
            bar.update(task, completed=share, description=report.message)

        with listening(show):
            yield

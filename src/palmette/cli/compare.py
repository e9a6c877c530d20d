"""`palmette compare`: strategies side by side on the same samples of one or more tables.

`palmette.comparison` does the work; this file reads, watches and shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from palmette.cli import options
from palmette.cli.problem import Problem, read_problem
from palmette.cli.screen import command_line, harmless, live_bar, remark, results
from palmette.cli.select import STOPPED


def compare(
    sources: options.Sources,
    target: options.Target = None,
    strategies: options.Strategies = "tree,pruned,backward,forest",
    repeats: options.Repeats = 10,
    folds: options.CompareFolds = 10,
    search_size: options.SearchSize = 0.3,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    cache: options.CacheFolder = None,
    time_limit: options.CompareTimeLimit = None,
    trial_time_limit: options.TrialTimeLimit = None,
    measures: options.Measures = None,
    seed: options.Seed = 0,
    jobs: options.CompareJobs = None,
    json: options.ComparisonOut = None,
    plot: options.ComparisonPlotOut = None,
    report: options.ReportOut = None,
    header: options.Header = True,
) -> None:
    """Compare ways to select features, and trees and forests without: repeated cross-validation, same folds for all."""
    options.check_output("--json", json)
    options.check_output("--report", report)
    options.check_picture("--plot", plot)
    options.check_apart(sources, {"--json": json, "--plot": plot, "--report": report})
    problems = [
        read_problem(source, target, drop or [], categorical or [], header=header) for source in dict.fromkeys(sources)
    ]

    from palmette.comparison import compare as run
    from palmette.comparison.strategies import read_strategies
    from palmette.comparison.table import read_measures

    estimators = read_strategies([name.strip() for name in strategies.split(",") if name.strip()])
    shown = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    read_measures(shown)
    tables = {}
    for problem in problems:
        for note in problem.notes:
            remark(f"{problem.name}: {note}" if len(problems) > 1 else note)
        if problem.name in tables:
            raise ValueError(f"Two of the tables are called '{problem.name}'; give one another name.")
        tables[problem.name] = (_nominal(problem, categorical or []), problem.y)
    with _progress():
        comparison = run(
            estimators,
            tables,
            repeats=repeats,
            folds=folds,
            search_size=search_size,
            random_state=seed,
            cache=cache,
            time_limit=time_limit,
            trial_time_limit=trial_time_limit,
            n_jobs=jobs,
        )
    console = results()
    console.print(Text(harmless(comparison.table(shown, width=max(20, console.width)))), soft_wrap=True)
    console.print()
    console.print(Text(harmless(comparison.summary()), style="dim"))
    if json:
        comparison.to_json(json)
        remark(f"Wrote {json}.")
    if plot:
        import matplotlib

        matplotlib.use("agg")
        figure: Any = comparison.plot().figure
        figure.savefig(plot, bbox_inches="tight", dpi=150)
        remark(f"Wrote {plot}.")
    if report:
        from palmette import write_report

        notes = [f"{problem.name}: {note}" for problem in problems for note in problem.notes]
        write_report(comparison, report, notes=notes, command=command_line())
        remark(f"Wrote {report}.")
    if comparison.status == "interrupted":
        if cache is not None:
            remark(f"The same command goes on from the trials in {cache}.")
        raise typer.Exit(STOPPED)


def _nominal(problem: Problem, categorical: list[str]) -> Any:
    """The table with the named columns as text, which every tree takes as categories."""
    import pyarrow as pa

    table = problem.X
    for name in categorical:
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, table.column(name).cast(pa.string()))
    return table


@contextmanager
def _progress() -> Iterator[None]:
    """A live line on stderr: trials done, what is at work, time left."""
    from palmette.support.progress import listening

    columns = (
        BarColumn(bar_width=20),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TextColumn("· left"),
        TimeRemainingColumn(),
    )
    with live_bar(*columns) as bar:
        task = bar.add_task("reading", total=1.0)
        n_failed = 0

        def advance(report: Any) -> None:
            nonlocal n_failed
            if report.trial is not None:
                n_failed += report.trial.failed
            words = [f"{report.n_done} of {report.n_trials} trials", report.message]
            if n_failed:
                words.append(f"{n_failed} failed")
            bar.update(task, completed=report.share, description=" · ".join(words))

        with listening(advance):
            yield

"""`palmette select`: finds the features that a tree needs, tells what is known of them, and shows the tree.

`strategies.py` lists the ways to search, `telling.py` says what is known of each; this file reads, watches and shows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from palmette.cli import options
from palmette.cli.holding_out import check_test_size, hold_out
from palmette.cli.problem import Problem, read_problem, require_column
from palmette.cli.screen import command_line, harmless, live_bar, progress_bar, remark, results
from palmette.cli.strategies import STRATEGIES, Request, Strategy
from palmette.cli.telling import HeldOut, Telling
from palmette.support.interruption import finishing
from palmette.support.strict_json import strict_json

if TYPE_CHECKING:
    from palmette import C45Classifier
    from palmette.support.progress import Progress as Report

STOPPED = 130


def select(
    source: options.Source,
    target: options.Target = None,
    strategy: options.Strategy = "best",
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    keep: options.Keep = None,
    groups: options.Groups = None,
    max_features: options.MaxFeatures = None,
    min_features: options.MinFeatures = None,
    ties: options.Ties = None,
    unused: options.Unused = None,
    beam_width: options.BeamWidth = None,
    gap: options.Gap = 0.0,
    penalty: options.Penalty = 0.0,
    error: options.Error = "holdout",
    search_size: options.SearchSize = 0.3,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    checkpoint: options.Checkpoint = None,
    trees: options.Trees = None,
    new_feature_weight: options.NewFeatureWeight = None,
    cv: options.CrossValidation = None,
    criterion: options.Criterion = "information_gain",
    growth: options.Growth = "c45",
    min_samples: options.MinSamples = 2,
    max_depth: options.MaxDepth = None,
    prune: options.Prune = False,
    confidence: options.Confidence = 0.25,
    test_size: options.SelectTestSize = 0.0,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    max_lines: options.MaxLines = 100,
    json: options.SelectionOut = None,
    report: options.ReportOut = None,
    report_seconds: options.ReportSeconds = 30.0,
    header: options.Header = True,
) -> None:
    """Find the features that a C4.5 tree needs: the best of all subsets, proved, or a good one at once."""
    way = _strategy(strategy)
    for option, path in (("--json", json), ("--report", report)):
        options.check_output(option, path)
    options.check_apart([source], {"--json": json, "--report": report, "--checkpoint": checkpoint})
    check_test_size(test_size)
    problem = read_problem(source, target, drop or [], categorical or [], header=header)

    from palmette import C45Classifier
    from palmette.search.units import MOST_UNITS

    for note in problem.notes:
        remark(note)
    names = problem.X.column_names
    for name in keep or []:
        require_column(names, name, "--keep", problem.name)

    if strategy == "best" and not groups and len(names) > MOST_UNITS:
        raise ValueError(
            f"'{problem.name}' has {len(names):,} features, but a complete search takes at most {MOST_UNITS:,}: "
            "--strategy backward takes any number."
        )

    tree = C45Classifier(
        criterion=criterion,
        growth=growth,
        min_samples=int(min_samples) if float(min_samples).is_integer() else min_samples,
        max_depth=max_depth,
        pruning="error_based" if prune else None,
        confidence=confidence,
        categorical_features=problem.present(categorical) or "from_dtype",
    )
    request = Request(
        tree=tree,
        error=error,
        search_size=search_size,
        error_gap=gap,
        feature_penalty=penalty,
        keep=keep or None,
        groups=_read_groups(groups or [], names, problem.name),
        max_features=max_features,
        min_features=min_features,
        accept_ties=ties,
        unused=unused,
        beam_width=beam_width,
        time_limit=time_limit,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        n_estimators=trees,
        new_feature_weight=new_feature_weight,
        cv=cv,
        n_jobs=jobs,
        random_state=seed,
    )
    train, test = _split(problem, test_size, seed)
    selector = way.make(request)
    start = time.perf_counter()
    with _progress():
        selector.fit(problem.X.take(train), problem.y[train])
    seconds = time.perf_counter() - start
    told = way.telling(selector, lambda: _grow(tree, selector, problem, train), seconds)
    held_out = _held_out(told, tree, problem, train, test)
    # What is found is not lost any more: Ctrl-C cuts the questions of the report short, and the files are written.
    with finishing() as interruption:
        _show(problem, told, held_out, max_lines)
        if json:
            text = strict_json(_as_data(problem, strategy, told, held_out), indent=2)
            json.write_text(text + "\n", encoding="utf-8")
            remark(f"Wrote {json}.")
        if report:
            _report(report, problem, told, held_out, train, test, report_seconds, seed)
            cut_short = ", cut short by Ctrl-C: what was not asked is missing" if interruption.cut_short else ""
            remark(f"Wrote {report}{cut_short}.")
    if interruption.came or selector.status_ == "interrupted":
        raise typer.Exit(STOPPED)


def _strategy(name: str) -> Strategy:
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise ValueError(f"--strategy: there is no '{name}'; there is {known}.")
    return STRATEGIES[name]


def _read_groups(texts: list[str], names: list[str], file: str) -> list[list[str]] | None:
    """Each text is one group: names separated by commas, perhaps after a title and an equals sign."""
    groups = []
    for text in texts:
        listed = text if text in names or "=" not in text else text.split("=", 1)[1]
        members = [name.strip() for name in listed.split(",") if name.strip()]
        for name in members:
            require_column(names, name, "--groups", file)
        groups.append(members)
    return groups or None


def _split(problem: Problem, test_size: float, seed: int) -> tuple[Any, Any]:
    """The rows for the search, and those that it never sees."""
    import numpy as np

    everyone = np.arange(len(problem.y))
    if test_size == 0:
        return everyone, everyone[:0]
    held_out = hold_out(problem.y, test_size, seed)
    return held_out.train, held_out.test


@contextmanager
def _progress() -> Iterator[None]:
    """A live line on stderr while a search works: share closed, trees, incumbent, bound."""
    from palmette.support.progress import listening

    columns = (BarColumn(bar_width=10), TextColumn("{task.description}"), TimeElapsedColumn())
    with live_bar(*columns) as bar:
        task = bar.add_task("searching", total=1.0)

        def advance(report: Report) -> None:
            bar.update(task, completed=report.share, description=_progress_words(report))

        with listening(advance):
            yield


def _progress_words(report: Any) -> str:
    bounded = getattr(report, "bound", -math.inf) > -math.inf
    words = [f"{report.share:.1%} {'closed' if bounded else 'done'}"]
    words.append(f"{report.trees:,} tree{'' if report.trees == 1 else 's'}" if report.trees else report.message)
    error = getattr(report, "error", math.nan)
    if error == error:
        words.append(f"best {error:.2%}, {report.n_features} feature{'' if report.n_features == 1 else 's'}")
        if bounded:
            words.append(f"bound {report.bound:.2%}")
    return " · ".join(words)


def _grow(tree: C45Classifier, selector: Any, problem: Problem, train: Any) -> C45Classifier:
    """A tree of the selected features."""
    from sklearn.base import clone

    chosen = selector.get_feature_names_out().tolist()
    final: C45Classifier = clone(tree)
    if not isinstance(tree.categorical_features, str):
        final.set_params(categorical_features=[name for name in tree.categorical_features if name in chosen])
    if not chosen:
        # No table has no columns; a tree of depth 0 asks for none.
        chosen = problem.X.column_names[:1]
        final.set_params(max_depth=0, categorical_features="from_dtype")
    return final.fit(problem.X.take(train).select(chosen), problem.y[train])


def _held_out(told: Telling, tree: C45Classifier, problem: Problem, train: Any, test: Any) -> HeldOut | None:
    """The errors on the test samples; None if none were held out."""
    if len(test) == 0:
        return None
    from sklearn.base import clone

    from palmette.search.guidance import held_out_error

    full = clone(tree).fit(problem.X.take(train), problem.y[train])
    X, y = problem.X.take(test), problem.y[test]
    selected = told.tree.predict(X.select(told.tree.feature_names_in_.tolist()))
    own = held_out_error(y, told.selector.predict(X)) if told.own_model else None
    return HeldOut(held_out_error(y, selected), held_out_error(y, full.predict(X)), own)


def _report(
    path: Path,
    problem: Problem,
    told: Telling,
    held_out: HeldOut | None,
    train: Any,
    test: Any,
    seconds: float,
    seed: int,
) -> None:
    from palmette import write_report

    selector, facts = told.selector, []
    if held_out is not None:
        if held_out.own is not None:
            facts.append(("A tree of these", str(held_out.selected), "held-out error"))
        facts.append(("With all features", str(held_out.everything), "held-out error of a tree, for comparison"))
    with progress_bar() as step, step("Asking more for the report"):
        write_report(
            selector,
            path,
            problem.X.take(train),
            problem.y[train],
            X_test=problem.X.take(test) if held_out else None,
            y_test=problem.y[test] if held_out else None,
            source=problem.name,
            target=problem.target,
            notes=problem.notes,
            facts=facts,
            tree=told.tree,
            command=command_line(),
            # Who stopped the search is not asked to wait for more.
            time_limit=0.0 if selector.status_ == "interrupted" else seconds,
            random_state=seed,
        )


def _show(problem: Problem, told: Telling, held_out: HeldOut | None, max_lines: int) -> None:
    console, selector = results(), told.selector
    rows, features = problem.X.shape
    size = f": {rows} samples, {features} features, {len(selector.classes_)} classes of '{problem.target}'"
    console.print(Text.assemble((harmless(problem.name), "bold"), harmless(size)), soft_wrap=True)
    console.print()

    chosen = selector.get_feature_names_out().tolist()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    listed = harmless(", ".join(chosen)) if chosen else "none: the tree is a single leaf"
    table.add_row("features", Text(listed, style="cyan"))
    for name, words in told.rows():
        table.add_row(name, Text(harmless(words), style="cyan" if name == "search error" else ""))
    table.add_row("status", selector.status_.replace("_", " "))
    if held_out:
        n_samples = held_out.selected.n_samples
        words = f"{held_out.selected} of {n_samples} samples; with all features {held_out.everything}"
        table.add_row("held-out error", words)
        if held_out.own:
            table.add_row(f"of the {told.own_model}", str(held_out.own))
    console.print(table)
    console.print()

    lines = told.model().split("\n")
    shown = lines[:max_lines] if max_lines else lines
    console.print(Text("\n").join(shown), soft_wrap=True)
    if len(shown) < len(lines):
        console.print(f"… {len(lines) - len(shown)} more lines (--max-lines 0 shows all)")
    console.print()
    console.print(Text(harmless(told.summary(held_out)), style="dim"))


def _as_data(problem: Problem, strategy: str, told: Telling, held_out: HeldOut | None) -> dict[str, Any]:
    """The result as plain data; the tree is as `palmette tree --json` writes it."""
    return {
        "source": problem.name,
        "target": problem.target,
        "strategy": strategy,
        "features": told.selector.get_feature_names_out().tolist(),
        "n_features_in": told.selector.n_features_in_,
        "status": told.selector.status_,
        **told.data(),
        "held_out": None if held_out is None else _held_out_data(held_out),
        "summary": told.summary(held_out),
        "tree": told.tree_data(),
    }


def _held_out_data(held_out: HeldOut) -> dict[str, Any]:
    own = {} if held_out.own is None else {"error_of_own_model": held_out.own.error}
    return {
        "samples": held_out.selected.n_samples,
        "error": held_out.selected.error,
        "standard_error": held_out.selected.standard_error,
        "error_with_all_features": held_out.everything.error,
        **own,
    }

"""`palmette select`: finds the features that a tree needs, tells what is known of them, and shows the tree.

`strategies.py` lists the ways to search; this file reads, watches and shows.
"""

from __future__ import annotations

import json as json_format
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from palmette.cli import options
from palmette.cli.problem import Problem, read_problem, require_column
from palmette.cli.screen import colored_tree, remark, remarks, results
from palmette.cli.strategies import STRATEGIES, Request

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
    header: options.Header = True,
) -> None:
    """Find the features that a C4.5 tree needs: the best of all subsets, proved, or a good one at once."""
    make = _strategy(strategy)
    options.check_output("--json", json)
    if not 0 <= test_size < 1:
        raise ValueError(f"--test-size must be at least 0 and less than 1, not {test_size:g}.")
    problem = read_problem(source, target, drop or [], categorical or [], header=header)

    from palmette import C45Classifier

    for note in problem.notes:
        remark(note)
    names = problem.X.column_names
    for name in keep or []:
        require_column(names, name, "--keep", problem.name)

    tree = C45Classifier(
        criterion=criterion,
        growth=growth,
        min_samples=int(min_samples) if float(min_samples).is_integer() else min_samples,
        max_depth=max_depth,
        pruning="error_based" if prune else None,
        confidence=confidence,
        categorical_features=[name for name in categorical or [] if name in names] or "from_dtype",
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
    selector = make(request)
    start = time.perf_counter()
    with _progress():
        selector.fit(problem.X.take(train), problem.y[train])
    seconds = time.perf_counter() - start
    final = _final_tree(selector, tree, problem, train)
    scores = _scores(selector, final, tree, problem, train, test)
    _show(problem, selector, final, scores, max_lines)
    if json:
        text = json_format.dumps(_as_data(problem, strategy, selector, final, scores, seconds), indent=2)
        json.write_text(text + "\n", encoding="utf-8")
        remark(f"Wrote {json}.")
    if selector.status_ == "interrupted":
        raise typer.Exit(STOPPED)


def _strategy(name: str) -> Any:
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
    from sklearn.model_selection import train_test_split

    everyone = np.arange(len(problem.y))
    if test_size == 0:
        return everyone, everyone[:0]
    stratified = np.unique(problem.y, return_counts=True)[1].min() >= 2
    try:
        train, test = train_test_split(
            everyone, test_size=test_size, random_state=seed, stratify=problem.y if stratified else None
        )
    except ValueError as error:
        raise ValueError(f"--test-size {test_size:g} of {len(everyone)} samples: {error}") from None
    return np.sort(train), np.sort(test)


@contextmanager
def _progress() -> Iterator[None]:
    """A live line on stderr while a search works: share closed, trees, incumbent, bound; warnings as remarks."""
    import warnings

    from palmette.support.progress import listening

    columns = (BarColumn(bar_width=10), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        Progress(*columns, console=remarks(), transient=True) as bar,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        task = bar.add_task("searching", total=1.0)
        told = 0

        def advance(report: Report) -> None:
            nonlocal told
            bar.update(task, completed=report.share, description=_progress_words(report))
            while told < len(caught):
                bar.console.print(Text(str(caught[told].message), style="yellow"), soft_wrap=True)
                told += 1

        with listening(advance):
            yield
    for warning in caught[told:]:
        remark(str(warning.message))


def _progress_words(report: Any) -> str:
    bounded = getattr(report, "bound", -math.inf) > -math.inf
    words = [f"{report.share:.1%} {'closed' if bounded else 'done'}"]
    words.append(f"{report.trees:,} trees" if report.trees else report.message)
    error = getattr(report, "error", math.nan)
    if error == error:
        words.append(f"best {error:.2%}, {report.n_features} features")
        if bounded:
            words.append(f"bound {report.bound:.2%}")
    return " · ".join(words)


def _final_tree(selector: Any, tree: C45Classifier, problem: Problem, train: Any) -> C45Classifier:
    """The tree of the selected features: the selector's own, or one grown now."""
    if hasattr(selector, "estimator_"):
        found: C45Classifier = selector.estimator_
        return found
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


def _scores(
    selector: Any, final: C45Classifier, tree: C45Classifier, problem: Problem, train: Any, test: Any
) -> dict[str, float]:
    """Accuracies on the samples that the search never saw; none if none were held out."""
    if len(test) == 0:
        return {}
    from sklearn.base import clone

    full = clone(tree).fit(problem.X.take(train), problem.y[train])
    X, y = problem.X.take(test), problem.y[test]
    selected = X.select(final.feature_names_in_.tolist())
    scores = {
        "selected": float((final.predict(selected) == y).mean()),
        "all": float((full.predict(X) == y).mean()),
        "samples": len(test),
    }
    for attribute, name in (("trees_", "ensemble"), ("table_", "table")):
        if hasattr(selector, attribute):
            scores[name] = float((selector.predict(X) == y).mean())
    return scores


def _show(problem: Problem, selector: Any, final: C45Classifier, scores: dict[str, float], max_lines: int) -> None:
    from palmette.tree.wording import printable

    console = results()
    rows, features = problem.X.shape
    size = f": {rows} samples, {features} features, {len(selector.classes_)} classes of '{problem.target}'"
    console.print(Text.assemble((problem.name, "bold"), size), soft_wrap=True)
    console.print()

    chosen = selector.get_feature_names_out().tolist()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("features", Text(", ".join(chosen) if chosen else "none: the tree is a single leaf", style="cyan"))
    if hasattr(selector, "error_"):
        table.add_row("search error", Text(f"{selector.error_:.2%}", style="cyan"))
    if hasattr(selector, "error_bound_"):
        table.add_row("proved", _proved(selector))
    elif hasattr(selector, "size_bound_"):
        table.add_row("proved", f"no set of fewer than {selector.size_bound_} tells the classes apart")
    else:
        table.add_row("way", _way(selector))
    table.add_row("status", selector.status_.replace("_", " "))
    if scores:
        words = f"{scores['selected']:.1%} of {scores['samples']} samples; with all features {scores['all']:.1%}"
        table.add_row("held-out accuracy", words)
    for name in ("ensemble", "table"):
        if name in scores:
            table.add_row(f"of the {name}", f"{scores[name]:.1%}")
    console.print(table)
    console.print()

    classes = [printable(label) for label in selector.classes_.tolist()]
    if hasattr(selector, "table_"):
        lines = Text(selector.to_text(max_cells=None)).split("\n")
    else:
        lines = colored_tree(final.to_text(), classes).split("\n")
    shown = lines[:max_lines] if max_lines else lines
    console.print(Text("\n").join(shown), soft_wrap=True)
    if len(shown) < len(lines):
        console.print(f"… {len(lines) - len(shown)} more lines (--max-lines 0 shows all)")
    console.print()
    console.print(Text(selector.summary(), style="dim"))


def _proved(selector: Any) -> str:
    if selector.error_bound_ <= 0 and selector.status_ not in ("optimal", "within_gap"):
        return "nothing yet"
    what = "error" if selector.objective_ == selector.error_ else "error plus penalty"
    return f"no subset has an {what} below {selector.error_bound_:.2%}"


def _way(selector: Any) -> str:
    if hasattr(selector, "trees_"):
        return _entries(selector)
    if hasattr(selector, "symmetric_uncertainty_"):
        return str(selector.way())
    first = selector.history_[0]
    steps = len(selector.history_) - 1
    return (
        f"{steps:,} step{'' if steps == 1 else 's'} from {first.n_features:,} features with an error of "
        f"{first.error:.2%}; {_judged(selector)}"
    )


def _judged(selector: Any) -> str:
    """How many trees or tables were looked at."""
    return f"{selector.n_tables_:,} tables" if hasattr(selector, "table_") else f"{selector.n_trees_:,} trees"


def _entries(selector: Any) -> str:
    """The order of entry, of the first few."""
    entries = [f"{entry.feature} (tree {entry.tree + 1}, gain {entry.gain:.3g})" for entry in selector.history_[:5]]
    more = len(selector.history_) - len(entries)
    words = f"{len(selector.trees_):,} trees; first came {', '.join(entries) if entries else 'none'}"
    return f"{words} and {more} more" if more > 0 else words


def _as_data(
    problem: Problem, strategy: str, selector: Any, final: C45Classifier, scores: dict[str, float], seconds: float
) -> dict[str, Any]:
    """The result as plain data; the tree is as `palmette tree --json` writes it."""
    return {
        "source": problem.name,
        "target": problem.target,
        "strategy": strategy,
        "features": selector.get_feature_names_out().tolist(),
        "n_features_in": selector.n_features_in_,
        **({"error": selector.error_} if hasattr(selector, "error_") else {}),
        **_bounds(selector),
        "status": selector.status_,
        **_effort(selector),
        "seconds": getattr(selector, "search_seconds_", seconds),
        "held_out": scores or None,
        "summary": selector.summary(),
        "history": _history(selector),
        "tree": json_format.loads(final.to_json()),
        **_table(selector),
    }


def _table(selector: Any) -> dict[str, Any]:
    """The decision table, where there is one."""
    if not hasattr(selector, "table_"):
        return {}
    classes = selector.classes_.tolist()
    cells = [
        {"values": list(cell.values), "weights": list(cell.class_weights), "class": classes[label]}
        for cell, label in zip(selector.table_, selector.table_.class_weights.argmax(axis=1).tolist(), strict=True)
    ]
    return {"table": {"features": list(selector.table_.features), "classes": classes, "cells": cells}}


def _effort(selector: Any) -> dict[str, int]:
    """What was built on the way, as far as the strategy counts it."""
    if hasattr(selector, "trees_"):
        return {"n_trees": len(selector.trees_)}
    counted = {"n_trees": "n_trees_", "n_tables": "n_tables_"}
    return {name: getattr(selector, attribute) for name, attribute in counted.items() if hasattr(selector, attribute)}


def _bounds(selector: Any) -> dict[str, float]:
    """What a complete search proves; nothing for the others."""
    if hasattr(selector, "size_bound_"):
        return {"size_bound": selector.size_bound_, "n_inseparable": selector.n_inseparable_}
    if not hasattr(selector, "error_bound_"):
        return {}
    return {"error_bound": selector.error_bound_, "objective": selector.objective_}


def _history(selector: Any) -> list[dict[str, Any]]:
    if not hasattr(selector, "history_"):
        return []
    if hasattr(selector, "error_bound_"):
        return [
            {"seconds": step.seconds, "error": step.error, "bound": step.bound, "features": list(step.features)}
            for step in selector.history_
        ]
    if hasattr(selector, "trees_"):
        return [asdict(entry) for entry in selector.history_]
    if hasattr(selector, "symmetric_uncertainty_"):
        return [asdict(step) for step in selector.history_]
    # The features of all the steps may be millions of names; what was removed and added says the same.
    return [
        {
            "seconds": step.seconds,
            "error": step.error,
            "removed": list(step.removed),
            "added": list(step.added),
            "n_features": step.n_features,
            "trees_built": step.trees_built,
        }
        for step in selector.history_
    ]

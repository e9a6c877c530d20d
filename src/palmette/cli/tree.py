"""`palmette tree`: grows a tree on a file or a dataset, shows it, and measures it on held-out samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from palmette.cli import options
from palmette.cli.holding_out import check_test_size, hold_out
from palmette.cli.problem import Problem, read_problem
from palmette.cli.screen import colored_tree, command_line, harmless, progress_bar, remark, results

if TYPE_CHECKING:
    from palmette import C45Classifier


Step = Callable[[str], Any]

NOT_MEASURED = "–"


class Score(NamedTuple):
    """A line of the table of accuracies."""

    name: str
    value: str
    how: str = ""


def tree(
    source: options.Source,
    target: options.Target = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    criterion: options.Criterion = "information_gain",
    growth: options.Growth = "c45",
    min_samples: options.MinSamples = 2,
    max_depth: options.MaxDepth = None,
    prune: options.Prune = False,
    confidence: options.Confidence = 0.25,
    test_size: options.TestSize = 0.3,
    cv: options.Folds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    rules: options.Rules = False,
    max_lines: options.MaxLines = 100,
    json: options.JsonOut = None,
    plot: options.PlotOut = None,
    report: options.ReportOut = None,
    header: options.Header = True,
) -> None:
    """Grow a C4.5 tree, show it, and measure it on held-out samples."""
    options.check_output("--json", json)
    options.check_output("--report", report)
    options.check_picture("--plot", plot)
    options.check_apart([source], {"--json": json, "--plot": plot, "--report": report})
    _check_shares(test_size, cv)
    problem = read_problem(source, target, drop or [], categorical or [], header=header)

    from palmette import C45Classifier

    for note in problem.notes:
        remark(note)

    untrained = C45Classifier(
        criterion=criterion,
        growth=growth,
        min_samples=int(min_samples) if float(min_samples).is_integer() else min_samples,
        max_depth=max_depth,
        pruning="error_based" if prune else None,
        confidence=confidence,
        categorical_features=problem.present(categorical) or "from_dtype",
        n_jobs=jobs,
    )
    with progress_bar() as step:
        classifier = _grown(untrained, problem.X, problem.y, step("Growing the tree"))
        scores = [_training(classifier, problem)]
        if test_size:
            scores.append(_holdout(untrained, problem, test_size, seed, step))
        if cv:
            scores.append(_cross_validation(untrained, problem, cv, seed, step))

    if json:
        classifier.to_json(json)
    if plot:
        _draw(classifier, plot)
    if report:
        _report(report, problem, classifier, scores)
    _show(problem, classifier, scores, rules, max_lines)
    for written in filter(None, (json, plot, report)):
        remark(f"Wrote {written}.")


def _check_shares(test_size: float, cv: int | None) -> None:
    check_test_size(test_size)
    if cv is not None and cv < 2:
        raise ValueError(f"--cv needs at least 2 folds, not {cv}.")


def _grown(untrained: C45Classifier, X: Any, y: Any, step: Any) -> C45Classifier:
    from sklearn.base import clone

    with step:
        classifier: C45Classifier = clone(untrained).fit(X, y)
    return classifier


def _accuracy(classifier: C45Classifier, X: Any, y: Any) -> float:
    return float((classifier.predict(X) == y).mean())


def _training(classifier: C45Classifier, problem: Problem) -> Score:
    share = _accuracy(classifier, problem.X, problem.y)
    return Score("training", f"{share:.1%}", f"of the {len(problem.y)} samples on which it was grown")


def _holdout(untrained: C45Classifier, problem: Problem, test_size: float, seed: int, step: Step) -> Score:
    train, test, stratified = hold_out(problem.y, test_size, seed)
    if reason := _one_class_left(f"--test-size {test_size:g}", problem.y, [train]):
        return Score("held-out", NOT_MEASURED, reason)
    message = "Growing on a part, testing on the rest"
    classifier = _grown(untrained, problem.X.take(train), problem.y[train], step(message))
    from palmette.search.guidance import held_out_error

    missed = held_out_error(problem.y[test], classifier.predict(problem.X.take(test)))
    how = f"± {missed.standard_error:.1%} of {len(test)} samples, by a tree grown on the other {len(train)}"
    if not stratified:
        how += " (not stratified: a class has one sample)"
    return Score("held-out", f"{1 - missed.error:.1%}", how)


def _cross_validation(untrained: C45Classifier, problem: Problem, folds: int, seed: int, step: Step) -> Score:
    import warnings

    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    largest = int(np.unique(problem.y, return_counts=True)[1].max())
    if folds > largest:
        raise ValueError(f"--cv {folds}: the largest class has only {largest} samples.")
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    shares = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(splitter.split(np.zeros(len(problem.y)), problem.y))
    if reason := _one_class_left(f"--cv {folds}", problem.y, [train for train, _ in splits]):
        return Score(f"{folds}-fold", NOT_MEASURED, reason)
    for fold, (train, test) in enumerate(splits, 1):
        message = f"Cross-validation, fold {fold} of {folds}"
        classifier = _grown(untrained, problem.X.take(train), problem.y[train], step(message))
        shares.append(_accuracy(classifier, problem.X.take(test), problem.y[test]))
    spread = float(np.std(shares, ddof=1)) / math.sqrt(folds)
    return Score(f"{folds}-fold", f"{np.mean(shares):.1%}", f"± {spread:.1%} (standard error over the folds)")


def _one_class_left(option: str, y: Any, parts: list[Any]) -> str | None:
    """Why a tree cannot be grown on one of the parts, if it is so: it holds a single class, though y has several."""
    import numpy as np

    from palmette.support.messages import listing

    for part in parts:
        left = np.unique(y[part])
        if left.size > 1:
            continue
        absent = y[~np.isin(y, left)]
        names = np.unique(absent).tolist()
        whose = f"class {listing(names)} has" if len(names) == 1 else f"classes {listing(names)} have"
        count, them = ("one sample", "it") if absent.size == 1 else (f"{absent.size} samples", "them")
        return (
            f"{option}: {whose} {count}; with {them} held out, only class {listing(left.tolist())} is left to grow on"
        )
    return None


def _draw(classifier: C45Classifier, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    figure: Any = classifier.plot().figure
    figure.savefig(path, bbox_inches="tight", dpi=150)


def _report(path: Path, problem: Problem, classifier: C45Classifier, scores: list[Score]) -> None:
    from palmette import write_report

    write_report(
        classifier,
        path,
        problem.X,
        problem.y,
        source=problem.name,
        target=problem.target,
        notes=problem.notes,
        facts=[(f"{score.name} accuracy".capitalize(), score.value, score.how) for score in scores],
        command=command_line(),
    )


def _show(problem: Problem, classifier: C45Classifier, scores: list[Score], rules: bool, max_lines: int) -> None:
    console = results()
    size = f": {problem.size}, {len(classifier.classes_)} classes of '{problem.target}'"
    console.print(Text.assemble((harmless(problem.name), "bold"), harmless(size)), soft_wrap=True)
    if classifier.status_ != "complete":
        console.print(f"The tree is not complete: {classifier.status_}.")
    console.print()

    if rules:
        painted = Text("\n".join(map(str, classifier.to_rules())))
    else:
        from palmette.tree.wording import printable

        classes = [printable(label) for label in classifier.classes_.tolist()]
        painted = colored_tree(classifier.to_text(), classes)
    lines = painted.split("\n")
    shown = lines[:max_lines] if max_lines else lines
    console.print(Text("\n").join(shown), soft_wrap=True)
    if len(shown) < len(lines):
        hint = "" if classifier.pruning else ", --prune makes fewer"
        console.print(f"… {len(lines) - len(shown)} more lines (--max-lines 0 shows all{hint})")
    console.print()

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right", style="cyan")
    table.add_column(style="dim")
    for score in scores:
        table.add_row(f"{score.name} accuracy", score.value, score.how)
    console.print(table)

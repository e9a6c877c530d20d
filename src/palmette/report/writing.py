"""The doors of the report: `write_report` makes a file, `render_report` the text of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from palmette.comparison.result import Comparison
from palmette.report.blocks import Fact, Page
from palmette.report.context import Context
from palmette.report.page import render
from palmette.search.selector import SubsetSelector
from palmette.support.parameters import check_number
from palmette.tree.classifier import C45Classifier

__all__ = ["render_report", "write_report"]


def write_report(
    fitted: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    source: str = "",
    target: str | None = None,
    notes: Sequence[str] = (),
    facts: Sequence[tuple[str, str, str]] = (),
    command: str = "",
    time_limit: float = 30.0,
    random_state: int = 0,
) -> Path:
    """Write a report on a selector, a tree or a comparison: one HTML file that needs nothing else, to show or print.

    With the training data it also asks what each feature costs to drop, which other subsets are nearly as good, and
    how stable the selection is on resamples, all within `time_limit`; what was cut short says so.

    Parameters
    ----------
    fitted : BestSubsetSelector, BackwardEliminationSelector, C45Classifier or Comparison
    path : path
        The file to write.
    X, y : table and labels of `fit`, or None
        None: the page tells what the fitted object knows.
    sample_weight : the weights of `fit`, or None
    X_test, y_test : table and labels that `fit` has not seen, or None
        The error on them is told, with its standard error.
    source : str
        Where the data came from, such as the name of a file.
    target : str or None
        What the classes are of; None takes the name of `y`, if it has one.
    notes : sequence of str
        What was decided while the data were read, such as columns that were left out.
    facts : sequence of (name, value, remark)
        Further numbers to show at the top.
    command : str
        The command that made the report, to show at its end.
    time_limit : float, default=30.0
        Seconds for the questions beyond the result.
    random_state : int, default=0
        Seed of the resamples.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from palmette import BestSubsetSelector, write_report
    >>> from palmette.datasets import load
    >>> X, y = load("wine")
    >>> selector = BestSubsetSelector(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(selector, f"{folder}/wine.html", X, y, time_limit=2)
    ...     page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"'{file}' is a directory; name a file in it, such as '{file / 'report.html'}'.")
    if not file.absolute().parent.is_dir():
        raise ValueError(f"There is no folder '{file.parent}' to write the report to.")
    html = render_report(
        fitted,
        X,
        y,
        sample_weight=sample_weight,
        X_test=X_test,
        y_test=y_test,
        source=source,
        target=target,
        notes=notes,
        facts=facts,
        command=command,
        time_limit=time_limit,
        random_state=random_state,
    )
    file.write_text(html, encoding="utf-8")
    return file


def render_report(
    fitted: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    source: str = "",
    target: str | None = None,
    notes: Sequence[str] = (),
    facts: Sequence[tuple[str, str, str]] = (),
    command: str = "",
    time_limit: float = 30.0,
    random_state: int = 0,
) -> str:
    """The HTML of `write_report`, with the same parameters.

    Returns
    -------
    str
    """
    check_number("time_limit", time_limit, 0)
    for first, second, names in ((X, y, "X and y"), (X_test, y_test, "X_test and y_test")):
        if (first is None) != (second is None):
            raise ValueError(f"A report needs both of {names}, or neither.")
    if target is None:
        name = getattr(y, "name", None)
        target = name if isinstance(name, str) else ""
    context = Context(
        X=X,
        y=y,
        sample_weight=sample_weight,
        X_test=X_test,
        y_test=y_test,
        source=source,
        target=target,
        notes=tuple(notes),
        command=command,
        facts=tuple(Fact(*fact) for fact in facts),
    )
    return render(_page(fitted, context, float(time_limit), random_state))


def _page(fitted: Any, context: Context, seconds: float, seed: int) -> Page:
    if isinstance(fitted, SubsetSelector):
        from palmette.report.selection import selection_page

        check_is_fitted(fitted)
        _check_same_data(fitted.tree_, context)
        return selection_page(fitted, context, seconds, seed)
    if isinstance(fitted, C45Classifier):
        from palmette.report.single_tree import tree_page

        check_is_fitted(fitted)
        _check_same_data(fitted.tree_, context)
        return tree_page(fitted, context)
    if isinstance(fitted, Comparison):
        from palmette.report.compared import comparison_page

        return comparison_page(fitted, context)
    raise TypeError(
        f"A report is for a BestSubsetSelector, a BackwardEliminationSelector, a C45Classifier or a Comparison, not "
        f"for {type(fitted).__name__}."
    )


def _check_same_data(tree: Any, context: Context) -> None:
    """Raise where X and y cannot be those of the fit: the questions of the page would be about something else."""
    if not context.has_data:
        return
    shape = getattr(context.X, "shape", None) or (len(context.X), len(context.X[0]))
    if shape[1] != len(tree.features):
        raise ValueError(f"X has {shape[1]} columns, but `fit` saw {len(tree.features)}. Pass the X of `fit`.")
    labels = np.asarray(context.y)
    weights = np.ones(len(labels)) if context.sample_weight is None else np.asarray(context.sample_weight, dtype=float)
    seen = [float(weights[labels == label].sum()) for label in tree.classes]
    if len(labels) != shape[0] or not np.allclose(seen, tree.class_weights[0], rtol=1e-6, atol=1e-6):
        raise ValueError(
            "X and y (and `sample_weight`) are not what `fit` saw: the classes come in other numbers. Pass the very "
            "samples of `fit`; those kept from it are `X_test` and `y_test`."
        )

"""A tour in a minute: a tree, the features that it needs, and both beside their rivals; `make demo` runs it.

Every sentence of the output is computed from what was measured in this run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from palmette import BackwardEliminationSelector, BestSubsetSelector, C45Classifier, C45ForestClassifier, pareto_front
from palmette.cli.screen import colored_tree
from palmette.datasets import load

console = Console(highlight=False)

RIVALS: dict[str, Callable[[], Any]] = {
    "palmette tree": lambda: C45Classifier(),
    "palmette tree, pruned": lambda: C45Classifier(pruning="error_based"),
    "scikit-learn tree": lambda: DecisionTreeClassifier(criterion="entropy", random_state=0),
    "palmette forest": lambda: C45ForestClassifier(random_state=0),
    "scikit-learn forest": lambda: RandomForestClassifier(criterion="entropy", max_features="log2", random_state=0),
}


@dataclass(frozen=True)
class Outcome:
    """What cross-validation saw of one model, a number a fold; sizes are leaves, or features that were selected."""

    accuracies: np.ndarray
    sizes: np.ndarray
    seconds: np.ndarray


def leaves_of(model: Any) -> float:
    """The leaves of a tree, or those of all the trees of a forest."""
    if isinstance(model, C45Classifier):
        return model.n_leaves_
    if isinstance(model, C45ForestClassifier):
        return sum(tree.n_leaves for tree in model.trees_)
    return sum(tree.get_n_leaves() for tree in getattr(model, "estimators_", [model]))


def cross_validate(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, folds: int) -> Outcome:
    rows = []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        model = make()
        start = time.perf_counter()
        model.fit(X[train], y[train])
        seconds = time.perf_counter() - start
        rows.append((np.mean(model.predict(X[test]) == y[test]), leaves_of(model), seconds))
    return Outcome(*np.array(rows).T)


def verdict(ours: Outcome, other: Outcome, name: str) -> str:
    """Who is more accurate, if the folds can tell: a paired difference beyond two standard errors."""
    differences = ours.accuracies - other.accuracies
    mean = differences.mean()
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if abs(mean) <= 2 * error or error == 0:
        how = f"as accurate as the {name}, as far as {len(differences)} folds can tell"
    else:
        how = f"{'more' if mean > 0 else 'less'} accurate than the {name}"
    return f"{how} ({mean:+.1%} ± {error:.1%})"


def show_tree(name: str, output: Path) -> None:
    X, y = load(name)
    full = C45Classifier().fit(X, y)
    pruned = C45Classifier(pruning="error_based").fit(X, y)
    console.rule(f"[bold]1. A tree for {name}")
    console.print(f"{X.shape[0]} samples, {X.shape[1]} features, classes {', '.join(map(str, full.classes_))}.\n")
    console.print(colored_tree(pruned.to_text(), [str(label) for label in pruned.classes_]), soft_wrap=True)
    console.print()
    console.print(
        f"The full tree has {full.n_leaves_} leaves and is right on {full.score(X, y):.1%} of the "
        f"samples it was grown on. Pruning leaves {pruned.n_leaves_} of them and {pruned.score(X, y):.1%}: "
        f"it asks for {len(pruned.used_features_)} of the {X.shape[1]} features."
    )

    import matplotlib

    matplotlib.use("agg")
    output.mkdir(parents=True, exist_ok=True)
    picture = output / f"{name}.png"
    pruned.plot().figure.savefig(picture, dpi=150, bbox_inches="tight")
    kept = output / f"{name}.json"
    pruned.to_json(kept)
    same = C45Classifier.from_json(kept)
    agreement = np.mean(same.predict(X) == pruned.predict(X))
    console.print(f"Drawn to [cyan]{picture}[/].")
    console.print(f"Kept in [cyan]{kept}[/], read back: {agreement:.0%} of the predictions are the same.\n")


@dataclass(frozen=True)
class Selection:
    """What one way of selecting features came to on one training part."""

    n_features: int
    search_error: float
    model: Any
    columns: np.ndarray
    proved: bool = False


def all_features(X: np.ndarray, y: np.ndarray, search: np.ndarray) -> Selection:
    error = 1 - C45Classifier().fit(X[~search], y[~search]).score(X[search], y[search])
    everything = np.ones(X.shape[1], dtype=bool)
    return Selection(X.shape[1], error, C45Classifier().fit(X, y), everything)


def best_subset(X: np.ndarray, y: np.ndarray, error: Any) -> Selection:
    selector = BestSubsetSelector(error=error, n_folds=5, random_state=0, time_limit=10).fit(X, y)
    proved = selector.status_ == "optimal"
    everything = np.ones(X.shape[1], dtype=bool)
    return Selection(int(selector.support_.sum()), selector.error_, selector, everything, proved)


def backward(X: np.ndarray, y: np.ndarray, search: np.ndarray) -> Selection:
    selector = BackwardEliminationSelector(error=[(~search, search)]).fit(X, y)
    everything = np.ones(X.shape[1], dtype=bool)
    return Selection(int(selector.support_.sum()), selector.error_, selector, everything)


def sequential(X: np.ndarray, y: np.ndarray, search: np.ndarray) -> Selection:
    """scikit-learn's backward selection, judged on the same search set, as long as no removal makes it worse."""
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    split = PredefinedSplit(np.where(search, 0, -1))
    selector = SequentialFeatureSelector(tree, direction="backward", cv=split, tol=-1e-9).fit(X, y)
    chosen = selector.get_support()
    error = 1 - tree.fit(X[~search][:, chosen], y[~search]).score(X[search][:, chosen], y[search])
    return Selection(int(chosen.sum()), error, tree.fit(X[:, chosen], y), chosen)


# Each gets samples and a mask of those to search on.
STRATEGIES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Selection]] = {
    "all features": all_features,
    "palmette, best": lambda X, y, search: best_subset(X, y, [(~search, search)]),
    "palmette, best by 5 folds": lambda X, y, search: best_subset(X, y, "cross_validation"),
    "palmette, backward": backward,
    "scikit-learn, backward": sequential,
}


def show_selection(names: list[str], folds: int) -> None:
    console.rule(f"[bold]2. The features that a tree needs, {folds}-fold cross-validation")
    for name in names:
        dataset = load(name)
        X, y = dataset.X.to_numpy(), dataset.y
        outcomes: dict[str, Outcome] = {}
        selections: dict[str, list[Selection]] = {}
        with console.status(f"{name} …"):
            for title, select in STRATEGIES.items():
                outcomes[title], selections[title] = cross_validate_selection(select, X, y, folds)
        table = Table(title=f"{name}: {X.shape[0]} samples, {X.shape[1]} features", title_justify="left", box=None)
        for column in ("", "features", "search error", "held-out", "± error", "seconds", "proved"):
            table.add_column(column, justify="left" if not column else "right")
        for title, found in selections.items():
            accuracies = outcomes[title].accuracies
            n_proved = sum(one.proved for one in found)
            table.add_row(
                Text(title, style="bold" if title.startswith("palmette") else ""),
                f"{np.mean([one.n_features for one in found]):.1f}",
                f"{np.mean([one.search_error for one in found]):.1%}",
                f"{accuracies.mean():.1%}",
                f"{accuracies.std(ddof=1) / np.sqrt(folds):.1%}",
                f"{outcomes[title].seconds.mean():.2f}",
                Text(f"{n_proved} of {folds}", style="green") if n_proved else "",
            )
        console.print(table)
        console.print(selection_summary(selections, outcomes, X.shape[1]) + "\n")
    show_front(names[0])


def cross_validate_selection(
    select: Callable[[np.ndarray, np.ndarray, np.ndarray], Selection], X: np.ndarray, y: np.ndarray, folds: int
) -> tuple[Outcome, list[Selection]]:
    rows, selections = [], []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        search = np.zeros(len(train), dtype=bool)
        search[train_test_split(np.arange(len(train)), test_size=0.3, stratify=y[train], random_state=0)[1]] = True
        start = time.perf_counter()
        found = select(X[train], y[train], search)
        seconds = time.perf_counter() - start
        accuracy = np.mean(found.model.predict(X[test][:, found.columns]) == y[test])
        rows.append((accuracy, found.n_features, seconds))
        selections.append(found)
    return Outcome(*np.array(rows).T), selections


def selection_summary(selections: dict[str, list[Selection]], outcomes: dict[str, Outcome], n_features: int) -> str:
    found, steady = selections["palmette, best"], outcomes["palmette, best by 5 folds"]
    ours, theirs = (np.mean([one.search_error for one in selections[t]]) for t in ("palmette, best", "all features"))
    proved = sum(one.proved for one in found)
    return (
        f"· Proved {proved} times of {len(found)}: no subset of the 2^{n_features} makes fewer errors on the search "
        f"samples, and none with as few is smaller. All features err on {theirs:.1%} there, the best subset on "
        f"{ours:.1%}.\n"
        f"· That error was minimised, so only held-out samples can judge. By 5 folds, with more samples to search on, "
        f"the tree is {verdict(steady, outcomes['all features'], 'tree with all features')} and "
        f"{verdict(steady, outcomes['scikit-learn, backward'], 'tree of scikit-learn’s greedy selection')}, with "
        f"{steady.sizes.mean():.1f} features to {outcomes['scikit-learn, backward'].sizes.mean():.1f} of the latter.\n"
        f"{elimination_summary(selections, outcomes)}"
    )


def elimination_summary(selections: dict[str, list[Selection]], outcomes: dict[str, Outcome]) -> str:
    ours, theirs = outcomes["palmette, backward"], outcomes["scikit-learn, backward"]
    found, least = (
        np.array([one.search_error for one in selections[title]]) for title in ("palmette, backward", "palmette, best")
    )
    # Only a proof can tell; errors are counts, so the tolerance is for their division.
    as_good = sum(
        one.proved and gap < 1e-9 for one, gap in zip(selections["palmette, best"], found - least, strict=True)
    )
    return (
        f"· Backward elimination, one feature after the other, takes {ratio(ours, theirs)} of scikit-learn’s and comes "
        f"to {found.mean():.1%}; {as_good} times of {len(found)} that is proved to be the least error there is."
    )


def show_front(name: str) -> None:
    X, y = load(name)
    console.print(f"The best search error on {name} for every number of features that is worth it:")
    for subset in pareto_front(X, y, random_state=0, time_limit=10):
        features = ", ".join(map(str, subset.features)) or "none"
        console.print(f"  {len(subset.features):2} {subset.error:6.1%}  {features}")
    console.print()


def show_rivals(names: list[str], folds: int) -> None:
    console.rule(f"[bold]3. Beside its rivals, {folds}-fold cross-validation")
    for name in names:
        dataset = load(name)
        X, y = dataset.X.to_numpy(), dataset.y
        outcomes: dict[str, Outcome] = {}
        with console.status(f"{name} …"):
            for rival, make in RIVALS.items():
                outcomes[rival] = cross_validate(make, X, y, folds)

        table = Table(title=f"{name}: {X.shape[0]} samples, {X.shape[1]} features", title_justify="left", box=None)
        for column in ("", "accuracy", "± error", "leaves", "fit, ms"):
            table.add_column(column, justify="left" if not column else "right")
        best = max(outcome.accuracies.mean() for outcome in outcomes.values())
        for rival, outcome in outcomes.items():
            mean = outcome.accuracies.mean()
            table.add_row(
                Text(rival, style="bold" if rival.startswith("palmette") else ""),
                Text(f"{mean:.1%}", style="green" if mean == best else ""),
                f"{outcome.accuracies.std(ddof=1) / np.sqrt(folds):.1%}",
                f"{outcome.sizes.mean():,.1f}",
                f"{np.median(outcome.seconds) * 1000:,.1f}",
            )
        console.print(table)
        console.print(summary(outcomes) + "\n")


def summary(outcomes: dict[str, Outcome]) -> str:
    full, pruned = outcomes["palmette tree"], outcomes["palmette tree, pruned"]
    tree, forest = outcomes["scikit-learn tree"], outcomes["scikit-learn forest"]
    ours = outcomes["palmette forest"]
    kept = pruned.sizes.mean() / full.sizes.mean()
    sizes = f"{full.sizes.mean():.1f} leaves to {tree.sizes.mean():.1f}"
    return (
        f"· The palmette tree is {verdict(full, tree, 'scikit-learn tree')}, has {sizes}, "
        f"and fits in {ratio(full, tree)}.\n"
        f"· Pruning keeps {kept:.0%} of its leaves and is {verdict(pruned, full, 'full tree')}.\n"
        f"· The palmette forest is {verdict(ours, forest, 'scikit-learn forest')}, "
        f"and fits in {ratio(ours, forest)}."
    )


def ratio(ours: Outcome, other: Outcome) -> str:
    factor = np.median(other.seconds) / np.median(ours.seconds)
    return f"1/{factor:.1f} of the time" if factor >= 1 else f"{1 / factor:.1f} times the time"


def show_holes(name: str, folds: int) -> None:
    console.rule("[bold]4. Holes in the table")
    dataset = load(name)
    random = np.random.default_rng(0)
    accuracies = {}
    for share in (0.0, 0.2, 0.4):
        X = dataset.X.to_numpy(dtype=float, copy=True)
        X[random.random(X.shape) < share] = np.nan
        outcome = cross_validate(RIVALS["palmette tree, pruned"], X, dataset.y, folds)
        accuracies[share] = outcome.accuracies.mean()
    chance = max(np.unique(dataset.y, return_counts=True)[1]) / len(dataset.y)
    figures = ", ".join(f"{accuracy:.1%} with {share:.0%} of the values gone" for share, accuracy in accuracies.items())
    console.print(
        f"The pruned tree on {name}, growing and predicting with missing values as they are: {figures}. "
        f"The largest class alone would give {chance:.1%}."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=["breast_cancer", "wine", "iris"])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--output", type=Path, default=Path("build/demo"))
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    show_tree(options.datasets[0], options.output)
    show_selection(options.datasets[:2], min(options.folds, 5))
    show_rivals(options.datasets, options.folds)
    show_holes(options.datasets[0], options.folds)
    console.print(f"\n[dim]All of this took {time.perf_counter() - start:.0f} seconds.[/]")


if __name__ == "__main__":
    main()

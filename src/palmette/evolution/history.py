"""What an evolution tells of its generations: small frozen values, and a frame of them. `plot.py` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palmette import _core
from palmette.evolution.distribution import TreeDistribution
from palmette.search.history import frame_of

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Generation", "Spread", "history_frame", "history_of"]


@dataclass(frozen=True, slots=True)
class Spread:
    """One measure over a population: of its best individual, the mean, and of its worst, in the order of evolution."""

    best: float
    mean: float
    worst: float


@dataclass(frozen=True, slots=True)
class Generation:
    """A population, described.

    Parameters
    ----------
    number : int
        0 is the population that was drawn first.
    accuracy, height, n_nodes : Spread
        On the training samples; the height counts levels, so that a single leaf has height 1.
    validation, watched : Spread or None
        Accuracy on the validation set, and on the set that was only watched.
    distribution : TreeDistribution or None
        What the new individuals were drawn from; None for a genetic algorithm, or where it was not kept.
    """

    number: int
    accuracy: Spread
    height: Spread
    n_nodes: Spread
    validation: Spread | None
    watched: Spread | None
    distribution: TreeDistribution | None


def history_of(
    run: _core.EvolutionRun,
    *,
    validated: bool,
    watched: bool,
    model: tuple[int, int, int] | None,
) -> tuple[Generation, ...]:
    """The generations of a run; `model` is the size of the elite, the number of features and the greatest height."""
    generations = []
    for number, measures in enumerate(run.spreads().tolist()):
        accuracy, height, n_nodes, *others = (Spread(*measure) for measure in measures)
        generations.append(
            Generation(
                number,
                accuracy,
                height,
                n_nodes,
                others[0] if validated else None,
                others[-1] if watched else None,
                TreeDistribution(*run.model(number), *model) if model and run.has_model(number) else None,
            )
        )
    return tuple(generations)


def history_frame(history: Sequence[Generation]) -> DataFrame:
    """A pandas frame, a row a generation: best, mean and worst of each measure."""
    measures = ("accuracy", "height", "n_nodes", "validation", "watched")
    columns: dict[str, list[float]] = {"generation": [step.number for step in history]}
    for measure in measures:
        spreads = [getattr(step, measure) for step in history]
        if spreads and spreads[0] is not None:
            for part in ("best", "mean", "worst"):
                columns[f"{measure}_{part}"] = [getattr(spread, part) for spread in spreads]
    return frame_of(columns)

"""Triples of building, search and test samples: the resampling of Ruggieri (2019, Section 7.1).

Stratified k-fold cross-validation, repeated; every training part is split once more, stratified, into a building and a
search set. A triple depends on the labels, the seed and its own place only, never on which others were made.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from palmette.search.folds import read_folds

__all__ = ["Protocol", "Triple", "make_triples", "rare_classes", "refuse_impossible"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How samples are divided: all that the triples depend on, beside the labels."""

    repeats: int = 10
    folds: int = 10
    search_size: float = 0.3
    random_state: int = 0

    def places(self) -> Iterator[tuple[int, int]]:
        """The (repeat, fold) of every triple, in order."""
        return ((repeat, fold) for repeat in range(self.repeats) for fold in range(self.folds))


@dataclass(frozen=True, slots=True, eq=False)
class Triple:
    """Row numbers, ascending. Building and search rows make up the training part; the test rows are all others."""

    repeat: int
    fold: int
    building: NDArray[np.int64]
    search: NDArray[np.int64]
    test: NDArray[np.int64]
    seed: int
    """For what is drawn at random while this triple is worked on; the same for every strategy."""

    @property
    def training(self) -> NDArray[np.int64]:
        return np.sort(np.concatenate([self.building, self.search]))

    def split_of_training(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Building and search set as row numbers within `training`."""
        training = self.training
        return np.searchsorted(training, self.building), np.searchsorted(training, self.search)


def make_triples(labels: NDArray[np.int32], protocol: Protocol) -> list[Triple]:
    """The triples of a problem, repeat by repeat.

    A class with fewer members than folds is spread over as many folds as it has members; a class with one member in a
    training part is for building.

    >>> labels = np.array([0, 1] * 10, dtype=np.int32)
    >>> triples = make_triples(labels, Protocol(repeats=1, folds=5))
    >>> [(len(triple.building), len(triple.search), len(triple.test)) for triple in triples[:2]]
    [(11, 5, 4), (11, 5, 4)]
    """
    return [triple for repeat in range(protocol.repeats) for triple in _repeat(labels, protocol, repeat)]


def rare_classes(labels: NDArray[np.int32], folds: int) -> list[tuple[int, int]]:
    """The classes with fewer members than folds, with their numbers of members."""
    counts = np.bincount(labels)
    return [(code, int(count)) for code, count in enumerate(counts) if count < folds]


def refuse_impossible(labels: NDArray[np.int32], folds: int) -> None:
    """Raise where no such folds can be made, or where a training part could hold one class only."""
    counts = np.sort(np.bincount(labels))[::-1]
    if counts[0] < folds:
        raise ValueError(
            f"`folds` is {folds}, but the largest class has {counts[0]} samples. Pass at most {counts[0]} folds."
        )
    if counts[1] < 2:
        raise ValueError(
            "no two classes have two samples or more, so a training part would hold a single class. Pass more samples."
        )


def _repeat(labels: NDArray[np.int32], protocol: Protocol, repeat: int) -> Iterator[Triple]:
    splitter = StratifiedKFold(protocol.folds, shuffle=True, random_state=_generator(protocol, repeat))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = list(splitter.split(np.zeros(len(labels)), labels))
    for fold, (training, test) in enumerate(parts):
        generator = _generator(protocol, repeat, fold)
        (split,) = read_folds(
            "holdout",
            labels[training],
            None,
            search_size=protocol.search_size,
            n_folds=2,
            random_state=generator,
        )
        building, search = training[split.building], training[split.search]
        yield Triple(repeat, fold, building, search, test, int(generator.randint(np.iinfo(np.int32).max)))


def _generator(protocol: Protocol, *place: int) -> Any:
    """Random numbers of a place."""
    return np.random.RandomState(np.random.SeedSequence((protocol.random_state, *place)).generate_state(8))

"""Triples of building, search and test samples: the resampling of Ruggieri (2019, Section 7.1).

Stratified k-fold cross-validation, repeated; every training part is split once more, stratified, into a building and a
search set. A triple depends on the labels, the seed and its own place only, never on which others were made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.search.folds import read_folds

__all__ = ["Protocol", "Triple", "iterate_triples", "make_triples", "rare_classes", "refuse_impossible"]


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
    building: NDArray[np.uint32]
    search: NDArray[np.uint32]
    test: NDArray[np.uint32]
    seed: int
    """For what is drawn at random while this triple is worked on; the same for every strategy."""

    @property
    def training(self) -> NDArray[np.uint32]:
        return np.sort(np.concatenate([self.building, self.search]))

    def split_of_training(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Building and search set as row numbers within `training`."""
        training = self.training
        return np.searchsorted(training, self.building), np.searchsorted(training, self.search)


def make_triples(labels: NDArray[np.int32], protocol: Protocol) -> list[Triple]:
    """The triples of a problem, repeat by repeat.

    A class with fewer members than folds is spread over as many folds as it has members; a class with one member in a
    training part is for building. Where a building or search set has no room for every class, it is not stratified.

    >>> labels = np.array([0, 1] * 10, dtype=np.int32)
    >>> triples = make_triples(labels, Protocol(repeats=1, folds=5))
    >>> [(len(triple.building), len(triple.search), len(triple.test)) for triple in triples[:2]]
    [(11, 5, 4), (11, 5, 4)]
    """
    return list(iterate_triples(labels, protocol))


def iterate_triples(labels: NDArray[np.int32], protocol: Protocol) -> Iterator[Triple]:
    """The same, made one after the other."""
    for repeat in range(protocol.repeats):
        yield from _repeat(labels, protocol, repeat)


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
    fold_of = _folds(labels, protocol.folds, _generator(protocol, repeat))
    for fold in range(protocol.folds):
        training, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        generator = _generator(protocol, repeat, fold)
        (split,) = read_folds(
            "holdout",
            labels[training],
            None,
            search_size=protocol.search_size,
            n_folds=2,
            random_state=generator,
        )
        # Narrow numbers, since a large table has long lists of them.
        building, search, rest = (
            rows.astype(np.uint32) for rows in (training[split.building], training[split.search], test)
        )
        yield Triple(repeat, fold, building, search, rest, int(generator.randint(np.iinfo(np.int32).max)))


def _folds(labels: NDArray[np.int32], n_folds: int, generator: Any) -> NDArray[np.int64]:
    """The fold of each sample: the classes one after the other, each shuffled, are dealt like cards.

    The folds then differ by one sample at most, in all and in every class.
    """
    shuffled = generator.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold_of = np.empty(len(labels), dtype=np.int64)
    fold_of[by_class] = np.arange(len(labels)) % n_folds
    return fold_of


def _generator(protocol: Protocol, *place: int) -> Any:
    """Random numbers of a place."""
    return np.random.RandomState(np.random.SeedSequence((protocol.random_state, *place)).generate_state(8))

"""A fit holds the coded table no longer than it needs it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from palmette import C45Classifier
from palmette.tree import classifier as module
from palmette.tree.base import Problem


def noise(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    return random.integers(0, 16, (n_rows, 3)).astype(float), random.integers(0, 5, n_rows)


def test_the_codes_are_gone_when_the_tree_is_flattened(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[int] = []
    keep = C45Classifier._keep

    def look_and_keep(self: C45Classifier, *arguments: object) -> C45Classifier:
        gc.collect()
        alive.append(sum(isinstance(thing, Problem) for thing in gc.get_objects()))
        return keep(self, *arguments)  # type: ignore[arg-type]

    before = sum(isinstance(thing, Problem) for thing in gc.get_objects())
    monkeypatch.setattr(C45Classifier, "_keep", look_and_keep)
    C45Classifier().fit(*noise(200))
    assert alive == [before]


@pytest.mark.parametrize("pruning", [None, "error_based"])
def test_the_tree_is_the_same_whether_memory_is_given_back_or_not(
    monkeypatch: pytest.MonkeyPatch, pruning: str | None
) -> None:
    trees = []
    for least in (0, 1 << 40):
        monkeypatch.setattr(module, "LARGE_TREE", least)
        trees.append(C45Classifier(growth="literal", pruning=pruning).fit(*noise(3000)).tree_)
    assert trees[0] == trees[1]
    assert np.array_equal(trees[0].class_weights.sum(axis=1), trees[0].weight)

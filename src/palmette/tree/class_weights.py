"""The weights of the classes at the nodes of a tree, kept for the classes that are there.

Most nodes hold few of the classes. On a table of 26 classes, a matrix of nodes and classes is nine tenths zeros,
and would be most of a forest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tree.arrays import first_place, floats, frozen, integers

# Classes are numbered in 16 bits.
MOST_CLASSES = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class ClassWeights:
    """Entries (class, weight) node by node, classes ascending, none of weight zero.

    Parameters
    ----------
    n_classes : int
    start : int32 ndarray of shape (n_nodes + 1,)
        The entries of node `i` are those from `start[i]` to `start[i + 1] - 1`.
    label : uint16 ndarray of shape (n_entries,)
    weight : float64 ndarray of shape (n_entries,)

    Examples
    --------
    >>> kept = ClassWeights.of_dense(np.array([[20.0, 37.0], [20.0, 0.0], [0.0, 37.0]]))
    >>> kept.start.tolist(), kept.label.tolist(), kept.weight.tolist()
    ([0, 2, 3, 4], [0, 1, 0, 1], [20.0, 37.0, 20.0, 37.0])
    >>> kept.of_node(1)
    [20.0, 0.0]
    """

    n_classes: int
    start: NDArray[np.int32]
    label: NDArray[np.uint16]
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        def store(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.n_classes, int) or not 1 <= self.n_classes <= MOST_CLASSES:
            raise ValueError(f"A tree has 1 to {MOST_CLASSES} classes, not {self.n_classes!r}.")
        start = integers("start", self.start, np.int32)
        label = integers("label", self.label, np.int32)
        weight = floats("weight", self.weight, 1)
        if len(label) != len(weight):
            raise ValueError(f"label has {len(label)} entries, but weight has {len(weight)}.")
        if len(start) == 0 or start[0] != 0 or start[-1] != len(label) or (start[1:] < start[:-1]).any():
            raise ValueError(f"start must rise from 0 to {len(label)}, the number of entries.")
        store("start", start)
        store("weight", weight)
        place = first_place((label < 0) | (label >= self.n_classes))
        if place is not None:
            raise ValueError(f"label[{place}] is {label[place]}, but there are {self.n_classes} classes.")
        store("label", frozen(label.astype(np.uint16)))
        falls = np.flatnonzero(label[1:] <= label[:-1]) + 1
        place = first_place(~np.isin(falls, start))
        if place is not None:
            raise ValueError(f"label[{falls[place]}] does not rise, but the classes of a node do.")
        place = first_place(weight == 0)
        if place is not None:
            raise ValueError(f"weight[{place}] is 0, but a class that is not at a node has no entry.")

    @classmethod
    def of_checked(
        cls, n_classes: int, start: NDArray[np.int32], label: NDArray[np.uint16], weight: NDArray[np.float64]
    ) -> ClassWeights:
        """Read-only arrays that somebody has checked already."""
        kept = object.__new__(cls)
        for name, value in zip(cls.__slots__, (n_classes, start, label, weight), strict=True):
            object.__setattr__(kept, name, value)
        return kept

    @classmethod
    def of_dense(cls, dense: NDArray[np.float64]) -> ClassWeights:
        """The entries of a matrix of nodes and classes; NaN is kept, for somebody to find."""
        n_nodes, n_classes = dense.shape
        if n_classes > MOST_CLASSES:
            raise ValueError(f"class_weights has {n_classes} columns, but a tree has at most {MOST_CLASSES} classes.")
        start = np.zeros(n_nodes + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(dense, axis=1), out=start[1:])
        if start[-1] > np.iinfo(np.int32).max:
            raise ValueError(f"class_weights has {start[-1]} entries that are not 0; at most 2**31 - 1 are possible.")
        node, label = np.nonzero(dense)
        return cls.of_checked(
            n_classes,
            frozen(start.astype(np.int32)),
            frozen(label.astype(np.uint16)),
            frozen(dense[node, label]),
        )

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.start) - 1

    @property
    def nbytes(self) -> int:
        """The memory of the entries."""
        return sum(array.nbytes for array in self._arrays())

    @property
    def node(self) -> NDArray[np.int64]:
        """The node of each entry."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.start))

    @property
    def totals(self) -> NDArray[np.float64]:
        """The sum of the weights of each node."""
        return np.bincount(self.node, self.weight, self.n_nodes).astype(np.float64, copy=False)

    def dense(self) -> NDArray[np.float64]:
        """The read-only matrix of nodes and classes, made anew."""
        dense = np.zeros((self.n_nodes, self.n_classes))
        dense[self.node, self.label] = self.weight
        dense.setflags(write=False)
        return dense

    def of_node(self, node: int) -> list[float]:
        """The weights of all classes at a node."""
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"There is no node {node}; the tree has the nodes 0 to {self.n_nodes - 1}.")
        weights = [0.0] * self.n_classes
        entries = slice(self.start[node], self.start[node + 1])
        for label, weight in zip(self.label[entries].tolist(), self.weight[entries].tolist(), strict=True):
            weights[label] = weight
        return weights

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassWeights):
            return NotImplemented
        return self.n_classes == other.n_classes and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(self._arrays(), other._arrays(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.n_classes, *(array.tobytes() for array in self._arrays())))

    def __reduce__(self) -> tuple[type[ClassWeights], tuple[Any, ...]]:
        # Pickle forgets that an array is read-only; going through the constructor keeps it so, and checks again.
        return ClassWeights, (self.n_classes, *self._arrays())

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.start, self.label, self.weight

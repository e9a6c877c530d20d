"""TreeDistribution: the graphical model of a generation, one probability mass function a position, to look into.

The core draws from it (`core/include/palmette/evolution/distribution.hpp`); only the counts of the elite are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["TreeDistribution"]


@dataclass(frozen=True, slots=True, eq=False)
class TreeDistribution:
    """How probable each feature, and the class (a leaf), is at each position of the complete tree.

    Position 0 is the root, and the branches of position p are 2p + 1 and 2p + 2. The third and later branches of a
    nominal split have no place in a complete binary tree; their positions are numbers above 2^63.

    Parameters
    ----------
    positions, features, counts : arrays of equal length
        So many of the elite have the feature (-1: a leaf) at the position. Empty before there is an elite.
    n_elite, n_features, max_height : int

    Examples
    --------
    >>> start = TreeDistribution(np.array([], "u8"), np.array([], "i4"), np.array([], "u4"), 10, 4, 3)
    >>> start.probabilities(0)
    array([0.25, 0.25, 0.25, 0.25, 0.  ])
    """

    positions: NDArray[np.uint64]
    features: NDArray[np.int32]
    counts: NDArray[np.uint32]
    n_elite: int
    n_features: int
    max_height: int

    def probabilities(self, position: int) -> NDArray[np.float64]:
        """The probabilities at a position: of each feature, and last of the class.

        Where some of the elite lack the position, their share is spread evenly over the features.
        """
        if 2 ** (self.max_height - 1) - 1 <= position < 2**self.max_height - 1:
            certain: NDArray[np.float64] = np.eye(self.n_features + 1)[-1]
            return certain
        here = self.positions == np.uint64(position)
        counts = np.zeros(self.n_features + 1)
        counts[self.features[here]] = self.counts[here]
        lacking = self.n_elite - counts.sum()
        counts[:-1] += lacking / self.n_features
        return counts / self.n_elite

    def present(self, position: int) -> float:
        """The share of the elite that has a node at the position."""
        here = self.positions == np.uint64(position)
        return float(self.counts[here].sum()) / self.n_elite

    def certainty(self, position: int) -> float:
        """How far the position is from uniform: 0 where every feature is as probable, 1 where one label is certain."""
        uniform = 1 / self.n_features
        largest = float(self.probabilities(position).max())
        return 1.0 if self.n_features == 1 else max(0.0, (largest - uniform) / (1 - uniform))

    def to_array(self) -> NDArray[np.float32]:
        """All positions of the complete binary tree but the last level × (features, class)."""
        n_positions = 2 ** (self.max_height - 1) - 1
        return np.array([self.probabilities(position) for position in range(n_positions)], dtype=np.float32)

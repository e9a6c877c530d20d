"""DecisionTable: the cells that an oblivious tree comes to, and a text of them. `classifier.py` predicts by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.search.history import frame_of
from palmette.tree.wording import printable, shortened, weight_text

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Cell", "DecisionTable"]

WIDEST = 24
"""Characters of a value in the text."""

WIDEST_NAME = 12
"""Characters of a name, unless the values below it are wider."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The samples that are alike on all features of a table: one rule of the oblivious tree.

    Parameters
    ----------
    values : tuple of str or None
        One for each feature, None where it is missing.
    class_weights : tuple of float
        One for each class.
    label : class
        The class of the largest weight, the first on ties.
    """

    values: tuple[str | None, ...]
    class_weights: tuple[float, ...]
    label: Any

    @property
    def weight(self) -> float:
        """The weight of all samples of the cell."""
        return sum(self.class_weights)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionTable:
    """Cells on the same features, in the order in which the training samples came; a sequence of `Cell`.

    Parameters
    ----------
    features : tuple of str
    values : tuple of tuple of str
        For each feature, what its codes stand for.
    classes : array
    codes : array of shape (n_cells, n_features)
        -1 where a value is missing.
    class_weights : array of shape (n_cells, n_classes)
    """

    features: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    class_weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: int) -> Cell:
        weights = self.class_weights[index]
        codes = self.codes[index].tolist()
        names = tuple(None if code < 0 else words[code] for code, words in zip(codes, self.values, strict=True))
        return Cell(names, tuple(weights.tolist()), self.classes[weights.argmax()])

    def __iter__(self) -> Iterator[Cell]:
        return (self[index] for index in range(len(self)))

    def to_frame(self) -> DataFrame:
        """The table as a pandas frame: a column for each feature, the predicted class, and the weight of each class.

        Returns
        -------
        pandas.DataFrame
        """
        cells = list(self)
        columns: dict[str, list[Any]] = {
            name: [cell.values[place] for cell in cells] for place, name in enumerate(self.features)
        }
        columns["predicts"] = [cell.label for cell in cells]
        for place, label in enumerate(self.classes.tolist()):
            columns[f"weight of {label}"] = [cell.class_weights[place] for cell in cells]
        return frame_of(columns)

    def to_text(self, max_cells: int | None = 50) -> str:
        """The table as text: a line for each cell, the heaviest first.

        Parameters
        ----------
        max_cells : int or None, default=50
            Lines to print; None for all.

        Returns
        -------
        str
        """
        order = np.argsort(-self.class_weights.sum(axis=1), kind="stable")
        shown = order if max_cells is None else order[:max_cells]
        lines: list[list[str]] = []
        for index in shown.tolist():
            cell = self[index]
            values = ["?" if value is None else shortened(value, WIDEST) for value in cell.values]
            label = shortened(printable(cell.label), WIDEST)
            lines.append([*values, label, *(weight_text(weight) if weight else "·" for weight in cell.class_weights)])
        head = [*map(printable, self.features), "predicts", *(printable(label) for label in self.classes.tolist())]
        room = [max(WIDEST_NAME, *map(len, column)) for column in zip(*lines, strict=True)]
        lines.insert(0, [shortened(word, most) for word, most in zip(head, room, strict=True)])
        n_left = len(self.features) + 1
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = [
            "  ".join(
                word.ljust(width) if place < n_left else word.rjust(width)
                for place, (word, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        texts.insert(1, "  ".join("─" * width for width in widths))
        if len(shown) < len(order):
            left = len(order) - len(shown)
            texts.append(f"… {left:,} more cell{'' if left == 1 else 's'}")
        return "\n".join(texts)

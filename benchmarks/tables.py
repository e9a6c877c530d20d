"""The tables that go into the benchmarks, read or generated, and the tables that come out of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TARGET = "class"


def data_folder() -> Path:
    """The folder of the Parquet files: $PALMETTE_DATA, or ../shared/data beside the repository."""
    here = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("PALMETTE_DATA", here.parent / "shared" / "data"))
    if not (folder / "index.json").is_file():
        raise SystemExit(f"{folder} holds no index.json: set PALMETTE_DATA to the folder of the datasets.")
    return folder


def load(name: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The features of a dataset as a frame with its own dtypes, and the labels as numbers.

    Classes are numbered in the order in which the dataset declares them. Ties go to the first class, and
    where leaves of one sample per class abound this matters: on COIL 2000 the tree errs on 9 % or on 11 %.
    """
    path = data_folder() / f"{name}.parquet"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.parquet")))
        raise SystemExit(f"there is no dataset {name!r} in {path.parent}. There are {known}.")
    frame = pd.read_parquet(path)
    return frame.drop(columns=TARGET), frame[TARGET].cat.codes.to_numpy(dtype=np.int64)


def ordinal_matrix(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The frame as one float64 matrix for scikit-learn: categories become codes, missing values NaN."""
    matrix = np.empty(frame.shape)
    for column, name in enumerate(frame.columns):
        values = frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            codes = values.cat.codes.to_numpy(dtype=np.float64)
            matrix[:, column] = np.where(codes < 0, np.nan, codes)
        else:
            matrix[:, column] = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return matrix


def generate(rows: int, features: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A continuous table of two classes: a fifth of the features carry signal, the rest is noise.

    The label is the sign of a sum of steps and products of the informative features; one label in twenty is
    flipped, so a tree that grows to purity has to go deep.
    """
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((rows, features))
    informative = generator.permutation(features)[: max(4, features // 5)][:40]
    signal = np.zeros(rows)
    for place, column in enumerate(informative):
        other = X[:, informative[place - 1]]
        signal += np.sign(X[:, column] - generator.normal(scale=0.5)) * generator.uniform(0.5, 1.5)
        signal += X[:, column] * other * generator.uniform(0.2, 0.8)
    y = (signal > np.median(signal)).astype(np.int64)
    flipped = generator.random(rows) < 0.05
    y[flipped] = 1 - y[flipped]
    return X, y


def show_row(row: Sequence[Any]) -> None:
    """Print a row as soon as it is known, beside the table that will hold it: some take minutes."""
    print(" ".join(map(str, row)), file=sys.stderr, flush=True)


def print_table(title: str, header: list[str], rows: list[list[Any]]) -> None:
    """A titled table whose first column is left-aligned and the others right-aligned."""
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    print(f"\n{title}")
    for number, row in enumerate(cells):
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
        if number == 0:
            print("  ".join("─" * width for width in widths))

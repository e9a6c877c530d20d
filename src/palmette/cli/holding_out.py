"""Which samples are held out to measure accuracy: for `tree.py`, and for `select.py` before the search."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

__all__ = ["HoldOut", "check_test_size", "hold_out"]


class HoldOut(NamedTuple):
    """The rows to learn from, and those that are held out, each in order."""

    train: Any
    test: Any
    stratified: bool
    """Whether every class has its share in both parts."""


def check_test_size(test_size: float) -> None:
    """Refuse a share that leaves nothing for any table."""
    if not 0 <= test_size < 1:
        raise ValueError(f"--test-size must be at least 0 and less than 1, not {test_size:g}.")


def hold_out(y: Any, test_size: float, seed: int) -> HoldOut:
    """Draw the samples to hold out, stratified unless a class has one sample only."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    counts = np.unique(y, return_counts=True)[1]
    stratified = bool(counts.min() >= 2)
    n_test = math.ceil(test_size * len(y))
    n_train = len(y) - n_test
    # A stratified part has room for a sample of each class.
    fewest = len(counts) if stratified else 1
    if min(n_train, n_test) < fewest:
        what, share = ("grow on", "smaller") if n_train < fewest else ("measure accuracy", "larger")
        why = f", fewer than the {fewest} classes" if stratified else ""
        raise ValueError(
            f"--test-size {test_size:g} of {len(y)} samples leaves {min(n_train, n_test)} to {what}{why}: take a "
            f"{share} share, or 0 to hold out none."
        )
    train, test = train_test_split(
        np.arange(len(y)), test_size=n_test, random_state=seed, stratify=y if stratified else None
    )
    return HoldOut(np.sort(train), np.sort(test), stratified)

"""Artificial concepts: a class that a few Boolean features decide, among any number of irrelevant ones.

The domains of Langley & Sage (1994, Section 3): how many samples does a learner need, and how does that number grow
with the irrelevant features? `palmette.datasets` offers the functions.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["make_all_equal", "make_conjunction", "make_parity"]

Concept: TypeAlias = Callable[[NDArray[np.bool_]], NDArray[np.bool_]]
Samples: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.int64]]


def make_parity(
    n_samples: int = 100,
    *,
    n_relevant: int = 3,
    n_irrelevant: int = 0,
    flip_y: float = 0.0,
    shuffle: bool = False,
    random_state: Any = None,
) -> Samples:
    """Samples of parity: the class is 1 where an odd number of the relevant features is true.

    No feature tells anything alone, nor do any of them without the last one: the hardest concept for a tree that is
    grown from the root.

    Parameters
    ----------
    n_samples : int, default=100
    n_relevant : int, default=3
        Features that the class depends on, at least 1.
    n_irrelevant : int, default=0
        Features that it does not depend on.
    flip_y : float, default=0.0
        The chance that a sample gets the other class.
    shuffle : bool, default=False
        Whether the columns are put into a random order; otherwise the relevant ones come first.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : array of bool, of shape (n_samples, n_relevant + n_irrelevant)
        Every feature of every sample is true with a chance of one half.
    y : array of int, of shape (n_samples,)

    Examples
    --------
    >>> X, y = make_parity(4, n_relevant=2, n_irrelevant=1, random_state=0)
    >>> X.astype(int).tolist(), y.tolist()
    ([[0, 1, 1], [0, 1, 1], [1, 1, 1], [1, 1, 0]], [1, 1, 0, 0])
    """
    return _draw(_is_odd, n_samples, n_relevant, n_irrelevant, flip_y, shuffle, random_state)


def make_conjunction(
    n_samples: int = 100,
    *,
    n_relevant: int = 3,
    n_irrelevant: int = 0,
    flip_y: float = 0.0,
    shuffle: bool = False,
    random_state: Any = None,
) -> Samples:
    """Samples of a conjunction: the class is 1 where all relevant features are true.

    Every relevant feature tells something alone, so that trees learn it from few samples. One sample in 2^n_relevant is
    of class 1.

    Parameters
    ----------
    n_samples, n_relevant, n_irrelevant, flip_y, shuffle, random_state
        See `make_parity`.

    Returns
    -------
    X : array of bool, of shape (n_samples, n_relevant + n_irrelevant)
    y : array of int, of shape (n_samples,)

    Examples
    --------
    >>> X, y = make_conjunction(100, n_relevant=2, n_irrelevant=10, random_state=0)
    >>> X.shape, bool((y == (X[:, 0] & X[:, 1])).all())
    ((100, 12), True)
    """
    return _draw(_all_true, n_samples, n_relevant, n_irrelevant, flip_y, shuffle, random_state)


def make_all_equal(
    n_samples: int = 100,
    *,
    n_relevant: int = 3,
    n_irrelevant: int = 0,
    flip_y: float = 0.0,
    shuffle: bool = False,
    random_state: Any = None,
) -> Samples:
    """Samples of the concept of Figure 1: the class is 1 where all relevant features are true, or all are false.

    With three features this is (A and B and C) or (not A and not B and not C), which the paper calls parity-like: no
    feature tells anything alone, but any two do together. One sample in 2^(n_relevant - 1) is of class 1.

    Parameters
    ----------
    n_samples, n_relevant, n_irrelevant, flip_y, shuffle, random_state
        See `make_parity`.

    Returns
    -------
    X : array of bool, of shape (n_samples, n_relevant + n_irrelevant)
    y : array of int, of shape (n_samples,)

    Examples
    --------
    >>> X, y = make_all_equal(200, n_irrelevant=5, random_state=0)
    >>> bool((y == (X[:, :3].all(axis=1) | ~X[:, :3].any(axis=1))).all())
    True
    """
    return _draw(_all_the_same, n_samples, n_relevant, n_irrelevant, flip_y, shuffle, random_state)


def _is_odd(relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    odd: NDArray[np.bool_] = np.bitwise_xor.reduce(relevant, axis=1)
    return odd


def _all_true(relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(relevant.all(axis=1))


def _all_the_same(relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(relevant.all(axis=1) | ~relevant.any(axis=1))


def _draw(
    concept: Concept,
    n_samples: Any,
    n_relevant: Any,
    n_irrelevant: Any,
    flip_y: Any,
    shuffle: Any,
    random_state: Any,
) -> Samples:
    _check_count("n_samples", n_samples, 1)
    _check_count("n_relevant", n_relevant, 1)
    _check_count("n_irrelevant", n_irrelevant, 0)
    if isinstance(flip_y, bool) or not isinstance(flip_y, Real) or not 0 <= float(flip_y) <= 1:
        raise ValueError(f"`flip_y` must be a chance between 0 and 1, but is {flip_y!r}.")
    if not isinstance(shuffle, bool | np.bool_):
        raise ValueError(f"`shuffle` must be True or False, but is {shuffle!r}.")
    from sklearn.utils import check_random_state

    generator = check_random_state(random_state)
    X = generator.randint(0, 2, size=(int(n_samples), int(n_relevant) + int(n_irrelevant))).astype(np.bool_)
    y = concept(X[:, : int(n_relevant)]).astype(np.int64)
    if float(flip_y) > 0:
        y ^= (generator.random_sample(len(y)) < float(flip_y)).astype(np.int64)
    if shuffle:
        X = np.ascontiguousarray(X[:, generator.permutation(X.shape[1])])
    return X, y


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"`{name}` must be an integer of at least {least}, but is {value!r}.")

"""What a result means and what it does not: the error on samples that the search never saw, and oversearching.

Ruggieri (2019, Section 7.4 and Table 2; 2017, Section 6) found that the best of very many trees, judged on few search
samples, owes much of its small error to luck: on Sonar 2 % became 26 % on new samples, on Ionosphere 2 % became 11 %,
while on Adult and Letter, with thousands of search samples, nothing was lost. `summary.py` says it in sentences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.search.outcome import PROVED
from palmette.support.messages import listing

if TYPE_CHECKING:
    from palmette.search.selector import SubsetSelector

__all__ = ["FEW_SEARCH_SAMPLES", "HeldOutError", "held_out_error", "lattice", "meaning", "oversearch_warning"]

FEW_SEARCH_SAMPLES = 1000
"""Below this the search errors of Table 2 were far from the generalization errors, above it they were near."""


@dataclass(frozen=True, slots=True)
class HeldOutError:
    """The error on samples that the search never saw.

    Parameters
    ----------
    error : float
        The share of wrong predictions.
    standard_error : float
        That of a proportion, with half an error added to both sides: none in twenty is no certainty.
    n_samples : int

    Examples
    --------
    >>> str(held_out_error([0, 0, 1, 1] * 10, [0, 0, 1, 0] * 10))
    '25.0 % ± 6.8'
    """

    error: float
    standard_error: float
    n_samples: int

    def __str__(self) -> str:
        return f"{100 * self.error:.1f} % ± {100 * self.standard_error:.1f}"


def held_out_error(y_true: Any, y_predicted: Any, classes: Any = None) -> HeldOutError:
    """The share of predictions that differ from the truth, with its standard error.

    With the classes of the fit, labels of which none is among them are refused: they are written in another way, and
    an error of 100 % would say nothing. A few unknown ones are errors.
    """
    truth, predicted = np.asarray(y_true), np.asarray(y_predicted)
    if truth.ndim == 2 and truth.shape[1] == 1:
        truth = truth[:, 0]
    if truth.shape != predicted.shape:
        raise ValueError(
            f"The held-out labels have the shape {truth.shape}, but X has {len(predicted)} rows. Pass one label for "
            "each row of X."
        )
    wrong = truth != predicted
    n_samples = int(wrong.size)
    if n_samples == 0:
        raise ValueError("The held-out error needs at least one sample.")
    n_wrong = int(np.count_nonzero(wrong))
    if classes is not None and n_wrong == n_samples:
        _require_known_labels(truth, np.asarray(classes))
    share = (n_wrong + 0.5) / (n_samples + 1)
    return HeldOutError(n_wrong / n_samples, math.sqrt(share * (1 - share) / (n_samples + 1)), n_samples)


def _require_known_labels(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise where none of the labels is a class."""
    given = list(dict.fromkeys(labels.tolist()))
    known = classes.tolist()
    if not set(given).intersection(known):
        raise ValueError(
            f"None of the held-out labels is a class that `fit` saw: they are {listing(given)}, the classes are "
            f"{listing(known)}. Pass labels of the same names and the same type as those of `fit`."
        )


def meaning(selector: SubsetSelector, held_out: HeldOutError | None = None) -> str:
    """In one sentence: what is known of the answer, and that the search error is no promise."""
    status = selector.status_
    if status == "optimal":
        known = "Proved best on the search set"
    elif status == "within_gap":
        known = "Proved within the gap of the best on the search set"
    elif hasattr(selector, "error_bound_"):
        known = "The best found on the search set, not proved"
    else:
        known = "Good on the search set"
    if callable(selector.error):
        known = known.replace(" on the search set", "")
        return f"{known}; minimised over many trees, the value is no estimate for new samples: {_seen(held_out)}"
    return (
        f"{known}; minimised over many subsets, the search error is no estimate of the error on new samples: "
        f"{_seen(held_out)}"
    )


def _seen(held_out: HeldOutError | None) -> str:
    if held_out is None:
        return "measure that on samples that the search has not seen."
    return f"held-out error {held_out} ({held_out.n_samples:,} samples that the search never saw)."


def lattice(selector: SubsetSelector) -> str:
    """The subsets that a complete search was about, by their number."""
    n_subsets: int = selector._n_subsets
    if n_subsets == 2**selector._n_free:
        number = f"2^{selector._n_free}"
    else:
        number = f"{n_subsets:,}" if n_subsets < 10**9 else f"about 10^{len(str(n_subsets)) - 1}"
    noun = "subset" if n_subsets == 1 else "subsets"
    most = selector.max_features
    within = "" if most is None else f" of at most {most} {'feature' if most == 1 else 'features'}"
    return f"{number} {noun}{within}"


def oversearch_warning(selector: SubsetSelector) -> str | None:
    """A warning where more trees were compared than a small search set can tell apart; None elsewhere."""
    if callable(selector.error):
        return None
    n_samples = sum(len(search) for _, search in selector.folds_)
    compared = selector.n_trees_ + getattr(selector, "_n_first_trees", 0)
    many = f"{compared:,} trees"
    if hasattr(selector, "error_bound_") and selector.status_ in PROVED:
        # A proof compares all subsets, whether their trees were built or bounded away.
        compared, many = selector._n_subsets, lattice(selector)
    if n_samples >= FEW_SEARCH_SAMPLES or compared <= 2 * n_samples:
        return None
    return (
        f"Beware of oversearching: {many} were compared on {n_samples:,} search samples, and the best of so many is "
        "partly luck. On sets as small as Sonar or Ionosphere an error of 2 % became one of 26 % or 11 % on new "
        "samples (Ruggieri 2019, Table 2)."
    )

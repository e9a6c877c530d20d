"""Checks of constructor parameters, made by `fit`: each says what was wanted, what came, and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from palmette.support.messages import did_you_mean

__all__ = ["LARGEST_COUNT", "InvalidParameterError", "check_choice", "check_flag", "check_number", "resolve_n_jobs"]

LARGEST_COUNT = 10**9
"""No table has more rows or features than this, and every counter of the core holds it."""

MOST_THREADS_PER_CORE = 8
"""More threads than this gain nothing, and a slip of the finger should not exhaust the machine."""


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Raise unless the value is one of the choices.

    >>> check_choice("criterion", "gini", ["information_gain", "gain_ratio", "gini"])
    """
    if (value is None or isinstance(value, str)) and value in choices:
        return
    hint = did_you_mean(value, [word for word in choices if word is not None]) if isinstance(value, str) else ""
    wanted = " or ".join(repr(choice) for choice in choices)
    raise InvalidParameterError(f"`{name}` must be {wanted}, but is {_shown(value)}.{hint}")


def check_flag(name: str, value: object) -> None:
    """Raise unless the value is True or False.

    >>> check_flag("bootstrap", True)
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameterError(f"`{name}` must be True or False, but is {_shown(value)}.")


def check_number(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    integer: bool = False,
    none_allowed: bool = False,
    low_excluded: bool = False,
    high_excluded: bool = False,
) -> None:
    """Raise unless the value is a number between the limits; a limit of None is no limit.

    >>> check_number("confidence", 0.25, 0, 1, low_excluded=True)
    """
    if value is None and none_allowed:
        return
    wanted_type: Any = Integral if integer else Real
    if not isinstance(value, bool) and isinstance(value, wanted_type):
        above = low is None or (value > low if low_excluded else value >= low)
        below = high is None or (value < high if high_excluded else value <= high)
        if above and below and value == value:
            return
    limits = [f"{'above' if low_excluded else 'at least'} {low}"] if low is not None else []
    limits += [f"{'below' if high_excluded else 'at most'} {high}"] if high is not None else []
    wanted = " ".join(["an integer" if integer else "a number", " and ".join(limits)]).rstrip()
    raise InvalidParameterError(
        f"`{name}` must be {wanted}{', or None' if none_allowed else ''}, but is {_shown(value)}"
        f"{_advice(value, integer)}"
    )


def _shown(value: object) -> str:
    """The value as it is printed; Python refuses to print integers of thousands of digits."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def _advice(value: Any, integer: bool) -> str:
    """The end of the sentence about a value that is not a number within the limits."""
    if isinstance(value, str):
        return ", which is text. Pass a number without quotes."
    if isinstance(value, bool) or not isinstance(value, Real):
        return f", which is a {type(value).__name__}."
    if integer and not isinstance(value, Integral) and math.isfinite(value):
        return f". Pass {round(float(value))} if that is meant."
    return "."


def resolve_n_jobs(n_jobs: Any) -> int:
    """The number of threads that `n_jobs` asks for.

    None stands for 1, or for what an enclosing `joblib.parallel_config` says; -1 for all cores, -2 for all
    but one. A pool grows to `MOST_THREADS_PER_CORE` threads a core at most; results do not depend on it.
    """
    check_number("n_jobs", n_jobs, integer=True, none_allowed=True)
    cores: int = joblib.cpu_count()
    if n_jobs is None:
        return max(1, min(int(joblib.effective_n_jobs(None)), cores))
    threads = int(n_jobs)
    if threads == 0:
        raise InvalidParameterError(
            "`n_jobs` must not be 0. Pass a number of threads, -1 for all cores, or None for one thread."
        )
    return min(threads, MOST_THREADS_PER_CORE * cores) if threads > 0 else max(1, cores + 1 + threads)

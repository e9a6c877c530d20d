"""The core's `Budget` from what a user says: seconds, and bytes of memory."""

from __future__ import annotations

import os
import re
from numbers import Integral
from pathlib import Path
from typing import Any

from palmette import _core
from palmette.support.parameters import InvalidParameterError, check_number

__all__ = ["FOREVER", "budget_of", "bytes_of"]

FOREVER = 1e9
"""Seconds; a longer time limit, infinity or an integer beyond the floats counts as this."""

MOST_BYTES_BY_DEFAULT = 4 * 2**30
SHARE_OF_MEMORY_BY_DEFAULT = 4

MOST_BYTES = 2**62
"""More memory than any machine has; the core counts it in 64 bits."""

UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    UNITS |= {_letter: 1000**_power, f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}


def budget_of(time_limit: Any) -> _core.Budget:
    """A budget of so many seconds from now; None for no limit."""
    check_number("time_limit", time_limit, 0, none_allowed=True)
    budget = _core.Budget()
    if time_limit is not None:
        budget.set_time_limit(float(min(time_limit, FOREVER)))
    return budget


def bytes_of(memory_limit: Any) -> int:
    """The bytes that `memory_limit` allows: a number, a text such as "2GB", or None for the default.

    The default is a quarter of the machine's memory, at most 4 GiB.

    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(10**6)
    (2000000000, 1610612736, 1000000)
    """
    if memory_limit is None:
        return min(_memory_of_the_machine() // SHARE_OF_MEMORY_BY_DEFAULT, MOST_BYTES_BY_DEFAULT)
    if isinstance(memory_limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", memory_limit)
        if match and match[2].upper() in UNITS:
            wanted = int(min(float(match[1]) * UNITS[match[2].upper()], MOST_BYTES))
            if wanted > 0:
                return wanted
    elif isinstance(memory_limit, Integral) and not isinstance(memory_limit, bool) and int(memory_limit) > 0:
        return min(int(memory_limit), MOST_BYTES)
    raise InvalidParameterError(
        '`memory_limit` must be a positive number of bytes, a text such as "500MB" or "2GiB", or None, '
        f"but is {memory_limit!r}."
    )


def _memory_of_the_machine() -> int:
    """Bytes of memory, or of the control group that the process lives in, where that is less."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        physical = SHARE_OF_MEMORY_BY_DEFAULT * 2**30
    try:
        allowed = int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return physical
    return min(physical, allowed)

"""Warnings on the command line: each once, as a plain sentence on stderr, without the place in the code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from palmette.cli.screen import remark

TOLD_BY_A_NOTE = ("The number of unique classes is greater than 50%",)
"""How warnings begin that repeat what `problem.py` has noted in the words of the command line."""


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Inside, a warning is a remark."""
    told: set[str] = set()

    def tell(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        words = " ".join(str(message).split())
        if words not in told:
            told.add(words)
            remark(words, style="yellow")

    with warnings.catch_warnings():
        for beginning in TOLD_BY_A_NOTE:
            warnings.filterwarnings("ignore", message=beginning)
        warnings.showwarning = tell
        yield

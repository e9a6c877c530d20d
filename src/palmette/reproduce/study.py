"""A study: one table or figure of a paper, and how to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palmette.reproduce.results import Reproduction
from palmette.reproduce.settings import Settings

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """One table or figure of a paper.

    Parameters
    ----------
    name : str
        `paper-tableN` or `paper-figureN`, as on the command line.
    title : str
        What it shows, in the words of its caption.
    claim : str
        What the paper's text says of it, in a sentence or two.
    datasets : tuple of str
        All datasets of the paper's table or figure, in its order, named as in `palmette.datasets`.
    run : callable
        Takes the study and `Settings`, returns a `Reproduction`.
    repeats, folds : int
        The paper's protocol; what a run does unless told otherwise.
    trial_limit : float
        Seconds for one fit unless told otherwise.
    short : str
        Options of the command line that make a run a matter of a minute.
    takes_others : bool
        Whether it can be run on datasets that the paper did not have, too.
    """

    name: str
    title: str
    claim: str
    datasets: tuple[str, ...]
    run: Callable[[Study, Settings], Reproduction]
    repeats: int = 10
    folds: int = 10
    trial_limit: float = 60.0
    short: str = ""
    takes_others: bool = False

    @property
    def command(self) -> str:
        """The short version as it is typed."""
        return f"palmette reproduce {self.name} {self.short}".strip()

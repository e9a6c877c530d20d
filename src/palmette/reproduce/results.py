"""What a study comes back with: rows of ours beside the published, claims judged, and ways to keep them.

`text.py` makes the table, `drawing.py` the plot.
"""

from __future__ import annotations

import csv
import io
import math
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from palmette.support.strict_json import strict_json

if TYPE_CHECKING:
    from palmette.reproduce.settings import Settings
    from palmette.reproduce.study import Study

__all__ = ["Claim", "Reproduction", "Row", "Status", "describe_machine"]

Status: TypeAlias = Literal["measured", "no data", "over the limit", "not asked for", "not installed", "not defined"]
"""Why a row has no number of ours; "measured" where it has one, "not defined" where there is none to have."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number: ours, its standard error, and the paper's.

    Parameters
    ----------
    dataset, quantity, strategy : str
        What was measured, on what, of what; `strategy` is the column of the paper.
    ours, standard_error : float or None
        The mean over folds and its standard error, sd/√n (folds share data, so this is a custom, not a truth).
    n, planned : int
        Measurements that the mean rests on, and those that a complete run would have.
    published : float, str or None
        The paper's number; a word such as ">1h" where it has no number; None where it prints nothing.
    published_standard_error : float or None
    status : str
    at : float, str or None
        The place on the x axis of a figure.
    remark : str
        A word on this number, such as "9 of 10 proved".
    mark, published_mark : {"best", "star"} or None
        Best of its row, or not different from it at 95 % (paired t-test): the paper's bold face and star.
    """

    dataset: str
    quantity: str
    strategy: str
    ours: float | None = None
    standard_error: float | None = None
    n: int = 0
    planned: int = 0
    published: float | str | None = None
    published_standard_error: float | None = None
    status: Status = "measured"
    at: float | str | None = None
    remark: str = ""
    mark: str | None = None
    published_mark: str | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, in standard errors of the difference; None where that is not defined."""
        if self.ours is None or not isinstance(self.published, int | float):
            return None
        if self.standard_error is None or self.published_standard_error is None:
            return None
        error = math.hypot(self.standard_error, self.published_standard_error)
        return (self.ours - self.published) / error if error > 0 else None


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that the paper says in words, and whether our numbers agree; None if this run cannot tell.

    `dataset` is the one that it speaks of, or nothing if it speaks of all.
    """

    words: str
    holds: bool | None
    evidence: str = ""
    dataset: str = ""


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, rebuilt.

    Parameters
    ----------
    name, title, claim : str
        Of the study.
    rows : tuple of Row
        Every number of the paper, with ours or with the reason why there is none.
    claims : tuple of Claim
        What the paper says in words, judged.
    notes : tuple of str
        What a reader must know: departures, readings of the data, limits.
    axis : mapping or None
        What `Row.at` is, by quantity.
    digits : mapping or None
        Decimals to print of each quantity, where they are not two.
    settings : dict
        The choices of the run.
    machine, date : str
    seconds : float
        That the run took.
    interrupted : bool
        Whether Ctrl-C ended it; the rows hold what was done.
    """

    name: str
    title: str
    claim: str
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    axis: Mapping[str, str] | None = None
    digits: Mapping[str, int] | None = None
    settings: dict[str, Any] | None = None
    machine: str = ""
    date: str = ""
    seconds: float = 0.0
    interrupted: bool = False

    @classmethod
    def of(
        cls,
        study: Study,
        settings: Settings,
        rows: Iterable[Row],
        *,
        claims: Iterable[Claim] = (),
        notes: Iterable[str] = (),
        axis: Mapping[str, str] | None = None,
        digits: Mapping[str, int] | None = None,
        interrupted: bool = False,
    ) -> Self:
        """What a study returns: the rows, with the study, the settings, the machine, the date and the time taken."""
        chosen = {
            "datasets": list(settings.datasets),
            "repeats": settings.repeats,
            "folds": settings.folds,
            "time_limit": settings.time_limit,
            "trial_limit": settings.trial_limit,
            "n_jobs": settings.n_jobs,
            "random_state": settings.random_state,
        }
        return cls(
            name=study.name,
            title=study.title,
            claim=study.claim,
            rows=tuple(rows),
            claims=tuple(claims),
            notes=tuple(notes),
            axis=axis,
            digits=digits,
            settings=chosen,
            machine=describe_machine(),
            date=datetime.now(UTC).strftime("%Y-%m-%d"),
            seconds=time.time() - settings.started,
            interrupted=interrupted,
        )

    def table(self, width: int = 100) -> str:
        """The whole result as text: ours ± standard error, the paper's, the difference in standard errors."""
        from palmette.reproduce.text import as_text

        return as_text(self, width)

    def markdown(self) -> str:
        """The same as Markdown, for pages."""
        from palmette.reproduce.text import as_markdown

        return as_markdown(self)

    def frame(self) -> Any:
        """The rows as a pandas frame, one row a number."""
        import pandas as pd

        return pd.DataFrame(self._records(), columns=self._columns())

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The rows as CSV, also written to `path` if given."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, self._columns(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._records())
        return _written(buffer.getvalue(), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Everything as JSON, also written to `path` if given."""
        data = asdict(self)
        data["rows"] = self._records()
        return _written(strict_json(data, indent=2, ensure_ascii=False) + "\n", path)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw it with matplotlib; returns the figure, and writes it to `path` (.png, .svg, .pdf) if given."""
        from palmette.reproduce.drawing import draw

        figure = draw(self)
        if path is not None:
            figure.savefig(path, dpi=150)
        return figure

    def _columns(self) -> list[str]:
        return [
            *("dataset", "at", "quantity", "strategy", "ours", "standard_error", "n", "planned"),
            *("published", "published_standard_error", "difference", "status", "remark", "mark", "published_mark"),
        ]

    def _records(self) -> Sequence[dict[str, Any]]:
        return [{column: getattr(row, column) for column in self._columns()} for row in self.rows]


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def describe_machine() -> str:
    """The processor, the cores and the system, for tables of times."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"

"""`Comparison`, the result of `compare`: every trial, and what they come to, as text, frames, a plot and JSON.

`cells.py` aggregates, `table.py`, `words.py` and `plot.py` show, `storage.py` writes and reads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from palmette.comparison.cells import MEASURES, ComparisonCell, DatasetRecord, cells_of
from palmette.comparison.plot import plot_comparison
from palmette.comparison.significance import BEST, STAR, corrected_t_test, paired_t_test
from palmette.comparison.table import comparison_table
from palmette.comparison.trial import Trial
from palmette.comparison.triples import Protocol
from palmette.comparison.words import summarize
from palmette.search.history import frame_of
from palmette.support.messages import did_you_mean
from palmette.support.parameters import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Strategies side by side on the same triples of building, search and test samples; made by `compare`.

    Parameters
    ----------
    protocol : Protocol
        How the samples were divided.
    datasets : tuple of DatasetRecord
    strategies : tuple of str
    results : tuple of Trial
        Every trial that came to an end, failed ones included.
    status : {"complete", "interrupted", "time_limit"}
        Whether all trials were run, or what ended the comparison.

    Examples
    --------
    >>> from palmette import compare
    >>> comparison = compare(["tree", "backward"], ["iris"], repeats=2, folds=5)
    >>> comparison.status
    'complete'
    >>> print(comparison.table(["search_error", "test_error", "n_used"], width=80))
    iris: 150 samples, 4 features, 3 classes. 2 × 5 folds, 30 % of each training
    part to search on.
    <BLANKLINE>
    strategy  search error %  test error %   features used
    tree      6.94 ± 3.98 °   6.33 ± 3.67 ●  2.2 ± 0.4
    backward  4.72 ± 3.22 ●   7.00 ± 3.67 *  1.1 ± 0.3 ●
    <BLANKLINE>
    Mean ± standard deviation over the trials. ● best; * not different from the best
    in a paired t-test at 95 %; ° different, but not once the training samples that
    folds share are allowed for.
    """

    protocol: Protocol
    datasets: tuple[DatasetRecord, ...]
    strategies: tuple[str, ...]
    results: tuple[Trial, ...]
    status: str

    @property
    def n_trials(self) -> int:
        """How many trials a complete comparison has."""
        return len(self.datasets) * len(self.strategies) * self.trials_a_cell

    @property
    def trials_a_cell(self) -> int:
        """How many trials of them are of one strategy on one dataset."""
        return self.protocol.repeats * self.protocol.folds

    @cached_property
    def cells(self) -> dict[tuple[str, str], ComparisonCell]:
        """What the trials come to, by (dataset, strategy)."""
        groups: dict[tuple[str, str], list[Trial]] = {
            (dataset.name, strategy): [] for dataset in self.datasets for strategy in self.strategies
        }
        for trial in sorted(self.results, key=lambda trial: trial.place):
            groups[trial.dataset, trial.strategy].append(trial)
        return {
            (dataset.name, cell.strategy): cell
            for dataset in self.datasets
            for cell in cells_of(dataset, {name: groups[dataset.name, name] for name in self.strategies}, self.protocol)
        }

    def cell(self, dataset: str, strategy: str) -> ComparisonCell:
        """What the trials of a strategy on a dataset come to.

        Parameters
        ----------
        dataset, strategy : str

        Returns
        -------
        ComparisonCell
        """
        for kind, name, known in (
            ("dataset", dataset, [record.name for record in self.datasets]),
            ("strategy", strategy, list(self.strategies)),
        ):
            if name not in known:
                raise ValueError(
                    f"The comparison has no {kind} {name!r}.{did_you_mean(str(name), known)} It has {', '.join(known)}."
                )
        return self.cells[dataset, strategy]

    def wins(self, measure: str = "test_error", *, corrected: bool = False) -> dict[str, tuple[int, int]]:
        """How often each strategy is the best, and how often it does not differ from the best at 95 %.

        Parameters
        ----------
        measure : str, default="test_error"
            One of "search_error", "test_error", "n_selected", "n_used", "stability".
        corrected : bool, default=False
            Whether to go by the t-test for resampled folds.

        Returns
        -------
        dict of pairs of int
            By strategy the numbers of datasets, as the last lines of the papers' tables give them.
        """
        check_choice("measure", measure, tuple(name for name, item in MEASURES.items() if item.marked))
        counts = {}
        for strategy in self.strategies:
            given = [
                summary.mark_corrected if corrected else summary.mark
                for dataset in self.datasets
                if (summary := self.cells[dataset.name, strategy].summaries.get(measure)) is not None
            ]
            counts[strategy] = (given.count(BEST), given.count(STAR))
        return counts

    def test(
        self, dataset: str, first: str, second: str, measure: str = "test_error", *, corrected: bool = False
    ) -> float:
        """The p-value of a paired t-test between two strategies, over the triples that both finished.

        Parameters
        ----------
        dataset, first, second : str
        measure : str, default="test_error"
            A measure of a trial.
        corrected : bool, default=False
            Whether to allow for the training samples that folds share (Nadeau and Bengio 2003).

        Returns
        -------
        float
            NaN for fewer than two triples.
        """
        check_choice("measure", measure, tuple(name for name in MEASURES if name != "stability"))
        values = [
            {
                trial.place: float(number)
                for trial in self.cell(dataset, strategy).trials
                if (number := getattr(trial, measure)) is not None
            }
            for strategy in (first, second)
        ]
        common = [place for place in values[0] if place in values[1]]
        pairs = [[numbers[place] for place in common] for numbers in values]
        if corrected:
            return corrected_t_test(pairs[0], pairs[1], 1 / (self.protocol.folds - 1))
        return paired_t_test(pairs[0], pairs[1])

    def table(self, measures: Sequence[str] | str | None = None, *, width: int | None = None) -> str:
        """The comparison as text: strategies below each other for one dataset, datasets for several.

        Parameters
        ----------
        measures : list of str, str or None
            What to show, of "search_error", "test_error", "n_selected", "n_used", "stability", "seconds",
            "cpu_seconds", "n_trees". None for all but the selected features and the CPU seconds.
        width : int or None
            Columns of the terminal; None to ask it. Wider tables are continued below.

        Returns
        -------
        str
        """
        return comparison_table(self, measures, width)

    def summary(self) -> str:
        """What the comparison tells, and what it does not, in a few sentences.

        Returns
        -------
        str
        """
        return summarize(self)

    def plot(self, ax: Axes | None = None, *, measure: str = "test_error") -> Axes:
        """Draw the mean of each strategy on each dataset with its standard deviation, with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None
        measure : str, default="test_error"
            What to show; errors come with the search error beside them.

        Returns
        -------
        matplotlib Axes
        """
        check_choice("measure", measure, tuple(MEASURES))
        return plot_comparison(self, ax, measure)

    def frame(self) -> DataFrame:
        """A pandas frame with a row for each dataset and strategy.

        For every measure `x` of a trial there are the mean `x`, the standard deviation `x_sd`, and the marks `x_mark`
        and `x_mark_corrected`; for the stability its interval, `stability_low` and `stability_high`.

        Returns
        -------
        pandas.DataFrame
        """
        return frame_of(_columns(_row(cell) for cell in self.cells.values()))

    def trials(self) -> DataFrame:
        """A pandas frame with a row for each trial.

        Returns
        -------
        pandas.DataFrame
        """
        return frame_of(_columns(_trial_row(trial) for trial in self.results))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The comparison as JSON text, written to `path` if one is given; every number returns exactly.

        Parameters
        ----------
        path : str, path or None

        Returns
        -------
        str
        """
        from palmette.comparison.storage import comparison_to_json

        return comparison_to_json(self, path)

    @classmethod
    def from_json(cls, text_or_path: str | bytes | os.PathLike[str]) -> Comparison:
        """The comparison that `to_json` wrote. Nothing in the text is executed.

        Parameters
        ----------
        text_or_path : str, bytes or path
            JSON text, or the path of a file.

        Returns
        -------
        Comparison
        """
        from palmette.comparison.storage import comparison_from_json

        return comparison_from_json(text_or_path)


def _row(cell: ComparisonCell) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dataset": cell.dataset,
        "strategy": cell.strategy,
        "n_trials": len(cell.trials),
        "n_stopped": cell.n_stopped,
        "n_failed": len(cell.failures),
        "message": cell.failures[0].message if cell.failures else "",
    }
    for name in MEASURES:
        summary = cell.summaries.get(name)
        row[name] = math.nan if summary is None else summary.mean
        row[f"{name}_sd"] = math.nan if summary is None else summary.sd
        row[f"{name}_mark"] = None if summary is None else summary.mark
        row[f"{name}_mark_corrected"] = None if summary is None else summary.mark_corrected
        if name == "stability":
            row["stability_low"] = math.nan if cell.stability is None else cell.stability.low
            row["stability_high"] = math.nan if cell.stability is None else cell.stability.high
    return row


def _trial_row(trial: Trial) -> dict[str, Any]:
    return {
        "dataset": trial.dataset,
        "strategy": trial.strategy,
        "repeat": trial.repeat,
        "fold": trial.fold,
        "status": trial.status,
        "message": trial.message,
        **{name: getattr(trial, name) for name in MEASURES if name != "stability"},
        "selected": trial.selected,
        "used": trial.used,
    }


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns

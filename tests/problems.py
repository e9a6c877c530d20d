"""Random classification problems for the oracles' tests: small, full of ties, from a seed or from hypothesis.

One generator serves both: it draws every choice from a `random.Random`, and those of hypothesis shrink.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from oracles.c45 import Column, Grower, Rules, Value

CRITERIA = ["information_gain", "gain_ratio", "gini"]
GROWTH_RULES = ["c45", "literal"]
THRESHOLDS = ["c45", "midpoint"]
KINDS = ["integers", "halves", "floats", "many", "nominal", "nominal", "copy", "rescaled", "constant"]
UNSEEN = "never seen"


@dataclass(frozen=True)
class Problem:
    """A training set, parameters of C45Classifier, and fresh rows with missing and unseen values."""

    frame: pd.DataFrame
    labels: list[int]
    weights: list[float] | None
    parameters: dict[str, Any]
    fresh: pd.DataFrame

    def __repr__(self) -> str:
        """What a person needs in order to see a failing problem: the table, and how to grow."""
        table = self.frame.assign(label=self.labels, weight=self.weights if self.weights is not None else 1.0)
        declared = {
            name: list(column.cat.categories)
            for name, column in self.frame.items()
            if isinstance(column.dtype, pd.CategoricalDtype)
        }
        return f"Problem({self.parameters}\n{table.to_string()}\ndeclared: {declared})"

    @property
    def classes(self) -> list[int]:
        return sorted(set(self.labels))

    def codes(self) -> list[int]:
        """The labels as class indices."""
        return [self.classes.index(label) for label in self.labels]

    def grower(self) -> Grower:
        """The oracle of this problem."""
        return Grower(columns(self.frame), self.codes(), len(self.classes), Rules(**self.parameters), self.weights)

    def rows(self, frame: pd.DataFrame) -> list[tuple[Value, ...]]:
        """The rows of a frame as the oracle reads them: unseen categories are missing."""
        read = []
        for (_, series), column in zip(frame.items(), columns(frame), strict=True):
            values = column.values
            if isinstance(series.dtype, pd.CategoricalDtype):
                code_of = {category: code for code, category in enumerate(self.frame[series.name].cat.categories)}
                here = [code_of.get(category) for category in series.cat.categories]
                values = [None if code is None else here[int(code)] for code in values]
            read.append(values)
        return list(zip(*read, strict=True))


def columns(frame: pd.DataFrame) -> list[Column]:
    """The columns of a frame as the oracle reads them."""
    read = []
    for series in map(frame.get, frame.columns):
        if isinstance(series.dtype, pd.CategoricalDtype):
            codes = [None if code < 0 else int(code) for code in series.cat.codes]
            read.append(Column(codes, len(series.cat.categories)))
        else:
            read.append(Column([None if math.isnan(value) else value for value in series.tolist()]))
    return read


def random_problem(
    random: Random,
    *,
    min_rows: int = 2,
    max_rows: int = 60,
    max_features: int = 7,
    missing: bool = True,
    weighted: bool = True,
) -> Problem:
    """A problem; every kind of column, weight and label that it may hold is drawn from `random`."""
    n_rows = random.randint(min_rows, random.choice([min_rows + 4, max_rows, max_rows, max_rows]))
    n_features = random.randint(1, max_features)
    drawn: list[RandomColumn] = []
    for _ in range(n_features):
        drawn.append(random_column(random, n_rows, drawn, missing))
    for row in range(1, n_rows):
        if random.randint(0, 9) == 9:
            copied = random.randint(0, row - 1)
            for column in drawn:
                column.cells[row] = column.cells[copied]
    labels = random_labels(random, drawn, n_rows)
    parameters: dict[str, Any] = {
        "criterion": random.choice(CRITERIA),
        "growth": random.choice(GROWTH_RULES),
        "threshold": random.choice(THRESHOLDS),
        "min_samples": random.choice([1, 1, 2, 2, 2, 3, 4, 5, 6]),
        "max_depth": random.choice([None, None, None, None, None, 1, 2, 3, 4]),
    }
    names = [f"feature {index}" for index in range(n_features)]
    frame = pd.DataFrame({name: column.series(column.cells) for name, column in zip(names, drawn, strict=True)})
    n_fresh = 8
    fresh = pd.DataFrame(
        {
            name: column.series([column.fresh_cell(random) for _ in range(n_fresh)], unseen=True)
            for name, column in zip(names, drawn, strict=True)
        }
    )
    weights = random_weights(random, n_rows) if weighted else None
    return Problem(frame, labels, weights, parameters, fresh)


@dataclass
class RandomColumn:
    """A column in the making: `cells` are positions in `pool`, None where missing."""

    pool: list[float] | list[str]
    nominal: bool
    cells: list[int | None]

    def series(self, cells: Sequence[int | None], *, unseen: bool = False) -> pd.Series | pd.Categorical:
        if self.nominal:
            declared = [*self.pool, UNSEEN] if unseen else self.pool
            codes = [-1 if cell is None else cell for cell in cells]
            return pd.Categorical.from_codes(codes, categories=declared)
        between = [
            *self.pool,
            *((low + high) / 2 for low, high in zip(self.pool, self.pool[1:], strict=False)),
        ]
        return pd.Series([math.nan if cell is None else between[cell] for cell in cells], dtype="float64")

    def level(self, row: int) -> int:
        """What a label may depend on: the position in the pool, in thirds if the pool is large."""
        cell = self.cells[row] or 0
        return cell if len(self.pool) < 10 else 3 * cell // len(self.pool)

    def fresh_cell(self, random: Random) -> int | None:
        """Any value of the pool, one between two of them, an unseen category, or missing."""
        n_others = 1 if self.nominal else len(self.pool) - 1
        cell = random.randint(-2, len(self.pool) + n_others - 1)
        return None if cell < 0 else cell


def random_column(random: Random, n_rows: int, earlier: list[RandomColumn], may_miss: bool) -> RandomColumn:
    kind = random.choice(KINDS)
    if kind in ("copy", "rescaled") and earlier:
        source = random.choice(earlier)
        pool = source.pool
        if kind == "rescaled" and not source.nominal:
            pool = [3.0 * value + 1.0 for value in pool]
        return RandomColumn(pool, source.nominal, list(source.cells))
    if kind == "nominal":
        n_declared = random.randint(1, 6)
        pool = [f"category {letter}" for letter in "dbfaec"[:n_declared]]
        n_occurring = random.randint(1, n_declared)
        occurring = random.sample(range(n_declared), n_occurring)
    else:
        pool = random_values(random, kind, n_rows)
        occurring = range(len(pool))
    missing_rate = random.choice([0, 0, 1, 2, 5]) if may_miss else 0
    cells = [
        None if missing_rate and random.randint(0, 9) < missing_rate else random.choice(occurring)
        for _ in range(n_rows)
    ]
    return RandomColumn(pool, kind == "nominal", cells)


def random_values(random: Random, kind: str, n_rows: int) -> list[float]:
    """The ascending values that a continuous column may take."""
    n_values = n_rows if kind == "many" else random.randint(2, 9)
    if kind == "halves":
        return [index / 2 - 2 for index in range(n_values)]
    if kind == "floats":
        # Neighbouring floats, where a midpoint may round to the upper value, and steps that sums do not hit.
        base = random.choice([0.3, 1.0, -1.0, 1e-300, 123456.789])
        close = [base]
        for _ in range(n_values):
            close.append(math.nextafter(close[-1], math.inf))
        return [*close, *(base + abs(base) * 0.1 * step for step in range(1, n_values))]
    if kind == "constant":
        return [7.0]
    return [-0.0, *(float(index) for index in range(n_values))]


def random_labels(random: Random, drawn: list[RandomColumn], n_rows: int) -> list[int]:
    """Noise, or the cells of up to three columns with some noise; the first two rows differ."""
    n_classes = random.randint(2, 6)
    n_sources = random.choice([1, 2, 3, 0])
    sources = [random.choice(drawn) for _ in range(n_sources)]
    noise = random.randint(0, 4)
    labels = []
    for row in range(n_rows):
        if not sources or (noise and random.randint(0, 9) < noise):
            labels.append(random.randint(0, n_classes - 1))
        else:
            labels.append(sum(column.level(row) for column in sources) % n_classes)
    if labels[0] == labels[1]:
        labels[1] = (labels[0] + 1) % n_classes
    step, first = random.choice([(1, 0), (1, 0), (3, -1)])
    return [first + step * label for label in labels]


def random_weights(random: Random, n_rows: int) -> list[float] | None:
    """None, counts, fractions or heavy weights, zeros among them; the first two rows weigh something."""
    pools: dict[str, list[float]] = {
        "counts": [1, 2, 3, 0, 1],
        "fractions": [0.5, 0.1, 1 / 3, 2.25, 0, 1e-3],
        "heavy": [2.0**22, 1e6, 5e6 + 1 / 3, 0],
        "very heavy": [2.0**28, 1e8, 1e9 + 1 / 3, 1.0, 0],
    }
    kind = random.choice(["none"] * 4 + ["counts"] * 3 + ["fractions"] * 3 + ["heavy", "very heavy"])
    if kind == "none":
        return None
    pool = pools[kind]
    return [pool[0], pool[1], *(random.choice(pool) for _ in range(n_rows - 2))]


def problem_of_seed(seed: int, **limits: Any) -> Problem:
    return random_problem(Random(seed), **limits)


@st.composite
def problems(draw: st.DrawFn, **limits: Any) -> Problem:
    """The hypothesis strategy of such problems; every choice shrinks."""
    return random_problem(draw(st.randoms(use_true_random=False)), **limits)

"""The charts of a page as SVG: the search closing in, the error against the number of features, errors with intervals.

Lines and letters take their colours from the style sheet, so that they suit light, dark and paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from palmette.report.svg import element, joined, rounded, text_width

__all__ = ["Interval", "Mark", "closing_chart", "interval_chart", "size_chart"]

WIDTH, HEIGHT = 720.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 16.0, 14.0, 46.0


@dataclass(frozen=True)
class Axis:
    """From values to pixels, with the values that are marked."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    write: Callable[[float], str]
    scale: Literal["linear", "log"] = "linear"

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.scale == "log":
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * share


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a size chart: how many features, with which error, and what to tell about it."""

    n_features: int
    error: float
    words: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its range, on a line of its own."""

    name: str
    value: float
    low: float
    high: float
    strong: bool = False


def closing_chart(
    steps: Sequence[tuple[float, float, float]], until: float, *, objective: str, ending: str
) -> tuple[Markup, str]:
    """The incumbent and the bound over the seconds, from steps (seconds, objective, bound); and a caption.

    `ending` says how far apart the two are in the end.
    """
    last = steps[-1]
    times = [*(max(step[0], 0.0) for step in steps), max(until, last[0])]
    best = [*(step[1] for step in steps), last[1]]
    bounds = [*(max(step[2], 0.0) for step in steps), max(last[2], 0.0)]
    x = _time_axis([time for time in times if time > 0], times[-1])
    y = _rate_axis(max([*best, *bounds]))
    upper = _stairs(x, y, times, best)
    lower = _stairs(x, y, times, bounds)
    area = "M" + "L".join([*upper, *reversed(lower)]) + "Z"
    parts = [
        *_axes(x, y, "seconds", objective),
        element("path", d=area, class_="between"),
        element("path", d="M" + "L".join(lower), class_="line second"),
        element("path", d="M" + "L".join(upper), class_="line first"),
    ]
    for seconds, value, bound in steps if len(steps) <= 60 else steps[-1:]:
        told = f"after {seconds:.3g} s: best {value:.2%}, none below {max(bound, 0.0):.2%}"
        parts.append(element("circle", element("title", told), cx=x(seconds), cy=y(value), r=3.5, class_="dot first"))
    caption = (
        f"The best subset found so far (upper line) and the proved bound (lower line): no subset has a smaller "
        f"{objective}. After {until:.3g} seconds {ending}."
    )
    legend = [("first", "best so far"), ("second", "proved: none is below")]
    return _chart(f"{objective} over the time of the search", caption, [*parts, *_legend(legend, objective)]), caption


def size_chart(
    marks: Sequence[Mark],
    chosen: int,
    *,
    joined_by: Literal["lines", "stairs"],
    caption: str,
    band: float | None = None,
) -> Markup:
    """The error against the number of features, the chosen one marked; errors up to `band` are shaded."""
    sizes = [mark.n_features for mark in marks]
    largest = max(sizes)
    x = _size_axis(largest)
    errors = [mark.error for mark in marks]
    y = _rate_axis(max([*errors, band or 0.0]))
    objective = "search error"
    parts = _axes(x, y, "number of features", objective)
    if band is not None:
        height = y(y.low) - y(band)
        parts.append(element("rect", x=LEFT, y=y(band), width=WIDTH - LEFT - RIGHT, height=height, class_="between"))
    if joined_by == "stairs":
        order = sorted(marks, key=lambda mark: mark.n_features)
        line = _stairs(
            x,
            y,
            [*(float(mark.n_features) for mark in order), x.high],
            [*(mark.error for mark in order), order[-1].error],
        )
    else:
        line = [f"{rounded(x(mark.n_features))} {rounded(y(mark.error))}" for mark in marks]
    parts.append(element("path", d="M" + "L".join(line), class_="line second"))
    for place, mark in enumerate(marks):
        if place == chosen:
            continue
        if len(marks) <= 120:
            parts.append(_dot(x, y, mark, "dot second", 3.5))
    parts.append(_dot(x, y, marks[chosen], "dot first", 6.0))
    legend = [("first", f"chosen: {_features(marks[chosen].n_features)}"), ("second", "other subsets")]
    parts += _legend(legend, objective)
    return _chart(f"{objective} against the number of features", caption, parts)


def interval_chart(intervals: Sequence[Interval], *, unit: str, caption: str) -> Markup:
    """Values with their ranges, one below the other."""
    name_width = min(max(text_width(item.name, 13) for item in intervals) + 14, 0.42 * WIDTH)
    row = 30.0
    height = TOP + row * len(intervals) + BOTTOM
    top = max(item.high for item in intervals)
    ticks, high = _even_ticks(top)
    x = Axis(0.0, high, name_width, WIDTH - RIGHT - 8, ticks, _percent)
    parts = [element("line", x1=x(tick), x2=x(tick), y1=TOP, y2=height - BOTTOM, class_="grid") for tick in x.ticks]
    parts += [
        element("text", x.write(tick), x=x(tick), y=height - BOTTOM + 18, class_="tick middle") for tick in x.ticks
    ]
    parts.append(element("text", unit, x=(x.start + x.end) / 2, y=height - 8, class_="name middle"))
    for place, item in enumerate(intervals):
        y = TOP + row * (place + 0.5)
        tone = "first" if item.strong else "second"
        told = f"{item.name}: {item.value:.2%}, from {item.low:.2%} to {item.high:.2%}"
        parts.append(element("text", item.name, x=name_width - 12, y=y + 4, class_="label end"))
        parts.append(element("line", x1=x(max(item.low, 0.0)), x2=x(item.high), y1=y, y2=y, class_=f"line {tone}"))
        parts.append(element("circle", element("title", told), cx=x(item.value), cy=y, r=5, class_=f"dot {tone}"))
    return _chart(unit, caption, parts, height)


def _dot(x: Axis, y: Axis, mark: Mark, kind: str, radius: float) -> Markup:
    return element(
        "circle", element("title", mark.words), cx=x(mark.n_features), cy=y(mark.error), r=radius, class_=kind
    )


def _features(number: int) -> str:
    return "1 feature" if number == 1 else f"{number:,} features"


def _stairs(x: Axis, y: Axis, across: Sequence[float], values: Sequence[float]) -> list[str]:
    """The points of a line that stays until the next value comes."""
    points = [(x(across[0]), y(values[0]))]
    for place in range(1, len(across)):
        points += [(x(across[place]), points[-1][1]), (x(across[place]), y(values[place]))]
    return [f"{rounded(left)} {rounded(top)}" for left, top in points]


# Axes


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _even_ticks(top: float, most: int = 6) -> tuple[tuple[float, ...], float]:
    """Round values from 0 to at least the top."""
    if not top > 0:
        return (0.0, 0.01), 0.01
    step = 10.0 ** math.floor(math.log10(top / most))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10, 20) if top / (step * factor) <= most)
    n_steps = math.ceil(top / step - 1e-9)
    return tuple(step * number for number in range(n_steps + 1)), step * n_steps


def _rate_axis(top: float) -> Axis:
    ticks, high = _even_ticks(1.04 * top)
    return Axis(0.0, high, HEIGHT - BOTTOM, TOP, ticks, _percent)


def _time_axis(times: Sequence[float], until: float) -> Axis:
    """Seconds; in decades where the first steps would else be squeezed into one point."""
    end = WIDTH - RIGHT
    first = min(times, default=until)
    if first > 0 and until / first > 50:
        low = 10.0 ** math.floor(math.log10(first))
        ticks = []
        tick = low
        while tick <= until * 1.0001:
            ticks.append(tick)
            tick *= 10
        return Axis(low, until, LEFT, end, tuple(ticks), lambda value: f"{value:g}", "log")
    even, _ = _even_ticks(until)
    ticks = [tick for tick in even if tick <= until * 1.0001]
    return Axis(0.0, until or 1.0, LEFT, end, tuple(ticks), lambda value: f"{value:.3g}")


def _size_axis(largest: int) -> Axis:
    """The number of features; in decades above a hundred, where 0 stands beside 1."""
    start, end = LEFT + 10, WIDTH - RIGHT - 10
    if largest > 100:
        ticks = [10.0**power for power in range(math.floor(math.log10(largest)) + 1)]
        return Axis(0.9, largest, start, end, tuple(ticks), lambda value: f"{value:,.0f}", "log")
    step = max(1, math.ceil(largest / 12))
    ticks = [float(tick) for tick in range(0, largest + 1, step)]
    return Axis(0.0, float(max(largest, 1)), start, end, tuple(ticks), lambda value: f"{value:.0f}")


def _axes(x: Axis, y: Axis, x_name: str, y_name: str) -> list[Markup]:
    bottom = HEIGHT - BOTTOM
    parts = []
    for tick in y.ticks:
        parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(tick), y2=y(tick), class_="grid"))
        parts.append(element("text", y.write(tick), x=LEFT - 8, y=y(tick) + 4, class_="tick end"))
    for tick in x.ticks:
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=bottom, y2=bottom + 5, class_="axis"))
        parts.append(element("text", x.write(tick), x=x(tick), y=bottom + 19, class_="tick middle"))
    parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=bottom, y2=bottom, class_="axis"))
    parts.append(element("text", x_name, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 8, class_="name middle"))
    parts.append(element("text", y_name, x=LEFT, y=TOP - 3, class_="name"))
    return parts


def _legend(entries: Sequence[tuple[str, str]], y_name: str) -> list[Markup]:
    """Above the lines, beside the name of the axis, where a narrow screen shows it too."""
    parts = []
    x = LEFT + max(130.0, text_width(y_name, 12) + 34)
    for tone, name in entries:
        parts.append(element("circle", cx=x, cy=TOP - 7, r=4.5, class_=f"dot {tone}"))
        parts.append(element("text", name, x=x + 9, y=TOP - 3, class_="label"))
        x += text_width(name, 12) + 34
    return parts


def _chart(title: str, description: str, parts: Sequence[Markup], height: float = HEIGHT) -> Markup:
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        joined(parts),
        class_="chart",
        viewBox=f"0 -12 {rounded(WIDTH)} {rounded(height + 12)}",
        role="img",
        aria_label=f"{title}. {description}",
    )

"""How the command line speaks: results on stdout, the rest on stderr, trees in the colours of the classes."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from palmette.support.progress import Progress as Report

OUTCOME = re.compile(r"(?P<label>[^:]*) \((?P<weights>[\d.,%/]+)\)(?: … .*)?$")
COMMAND: ContextVar[tuple[str, ...]] = ContextVar("COMMAND", default=())
READER_LEFT: ContextVar[bool] = ContextVar("READER_LEFT", default=False)
STROKES = re.compile(r"^[│├└─ ]+")
LIVE: list[Console] = []
"""The console of the bar that is being shown. It is for all threads, as the terminal is."""


def remember_command(words: Sequence[str]) -> None:
    """Note the words of the command that begins, for `command_line`."""
    COMMAND.set(tuple(words))


def command_line() -> str:
    """The command that is running, as one would type it."""
    return shlex.join(["palmette", *COMMAND.get()])


class Screen(Console):
    """A console that falls silent when its reader (head, less) has seen enough: the files are still to be written."""

    def on_broken_pipe(self) -> None:
        READER_LEFT.set(True)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def reader_left() -> bool:
    """Whether something was printed that nobody read."""
    return READER_LEFT.get()


def results() -> Console:
    return Screen(highlight=False, markup=False)


def remarks() -> Console:
    return Screen(stderr=True, highlight=False, markup=False)


def harmless(text: str) -> str:
    """The text, with what could command a terminal escaped: names come from the user's files. Line breaks stay."""
    if text.isprintable():
        return text
    from palmette.tree.wording import escaped

    return "\n".join(map(escaped, text.split("\n")))


def complain(message: str) -> None:
    """One sentence on stderr, whatever line breaks the message came with."""
    remarks().print(Text.assemble(("palmette: ", "bold red"), harmless(" ".join(message.split()))), soft_wrap=True)


def remark(message: str, style: str = "dim") -> None:
    """A line on stderr; above the bar, where one is being shown."""
    console = LIVE[-1] if LIVE else remarks()
    console.print(Text(harmless(message), style=style), soft_wrap=True)


def colored_tree(text: str, classes: list[str]) -> Text:
    """The text of a tree with faint strokes and every leaf's class in its colour."""
    from palmette.tree.palette import class_colors

    color_of = dict(zip(classes, class_colors(len(classes)), strict=True))
    painted = Text()
    for number, line in enumerate(text.split("\n")):
        row = Text(line)
        if number == 0:
            row.stylize("bold")
        strokes = STROKES.match(line)
        if strokes:
            row.stylize("dim", 0, strokes.end())
        outcome = OUTCOME.search(line)
        if outcome:
            start = outcome.start("label") + len(outcome["label"]) - len(outcome["label"].lstrip())
            color = color_of.get(outcome["label"].strip())
            if color:
                row.stylize(f"bold {color}", start, outcome.end("label"))
            row.stylize("dim", outcome.start("weights") - 1, len(line))
        painted.append_text(row).append("\n")
    painted.rstrip()
    return painted


@contextmanager
def live_bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A bar on stderr, gone when done."""
    console = remarks()
    with Progress(*columns, console=console, transient=True) as bar:
        LIVE.append(console)
        try:
            yield bar
        finally:
            LIVE.remove(console)


@contextmanager
def progress_bar() -> Iterator[Callable[[str], Any]]:
    """A live bar; `step(message)` gives a context in which a fit moves the bar."""
    from palmette.support.progress import listening

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with live_bar(*columns) as bar:

        @contextmanager
        def step(message: str) -> Iterator[None]:
            task = bar.add_task(message, total=1.0)

            def advance(report: Report) -> None:
                bar.update(task, completed=report.share)

            try:
                with listening(advance):
                    yield
            finally:
                bar.remove_task(task)

        yield step

"""`palmette datasets`: what can be loaded by name, and from where."""

from __future__ import annotations

import os

from rich.table import Table
from rich.text import Text

from palmette.cli.screen import remark, results


def datasets() -> None:
    """List the datasets that can be loaded by name, and where they come from."""
    from palmette.datasets import FOLDER_VARIABLE, available

    console = results()
    # A narrow terminal has no room for the titles.
    titles = console.width >= 100
    table = Table(box=None, header_style="bold", pad_edge=False, expand=titles)
    table.add_column("name", style="cyan", no_wrap=True)
    for column in ("rows", "features", "classes", "missing"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("from", no_wrap=True)
    if titles:
        table.add_column("title", style="dim", no_wrap=True, overflow="ellipsis", ratio=1)
    folders = []
    for record in available():
        here = record.where
        if here != "scikit-learn":
            folders.append(here)
            here = FOLDER_VARIABLE
        counts = (record.rows, record.features, record.classes, record.missing)
        cells: list[Text | str] = [
            Text(record.name),
            *("?" if count is None else f"{count:,}" for count in counts),
            here,
        ]
        table.add_row(*cells, *([Text(record.title)] if titles else []))
    console.print(table)
    if folders:
        remark(f"{FOLDER_VARIABLE} is {folders[0]}.")
    elif not os.environ.get(FOLDER_VARIABLE):
        remark(f"Set {FOLDER_VARIABLE} to a folder of Parquet files with a column 'class' to see them here.")
    remark("Any other name is looked up at OpenML.")

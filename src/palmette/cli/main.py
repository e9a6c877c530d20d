"""The command `palmette`: gathers the verbs and turns every failure into one sentence and an exit code.

Exit codes: 0 done, 2 a mistake that the user can mend, 130 stopped by Ctrl-C, 141 done for a reader who left. The
verbs import NumPy and scikit-learn when they run, so that `--help` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from palmette.cli import compare, datasets, reproduce, select, tree
from palmette.cli.cautions import plain_warnings
from palmette.cli.screen import complain, reader_left, remember_command
from palmette.cli.translation import in_options

STOPPED = 130
READER_LEFT = 141
"""What a shell says of a program that wrote into a closed pipe: 128 and the number of SIGPIPE."""

app = typer.Typer(
    name="palmette",
    help="Decision trees on raw tables, from the command line.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("tree")(tree.tree)
app.command("select")(select.select)
app.command("compare")(compare.compare)
app.command("reproduce")(reproduce.reproduce)
app.command("datasets")(datasets.datasets)


@app.callback(invoke_without_command=True)
def palmette(version: bool = typer.Option(False, "--version", help="Show the version and stop.")) -> None:
    """Decision trees on raw tables, from the command line."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"palmette {installed('palmette')}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    remember_command(words)
    try:
        with plain_warnings():
            code = app(words, prog_name="palmette", standalone_mode=False)
        sys.stdout.flush()
        if code == STOPPED:
            complain("Stopped.")
        if isinstance(code, int) and code != 0:
            return code
        return READER_LEFT if reader_left() else 0
    except (KeyboardInterrupt, typer.Abort):
        complain("Stopped.")
        return STOPPED
    except BrokenPipeError:
        # What is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT
    except (ValueError, TypeError, OSError, ImportError) as error:
        complain(in_options(str(error)))
        return 2
    except MemoryError:
        complain("The memory of this machine does not suffice for this table.")
        return 2
    except Exception as error:
        wording = getattr(error, "format_message", None)
        if wording is None:
            raise
        # Only a verb has a help of its own.
        verbs = {command.name for command in app.registered_commands}
        place = f"palmette {words[0]}" if words[0] in verbs else "palmette"
        complain(f"{wording()} ({place} --help tells more.)")
        return 2

"""What the tests of the command line share: a way to run it, and small files."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from palmette.cli.main import main


@dataclass(frozen=True)
class Run:
    """The exit code and what was printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs `palmette` with the given words, on a wide terminal without colours."""
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def command(*words: object) -> Run:
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return command


@pytest.fixture
def weather(tmp_path):
    """A table with text, numbers, holes, a date, a name and a class."""
    path = tmp_path / "weather.csv"
    lines = ["day,station,outlook,humidity,code,play"]
    for number in range(120):
        outlook = ("sunny", "overcast", "rain")[number % 3]
        humidity = 60 + (number * 7) % 40
        play = "yes" if outlook == "overcast" or (outlook == "sunny" and humidity <= 75) else "no"
        shown = "?" if number % 17 == 0 else outlook
        lines.append(f"2024-01-{number % 28 + 1:02},s{number:03},{shown},{humidity},{number % 4},{play}")
    path.write_text("\n".join(lines) + "\n")
    return path

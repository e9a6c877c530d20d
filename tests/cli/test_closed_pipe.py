"""A reader that leaves early (head, less) takes nothing away: files are written, and nobody complains."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def run_unread(*words: object, err: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs `palmette` with a stdout, or also a stderr, that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "palmette", *map(str, words)],
            stdout=writing,
            stderr=writing if err else subprocess.PIPE,
            text=True,
            timeout=120,
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["select", "iris", "--report-seconds", 1], {"--json": "out.json", "--report": "page.html"}),
        (["tree", "iris"], {"--json": "out.json"}),
        (
            ["compare", "iris", "--strategies", "tree,pruned", "--repeats", 1, "--folds", 2],
            {"--json": "out.json", "--report": "page.html"},
        ),
        (["reproduce", "langley1994-figure1", "--repeats", 1, "--time-limit", 0], {"--csv": "out.csv"}),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_the_files_are_written(tmp_path, words, files):
    paths = {option: tmp_path / name for option, name in files.items()}
    done = run_unread(*words, *(word for pair in paths.items() for word in pair))
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    for path in paths.values():
        assert path.stat().st_size > 0
        assert f"Wrote {path}." in done.stderr


def test_also_where_nobody_reads_the_remarks(tmp_path):
    data, page = tmp_path / "out.json", tmp_path / "page.html"
    done = run_unread("select", "iris", "--json", data, "--report", page, "--report-seconds", 1, err=True)
    assert done.returncode == 141
    assert data.exists()
    assert page.exists()


def test_a_mistake_is_a_mistake_whoever_reads():
    assert run_unread("tree", "iris", "--target", "clas").returncode == 2


def test_a_table_without_files():
    done = run_unread("datasets")
    assert done.returncode == 141
    assert "Traceback" not in done.stderr

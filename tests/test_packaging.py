"""The package as a stranger meets it: what is shipped, what the pages promise, what a bare machine hears."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, version
from importlib.resources import files
from pathlib import Path

import pytest

import palmette

ROOT = Path(__file__).parents[1]
PREFLIGHT = ROOT / "tools" / "preflight.sh"


def test_the_version_is_said_once():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert palmette.__version__ == version("palmette") == declared
    assert f"version: {declared}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {declared}" in (ROOT / "CHANGELOG.md").read_text()


def test_types_and_stubs_are_shipped():
    assert (files("palmette") / "py.typed").is_file()
    assert (ROOT / "src/palmette/_core.pyi").is_file()


def test_the_parts_of_a_report_are_shipped():
    for name in ("page.html", "page.css", "page.js"):
        assert (files("palmette") / "report" / "templates" / name).is_file()


def test_the_command_is_registered():
    (command,) = entry_points(group="console_scripts", name="palmette")
    assert command.value == "palmette.cli.main:main"


def test_a_model_that_outlives_its_script_says_nothing():
    lines = (
        "import builtins, numpy as np, palmette",
        "builtins.held = palmette.C45Classifier().fit(np.arange(8.0).reshape(8, 1), [0, 1] * 4)",
    )
    ended = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert ended.stderr == ""


def test_the_modules_of_the_command_line_import_scikit_learn_and_arrow_only_when_they_run():
    code = f"""
import sys, types
package = types.ModuleType("palmette")
package.__path__ = [{str(ROOT / "src/palmette")!r}]
sys.modules["palmette"] = package
import palmette.cli.main
print(*(name in sys.modules for name in ("sklearn", "pyarrow", "numpy")))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False", "False"]


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md", "docs/report.md"])
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


def test_every_link_of_a_page_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


@pytest.fixture
def machine(tmp_path):
    """A machine on which only the named programs exist; runs the preflight check there."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def check(programs: dict[str, str | None], *arguments: str, **variables: str):
        for name, script in programs.items():
            if script is None:
                os.symlink(shutil.which(name), folder / name)
            else:
                (folder / name).write_text(f"#!/bin/sh\n{script}\n")
                (folder / name).chmod(0o755)
        environment = {"PATH": str(folder), "HOME": str(tmp_path), **variables}
        shell = shutil.which("sh")
        return subprocess.run([shell, PREFLIGHT, *arguments], env=environment, capture_output=True, text=True)

    return check


def assert_one_sentence(result, *words):
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("palmette: ")
    assert line.endswith(".")
    for word in words:
        assert word in line


# A Python that passes every check, and ones that fail at one of them.
GOOD_PYTHON = "exit 0"
OLD_PYTHON = 'case "$2" in *version_info*) exit 1;; *platform*) echo 3.9.2;; esac'
NO_VENV = 'case "$2" in *ensurepip*) exit 1;; esac'
NO_HEADERS = 'case "$2" in *Python.h*) exit 1;; esac'


def test_preflight_passes_here():
    result = subprocess.run(["sh", PREFLIGHT, sys.executable], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_preflight_without_python(machine):
    assert_one_sentence(machine({}, "python3"), "Python was not found", "apt install python3")


def test_preflight_with_an_old_python(machine):
    assert_one_sentence(machine({"python3": OLD_PYTHON}, "python3"), "3.11 or newer", "3.9.2", "make PYTHON=")


def test_preflight_without_venv(machine):
    assert_one_sentence(machine({"python3": NO_VENV}, "python3"), "apt install python3-venv")


def test_preflight_without_headers(machine):
    assert_one_sentence(machine({"python3": NO_HEADERS}, "python3"), "Python.h", "apt install python3-dev")


def test_preflight_without_a_compiler(machine):
    assert_one_sentence(machine({"python3": GOOD_PYTHON}, "python3"), "no C++ compiler", "apt install g++")


def test_preflight_with_an_old_compiler(machine):
    result = machine({"python3": GOOD_PYTHON, "g++": "exit 1"}, "python3")
    assert_one_sentence(result, "'g++' cannot compile C++20", "g++ 11 or newer")
    result = machine({}, "python3", CXX="nowhere/clang++")
    assert_one_sentence(result, "'nowhere/clang++' cannot compile C++20")


def test_preflight_picks_a_python_that_is_new_enough(machine):
    result = machine({"python3": OLD_PYTHON, "python3.12": GOOD_PYTHON}, "--which-python")
    assert result.stdout == "python3.12\n"

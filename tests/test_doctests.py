"""The examples in the docstrings of every module of the package do what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import palmette

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(palmette.__path__, "palmette.")
    if name not in ("palmette.__main__", "palmette._core")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of(name, monkeypatch):
    monkeypatch.delenv("PALMETTE_DATA", raising=False)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{name} needs {error.name}")
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert results.failed == 0


def test_there_are_modules_and_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = map(importlib.import_module, MODULES)
    assert sum(len(test.examples) for module in modules for test in finder.find(module)) > 50

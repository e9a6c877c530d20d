"""JSON that the package writes is JSON for every reader: no NaN, no infinities."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import palmette
from palmette.support.strict_json import strict_json


def test_numbers_that_json_has_not_are_null():
    data = {"a": [math.nan, (math.inf, {"b": -math.inf})], "c": np.float64("nan"), "d": 0.1, "e": None, "f": "NaN"}
    expected = {"a": [None, [None, {"b": None}]], "c": None, "d": 0.1, "e": None, "f": "NaN"}
    assert json.loads(strict_json(data)) == expected


def test_what_cannot_be_written_is_still_refused():
    with pytest.raises(TypeError):
        strict_json({"a": object()})


def test_options_are_those_of_json():
    assert strict_json({"b": 1, "a": "ü"}, sort_keys=True, ensure_ascii=False) == '{"a": "ü", "b": 1}'


OTHER_WRITERS = {"support/strict_json.py", "tree/serialization.py", "search/checkpoint.py"}
"""The writer itself; the tree, which refuses such numbers; the checkpoint, whose reader is the search alone."""


def test_nobody_writes_json_another_way():
    root = Path(palmette.__file__).parent
    # A text that is hashed, or that names a task with the version, is in nobody's file.
    elsewhere = re.compile(r"\bjson\w*\.dumps?\((?!.*(?:\.encode\(\)|__version__))")
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        if path.relative_to(root).as_posix() not in OTHER_WRITERS
        for line in path.read_text(encoding="utf-8").splitlines()
        if elsewhere.search(line)
    ]
    assert found == []

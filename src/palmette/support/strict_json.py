"""JSON as every reader takes it: numbers that JSON does not have, NaN and the infinities, are written as null.

All that the package writes as JSON goes through here, but for a tree: `tree/serialization.py` refuses such numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["strict_json"]


def strict_json(data: Any, **options: Any) -> str:
    """The JSON text of plain data; `options` are those of `json.dumps`.

    >>> strict_json({"error": float("nan"), "bounds": (0.0, float("inf"))})
    '{"error": null, "bounds": [0.0, null]}'
    """
    return json.dumps(_finite(data), allow_nan=False, **options)


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return data

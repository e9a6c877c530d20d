"""How long a test waits for work that was asked to end."""

from __future__ import annotations

import os

__all__ = ["PATIENCE"]

PATIENCE = 5.0 * float(os.environ.get("PALMETTE_TEST_SLOWNESS", "1"))
"""Seconds within which long work must end once it was asked to; `make sanitize` says how much slower it runs."""

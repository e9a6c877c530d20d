"""Small helpers that every layer of the Python package may use."""

from __future__ import annotations

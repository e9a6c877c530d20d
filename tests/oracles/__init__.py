"""Slow and obvious versions of what the core computes: c45 grows, pruning prunes, prediction predicts."""

from __future__ import annotations

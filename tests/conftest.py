"""Settings of all tests: hypothesis draws the same examples in every run, and no example has a time limit.

`HYPOTHESIS_PROFILE=explore pytest tests/properties` draws new examples instead, for whoever looks for faults.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

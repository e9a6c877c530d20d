"""Settings of all tests: hypothesis draws the same examples in every run, and no example has a time limit.

Ctrl-C works even where the shell that started them in the background has it ignored: some tests send it.

`HYPOTHESIS_PROFILE=explore pytest tests/properties` draws new examples instead, for whoever looks for faults.
"""

from __future__ import annotations

import os
import signal
import threading

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Processes that tests start inherit it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

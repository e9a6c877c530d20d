"""A comparison that is killed and started again comes to the table of one that nobody disturbed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kill_compare.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_kills_and_interrupts_at_random_moments():
    command = [sys.executable, str(SCRIPT), "--kills", "2", "--interrupts", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for name in ("SIGKILL", "SIGINT"):
        sent, ended, finished, wrong, failed = done.stdout.split(name)[1].split()[:5]
        assert (sent, wrong, failed) == ("2", "0", "0")
        assert int(ended) >= 1
        assert int(finished) >= 1

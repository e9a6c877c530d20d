"""A comparison that is killed and started again comes to the table of one that nobody disturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kill_compare.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks, which this system cannot")
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


INTERRUPTED = """
import signal
from palmette import compare
signal.signal(signal.SIGINT, signal.default_int_handler)
def callback(progress):
    if progress.n_done == 4:
        print("at work", flush=True)
comparison = compare(["tree", "forest"], ["wine"], repeats=1000, callback=callback, n_jobs=2)
print(comparison.status)
"""


@pytest.mark.skipif(os.name != "posix", reason="it sends POSIX signals, which this system lacks")
def test_no_thread_is_left_in_the_core_when_the_interpreter_ends():
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (0, b"interrupted\n", b"")

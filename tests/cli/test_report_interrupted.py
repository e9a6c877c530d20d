"""Ctrl-C after a search: `palmette select` still writes the page, says that it was cut short, and ends with 130."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# A shell that starts a job in the background lets it ignore Ctrl-C; a terminal does not.
START = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from palmette.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


# Half a second later the questions about an elimination are being asked; those about a filter may be over.
@pytest.mark.parametrize(("strategy", "seconds"), [("backward", 0), ("backward", 0.5), ("cfs", 0)])
def test_the_page_is_written(tmp_path, strategy, seconds):
    page = tmp_path / "page.html"
    words = ["select", "digits", "--strategy", strategy, "--report", str(page), "--report-seconds", "60"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in process.stdout:
        if line.startswith("digits: "):
            break
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"Wrote {page}, cut short by Ctrl-C" in err
    assert err.splitlines()[-1] == "palmette: Stopped."
    html = page.read_text(encoding="utf-8")
    assert html.rstrip().endswith("</html>")
    assert "interrupted: what is missing here was not asked" in html

"""`python -m palmette` is the command line of `palmette.cli`."""

from __future__ import annotations

import sys

from palmette.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

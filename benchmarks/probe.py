"""A fresh process that fits one model for tree_speed.py, which reads its peak memory or its instructions.

probe.py memory ROW CONTESTANT    prints bytes as JSON: peak of the fit, the coded data, the data as given
probe.py encode FILE.npz          reads and codes the table, for callgrind
probe.py grow FILE.npz            the same, then grows one tree; the difference is the growing
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np


def report_memory(row: str, contestant: str) -> None:
    """Print the peak memory of one fit on one thread, in a process that has loaded its data and its code."""
    from contestants import CONTESTANTS, read_row
    from measuring import peak_memory

    table = read_row(row)
    generator = np.random.default_rng(0)
    warm_X, warm_y = generator.normal(size=(64, 4)), generator.integers(0, 2, size=64)
    contender = CONTESTANTS[contestant]
    contender.make(1).fit(warm_X, warm_y)
    X = table.X_ours if contender.is_ours else table.X_theirs
    peak, _ = peak_memory(lambda: contender.make(1).fit(X, table.y))
    given = X.nbytes if isinstance(X, np.ndarray) else int(X.memory_usage(deep=True).sum())
    print(json.dumps({"peak": peak, "coded": coded_bytes(table.X_ours, table.y), "given": given}))


def coded_bytes(X: Any, y: Any) -> int:
    """Bytes of the rank codes that the core keeps of a table."""
    raise NotImplementedError


def run_for_callgrind(path: str, *, grow: bool) -> None:
    """Code a continuous table and, if asked, grow one literal tree of it on one thread."""
    raise NotImplementedError


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory", row, contestant]:
            report_memory(row, contestant)
        case ["encode" | "grow" as work, path]:
            run_for_callgrind(path, grow=work == "grow")
        case _:
            raise SystemExit(__doc__)

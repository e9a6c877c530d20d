"""A fresh process that fits one model: tree_speed.py reads its peak memory or counts its instructions.

    probe.py memory TABLE CONTESTANT    prints bytes as JSON: peak of the fit, the codes, the data as given, our model,
                                        the model as a pickle
    probe.py encode CORE FILE.npz       codes a continuous table, for callgrind
    probe.py grow CORE FILE.npz         the same, then grows a literal tree; the difference is the growing

CORE is the path of the compiled module, loaded alone: under callgrind, importing the package takes minutes.
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
from typing import Any

import numpy as np


def report_memory(row: str, contestant: str) -> None:
    """Print the peak memory of one fit on one thread, in a process that has loaded its data and its code."""
    from contestants import CONTESTANTS, coded_bytes, model_bytes, read_row
    from measuring import watched_peak_memory

    table = read_row(row)
    contender = CONTESTANTS[contestant]
    X = table.X_ours if contender.is_ours else table.X_theirs
    some = np.random.default_rng(0).choice(len(table.y), 200, replace=False)
    contender.make(1, table.n_trees).fit(X[some] if isinstance(X, np.ndarray) else X.iloc[some], table.y[some])
    peak, model = watched_peak_memory(lambda: contender.make(1, table.n_trees).fit(X, table.y))
    given = X.nbytes if isinstance(X, np.ndarray) else int(X.memory_usage().sum())
    held = model_bytes(model) if contender.is_ours else 0
    bytes_of = {"peak": peak, "coded": coded_bytes(table), "given": given, "model": held}
    print(json.dumps(bytes_of | {"pickled": len(pickle.dumps(model))}))


def run_for_callgrind(core_path: str, table_path: str, *, grow: bool) -> None:
    """Code a continuous table and, if asked, grow one literal tree of it on one thread."""
    core = _load(core_path)
    table = np.load(table_path)
    X, y = table["X"], table["y"].astype(np.int32)
    builder = core.DatasetBuilder()
    builder.add([X[:, column] for column in range(X.shape[1])], [None] * X.shape[1])
    dataset = builder.build(y, int(y.max()) + 1)
    options = core.GrowthOptions()
    options.growth = core.Growth.literal
    budget = core.Budget()
    if grow:
        core.grow_tree(dataset, options, budget)


def _load(path: str) -> Any:
    specification = importlib.util.spec_from_file_location("palmette._core", path)
    if specification is None or specification.loader is None:
        raise SystemExit(f"{path} is not a module")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory", row, contestant]:
            report_memory(row, contestant)
        case ["encode" | "grow" as work, core_path, table_path]:
            run_for_callgrind(core_path, table_path, grow=work == "grow")
        case _:
            raise SystemExit(__doc__)

"""Draws the tree that the README shows, breast cancer in three questions; run it from the root."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

from palmette import C45Classifier
from palmette.datasets import load


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=Path("docs/images/tree.png"))
    options = parser.parse_args(arguments)
    matplotlib.use("agg")
    X, y = load("breast_cancer")
    tree = C45Classifier(max_depth=3, pruning="error_based").fit(X, y)
    tree.plot().figure.savefig(options.output, dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()

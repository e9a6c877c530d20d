"""What Ruggieri (2019) says of Tables 2, 3, 4, 6 and 8, judged by our rows; `jmlr2019_errors.py` makes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from palmette import published
from palmette.reproduce.results import Claim, Row

__all__ = ["CLAIMS", "COMPLETE", "FEATURES", "SEARCH", "STABILITY", "TEST", "TREES", "gain_by_features"]

SEARCH, TEST = "search error in %", "generalization error in %"
FEATURES, STABILITY = "number of features used", "stability of the features used (Pearson)"
COMPLETE = "DTaccept0"
TREES = ("baseline", "DTsbe", COMPLETE)


def gain_by_features(rows: Sequence[Row]) -> list[Row]:
    """Section 7.5: the more features, the more a forest gains by eliminating some first."""
    from scipy.stats import spearmanr

    sizes = {row["dataset"]: row["features"] for row in published.table("jmlr2019-table1")}
    pairs = {row.dataset: row for row in rows if row.strategy == "RF" and row.ours is not None and row.n > 1}
    gains = {}
    for row in rows:
        plain = pairs.get(row.dataset)
        if row.strategy == "DTsbe+RF" and row.ours is not None and plain is not None and plain.standard_error:
            assert plain.ours is not None
            gains[row.dataset] = (plain.ours - row.ours) / (plain.standard_error * math.sqrt(plain.n))
    quantity, paper = "rank correlation of features and gain", published.stated("jmlr2019-table3", "rank_correlation")
    if len(gains) < 3:
        return [Row("all", quantity, "RF − DTsbe+RF", published=paper, status="over the limit")]
    ours = float(spearmanr([sizes[dataset] for dataset in gains], list(gains.values())).statistic)
    return [Row("all", quantity, "RF − DTsbe+RF", ours=ours, n=len(gains), published=paper)]


def _ours(rows: Sequence[Row], quantity: str, strategy: str) -> dict[str, float]:
    return {
        row.dataset: row.ours
        for row in rows
        if row.quantity == quantity and row.strategy == strategy and row.ours is not None
    }


def _always_lower(words: str, lower: Mapping[str, float], higher: Mapping[str, float], factor: float = 1.0) -> Claim:
    """A claim that one strategy has the lower number on every dataset."""
    both = [dataset for dataset in lower if dataset in higher]
    against = [dataset for dataset in both if lower[dataset] > factor * higher[dataset]]
    evidence = f"{len(both) - len(against)} of {len(both)} datasets"
    if against:
        evidence += f"; not {', '.join(against)}"
    return Claim(words, not against if both else None, evidence if both else "")


def _mostly_lower(words: str, lower: Mapping[str, float], higher: Mapping[str, float]) -> Claim:
    """A claim that one strategy has the lower number on more than half of the datasets; judged on five or more."""
    both = [dataset for dataset in lower if dataset in higher]
    agreeing = sum(lower[dataset] < higher[dataset] for dataset in both)
    holds = agreeing > len(both) / 2 if len(both) >= 5 else None
    return Claim(words, holds, f"{agreeing} of {len(both)} datasets" if both else "")


def _claims_of_table2(rows: Sequence[Row], plain: Mapping[str, float]) -> list[Claim]:
    search = {strategy: _ours(rows, SEARCH, strategy) for strategy in TREES}
    test = {strategy: _ours(rows, TEST, strategy) for strategy in TREES}
    gaps = {}
    common = [dataset for dataset in test[COMPLETE] if dataset in test["DTsbe"]]
    for strategy in TREES:
        gaps[strategy] = float(np.mean([test[strategy][d] - search[strategy][d] for d in common])) if common else 0.0
    wins = {
        strategy: sum(row.mark == "best" for row in rows if row.quantity == TEST and row.strategy == strategy)
        for strategy in TREES
    }
    enough = sum(wins.values()) >= 10
    return [
        _always_lower("The search error of DTsbe is lower than the baseline's.", search["DTsbe"], search["baseline"]),
        _always_lower("The best subset has the lowest search error.", search[COMPLETE], search["DTsbe"]),
        Claim(
            "DTsbe generalizes best more often than the baseline and than the complete search.",
            wins["DTsbe"] == max(wins.values()) if enough else None,
            ", ".join(f"{strategy} wins {count}" for strategy, count in wins.items()),
        ),
        Claim(
            "The more is searched, the further the search error is below the generalization error.",
            gaps["baseline"] < gaps["DTsbe"] < gaps[COMPLETE] if common else None,
            ", ".join(f"{strategy} {gap:+.1f}" for strategy, gap in gaps.items()) if common else "",
        ),
    ]


def _claims_of_table3(rows: Sequence[Row], plain: Mapping[str, float]) -> list[Claim]:
    found = next(row for row in rows if row.dataset == "all")
    return [
        Claim(
            "On tables of many features, elimination before the forest pays: the rank correlation is positive.",
            found.ours > 0 if found.ours is not None and found.n >= 8 else None,
            f"{found.ours:.2f} over {found.n} datasets" if found.ours is not None else "",
        )
    ]


def _claims_of_table4(rows: Sequence[Row], plain: Mapping[str, float]) -> list[Claim]:
    features = {strategy: _ours(rows, FEATURES, strategy) for strategy in TREES}
    stability = {strategy: _ours(rows, STABILITY, strategy) for strategy in TREES}
    return [
        _always_lower("DTsbe uses fewer features than the baseline.", features["DTsbe"], features["baseline"]),
        _always_lower("The baseline is the most stable.", stability["DTsbe"], stability["baseline"]),
        _always_lower("It is more stable than the complete search too.", stability[COMPLETE], stability["baseline"]),
        _mostly_lower("The complete search is mostly less stable than DTsbe.", stability[COMPLETE], stability["DTsbe"]),
    ]


def _claims_of_table6(rows: Sequence[Row], plain: Mapping[str, float]) -> list[Claim]:
    pruned = _ours(rows, TEST, "baseline")
    smaller = sum(pruned[dataset] <= plain[dataset] for dataset in pruned)
    return [
        Claim(
            "Pruning lowers the generalization error almost always.",
            smaller > len(pruned) / 2 if pruned else None,
            f"of the baseline on {smaller} of {len(pruned)} datasets" if pruned else "",
        )
    ]


def _claims_of_table8(rows: Sequence[Row], plain: Mapping[str, float]) -> list[Claim]:
    trees, forests = _ours(rows, TEST, "baseline"), _ours(rows, TEST, "RF")
    both = [dataset for dataset in trees if dataset in forests]
    better = sum(forests[dataset] < trees[dataset] for dataset in both)
    return [
        Claim(
            "Forests err less than a single tree on most datasets, under the gain ratio too.",
            better > len(both) / 2 if both else None,
            f"{better} of {len(both)} datasets" if both else "",
        )
    ]


CLAIMS = {
    2: _claims_of_table2,
    3: _claims_of_table3,
    4: _claims_of_table4,
    6: _claims_of_table6,
    8: _claims_of_table8,
}

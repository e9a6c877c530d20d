"""How much of the papers comes out on this machine? Runs their tables one after another and writes a page of them.

    python benchmarks/full_reproduction.py --repeats 10 --jobs 2 --hours 8 --cache reproduction
    python benchmarks/full_reproduction.py --others --jobs 2 --hours 2 --cache reproduction

The first is the 2019 paper, the second the three papers on other methods, on a page of their own. Every table gets an
equal share of the time that is left; what one does not need goes to the next. Finished trials are kept in the cache
folder, so that a stopped or a second run goes on where the last one was, and Tables 2, 4 and 6 share their searches.
Run it again with more hours and the page is written anew. Times (Tables 1 and 7) want a quiet machine.

The page has the date, the command, the machine, every table with ours beside the paper's, the numbers that are further
than two standard errors away, and the rows that could not be had. What stands under "## Discussion" in an older page is
kept.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from palmette import __version__, reproduce
from palmette.reproduce.results import Reproduction, describe_machine

TABLES = ("table1", "table7", "table2", "table4", "table3", "table6", "table8")
OTHERS = ("ijcnn2012-table2", "ijcnn2012-table3", "ijcnn2012-figure4", "langley1994-figure1", "cec2017-table3")
DOCS = Path(__file__).resolve().parent.parent / "docs"
DISCUSSION = "## Discussion"
FAR = 2.0


def run_all(arguments: argparse.Namespace) -> list[Reproduction]:
    """The studies in the order given; each one's result is kept, whatever happens to the next."""
    end = time.time() + 3600 * arguments.hours
    results = []
    for number, name in enumerate(arguments.studies):
        seconds = max(0.0, end - time.time()) / (len(arguments.studies) - number)
        print(f"{datetime.now(UTC):%H:%M} {name}, at most {seconds:.0f} s", file=sys.stderr, flush=True)
        result = reproduce.run(
            name,
            datasets=arguments.datasets,
            repeats=arguments.repeats,
            folds=arguments.folds,
            time_limit=seconds,
            trial_limit=arguments.trial_limit,
            n_jobs=arguments.jobs,
            cache=arguments.cache,
        )
        results.append(result)
        arguments.output.write_text(page(results, arguments.output, arguments.others), encoding="utf-8")
        if result.interrupted:
            break
    return results


def page(results: list[Reproduction], path: Path, others: bool) -> str:
    """The page of Markdown."""
    command = f"python benchmarks/full_reproduction.py {shlex.join(sys.argv[1:])}".strip()
    parts = [
        "# What came out of the other papers" if others else "# What came out",
        "Written by `benchmarks/full_reproduction.py`; [the page before](reproduce.md) says what the tables hold, and "
        "what differs from the paper by intent.",
        f"Run on {datetime.now(UTC):%Y-%m-%d} with palmette {__version__} on {describe_machine()}:",
        f"    {command}",
        "● is the best of its row, * does not differ from it at 95 % (paired t-test). Δ/se is ours minus the paper's "
        "in standard errors of the difference; a ratio is ours over the paper's. A number in brackets such as "
        "(37 of 100) says that the time did not suffice for all folds.",
        _overview(results),
        *(result.markdown() for result in sorted(results, key=lambda result: result.name)),
        _far(results),
        _discussion(path),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _overview(results: list[Reproduction]) -> str:
    lines = [
        "| study | numbers | within 2 standard errors | could not be had | time of this run |",
        "|---|--:|--:|---|--:|",
    ]
    for result in sorted(results, key=lambda result: result.name):
        measured = [row for row in result.rows if row.ours is not None]
        compared = [row.difference for row in measured if row.difference is not None]
        close = sum(abs(difference) <= FAR for difference in compared)
        reasons = Counter(row.status for row in result.rows if row.ours is None)
        missing = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        share = f"{close} of {len(compared)}" if compared else "–"
        lines.append(f"| {result.name} | {len(measured)} | {share} | {missing} | {result.seconds:.0f} s |")
    return "\n".join(lines)


def _far(results: list[Reproduction]) -> str:
    """The numbers that do not agree, the furthest first."""
    far = [
        (abs(row.difference), result.name, row)
        for result in results
        for row in result.rows
        if row.difference is not None and abs(row.difference) > FAR
    ]
    if not far:
        return ""
    lines = ["## Further than two standard errors away", ""]
    lines += ["| study | dataset | quantity | strategy | ours | paper | Δ/se |", "|---|---|---|---|--:|--:|--:|"]
    for _, name, row in sorted(far, key=lambda item: -item[0]):
        remark = f" ({row.remark})" if row.remark else ""
        lines.append(
            f"| {name} | {row.dataset} | {row.quantity} | {row.strategy} | {row.ours:.2f} ± "
            f"{row.standard_error:.2f}{remark} | {row.published:.2f} | {row.difference:+.1f} |"
        )
    return "\n".join(lines)


def _discussion(path: Path) -> str:
    """What somebody wrote under the heading in the page that is there."""
    if path.exists():
        _, heading, text = path.read_text(encoding="utf-8").partition(DISCUSSION)
        if heading:
            return heading + text.rstrip()
    return ""


def main() -> int:
    """0, or 130 when interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", action="store_true", help="the papers of 1994, 2012 and 2017 on other methods")
    parser.add_argument("--studies", help="names, by comma; by default the tables of the paper or papers")
    parser.add_argument("--datasets", help="names, by comma; by default all")
    parser.add_argument("--repeats", type=int, help="by default the paper's")
    parser.add_argument("--folds", type=int, help="by default the paper's")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--hours", type=float, default=8.0, help="for everything")
    parser.add_argument("--trial-limit", type=float, default=60.0, help="seconds for one fit")
    parser.add_argument("--cache", type=Path, default=Path("reproduction"), help="folder of finished trials")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    usual = OTHERS if arguments.others else [f"jmlr2019-{table}" for table in TABLES]
    arguments.studies = arguments.studies.split(",") if arguments.studies else list(usual)
    if arguments.output is None:
        arguments.output = DOCS / ("reproduction-others.md" if arguments.others else "reproduction-results.md")
    for name in arguments.studies:
        reproduce.find(name)
    if arguments.datasets:
        arguments.datasets = arguments.datasets.split(",")
    results = run_all(arguments)
    for result in results:
        print(result.table(), end="\n\n")
    return 130 if any(result.interrupted for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())

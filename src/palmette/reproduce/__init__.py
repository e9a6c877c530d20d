"""The tables and figures of the papers by name: ours beside the published numbers.

    from palmette import reproduce

    print(reproduce.run("jmlr2019-table2", datasets=["ionosphere", "sonar"], repeats=1).table())

`palmette reproduce NAME` does the same on the command line. A **study** is one table or figure; `studies()` lists them.
`settings.py` holds what a user may choose, `results.py` what comes back, `work.py` runs cached tasks before a
deadline, `text.py` and `drawing.py` show the result.

Adding a study
--------------
One file in this folder is enough: every module here that has a tuple `STUDIES` is found by `registry.py`, and its
studies appear in `palmette reproduce --list`. Nothing else has to be edited. A module looks like this::

    STUDIES = (
        Study(
            name="langley1994-table1",                  # paper and year, then the table or figure
            title="Accuracy of oblivious trees …",       # what the paper's caption says
            claim="OBLIVION needs fewer samples than …",  # what the paper's text says of it
            datasets=("mushroom", "voting"),            # all of the paper's, in its order
            repeats=20, folds=2,                        # the protocol of the paper
            run=run,                                    # (Study, Settings) -> Reproduction
            short="--datasets voting --repeats 1",      # options that make it a matter of a minute
        ),
    )

    def run(study: Study, settings: Settings) -> Reproduction:
        rows = []
        for dataset in study.datasets:
            status = settings.status_of(dataset)          # "no data" or "not asked for", or None: go ahead
            if status is not None:
                rows.append(Row(dataset, "error in %", "OBLIVION", published=…, status=status))
                continue
            …
        return Reproduction.of(study, settings, rows, claims=[…], notes=[…])

The rules that `tests/reproduce` hold every study to:

- **Every row of the paper is there.** One `Row` is one number: a dataset, a quantity, a strategy (the paper's column),
  and, in figures, `at` (the place on the x axis). A number that we cannot have is a row with a status: "no data", "not
  asked for" (by `--datasets`), "over the limit", "not installed". No row is dropped.
- **The published numbers come from a CSV file** in `palmette/published` (see its docstring), not from the code. What a
  paper says in words is a `Claim`, which says whether ours agrees (or None where a run cannot tell).
- **One deadline.** `settings.deadline` is an absolute moment, fixed when the study starts. Give every fit
  `time_limit=settings.seconds_left(most)`, start nothing when `settings.is_over`; what is not done is "over the limit".
  `work.run_tasks` does all this, keeps finished tasks in `settings.cache`, and spreads them over `settings.n_jobs`.
- **Small settings work**: one dataset, one repeat, two folds, in a few seconds.
- Heavy imports (scikit-learn, estimators) belong inside functions: `--list` imports every module.
"""

from __future__ import annotations

from palmette.reproduce.registry import find, run, studies
from palmette.reproduce.results import Claim, Reproduction, Row
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study

__all__ = ["Claim", "Reproduction", "Row", "Settings", "Study", "find", "run", "studies"]

"""Finds the studies: every module of this package that has a tuple `STUDIES`."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from palmette.datasets import available
from palmette.reproduce.results import Reproduction
from palmette.reproduce.settings import Settings
from palmette.reproduce.study import Study
from palmette.support.parameters import InvalidParameterError, check_number

__all__ = ["find", "run", "studies"]


@cache
def studies() -> tuple[Study, ...]:
    """All studies, in the order of their modules' names and, in a module, as written."""
    import palmette.reproduce as package

    found: dict[str, Study] = {}
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        for study in getattr(import_module(f"{package.__name__}.{module.name}"), "STUDIES", ()):
            if study.name in found:
                raise ValueError(f"two studies are named {study.name!r}; the second is in {module.name}.py.")
            found[study.name] = study
    return tuple(sorted(found.values(), key=lambda study: _natural(study.name)))


def _natural(name: str) -> tuple[str, str, int]:
    """jmlr2019-table2 before jmlr2019-table10, figures after tables."""
    paper, _, part = name.partition("-")
    digits = "".join(letter for letter in part if letter.isdecimal())
    return paper, {"table": "1", "figure": "2"}.get(part.rstrip("0123456789"), "3" + part), int(digits or 0)


def find(name: str) -> Study:
    """The study of that name.

    >>> find("jmlr2019-table2").repeats
    10
    """
    known = {study.name: study for study in studies()}
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(known)}."
    raise ValueError(f"There is no study named {name!r}. {hint}")


def run(
    name: str | Study,
    *,
    datasets: Iterable[str] | None = None,
    repeats: int | None = None,
    folds: int | None = None,
    time_limit: float | None = None,
    trial_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int = 0,
    cache: str | Path | None = None,
) -> Reproduction:
    """Run a study; what is left out is as in the paper.

    Parameters
    ----------
    name : str
        A name of `studies()`.
    datasets : iterable of str, optional
        Some of the study's datasets; by default all of them.
    repeats, folds : int, optional
        Of the repeated cross-validation; by default the paper's.
    time_limit : float, optional
        Seconds for the whole study. What is done by then is shown, the rest is "over the limit".
    trial_limit : float, optional
        Seconds for one fit; by default the study's.
    n_jobs : int, default=1
        Processes for tables of errors, threads for tables of times; -1 for all cores.
    random_state : int, default=0
    cache : path, optional
        A folder for finished pieces: a stopped run goes on from there, and studies share what they have in common.

    Returns
    -------
    Reproduction
    """
    study = find(name) if isinstance(name, str) else name
    check_number("time_limit", time_limit, 0, none_allowed=True)
    check_number("trial_limit", trial_limit, 0, none_allowed=True)
    return study.run(
        study,
        Settings(
            datasets=_datasets(study, datasets),
            repeats=_whole("repeats", study.repeats if repeats is None else repeats, 1),
            folds=_whole("folds", study.folds if folds is None else folds, 2),
            time_limit=None if time_limit is None else float(time_limit),
            trial_limit=study.trial_limit if trial_limit is None else float(trial_limit),
            n_jobs=_jobs(n_jobs),
            random_state=_whole("random_state", random_state, 0),
            cache=_folder(cache),
        ),
    )


def _datasets(study: Study, datasets: Iterable[str] | None) -> tuple[str, ...]:
    if datasets is None:
        return study.datasets
    asked = (datasets,) if isinstance(datasets, str) else tuple(datasets)
    plain = tuple(str(name).strip().lower().replace("-", "_") for name in asked)
    others = {record.name for record in available()} if study.takes_others else set()
    unknown = [name for name in plain if name not in study.datasets and name not in others]
    if unknown or not plain:
        raise ValueError(
            f"{study.name} has no dataset {', '.join(map(repr, unknown)) or 'without a name'}. "
            f"It has {', '.join(study.datasets)}" + (", and takes any of `palmette datasets`." if others else ".")
        )
    return plain


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidParameterError(f"`{name}` must be a whole number of at least {least}, but is {value!r}.")
    return value


def _jobs(n_jobs: Any) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InvalidParameterError(f"`n_jobs` must be a whole number other than 0, but is {n_jobs!r}.")
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _folder(cache: str | Path | None) -> Path | None:
    if cache is None:
        return None
    folder = Path(cache).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"`cache` names '{folder}', which is no folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder

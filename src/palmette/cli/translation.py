"""Errors of the package in the words of the command line: a parameter of Python becomes the option that sets it."""

from __future__ import annotations

import re

OPTIONS_OF_OTHER_NAMES = {
    "accept_ties": "--ties",
    "categorical_features": "--categorical",
    "error_gap": "--gap",
    "feature_penalty": "--penalty",
    "initial": "--keep",
    "n_estimators": "--trees",
    "n_jobs": "--jobs",
    "random_state": "--seed",
}
OPTIONS_OF_THE_SAME_NAME = (
    *("beam_width", "cache", "checkpoint", "confidence", "criterion", "cv", "datasets", "error", "folds", "groups"),
    *("growth", "keep", "max_depth", "max_features", "measures", "memory_limit", "min_features", "min_samples"),
    *("new_feature_weight", "repeats", "search_size", "strategies", "time_limit", "trial_limit", "trial_time_limit"),
    "unused",
)
OPTION_OF = {
    **OPTIONS_OF_OTHER_NAMES,
    **{name: f"--{name.replace('_', '-')}" for name in OPTIONS_OF_THE_SAME_NAME},
}


def in_options(message: str) -> str:
    """The message with options in place of parameters. None is no value of an option: one leaves the option out.

    >>> in_options("`max_depth` must be an integer at least 0, or None, but is -1.")
    '--max-depth must be an integer at least 0, but is -1.'
    """
    translated = re.sub(r"`(\w+)`", lambda match: OPTION_OF.get(match[1], match[0]), message)
    return message if translated == message else translated.replace(", or None", "")

"""A tree as JSON and back: the safe way to ship a model, since nothing in the file is ever executed.

The schema is our own and carries a version. The loader trusts nothing: whatever is wrong with a file ends as
a `ValueError` that names the place, and a file that loads is a `Tree` whose structure has been checked (see
`model`).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tree.class_weights import ClassWeights
from palmette.tree.model import Category, Feature, Tree

FORMAT = "palmette-tree"
VERSION = 1

# Larger files are refused unread. A tree of a million nodes takes about 100 MiB.
LARGEST_FILE = 256 * 2**20

# Rows of so few numbers are easier to read than objects, and not much longer.
SHORT_ROW = 8

INTEGER_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOAT_TYPES = ("float16", "float32", "float64")
CLASS_TYPES = ("bool", *INTEGER_TYPES, *FLOAT_TYPES, "str", "object")


def tree_to_json(
    tree: Tree, path: str | os.PathLike[str] | None = None, *, parameters: Mapping[str, Any] | None = None
) -> str:
    """The tree as JSON text, written to `path` if one is given.

    Every number returns exactly; NaN (the threshold of a node that is no continuous split) is written as
    null. The class weights of a node are a list by class or, where it lacks most classes, an object from class numbers
    to weights.

    Parameters
    ----------
    tree : Tree
    path : str, path or None
        A file to write.
    parameters : mapping or None
        Parameters of the estimator that grew the tree, kept beside it.

    Returns
    -------
    str

    Examples
    --------
    >>> leaf = Tree(
    ...     features=(Feature("wage"),), classes=["bad", "good"], feature=[-1], threshold=[math.nan],
    ...     branch_start=[0, 0], branches=[], label=[1], weight=[57], class_weights=[[20, 37]], gain=[0],
    ... )
    >>> print(tree_to_json(leaf))
    {
      "format": "palmette-tree",
      "version": 1,
      "parameters": {},
      "features": [
        {"name": "wage"}
      ],
      "classes": {"dtype": "str", "values": ["bad", "good"]},
      "nodes": {
        "feature": [-1],
        "threshold": [null],
        "branches": [[]],
        "label": [1],
        "weight": [57],
        "class_weights": [[20, 37]],
        "gain": [0]
      }
    }
    >>> tree_from_json(tree_to_json(leaf)) == leaf
    True
    """
    features = ",\n    ".join(_feature_text(place, item) for place, item in enumerate(tree.features))
    start = tree.branch_start.tolist()
    branches = tree.branches.tolist()
    nodes = {
        "feature": tree.feature.tolist(),
        "threshold": [None if value != value else value for value in tree.threshold.tolist()],
        "branches": [branches[low:high] for low, high in pairwise(start)],
        "label": tree.label.tolist(),
        "weight": tree.weight.tolist(),
        "class_weights": _weights_by_node(tree.kept_class_weights),
        "gain": tree.gain.tolist(),
    }
    text = "\n".join(
        [
            "{",
            f'  "format": "{FORMAT}",',
            f'  "version": {VERSION},',
            f'  "parameters": {_dumped(_plain(dict(parameters or {}), "parameters"))},',
            f'  "features": [\n    {features}\n  ],' if tree.features else '  "features": [],',
            f'  "classes": {_classes_text(tree.classes)},',
            '  "nodes": {',
            ",\n".join(f'    "{name}": {_numbers_text(values)}' for name, values in nodes.items()),
            "  }",
            "}",
        ]
    )
    if path is not None:
        Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")
    return text


def tree_from_json(text_or_path: str | bytes | os.PathLike[str]) -> Tree:
    """The tree that `tree_to_json` wrote, from its text or from a file.

    Parameters
    ----------
    text_or_path : str, bytes or path
        JSON text, or the path of a file that holds it. A string is text if it has a brace, bracket, quote or
        line break in it, else a path.

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        Whatever is wrong with the text; the message names the place.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> tree_from_json('{"format": "palmette-tree", "version": 7}')
    Traceback (most recent call last):
    ValueError: version is 7, but this palmette reads version 1 only.
    """
    return read_json(text_or_path)[0]


def read_json(text_or_path: str | bytes | os.PathLike[str]) -> tuple[Tree, dict[str, Any]]:
    """The tree and the parameters that were written beside it; see `tree_from_json`."""
    document = _object(_parsed(_text(text_or_path)), "the file")
    if document.get("format") != FORMAT:
        raise ValueError(f'format must be "{FORMAT}", but is {_shown(document.get("format"))}.')
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"version is {_shown(version)}, but this palmette reads version {VERSION} only.")
    _expect_keys(document, "the file", ("format", "version", "parameters", "features", "classes", "nodes"))
    parameters = _object(document["parameters"], "parameters")
    # Writing them again checks every value in them.
    _plain(parameters, "parameters")
    features = tuple(
        _read_feature(item, f"features[{place}]") for place, item in enumerate(_list(document["features"], "features"))
    )
    classes = _read_classes(document["classes"])
    nodes = _object(document["nodes"], "nodes")
    arrays = ("feature", "threshold", "branches", "label", "weight", "class_weights", "gain")
    _expect_keys(nodes, "nodes", arrays)
    branches = _rows(nodes["branches"], "nodes.branches")
    flat_branches = _integers(list(chain.from_iterable(branches)), "nodes.branches", branches)
    class_weights = _read_class_weights(nodes["class_weights"], "nodes.class_weights", len(classes))
    try:
        tree = Tree(
            features=features,
            classes=classes,
            feature=_integers(nodes["feature"], "nodes.feature"),
            threshold=_floats(nodes["threshold"], "nodes.threshold", missing=True),
            branch_start=np.concatenate([[0], np.cumsum([len(row) for row in branches], dtype=np.int64)]),
            branches=flat_branches,
            label=_integers(nodes["label"], "nodes.label"),
            weight=_floats(nodes["weight"], "nodes.weight"),
            class_weights=class_weights,
            gain=_floats(nodes["gain"], "nodes.gain"),
        )
    except _PlaceError:
        raise
    except ValueError as error:
        # The messages of `Tree` begin with the name of an array, except those on features and classes.
        message = str(error)
        raise ValueError(message if message.startswith(("features", "classes")) else f"nodes.{message}") from None
    return tree, parameters


class _PlaceError(ValueError):
    """An error whose message names its place in the file already."""


# Writing


def _dumped(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # Lone surrogates cannot be encoded as UTF-8; as escapes they can.
    return text if _encodable(text) else json.dumps(value, allow_nan=False)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _numbers_text(values: list[Any]) -> str:
    """Lists of numbers, each as the shortest text that returns the same float64.

    Whole numbers are written without `.0`, but a negative zero keeps it, since the integer -0 has no sign.
    """
    return re.sub(r"(?<!-0)\.0(?=[,\]}])", "", json.dumps(values, allow_nan=False))


def _weights_by_node(kept: ClassWeights) -> list[list[float] | dict[str, float]]:
    """Of each node the weights of all classes, or those of the classes that it has where they are the fewer."""
    labels, weights = kept.label.tolist(), kept.weight.tolist()
    nodes: list[list[float] | dict[str, float]] = []
    for node, (low, high) in enumerate(pairwise(kept.start.tolist())):
        if 2 * (high - low) < kept.n_classes > SHORT_ROW:
            nodes.append(dict(zip(map(str, labels[low:high]), weights[low:high], strict=True)))
        else:
            nodes.append(kept.of_node(node))
    return nodes


def _feature_text(place: int, feature: Feature) -> str:
    entry: dict[str, object] = {"name": feature.name}
    if feature.categories is not None:
        entry["categories"] = [
            _label(item, f"features[{place}].categories[{code}]") for code, item in enumerate(feature.categories)
        ]
    return _dumped(entry)


def _classes_text(classes: NDArray[Any]) -> str:
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.newbyteorder("=").name
    if dtype not in CLASS_TYPES:
        raise _PlaceError(f"classes of the type {classes.dtype} cannot be written; use strings, numbers or booleans.")
    values = [_label(item, f"classes[{place}]") for place, item in enumerate(classes.tolist())]
    return _dumped({"dtype": dtype, "values": values})


def _plain(value: object, place: str, depth: int = 0) -> object:
    """A parameter as JSON knows it: numpy values become numbers and lists, tuples become lists."""
    if depth > 20:
        raise _PlaceError(f"{place} is nested too deep.")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        if math.isinf(value) if isinstance(value, float) else not -(2**63) <= value < 2**64:
            raise _PlaceError(f"{place} is {_shown(value)}, which JSON cannot hold.")
        return None if value != value else value
    if isinstance(value, list | tuple):
        return [_plain(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise _PlaceError(f"{place} has the key {_shown(key)}, but keys must be strings.")
        return {key: _plain(item, f"{place}.{key}", depth + 1) for key, item in value.items()}
    raise _PlaceError(f"{place} is of the type {type(value).__name__}, which cannot be written as JSON.")


# Reading


def _text(source: str | bytes | os.PathLike[str]) -> str:
    if isinstance(source, str) and (not source.strip() or any(char in source for char in '{["\n\r\0')):
        if len(source) > LARGEST_FILE:
            raise ValueError(f"The text has {len(source)} characters; more than {LARGEST_FILE} are refused.")
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
    elif isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    else:
        raise ValueError(f"Wanted JSON text or the path of a file, but got {type(source).__name__}.")
    if len(data) > LARGEST_FILE:
        raise ValueError(f"The file is larger than {LARGEST_FILE // 2**20} MiB, which no tree of palmette needs.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"The file is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}.") from None


def _parsed(text: str) -> object:
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_repeated_keys,
            parse_constant=_refuse_constant,
        )
    except _PlaceError:
        raise
    except json.JSONDecodeError as error:
        raise ValueError(f"The text is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.") from None
    except ValueError:
        # Python refuses to read integers of more than 4300 digits, which take quadratic time.
        raise ValueError("The text has an integer of thousands of digits.") from None
    except RecursionError:
        raise ValueError("The JSON is nested too deep; a tree needs four levels.") from None


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise _PlaceError(f"The key {_shown(repeated)} appears twice in one object.")
    return result


def _refuse_constant(name: str) -> object:
    raise _PlaceError(f"The text has the number {name}, which is not allowed in JSON.")


def _shown(value: object) -> str:
    """A value in a message, short whatever it is."""
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)} entries"
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _object(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _PlaceError(f"{place} must be a JSON object, but is {_shown(value)}.")
    return value


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise _PlaceError(f"{place} must be a list, but is {_shown(value)}.")
    return value


def _expect_keys(found: dict[str, Any], place: str, wanted: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    for key in wanted:
        if key not in found:
            raise _PlaceError(f"{place} has no {_shown(key)}.")
    for key in found:
        if key not in wanted and key not in optional:
            raise _PlaceError(f"{place} has the unknown key {_shown(key)}.")


def _label(value: object, place: str) -> Category:
    """A category or class: a string, a boolean, a 64-bit integer or a finite float."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise _PlaceError(
        f"{place} is {_shown(value)}; only strings, booleans, 64-bit integers and finite numbers can be stored."
    )


def _read_feature(value: object, place: str) -> Feature:
    entry = _object(value, place)
    _expect_keys(entry, place, ("name",), ("categories",))
    if not isinstance(entry["name"], str):
        raise _PlaceError(f"{place}.name must be a string, but is {_shown(entry['name'])}.")
    if "categories" not in entry:
        return Feature(entry["name"])
    items = _list(entry["categories"], f"{place}.categories")
    categories = tuple(_label(item, f"{place}.categories[{code}]") for code, item in enumerate(items))
    try:
        return Feature(entry["name"], categories)
    except ValueError as error:
        raise _PlaceError(f"{place}: {error}") from None


def _read_classes(value: object) -> NDArray[Any]:
    entry = _object(value, "classes")
    _expect_keys(entry, "classes", ("dtype", "values"))
    dtype = entry["dtype"]
    if not isinstance(dtype, str) or dtype not in CLASS_TYPES:
        raise _PlaceError(f"classes.dtype is {_shown(dtype)}, but must be one of {', '.join(CLASS_TYPES)}.")
    items = _list(entry["values"], "classes.values")
    if not items:
        raise _PlaceError("classes.values is empty, but a tree has at least one class.")
    values = [_label(item, f"classes.values[{place}]") for place, item in enumerate(items)]
    allowed: set[type]
    if dtype == "object":
        allowed = {str, bool, int, float}
    elif dtype == "str":
        allowed = {str}
    elif dtype == "bool":
        allowed = {bool}
    else:
        allowed = {int, float} if dtype in FLOAT_TYPES else {int}
    for place, item in enumerate(values):
        if type(item) not in allowed:
            raise _PlaceError(f"classes.values[{place}] is {_shown(item)}, but classes.dtype is {_shown(dtype)}.")
    try:
        with np.errstate(over="ignore"):
            array = np.array(values, dtype=dtype)
    except (OverflowError, ValueError):
        array = np.array([], dtype=dtype)
    if array.tolist() != values:
        raise _PlaceError(f"classes.values do not fit into classes.dtype {_shown(dtype)}.")
    return array


def _rows(value: object, place: str) -> list[list[Any]]:
    rows = _list(value, place)
    if set(map(type, rows)) - {list}:
        index = next(index for index, row in enumerate(rows) if type(row) is not list)
        raise _PlaceError(f"{place}[{index}] must be a list, but is {_shown(rows[index])}.")
    return rows


def _read_class_weights(value: object, place: str, n_classes: int) -> ClassWeights:
    """From a list by class or an object from class numbers to weights for each node."""
    labels: list[Iterable[int]] = []
    rows: list[list[Any]] = []
    for node, row in enumerate(_list(value, place)):
        if isinstance(row, dict):
            labels.append([_class_number(key, f"{place}[{node}]", n_classes) for key in row])
            rows.append(list(row.values()))
        elif not isinstance(row, list):
            raise _PlaceError(f"{place}[{node}] must be a list or an object, but is {_shown(row)}.")
        elif len(row) != n_classes:
            raise _PlaceError(f"{place}[{node}] has {len(row)} entries, but there are {n_classes} classes.")
        else:
            labels.append(range(n_classes))
            rows.append(row)
    weight = _floats(list(chain.from_iterable(rows)), place, rows)
    label = np.fromiter(chain.from_iterable(labels), dtype=np.int64, count=len(weight))
    node_of = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    present = np.flatnonzero(weight)
    present = present[np.lexsort((label[present], node_of[present]))]
    start = np.concatenate([[0], np.cumsum(np.bincount(node_of[present], minlength=len(rows)))])
    # Classes are numbered in 16 bits; `Tree` refuses more of them.
    return ClassWeights(n_classes, start.astype(np.int32), label[present].astype(np.uint16), weight[present])


def _class_number(key: str, place: str, n_classes: int) -> int:
    if key.isascii() and key.isdigit() and len(key) < 10 and str(int(key)) == key and int(key) < n_classes:
        return int(key)
    raise _PlaceError(f"{place} has the key {_shown(key)}, but there are {n_classes} classes, numbered from 0.")


def _integers(value: object, place: str, rows: list[list[Any]] | None = None) -> NDArray[Any]:
    items = _list(value, place)
    _expect_types(items, place, {int}, "an integer", rows)
    try:
        return np.array(items, dtype=np.int64)
    except OverflowError:
        index = next(index for index, item in enumerate(items) if not -(2**63) <= item < 2**63)
        raise _PlaceError(f"{_entry(place, index, rows)} is {_shown(items[index])}, which is too large.") from None


def _floats(
    value: object, place: str, rows: list[list[Any]] | None = None, *, missing: bool = False
) -> NDArray[np.float64]:
    items = _list(value, place)
    _expect_types(items, place, {int, float, type(None)} if missing else {int, float}, "a number", rows)
    try:
        return np.array(items, dtype=np.float64)
    except OverflowError:
        index = next(index for index, item in enumerate(items) if type(item) is int and abs(item) >= 2**1023)
        raise _PlaceError(f"{_entry(place, index, rows)} is {_shown(items[index])}, which is too large.") from None


def _expect_types(items: list[Any], place: str, allowed: set[type], wanted: str, rows: list[list[Any]] | None) -> None:
    if set(map(type, items)) - allowed:
        index = next(index for index, item in enumerate(items) if type(item) not in allowed)
        raise _PlaceError(f"{_entry(place, index, rows)} must be {wanted}, but is {_shown(items[index])}.")


def _entry(place: str, index: int, rows: list[list[Any]] | None) -> str:
    """The name of an entry; where rows were laid end to end, the row and the place in it."""
    if rows is None:
        return f"{place}[{index}]"
    for row, entries in enumerate(rows):
        if index < len(entries):
            return f"{place}[{row}][{index}]"
        index -= len(entries)
    return place

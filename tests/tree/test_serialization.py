"""JSON: exact there and back, and no file, however broken, does more than raise a ValueError."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from palmette import C45Classifier
from palmette.tree import model, serialization
from palmette.tree.dot import tree_to_dot
from palmette.tree.model import Feature, Tree
from palmette.tree.rules import tree_to_rules
from palmette.tree.serialization import read_json, tree_from_json, tree_to_json
from palmette.tree.text import tree_to_text
from tree.examples import all_examples, by_hand, chain, hostile, labor, leaf_only, months


def same(first: Tree, second: Tree) -> bool:
    """Equal to the last bit and in every type."""
    arrays = ("feature", "threshold", "branch_start", "branches", "label", "weight", "class_weights", "gain")
    types = [[type(item) for item in feature.categories or ()] for feature in first.features]
    return (
        first == second
        and first.classes.dtype == second.classes.dtype
        and list(map(type, first.classes.tolist())) == list(map(type, second.classes.tolist()))
        and types == [[type(item) for item in feature.categories or ()] for feature in second.features]
        and all(
            getattr(first, name).tobytes() == getattr(second, name).tobytes() for name in arrays if name != "threshold"
        )
        and np.array_equal(np.signbit(first.threshold), np.signbit(second.threshold))
    )


def test_every_example_returns_exactly():
    for tree in all_examples():
        text = tree_to_json(tree)
        assert same(tree_from_json(text), tree)
        assert same(tree_from_json(text.encode()), tree)
        assert tree_to_json(tree_from_json(text)) == text
        json.loads(text, parse_constant=lambda name: pytest.fail(name))


@settings(max_examples=100, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.floats(0, 1e300), min_size=4, max_size=4),
    st.floats(allow_nan=False, allow_infinity=False),
)
@example(-0.0, [0.0, 5e-324, 1e16, 0.1], -0.0)
def test_every_float_returns_exactly(threshold, weights, gain):
    tree = by_hand([Feature("x")], ["a", "b"], ("x", threshold, [weights[:2], weights[2:]]))
    tree = Tree(*tree.__reduce__()[1][:-1], np.array([gain, 0, 0]))
    assert same(tree_from_json(tree_to_json(tree)), tree)


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        np.array([True, False]),
        np.array([3, -4]),
        np.array([3, 4], dtype=np.uint8),
        np.array([2**64 - 1, 0], dtype=np.uint64),
        np.array([0.1, 2.0]),
        np.array([0.1, 2.0], dtype=np.float32),
        np.array([1, "one"], dtype=object),
        np.array([2.0, True], dtype=object),
        np.array(["\ud800", "\u2028\x00é日"], dtype=object),
        np.array([3, 4], dtype=">i4"),
    ],
)
def test_classes_keep_their_type(classes):
    tree = by_hand([Feature("x")], classes, [1, 2])
    returned = tree_from_json(tree_to_json(tree))
    assert returned.classes.dtype == classes.dtype.newbyteorder("=")
    assert returned.classes.tolist() == classes.tolist()
    assert list(map(type, returned.classes.tolist())) == list(map(type, classes.tolist()))


def test_categories_keep_their_type():
    feature = Feature("x", ("a", True, 0, 2.5, 3.0, 2**40))
    returned = tree_from_json(tree_to_json(by_hand([feature], ["p"], [1]))).features[0]
    assert returned == feature
    assert list(map(type, returned.categories)) == [str, bool, int, float, float, int]


def test_files(tmp_path):
    path = tmp_path / "tree.json"
    text = tree_to_json(hostile(), path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    assert same(tree_from_json(path), hostile())
    assert same(tree_from_json(str(path)), hostile())
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert same(tree_from_json(path), hostile())
    with pytest.raises(FileNotFoundError):
        tree_from_json(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        tree_from_json("none.json")


def test_lone_surrogates_can_be_written(tmp_path):
    tree = by_hand([Feature("\ud800é")], ["a"], [1])
    tree_to_json(tree, tmp_path / "tree.json")
    assert same(tree_from_json(tmp_path / "tree.json"), tree)


def test_parameters_travel_along():
    parameters = {
        "criterion": "gini",
        "max_depth": None,
        "confidence": np.float32(0.25),
        "categorical_features": np.array([True, False]),
        "names": ("a", "b"),
        "missing": math.nan,
    }
    tree, returned = read_json(tree_to_json(labor(), parameters=parameters))
    assert same(tree, labor())
    assert returned == {
        "criterion": "gini",
        "max_depth": None,
        "confidence": 0.25,
        "categorical_features": [True, False],
        "names": ["a", "b"],
        "missing": None,
    }
    assert read_json(tree_to_json(labor()))[1] == {}


@pytest.mark.parametrize(
    ("tree", "parameters", "message"),
    [
        (labor(), {"time_limit": math.inf}, "parameters.time_limit is Infinity, which JSON cannot hold"),
        (labor(), {"seed": 2**70}, "parameters.seed is 1180591620717411303424"),
        (labor(), {"rng": [object()]}, r"parameters.rng\[0\] is of the type object"),
        (labor(), {"costs": {1: 2}}, "parameters.costs has the key 1, but keys must be strings"),
        (by_hand([Feature("x", (b"a",))], ["p"], [1]), None, r"features\[0\].categories\[0\] is a bytes"),
        (
            by_hand([Feature("x", (math.inf,))], ["p"], [1]),
            None,
            r"features\[0\].categories\[0\] is Infinity",
        ),
        (by_hand([], np.array([b"a"]), [1]), None, r"classes of the type \|S1 cannot be written"),
        (by_hand([], np.array([1j]), [1]), None, "classes of the type complex128 cannot be written"),
    ],
)
def test_what_cannot_be_written(tree, parameters, message):
    with pytest.raises(ValueError, match=message):
        tree_to_json(tree, parameters=parameters)


def test_nothing_is_written_when_something_cannot_be(tmp_path):
    with pytest.raises(ValueError):
        tree_to_json(labor(), tmp_path / "tree.json", parameters={"bad": math.inf})
    assert not (tmp_path / "tree.json").exists()


# Broken files. The place is a path of keys into the document; the value replaces what stands there.
DELETED = object()

BROKEN = [
    (("format",), "other", 'format must be "palmette-tree", but is "other"'),
    (("format",), DELETED, 'format must be "palmette-tree", but is null'),
    (("version",), 2, "version is 2, but this palmette reads version 1 only"),
    (("version",), True, "version is true"),
    (("version",), 1.0, "version is 1.0"),
    (("extra",), 1, 'the file has the unknown key "extra"'),
    (("nodes",), DELETED, 'the file has no "nodes"'),
    (("nodes",), [], "nodes must be a JSON object, but is a list of 0 entries"),
    (("nodes", "gain"), DELETED, 'nodes has no "gain"'),
    (("nodes", "more"), [], 'nodes has the unknown key "more"'),
    (("nodes", "feature", 3), 99, r"nodes.feature\[3\] is 99, but the tree has 4 features"),
    (("nodes", "feature", 3), 2.0, r"nodes.feature\[3\] must be an integer, but is 2.0"),
    (("nodes", "feature", 3), True, r"nodes.feature\[3\] must be an integer, but is true"),
    (("nodes", "feature", 3), None, r"nodes.feature\[3\] must be an integer, but is null"),
    (("nodes", "feature", 3), "1", r'nodes.feature\[3\] must be an integer, but is "1"'),
    (("nodes", "feature", 3), 2**64, r"nodes.feature\[3\] is 18446744073709551616, which is too large"),
    (("nodes", "feature", 3), 2**40, r"nodes.feature\[3\] is 1099511627776"),
    (("nodes", "feature"), {}, "nodes.feature must be a list, but is an object of 0 keys"),
    (("nodes", "threshold", 0), None, r"nodes.threshold\[0\] is nan, but node 0 is a continuous split"),
    (("nodes", "threshold", 3), 2.5, r"nodes.threshold\[3\] is 2.5, but node 3 is no continuous split"),
    (("nodes", "threshold", 0), [1], r"nodes.threshold\[0\] must be a number, but is a list of 1 entries"),
    (("nodes", "weight", 1), 10**400, r"nodes.weight\[1\] is 1000.*\.\.\., which is too large"),
    (("nodes", "weight", 1), -1, r"nodes.weight\[1\] is -1.0"),
    (("nodes", "weight", 1), 16, r"nodes.class_weights\[1\] add up to 15.0, but weight\[1\] is 16.0"),
    (("nodes", "class_weights", 2), [1], r"nodes.class_weights\[2\] has 1 entries, but there are 2 classes"),
    (("nodes", "class_weights", 2), 1, r"nodes.class_weights\[2\] must be a list or an object, but is 1"),
    (("nodes", "class_weights", 2, 1), "1", r'nodes.class_weights\[2\]\[1\] must be a number, but is "1"'),
    (("nodes", "branches", 3, 1), None, r"nodes.branches\[3\]\[1\] must be an integer, but is null"),
    (
        ("nodes", "branches", 3, 1),
        2**63,
        r"nodes.branches\[3\]\[1\] is 9223372036854775808, which is too large",
    ),
    (("nodes", "branches", 3, 1), 3, r"nodes.branches\[3\]\[1\] is 3, but a branch of node 3"),
    (
        ("nodes", "branches", 3),
        [4, 5],
        r"nodes.branches\[3\] has 2 entries, but node 3 splits on 'contribution'",
    ),
    (("nodes", "label", 0), 2, r"nodes.label\[0\] is 2, but the tree has 2 classes"),
    (("nodes", "label"), [], "nodes.label has 0 entries, but feature has 12"),
    (("features",), None, "features must be a list, but is null"),
    (("features", 1), "x", r'features\[1\] must be a JSON object, but is "x"'),
    (("features", 1, "name"), 3, r"features\[1\].name must be a string, but is 3"),
    (("features", 1, "name"), "hours", "features must have different names; 'hours' repeats"),
    (("features", 1, "kind"), 3, r'features\[1\] has the unknown key "kind"'),
    (
        ("features", 2, "categories", 1),
        None,
        r"features\[2\].categories\[1\] is null; only strings, booleans",
    ),
    (
        ("features", 2, "categories", 1),
        "none",
        r"features\[2\]: The categories of 'contribution' must differ",
    ),
    (("features", 2, "categories", 1), 10**30, r"features\[2\].categories\[1\] is 10000"),
    (("features", 2, "categories"), "abc", r'features\[2\].categories must be a list, but is "abc"'),
    (("classes", "dtype"), "datetime64", 'classes.dtype is "datetime64", but must be one of bool, int8'),
    (("classes", "dtype"), [], "classes.dtype is a list of 0 entries"),
    (("classes", "dtype"), "int8", r'classes.values\[0\] is "bad", but classes.dtype is "int8"'),
    (("classes", "values", 0), {"a": 1}, r"classes.values\[0\] is an object of 1 keys; only strings"),
    (("classes", "values"), [], "classes.values is empty"),
    (("classes", "values"), ["a"], r"nodes.class_weights\[0\] has 2 entries, but there are 1 classes"),
    (("classes", "values"), ["a", "a"], "classes must differ; 'a' repeats"),
    (
        ("classes",),
        {"dtype": "int8", "values": [1, 300]},
        'classes.values do not fit into classes.dtype "int8"',
    ),
    (("classes",), {"dtype": "float16", "values": [1, 1e30]}, "classes.values do not fit"),
    (("classes",), {"dtype": "str", "values": ["a", "a\x00"]}, "classes.values do not fit"),
    (("classes",), {"dtype": "bool", "values": [0, 1]}, r"classes.values\[0\] is 0, but classes.dtype"),
    (("parameters",), [], "parameters must be a JSON object"),
    (("parameters", "a"), 10**30, "parameters.a is 10000"),
]


def replaced(document, place, value):
    at = document
    for key in place[:-1]:
        at = at[key]
    if value is DELETED:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return document


@pytest.mark.parametrize(("place", "value", "message"), BROKEN)
def test_a_broken_file_names_the_place(place, value, message):
    document = replaced(json.loads(tree_to_json(labor())), place, value)
    with pytest.raises(ValueError, match="^" + message):
        tree_from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value in line 1, column 1"),
        ("  \n", "not JSON"),
        ("{", "not JSON: Expecting property name"),
        ("[]", "the file must be a JSON object, but is a list of 0 entries"),
        ('"tree"', 'the file must be a JSON object, but is "tree"'),
        ('{"format": NaN}', "the number NaN, which is not allowed in JSON"),
        ('{"format": [-Infinity]}', "the number -Infinity"),
        ('{"format": 1, "format": 1}', 'The key "format" appears twice in one object'),
        ('{"a": ' + "9" * 5000 + "}", "an integer of thousands of digits"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        (b"\xff\xfe{}", "not UTF-8 text: byte 0 is 0xff"),
        (b"\x80\x04\x95", "not UTF-8 text"),
        (b"", "not JSON"),
        (7, "Wanted JSON text or the path of a file, but got int"),
    ],
)
def test_what_is_no_document(text, message):
    with pytest.raises(ValueError, match=message):
        tree_from_json(text)


def test_nested_parameters_are_refused():
    document = json.loads(tree_to_json(labor()))
    document["parameters"] = {"a": json.loads("[" * 300 + "]" * 300)}
    with pytest.raises(ValueError, match="nested too deep"):
        tree_from_json(json.dumps(document))


def test_huge_files_are_refused_unread(monkeypatch, tmp_path):
    monkeypatch.setattr(serialization, "LARGEST_FILE", 500)
    for source in (tree_to_json(labor()), tree_to_json(labor()).encode(), Path("/dev/zero")):
        if source != Path("/dev/zero") or Path("/dev/zero").exists():
            with pytest.raises(ValueError, match=r"larger than|more than 500"):
                tree_from_json(source)


def test_a_chain_deeper_than_allowed_is_refused(monkeypatch):
    text = tree_to_json(chain(30))
    monkeypatch.setattr(model, "DEEPEST", 29)
    with pytest.raises(ValueError, match=r"nodes.branches make a tree of depth 30, but at most 29 is allowed"):
        tree_from_json(text)


# Fuzzing

VALID = [tree_to_json(tree, parameters={"a": [1, {"b": None}]}) for tree in (leaf_only(), labor(), months(), hostile())]
SNIPPETS = [
    b"0",
    b"-",
    b"9",
    b"1e999",
    b"null",
    b"NaN",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b'"',
    b"\\",
    b"\xff",
    b"\x00",
    b"",
]
JUNK = [None, True, -1, 0, 1, 2, 7, 0.5, -0.0, 1e308, 1e-320, 2**31, 2**63, -(2**63) - 1, 10**400]
JUNK += ["", "1", "bad", [], {}, [[]], [0, 1], [None], {"name": "x"}]


def assert_refused_or_valid(source):
    try:
        tree = tree_from_json(source)
    except ValueError as error:
        message = str(error)
    else:
        message = ""
        tree_to_text(tree)
        tree_to_dot(tree)
        tree_to_rules(tree)
        assert tree_from_json(tree_to_json(tree)) == tree
    assert len(message) < 400


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_bytes_are_refused_or_valid(seed):
    random = Random(seed)
    source = bytearray(random.choice(VALID).encode())
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(source))
        stop = start + random.choice([0, 1, 1, 2, 12])
        copied = random.randint(0, len(source))
        source[start:stop] = random.choice([*SNIPPETS, random.randbytes(3), source[copied : copied + 20]])
    assert_refused_or_valid(bytes(source))


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_values_are_refused_or_valid(seed):
    random = Random(seed)
    document = json.loads(random.choice(VALID))
    for _ in range(random.randint(1, 3)):
        at = document
        while at:
            key = random.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if isinstance(at[key], dict | list) and random.random() < 0.95:
                at = at[key]
            elif random.random() < 0.9:
                at[key] = deepcopy(random.choice(JUNK))
                break
            else:
                del at[key]
                break
    assert_refused_or_valid(json.dumps(document))


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(alphabet='{}[]",:0123456789.eE+-ntrf \n\\ua', max_size=60), st.binary(max_size=60)))
def test_noise_is_refused(source):
    if isinstance(source, str) and not any(char in source for char in '{["\n'):
        source = source.encode()
    with pytest.raises(ValueError):
        tree_from_json(source)


def tree_of_many_classes():
    X = np.arange(120.0)[:, None]
    return C45Classifier(growth="literal").fit(X, np.repeat(np.arange(40), 3)).tree_


def test_nodes_of_few_among_many_classes_are_short():
    tree = tree_of_many_classes()
    text = tree_to_json(tree)
    assert '{"39": 3}' in text
    assert tree_from_json(text) == tree
    document = json.loads(text)
    document["nodes"]["class_weights"] = tree.class_weights.tolist()  # the long form says the same
    assert tree_from_json(json.dumps(document)) == tree
    leaf = tree.n_nodes - 1
    for row in ({"39": 3, "0": 0}, {"0": 0.0, "39": 3.0}):
        document["nodes"]["class_weights"][leaf] = row
        assert tree_from_json(json.dumps(document)) == tree


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"40": 3}, 'has the key "40", but there are 40 classes'),
        ({"-1": 3}, 'has the key "-1"'),
        ({"039": 3}, 'has the key "039"'),
        ({"³": 3}, "has the key"),
        ({"9" * 5000: 3}, "has the key"),
        ({"39": "3"}, "must be a number"),
        ({"39": -3}, "is -3.0"),
        ({"38": 2}, "add up to 2.0"),
    ],
)
def test_an_object_of_class_weights_that_cannot_be(row, sentence):
    document = json.loads(tree_to_json(tree_of_many_classes()))
    document["nodes"]["class_weights"][-1] = row
    with pytest.raises(ValueError, match=sentence):
        tree_from_json(json.dumps(document))


def test_a_tree_of_a_thousand_classes_is_a_small_file():
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(1000), rng.integers(0, 1000, 3000)]
    tree = C45Classifier(growth="literal", min_samples=1).fit(rng.normal(size=(4000, 3)), y).tree_
    text = tree_to_json(tree)
    assert len(text) < 400 * tree.n_nodes
    assert tree_from_json(text) == tree

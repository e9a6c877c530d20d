"""The tree as Graphviz source, read back by a small parser of the part of the language that we write."""

from __future__ import annotations

import html
import re

import pytest

from palmette.tree.dot import tree_to_dot
from palmette.tree.model import Feature
from tree.examples import HOSTILE, all_examples, by_hand, chain, hostile, labor

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[{}\[\];=,]|[A-Za-z_][A-Za-z_0-9]*|-?\d+(?:\.\d+)?)', re.DOTALL)


def tokens(source: str) -> list[str]:
    found, place = [], 0
    source = source.rstrip()
    while place < len(source):
        match = TOKEN.match(source, place)
        assert match, f"no token at {source[place : place + 30]!r}"
        found.append(match[1])
        place = match.end()
    return found


def value(token: str) -> str:
    """What Graphviz shows for a quoted string."""
    if not token.startswith('"'):
        return token
    unescaped = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], token[1:-1])
    return html.unescape(unescaped)


def parse(source: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], dict[str, str]]]:
    """The nodes and edges with their attributes."""
    stream = iter(tokens(source))
    assert [next(stream) for _ in range(3)] == ["digraph", "tree", "{"]
    nodes: dict[str, dict[str, str]] = {}
    edges: dict[tuple[str, str], dict[str, str]] = {}
    for name in stream:
        if name == "}":
            break
        target = None
        following = next(stream)
        if following == "->":
            target, following = next(stream), next(stream)
        assert following == "["
        attributes = {}
        while True:
            key = next(stream)
            assert next(stream) == "="
            attributes[key] = value(next(stream))
            following = next(stream)
            if following == "]":
                break
            assert following == ","
        assert next(stream) == ";"
        if target is not None:
            edges[name, target] = attributes
        elif name not in ("graph", "node", "edge"):
            assert name not in nodes
            nodes[name] = attributes
    assert next(stream, None) is None
    return nodes, edges


def test_every_node_and_branch_is_there():
    for tree in all_examples():
        nodes, edges = parse(tree_to_dot(tree))
        assert len(nodes) == tree.n_nodes
        assert set(edges) == {
            (f"n{node}", f"n{child}") for node in range(tree.n_nodes) for _, child in tree.children(node)
        }


def test_labels_and_colours():
    nodes, edges = parse(tree_to_dot(labor()))
    assert nodes["n0"]["label"] == "wage_increase"
    assert nodes["n4"]["label"] == "bad\n9 of 9"
    assert edges["n0", "n1"]["label"] == "≤ 2.5"
    assert edges["n3", "n6"]["label"] == "full"
    assert re.fullmatch("#[0-9A-F]{6}", nodes["n4"]["fillcolor"])
    assert nodes["n4"]["color"] != nodes["n11"]["color"]
    assert float(edges["n0", "n7"]["penwidth"]) > float(edges["n0", "n1"]["penwidth"])


def test_hostile_names_survive():
    nodes, edges = parse(tree_to_dot(hostile()))
    assert nodes["n0"]["label"].startswith(HOSTILE[:10])
    assert nodes["n6"]["label"] == '"\n5 of 6'
    assert {edge["label"] for edge in edges.values()} >= {"\\N", "日本", "''"}
    ampersand = by_hand([Feature("R&amp;D <b>")], ["a"], ("R&amp;D <b>", 1.0, [[1], [1]]))
    assert parse(tree_to_dot(ampersand))[0]["n0"]["label"] == "R&amp;D <b>"


def test_max_depth_leaves_stubs():
    nodes, edges = parse(tree_to_dot(labor(), max_depth=1))
    assert len(nodes) == 3
    assert len(edges) == 2
    assert nodes["n1"]["label"] == "bad\n11 of 15\n+5 nodes"
    assert "dashed" in nodes["n1"]["style"]
    with pytest.raises(ValueError, match="`max_depth`"):
        tree_to_dot(labor(), max_depth=-1)


def test_deep_trees_do_not_recurse():
    assert len(parse(tree_to_dot(chain(3000)))[0]) == 6001

"""A tree as Graphviz source; drawing it needs the `dot` program, writing it needs nothing.

The neighbour `plot` draws without Graphviz; both share `palette`.
"""

from __future__ import annotations

from palmette.tree import palette
from palmette.tree.model import Branch, Tree
from palmette.tree.wording import enumeration, printable, shortened, threshold_digits, weight_text

# Graphviz lays out wide boxes badly; longer words are cut.
LONGEST_WORD = 40


def tree_to_dot(tree: Tree, max_depth: int | None = None) -> str:
    """The tree in the language of Graphviz, with class colours and lines as thick as their weight.

    Parameters
    ----------
    tree : Tree
    max_depth : int or None
        Splits below this depth are left out; a dashed box says how many nodes that are.

    Returns
    -------
    str

    Examples
    --------
    >>> from palmette.tree.model import Feature, Tree
    >>> leaf = Tree(
    ...     features=(Feature("wage"),), classes=["bad", "good"], feature=[-1], threshold=[float("nan")],
    ...     branch_start=[0, 0], branches=[], label=[1], weight=[57], class_weights=[[20, 37]], gain=[0],
    ... )
    >>> print(tree_to_dot(leaf).splitlines()[-2])
        n0 [label="good\\n37 of 57", fillcolor="#FADDD4", color="#C37054"];
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"`max_depth` must be None or at least 0, not {max_depth}.")
    deepest = tree.depth if max_depth is None else max_depth
    digits = threshold_digits(tree)
    sizes = tree.subtree_sizes
    colors = palette.class_colors(len(tree.classes))
    labels = [shortened(printable(label), LONGEST_WORD) for label in tree.classes.tolist()]
    root_weight = float(tree.weight[0]) or 1.0
    lines = [
        "digraph tree {",
        "    graph [ranksep=0.45, nodesep=0.2];",
        '    node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, '
        f'color="{palette.LINE}", fillcolor="{palette.INNER}", fontcolor="{palette.INK}"];',
        f'    edge [fontname="Helvetica", fontsize=10, color="{palette.LINE}", fontcolor="{palette.INK}", '
        "arrowhead=none];",
    ]
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        branches = tree.branches_of(node, digits)
        if branches and depth < deepest:
            name = shortened(printable(tree.features[int(tree.feature[node])].name), LONGEST_WORD)
            lines.append(f"    n{node} [label={_quoted(name)}];")
            for branch in branches:
                width = 0.8 + 4.2 * float(tree.weight[branch.child]) / root_weight
                words = _quoted(_edge_text(branch))
                lines.append(f"    n{node} -> n{branch.child} [label={words}, penwidth={width:.2f}];")
            waiting += [(branch.child, depth + 1) for branch in reversed(branches)]
            continue
        label = int(tree.label[node])
        class_weights = tree.kept_class_weights.of_node(node)
        color = colors[label]
        words = f"{labels[label]}\n{weight_text(class_weights[label])} of {weight_text(float(tree.weight[node]))}"
        style = ""
        if branches:
            words += f"\n+{int(sizes[node]) - 1} nodes"
            style = ', style="rounded,filled,dashed"'
        lines.append(
            f"    n{node} [label={_quoted(words)}, "
            f'fillcolor="{palette.fill(color, palette.purity(class_weights, label))}", '
            f'color="{palette.blend("#000000", color, 0.82)}"{style}];'
        )
    lines.append("}")
    return "\n".join(lines) + "\n"


def _edge_text(branch: Branch) -> str:
    condition = branch.condition
    if condition.categories is not None:
        return shortened(enumeration(condition.categories, room=24), LONGEST_WORD)
    return condition.test.replace("<=", "≤")


def _quoted(text: str) -> str:
    r"""A Graphviz string: quotes, backslashes and line breaks escaped, `&` kept from opening an entity."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("&", "&amp;")
    return f'"{escaped}"'

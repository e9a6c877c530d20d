"""A tree as indented text in the manner of C4.5, for terminals and logs.

Its neighbour `wording` settles how names and numbers read; `rules` says the same as one sentence per leaf.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from palmette.tree.model import Branch, Tree
from palmette.tree.wording import enumeration, printable, threshold_digits

# Like C4.5, text that is indented deeper continues as "Subtree [S1]" at the left margin.
BLOCK_DEPTH = 25


class _Pen(NamedTuple):
    """The strokes that draw the branches."""

    inner: str
    last: str
    passing: str
    nothing: str
    ellipsis: str


_LINES = _Pen("├─ ", "└─ ", "│  ", "   ", "…")
_ASCII = _Pen("|-- ", "`-- ", "|   ", "    ", "...")


def tree_to_text(
    tree: Tree,
    max_depth: int | None = None,
    decimals: int = 1,
    show: Literal["weights", "share"] = "weights",
    *,
    ascii_only: bool = False,
) -> str:
    """The tree as indented text, one line a branch.

    A leaf shows its class, the weight of its training samples and, after a slash, the weight of those of
    other classes: `good (35.0/2.0)`. Categories without a training sample share one line.

    Parameters
    ----------
    tree : Tree
    max_depth : int or None
        Splits below this depth are left out; the line says how many nodes that are.
    decimals : int
        Decimals of the weights or percentages.
    show : {"weights", "share"}
        Numbers as weights, or as percentages of the weight of all training samples.
    ascii_only : bool
        Draw with `|`, `-` and backquotes, for terminals without box drawing characters.

    Returns
    -------
    str

    Examples
    --------
    >>> from math import nan
    >>> from palmette.tree.model import Feature, Tree
    >>> tree = Tree(
    ...     features=(Feature("wage"),), classes=["bad", "good"],
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     branch_start=[0, 2, 2, 2], branches=[1, 2], label=[1, 0, 1], weight=[57, 22, 35],
    ...     class_weights=[[20, 37], [18, 4], [2, 33]], gain=[20.5, 0, 0],
    ... )
    >>> print(tree_to_text(tree))
    Tree: 3 nodes, 2 leaves, depth 1, uses 1 of 1 feature
    <BLANKLINE>
    ├─ wage <= 2.5: bad (22.0/4.0)
    └─ wage > 2.5: good (35.0/2.0)
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"`max_depth` must be None or at least 0, not {max_depth}.")
    if show not in ("weights", "share"):
        raise ValueError(f'`show` must be "weights" or "share", not {show!r}.')
    if decimals < 0:
        raise ValueError(f"`decimals` must be at least 0, not {decimals}.")
    writer = _Writer(tree, max_depth, decimals, show, _ASCII if ascii_only else _LINES)
    text = f"{tree!r}\n\n{writer.write()}"
    if ascii_only:
        return text.encode("ascii", "backslashreplace").decode("ascii")
    return text


class _Writer:
    """Writes block after block: the tree, then the subtrees that would be indented too deep."""

    def __init__(self, tree: Tree, max_depth: int | None, decimals: int, show: str, pen: _Pen) -> None:
        self.tree = tree
        self.max_depth = tree.depth if max_depth is None else max_depth
        self.decimals = decimals
        self.unit = float(tree.weight[0]) / 100 if show == "share" else 0.0
        self.shares = show == "share"
        self.pen = pen
        self.digits = threshold_digits(tree)
        self.sizes = tree.subtree_sizes
        self.classes = [printable(label) for label in tree.classes.tolist()]

    def write(self) -> str:
        tree = self.tree
        if tree.feature[0] < 0:
            return self.outcome(0)
        if self.max_depth == 0:
            return f"{self.outcome(0)} {self.rest(0)}"
        lines: list[str] = []
        blocks = [(0, 0)]
        for number, (root, root_depth) in enumerate(blocks):
            if number:
                lines += ["", f"Subtree [S{number}]", ""]
            # One entry a branch still to be written: its line, its indentation, its child, the child's depth.
            waiting = self.below(root, "", 1)
            while waiting:
                line, indentation, child, depth = waiting.pop()
                if tree.feature[child] < 0:
                    lines.append(f"{line}: {self.outcome(child)}")
                elif root_depth + depth >= self.max_depth:
                    lines.append(f"{line}: {self.outcome(child)} {self.rest(child)}")
                elif depth >= BLOCK_DEPTH:
                    lines.append(f"{line}: [S{len(blocks)}]")
                    blocks.append((child, root_depth + depth))
                else:
                    lines.append(line)
                    waiting += self.below(child, indentation, depth + 1)
        return "\n".join(lines)

    def below(self, node: int, indentation: str, depth: int) -> list[tuple[str, str, int, int]]:
        """The branches of a node, last first."""
        branches = self.tree.branches_of(node, self.digits)
        entries = []
        for place, branch in enumerate(branches):
            last = place == len(branches) - 1
            line = f"{indentation}{self.pen.last if last else self.pen.inner}{self.condition(branch)}"
            deeper = indentation + (self.pen.nothing if last else self.pen.passing)
            entries.append((line, deeper, branch.child, depth))
        entries.reverse()
        return entries

    def condition(self, branch: Branch) -> str:
        condition = branch.condition
        if condition.categories is None or len(condition.categories) == 1:
            return str(condition)
        listed = enumeration(condition.categories, ellipsis=self.pen.ellipsis)
        return f"{printable(condition.name)} in {{{listed}}}"

    def outcome(self, node: int) -> str:
        """The class of a node with its weight and errors."""
        label = int(self.tree.label[node])
        weight = float(self.tree.weight[node])
        right = self.tree.kept_class_weights.of_node(node)[label]
        errors = max(weight - right, 0.0) if weight else 0.0
        numbers = [self.quantity(weight)]
        if errors > 0.5 * 10.0**-self.decimals * (self.unit if self.shares else 1.0):
            numbers.append(self.quantity(errors))
        return f"{self.classes[label]} ({'/'.join(numbers)})"

    def quantity(self, weight: float) -> str:
        if not self.shares:
            return f"{weight:.{self.decimals}f}"
        return f"{weight / self.unit if self.unit else 0.0:.{self.decimals}f}%"

    def rest(self, node: int) -> str:
        more = int(self.sizes[node]) - 1
        return f"{self.pen.ellipsis} {more} more nodes"

"""A fitted tree as a frozen value: its features, its classes and one array per property of its nodes.

The core grows trees and hands them over as a `Tree`; the neighbours `text`, `rules`, `dot`, `plot` and
`serialization` are functions of it. This module knows numpy only. Constructing a `Tree` checks its structure,
so whoever holds one can follow its branches without fear.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.tree.arrays import floats, frozen, integers
from palmette.tree.class_weights import ClassWeights
from palmette.tree.structure import check_contents, check_lengths, check_splits, depth_of, parents
from palmette.tree.wording import FEWEST_DIGITS, enumeration, number, printable, threshold_digits

# What a nominal feature takes: as the user had it.
Category = str | bool | int | float

# A deeper tree than this is a mistake or an attack: growing one needs 100 000 samples that leave one at a
# time.
DEEPEST = 100_000


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of the table: its name and, if it is nominal, its declared categories.

    Parameters
    ----------
    name : str
    categories : tuple or None
        The declared categories as the user had them; category code `c` is `categories[c]`. None for a
        continuous feature.

    Examples
    --------
    >>> Feature("petal_length").continuous, Feature("color", ("red", "green")).continuous
    (True, False)
    """

    name: str
    categories: tuple[Category, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"The name of a feature must be a string, not {self.name!r}.")
        given: object = self.categories
        if self.categories is None:
            return
        if isinstance(given, str):
            raise ValueError(f"The categories of {self.name!r} must be a tuple, not the string {given!r}.")
        categories = tuple(item.item() if isinstance(item, np.generic) else item for item in self.categories)
        object.__setattr__(self, "categories", categories)
        for item in categories:
            if item is None or item != item:
                raise ValueError(f"A missing value ({item!r}) is among the categories of {self.name!r}.")
        if len(set(categories)) < len(categories):
            raise ValueError(f"The categories of {self.name!r} must differ; {_first_repeated(categories)!r} repeats.")

    @property
    def continuous(self) -> bool:
        """True where the feature has values on a line, False where it has categories."""
        return self.categories is None


@dataclass(frozen=True, slots=True)
class Condition:
    """What one feature must satisfy: an interval `above < value <= at_most`, or membership in categories.

    Examples
    --------
    >>> str(Condition(2, "petal_length", above=2.45, at_most=4.75))
    '2.45 < petal_length <= 4.75'
    >>> str(Condition(0, "color", categories=("red",)))
    'color = red'
    """

    feature: int
    name: str
    above: float = -math.inf
    at_most: float = math.inf
    categories: tuple[Category, ...] | None = None
    digits: int = field(default=FEWEST_DIGITS, compare=False, repr=False)

    @property
    def test(self) -> str:
        """The condition without the name of the feature, such as `<= 2.45` or `= red`."""
        if self.categories is not None:
            listed = enumeration(self.categories)
            return f"= {listed}" if len(self.categories) == 1 else f"in {{{listed}}}"
        if self.above == -math.inf:
            return f"<= {number(self.at_most, self.digits)}"
        if self.at_most == math.inf:
            return f"> {number(self.above, self.digits)}"
        return f"in ({number(self.above, self.digits)}, {number(self.at_most, self.digits)}]"

    def holds(self, value: object) -> bool:
        """Whether a value of the feature satisfies the condition; a missing value never does."""
        if self.categories is not None:
            return value in self.categories
        return isinstance(value, int | float | np.number) and bool(self.above < value <= self.at_most)

    def __and__(self, other: Condition) -> Condition:
        """Both conditions, on the same feature, in one."""
        categories = self.categories
        if categories is not None and other.categories is not None:
            allowed = set(other.categories)
            categories = tuple(item for item in categories if item in allowed)
        return Condition(
            self.feature,
            self.name,
            max(self.above, other.above),
            min(self.at_most, other.at_most),
            categories,
            max(self.digits, other.digits),
        )

    @property
    def possible(self) -> bool:
        """False where no value can satisfy the condition."""
        return self.above < self.at_most and self.categories != ()

    def __str__(self) -> str:
        if self.categories is None and -math.inf < self.above and self.at_most < math.inf:
            low, high = number(self.above, self.digits), number(self.at_most, self.digits)
            return f"{low} < {printable(self.name)} <= {high}"
        return f"{printable(self.name)} {self.test}"


class Branch(NamedTuple):
    """One way down from a node: the condition, and the child it leads to."""

    condition: Condition
    child: int


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tree:
    """A decision tree: nodes in depth-first preorder, so node 0 is the root and children come after parents.

    Parameters
    ----------
    features : tuple of Feature
        All features of the table, also those that the tree does not use.
    classes : ndarray of shape (n_classes,)
        The class labels as the user had them.
    feature : int32 ndarray of shape (n_nodes,)
        The feature that a node splits on, -1 at a leaf.
    threshold : float64 ndarray of shape (n_nodes,)
        The threshold of a continuous split, NaN elsewhere.
    branch_start : int64 ndarray of shape (n_nodes + 1,)
        The branches of node `i` are `branches[branch_start[i]:branch_start[i + 1]]`.
    branches : int32 ndarray
        Node numbers. A continuous split has two (`value <= threshold`, `value > threshold`), a nominal split
        one per declared category in code order; several categories may lead to one child.
    label : int32 ndarray of shape (n_nodes,)
        The majority class of a node, also of an inner one.
    weight : float64 ndarray of shape (n_nodes,)
        The weight of the training samples at a node.
    class_weights : float64 ndarray of shape (n_nodes, n_classes)
        The same by class. A `ClassWeights` is welcome too.
    gain : float64 ndarray of shape (n_nodes,)
        Weight times the information gain (or Gini decrease) of the split, 0 at a leaf.

    Attributes
    ----------
    parent : int32 ndarray of shape (n_nodes,)
        The parent of a node, -1 for the root.
    depth : int
        The number of splits on the longest path, 0 for a single leaf.
    kept_class_weights : ClassWeights
        The class weights as the tree keeps them: of the classes that a node holds. `class_weights` makes its matrix
        from them whenever it is asked for, so ask once, or for `kept_class_weights.of_node(node)`.

    Examples
    --------
    >>> tree = Tree(
    ...     features=(Feature("petal_length"), Feature("petal_width")), classes=["setosa", "virginica"],
    ...     feature=[0, -1, -1], threshold=[2.45, np.nan, np.nan], branch_start=[0, 2, 2, 2], branches=[1, 2],
    ...     label=[0, 0, 1], weight=[90, 50, 40], class_weights=[[50, 40], [50, 0], [0, 40]],
    ...     gain=[89.2, 0, 0],
    ... )
    >>> tree
    Tree: 3 nodes, 2 leaves, depth 1, uses 1 of 2 features
    >>> tree.children(0)
    [('<= 2.45', 1), ('> 2.45', 2)]
    """

    features: tuple[Feature, ...]
    classes: NDArray[Any]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    branch_start: NDArray[np.int64]
    branches: NDArray[np.int32]
    label: NDArray[np.int32]
    weight: NDArray[np.float64]
    if TYPE_CHECKING:
        class_weights: NDArray[np.float64]
    else:
        # An argument that is not kept as it came; `dataclasses.replace` reads it from the property.
        class_weights: InitVar[NDArray[np.float64]]

        @property
        def class_weights(self) -> NDArray[np.float64]:
            """The weight of each class at each node, a read-only matrix that is made anew each time."""
            return self.kept_class_weights.dense()

    gain: NDArray[np.float64]
    kept_class_weights: ClassWeights = field(init=False)
    parent: NDArray[np.int32] = field(init=False)
    depth: int = field(init=False)

    def __init__(
        self,
        features: Sequence[Feature],
        classes: ArrayLike,
        feature: ArrayLike,
        threshold: ArrayLike,
        branch_start: ArrayLike,
        branches: ArrayLike,
        label: ArrayLike,
        weight: ArrayLike,
        class_weights: ArrayLike | ClassWeights,
        gain: ArrayLike,
    ) -> None:
        def store(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        store("features", checked_features(features))
        store("classes", checked_classes(classes))
        store("feature", integers("feature", feature, np.int32))
        store("branch_start", integers("branch_start", branch_start, np.int64))
        store("branches", integers("branches", branches, np.int32))
        store("label", integers("label", label, np.int32))
        store("threshold", floats("threshold", threshold, 1))
        store("weight", floats("weight", weight, 1))
        if not isinstance(class_weights, ClassWeights):
            class_weights = ClassWeights.of_dense(floats("class_weights", class_weights, 2))
        store("kept_class_weights", class_weights)
        store("gain", floats("gain", gain, 1))
        check_lengths(self)
        check_splits(self)
        store("parent", frozen(parents(self)))
        store("depth", depth_of(self.parent))
        if self.depth > DEEPEST:
            raise ValueError(f"branches make a tree of depth {self.depth}, but at most {DEEPEST} is allowed.")
        check_contents(self)

    @classmethod
    def of_checked(cls, **values: Any) -> Tree:
        """A tree of read-only arrays that somebody has checked already, `parent` and `depth` among them."""
        tree = object.__new__(cls)
        for name in cls.__slots__:
            object.__setattr__(tree, name, values[name])
        return tree

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, empty ones included."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def used(self) -> tuple[int, ...]:
        """The indices of the features that some node splits on, in increasing order."""
        return tuple(np.unique(self.feature[self.feature >= 0]).tolist())

    @property
    def subtree_sizes(self) -> NDArray[np.int64]:
        """For every node, the number of nodes of the subtree that it is the root of."""
        sizes = [1] * self.n_nodes
        parent = self.parent.tolist()
        for node in range(self.n_nodes - 1, 0, -1):
            sizes[parent[node]] += sizes[node]
        return np.array(sizes, dtype=np.int64)

    def branches_of(self, node: int, digits: dict[int, int] | None = None) -> list[Branch]:
        """The ways down from a node; categories that lead to one child are one branch.

        The branch of several categories without samples comes last. Whoever visits many nodes passes
        `wording.threshold_digits(tree)` as `digits`, to find it once.
        """
        node = self._checked_node(node)
        index = int(self.feature[node])
        if index < 0:
            return []
        feature = self.features[index]
        children: list[int] = self.branches[self.branch_start[node] : self.branch_start[node + 1]].tolist()
        if feature.categories is None:
            threshold = float(self.threshold[node])
            shown = (threshold_digits(self, [index]) if digits is None else digits)[index]
            return [
                Branch(Condition(index, feature.name, at_most=threshold, digits=shown), children[0]),
                Branch(Condition(index, feature.name, above=threshold, digits=shown), children[1]),
            ]
        groups: dict[int, list[Category]] = {}
        for category, child in zip(feature.categories, children, strict=True):
            groups.setdefault(child, []).append(category)
        branches = [
            Branch(Condition(index, feature.name, categories=tuple(group)), child) for child, group in groups.items()
        ]
        branches.sort(key=lambda branch: len(groups[branch.child]) > 1 and self.weight[branch.child] == 0)
        return branches

    def children(self, node: int) -> list[tuple[str, int]]:
        """The branches of a node as (test, child), such as `("<= 2.45", 1)` or `("= red", 4)`."""
        return [(branch.condition.test, branch.child) for branch in self.branches_of(node)]

    def path(self, node: int) -> tuple[Condition, ...]:
        """The conditions on the way from the root to a node, in order."""
        node = self._checked_node(node)
        way = [node]
        while way[-1] != 0:
            way.append(int(self.parent[way[-1]]))
        way.reverse()
        digits = threshold_digits(self, {int(self.feature[step]) for step in way[:-1]})
        return tuple(
            branch.condition
            for above, below in pairwise(way)
            for branch in self.branches_of(above, digits)
            if branch.child == below
        )

    def _checked_node(self, node: int) -> int:
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"There is no node {node}; the tree has the nodes 0 to {self.n_nodes - 1}.")
        return int(node)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.features == other.features
            and self.classes.tolist() == other.classes.tolist()
            and self.kept_class_weights == other.kept_class_weights
            and all(
                np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name == "threshold")
                for name in _NODE_ARRAYS
            )
        )

    def __hash__(self) -> int:
        return hash((self.features, *(array.tobytes() for array in (self.feature, self.branches, self.label))))

    def __repr__(self) -> str:
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        nodes = "1 node" if self.n_nodes == 1 else f"{self.n_nodes} nodes"
        features = "1 feature" if len(self.features) == 1 else f"{len(self.features)} features"
        return f"Tree: {nodes}, {leaves}, depth {self.depth}, uses {len(self.used)} of {features}"

    def __reduce__(self) -> tuple[type[Tree], tuple[Any, ...]]:
        # Pickle forgets that an array is read-only; going through the constructor keeps it so, and checks
        # again.
        *arrays, gain = (getattr(self, name) for name in _NODE_ARRAYS)
        return Tree, (self.features, self.classes, *arrays, self.kept_class_weights, gain)


_NODE_ARRAYS = (
    "feature",
    "threshold",
    "branch_start",
    "branches",
    "label",
    "weight",
    "gain",
)


def _first_repeated(items: Sequence[Hashable]) -> Hashable:
    seen: set[Hashable] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def checked_features(features: object) -> tuple[Feature, ...]:
    """The features as a tuple; their names must differ."""
    if not isinstance(features, tuple | list) or not all(isinstance(item, Feature) for item in features):
        raise ValueError("features must be a tuple of Feature.")
    names = [item.name for item in features]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have different names; {_first_repeated(names)!r} repeats.")
    return tuple(features)


def checked_classes(classes: object) -> NDArray[Any]:
    """The class labels as a read-only array; they must differ, and none may be missing."""
    array = np.asarray(classes)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"classes must be a list of at least one label, but its shape is {array.shape}.")
    labels = array.tolist()
    for place, label in enumerate(labels):
        if label is None or label != label:
            raise ValueError(f"classes[{place}] is {label!r}, but a class cannot be a missing value.")
    if len(set(labels)) < len(labels):
        raise ValueError(f"classes must differ; {_first_repeated(labels)!r} repeats.")
    return frozen(array)

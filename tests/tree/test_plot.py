"""The drawing: nothing overlaps, everything is said, and nothing outside the axes is touched."""

from __future__ import annotations

import builtins
import io
import itertools

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from palmette import C45Classifier
from palmette.tree.layout import tidy_positions
from palmette.tree.model import Feature
from palmette.tree.palette import LINE, MOST_COLORS, class_colors
from palmette.tree.plot import SMALLEST_FONT, plot_tree
from tree.examples import (
    MONTHS,
    breast_cancer,
    by_hand,
    chain,
    digits,
    hostile,
    iris,
    labor,
    leaf_only,
    months,
)
from tree.examples import six_classes as six

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def extent(patch):
    box = patch.get_bbox()
    return box.x0, box.y0, box.x1, box.y1


def apart(first, second):
    return first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]


def assert_tidy(ax):
    """Boxes keep clear of each other, lie inside the axes, and hold their text."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    extents = [extent(patch) for patch in boxes(ax)]
    for first, second in itertools.combinations(extents, 2):
        assert apart(first, second), (first, second)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for x0, y0, x1, y1 in extents:
        assert left <= x0 < x1 <= right
        assert top <= y0 < y1 <= bottom
    renderer = canvas.get_renderer()
    to_data = ax.transData.inverted()
    words = [text.get_window_extent(renderer).transformed(to_data) for text in ax.texts]
    words = [(box.x0, min(box.y0, box.y1), box.x1, max(box.y0, box.y1)) for box in words]
    for first, second in itertools.combinations(words, 2):
        assert apart(first, second)
    for x0, y0, x1, y1 in words:
        centre = ((x0 + x1) / 2, (y0 + y1) / 2)
        holders = [box for box in extents if box[0] < centre[0] < box[2] and box[1] < centre[1] < box[3]]
        if holders:
            assert holders[0][0] <= x0
            assert x1 <= holders[0][2]
        else:
            assert all(apart((x0, y0, x1, y1), box) for box in extents)


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("make", [leaf_only, iris, labor, months, hostile, breast_cancer, six])
def test_nothing_overlaps(make, direction):
    tree = make()
    ax = plot_tree(tree, direction=direction)
    assert_tidy(ax)
    assert len(boxes(ax)) == tree.n_nodes


def test_a_wide_tree_is_drawn_whole_and_readable():
    tree = digits(80)
    ax = plot_tree(tree)
    assert len(boxes(ax)) == tree.n_nodes
    width, height = ax.figure.get_size_inches()
    assert width <= 20.01
    assert height <= 26.01
    assert min(text.get_fontsize() for text in ax.texts) >= 0.8 * SMALLEST_FONT
    extents = [extent(patch) for patch in boxes(ax)]
    assert all(apart(first, second) for first, second in itertools.combinations(extents, 2))


def test_the_words_of_the_drawing():
    words = texts(plot_tree(labor()))
    for word in (
        "wage_increase",
        "statutory_holidays",
        "≤ 2.5",
        "> 2.5",
        "none",
        "full",
        "25 samples",
        "0 samples",
    ):
        assert word in words
    assert words.count("good") == 3
    assert [text.get_text() for text in plot_tree(labor()).get_legend().get_texts()] == ["bad", "good"]
    assert plot_tree(labor(), legend=False).get_legend() is None


def test_categories_without_samples_are_one_branch():
    assert "April, +4" in texts(plot_tree(months()))


def test_max_depth_and_max_leaves_drawn_leave_stubs():
    ax = plot_tree(labor(), max_depth=1)
    assert len(boxes(ax)) == 3
    assert "15 samples\n+5 nodes" in texts(ax)
    ax = plot_tree(digits(), max_leaves_drawn=12)
    assert len(boxes(ax)) == 23
    hidden = [int(word.split("+")[1].split()[0]) for word in texts(ax) if "+" in word]
    assert len(boxes(ax)) + sum(hidden) == digits().n_nodes
    assert len(boxes(plot_tree(labor(), max_leaves_drawn=1))) == 1


def test_a_small_axes_gets_fewer_leaves_rather_than_unreadable_ones():
    ax = Figure(figsize=(4, 3)).add_subplot()
    plot_tree(digits(), ax)
    assert 3 <= len(boxes(ax)) < 60
    assert min(text.get_fontsize() for text in ax.texts) >= 0.8 * SMALLEST_FONT
    assert_tidy(ax)


def test_many_categories_are_drawn_as_the_heaviest_and_the_others():
    categories = tuple(f"category {index}" for index in range(40))
    split = ("c", None, {category: [index + 1, 40 - index] for index, category in enumerate(categories)})
    ax = plot_tree(by_hand([Feature("c", categories)], ["a", "b"], split))
    assert len(boxes(ax)) == 17
    assert "25 others" in texts(ax)
    ax = plot_tree(by_hand([Feature("c", categories)], ["a", "b"], split), max_leaves_drawn=3)
    assert len(boxes(ax)) == 4
    assert "38 others" in texts(ax)


def test_given_axes_are_used_and_settings_left_alone():
    before = dict(mpl.rcParams)
    figure = Figure(figsize=(12, 5))
    first, second = figure.subplots(1, 2)
    assert plot_tree(iris(), first) is first
    limits = second.get_xlim(), second.get_ylim()
    assert_tidy(first)
    assert (second.get_xlim(), second.get_ylim()) == limits
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_files(kind):
    stream = io.BytesIO()
    plot_tree(months()).figure.savefig(stream, format=kind)
    assert len(stream.getvalue()) > 5000


def test_colours_of_the_user():
    legend = plot_tree(labor(), colors={"bad": "black", "good": "gold"}).get_legend()
    assert [mpl.colors.to_hex(patch.get_facecolor()) for patch in legend.get_patches()] == [
        "#000000",
        "#ffd700",
    ]
    plot_tree(labor(), colors=["C0", "C1", "C2"])
    with pytest.raises(ValueError, match="no colour for the class 'good'"):
        plot_tree(labor(), colors={"bad": "black"})
    with pytest.raises(ValueError, match="has 1 colours, but the tree has 2 classes"):
        plot_tree(labor(), colors=["black"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_depth": -1}, "`max_depth`"),
        ({"max_leaves_drawn": 0}, "`max_leaves_drawn`"),
        ({"direction": "up"}, "`direction`"),
        ({"font_size": 0}, "`font_size`"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        plot_tree(labor(), **parameters)


def test_without_matplotlib_one_sentence_says_what_to_do(monkeypatch):
    original = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"Drawing a tree needs matplotlib: pip install 'palmette\[plot\]'"):
        plot_tree(labor())


def many_classes(n_classes, **parameters):
    """A tree with a feature that counts, and three samples a class."""
    y = np.array([f"species {label:04d}" for label in np.repeat(np.arange(n_classes), 3)])
    return C45Classifier(**parameters).fit(np.arange(3.0 * n_classes)[:, None], y).tree_


def legend_of(ax):
    legend = ax.get_legend()
    colors = [to_hex(patch.get_facecolor()).upper() for patch in legend.get_patches()]
    return dict(zip((text.get_text() for text in legend.get_texts()), colors, strict=True))


@pytest.mark.parametrize("n_classes", [2, MOST_COLORS])
def test_the_legend_names_all_classes_while_each_has_a_colour(n_classes):
    tree = many_classes(n_classes, max_depth=1)
    legend = legend_of(plot_tree(tree))
    assert list(legend) == tree.classes.tolist()
    assert list(legend.values()) == class_colors(n_classes)
    assert len(set(legend.values())) == n_classes


def test_the_legend_of_many_classes_names_those_that_are_drawn():
    ax = plot_tree(many_classes(300, max_depth=2))
    drawn = ["species 0000", "species 0075", "species 0150", "species 0225"]
    assert legend_of(ax) == dict(zip([*drawn, "296 more classes"], [*class_colors(4), LINE], strict=True))
    assert ax.figure.get_size_inches()[1] < 5


def test_the_legend_of_a_leaf_among_a_thousand_classes():
    ax = plot_tree(many_classes(1000, max_depth=0))
    assert list(legend_of(ax)) == ["species 0000", "999 more classes"]
    assert ax.figure.get_size_inches()[1] < 3


def test_the_heaviest_classes_have_the_colours():
    n_classes = MOST_COLORS + 1
    weights = [[0] * n_classes for _ in range(n_classes)]
    for label in range(n_classes):
        weights[label][label] = label + 1
    categories = tuple(f"v{label:02d}" for label in range(n_classes))
    nominal = ("kind", None, dict(zip(categories, weights, strict=True)))
    tree = by_hand([Feature("kind", categories)], [f"c{label:02d}" for label in range(n_classes)], nominal)
    legend = legend_of(plot_tree(tree))
    # Sixteen branches are drawn: the fifteen heaviest, and the others as one, whose label is their heaviest class.
    assert list(legend) == [*(f"c{label:02d}" for label in range(24, 8, -1)), "9 more classes"]
    assert len(set(legend.values())) == len(legend)


def test_many_colours_of_the_user_stay():
    tree = many_classes(30, max_depth=1)
    colors = [f"#0000{label:02X}" for label in range(30)]
    legend = legend_of(plot_tree(tree, colors=colors))
    assert legend == {"species 0000": "#000000", "species 0015": "#00000F", "28 more classes": "#FFFFFF"}


def test_deep_trees_are_cut():
    ax = plot_tree(chain(20_000))
    assert len(boxes(ax)) < 250


def test_names_of_months_are_written_in_full():
    assert set(MONTHS) & set(texts(plot_tree(months()))) == {
        "January",
        "February",
        "March",
        "May",
        "June",
        "October",
        "December",
    }


@st.composite
def shapes(draw):
    """A random tree as lists of children in preorder, with box sizes and reaches."""
    n_nodes = draw(st.integers(1, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(0, node)) if rng.random() < 0.6 else node - 1 for node in range(1, n_nodes)]
    below = [[] for _ in range(n_nodes)]
    for node, parent in enumerate(parents, start=1):
        below[parent].append(node)
    breadth = rng.uniform(1, 30, n_nodes).tolist()
    reach = [0 if children else int(rng.integers(0, 3)) for children in below]
    return below, breadth, reach


@settings(max_examples=200, deadline=None)
@given(shapes())
def test_tidy_positions_keep_every_gap_and_centre_parents(shape):
    below, breadth, reach = shape
    centres = tidy_positions(below, breadth, 2.0, reach)
    depth = [0] * len(below)
    levels: dict[int, list[tuple[float, float]]] = {}
    for node, children in enumerate(below):
        for child in children:
            depth[child] = depth[node] + 1
        for level in range(depth[node], depth[node] + reach[node] + 1):
            span = (centres[node] - breadth[node] / 2, centres[node] + breadth[node] / 2)
            levels.setdefault(level, []).append(span)
        if children:
            assert centres[node] == pytest.approx((centres[children[0]] + centres[children[-1]]) / 2)
            assert all(centres[a] < centres[b] for a, b in itertools.pairwise(children))
    for spans in levels.values():
        spans.sort()
        for (_, right), (left, _) in itertools.pairwise(spans):
            assert left - right >= 2.0 - 1e-6
    assert min(left for spans in levels.values() for left, _ in spans) == pytest.approx(0)


@settings(max_examples=100, deadline=None)
@given(shapes())
def test_a_mirrored_tree_gets_the_mirrored_layout(shape):
    below, breadth, reach = shape
    centres = np.array(tidy_positions(below, breadth, 2.0, reach))
    mirrored = np.array(tidy_positions([children[::-1] for children in below], breadth, 2.0, reach))
    np.testing.assert_allclose(centres - centres[0], mirrored[0] - mirrored, atol=1e-6)

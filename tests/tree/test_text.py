"""The tree as indented text."""

from __future__ import annotations

import numpy as np
import pytest

from palmette import C45Classifier, MDLDiscretizer
from palmette.tree.model import Feature
from palmette.tree.text import tree_to_text
from palmette.tree.wording import digits_to_tell_apart, enumeration, number, printable, shortened
from tree.examples import all_examples, breast_cancer, by_hand, chain, hostile, iris, labor, leaf_only, months


def test_c45s_example_reads_like_c45():
    assert (
        tree_to_text(labor())
        == """\
Tree: 12 nodes, 7 leaves, depth 3, uses 4 of 4 features

├─ wage_increase <= 2.5
│  ├─ hours <= 36: bad (2.0/1.0)
│  └─ hours > 36
│     ├─ contribution = none: bad (9.0)
│     ├─ contribution = half: bad (0.0)
│     └─ contribution = full: good (4.0/1.0)
└─ wage_increase > 2.5
   ├─ statutory_holidays <= 10
   │  ├─ wage_increase <= 4: bad (4.0/1.0)
   │  └─ wage_increase > 4: good (2.0)
   └─ statutory_holidays > 10: good (25.0)"""
    )


def test_empty_categories_share_a_last_line():
    lines = tree_to_text(months()).splitlines()
    assert lines[-1] == "└─ month of the first visit in {April, July, August, September, November}: severe (0.0)"


def test_a_single_leaf():
    assert tree_to_text(leaf_only()).splitlines()[-1] == "good (57.0/20.0)"


def test_shares_are_of_the_whole_weight():
    lines = tree_to_text(leaf_only(), show="share").splitlines()
    assert lines[-1] == "good (100.0%/35.1%)"
    assert "├─ petal_width <= 0.8: setosa (33%)" in tree_to_text(iris(), show="share", decimals=0)


def test_max_depth_says_what_it_leaves_out():
    lines = tree_to_text(labor(), max_depth=1).splitlines()[2:]
    assert lines == [
        "├─ wage_increase <= 2.5: bad (15.0/4.0) … 5 more nodes",
        "└─ wage_increase > 2.5: good (31.0/3.0) … 4 more nodes",
    ]
    assert tree_to_text(labor(), max_depth=0).endswith("good (46.0/14.0) … 11 more nodes")
    assert tree_to_text(labor(), max_depth=3) == tree_to_text(labor())


def test_ascii_only():
    text = tree_to_text(hostile(), ascii_only=True)
    assert text.isascii()
    assert "|-- " in text
    assert "`-- " in text
    assert tree_to_text(labor(), max_depth=1, ascii_only=True).endswith("... 4 more nodes")


def test_one_line_for_every_branch():
    for tree in all_examples():
        lines = tree_to_text(tree).splitlines()
        assert sum(line.lstrip("│ ").startswith(("├─ ", "└─ ")) for line in lines) == tree.n_nodes - 1
        assert all(line.isprintable() for line in lines)


def test_a_deep_tree_continues_as_subtrees():
    text = tree_to_text(chain(60))
    lines = text.splitlines()
    assert "Subtree [S1]" in lines
    assert "Subtree [S2]" in lines
    assert "Subtree [S3]" not in lines
    assert max(map(len, lines)) < 110
    assert len(tree_to_text(chain(20_000))) < 4_000_000


def test_max_depth_counts_through_subtrees():
    text = tree_to_text(chain(60), max_depth=30)
    assert text.endswith("└─ x > 29: 0 (31.0) … 60 more nodes")


def test_close_thresholds_stay_apart():
    split = ("x", 1000000.25, [[1, 0], ("x", 1000000.5, [[0, 1], [2, 0]])])
    text = tree_to_text(by_hand([Feature("x")], ["a", "b"], split))
    assert "x <= 1000000.25:" in text
    assert "x <= 1000000.5:" in text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"max_depth": -1}, "`max_depth`"), ({"show": "all"}, "`show`"), ({"decimals": -1}, "`decimals`")],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        tree_to_text(breast_cancer(), **parameters)


def test_wording():
    assert number(-0.0) == "0"
    assert number(1e300) == "1e+300"
    assert number(0.1 + 0.2) == "0.3"
    assert digits_to_tell_apart([0.1, 0.1, 0.2]) == 6
    assert digits_to_tell_apart([0.3, 0.1 + 0.2]) == 17
    assert printable(" a") == "' a'"
    assert printable("a\x1b\ud800") == "a\\x1b\\ud800"
    assert enumeration(list("abcdefgh"), room=8) == "a, b, c, … +5"
    assert enumeration(["a" * 100, "b"]) == "a" * 100 + ", … +1"
    assert shortened("abcdefgh", 5) == "abc…h"


def test_thresholds_between_short_decimals_are_complete():
    for values in ([52.52001, 52.52002, 52.52003, 52.52004], [1000000.1, 1000000.2, 1000000.3, 1000000.4]):
        X, y = np.repeat(values, 20)[:, None], np.repeat(list("abab"), 20)
        tree = C45Classifier(threshold="midpoint").fit(X, y).tree_
        cuts = tree.threshold[~np.isnan(tree.threshold)]
        written = [float(number(cut, digits_to_tell_apart(cuts))) for cut in cuts]
        assert len(written) == 3
        assert all(low < cut < high for low, cut, high in zip(values[:-1], sorted(written), values[1:], strict=True))
        intervals = MDLDiscretizer(encode="interval").fit(X, y).transform(np.array(values)[:, None]).ravel()
        for value, interval in zip(values, intervals, strict=True):
            low, high = (float(end) for end in str(interval).strip("(])").split(","))
            assert low < value <= high

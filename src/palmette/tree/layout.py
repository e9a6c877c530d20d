"""Where the boxes of a drawn tree stand: a tidy layout for boxes of different sizes.

Subtrees are packed as close as their contours allow, once from each end, and stand at the mean of the two
places (A. Kennedy, Drawing Trees, Journal of Functional Programming 6(3), 1996). Distances are linear
constraints, so the mean satisfies them too; a mirrored tree gets the mirrored drawing, and small subtrees
spread evenly between large ones. The neighbour `drawing` measures the boxes and draws them.
"""

from __future__ import annotations

from collections.abc import Sequence

# The left and right end of a subtree at each level, relative to the centre of its root.
Contour = list[tuple[float, float]]


def tidy_positions(
    children: Sequence[Sequence[int]],
    breadth: Sequence[float],
    gap: float,
    reach: Sequence[int] | None = None,
) -> list[float]:
    """The centre of every node across the levels; no two boxes on one level come closer than `gap`.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of every node, in drawing order; a child has a larger number than its parent, node 0 is
        the root.
    breadth : sequence of float
        The extent of every box across the levels.
    gap : float
        The least distance of two boxes on one level.
    reach : sequence of int or None
        How many levels beyond its own every box extends into; only boxes without children may.

    Returns
    -------
    list of float
        The smallest left end is 0.

    Examples
    --------
    >>> tidy_positions([[1, 2], [], []], [10, 10, 10], gap=2)
    [11.0, 5.0, 17.0]
    """
    offset = [0.0] * len(children)
    contours: list[Contour] = [[] for _ in children]
    for node in range(len(children) - 1, -1, -1):
        below = children[node]
        half = breadth[node] / 2
        contours[node] = [(-half, half)] * (1 if reach is None else 1 + reach[node])
        if not below:
            continue
        parts = [contours[child] for child in below]
        places = _mean_places(parts, gap)
        middle = (places[0] + places[-1]) / 2
        merged: Contour = []
        for child, part, place in zip(below, parts, places, strict=True):
            offset[child] = place - middle
            for level, (left, right) in enumerate(part):
                end = (left + offset[child], right + offset[child])
                if level == len(merged):
                    merged.append(end)
                else:
                    merged[level] = (min(merged[level][0], end[0]), max(merged[level][1], end[1]))
            contours[child] = []
        contours[node] += merged
    start = min(left for left, _ in contours[0])
    centre = [0.0] * len(children)
    centre[0] = -start
    for node, below in enumerate(children):
        for child in below:
            centre[child] = centre[node] + offset[child]
    return centre


def _mean_places(parts: list[Contour], gap: float) -> list[float]:
    """Places of the subtrees beside each other: the mean of packing from the left and from the right."""
    from_left = _packed(parts, gap)
    mirrored = [[(-right, -left) for left, right in part] for part in reversed(parts)]
    from_right = [-place for place in reversed(_packed(mirrored, gap))]
    # Both start at their own first or last subtree; the mean needs them on common ground.
    shift = from_left[-1] - from_right[-1]
    return [(left + right + shift) / 2 for left, right in zip(from_left, from_right, strict=True)]


def _packed(parts: list[Contour], gap: float) -> list[float]:
    """Places of the subtrees, each as far left as its neighbours allow; the first stands at 0."""
    places: list[float] = []
    edge: list[float] = []
    for part in parts:
        place = max((edge[level] + gap - part[level][0] for level in range(min(len(edge), len(part)))), default=0.0)
        places.append(place)
        ends = [place + right for _, right in part]
        edge = [max(old, new) for old, new in zip(edge, ends, strict=False)] + (
            ends[len(edge) :] if len(ends) > len(edge) else edge[len(ends) :]
        )
    return places

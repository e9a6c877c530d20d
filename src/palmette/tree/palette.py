"""The colours of the classes in drawings (dot and plot), safe for colour-blind readers.

The base is the "light" scheme of Paul Tol (personal.sron.nl/~pault), made for coloured cells under dark text.
"""

from __future__ import annotations

BASE = ("#77AADD", "#EE8866", "#44BB99", "#EEDD88", "#FFAABB", "#AAAA00", "#99DDFF", "#BBCC33")
MOST_COLORS = 3 * len(BASE)
"""So many classes have a colour of their own: `class_colors` begins again after these."""

INK = "#25313C"
FAINT_INK = "#6B7782"
LINE = "#B9C1C9"
PAPER = "#FFFFFF"
INNER = "#F4F6F8"


def class_colors(n_classes: int) -> list[str]:
    """One colour per class; after the eight base colours come darker, then paler rounds of them.

    >>> class_colors(2)
    ['#77AADD', '#EE8866']
    """
    rounds = [BASE, tuple(blend("#000000", color, 0.68) for color in BASE)]
    rounds.append(tuple(blend("#FFFFFF", color, 0.5) for color in BASE))
    return [rounds[(index // len(BASE)) % len(rounds)][index % len(BASE)] for index in range(n_classes)]


def blend(ground: str, color: str, share: float) -> str:
    """A colour laid over a ground: share 0 is the ground, 1 the colour.

    >>> blend("#FFFFFF", "#000000", 0.2)
    '#CCCCCC'
    """
    return "#" + "".join(
        f"{round(int(ground[at : at + 2], 16) * (1 - share) + int(color[at : at + 2], 16) * share):02X}"
        for at in (1, 3, 5)
    )


def purity(class_weights: list[float], label: int) -> float:
    """How far the share of the label lies between chance (0) and certainty (1); 0 for no samples.

    >>> purity([3.0, 1.0], 0), purity([0.0, 0.0], 1)
    (0.5, 0.0)
    """
    total = sum(class_weights)
    if total <= 0:
        return 0.0
    if len(class_weights) == 1:
        return 1.0
    chance = 1 / len(class_weights)
    return max(0.0, (class_weights[label] / total - chance) / (1 - chance))


def fill(color: str, pure: float) -> str:
    """The class colour, the paler the less pure the node is."""
    return blend(PAPER, color, 0.15 + 0.45 * pure)

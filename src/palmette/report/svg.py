"""Elements of SVG with every text and attribute escaped, and an estimate of how wide a text will be."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

__all__ = ["element", "joined", "rounded", "text_width"]

# Widths in em of a sans-serif such as Helvetica, by groups of letters that are about alike.
NARROW = frozenset("ijl.,:;'|!I()[]ft/ ")
WIDE = frozenset("mwMW@%<>=+±~≤≥")


def element(name: str, *content: object, **attributes: object) -> Markup:
    """An element; an attribute of None is left out, `_` in a name becomes `-`, a closing one is dropped.

    >>> element("text", "<b>", x=1.50, class_="note")
    Markup('<text x="1.5" class="note">&lt;b&gt;</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(str(escape(part)) for part in content)
    return Markup(f"<{name}{written}>{inner}</{name}>") if content else Markup(f"<{name}{written}/>")


def joined(parts: Iterable[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("\n").join(parts)


def rounded(value: float) -> str:
    """A coordinate with a tenth of a pixel at most.

    >>> rounded(3.0), rounded(2.345), rounded(-0.01)
    ('3', '2.3', '0')
    """
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def _attribute(value: object) -> str:
    return rounded(value) if isinstance(value, float) else str(value)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a line is; rather too wide than too narrow.

    >>> text_width("iii", 10) < text_width("mmm", 10)
    True
    """
    total = 0.0
    for letter in text:
        if letter in NARROW:
            total += 0.31
        elif letter in WIDE:
            total += 0.9
        elif ord(letter) >= 0x1100:
            total += 1.02
        elif letter.isupper():
            total += 0.7
        else:
            total += 0.61
    return total * size * (1.07 if bold else 1.0)

"""A page as one HTML file without references to anything else: the template, its style and its script in one.

Every text is escaped by Jinja; data for the script travel as JSON in which no tag can end. As a second fence, the
page allows no other script than its own, by its hash, and no address at all to load from.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from palmette.report.blocks import Page
from palmette.support.strict_json import strict_json
from palmette.tree.palette import class_colors

__all__ = ["render"]


def render(page: Page) -> str:
    """The page as HTML."""
    script = _text("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    html: str = _template().render(
        page=page,
        colors=class_colors(page.n_colors),
        style=Markup(_text("page.css")),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )
    return html


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("palmette.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The script of the page reads its data with JSON.parse, which knows no NaN.
    environment.policies["json.dumps_function"] = strict_json
    return environment.get_template("page.html")


@cache
def _text(name: str) -> str:
    # Neither file holds anything of the user's, so it goes into the page as it is.
    return (files("palmette.report") / "templates" / name).read_text(encoding="utf-8").strip()

"""Settings of the documentation; `make docs` builds it, without a network."""

from __future__ import annotations

from importlib.metadata import version as installed

project = "palmette"
author = "palmette developers"
copyright = "palmette developers"
release = version = installed("palmette")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["deflist", "dollarmath", "smartquotes"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_typehints = "none"
autodoc_default_options = {
    "members": True,
    "exclude-members": "get_metadata_routing, set_fit_request, set_output, set_score_request",
}
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = "palmette"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
}

"""Reports: a fitted selector or tree as one HTML page that needs nothing else.

`writing` is the door. `selection`, `single_tree` and `compared` say what stands on a page, in the words of `blocks`;
`questions` asks what the result does not tell; `tree_figure`, `charts` and `svg` draw; `page` makes HTML of it all.
"""

from __future__ import annotations

from palmette.report.writing import render_report, write_report

__all__ = ["render_report", "write_report"]

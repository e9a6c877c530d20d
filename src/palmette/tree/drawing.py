"""The boxes of a tree (chosen by the neighbour `picking`), measured, placed by `layout`, and drawn with matplotlib."""

from __future__ import annotations

import math
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from palmette.tree import palette
from palmette.tree.coloring import Coloring
from palmette.tree.layout import tidy_positions
from palmette.tree.model import Tree
from palmette.tree.picking import Box
from palmette.tree.wording import printable, shortened, weight_text, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Direction = Literal["down", "right"]

# Up to this size, in inches, a small tree is drawn downwards without asking which direction takes less room.
COMFORTABLE = (14.0, 9.0)


class Ruler:
    """Measures text in points, without a canvas."""

    def __init__(self, font_size: float) -> None:
        self.size = font_size
        self.known: dict[tuple[str, float, bool], float] = {}

    def width(self, text: str, relative: float = 1.0, *, bold: bool = False) -> float:
        """The width of the longest line."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path

        key = (text, relative, bold)
        if key not in self.known:
            font = FontProperties(size=self.size * relative, weight="bold" if bold else "normal")
            # Hinting at screen resolution makes text up to this much wider than its outline.
            self.known[key] = 1.05 * max(
                float(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0])
                for line in text.split("\n")
            )
        return self.known[key]


SMALL = 0.82
LINE_HEIGHT = 1.3


class Drawing:
    """Boxes with their sizes and places, in points, at the full font size; y grows downwards."""

    def __init__(
        self,
        tree: Tree,
        boxes: list[Box],
        ruler: Ruler,
        coloring: Coloring,
        direction: Direction,
        legend: bool,
        room_ratio: float,
    ) -> None:
        self.boxes = boxes
        self.n_tips = sum(not box.children for box in boxes)
        self.ruler = ruler
        self.colors = coloring.colors
        self.down = direction == "down"
        self.legend = self._legend_entries(tree, coloring)
        self.total = float(tree.weight[0]) or 1.0
        self.em = ruler.size
        self.sizes = [self._measured(box) for box in boxes]
        self.edge_widths = [0.07 * self.em + 0.75 * self.em * math.sqrt(box.weight / self.total) for box in boxes]
        self._place()
        self.legend_columns = 0
        self.legend_height = 0.0
        if legend:
            self._plan_legend(max(self.width, min(self.height * room_ratio, 40 * self.em)))

    @staticmethod
    def _legend_entries(tree: Tree, coloring: Coloring) -> list[tuple[str, str]]:
        """Colours and what they stand for."""
        classes = tree.classes.tolist()
        entries = [(coloring.colors[label], shortened(printable(classes[label]), 32)) for label in coloring.named]
        n_others = len(classes) - len(entries)
        if n_others:
            entries.append((coloring.of_others, f"{n_others:,} more class{'es' * (n_others != 1)}"))
        return entries

    def strain(self, room_wide: float, room_tall: float) -> float:
        """How badly the drawing fits: 0 for a comfortable one downwards, else its share of the room."""
        if (
            self.down
            and self.width <= min(room_wide, COMFORTABLE[0] * 72)
            and self.height <= min(room_tall, COMFORTABLE[1] * 72)
        ):
            return 0.0
        return max(self.width / room_wide, self.height / room_tall)

    # The text inside a box

    def _title(self, box: Box) -> str:
        if box.kind == "split":
            return wrapped(box.title)
        return wrapped(box.title, 16) if self.down else shortened(box.title, 28)

    def _subtitle(self, box: Box) -> str:
        weight = weight_text(box.weight)
        hidden = f"+{box.hidden} node{'s' * (box.hidden != 1)}" if box.kind == "stub" else ""
        if not self.down:
            return f"{weight}   {hidden}".rstrip()
        return f"{weight} sample{'s' * (weight != '1')}\n{hidden}".rstrip()

    def _measured(self, box: Box) -> tuple[float, float]:
        em, pad = self.em, 0.65 * self.em
        title = self._title(box)
        title_width = self.ruler.width(title, bold=box.kind != "split")
        title_height = LINE_HEIGHT * em * (title.count("\n") + 1)
        if box.kind == "split":
            return title_width + 2 * pad, title_height + 0.5 * em
        subtitle = self._subtitle(box)
        subtitle_width = self.ruler.width(subtitle, SMALL)
        if self.down:
            subtitle_height = LINE_HEIGHT * SMALL * em * (subtitle.count("\n") + 1)
            width = max(title_width, subtitle_width, 3.6 * em) + 2 * pad
            return width, title_height + subtitle_height + 1.5 * em
        return self.bar_length + title_width + subtitle_width + 1.2 * em + 2 * pad, 1.75 * em

    @property
    def bar_length(self) -> float:
        """The length of the distribution bar beside the text, in a tree that grows to the right."""
        return 3.2 * self.em

    # Places

    def _place(self) -> None:
        em, boxes = self.em, self.boxes
        labels = [self.ruler.width(box.branch, SMALL) + 0.5 * em if box.branch else 0.0 for box in boxes]
        if self.down:
            breadth = [max(size[0], label) for size, label in zip(self.sizes, labels, strict=True)]
            extent = [size[1] for size in self.sizes]
        else:
            breadth = [size[1] for size in self.sizes]
            extent = [size[0] for size in self.sizes]
        n_levels = max(box.depth for box in boxes) + 1
        # A tree to the right gives a level the extent of its splits only; longer leaves reach into later
        # levels.
        thick = [0.0] * n_levels
        widest_label = [0.0] * n_levels
        for box, size, label in zip(boxes, extent, labels, strict=True):
            thick[box.depth] = max(thick[box.depth], size if box.children or self.down else 0.0)
            widest_label[box.depth] = max(widest_label[box.depth], label)
        self.bend = 2.8 * em if self.down else 2.3 * em
        starts, ends = [0.0], [thick[0]]
        for level in range(1, n_levels):
            reserved = 1.5 * em if self.down else widest_label[level] + 0.9 * em
            starts.append(ends[-1] + self.bend + reserved)
            ends.append(starts[-1] + thick[level])
        reach = [
            0 if box.children else sum(starts[box.depth] + size > end for end in ends[box.depth : -1])
            for box, size in zip(boxes, extent, strict=True)
        ]
        gap = 0.9 * em if self.down else 0.45 * em
        centres = tidy_positions([box.children for box in boxes], breadth, gap, reach)
        margin = 0.8 * em
        self.level_end = [end + margin for end in ends]
        self.origins: list[tuple[float, float]] = []
        for box, (width, height), centre in zip(boxes, self.sizes, centres, strict=True):
            along = starts[box.depth] + margin
            across = centre + margin
            self.origins.append((across - width / 2, along) if self.down else (along, across - height / 2))
        self.label_widths = labels
        far = max(range(len(boxes)), key=lambda place: starts[boxes[place].depth] + extent[place])
        along_total = starts[boxes[far].depth] + extent[far] + 2 * margin
        across_total = max(centre + size / 2 for centre, size in zip(centres, breadth, strict=True)) + 2 * margin
        self.width, self.height = (across_total, along_total) if self.down else (along_total, across_total)

    def _plan_legend(self, room: float) -> None:
        """Reserves a strip under a tree that grows downwards, over one that grows to the right."""
        em = self.em
        item = max(self.ruler.width(name, 0.9) for _, name in self.legend) + 3.2 * em
        self.legend_columns = max(1, min(len(self.legend), int(room / item)))
        rows = math.ceil(len(self.legend) / self.legend_columns)
        # Rows of equal length look better than a full one and a rest.
        self.legend_columns = math.ceil(len(self.legend) / rows)
        self.legend_height = rows * 1.5 * em + 0.8 * em
        self.height += self.legend_height
        if not self.down:
            self.origins = [(x, y + self.legend_height) for x, y in self.origins]
        self.width = max(self.width, self.legend_columns * item)

    # Drawing

    def draw(self, ax: Axes, scale: float, room_wide: float, room_tall: float) -> None:
        shown_wide, shown_tall = room_wide / scale, room_tall / scale
        boxes_wide = max(x + size[0] for (x, _), size in zip(self.origins, self.sizes, strict=True))
        # The drawing stands in the middle of the axes, and the tree in the middle of the drawing.
        left = -(shown_wide - boxes_wide - 0.8 * self.em) / 2
        top = -(shown_tall - self.height) / 2
        self.ground_ink = _ink_under(ax)
        ax.set_axis_off()
        ax.set_xlim(left, left + shown_wide)
        ax.set_ylim(top + shown_tall, top)
        ax.set_aspect("equal", adjustable="box")
        for parent, box in enumerate(self.boxes):
            for child in box.children:
                self._draw_edge(ax, parent, child, scale)
        for place, box in enumerate(self.boxes):
            self._draw_box(ax, place, box, scale)
            if box.branch:
                self._draw_branch_label(ax, place, box, scale)
        if self.legend_columns:
            self._draw_legend(ax, scale, left + shown_wide / 2)

    def _draw_edge(self, ax: Axes, parent: int, child: int, scale: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        (x0, y0), (w0, h0) = self.origins[parent], self.sizes[parent]
        (x1, y1), (w1, h1) = self.origins[child], self.sizes[child]
        turn = self.level_end[self.boxes[parent].depth]
        half = self.bend / 2
        if self.down:
            start, end = (x0 + w0 / 2, y0 + h0), (x1 + w1 / 2, y1 - 1.4 * self.em)
            points = [
                start,
                (start[0], turn),
                (start[0], turn + half * 1.1),
                (end[0], turn + half * 0.9),
                (end[0], turn + self.bend),
                end,
            ]
        else:
            start, end = (x0 + w0, y0 + h0 / 2), (x1 - 0.2 * self.em - self.label_widths[child], y1 + h1 / 2)
            points = [
                start,
                (turn, start[1]),
                (turn + half * 1.1, start[1]),
                (turn + half * 0.9, end[1]),
                (turn + self.bend, end[1]),
                end,
            ]
        codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        empty = self.boxes[child].weight == 0
        ax.add_artist(
            PathPatch(
                Path(points, codes),
                facecolor="none",
                edgecolor="#DCE1E5" if not empty else palette.LINE,
                linewidth=self.edge_widths[child] * scale,
                linestyle=(0, (3, 3)) if empty else "solid",
                capstyle="butt",
                joinstyle="round",
                zorder=1,
            )
        )

    def _draw_box(self, ax: Axes, place: int, box: Box, scale: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        (x, y), (width, height) = self.origins[place], self.sizes[place]
        em = self.em
        color = self.colors[box.label]
        if box.kind == "split":
            face, edge = palette.PAPER, "#9AA5B0"
        elif box.weight == 0:
            face, edge = palette.INNER, palette.LINE
        else:
            face = palette.fill(color, palette.purity(box.class_weights, box.label))
            edge = palette.blend("#000000", color, 0.85)
        ax.add_artist(
            FancyBboxPatch(
                (x, y),
                width,
                height,
                boxstyle=f"round,pad=0,rounding_size={0.42 * em}",
                facecolor=face,
                edgecolor=edge,
                linewidth=0.085 * em * scale,
                linestyle=(0, (3, 2)) if box.kind == "stub" else "solid",
                zorder=3,
            )
        )
        ink = palette.FAINT_INK if box.weight == 0 else _ink_on(face)
        centre = x + width / 2
        title = self._title(box)
        if box.kind == "split":
            self._write(ax, centre, y + height / 2, title, 1.0, scale, ink)
            return
        bold = box.weight > 0
        subtitle = self._subtitle(box)
        if self.down:
            title_height = LINE_HEIGHT * em * (title.count("\n") + 1)
            subtitle_height = LINE_HEIGHT * SMALL * em * (subtitle.count("\n") + 1)
            self._write(ax, centre, y + 0.3 * em + title_height / 2, title, 1.0, scale, ink, bold=bold)
            middle = y + 0.35 * em + title_height + subtitle_height / 2
            self._write(ax, centre, middle, subtitle, SMALL, scale, ink)
            self._draw_bar(ax, box, x + 0.65 * em, y + height - 0.9 * em, width - 1.3 * em, 0.45 * em)
            return
        middle = y + height / 2
        self._draw_bar(ax, box, x + 0.65 * em, middle - 0.32 * em, self.bar_length, 0.64 * em)
        left = x + 1.25 * em + self.bar_length
        self._write(ax, left, middle, title, 1.0, scale, ink, bold=bold, align="left")
        self._write(ax, x + width - 0.65 * em, middle, subtitle, SMALL, scale, ink, align="right")

    def _draw_bar(self, ax: Axes, box: Box, x: float, y: float, length: float, height: float) -> None:
        """The distribution over the classes, in the order of the classes."""
        from matplotlib.patches import Rectangle

        if box.weight <= 0:
            return
        frame = 0.07 * self.em
        ground = Rectangle(
            (x - frame, y - frame), length + 2 * frame, height + 2 * frame, facecolor=palette.PAPER, zorder=4
        )
        ax.add_artist(ground)
        total = sum(box.class_weights)
        present = (pair for pair in zip(self.colors, box.class_weights, strict=True) if pair[1] > 0)
        # Neighbours of one colour are one part: hundreds of slivers would show their seams.
        for color, alike in groupby(present, key=itemgetter(0)):
            part = length * sum(weight for _, weight in alike) / total
            if part > 0:
                ax.add_artist(Rectangle((x, y), part, height, facecolor=color, edgecolor="none", zorder=5))
                x += part

    def _draw_branch_label(self, ax: Axes, place: int, box: Box, scale: float) -> None:
        (x, y), (width, height) = self.origins[place], self.sizes[place]
        if self.down:
            centre, middle = x + width / 2, y - 0.75 * self.em
        else:
            centre, middle = x - 0.2 * self.em - self.label_widths[place] / 2, y + height / 2
        ink = palette.FAINT_INK if box.weight == 0 else self.ground_ink
        self._write(ax, centre, middle, box.branch, SMALL, scale, ink)

    def _write(
        self,
        ax: Axes,
        x: float,
        y: float,
        text: str,
        relative: float,
        scale: float,
        ink: str,
        *,
        bold: bool = False,
        align: Literal["left", "center", "right"] = "center",
    ) -> None:
        ax.text(
            x,
            y,
            text,
            fontsize=self.em * relative * scale,
            fontweight="bold" if bold else "normal",
            color=ink,
            ha=align,
            va="center_baseline" if "\n" not in text else "center",
            linespacing=LINE_HEIGHT * 0.9,
            parse_math=False,
            usetex=False,
            clip_on=True,
            zorder=6,
        )

    def _draw_legend(self, ax: Axes, scale: float, centre: float) -> None:
        from matplotlib.patches import Patch

        handles = [
            Patch(
                facecolor=color,
                edgecolor=palette.blend("#000000", color, 0.85),
                label=name,
                linewidth=0.6 * scale,
            )
            for color, name in self.legend
        ]
        shown = ax.legend(
            handles=handles,
            loc="lower center" if self.down else "upper center",
            bbox_to_anchor=(centre, self.height - 0.5 * self.em if self.down else 0.5 * self.em),
            bbox_transform=ax.transData,
            ncols=self.legend_columns,
            frameon=False,
            fontsize=0.9 * self.em * scale,
            handlelength=1.0,
            handleheight=1.0,
            handletextpad=0.5,
            columnspacing=1.4,
            labelspacing=0.4,
            borderpad=0,
            borderaxespad=0,
            labelcolor=self.ground_ink,
        )
        for text in shown.get_texts():
            text.set_parse_math(False)
            text.set_usetex(False)


def _ink_on(face: str) -> str:
    """Dark text on pale boxes, white text on dark ones."""
    red, green, blue = (int(face[at : at + 2], 16) for at in (1, 3, 5))
    return palette.INK if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else palette.PAPER


def _ink_under(ax: Axes) -> str:
    """The colour of text that stands on the figure itself, which may have a dark theme."""
    from matplotlib.colors import to_hex, to_rgba

    ground = ax.figure.get_facecolor()
    return palette.INK if to_rgba(ground)[3] < 0.5 else _ink_on(to_hex(ground).upper())

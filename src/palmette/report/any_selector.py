"""The page of any other selector: what it selected, in its own words, the tree of it, and how stable that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.report import questions
from palmette.report.blocks import Block, Cell, Fact, Page, Paragraph, Section, Table, cells
from palmette.report.context import Context
from palmette.report.parts import data_section, features_words, origin_of, rules_table, several
from palmette.report.selection import interrupted_section, stability_section
from palmette.report.tree_figure import SHADED_CLASSES, tree_figure
from palmette.support.interruption import asking
from palmette.tree.wording import printable

__all__ = ["selector_page"]


def selector_page(selector: Any, context: Context, seconds: float, seed: int) -> Page:
    """The page of a fitted selector of which no more is known than what it selected."""
    held_out = context.held_out(selector) if hasattr(selector, "predict") else None
    support = np.asarray(selector.get_support(), dtype=bool)
    given = getattr(selector, "feature_names_in_", None)
    names = [f"x{place}" for place in range(len(support))] if given is None else [printable(name) for name in given]
    chosen = [names[feature] for feature in np.flatnonzero(support).tolist()]
    tree = context.tree if context.tree is not None else getattr(selector, "estimator_", None)
    tree = getattr(tree, "tree_", None)
    sections: list[Section] = [_features(selector, chosen)]
    if tree is not None:
        caption = "Grown with the selected features. Choose a node to see its samples and its rule."
        sections.append(Section("tree", "The tree", (tree_figure(tree, caption), rules_table(tree))))
    if context.has_data:
        data = (selector, support, context.X, context.y, context.sample_weight, questions.Allowance(seconds), seed)
        try:
            with asking():
                sections.append(stability_section(support, names, questions.resampled(*data)))
        except KeyboardInterrupt:
            sections.append(interrupted_section())
    method = type(selector).__name__
    summary = getattr(selector, "summary", None)
    facts = [Fact("Features", f"{len(chosen):,}", f"of {len(names):,}")]
    if held_out is not None:
        facts.append(Fact("Held-out error", str(held_out), f"{held_out.n_samples:,} samples it has not seen"))
    if tree is not None:
        facts.append(Fact("Tree", several(tree.n_nodes, "node"), f"{several(tree.n_leaves, 'leaf', 'leaves')}"))
    return Page(
        title=f"{context.source}: selected features" if context.source else "Selected features",
        kicker=context.kicker("Feature selection"),
        question=f"Which of the {len(names):,} features does {method} select?",
        answer=f"{len(chosen):,} of them: {features_words(chosen)}." if chosen else "None of them.",
        details=(Paragraph(summary()),) if callable(summary) else (),
        facts=(*facts, *context.facts),
        sections=(*sections, *data_section(context, getattr(selector, "categorical_features", "from_dtype"))),
        n_colors=0 if tree is None else min(len(tree.classes), SHADED_CLASSES),
        origin=origin_of(selector, context),
    )


def _features(selector: Any, chosen: list[str]) -> Section:
    """The features; in the order in which they were selected, where the selector tells it."""
    order = getattr(selector, "selected_order_", None)
    told = [printable(name) for name in order] if order is not None and len(order) == len(chosen) else []
    listed = told if sorted(told) == sorted(chosen) else chosen
    caption = "In the order in which they were selected" if listed is told and told else "The selected features"
    rows = [cells(place + 1, Cell(name, strong=True)) for place, name in enumerate(listed)]
    blocks: tuple[Block, ...] = (Table(caption, ("", "Feature"), rows, shown=30),)
    return Section("features", "The features", blocks if rows else (Paragraph("No feature is selected."),))

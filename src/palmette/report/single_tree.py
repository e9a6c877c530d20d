"""The page of a single tree: what it asks, how often it errs, the drawing, its rules."""

from __future__ import annotations

import numpy as np

from palmette.report.blocks import Cell, Fact, Page, Paragraph, Section, Table, cells
from palmette.report.context import Context
from palmette.report.parts import data_section, features_words, origin_of, percent, rules_table, several
from palmette.report.tree_figure import SHADED_CLASSES, tree_figure
from palmette.tree.classifier import C45Classifier
from palmette.tree.wording import printable, weight_text

__all__ = ["tree_page"]


def tree_page(classifier: C45Classifier, context: Context) -> Page:
    """The page of a fitted tree."""
    tree = classifier.tree_
    names = [printable(feature.name) for feature in tree.features]
    used = sorted(tree.used, key=lambda feature: -classifier.feature_importances_[feature])
    if used:
        asked = features_words([names[feature] for feature in used])
        answer = f"By {several(len(used), 'feature')} of {len(names):,}: {asked}."
    else:
        only = printable(tree.classes[int(tree.label[0])])
        answer = f"Not at all: the tree is a single leaf that always says {only}."
    classes = several(len(tree.classes), "class", "classes")
    details = [Paragraph(_description(classifier))]
    if classifier.status_ != "complete":
        details.append(Paragraph(f"The tree is not complete: {classifier.status_.replace('_', ' ')}.", "warning"))
    return Page(
        title=f"{context.source}: a decision tree" if context.source else "A decision tree",
        kicker=context.kicker("Decision tree"),
        question=f"How does a tree tell the {classes}{context.of_target} apart?",
        answer=answer,
        details=tuple(details),
        facts=(*_facts(classifier, context), *context.facts),
        sections=(
            Section("tree", "The tree", (tree_figure(tree, "Choose a node to see its samples and its rule."),)),
            Section("rules", "The rules", (rules_table(tree),)),
            *([_features(classifier, used, names)] if used else []),
            *data_section(context, classifier.categorical_features),
        ),
        n_colors=min(len(tree.classes), SHADED_CLASSES),
        origin=origin_of(classifier, context),
    )


def _description(classifier: C45Classifier) -> str:
    tree = classifier.tree_
    criterion = classifier.criterion.replace("_", " ")
    pruned = " and pruned by its estimated errors" if classifier.pruning else ", not pruned"
    weight = weight_text(float(tree.weight[0]))
    wrong = _training_error(classifier)
    return (
        f"A C4.5 tree of {several(tree.n_nodes, 'node')}, grown by {criterion} on {weight} "
        f"sample{'' if weight == '1' else 's'}{pruned}. Of the weight that it was grown on, {percent(wrong)} lies in "
        "leaves of another class, which is no estimate of the error on new samples."
    )


def _training_error(classifier: C45Classifier) -> float:
    """The weight that lies in leaves of another class."""
    tree = classifier.tree_
    leaves = np.flatnonzero(tree.feature < 0)
    right = float(tree.class_weights[leaves, tree.label[leaves]].sum())
    return 1 - right / (float(tree.weight[leaves].sum()) or 1.0)


def _facts(classifier: C45Classifier, context: Context) -> list[Fact]:
    tree = classifier.tree_
    facts = [
        Fact("Tree", several(tree.n_nodes, "node"), f"{several(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}"),
        Fact("Features", f"{len(tree.used):,}", f"of {len(tree.features):,}"),
    ]
    held_out = context.held_out(classifier)
    if held_out is not None:
        facts.append(Fact("Held-out error", str(held_out), f"{held_out.n_samples:,} samples it was not grown on"))
    return facts


def _features(classifier: C45Classifier, used: list[int], names: list[str]) -> Section:
    importances = classifier.feature_importances_
    splits = np.bincount(classifier.tree_.feature[classifier.tree_.feature >= 0], minlength=len(names))
    most = float(importances.max()) or 1.0
    rows = [
        cells(
            Cell(names[feature], strong=True),
            Cell(f"{importances[feature]:.1%}", number=True, share=float(importances[feature]) / most),
            int(splits[feature]),
        )
        for feature in used
    ]
    lead = Paragraph(
        "The share of each feature in what the splits gain. It tells what this tree uses, not what it could do "
        "without: `palmette select` answers that."
    )
    table = Table("Features by what their splits gain", ("Feature", "Share of the gain", "Splits"), rows, shown=20)
    return Section("features", "The features", (lead, table))

"""Does a tree that was evolved as a whole beat one that was grown greedily?

Greedy growing takes the best split at each node and never looks back. EvolvedTreeClassifier (Ardennes) judges whole
trees instead. This script evolves a tree for the wine data, prints what each kind of tree needs and how it does on
samples that none has seen, and draws how the population converged. It runs in a few seconds.

    python examples/evolve_a_tree.py evolution.png
"""

from __future__ import annotations

import argparse

from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold

from palmette import C45Classifier, EvolvedTreeClassifier, GeneticTreeClassifier


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?", default="evolution.png", help="where the picture goes")
    parser.add_argument("--folds", type=int, default=5)
    chosen = parser.parse_args(arguments)

    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target_names[wine.target]
    contestants = {
        "grown, pruned (J48)": C45Classifier(criterion="gain_ratio", pruning="error_based"),
        "evolved (Ardennes)": EvolvedTreeClassifier(random_state=0),
        "bred (as LEGAL-Tree)": GeneticTreeClassifier(random_state=0),
    }
    print(f"{'wine, ' + str(chosen.folds) + ' folds':24}accuracy  height  nodes  features")
    folds = list(StratifiedKFold(chosen.folds, shuffle=True, random_state=0).split(X, y))
    for name, tree in contestants.items():
        accuracy = height = nodes = features = 0.0
        for training, test in folds:
            tree.fit(X.iloc[training], y[training])
            accuracy += tree.score(X.iloc[test], y[test]) / len(folds)
            height += (tree.depth_ + 1) / len(folds)
            nodes += tree.n_nodes_ / len(folds)
            features += len(tree.used_features_) / len(folds)
        print(f"{name:24}{accuracy:8.3f}{height:8.1f}{nodes:7.1f}{features:10.1f}")

    training, test = folds[0]
    evolved = EvolvedTreeClassifier(random_state=0)
    evolved.fit(X.iloc[training], y[training], watched_set=(X.iloc[test], y[test]))
    print(f"\nOne evolution: {evolved.status_} after {evolved.n_generations_} generations, {evolved.n_trees_} trees.")
    print(evolved.to_text())
    evolved.plot_evolution().savefig(chosen.picture, dpi=120)
    print(f"How it went is drawn in {chosen.picture}.")


if __name__ == "__main__":
    main()

"""The accuracy of a classifier, for all labels that `fit` takes."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassifierMixin

from palmette.data.labels import plain_labels

__all__ = ["ScoresLabels"]


class ScoresLabels(ClassifierMixin):
    """Mixin in place of scikit-learn's, whose `score` refuses numbers and booleans that are held as objects."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of the rows, by weight, whose predicted class is their label.

        Parameters
        ----------
        X : table with the columns of `fit`
        y : labels, one for each row
        sample_weight : numbers, one for each row, or None

        Returns
        -------
        float
        """
        return float(super().score(X, plain_labels(y), sample_weight))

"""What all classifiers share that can tell probabilities: the most probable class, and logarithms.

The trees and ensembles (`tree/base.py`) and the decision tables (`oblivious/classifier.py`) predict by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PredictsByProbability"]


class PredictsByProbability:
    """Mixin of the classifiers whose predictions follow from `predict_proba`."""

    classes_: NDArray[Any]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the class probabilities, -inf where a probability is 0.

        Parameters
        ----------
        X : table with the columns of `fit`

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first in `classes_` on ties.

        Parameters
        ----------
        X : table with the columns of `fit`
            Values may be missing, and categories unseen, even where `fit` met none.

        Returns
        -------
        array of shape (n_rows,)
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        predicted: NDArray[Any] = self.classes_.take(most_probable)
        return predicted

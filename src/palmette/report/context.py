"""What a page knows beside the fitted object: the data, where they came from, and how the page was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palmette.report.blocks import Fact
from palmette.search.guidance import HeldOutError, held_out_error

__all__ = ["Context"]


@dataclass(frozen=True, eq=False)
class Context:
    """The data and their story; what is not known is None or empty."""

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    X_test: Any = None
    y_test: Any = None
    source: str = ""
    target: str = ""
    notes: tuple[str, ...] = ()
    command: str = ""
    facts: tuple[Fact, ...] = ()
    tree: Any = None
    """The classifier to draw, for a selector that has none of its own."""

    @property
    def of_target(self) -> str:
        """What the classes are of, if it has a name."""
        return f" of ‘{self.target}’" if self.target else ""

    @property
    def has_data(self) -> bool:
        return self.X is not None

    def kicker(self, kind: str) -> str:
        """The line above the question."""
        return f"{kind} · {self.source}" if self.source else kind

    def held_out(self, classifier: Any) -> HeldOutError | None:
        """The error on the test samples, if there are any."""
        if self.X_test is None:
            return None
        return held_out_error(self.y_test, classifier.predict(self.X_test), getattr(classifier, "classes_", None))

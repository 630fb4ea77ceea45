"""What `identify` and `load` ask of a family of weights: one protocol, which a file for each codebase fulfils."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..export.loading import Loaded
from .asked import Asked
from .entries import Near
from .manifest import Manifest
from .report import Report
from .tasks import Predictor


class Family(Protocol):
    """A family of weights.

    A model has the name of its `family`, and `layers`: the parameters of each layer as its definition takes them.
    `identifying.identified` calls `read`, `derive`, `name_entries`, `compare` and `check` in this order.
    """

    def models(self, loaded: Loaded) -> Mapping[str, Any]:
        """The layout: the model on each tokenisation that the encoding's width allows, by its name."""
        ...

    def sizes(self, model: Any) -> tuple[int, int]:
        """(d, k): features and targets."""
        ...

    def predictor(self, model: Any) -> Predictor:
        """The forward pass, by the definition in float64."""
        ...

    def read(self, loaded: Loaded, asked: Asked) -> Any:
        """The `model` on one tokenisation, with its rule, or with tasks on which the rule is measured.

        Raises:
            UsageError: for weights that are too large, or not for what is asked.
        """
        ...

    def derive(self, report: Report, read: Any) -> None:
        """Adds how the rule is established, and the rule itself where it is derived."""
        ...

    def name_entries(self, report: Report, read: Any) -> Near | None:
        """Adds the nearest construction, symmetries divided out, and the entries that differ from it."""
        ...

    def compare(self, report: Report, read: Any, near: Near | None) -> None:
        """Adds distances to the rule that is derived, or fitted to predictions, and the verdict."""
        ...

    def check(self, report: Report, asserted: Manifest, read: Any, near: Near | None) -> None:
        """Adds contradictions of the manifest, and the error beside its certificate."""
        ...

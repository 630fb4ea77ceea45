"""Norms of kernel arrays. The kernel has no norms: they stand for what a bound's left side is measured by."""

from __future__ import annotations

from typing import Any

from ..kernel.index import Index
from ..kernel.term import Term
from .array import KernelArray, function
from .questions import Unreadable

AXES = {"absolute": 0, "norm": 1, "operator": 2}
"""How many of the last axes a measure takes together."""


class Measured(KernelArray):
    """The array `of` and its measure; elsewhere than alone on the left of at_most a norm cannot be read."""

    __slots__ = ("_opaque", "measure", "of")

    def __init__(self, of: KernelArray, measure: str) -> None:
        self.of, self.measure = of, measure
        self.dims = of.dims[: of.ndim - AXES[measure]]
        self._opaque: KernelArray | None = None

    @property
    def at(self) -> tuple[Index, ...]:  # type: ignore[override]
        """The positions; of absolute values only, since a norm has no entries."""
        return self._elsewhere().at

    @property
    def shared(self) -> Term:  # type: ignore[override]
        """The term; of absolute values only, since a norm has no entries."""
        return self._elsewhere().shared

    def __getitem__(self, key: Any) -> KernelArray:
        keys = key if isinstance(key, tuple) else (key,)
        return Measured(self.of[(*keys, *(slice(None),) * AXES[self.measure])], self.measure)

    def _elsewhere(self) -> KernelArray:
        """The absolute values as those of a function of which nothing is known but its name."""
        if self.measure != "absolute":
            raise Unreadable("a norm elsewhere than alone on the left of at_most")
        if self._opaque is None:
            self._opaque = function("abs", self.of)
        return self._opaque


def absolute(of: KernelArray) -> KernelArray:
    """The absolute values of an array's entries."""
    return Measured(of, "absolute")


def norm(of: KernelArray) -> KernelArray:
    """The Euclidean norm of an array."""
    return Measured(of, "norm")


def operator_norm(of: KernelArray) -> KernelArray:
    """The largest singular value of a matrix."""
    return Measured(of, "operator")

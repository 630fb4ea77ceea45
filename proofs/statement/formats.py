"""Formats: which numbers an array holds. They say nothing of rounding: whole and real numbers are exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .interned import Interning


@dataclass(frozen=True, eq=False)
class Format(metaclass=Interning):
    """Real numbers ("real"), whole ones ("int"), whole ones from 0 on ("uint") or 0 and 1 ("bool")."""

    kind: str
    bits: int | None
    """How wide it is; None for any width."""
    defaults: ClassVar[tuple[Any, ...]] = ("real", None)

    @property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers alone."""
        return self.kind != "real"

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """The least and the greatest number that it holds; None for no end. A width of real ones is not theirs."""
        if self.kind == "bool":
            return 0, 1
        if self.kind == "real" or self.bits is None:
            return (0 if self.kind == "uint" else None), None
        if self.kind == "uint":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1

    def holds(self, number: int | Fraction) -> bool:
        """Whether it holds a number."""
        low, high = self.ends
        above = low is None or number >= low
        whole = not self.is_whole or number == int(number)
        return above and whole and (high is None or number <= high)

    def drawn(self, rng: np.random.Generator, shape: tuple[int, ...], below: int) -> np.ndarray:
        """Whole numbers of the format from 0 on; for those of a width or not, half of them are small."""
        if self.kind == "real":
            return rng.integers(0, below, shape)
        top = self.ends[1]
        few, many = (min(n, below if top is None else top + 1) for n in (SMALL, below))
        return np.where(
            rng.random(shape) < 0.5, rng.integers(0, few, shape), rng.integers(0, many, shape)
        )

    @property
    def name(self) -> str:
        """As NumPy calls it."""
        return ("float" if self.kind == "real" else self.kind) + str(self.bits or "")

    @property
    def says(self) -> str:
        """What it asks of every entry; "" for nothing."""
        low, high = self.ends
        if self.kind == "bool":
            return "is 0 or 1"
        if high is not None:
            return f"is a whole number from {low} to {high}".replace("-", "−")
        what = "is a whole number" if self.is_whole else ""
        return what if low is None else f"{what} ≥ {low}"


SMALL = 6
"""Whole numbers below it are drawn most, which are places in short arrays."""
REAL = Format("real")
WHOLE = Format("int")

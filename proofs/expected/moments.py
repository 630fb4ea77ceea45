"""Distributions that inputs are drawn from: symmetric about 0, coordinates independent of one another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from scanproof.constructs.errors import UsageError

SAMPLERS = ("uniform", "normal")


@dataclass(frozen=True)
class Distribution:
    """Uniform on (−scale, scale), or normal with standard deviation `scale`."""

    sampler: str
    scale: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.sampler not in SAMPLERS:
            allowed = ", ".join(SAMPLERS)
            raise UsageError(f"sampler={self.sampler!r}: no such sampler; allowed: {allowed}.")
        if not self.scale > 0:
            raise UsageError(f"scale={self.scale}: give a positive number, such as 1 or 1/2.")

    def moment(self, order: int) -> Fraction:
        """E[x^order], exactly: 0 for odd orders."""
        if order % 2:
            return Fraction(0)
        if self.sampler == "uniform":
            return self.scale**order / (order + 1)
        return self.scale**order * prod(range(1, order, 2))

    @property
    def variance(self) -> Fraction:
        """E[x²]."""
        return self.moment(2)


def uniform(half_width: Fraction | int) -> Distribution:
    """Uniform on (−a, a)."""
    return Distribution("uniform", Fraction(half_width))


def normal(deviation: Fraction | int) -> Distribution:
    """Normal with mean 0 and this standard deviation."""
    return Distribution("normal", Fraction(deviation))

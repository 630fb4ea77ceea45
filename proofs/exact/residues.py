"""Whole numbers modulo a large prime: rational functions are evaluated without error at one price for every size.

Two different rational functions of degree d agree at a point drawn from the field with a probability of at most
d / PRIME (Schwartz, Zippel), unless the prime divides all coefficients of their difference.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .field import Field
from .meter import Meter, TooLong
from .scalar import as_fraction

__all__ = ["PRIME", "Meter", "PrimeField", "TooLong"]

PRIME = 2**61 - 1
SMALL = 2**20
"""Residues nearer to 0 are taken for whole numbers of a program; a drawn one is so near with probability 10⁻¹²."""


class PrimeField(Field):
    """The field of whole numbers modulo `PRIME`."""

    name = "modular"

    def __init__(self, meter: Meter | None = None) -> None:
        import flint

        self.meter = meter
        self._residue = flint.nmod
        self._numbers: dict[Any, Any] = {}

    def number(self, value: Any) -> Any:
        """The residue of the given number."""
        if isinstance(value, self._residue):
            return value
        if type(value) is int:
            return self._residue(value, PRIME)
        known = self._numbers.get(value)
        if known is None:
            exact = as_fraction(value)
            known = self._residue(exact.numerator, PRIME)
            if exact.denominator != 1:
                known = known / self._residue(exact.denominator, PRIME)
            self._numbers[exact] = known
        return known

    def as_constant(self, scalar: Any) -> Fraction | None:
        """The whole number near 0 that a residue is taken for; None for all others."""
        near = int(scalar)
        near = near - PRIME if near > PRIME // 2 else near
        return Fraction(near) if abs(near) < SMALL else None

"""Whole numbers modulo a large prime: rational functions are evaluated without error at one price for every size.

Two different rational functions of degree d agree at a point drawn from the field with a probability of at most
d / PRIME (Schwartz, Zippel), unless the prime divides all coefficients of their difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from .field import Field
from .scalar import as_fraction

PRIME = 2**61 - 1
SMALL = 2**20
"""Residues nearer to 0 are taken for whole numbers of a program; a drawn one is so near with probability 10⁻¹²."""


class TooLong(BaseException):
    """More operations than were allowed; no `except Exception` of a claim's body stands in its way."""


class Meter:
    """Counts operations, so that what is tried does not depend on how fast a machine is."""

    def __init__(self, operations: int) -> None:
        self.left = self._now = operations

    def spend(self, operations: int) -> None:
        """Raises TooLong when there are none left."""
        self.left -= operations
        self._now -= operations
        if self._now < 0 or self.left < 0:
            raise TooLong

    def check(self) -> None:
        """Raise TooLong if it has been raised before, whoever caught it."""
        if self._now < 0 or self.left < 0:
            raise TooLong

    @contextmanager
    def at_most(self, operations: int) -> Iterator[None]:
        """Allow no more than these inside the block."""
        self._now = operations
        yield
        self.check()


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

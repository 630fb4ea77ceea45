"""Floating-point numbers in a program's text that are hardly the numbers that their author meant.

A program computes with 0.1 as it is in binary, and is proved so. That is rarely what a specification says.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .reader import place

SIMPLE = 1000
"""A number within rounding of a fraction with no greater denominator is taken to be meant as that."""
DYADIC = 2**20
"""Binary fractions with no greater denominator are meant as they are."""


class Literal(NamedTuple):
    """A number that is not what it looks like."""

    value: float
    meant: Fraction
    place: str

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return (
            f"the program computes with {self.value!r}{where}, which is not {self.meant}: in binary it is "
            f"{Fraction(self.value)}; divide by {self.meant.denominator}, or pass the number as an argument"
        )


def inexact(jaxpr: Any) -> list[Literal]:
    """The numbers of a closed jaxpr and its inner programs that are near a simple fraction and not equal to it."""
    found: dict[Literal, None] = {}
    for value, where in _numbers(jaxpr):
        meant = Fraction(value).limit_denominator(SIMPLE)
        if Fraction(value).denominator > DYADIC and _near(value, meant):
            found.setdefault(Literal(value, meant, where))
    return list(found)


def _near(value: float, meant: Fraction) -> bool:
    return abs(Fraction(value) - meant) <= abs(meant) * Fraction(1, 2**22)


def _numbers(closed: Any) -> Iterator[tuple[float, str]]:
    jaxpr = getattr(closed, "jaxpr", closed)
    for const in getattr(closed, "consts", ()):
        array = np.asarray(const)
        if array.dtype.kind == "f":
            yield from ((float(x), "") for x in array.flat if np.isfinite(x))
    for equation in jaxpr.eqns:
        for atom in equation.invars:
            value = getattr(atom, "val", None)
            if value is not None and np.asarray(value).dtype.kind == "f":
                yield from (
                    (float(x), place(equation)) for x in np.asarray(value).flat if np.isfinite(x)
                )
        for parameter in equation.params.values():
            for inner in parameter if isinstance(parameter, tuple | list) else [parameter]:
                if hasattr(inner, "eqns") or hasattr(inner, "jaxpr"):
                    yield from _numbers(inner)

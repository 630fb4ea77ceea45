"""What was found in floats, certified: floats are rational numbers, and balls enclose both sides at them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from scanproof.proofs.check.instances.enclosed import Enclosed, enclosed
from scanproof.proofs.check.instances.hypotheses import bounds_at
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.instance import Point
from scanproof.proofs.exact.scalar import DivisionByZero

from .hypotheses import Hypotheses, Values

INSIDE = 2.0**-34
"""How far inputs are drawn in, and caps put out, relatively, so that the conditions hold of the exact numbers."""
BITS = 256


class Certified(NamedTuple):
    """One statement left ≤ right at exact numbers."""

    ratio: float
    """The largest left / right of an entry."""
    holds: bool | None
    """Whether left ≤ right in every entry; None if 256 bits do not tell."""


def point(of: Hypotheses, values: Mapping[str, np.ndarray]) -> Point:
    """Float inputs that meet a claim's conditions but for rounding, as exact numbers that meet them."""
    drawn: Values = {name: np.asarray(values[name], dtype=float) for name in of.free}
    if of.others:
        drawn = of.shrunk(drawn, -INSIDE)
    complete = of.complete(drawn, np)
    for name in of.caps:
        complete[name] = complete[name] + abs(complete[name]) * INSIDE / 8
    return {name: _fractions(np.asarray(array)) for name, array in complete.items()}


def certify(of: Hypotheses, values: Mapping[str, np.ndarray]) -> list[Certified] | None:
    """Every statement left ≤ right of a claim at float inputs; None if the conditions are not certain of them."""
    at = point(of, values)
    try:
        if not _met(of, at):
            return None
        return [
            Certified(_ratio(found), found.holds)
            for found in enclosed(of.claim, of.sizes, at, BITS)
        ]
    except DivisionByZero:
        return None


def _met(of: Hypotheses, at: Point) -> bool:
    """Whether every condition is certain, the inequalities in balls."""
    import flint

    numbers = {n: a.item() if a.shape == () else a for n, a in at.items()}
    if not all(of.claim.meets(condition, {**numbers, **of.sizes}) for condition in of.tried):
        return False
    with flint.ctx.workprec(BITS):
        stated = bounds_at(of.claim, of.sizes, at, ArbField())
        return all(
            bool(np.all(left <= right)) for bounds in stated.values() for _, left, right in bounds
        )


def _ratio(found: Enclosed) -> float:
    pairs = [
        (float(a.mid()), float(b.mid()))
        for a, b in zip(found.left.flat, found.right.flat, strict=True)
    ]
    return max(a / b if b > 0 else float("inf") if a > b else 0.0 for a, b in pairs)


def _fractions(array: np.ndarray) -> np.ndarray:
    out = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        out[index] = Fraction(float(array[index]))
    return out

"""Bounds at a point in certified enclosures with a radius: an arithmetic of its own beside roots and the kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...exact.enclosures import ArbField
from ...exact.instance import Point, scalars
from ...exact.scalar import DivisionByZero
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...language.statements import AtMost, Equal
from .evaluate import evaluate

BITS = 128


class Enclosed(NamedTuple):
    """The two sides of a bound, arrays of balls of one shape."""

    left: np.ndarray
    right: np.ndarray

    @property
    def holds(self) -> bool | None:
        """Whether left ≤ right is certified in every entry, or left > right in some; None if balls overlap."""
        pairs = list(zip(self.left.flat, self.right.flat, strict=True))
        if any(a > b for a, b in pairs):
            return False
        return True if all(a <= b for a, b in pairs) else None

    @property
    def radius(self) -> float:
        """The largest radius of a ball: a wide one would certify nothing."""
        return max((float(ball.rad()) for side in self for ball in side.flat), default=0.0)


def enclosed(claim: Claim, sizes: Sizes, point: Point, bits: int = BITS) -> list[Enclosed]:
    """The claim's bounds at a point, which must meet its conditions, in enclosures of `bits` binary digits.

    Raises:
        DivisionByZero: if a ball has no end: something is divided by that may be 0 at this precision.
    """
    import flint

    field = ArbField()
    with flint.ctx.workprec(bits):
        found = []
        for statement in evaluate(claim, field, sizes, scalars(claim, field, point)):
            if isinstance(statement, AtMost):
                both = Enclosed(statement.left, statement.right)
                if not all(ball.is_finite() for side in both for ball in side.flat):
                    raise DivisionByZero("an enclosure without end")
                found.append(both)
        return found


def apart(
    claim: Claim, sizes: Sizes, point: Point, part: int, bits: int = BITS
) -> tuple[Any, Any] | None:
    """The two sides of an equation at a point, arrays of balls, if some entry is certified to differ; else None.

    It is for points at which a side has no exact form, as tanh(1) has none, of claims without conditions. Nothing is
    said where a ball has no end: something may have no value there.
    """
    import flint

    field = ArbField()
    try:
        with flint.ctx.workprec(bits):
            found = evaluate(claim, field, sizes, scalars(claim, field, point))
            equation = found[part] if 0 <= part < len(found) else None
            if not isinstance(equation, Equal):
                return None
            left, right = equation.left, equation.right
            pairs = list(zip(left.flat, right.flat, strict=True))
            if not all(ball.is_finite() for pair in pairs for ball in pair):
                return None
            return (left, right) if any(a != b for a, b in pairs) else None
    except (ArithmeticError, TypeError, ValueError):
        return None

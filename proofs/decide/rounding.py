"""Refutations that do not hinge on how a program's literals are rounded: 0.3333 for 1/3, or 2e-10 in a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..check.instances.at_point import inputs_as_text, nested, statements_at
from ..check.instances.enclosed import BITS
from ..check.instances.evaluate import evaluate
from ..check.instances.points import find
from ..check.result import sizes_text
from ..doors.meant import BLUR, DYADIC, PLAIN, Literal
from ..exact.counterexample import Counterexample, special
from ..exact.enclosures import ArbField
from ..exact.entries import arranged
from ..exact.instance import Point, scalars
from ..exact.instance import shapes as shapes_at
from ..language.claim import Claim
from ..language.numbers import exceeds
from ..language.sizes import Sizes
from ..language.statements import Equal, Statement
from ..refute.shrinking import simplest
from .verdict import Result

SHOWN = 3
"""How many literals are named where a refutation hinges on them."""


class Blurred(ArbField):
    """Balls for numbers, in which those of a program are as wide as its literals' rounding.

    So what hinges on that is not distinguished. Small binary fractions are meant as they are.
    """

    def __init__(self, blur: Fraction) -> None:
        super().__init__()
        self.blur = float(blur)

    def number(self, value: Any) -> Any:
        """A ball around a number that stands in a program."""
        exact = super().number(value)
        if not isinstance(value, Fraction) or _is_plain(value):
            return exact
        return exact * self._flint.arb(1, self.blur)


def _is_plain(value: Fraction) -> bool:
    p, q = value.as_integer_ratio()
    odd = abs(p) // (p & -p) if p else 0
    return q & (q - 1) == 0 and q <= DYADIC and odd.bit_length() <= PLAIN


def beyond_rounding(
    claim: Claim, result: Result, literals_at: Callable[[Sizes], list[Literal]]
) -> Result:
    """A refutation that does not hinge on how literals are rounded: this one, or another, or why there is none."""
    shown = result.counterexample
    if shown is None:
        return result
    involved = literals_at(shown.sizes)
    if not involved or not _explained(claim, shown.sizes, _point(claim, shown), involved):
        return result
    for sizes in (shown.sizes, *claim.every_size):
        found = _clearly_false(claim, sizes, literals_at(sizes))
        if found is not None:
            evidence = [{**one, "sizes": [found.sizes]} for one in result.evidence]
            return replace(
                result,
                counterexample=found,
                reason=f"false at {sizes_text(sizes)}",
                evidence=evidence,
            )
    blur = float(_blur(involved))
    return Result("unknown", reason=_hinges(involved), definitions=result.definitions, blur=blur)


def _blur(involved: Sequence[Literal]) -> Fraction:
    """How far, relatively, literals may be off what their author meant."""
    return max([BLUR, *(one.meant.blur() for one in involved)])


def _hinges(involved: Sequence[Literal]) -> str:
    texts = (
        one.shown() + (f", read as {one.meant}" if one.meant.understood else "")
        for one in sorted(involved, key=lambda one: one.meant.understood)
    )
    several = list(dict.fromkeys(texts))
    more = f"; and {len(several) - SHOWN} more" if len(several) > SHOWN else ""
    return (
        f"up to rounding of the literal{'s' * (len(several) > 1)} {'; '.join(several[:SHOWN])}{more}, the two agree "
        "where they were compared; write such a number so that it is read as what it means (1/3, 1e-6, 2 ** -0.5, a "
        "decimal of at most six digits), or pass it as an argument"
    )


def _explained(claim: Claim, sizes: Sizes, point: Point, involved: Sequence[Literal]) -> bool:
    """Whether the two sides may be equal at a point if literals were slightly other numbers."""
    import flint

    try:
        with flint.ctx.workprec(BITS):
            balls = Blurred(_blur(involved))
            found = evaluate(claim, balls, sizes, scalars(claim, ArbField(), point))
            pairs = [pair for statement in found for pair in _pairs(statement)]
            if all(ball.is_finite() for pair in pairs for ball in pair):
                return not any(a != b for a, b in pairs)  # balls that do not overlap
    except (ArithmeticError, TypeError, ValueError):  # something that balls do not decide
        pass
    exact = statements_at(claim, sizes, point)
    return exact is not None and _apart(exact, involved) is None


def _clearly_false(
    claim: Claim, sizes: Sizes, involved: Sequence[Literal]
) -> Counterexample | None:
    """A counterexample at these sizes that no rounding of literals explains."""

    def shows(found: list[Statement]) -> bool:
        return _apart(found, involved) is not None

    point = find(claim, sizes, shows)
    if point is None:
        return None
    point = simplest(claim, sizes, point, shows)
    found = statements_at(claim, sizes, point) or []
    part = _apart(found, involved)
    if part is None or (involved and _explained(claim, sizes, point, involved)):
        return None
    sides: Any = found[part]
    actual, claimed = nested(sides.left), nested(sides.right)
    inputs = inputs_as_text(point)
    return Counterexample(dict(sizes), inputs, part, claimed, actual, special=special(inputs))


def _apart(found: Sequence[Statement], involved: Sequence[Literal]) -> int | None:
    """The first statement whose sides are farther apart than literals are from what they may mean."""
    blur = _blur(involved)
    for part, statement in enumerate(found):
        for a, b in _pairs(statement):
            if exceeds(abs(a - b) - blur * (1 + abs(a) + abs(b))):
                return part
    return None


def _pairs(statement: Statement) -> list[tuple[Any, Any]]:
    if not isinstance(statement, Equal):
        return []
    return list(zip(statement.left.flat, statement.right.flat, strict=True))


def _point(claim: Claim, shown: Counterexample) -> Point:
    """The inputs of a counterexample as arrays of exact numbers."""
    return {
        name: arranged(map(Fraction, np.ravel(np.asarray(shown.inputs[name], dtype=object))), dims)
        for name, dims in shapes_at(claim, shown.sizes).items()
    }

"""Products and sums in order: numbers and fractions first, then arrays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..slices import Expression
from .ones import Ones


@dataclass(frozen=True)
class Piece:
    """A product: a number, numbers above and below a fraction line, and arrays that are multiplied in this order."""

    coefficient: Fraction = Fraction(1)
    over: tuple[Expression, ...] = ()
    under: tuple[Expression, ...] = ()
    rest: tuple[Expression, ...] = ()

    def times(self, other: Piece) -> Piece:
        """The product with another one."""
        return Piece(
            self.coefficient * other.coefficient,
            self.over + other.over,
            self.under + other.under,
            self.rest + other.rest,
        )

    @property
    def inverse(self) -> Piece:
        """Of a number."""
        return Piece(1 / self.coefficient, self.under, self.over)


class Pieces(Ones):
    """Writes products and sums whose factors are written already."""

    def chained(self, rest: Sequence[Expression]) -> Expression:
        """Arrays that are multiplied, as one factor."""
        if len(rest) == 1:
            return rest[0]
        return self.a.gap.join(self.a.within(one, 3) for one in rest), 2

    def alone(self, p: Piece) -> Expression:
        """A product that may be one factor, which binds as that does."""
        factors = (*p.over, *p.rest)
        if p.coefficient == 1 and not p.under and len(factors) == 1:
            return factors[0]
        return self.shown(p)

    def shown(self, p: Piece) -> Expression:
        """A product."""
        c = abs(p.coefficient)
        if c == 0:
            return "0", 9
        sign = self.a.minus if p.coefficient < 0 else ""
        every = self.powers(p.over)
        plain = [one for one in every if self.is_name(one[0]) and len(one[0]) < 20]
        rest = [one for one in every if one not in plain]
        low = [(str(c.denominator), 9)] if c.denominator != 1 else []
        low += self.powers(p.under)
        top: list[Expression] = [(str(c.numerator), 9)] if c.numerator != 1 else []
        front: list[Expression] = []
        arrays = p.rest
        if low:
            if not plain and not top and len(rest) + len(p.rest) == 1:
                top, rest, arrays = [*rest, *p.rest], [], ()
            top = [*top, *plain] or [("1", 9)]
            front = [self.a.quotient(self.factors(top), self.factors(low))]
        else:
            front = [*top, *plain]
        every = [*front, *rest, *arrays]
        if not every:
            every = [("1", 9)]
        text, binds = self.factors(every)
        return sign + text, min(binds, 1) if sign else binds

    def powers(self, every: Sequence[Expression]) -> list[Expression]:
        """Factors, of which equal ones are powers."""
        counts = Counter(every)
        return [
            one if n == 1 else (self.a.sup(self.a.within(one, 9), str(n)), 9)
            for one, n in counts.items()
        ]

    def factors(self, every: Sequence[Expression]) -> Expression:
        """Factors side by side."""
        if len(every) == 1:
            return every[0]
        text = ""
        for n, one in enumerate(every):
            last = n == len(every) - 1 and one[1] in (1.5, 2)
            shown = one[0] if last else self.a.within(one, 2.4 if n == 0 else 3)
            tight = text.isdigit() and re.match(r"[^\W\d]|\\[a-z]|√", shown)
            text += ("" if not text or (tight and len(shown) < 4) else self.a.gap) + shown
        return text, 2

    def added(self, every: Sequence[Piece]) -> Expression:
        """A sum."""
        if len(every) == 1:
            return self.shown(every[0])
        text = ""
        for one in every:
            minus = one.coefficient < 0
            shown = self.a.within(self.shown(replace(one, coefficient=abs(one.coefficient))), 1.2)
            sign = (f" {self.a.minus} " if minus else " + ") if text else self.a.minus * minus
            text += sign + shown
        return text, 1

"""How the factor of the summed gradient depends on the number of examples."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from .report import ALONE, AVERAGED, CONSTANT, shown
from .rule import Rule

EXACTLY = Fraction(0)
"""The distance of factors that are one."""


class Factor(NamedTuple):
    """How the factor of the summed gradient depends on n: value / (n + shift), or value."""

    value: Fraction
    """The sum of the steps' factors, where they have several."""
    shift: Fraction | None
    """None for a constant."""
    by_number: dict[int, Fraction]
    """Factors that are neither, by n; else empty."""
    alone: int | None = None
    """n, if no other was tried."""

    def at(self, n: int) -> Fraction | None:
        """The factor at n examples, if it is known."""
        if self.alone not in (None, n):
            return None
        if self.by_number:
            return self.by_number.get(n)
        if self.shift is None:
            return self.value
        return self.value / (n + self.shift) if n + self.shift else None

    @property
    def words(self) -> str:
        """As `StepSize.dependence`."""
        if self.alone is not None:
            return ALONE.format(self.alone)
        if self.by_number:
            each = ", ".join(f"{shown(v)} at n = {n}" for n, v in self.by_number.items())
            return f"irregular in n: {each}"
        if self.shift is None:
            return CONSTANT
        if not self.shift:
            return AVERAGED
        divided = f"divided by n {'+' if self.shift > 0 else '−'} {abs(self.shift)}"
        return divided + (f", which is negative for n < {-self.shift}" if self.shift < -1 else "")


def of(rules: Mapping[int, Rule], close: Fraction = EXACTLY) -> Factor:
    """The factor in rules of one step or more, by the number of examples.

    Args:
        rules: by n.
        close: the relative distance within which factors are taken for roundings of one.
    """
    sums = {n: sum(rule.step_sizes, Fraction(0)) for n, rule in rules.items()}
    first = sums[min(sums)]
    if len(sums) == 1:
        return Factor(first, None, {}, min(sums))
    if all(abs(s - first) <= close * abs(first) for s in sums.values()):
        return Factor(first, None, {})
    if len(sums) > 2 and all(sums.values()):
        (a, one), (b, two), (c, three) = sorted(sums.items())[:3]
        slope = (1 / two - 1 / one) / (b - a)
        if slope and 1 / three == 1 / one + slope * (c - a):
            return Factor(1 / slope, 1 / one / slope - a, {})
    return Factor(first, None, sums)

"""Measured orders: the slope of a quantity's logarithm over a geometric range, from exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .array import ExactArray, Namespace
from .polynomials import RationalField

HALVING = tuple(Fraction(1, 2**k) for k in range(4, 13))
"""1/16, …, 1/4096: for what is small."""


@dataclass(frozen=True)
class Quantity:
    """Something that a source says is O(symbol^claimed), as a function of the symbol."""

    row: str
    """The claim that it belongs to."""
    name: str
    symbol: str
    at: Callable[[Any, Any], ExactArray]
    """The quantity from a namespace of exact arrays and a value of the symbol; its largest |entry| counts."""
    claimed: int | None = None
    values: Sequence[Fraction | int] = HALVING


class Order(NamedTuple):
    """What was measured of a quantity."""

    quantity: Quantity
    sizes: list[Fraction]
    """max |entry| at each value of the symbol."""
    slopes: list[float]
    """log₂ of the ratio of neighbours, over that of the symbol's values; empty if the quantity is 0."""

    @property
    def order(self) -> float:
        """The slope at the end of the range; ∞ if the quantity is 0 throughout."""
        return self.slopes[-1] if self.slopes else math.inf

    def __str__(self) -> str:
        q, values = self.quantity, self.quantity.values
        over = f"{q.name} over {q.symbol} = {values[0]}, …, {values[-1]}"
        if not self.slopes:
            return f"{over}: 0 throughout"
        claimed = "" if q.claimed is None else f" (claimed: {q.claimed})"
        order = f"{round(self.order, 2) + 0.0:.2f}{claimed}"  # + 0.0: no −0.00
        return f"{over}: order {order.replace('-', '−')}"


def measure(quantity: Quantity) -> Order:
    """The quantity at each of its values, in exact rationals, and the slopes between them.

    Raises:
        ArithmeticError: if it is 0 at some of the values only, where it has no order.
    """
    xp = Namespace(RationalField())
    values = quantity.values
    exact = [xp.asarray(v) if isinstance(v, Fraction) else v for v in values]  # sizes stay numbers
    sizes = [_largest(quantity.at(xp, value)) for value in exact]
    if not any(sizes):
        return Order(quantity, sizes, [])
    if not all(sizes):
        raise ArithmeticError(
            f"{quantity.name} of {quantity.row} is 0 at some values of {quantity.symbol} only"
        )
    rises, runs = _steps(sizes), _steps([Fraction(value) for value in values])
    return Order(quantity, sizes, [rise / run for rise, run in zip(rises, runs, strict=True)])


def _steps(numbers: Sequence[Fraction]) -> list[float]:
    """Between neighbours, of the logarithms."""
    return [_log2(b) - _log2(a) for a, b in pairwise(numbers)]


def _largest(array: ExactArray) -> Fraction:
    return max(abs(entry) for entry in np.asarray(array.entries).flat)


def _log2(number: Fraction) -> float:
    """The logarithm of a fraction whose parts may be beyond the range of floats."""
    return math.log2(number.numerator) - math.log2(number.denominator)

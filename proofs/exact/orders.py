"""What is said to be O(·), and what is measured of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

HALVING = tuple(Fraction(1, 2**k) for k in range(4, 13))
"""1/16, …, 1/4096: for what is small."""


@dataclass(frozen=True)
class Quantity:
    """Something that a source says is O(symbol^claimed), as a function of the symbol."""

    row: str
    """The claim that it belongs to."""
    name: str
    symbol: str
    at: Callable[[Any, Any], Any]
    """The quantity from a namespace of arrays and a value of the symbol; its largest |entry| counts."""
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

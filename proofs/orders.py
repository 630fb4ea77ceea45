"""`python -m scanproof.proofs.orders`: the measured orders of what the sources say is O(·), beside what they claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

from .doors.record.exactly import exactly
from .exact.entries import filled
from .exact.orders import Order, Quantity
from .exact.polynomials import RationalField


def quantities() -> tuple[Quantity, ...]:
    """All that is measured, in the ledger's order."""
    from .claims.ssd.orders import ORDERS

    return ORDERS


@cache
def orders(row: str) -> tuple[Order, ...]:
    """The measured orders that belong to a row; none for most."""
    return tuple(measure(quantity) for quantity in quantities() if quantity.row == row)


def measure(quantity: Quantity) -> Order:
    """The quantity at each of its values, in exact rationals, and the slopes between them.

    Raises:
        ArithmeticError: if it is 0 at some of the values only, where it has no order.
    """
    values = quantity.values
    given = [filled((), v) if isinstance(v, Fraction) else v for v in values]  # sizes stay numbers
    found = (exactly(RationalField(), quantity.at, value) for value in given)
    sizes = [max(map(abs, array.flat)) for array in found]
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


def _log2(number: Fraction) -> float:
    """The logarithm of a fraction whose parts may be beyond the range of floats."""
    return math.log2(number.numerator) - math.log2(number.denominator)


def main() -> None:
    """Print the measured orders as a table."""
    from tabulate import tabulate

    rows = []
    for quantity in quantities():
        found = measure(quantity)
        first, last = quantity.values[0], quantity.values[-1]
        slopes = " ".join(f"{slope:.3f}" for slope in found.slopes[-3:]) or "0 throughout"
        claimed = "" if quantity.claimed is None else str(quantity.claimed)
        over = f"{quantity.symbol} = {first} … {last}"
        rows.append([quantity.row, quantity.name, over, claimed, slopes])
    headers = ["row", "quantity", "over", "claimed", "last slopes"]
    print(tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True))


if __name__ == "__main__":
    main()

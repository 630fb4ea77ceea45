"""What has to hold of the sizes for a program's whole numbers to fit their type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..statement.cases import Case, cases_of
from ..statement.ends import ends_of
from ..statement.nodes import Node
from ..statement.order import largest, nonnegative
from ..statement.statement import Fit
from ..statement.whole import Number, Size, Whole, parts, whole

LIMIT = 2**31 - 1
"""The greatest size that is looked at, and the greatest whole number of 32 bits, in which JAX counts."""


def to_fit(
    node: Node, low: int, high: int, place: str, known: Iterable[Number] = ()
) -> list[Fit] | None:
    """The conditions for entries to lie from `low` to `high`; none where it is seen, None where inputs decide.

    Args:
        node: whole numbers.
        low: the least that the type holds.
        high: the greatest.
        place: the type, and the operation, in words.
        known: numbers that are ≥ 0 besides.
    """
    found: list[Case] | None = cases_of(node)
    if found is None:
        ends = ends_of(node)
        if not all(isinstance(end, int | Whole) for end in ends):
            return None
        found = [(frozenset(), end) for end in ends]
    fits: dict[Fit, None] = {}
    for guards, entry in found:
        given = guards | small_sizes((entry, *guards, *node.shape)) | set(known)
        for side, most in ((entry, high), (-entry, -low)):
            if not nonnegative(most - side, node.shape, given):
                fits.setdefault(Fit(largest(side, node.shape), most, place))
    return [one for one in fits if at_limit(one.number) > one.most]


def at_limit(number: Number) -> int:
    """What a number of sizes is no greater than where these are no greater than `LIMIT`."""
    return sum(c * LIMIT ** len(m) for m, c in parts(number) if c > 0 or not m)


def small_sizes(numbers: Sequence[Number]) -> frozenset[Number]:
    """That all sizes which numbers speak of are no greater than `LIMIT`, as numbers ≥ 0."""
    waiting = [s for n in numbers if isinstance(n, Whole) for s in n.symbols]
    found: set[Number] = set()
    seen = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Size):
            found.add(LIMIT - whole(one))
        for end in (getattr(one, "low", 0), getattr(one, "high", 0)):
            waiting += end.symbols if isinstance(end, Whole) else []
    return frozenset(found)

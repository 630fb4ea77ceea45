"""Comparisons, selections, extremes and rounding entry by entry, made of the functions that `Map` has.

max(a, b) is b + relu(a − b), |z| is 2 relu(z) − z, [a > b] is step(a − b). Of whole numbers that sizes and positions
determine, a comparison is 1 where their gap is ≥ 0: the indicator of a range.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from . import making, nodes, rows
from .cases import cases_of
from .conditions import is_whole
from .ends import ends_of, is_above_zero, not_below
from .making import constant, entrywise, full, number
from .masks import factors_of, is_mask
from .nodes import Node
from .order import nonnegative

ZERO, ONE = number(0), number(1)


def add(a: Node, b: Node) -> Node:
    """a + b."""
    return entrywise("add", a, b)


def subtract(a: Node, b: Node) -> Node:
    """a − b."""
    return full(ZERO, making.broadcast(a.shape, b.shape)) if a is b else entrywise("subtract", a, b)


def multiply(a: Node, b: Node) -> Node:
    """a · b, which is 0 where a factor is 0 everywhere."""
    if 0 in (constant(a), constant(b)):
        return full(ZERO, making.broadcast(a.shape, b.shape))
    return entrywise("multiply", a, b)


def divide(a: Node, b: Node) -> Node:
    """a / b."""
    return entrywise("divide", a, b)


def negative(a: Node) -> Node:
    """−a."""
    return entrywise("negative", a)


def raised(a: Node, exponent: int) -> Node:
    """a to a whole power; 1 / a^n for one below 0."""
    if exponent < 0:
        return divide(full(ONE, a.shape), raised(a, -exponent))
    if exponent == 0:
        return full(ONE, a.shape)
    return a if exponent == 1 else entrywise("power", a, number(exponent))


def inverse(mask: Node) -> Node:
    """1 where a mask is 0, and 0 where it is 1."""
    match mask:
        case nodes.Map(function="subtract", arguments=(one, other)) if constant(one) == 1:
            if other.shape == mask.shape:
                return other
    return _folded(subtract(ONE, mask))


def complement(mask: Node) -> Node | None:
    """Where a mask that says of whole numbers that they are ≥ 0 is 0, as such a mask; None of another one."""
    match mask:
        case nodes.Take(guards=guards) if len(guards) == 1 and constant(mask.of) == 1:
            (guard,) = guards
            return making.take(ONE, (), mask.lengths, [-guard - 1])
        case nodes.Map(function="nonnegative", arguments=(gap,)) if is_whole(gap):
            return at_least(subtract(negative(gap), ONE))
    return None


def both(a: Node, b: Node) -> Node:
    """1 where two masks are 1."""
    ours, theirs = factors_of(a), factors_of(b)
    against = [(ours, one) for one in theirs] + [(theirs, one) for one in ours]
    if any(factors_of(inverse(one)) <= masks for masks, one in against):
        return full(ZERO, making.broadcast(a.shape, b.shape))
    if theirs <= ours and a.shape == making.broadcast(a.shape, b.shape):
        return a
    return multiply(a, b)


def either(a: Node, b: Node) -> Node:
    """1 where one of two masks is 1."""
    return inverse(both(inverse(a), inverse(b)))


def unlike(a: Node, b: Node) -> Node:
    """1 where one of two masks is 1 and the other is not."""
    return add(both(a, inverse(b)), both(inverse(a), b))


def at_least(gap: Node) -> Node:
    """1 where a number is ≥ 0, else 0."""
    if making.entry_of(gap) is not None:
        return _indicator(gap)
    if not_below(ends_of(gap)[0], 0):
        return full(ONE, gap.shape)
    if (found := rows.compared(gap)) is not None:
        return found
    return _of_mask(gap, lambda value: value >= 0) or inverse(above(negative(gap)))


def above(gap: Node) -> Node:
    """1 where a number is > 0, else 0."""
    if making.entry_of(gap) is not None:
        return _indicator(subtract(gap, ONE))
    if not_below(0, ends_of(gap)[1]):
        return full(ZERO, gap.shape)
    if is_above_zero(gap):
        return full(ONE, gap.shape)
    if (found := rows.compared(gap, 1)) is not None:
        return found
    return _folded(_of_mask(gap, lambda value: value > 0) or entrywise("step", gap))


def vanishing(gap: Node) -> Node:
    """1 where a number is 0, else 0."""
    if making.entry_of(gap) is not None:
        return both(_indicator(gap), _indicator(negative(gap)))
    low, high = ends_of(gap)
    if not_below(low, 1) or not_below(-1, high) or is_above_zero(gap):
        return full(ZERO, gap.shape)
    if (found := rows.compared(gap, equal=True)) is not None:
        return found
    return _folded(_of_mask(gap, lambda value: value == 0) or entrywise("zero", gap))


def truth(a: Node) -> Node:
    """1 where a number is not 0, else 0."""
    return inverse(vanishing(a))


def _of_mask(gap: Node, holds: Callable[[Any], bool]) -> Node | None:
    """Where a mask, less a number, or a number less it, holds: the mask, its inverse, or a number; else None."""
    mask, least, scale = gap, 0, 1
    if isinstance(gap, nodes.Map) and gap.function == "subtract" and not is_mask(gap):
        one, other = gap.arguments
        if isinstance(constant(other), int | Fraction):
            mask, least = one, -constant(other)
        elif isinstance(constant(one), int | Fraction):
            mask, least, scale = other, constant(one), -1
    if not is_mask(mask):
        return None
    off, on = holds(least), holds(least + scale)
    if off == on:
        return full(number(int(on)), gap.shape)
    return making.spread(mask if on else inverse(mask), gap.shape)


def _indicator(gap: Node) -> Node:
    """1 where whole numbers that sizes and positions determine are ≥ 0; a number where that is seen."""
    entry = making.entry_of(gap)
    assert entry is not None
    if nonnegative(entry, gap.shape):
        return full(ONE, gap.shape)
    if nonnegative(-entry - 1, gap.shape):
        return full(ZERO, gap.shape)
    return entrywise("nonnegative", gap)


def _folded(node: Node) -> Node:
    """A number in the place of an array whose entries are all seen to be that one."""
    found = cases_of(node)
    if found is not None and len({entry for _, entry in found}) == 1 and found[0][1] in (0, 1):
        return full(number(found[0][1]), node.shape)
    return node


COMPARED: dict[str, Callable[[Node, Node], Node]] = {
    "lt": lambda a, b: above(subtract(b, a)),
    "le": lambda a, b: at_least(subtract(b, a)),
    "gt": lambda a, b: above(subtract(a, b)),
    "ge": lambda a, b: at_least(subtract(a, b)),
    "eq": lambda a, b: vanishing(subtract(a, b)),
    "ne": lambda a, b: truth(subtract(a, b)),
}
"""Comparisons of two numbers, 1 or 0."""


def select(mask: Node, on: Node, off: Node) -> Node:
    """`on` where a mask is 1, `off` where it is 0."""
    shape = making.broadcast(mask.shape, on.shape, off.shape)
    known = constant(mask)
    if known in (0, 1):
        return making.spread(on if known else off, shape)
    if on is off:
        return making.spread(on, shape)
    kept, other = multiply(mask, on), multiply(inverse(mask), off)
    if constant(on) == 0:
        return making.spread(other, shape)
    return making.spread(kept if constant(off) == 0 else add(kept, other), shape)


def greater(a: Node, b: Node) -> Node:
    """The greater of two numbers."""
    return _extreme(a, b, lambda: add(b, _relu(subtract(a, b))), 1)


def smaller(a: Node, b: Node) -> Node:
    """The smaller of two numbers."""
    return _extreme(a, b, lambda: subtract(a, _relu(subtract(a, b))), -1)


def _extreme(a: Node, b: Node, otherwise: Callable[[], Node], sign: int) -> Node:
    """The side that is seen to be the greater one (−1: the smaller one), where it is."""
    shape = making.broadcast(a.shape, b.shape)
    if is_mask(a) and is_mask(b):
        return making.spread(either(a, b) if sign > 0 else both(a, b), shape)
    gap = subtract(a, b)
    entry = making.entry_of(gap)
    if entry is not None and nonnegative(entry * sign, shape):
        return making.spread(a, shape)
    if entry is not None and nonnegative(-entry * sign, shape):
        return making.spread(b, shape)
    for one, other in ((a, b), (b, a)):
        if not_below(ends_of(one)[0], ends_of(other)[1]):
            return making.spread(one if sign > 0 else other, shape)
    return otherwise()


def _relu(a: Node) -> Node:
    return entrywise("relu", a)


def absolute(a: Node) -> Node:
    """The absolute value, by a maximum, which has the laws."""
    return greater(a, negative(a)) if making.entry_of(a) is not None else _absolute(a)


def _absolute(a: Node) -> Node:
    return subtract(multiply(number(2), _relu(a)), a)


def sign(a: Node) -> Node:
    """1 where a number is > 0, −1 where it is < 0, and else 0."""
    return subtract(above(a), above(negative(a)))


def floored(a: Node) -> Node:
    """The greatest whole number that is not above; of a place or a size over a number the row that it lies in."""
    if is_whole(a):
        return a
    row = _row(a, 1)
    return entrywise("floor", a) if row is None else row


def ceiled(a: Node) -> Node:
    """The least whole number that is not below."""
    if is_whole(a):
        return a
    row = _row(a, -1)
    return entrywise("ceil", a) if row is None else negative(row)


def _row(a: Node, sign: int) -> Node | None:
    """The greatest whole number that is not above a, or −a, where a is a place or a size over a number."""
    match a:
        case nodes.Map("divide", (of, by)) if isinstance(n := constant(by), int) and n > 0:
            entry = making.entry_of(making.spread(of, a.shape))
            return None if entry is None else rows.row_of(entry * sign, n, a.shape)
    return None


def truncated(a: Node) -> Node:
    """The whole part, towards 0."""
    if is_whole(a):
        return a
    if isinstance(value := constant(a), Fraction):
        return making.full(number(int(value)), a.shape)
    if not_below(ends_of(a)[0], 0):
        return floored(a)
    return subtract(floored(_relu(a)), floored(_relu(negative(a))))


def nearest(a: Node, even: bool) -> Node:
    """The nearest whole number; of two the even one, or the one away from 0."""
    half = number(Fraction(1, 2))
    if not even:
        return multiply(sign(a), floored(add(absolute(a), half)))
    up = floored(add(a, half))
    tie = entrywise("zero", subtract(up, add(a, half)))
    odd = subtract(up, multiply(number(2), floored(divide(up, number(2)))))
    return subtract(up, multiply(tie, odd))

"""What frameworks compute entry by entry, as nodes: comparisons, selections, extremes, powers, roundings.

Truths are arrays of 0 and 1. Where whole numbers that are compared are determined by positions and sizes alone, a truth
is a guard: a proof follows it. Elsewhere it is `step` or `zero` of a difference.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..interpret.programs.literals import Meant, meant
from ..statement import making, nodes
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.whole import Whole

ZERO, ONE, TWO = making.number(0), making.number(1), making.number(2)


def plus(one: Node, other: Node) -> Node:
    """one + other."""
    return making.entrywise("add", one, other)


def minus(one: Node, other: Node) -> Node:
    """one − other."""
    return making.entrywise("subtract", one, other)


def times(one: Node, other: Node) -> Node:
    """one · other, where a factor that is 0 everywhere, or a guard, is seen."""
    for mask, rest in ((one, other), (other, one)):
        shape = making.broadcast(one.shape, other.shape)
        if making.constant(mask) == 0:
            return making.full(ZERO, shape)
        if is_guard(mask) and making.constant(rest) is None:
            return _guarded(making.spread(rest, shape), making.spread(mask, shape))
    return making.entrywise("multiply", one, other)


def over(one: Node, other: Node) -> Node:
    """one / other."""
    left, right = making.constant(one), making.constant(other)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction) and right:
        shape = making.broadcast(one.shape, other.shape)
        return making.full(making.number(Fraction(left) / right), shape)
    return making.entrywise("divide", one, other)


def negative(one: Node) -> Node:
    """−one."""
    return making.entrywise("negative", one)


def of(function: str, one: Node) -> Node:
    """A function of `nodes.FUNCTIONS` with one operand."""
    return making.entrywise(function, one)


def is_guard(node: Node) -> bool:
    """Whether a node is 1 where guards hold and 0 elsewhere."""
    return isinstance(node, nodes.Take) and bool(node.guards) and node.of is ONE


def _guarded(node: Node, mask: Node) -> Node:
    assert isinstance(mask, nodes.Take)
    return making.take(node, making.places_of(node.shape), node.shape, mask.guards)


def where_nonnegative(number: Any, shape: nodes.Shape) -> Node:
    """1 where a whole number of the array's positions is ≥ 0."""
    if nonnegative(number, shape):
        return making.full(ONE, shape)
    if nonnegative(-number - 1, shape):
        return making.full(ZERO, shape)
    return making.take(ONE, (), shape, [number])


def opposite(truth: Node) -> Node:
    """Not."""
    value = making.constant(truth)
    if value in (0, 1):
        return making.full(making.number(1 - value), truth.shape)
    if is_guard(truth):
        (guard, *others) = truth.guards  # type: ignore[attr-defined]
        if not others:
            return where_nonnegative(-guard - 1, truth.shape)
    match truth:
        case nodes.Map(function="subtract", arguments=(one, other)) if making.constant(one) == 1:
            return making.spread(other, truth.shape)
    return minus(ONE, truth)


def both(one: Node, other: Node) -> Node:
    """And."""
    return times(one, other)


def either(one: Node, other: Node) -> Node:
    """Or."""
    return opposite(both(opposite(one), opposite(other)))


def above(one: Node, other: Node) -> Node:
    """one > other."""
    gap = making.entrywise("subtract", one, other)
    number = making.entry_of(gap)
    if number is not None:
        return where_nonnegative(number - 1, gap.shape)
    found = _of_masks(one, other, lambda a, b: a > b)
    return found or _of_number(gap, lambda value: value > 0) or of("step", gap)


def equal(one: Node, other: Node) -> Node:
    """one = other."""
    gap = making.entrywise("subtract", one, other)
    number = making.entry_of(gap)
    if number is not None:
        return both(where_nonnegative(number, gap.shape), where_nonnegative(-number, gap.shape))
    found = _of_masks(one, other, lambda a, b: a == b)
    return found or _of_number(gap, lambda value: value == 0) or of("zero", gap)


def _of_masks(one: Node, other: Node, holds: Any) -> Node | None:
    """The comparison of an array of 0 and 1 with a number: one of that array; None for others."""
    value, shape = as_number(other), making.broadcast(one.shape, other.shape)
    if value is None:
        value = as_number(one)
        if value is None or not making.is_mask(other):
            return None
        one, ends = other, (holds(value, 0), holds(value, 1))
    elif making.is_mask(one):
        ends = holds(0, value), holds(1, value)
    else:
        return None
    if ends[0] == ends[1]:
        return making.full(making.number(int(ends[0])), shape)
    return making.spread(one if ends[1] else opposite(one), shape)


def _of_number(gap: Node, holds: Any) -> Node | None:
    """The truth of a comparison of numbers; None where they are not numbers."""
    value = as_number(gap)
    return None if value is None else making.full(making.number(int(holds(value))), gap.shape)


def as_number(node: Node) -> int | Fraction | None:
    """The number that every entry is, where a few operations on numbers say so."""
    value = making.constant(node)
    if value is None and isinstance(node, nodes.Map):
        parts = [as_number(one) for one in node.arguments]
        if None not in parts and node.function in NUMBERS:
            return NUMBERS[node.function](*parts)
    return value if isinstance(value, int | Fraction) else None


NUMBERS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negative": lambda a: -a,
}


def selected(truth: Node, one: Node, other: Node) -> Node:
    """`one` where the truth is 1, `other` where it is 0; both have a value everywhere."""
    shape = making.broadcast(truth.shape, one.shape, other.shape)
    value = making.constant(truth)
    if value in (0, 1):
        return making.spread(one if value else other, shape)
    if one is other:
        return making.spread(one, shape)
    left, right = times(truth, one), times(opposite(truth), other)
    if making.constant(right) == 0:
        return making.spread(left, shape)
    if making.constant(left) == 0:
        return making.spread(right, shape)
    return making.spread(plus(left, right), shape)


def truth_of(one: Node) -> Node:
    """Whether an entry is not 0, as NumPy reads numbers as truths."""
    return one if making.is_mask(one) else opposite(equal(one, ZERO))


def maximum(one: Node, other: Node) -> Node:
    """The greater of two."""
    gap = making.entrywise("subtract", one, other)
    number = making.entry_of(gap)
    if number is not None and nonnegative(number, gap.shape):
        return making.spread(one, gap.shape)
    if number is not None and nonnegative(-number, gap.shape):
        return making.spread(other, gap.shape)
    return plus(other, of("relu", gap))


def minimum(one: Node, other: Node) -> Node:
    """The lesser of two."""
    return minus(plus(one, other), maximum(one, other))


def sign(one: Node) -> Node:
    """−1, 0 or 1."""
    return minus(above(one, ZERO), above(ZERO, one))


def truncated(one: Node) -> Node:
    """The whole number next to it towards 0."""
    return times(sign(one), of("floor", of("abs", one)))


def rounded(one: Node) -> Node:
    """The nearest whole number, of two such the even one."""
    half = making.number(Fraction(1, 2))
    near = of("floor", plus(one, half))
    odd = minus(near, times(TWO, of("floor", over(near, TWO))))
    tie = equal(minus(near, one), half)
    return minus(near, times(tie, odd))


def remainder(one: Node, other: Node) -> Node:
    """What is left of a division whose quotient is rounded down; of the sign of `other`."""
    return minus(one, times(other, of("floor", over(one, other))))


def power(base: Node, exponent: Node, refuse: Any) -> Node:
    """base^exponent: products, roots, or exp(exponent · log base), which asks for bases above 0.

    Args:
        refuse: makes the error to raise, of a text.
    """
    number = making.constant(exponent)
    if isinstance(number, Fraction) or (isinstance(number, int) and number < 0):
        if number < 0:
            return over(ONE, power(base, negative(exponent), refuse))
        if number.denominator == 2:  # type: ignore[union-attr]
            return _to(of("sqrt", base), making.number(number.numerator))  # type: ignore[union-attr]
        return of("exp", times(exponent, of("log", base)))
    entry = making.entry_of(exponent)
    if entry is not None:
        if nonnegative(entry, exponent.shape):
            return _to(base, exponent)
        if nonnegative(-entry, exponent.shape):
            return over(ONE, _to(base, negative(exponent)))
    if as_number(base) is not None and as_number(base) <= 0:  # type: ignore[operator]
        raise refuse("a power of a number ≤ 0 whose exponent is not a whole number at all sizes")
    return of("exp", times(exponent, of("log", base)))


def _to(base: Node, exponent: Node) -> Node:
    if making.constant(exponent) == 1:
        return base
    if making.constant(exponent) == 0:
        return making.full(ONE, making.broadcast(base.shape, exponent.shape))
    if making.constant(exponent) is not None and exponent.shape == ():
        return nodes.Map("power", (base, exponent), base.shape)
    if isinstance(exponent, nodes.Take) and making.constant(exponent) is not None:
        return nodes.Map("power", (base, exponent.of), making.broadcast(base.shape, exponent.shape))
    return making.entrywise("power", base, exponent)


def sigmoid(one: Node) -> Node:
    """1 / (1 + exp(−x))."""
    return over(ONE, plus(ONE, of("exp", negative(one))))


def literal(value: float, form: str = "float64") -> tuple[Node, Meant]:
    """The number that a finite float of a program means, and what it was taken for (`literals.meant`)."""
    found = meant(value, form)
    if found.root or found.log:
        node = of("log" if found.log else "sqrt", making.number(found.number))
        return (negative(node) if found.sign < 0 else node), found
    return making.number(found.number), found


def whole_of(node: Node) -> int | Whole | None:
    """The whole number that a number is, in sizes and positions of binders; None where it is another."""
    return making.entry_of(node) if not node.shape else None

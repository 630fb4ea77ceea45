"""Functions of one number by their usual names, and powers, made of the functions that `Map` has."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from . import choices, making, nodes
from .cases import cases_of
from .choices import add, divide, multiply, negative, subtract
from .errors import IllFormed
from .making import constant, entrywise, full, number
from .nodes import Node
from .order import excluded, largest, nonnegative
from .whole import Axis, Number, substituted, whole

ONE, TWO, HALF = number(1), number(2), number(Fraction(1, 2))

exp = partial(entrywise, "exp")
log = partial(entrywise, "log")
PI = multiply(number(4), entrywise("atan", ONE))
"""π, as 4 atan(1)."""


def multiple_of_pi(of: Fraction, power: int) -> Node:
    """A number times a power of π."""
    factor = reduce(multiply, [PI] * abs(power))
    return multiply(number(of), factor) if power > 0 else divide(number(of), factor)


def inverse_of(a: Node) -> Node:
    """1 / a."""
    return divide(full(ONE, a.shape), a)


def sigmoid(a: Node) -> Node:
    """1 / (1 + exp(−a))."""
    return inverse_of(add(ONE, exp(negative(a))))


ROOTS_APART = {"multiply": multiply, "divide": divide}


def root(a: Node) -> Node:
    """The square root: of a square of a fraction the fraction, of a multiple of π or 1/π a multiple of √π or 1/√π."""
    value = constant(a)
    if isinstance(a, nodes.Map) and a.arguments[1:] == (PI,):
        factor = constant(a.arguments[0])
        if isinstance(factor, int | Fraction) and factor > 0 and a.function in ROOTS_APART:
            apart = full(root(number(factor)), a.shape)
            return ROOTS_APART[a.function](apart, entrywise("sqrt", PI))
    if isinstance(value, int | Fraction) and value >= 0:
        found = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if found * found == value:
            return full(number(found), a.shape)
    return entrywise("sqrt", a)


def angle(y: Node, x: Node, note: Callable[[str], None]) -> Node:
    """The angle of the point (x, y), in (−π, π], and 0 at (0, 0).

    Args:
        note: takes for granted, in words, what asks more than the angle does.
    """
    note("atan2 is of zeros without a sign")
    flat, behind = choices.vanishing(y), choices.above(negative(x))
    length = root(add(multiply(x, x), multiply(y, y)))
    above = choices.select(behind, subtract(length, x), y)
    below = choices.select(flat, ONE, choices.select(behind, y, add(length, x)))
    straight = multiply(behind, PI)
    return choices.select(flat, straight, multiply(TWO, entrywise("atan", divide(above, below))))


def _hyperbolic(sign: Callable[[Node, Node], Node]) -> Callable[[Node], Node]:
    return lambda a: multiply(HALF, sign(exp(a), exp(negative(a))))


def _cube_root(a: Node) -> Node:
    """exp(log|a| / 3) with the sign of a, for a ≠ 0."""
    third = number(Fraction(1, 3))
    return multiply(choices.sign(a), exp(multiply(third, log(choices.absolute(a)))))


PLAIN = (
    *("exp", "log", "sin", "cos", "asin", "acos", "atan", "asinh", "acosh", "atanh"),
    *("tanh", "erf"),
)
OF_ONE: dict[str, Callable[[Node], Node]] = {
    **{name: partial(entrywise, name) for name in PLAIN},
    "exp2": lambda a: exp(multiply(log(TWO), a)),
    "expm1": lambda a: subtract(exp(a), ONE),
    "log2": lambda a: divide(log(a), log(TWO)),
    "log1p": lambda a: log(add(ONE, a)),
    "sqrt": root,
    "rsqrt": lambda a: inverse_of(root(a)),
    "sigmoid": sigmoid,
    "cbrt": _cube_root,
    "tan": lambda a: divide(entrywise("sin", a), entrywise("cos", a)),
    "sinh": _hyperbolic(subtract),
    "cosh": _hyperbolic(add),
    "erfc": lambda a: subtract(ONE, entrywise("erf", a)),
    "floor": choices.floored,
    "ceil": choices.ceiled,
    "abs": choices.absolute,
    "sign": choices.sign,
}
"""Functions of one number."""


ROOTS = (1, 2, 4, 8)
"""By how many roots, one of another, a power of this denominator is."""


def power(base: Node, exponent: Node, note: Callable[[str], None]) -> Node:
    """A power: products and roots where the exponent is a number, or sizes and positions determine it.

    Args:
        note: takes for granted, in words, what asks more than the power does.

    Raises:
        IllFormed: if whole exponents are not seen to be bounded, or others are of a number ≤ 0.
    """
    shape = making.broadcast(base.shape, exponent.shape)
    known = constant(exponent)
    if isinstance(known, int | Fraction) and known.denominator in ROOTS:
        of = base
        for _ in range(ROOTS.index(known.denominator)):
            of = root(of)
        return making.spread(choices.raised(of, known.numerator), shape)
    found = cases_of(exponent)
    if found is None:
        value = constant(base)
        if isinstance(value, int | Fraction) and value <= 0:
            raise IllFormed(
                "a power of a number ≤ 0 whose exponent is not a whole number at all sizes"
            )
        note("powers with real exponents are of numbers > 0")
        return exp(multiply(exponent, log(base)))
    if len(found) == 1 and not found[0][0] and nonnegative(found[0][1], exponent.shape):
        return entrywise("power", base, exponent)
    return _powers(base, making.spread(exponent, shape), note)


def outgrows(base: Node, exponent: Node, most: int) -> bool:
    """Whether powers of a whole number, to exponents that sizes determine, are not seen to be at most so great."""
    value, place = constant(base), making.entry_of(exponent)
    if not isinstance(value, int | Fraction) or abs(value) < 2 or place is None:
        return False
    end = largest(place, exponent.shape)
    return not isinstance(end, int) or end > most.bit_length() or abs(value) ** max(end, 0) > most


def _powers(base: Node, exponent: Node, note: Callable[[str], None]) -> Node:
    """base^e for e of either sign: entries of the powers 0, 1, … of the base, and of those of its inverse."""
    shape = exponent.shape
    found = cases_of(exponent)
    assert found is not None
    total: Node | None = None
    for guards, e in found:
        for sign in (1, -1):
            place = e * sign
            where = guards | {place if sign > 0 else place - 1}
            if excluded(where, shape):
                continue
            where = {g for g in where if not nonnegative(g, shape)}
            every = nodes.Positions(_greatest(place, shape) + 1)
            powers = entrywise("power", making.expanded(base, len(base.shape)), every)
            if sign < 0:
                note("where the exponent of a power is negative, its base is not 0")
                powers = inverse_of(powers)
            lacking = len(shape) - len(base.shape)
            places = [0 if n == 1 else whole(Axis(lacking + k)) for k, n in enumerate(base.shape)]
            part = making.take(powers, [*places, place], shape, where)
            total = part if total is None else add(total, part)
    return full(ONE, shape) if total is None else total


def _greatest(place: Any, shape: nodes.Shape) -> Number:
    """A whole number that no entry is above, −1 at least.

    Raises:
        IllFormed: if none is seen.
    """
    for k, length in enumerate(shape):
        every = (substituted(place, {Axis(k): end}) for end in (length - 1, 0))
        place = next((end for end in every if nonnegative(end - place, shape)), None)
        if place is None:
            break
    if place is None or not nonnegative(place + 1):
        raise IllFormed("a power whose exponents are not seen to be bounded")
    return place

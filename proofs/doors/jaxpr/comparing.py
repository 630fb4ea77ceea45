"""Comparisons, selections and extremes entry by entry, and what they make of ±∞ and NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...statement import choices, making
from ...statement.cases import cases_of
from ...statement.choices import both, inverse, subtract
from ...statement.making import constant, full, number
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ..refused import Refused
from .lowering import Lowering, Rule, small_sizes
from .values import Value, is_nan, select, with_odd

ZERO = number(0)

OF_INFINITY = {math.inf: ("lt", "le", "ne"), -math.inf: ("gt", "ge", "ne")}
"""The comparisons that hold between any number and ±∞."""


def _compared(name: str) -> Rule:
    swapped = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}

    def rule(at: Lowering, a: Value, b: Value) -> Value:
        if a.odd is None and b.odd is None:
            return at.made(_decided(at, choices.COMPARED[name], a.node, b.node))
        if b.odd is None:
            return _with_odd(at, swapped[name], b, a)
        return _with_odd(at, name, a, b)

    return rule


def _with_odd(at: Lowering, name: str, a: Value, b: Value) -> Value:
    """A comparison where the right side may be infinite, or no number."""
    assert b.odd is not None
    if a.odd is not None:
        same = a.odd.number == b.odd.number
        if not same:
            raise Refused(f"a comparison of {a.odd.number} and {b.odd.number}")
    held = name == "ne" if is_nan(b.odd.number) else name in OF_INFINITY[b.odd.number]
    numbers = choices.COMPARED[name](a.node, b.node)
    against = full(number(int(held)), numbers.shape)
    if a.odd is None:
        return at.made(choices.select(b.odd.where, against, numbers))
    held = name == "ne" if is_nan(a.odd.number) else name in OF_INFINITY[-a.odd.number]
    alone = full(number(int(held)), numbers.shape)
    alike = full(number(int(name in ("le", "ge", "eq"))), numbers.shape)
    if is_nan(a.odd.number):
        alone = alike = full(number(int(name == "ne")), numbers.shape)
    infinite = choices.select(b.odd.where, alike, alone)
    return at.made(
        choices.select(a.odd.where, infinite, choices.select(b.odd.where, against, numbers))
    )


def _decided(at: Lowering, compare: Any, a: Node, b: Node) -> Node:
    """A comparison, decided where that is seen of sizes up to the greatest whole number of 32 bits."""
    found = compare(a, b)
    if cases_of(found) is None or constant(found) is not None:
        return found
    gap = making.entry_of(subtract(a, b))
    if gap is None:
        return found
    shape, given = found.shape, small_sizes((gap, *found.shape))
    signs = [nonnegative(gap - 1, shape, given), nonnegative(-gap - 1, shape, given)]
    if any(signs):
        at.note("sizes are no greater than 2³¹ − 1")
        return full(number(constant(compare(number(1 if signs[0] else -1), ZERO))), shape)
    return found


def _is_finite(at: Lowering, a: Value) -> Value:
    return at.made(inverse(a.where))


def _masks(of_masks: Callable[..., Node]) -> Rule:
    def rule(at: Lowering, *values: Value) -> Value:
        if any(one.kind != "b" for one in values):
            raise Refused("arithmetic of bits")
        return at.made(of_masks(*[one.node for one in values]))

    return rule


def _select_n(at: Lowering, which: Value, *cases: Value) -> Value:
    if len(cases) == 1:
        return cases[0]
    if which.kind == "b":
        off, on = (_unbounded(at, one) for one in cases)
        return replace(select(which.node, on, off), dtype=at.dtype())
    found = cases[-1]  # XLA moves a number outside to the nearest
    for k in reversed(range(len(cases) - 1)):
        found = select(choices.at_least(subtract(number(k), which.node)), cases[k], found)
    return found


FAR = -(10**8)
"""Numbers below it have an exponential that no format distinguishes from 0."""


def _unbounded(at: Lowering, case: Value) -> Value:
    """A number far below 0 as −∞, where that is what a mask means by it; it is said."""
    value = constant(case.node)
    if not at.masks or case.kind != "f" or case.odd is not None or value is None:
        return case
    if not isinstance(value, int | Fraction) or value > FAR:
        return case
    at.note(f"{float(value):.3g}, which a mask selects, is taken for −∞: exp of it is 0")
    return with_odd(case.node, case.dtype, -math.inf, full(number(1), case.shape))


def _extreme(largest: bool) -> Rule:
    pick = choices.greater if largest else choices.smaller
    least = -math.inf if largest else math.inf

    def rule(at: Lowering, a: Value, b: Value) -> Value:
        if a.kind == "b":
            return at.made((choices.either if largest else both)(a.node, b.node))
        return greater_of(at.dtype(), a, b, pick, least)

    return rule


def greater_of(dtype: Any, a: Value, b: Value, pick: Any, least: float) -> Value:
    """The greater of two numbers or −∞ (`least`), or the smaller of two or ∞.

    Raises:
        Refused: if one may be the other infinity, or no number.
    """
    if a.odd is None and b.odd is None:
        return Value(pick(a.node, b.node), dtype)
    for one, other in ((a, b), (b, a)):
        if one.odd is not None and one.odd.number == least and constant(one.odd.where) == 1:
            shape = making.broadcast(a.shape, b.shape)
            return with_odd(
                making.spread(other.node, shape),
                dtype,
                other.odd.number if other.odd else least,
                making.spread(other.where, shape),
            )
    numbers = pick(a.node, b.node)
    if {one.odd.number for one in (a, b) if one.odd is not None} == {-least}:
        return with_odd(numbers, dtype, -least, choices.either(a.where, b.where))
    if any(one.odd is not None and one.odd.number != least for one in (a, b)):
        raise Refused("the greater of −∞ and ∞, or of NaN")
    beside = choices.select(b.where, making.spread(a.node, numbers.shape), numbers)
    node = choices.select(a.where, making.spread(b.node, numbers.shape), beside)
    return with_odd(node, dtype, least, both(a.where, b.where))


def _clamp(at: Lowering, low: Value, a: Value, high: Value) -> Value:
    above = greater_of(at.dtype(), low, a, choices.greater, -math.inf)
    return greater_of(at.dtype(), above, high, choices.smaller, math.inf)


RULES: dict[str, Rule] = {
    **{name: _compared(name) for name in choices.COMPARED},
    "is_finite": _is_finite,
    "and": _masks(both),
    "or": _masks(choices.either),
    "xor": _masks(choices.unlike),
    "not": _masks(inverse),
    "select_n": _select_n,
    "max": _extreme(True),
    "min": _extreme(False),
    "clamp": _clamp,
}

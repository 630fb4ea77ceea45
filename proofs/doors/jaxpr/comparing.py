"""Comparisons, selections and extremes entry by entry."""

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
from ..fitting import small_sizes
from ..infinities import (
    Value,
    clamped,
    compared,
    greater_of,
    nothing_but,
    select,
    smaller_of,
)
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import kind_of

ZERO = number(0)


def _compared(name: str) -> Rule:
    def rule(at: Lowering, a: Value, b: Value) -> Value:
        if a.odd is None and b.odd is None:
            return at.made(_decided(at, choices.COMPARED[name], a.node, b.node))
        return at.made(compared(name, a, b))

    return rule


def _in_total_order(name: str) -> Rule:
    def rule(at: Lowering, a: Value, b: Value) -> Value:
        at.note("no zero has a sign")
        return _compared(name)(at, a, b)

    return rule


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
        if any(kind_of(one.dtype) != "b" for one in values):
            raise Refused("arithmetic of bits")
        return at.made(of_masks(*[one.node for one in values]))

    return rule


def _select_n(at: Lowering, which: Value, *cases: Value) -> Value:
    if len(cases) == 1:
        return cases[0]
    if kind_of(which.dtype) == "b":
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
    if not at.masks or kind_of(case.dtype) != "f" or case.odd is not None or value is None:
        return case
    if not isinstance(value, int | Fraction) or value > FAR:
        return case
    at.note(f"{float(value):.3g}, which a mask selects, is taken for −∞: exp of it is 0")
    return nothing_but(-math.inf, case.shape, case.dtype)


def _extreme(of_numbers: Callable[..., Value], of_masks: Callable[..., Node]) -> Rule:
    def rule(at: Lowering, a: Value, b: Value) -> Value:
        if kind_of(a.dtype) == "b":
            return at.made(of_masks(a.node, b.node))
        return of_numbers(at.dtype(), a, b)

    return rule


def _clamp(at: Lowering, low: Value, a: Value, high: Value) -> Value:
    return clamped(at.dtype(), low, a, high)


RULES: dict[str, Rule] = {
    **{name: _compared(name) for name in choices.COMPARED},
    "lt_to": _in_total_order("lt"),
    "le_to": _in_total_order("le"),
    "is_finite": _is_finite,
    "and": _masks(both),
    "or": _masks(choices.either),
    "xor": _masks(choices.unlike),
    "not": _masks(inverse),
    "select_n": _select_n,
    "max": _extreme(greater_of, choices.either),
    "min": _extreme(smaller_of, both),
    "clamp": _clamp,
}

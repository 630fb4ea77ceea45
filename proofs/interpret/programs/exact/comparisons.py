"""Comparisons of real numbers, where they are decided, and what is made of them: maxima, signs, whole parts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ....exact.entries import arranged, as_array
from ....exact.scalar import NotPolynomial, Undecided
from .computer import Computer, NoNumber, fractions, of_scalars

CONTRARY = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
"""What holds where a comparison does not."""


def decided(name: str, a: Any, b: Any) -> bool:
    """Whether a comparison of two numbers holds; balls that overlap are compared where they are one ball.

    Raises:
        Undecided: where enclosures do not tell.
    """
    if a is b:
        return name in ("le", "ge", "eq")
    if getattr(operator, name)(a, b):
        return True
    if (hasattr(a, "overlaps") or hasattr(b, "overlaps")) and not getattr(operator, CONTRARY[name])(
        a, b
    ):
        raise Undecided("a comparison that an enclosure does not decide")
    return False


def compare(name: str) -> Callable[..., Any]:
    """The rule of a comparison."""

    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if not (of_scalars(a) or of_scalars(b)):
            return np.asarray(getattr(operator, name)(a, b)).astype(bool)
        if name in ("eq", "ne") and a is b:  # whether it is a number
            held = [isinstance(x, NoNumber) and x.is_nan for x in a.flat]
            return (np.array(held, dtype=bool) ^ (name == "eq")).reshape(a.shape)
        left, right = np.broadcast_arrays(*(fractions(reader.computer, one) for one in (a, b)))
        held = [decided(name, *pair) for pair in zip(left.flat, right.flat, strict=True)]
        return np.array(held, dtype=bool).reshape(left.shape)

    return rule


def extreme(largest: bool) -> Callable[..., Any]:
    """The greater or smaller of two numbers."""

    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if not (of_scalars(a) or of_scalars(b)):
            return np.asarray((np.maximum if largest else np.minimum)(a, b))
        computer = reader.computer
        left, right = np.broadcast_arrays(*(fractions(computer, one) for one in (a, b)))
        pairs = zip(left.flat, right.flat, strict=True)
        found = (computer.as_scalar(greatest(pair, largest)) for pair in pairs)
        return arranged(found, left.shape)

    return rule


def greatest(numbers: Any, largest: bool = True) -> Any:
    """The greatest of numbers, or the smallest; of balls that overlap one that holds it."""
    first, *others = numbers
    for one in others:
        odd = isinstance(first, NoNumber) or isinstance(one, NoNumber)
        if not odd and hasattr(first, "overlaps"):
            first = getattr(first, "max" if largest else "min")(one)
        elif decided("lt", first, one) == largest:
            first = one
    return first


def running(largest: bool) -> Callable[..., Any]:
    """The greatest, or smallest, entry so far."""
    pick = extreme(largest)

    def rule(reader: Any, params: Any, a: Any) -> Any:
        return _along(params, a, lambda before, row: pick(reader, {}, before, row))

    return rule


def cumulative_logarithm(reader: Any, params: Any, a: Any) -> Any:
    """log of the sum of exp so far."""
    computer = reader.computer
    grown = computer.function("exp", a)
    summed = _along(params, grown, lambda x, y: computer.combined(np.add, x, y))
    return computer.function("log", summed)


def _along(params: Any, a: Any, take: Callable[[Any, Any], Any]) -> Any:
    rows = np.moveaxis(a, params["axis"], 0)
    order = range(len(rows))[::-1] if params["reverse"] else range(len(rows))
    out, before = np.empty(rows.shape, dtype=a.dtype), None
    for k in order:
        row = np.asarray(as_array(rows[k]) if a.dtype == object else rows[k])
        before = row if before is None else np.asarray(take(before, row))
        out[k] = before if before.ndim else before[()]
    return np.moveaxis(out, 0, params["axis"])


def sign(reader: Any, params: Any, a: Any) -> Any:
    """−1, 0 or 1."""
    if not of_scalars(a):
        return np.asarray(np.sign(a))

    def of(x: Any) -> Any:
        zero = x - x if hasattr(x, "overlaps") else Fraction(0)
        return int(decided("gt", x, zero)) - int(decided("lt", x, zero))

    computer = reader.computer
    return computer.map(lambda x: computer.field.number(of(x)), fractions(computer, a))


def is_finite(reader: Any, params: Any, a: Any) -> Any:
    """Whether it is a number."""
    if not of_scalars(a):
        return np.isfinite(a)
    held = [not isinstance(x, NoNumber) for x in a.flat]
    return np.array(held, dtype=bool).reshape(a.shape)


def whole(name: str) -> Callable[..., Any]:
    """The whole number below or above, or the nearest one."""
    of = {"floor": math.floor, "ceil": math.ceil, "round": round}[name]

    def rule(reader: Any, params: Any, a: Any) -> Any:
        computer: Computer = reader.computer
        if params.get("rounding_method") is not None and int(params["rounding_method"]) != 1:
            raise NotPolynomial("rounding of halves away from 0")

        def number(x: Any) -> Any:
            if isinstance(x, NoNumber):
                return x.refused()
            try:
                return computer.field.number(int(of(Fraction(str(x)))))
            except ValueError as error:  # an enclosure
                raise Undecided(name) from error

        return computer.map(number, fractions(computer, a))

    return rule


RULES: dict[str, Callable[..., Any]] = {
    **{name: compare(name) for name in CONTRARY},
    "max": extreme(True),
    "min": extreme(False),
    "sign": sign,
    "is_finite": is_finite,
    "cummax": running(True),
    "cummin": running(False),
    "cumlogsumexp": cumulative_logarithm,
    **{name: whole(name) for name in ("floor", "ceil", "round")},
}

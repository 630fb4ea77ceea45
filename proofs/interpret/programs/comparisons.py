"""Maxima, signs and comparisons of real numbers: by the greater of a number and 0, and by what is 1 or 0.

relu(z) is the greater of z and 0, step(z) is 1 where z > 0 and zero(z) where z = 0, and else 0. Then max(a, b) is
b + relu(a − b), min(a, b) is a − relu(a − b), |z| is 2 relu(z) − z, and [a ≥ b] is 1 − step(b − a). The laws of these
functions are the kernel's (`kernel.laws`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...kernel.index import Index, position
from ...kernel.laws import RELU
from ...kernel.term import STEP, ZERO, Term, as_term
from ..array import KernelArray, function
from ..questions import Unreadable
from ..recursions import run_recursion
from ..session import current
from ..simplifying import simplified
from ..terms import positions_in, taken
from .values import Mask, Masked, MinusInfinity, NoNumber, picked, reals


def greater(a: KernelArray, b: KernelArray) -> KernelArray:
    """The maximum of two numbers."""
    return b + function(RELU, a - b)


def smaller(a: KernelArray, b: KernelArray) -> KernelArray:
    """The minimum of two numbers."""
    return a - function(RELU, a - b)


def absolute(of: KernelArray) -> KernelArray:
    """The absolute value, by a maximum, which has the laws."""
    return 2 * function(RELU, of) - of


def sign(of: KernelArray) -> KernelArray:
    """1 where a number is > 0, −1 where it is < 0, and else 0."""
    return function(STEP, of) - function(STEP, -of)


def _is(name: str, gap: Term) -> Term:
    """Whether a number is > 0, or 0: 1 or 0."""
    current().functions.add(name)
    of = simplified(gap)
    return taken(name, of, positions_in(of))


COMPARED: dict[str, Callable[[Term], Term]] = {
    "lt": lambda gap: _is(STEP, gap * -1),
    "le": lambda gap: 1 + _is(STEP, gap) * -1,
    "gt": lambda gap: _is(STEP, gap),
    "ge": lambda gap: 1 + _is(STEP, gap * -1) * -1,
    "eq": lambda gap: _is(ZERO, gap),
    "ne": lambda gap: 1 + _is(ZERO, gap) * -1,
}
"""What a comparison of two real numbers is, by their difference."""

OF_INFINITY = {math.inf: ("lt", "le", "ne"), -math.inf: ("gt", "ge", "ne")}
"""The comparisons that hold between any number and ±∞."""


def with_infinity(name: str, a: Any, b: Any) -> Mask | None:
    """Numbers compared with ±∞, or with NaN; None if neither side is one."""
    for one, other, swapped in ((b, a, False), (a, b, True)):
        value = _infinite(one)
        if value is None:
            continue
        if _infinite(other) is not None or isinstance(other, Masked):
            raise Unreadable("a comparison of what may be −∞")
        number = -value if swapped else value  # x < ∞ is −∞ < −x
        held = name == "ne" if math.isnan(number) else name in OF_INFINITY[number]
        return Mask(tuple(reals(other).dims), lambda at, held=held: as_term(int(held)))
    return None


def _infinite(value: Any) -> float | None:
    if isinstance(value, MinusInfinity):
        return -math.inf
    return float(value.name) if isinstance(value, NoNumber) else None


def within(chosen: Mask, mask: Mask) -> bool:
    """Whether one mask is 1 only where another is."""
    at = [position("i", 0, d) for d in chosen.dims]
    return not simplified(chosen.at(at) * (1 + mask.at(at) * -1)).parts


def is_finite(reader: Any, params: Any, a: Any) -> Mask:
    """Every real number is; −∞ is not."""
    if isinstance(a, Masked):
        return a.mask
    held = int(_infinite(a) is None)
    return Mask(tuple(a.dims), lambda at: as_term(held))


def running(pick: Callable[[KernelArray, KernelArray], KernelArray]) -> Callable[..., Any]:
    """The greatest, or least, entry so far: a recursion that begins with the first, and takes it once more."""

    def rule(reader: Any, params: Any, a: Any) -> KernelArray:
        axis, array, backwards = params["axis"], reals(a), params["reverse"]
        length = array.dims[axis]
        dims = (*array.dims[:axis], *array.dims[axis + 1 :])

        def row(time: Index) -> KernelArray:
            here = length - 1 - time if backwards else time
            return picked(array, dims, lambda at: [*at[:axis], here, *at[axis:]])

        def at(time: Index, before: Any) -> tuple[Any, Any]:
            return (pick(before[0], row(time)),), ()

        (found,) = run_recursion(at, (row(Index(0)),), length, [array], rule).states

        def places(at: Any) -> list[Index]:
            here = length - 1 - at[axis] if backwards else at[axis]
            return [here, *at[:axis], *at[axis + 1 :]]

        return picked(found, tuple(array.dims), places)

    return rule

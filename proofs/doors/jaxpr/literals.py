"""Numbers in a program: a float stands for the decimal, fraction or root that it was most likely rounded from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ...statement import choices, making
from ...statement.nodes import Node, Positions
from ..infinities import Value, meant_by, moved, nothing_but
from ..meant import FORMATS, TABLE, Literal, Meant, meant, taken
from ..refused import Refused
from .equations import inner, place
from .values import Array, Complex

Note = Callable[[str], None]
ONE_OFF = Fraction(1, 2**52)
"""How far a float may be off by differences with 1 in Python, as in 1 - 0.95."""
DIGITS, FINEST = 6, Fraction(1, 2**20)
"""The most digits of a decimal that such a difference is taken for, and the least that it may be."""


def constant(value: Any, dtype: Any, note: Note) -> Array:
    """A number or array as a value.

    Raises:
        Refused: if it is a table of numbers, which is to be an argument.
    """
    array = np.asarray(value)
    dtype = array.dtype if dtype is None else dtype
    if array.dtype.kind == "c":
        half = np.dtype(f"float{array.dtype.itemsize * 4}")
        sides = (np.real(array), np.imag(array))
        return Complex(*(_constant(one, half, note) for one in sides))
    return _constant(array, dtype, note)


def _constant(array: np.ndarray, dtype: Any, note: Note) -> Value:
    if not array.size:
        return Value(making.full(making.number(0), array.shape), dtype)
    first = array.flat[0]
    if (array == first).all() or array.size == 1:
        one = _number(first, str(dtype), note)
        if not isinstance(one, Node):
            return nothing_but(one, array.shape, dtype)
        return Value(making.full(one, array.shape), dtype)
    if array.size > TABLE:
        raise Refused(
            f"an array of {array.size} numbers; pass it as an argument, so that it stands for any"
        )
    progression = _progression(array)
    if progression is not None:
        return Value(progression, dtype)
    rows = [_constant(row, dtype, note) for row in array]
    return moved(lambda *nodes: making.stacked(nodes), rows)


def _progression(array: np.ndarray) -> Node | None:
    """Whole numbers a, a + b, a + 2 b, … as such, so that sizes and positions determine them."""
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 2:
        return None
    steps = np.diff(array.astype(np.int64))
    if (steps != steps[0]).any():
        return None
    scaled = choices.multiply(Positions(len(array)), making.number(int(steps[0])))
    return choices.add(scaled, making.number(int(array[0])))


def _number(value: Any, dtype: str, note: Note) -> Node | float:
    """A node of shape (), or the float that no real number is."""
    if np.asarray(value).dtype.kind in "biu":
        return making.number(int(value))
    real = float(value)
    if not math.isfinite(real):
        return real
    given = meaning(real, dtype)
    if not given.is_exactly(real):
        note(taken(real, given))
    return meant_by(given)


def meaning(value: float, dtype: str) -> Meant:
    """What a float means; one that Python made by a difference with 1 is the decimal that it is next to."""
    found = meant(value, dtype)
    size = abs(Fraction(value))
    if found.understood or not FINEST <= size < 1:
        return found
    for digits in range(1, DIGITS + 1):
        near = Fraction(f"{value:.{digits - 1}e}")
        if abs(near - Fraction(value)) <= ONE_OFF:
            return Meant(near)
    return found


def is_table(array: np.ndarray) -> bool:
    """Whether an array has too many different numbers to have been written down, as trained weights have."""
    return array.size > TABLE and np.unique(array).size > TABLE


def literals(jaxpr: Any, side: str = "program") -> list[Literal]:
    """The numbers of a closed jaxpr and its inner programs that are not small binary fractions."""
    found: dict[Literal, None] = {}
    for value, dtype, where in _numbers(jaxpr):
        one = meaning(value, dtype)
        if not one.plain:
            found.setdefault(Literal(value, one, where, side))
    return list(found)


def _numbers(closed: Any) -> Iterator[tuple[float, str, str]]:
    """The floating-point numbers, each with its format and the user's line."""
    jaxpr = getattr(closed, "jaxpr", closed)
    for const in getattr(closed, "consts", ()):
        yield from ((x, dtype, "") for x, dtype in _entries(const))
    for equation in jaxpr.eqns:
        for atom in equation.invars:
            for x, dtype in _entries(getattr(atom, "val", None)):
                yield x, dtype, place(equation)
        for program in inner(equation):
            yield from _numbers(program)
    for atom in jaxpr.outvars:
        yield from ((x, dtype, "") for x, dtype in _entries(getattr(atom, "val", None)))


def _entries(value: Any) -> Iterator[tuple[float, str]]:
    """The finite entries of a floating-point array; those of a table are what they are."""
    array = np.asarray(value)
    if str(array.dtype) in FORMATS and not is_table(array):
        yield from ((x, str(array.dtype)) for x in map(float, array.flat) if math.isfinite(x))

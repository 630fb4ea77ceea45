"""What arrays of a program are: nodes with JAX's format, and where they are infinite or no number at all.

Rounding is not looked at: a floating-point number is a real one. Nodes have no infinities, so that where −∞ stands is
a mask beside them; a complex array is two real ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...statement import choices, making
from ...statement.cases import cases_of
from ...statement.making import constant, full, number
from ...statement.nodes import Node, Shape
from ..refused import Refused

ZERO, ONE = number(0), number(1)


class Odd(NamedTuple):
    """Entries that are no real numbers, all of them one: −∞, ∞ or NaN."""

    number: float
    where: Node
    """1 where they stand; the array's node has some number there, which nobody looks at."""


@dataclass(frozen=True)
class Value:
    """A real, whole or boolean array."""

    node: Node
    dtype: Any
    """A format of NumPy or of JAX (bfloat16), or of keys."""
    odd: Odd | None = None

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self.node.shape

    @property
    def kind(self) -> str:
        """f: real, i: whole, b: boolean."""
        return kind_of(self.dtype)

    @property
    def real(self) -> Node:
        """The node, of an array of numbers.

        Raises:
            Refused: if an entry may be infinite, or no number.
        """
        if self.odd is not None:
            raise Refused(f"arithmetic with {self.odd.number}, beside exp and comparisons")
        return self.node

    @property
    def where(self) -> Node:
        """1 where there is no number."""
        return full(ZERO, self.shape) if self.odd is None else self.odd.where


class Complex(NamedTuple):
    """A complex array."""

    real: Value
    imag: Value

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self.real.shape


Array: TypeAlias = Value | Complex


def kind_of(dtype: Any) -> str:
    """f, i, b or c; another letter of NumPy's for what is none of them."""
    kind = np.dtype(dtype).kind if not hasattr(dtype, "_rules") else "k"
    if kind == "V" or str(dtype).startswith(("bfloat", "float")):
        return "f"
    return "i" if kind == "u" else kind


def with_odd(node: Node, dtype: Any, number_: float, where: Node) -> Value:
    """A value that is no number where a mask is 1."""
    if constant(where) == 0:
        return Value(node, dtype)
    return Value(node, dtype, Odd(number_, where))


def common(values: Sequence[Value]) -> float:
    """Which number besides the real ones the arrays have; 0 for none.

    Raises:
        Refused: if they have several.
    """
    found = {str(one.odd.number): one.odd.number for one in values if one.odd is not None}
    if len(found) > 1:
        raise Refused(f"{' and '.join(found)} in one array")
    return next(iter(found.values()), 0.0)


def moved(move: Callable[..., Any], values: Sequence[Value]) -> Any:
    """What only moves entries, done to numbers and to where there are none.

    Args:
        move: from nodes to a node, or a list of them.
        values: all of one format.
    """
    found = move(*[one.node for one in values])
    number_ = common(values)
    if not number_:
        return _each(lambda node: replace(values[0], node=node, odd=None), found)
    where = move(*[one.where for one in values])
    dtype = values[0].dtype
    if isinstance(found, list):
        pairs = zip(found, where, strict=True)
        return [with_odd(one, dtype, number_, here) for one, here in pairs]
    return with_odd(found, dtype, number_, where)


def _each(make: Callable[[Node], Value], found: Any) -> Any:
    return [make(one) for one in found] if isinstance(found, list) else make(found)


def select(mask: Node, on: Value, off: Value) -> Value:
    """`on` where a mask is 1, `off` where it is 0."""
    known = constant(mask)
    if known in (0, 1):
        chosen = on if known else off
        shape = making.broadcast(mask.shape, on.shape, off.shape)
        return moved(lambda one: making.spread(one, shape), [chosen])
    kept = []
    for one, here in ((on, mask), (off, choices.inverse(mask))):
        inside = one.odd is not None and choices.both(here, one.odd.where)
        alive = inside is not False and constant(inside) != 0 and not _never(inside)
        kept.append(one if alive else replace(one, odd=None))
    number_ = common(kept)
    wheres = [one.where for one in kept]
    values = [full(ZERO, one.shape) if constant(one.where) == 1 else one.node for one in kept]
    node = choices.select(mask, values[0], values[1])
    return with_odd(node, on.dtype, number_, choices.select(mask, wheres[0], wheres[1]))


def _never(mask: Node) -> bool:
    """Whether a mask is seen to be 0 everywhere."""
    found = cases_of(mask)
    return found is not None and all(entry == 0 for _, entry in found)


def parts(values: Sequence[Array]) -> list[Value]:
    """Complex arrays as two real ones each."""
    return [one for v in values for one in (v if isinstance(v, Complex) else [v])]


def part_by_part(make: Callable[..., Any], *arrays: Any) -> Any:
    """What is made of real arrays, or of the real and the imaginary parts of complex ones."""
    if isinstance(arrays[0], Complex):
        return Complex(*(make(*of_both) for of_both in zip(*arrays, strict=True)))
    return make(*arrays)


def paired(values: Sequence[Any], like: Sequence[Array]) -> list[Any]:
    """The parts of complex arrays together again."""
    rest = iter(values)
    return [Complex(next(rest), next(rest)) if isinstance(v, Complex) else next(rest) for v in like]


def is_nan(number_: float) -> bool:
    """Whether it is NaN."""
    return math.isnan(number_)

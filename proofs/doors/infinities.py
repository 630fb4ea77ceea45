"""Numbers and arrays of a program: nodes with a format, and where they are infinite or no number at all.

Rounding is not looked at: a floating-point number is a real one. Nodes have no infinities, so that where −∞ stands is
a mask beside them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from ..statement import choices, functions, making, nodes
from ..statement.cases import cases_of
from ..statement.ends import is_above_zero
from ..statement.making import constant, full, number
from ..statement.nodes import Node, Shape
from .meant import Meant
from .refused import Refused

ZERO = number(0)


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
    """The framework's format."""
    odd: Odd | None = None

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self.node.shape

    @property
    def real(self) -> Node:
        """The node, of an array of numbers.

        Raises:
            Refused: if an entry may be infinite, or no number.
        """
        if self.odd is not None:
            raise Refused(f"arithmetic with {said(self.odd)}, beside exp and comparisons")
        return self.node

    @property
    def is_nan(self) -> bool:
        """Whether its entries that are no numbers are NaN."""
        return self.odd is not None and is_nan(self.odd.number)

    @property
    def where(self) -> Node:
        """1 where there is no number."""
        return full(ZERO, self.shape) if self.odd is None else self.odd.where


def said(odd: Odd) -> str:
    """−∞, ∞ or NaN."""
    return str(odd.number).replace("inf", "∞").replace("nan", "NaN").replace("-", "−")


def is_nan(number_: float) -> bool:
    """Whether it is NaN."""
    return math.isnan(number_)


def with_odd(node: Node, dtype: Any, number_: float, where: Node) -> Value:
    """A value that is no number where a mask is 1."""
    if constant(where) == 0:
        return Value(node, dtype)
    return Value(node, dtype, Odd(number_, making.spread(where, node.shape)))


def nothing_but(number_: float, shape: Shape, dtype: Any) -> Value:
    """An array of −∞, of ∞ or of NaN alone."""
    return with_odd(full(ZERO, shape), dtype, number_, full(number(1), shape))


def meant_by(found: Meant) -> Node:
    """The number that a float means, of what `meant.meant` says."""
    node = functions.multiple_of_pi(found.number, found.pi) if found.pi else number(found.number)
    if found.log:
        node = functions.log(node)
        share = Fraction(1, 2 * found.over if found.root else found.over)
        node = node if share == 1 else choices.multiply(number(share), node)
    elif found.root:
        node = functions.root(node)
    return node if found.sign > 0 or not (found.root or found.log) else choices.negative(node)


def common(values: Sequence[Value]) -> float:
    """Which number besides the real ones the arrays have; 0 for none.

    Raises:
        Refused: if they have several.
    """
    found = {said(one.odd): one.odd.number for one in values if one.odd is not None}
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
    if on.odd is not None and off.odd is None and (other := choices.complement(mask)) is not None:
        return replace(select(other, off, on), dtype=on.dtype)
    kept = []
    for one, here in ((on, mask), (off, choices.inverse(mask))):
        inside = one.odd is not None and choices.both(here, one.odd.where)
        alive = inside is not False and constant(inside) != 0 and not never(inside)
        kept.append(one if alive else replace(one, odd=None))
    number_ = common(kept)
    wheres = [one.where for one in kept]
    values = [full(ZERO, one.shape) if constant(one.where) == 1 else one.node for one in kept]
    node = choices.select(mask, values[0], values[1])
    return with_odd(node, on.dtype, number_, choices.select(mask, wheres[0], wheres[1]))


def never(mask: Node) -> bool:
    """Whether a mask is seen to be 0 everywhere."""
    found = cases_of(mask)
    return found is not None and all(entry == 0 for _, entry in found)


# Arithmetic.


def negated(dtype: Any, a: Value) -> Value:
    """−a."""
    odd = None if a.odd is None else Odd(-a.odd.number, a.odd.where)
    return Value(choices.negative(a.node), dtype, odd)


def total(dtype: Any, a: Value, b: Value) -> Value:
    """a + b; −∞ + −∞ is −∞."""
    node = choices.add(a.node, b.node)
    if a.odd and b.odd and said(a.odd) != said(b.odd):
        raise Refused(f"{said(a.odd)} + {said(b.odd)}")
    return with_odd(node, dtype, common([a, b]), choices.either(a.where, b.where))


def difference(dtype: Any, a: Value, b: Value) -> Value:
    """a − b."""
    if a.odd is None and b.odd is None:
        return Value(choices.subtract(a.node, b.node), dtype)
    return total(dtype, a, negated(dtype, b))


def product(dtype: Any, a: Value, b: Value) -> Value:
    """a · b; ±∞ only times what has a sign that is seen."""
    if a.odd is None and b.odd is None:
        return Value(choices.multiply(a.node, b.node), dtype)
    return _scaled(dtype, *((b, a) if a.odd is None else (a, b)), choices.multiply)


def quotient(dtype: Any, a: Value, b: Value) -> Value:
    """a / b; ±∞ only by what has a sign that is seen."""
    if a.odd is None:
        return Value(choices.divide(a.node, b.real), dtype)
    return _scaled(dtype, a, b, choices.divide)


def _scaled(dtype: Any, a: Value, by: Value, make: Callable[[Node, Node], Node]) -> Value:
    assert a.odd is not None
    sign = 0 if by.odd else _sign_of(by.node)
    if not sign:
        raise Refused(f"a product of {said(a.odd)} with what may be 0")
    return with_odd(make(a.node, by.node), dtype, sign * a.odd.number, a.odd.where)


def _sign_of(node: Node) -> int:
    """1 or −1 where every entry is seen to have this sign; 0 where none is seen."""
    value = _as_number(node)
    if value is not None:
        return (value > 0) - (value < 0)
    return int(is_above_zero(node))


def _as_number(node: Node) -> int | Fraction | None:
    """The number that every entry is, where a few operations on numbers say so."""
    value = constant(node)
    if value is None and isinstance(node, nodes.Map) and node.function in making.OF_ENTRIES:
        parts = [_as_number(one) for one in node.arguments]
        return None if None in parts else making.OF_ENTRIES[node.function](*parts)
    return value if isinstance(value, int | Fraction) else None


def of_real(function: str, dtype: Any, a: Value) -> Value:
    """A function of `functions.OF_ONE`.

    Raises:
        Refused: of −∞ or ∞, if it has no value there.
    """
    made = functions.OF_ONE[function](a.node)
    if a.odd is None:
        return Value(made, dtype)
    least, most = ENDS.get(function, (None, None))
    end = math.nan if is_nan(a.odd.number) else most if a.odd.number > 0 else least
    if end is None:
        raise Refused(f"{function} of {said(a.odd)}")
    if math.isfinite(end):
        value = full(number(Fraction(end)), a.shape)
        return Value(choices.select(a.odd.where, value, made), dtype)
    return with_odd(made, dtype, end, a.odd.where)


ENDS: dict[str, tuple[float | None, float | None]] = {
    **dict.fromkeys(("exp", "exp2"), (0.0, math.inf)),
    **dict.fromkeys(("log", "log1p", "log2", "sqrt"), (None, math.inf)),
    **dict.fromkeys(("sinh", "cbrt", "floor", "ceil"), (-math.inf, math.inf)),
    **dict.fromkeys(("tanh", "erf", "sign"), (-1.0, 1.0)),
    **dict.fromkeys(("cosh", "abs"), (math.inf, math.inf)),
    "expm1": (-1.0, math.inf),
    "rsqrt": (None, 0.0),
    "sigmoid": (0.0, 1.0),
    "erfc": (2.0, 0.0),
}
"""Values of functions at −∞ and at ∞, where they have some."""


# Comparisons and extremes.

ON_FLOATS: dict[str, Callable[[float, float], bool]] = {
    name: getattr(operator, name) for name in choices.COMPARED
}


def compared(name: str, a: Value, b: Value) -> Node:
    """A comparison of `choices.COMPARED`; of ±∞ or NaN and any number it is that with 0."""
    found = choices.COMPARED[name](a.node, b.node)

    def against(one: Odd | None, other: Odd | None) -> Node:
        sides = (0.0 if side is None else side.number for side in (one, other))
        return full(number(int(ON_FLOATS[name](*sides))), found.shape)

    if b.odd is not None:
        found = choices.select(b.odd.where, against(None, b.odd), found)
    if a.odd is None:
        return found
    alone = against(a.odd, None)
    if b.odd is not None:
        alone = choices.select(b.odd.where, against(a.odd, b.odd), alone)
    return choices.select(a.odd.where, alone, found)


def greater_of(dtype: Any, a: Value, b: Value) -> Value:
    """The greater of two.

    Raises:
        Refused: if one may be −∞ and the other ∞, or one no number.
    """
    return _extreme_of(dtype, a, b, choices.greater, -math.inf)


def smaller_of(dtype: Any, a: Value, b: Value) -> Value:
    """The smaller of two, as `greater_of`."""
    return _extreme_of(dtype, a, b, choices.smaller, math.inf)


def _extreme_of(dtype: Any, a: Value, b: Value, pick: Any, least: float) -> Value:
    if a.odd is None and b.odd is None:
        return Value(pick(a.node, b.node), dtype)
    for one, other in ((a, b), (b, a)):
        if one.odd is not None and one.odd.number == least and constant(one.odd.where) == 1:
            shape = making.broadcast(a.shape, b.shape)
            found = moved(lambda node: making.spread(node, shape), [other])  # noqa: B023
            return replace(found, dtype=dtype)
    numbers = pick(a.node, b.node)
    if {one.odd.number for one in (a, b) if one.odd is not None} == {-least}:
        return with_odd(numbers, dtype, -least, choices.either(a.where, b.where))
    if any(one.odd is not None and one.odd.number != least for one in (a, b)):
        raise Refused("the greater of −∞ and ∞, or of NaN")
    beside = choices.select(b.where, making.spread(a.node, numbers.shape), numbers)
    node = choices.select(a.where, making.spread(b.node, numbers.shape), beside)
    return with_odd(node, dtype, least, choices.both(a.where, b.where))


def clamped(dtype: Any, low: Value, a: Value, high: Value) -> Value:
    """The nearest number from `low` to `high`."""
    return smaller_of(dtype, greater_of(dtype, low, a), high)

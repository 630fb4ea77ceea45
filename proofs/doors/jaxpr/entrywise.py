"""What is done entry by entry: arithmetic, functions, comparisons, selections, and what they make of ±∞ and NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...statement import choices, functions, making, nodes
from ...statement.cases import cases_of
from ...statement.choices import add, both, divide, multiply, negative, subtract
from ...statement.functions import exp, log
from ...statement.making import constant, entrywise, full, number
from ...statement.nodes import Node
from ...statement.order import divided, nonnegative
from ...statement.whole import Axis, Whole, whole
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import Odd, Value, is_nan, kind_of, with_odd

ZERO, ONE, TWO, HALF = number(0), number(1), number(2), number(Fraction(1, 2))


def _sum(at: Lowering, a: Value, b: Value) -> Value:
    """a + b; −∞ + −∞ is −∞."""
    if a.odd is None and b.odd is None:
        return at.made(add(a.node, b.node))
    shape = making.broadcast(a.shape, b.shape)
    if a.odd is not None and b.odd is not None and a.odd.number != b.odd.number:
        raise Refused(f"{a.odd.number} + {b.odd.number}")
    odd = (a.odd or b.odd).number  # type: ignore[union-attr]
    where = making.spread(choices.either(a.where, b.where), shape)
    return with_odd(add(a.node, b.node), at.dtype(), odd, where)


def _negated(a: Value, node: Node) -> Value:
    odd = None if a.odd is None else Odd(-a.odd.number, a.odd.where)
    return Value(node, a.dtype, odd)


def _neg(at: Lowering, a: Value) -> Value:
    found = negative(a.node)
    return at.made(found) if a.odd is None else _negated(a, found)


def _difference(at: Lowering, a: Value, b: Value) -> Value:
    if a.odd is None and b.odd is None:
        return at.made(subtract(a.node, b.node))
    return _sum(at, a, _negated(b, negative(b.node)))


def _product(at: Lowering, a: Value, b: Value) -> Value:
    """a · b; ±∞ only times a number whose sign is seen."""
    for one, other in ((a, b), (b, a)):
        scale = constant(other.node)
        if one.odd is not None and other.odd is None and scale not in (None, 0):
            odd = one.odd.number if scale > 0 else -one.odd.number
            where = making.spread(one.odd.where, making.broadcast(a.shape, b.shape))
            return with_odd(multiply(a.node, b.node), at.dtype(), odd, where)
    if kind_of(at.dtype()) == "b":
        return at.made(both(a.node, b.node))
    return at.made(multiply(a.real, b.real))


def _quotient(at: Lowering, a: Value, b: Value) -> Value:
    if kind_of(at.dtype()) == "i":
        return at.made(_whole_quotient(a.node, b.node))
    scale = constant(b.node)
    if a.odd is not None and scale not in (None, 0) and b.odd is None:
        odd = a.odd.number if scale > 0 else -a.odd.number
        found = divide(a.node, b.node)
        return with_odd(found, at.dtype(), odd, making.spread(a.odd.where, found.shape))
    return at.made(divide(a.real, b.real))


def _whole_quotient(a: Node, b: Node) -> Node:
    """The whole part of a quotient of whole numbers, towards 0."""
    found = _divided(a, b)
    if found is not None:
        return found[0]
    below = making.entry_of(a), making.entry_of(b)
    quotient = divide(a, b)
    if None not in below and all(nonnegative(e, quotient.shape) for e in below if e is not None):
        return entrywise("floor", quotient)
    return choices.truncated(quotient)


def _divided(a: Node, b: Node) -> tuple[Node, Node] | None:
    """The whole part and the remainder of a quotient of whole numbers ≥ 0, as entries, where they are seen."""
    shape = making.broadcast(a.shape, b.shape)
    entries = [making.entry_of(making.spread(one, shape)) for one in (a, b)]
    if None in entries or not nonnegative(entries[0], shape):  # type: ignore[arg-type]
        return None
    found = divided(entries[0], entries[1], shape)  # type: ignore[arg-type]
    return None if found is None else (entries_as(found[0], shape), entries_as(found[1], shape))


def entries_as(entry: Any, shape: nodes.Shape) -> Node:
    """The array whose entry at a place is a whole number in it."""
    found: Node = full(ZERO, shape)
    for m, c in entry.parts if isinstance(entry, Whole) else (((), entry),):
        axes = [one.number for one in m if isinstance(one, Axis)]
        rest = tuple(one for one in m if not isinstance(one, Axis))
        term: Node = full(number(Whole(((rest, c),)) if rest else c), shape)
        for k in axes:
            here = making.take(nodes.Positions(shape[k]), [whole(Axis(k))], shape)
            term = here if constant(term) == 1 else entrywise("multiply", term, here)
        found = term if constant(found) == 0 else entrywise("add", found, term)
    return found


def _remainder(at: Lowering, a: Value, b: Value) -> Value:
    """a − b · (the whole part of a / b), which has the sign of a."""
    if kind_of(at.dtype()) == "i":
        found = _divided(a.node, b.node)
        if found is not None:
            return at.made(found[1])
        return at.made(subtract(a.node, multiply(b.node, _whole_quotient(a.node, b.node))))
    whole_part = choices.truncated(divide(a.real, b.real))
    return at.made(subtract(a.real, multiply(b.real, whole_part)))


# Functions of real numbers.


def _real(make: Callable[[Node], Node], least: float | None = None, most: float | None = None):
    """A function of real numbers, with its values at −∞ and at ∞, where it has some."""
    ends = {-math.inf: least, math.inf: most}

    def rule(at: Lowering, a: Value) -> Value:
        if a.odd is None:
            return at.made(make(a.node))
        end = math.nan if is_nan(a.odd.number) else ends[a.odd.number]
        if end is None:
            raise Refused(f"a function of {a.odd.number}")
        if math.isfinite(end):
            value = full(number(Fraction(end)), a.shape)
            return at.made(choices.select(a.odd.where, value, make(a.node)))
        return with_odd(make(a.node), at.dtype(), end, a.odd.where)

    return rule


def _cube_root(a: Node) -> Node:
    """exp(log|a| / 3) with the sign of a, for a ≠ 0."""
    third = number(Fraction(1, 3))
    return multiply(choices.sign(a), exp(multiply(third, log(choices.absolute(a)))))


def _integer_pow(at: Lowering, a: Value, *, y: int) -> Value:
    return at.made(choices.raised(a.real, y))


def _square(at: Lowering, a: Value) -> Value:
    return at.made(choices.raised(a.real, 2))


def _one_minus_square(at: Lowering, a: Value) -> Value:
    return at.made(subtract(ONE, choices.raised(a.real, 2)))


def _pow(at: Lowering, a: Value, b: Value) -> Value:
    """A power whose exponent is real, or a whole number that sizes and positions determine."""
    if kind_of(b.dtype) == "i" and cases_of(b.real) is None:
        raise Refused("a power whose exponent is a whole number that inputs determine")
    return at.made(making.spread(functions.power(a.real, b.real, at.note), at.shape()))


def convert(at: Lowering, a: Value, dtype: Any) -> Value:
    """The same numbers in another format; of real ones the whole part in a whole one, whether they are 0 in a mask."""
    old, new = a.kind, kind_of(dtype)
    if new == "f" or old == new == "b":
        return replace(a, dtype=dtype)
    if new == "b":
        return Value(choices.truth(a.real), dtype)
    if new == "i":
        node = a.real if old in "ib" else choices.truncated(a.real)
        return Value(node if old == "b" else at.fitting(node, dtype), dtype)
    raise Refused(f"a cast to {dtype}")


def _convert(at: Lowering, a: Value, *, new_dtype: Any, weak_type: Any = None) -> Value:
    return convert(at, a, new_dtype)


def _reduce_precision(at: Lowering, a: Value, *, exponent_bits: int, mantissa_bits: int) -> Value:
    return a


def _round(at: Lowering, a: Value, *, rounding_method: Any) -> Value:
    return at.made(choices.nearest(a.real, int(rounding_method) == 1))


def _sign(at: Lowering, a: Value) -> Value:
    if a.odd is not None and not is_nan(a.odd.number):
        end = number(1 if a.odd.number > 0 else -1)
        return at.made(choices.select(a.odd.where, end, choices.sign(a.node)))
    return at.made(choices.sign(a.real))


def _abs(at: Lowering, a: Value) -> Value:
    if a.odd is not None:
        return with_odd(choices.absolute(a.node), a.dtype, abs(a.odd.number), a.odd.where)
    return at.made(choices.absolute(a.node))


def _same(at: Lowering, a: Any) -> Any:
    return a


def _named_result(at: Lowering, a: Any, *, name: str) -> Any:
    return a


def _on_devices(at: Lowering, a: Any, **where: Any) -> Any:
    """The same array; where it lies, and in which order of memory, says nothing of its numbers."""
    return a


def _several_on_devices(at: Lowering, *values: Any, **where: Any) -> list[Any]:
    return list(values)


def _several(at: Lowering, *values: Any) -> list[Any]:
    return list(values)


REAL: tuple[tuple[Any, ...], ...] = (
    ("exp", "exp", 0.0, math.inf),
    ("exp2", "exp2", 0.0, math.inf),
    ("expm1", "expm1", -1.0, math.inf),
    ("log", "log", None, math.inf),
    ("log1p", "log1p", None, math.inf),
    ("log2", "log2", None, math.inf),
    ("sqrt", "sqrt", None, math.inf),
    ("rsqrt", "rsqrt", None, 0.0),
    ("logistic", "sigmoid", 0.0, 1.0),
    ("sinh", "sinh", -math.inf, math.inf),
    ("cosh", "cosh", math.inf, math.inf),
    ("tanh", "tanh", -1.0, 1.0),
    ("erf", "erf", -1.0, 1.0),
    ("erfc", "erfc", 2.0, 0.0),
    ("floor", "floor", -math.inf, math.inf),
    ("ceil", "ceil", -math.inf, math.inf),
    *((n, n) for n in ("sin", "cos", "tan", "asin", "acos", "atan", "asinh", "acosh", "atanh")),
)
"""Functions with their values at −∞ and ∞, where they have some."""
RULES: dict[str, Rule] = {
    "add": _sum,
    "add_any": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "rem": _remainder,
    "neg": _neg,
    "integer_pow": _integer_pow,
    "pow": _pow,
    "square": _square,
    "one_minus_square": _one_minus_square,
    **{name: _real(functions.OF_ONE[of], *ends) for name, of, *ends in REAL},
    "cbrt": _real(_cube_root, -math.inf, math.inf),
    "round": _round,
    "abs": _abs,
    "sign": _sign,
    "convert_element_type": _convert,
    "reduce_precision": _reduce_precision,
    "stop_gradient": _same,
    "name": _named_result,
    "sharding_constraint": _on_devices,
    "device_put": _several_on_devices,
    "copy": _same,
    "copy_p": _same,
    "optimization_barrier": _several,
}

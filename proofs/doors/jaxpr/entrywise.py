"""What is done entry by entry: arithmetic, functions, and changes of format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ...statement import choices, functions, making, nodes
from ...statement.cases import cases_of
from ...statement.choices import add, both, divide, multiply, subtract
from ...statement.making import number
from ...statement.nodes import Node
from ...statement.order import divided, multiples, nonnegative
from .. import infinities
from ..infinities import Value
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import kind_of

ZERO, ONE = number(0), number(1)


def _made(of: Callable[..., Value]) -> Rule:
    """The rule for what makes a value of a format and of values; whole numbers have to fit it."""

    def rule(at: Lowering, *values: Value) -> Value:
        found = of(at.dtype(), *values)
        return at.made(found.node) if found.odd is None else found

    return rule


def _product(at: Lowering, a: Value, b: Value) -> Value:
    if kind_of(at.dtype()) == "b":
        return at.made(both(a.node, b.node))
    return _made(infinities.product)(at, a, b)


def _quotient(at: Lowering, a: Value, b: Value) -> Value:
    if kind_of(at.dtype()) == "i":
        return at.made(_whole_quotient(a.node, b.node))
    return infinities.quotient(at.dtype(), a, b)


def _whole_quotient(a: Node, b: Node) -> Node:
    """The whole part of a quotient of whole numbers, towards 0."""
    found = _divided(a, b)
    if found is not None:
        return found[0]
    quotient = divide(a, b)
    shape = quotient.shape
    number, by = (making.entry_of(making.spread(one, shape)) for one in (a, b))
    if number is None or by is None or not nonnegative(number, shape) or not nonnegative(by, shape):
        return choices.truncated(quotient)
    if not nonnegative(by - 1, shape):
        return choices.floored(quotient)
    wholes, rest = multiples(number, by)  # of which the floor is themselves
    left = choices.floored(divide(making.entries_as(rest, shape), b))
    return add(making.entries_as(wholes, shape), left)


def _divided(a: Node, b: Node) -> tuple[Node, Node] | None:
    """The whole part and the remainder of a quotient of whole numbers ≥ 0, as entries, where they are seen."""
    shape = making.broadcast(a.shape, b.shape)
    entries = [making.entry_of(making.spread(one, shape)) for one in (a, b)]
    if None in entries or not nonnegative(entries[0], shape):  # type: ignore[arg-type]
        return None
    found = divided(entries[0], entries[1], shape)  # type: ignore[arg-type]
    return (
        None
        if found is None
        else (making.entries_as(found[0], shape), making.entries_as(found[1], shape))
    )


def _remainder(at: Lowering, a: Value, b: Value) -> Value:
    """a − b · (the whole part of a / b), which has the sign of a."""
    if kind_of(at.dtype()) == "i":
        found = _divided(a.node, b.node)
        if found is not None:
            return at.made(found[1])
        return at.made(subtract(a.node, multiply(b.node, _whole_quotient(a.node, b.node))))
    first = a.real.arguments[0] if isinstance(a.real, nodes.Map) else None
    if first is not None and a.real == _left(first, b.real):  # (a rem b) rem b is a rem b
        return a
    return at.made(_left(a.real, b.real))


def _left(a: Node, b: Node) -> Node:
    return subtract(a, multiply(b, choices.truncated(divide(a, b))))


# Functions of real numbers.


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


def _atan2(at: Lowering, y: Value, x: Value) -> Value:
    return at.made(functions.angle(y.real, x.real, at.note))


def convert(at: Lowering, a: Value, dtype: Any) -> Value:
    """The same numbers in another format; of real ones the whole part in a whole one, whether they are 0 in a mask."""
    old, new = kind_of(a.dtype), kind_of(dtype)
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


NAMED = (
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "sqrt", "rsqrt", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc"),
    *("floor", "ceil", "abs", "sign"),
)
"""Functions that JAX calls by their usual names."""
RULES: dict[str, Rule] = {
    "add": _made(infinities.total),
    "add_any": _made(infinities.total),
    "sub": _made(infinities.difference),
    "mul": _product,
    "div": _quotient,
    "rem": _remainder,
    "neg": _made(infinities.negated),
    "integer_pow": _integer_pow,
    "pow": _pow,
    "atan2": _atan2,
    "square": _square,
    "one_minus_square": _one_minus_square,
    **{name: _made(partial(infinities.of_real, name)) for name in NAMED},
    "logistic": _made(partial(infinities.of_real, "sigmoid")),
    "cbrt": _made(partial(infinities.of_real, "cbrt")),
    "round": _round,
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

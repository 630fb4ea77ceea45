"""Rules of operations entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ...statement import choices, functions, making, nodes
from ...statement.choices import add, divide, inverse, multiply, negative, select, subtract
from ...statement.making import entrywise
from ...statement.nodes import Node
from ...statement.order import nonnegative
from .table import rule
from .values import Value, is_whole, joined_finite

ZERO, ONE, TWO, HALF = map(making.number, (0, 1, 2, Fraction(1, 2)))


def unary(name: str, made: Callable[[Node], Node]) -> None:
    """A rule of a function of one number."""
    rule(name)(lambda at, self: made(at.node(self)))


for _name, _made in functions.OF_ONE.items():
    if _name != "exp":
        unary(_name, _made)
unary("log10", lambda a: divide(entrywise("log", a), entrywise("log", making.number(10))))
unary("reciprocal", lambda a: divide(ONE, a))
unary("square", lambda a: multiply(a, a))
unary("relu", lambda a: entrywise("relu", a))
unary("silu", lambda a: multiply(a, functions.sigmoid(a)))
unary("trunc", choices.truncated)
unary("frac", lambda a: subtract(a, choices.truncated(a)))
unary("sgn", choices.sign)


@rule("neg", computes=True)
def _neg(at: Any, self: Value) -> Any:
    if self.finite is not None:
        return Value(negative(self.node), self.dtype, self.finite, -self.sign)
    return negative(self.node)


@rule("exp")
def _exp(at: Any, self: Value) -> Any:
    if self.finite is None:
        return entrywise("exp", self.node)
    if self.sign > 0:
        raise at.refuse("exp of ∞")
    return multiply(self.finite, entrywise("exp", self.number))


def _sum(at: Any, one: Any, other: Any, sign: int) -> Any:
    left, right = at.value(one), at.value(other)
    if right.finite is not None and sign < 0:
        right = Value(right.node, right.dtype, right.finite, -right.sign)
    made = add if sign > 0 else subtract
    node = made(left.node, right.node)
    signs = {v.sign for v in (left, right) if v.finite is not None}
    if len(signs) > 1:
        raise at.refuse("∞ − ∞")
    finite, infinite = joined_finite([left, right], node.shape)
    return Value(node, at.dtype, finite, infinite)


@rule("add.Tensor", "add.Scalar", computes=True)
def _add(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(at, self, _scaled(at, other, alpha), 1)


@rule("sub.Tensor", "sub.Scalar", computes=True)
def _sub(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(at, self, _scaled(at, other, alpha), -1)


@rule("rsub.Tensor", "rsub.Scalar", computes=True)
def _rsub(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(at, other, _scaled(at, self, alpha), -1)


def _scaled(at: Any, other: Any, alpha: Any) -> Any:
    if alpha == 1:
        return other
    return at.value(multiply(at.node(alpha), at.node(other)))


@rule("mul.Tensor", "mul.Scalar", computes=True)
def _mul(at: Any, self: Any, other: Any) -> Any:
    left, right = at.value(self), at.value(other)
    if left.finite is None and right.finite is None:
        return multiply(left.node, right.node)
    if left.finite is None:
        left, right = right, left
    return _infinite_times(at, left, right, multiply)


@rule("div.Tensor", "div.Scalar")
def _div(at: Any, self: Any, other: Any) -> Any:
    left, right = at.value(self), at.value(other)
    if left.finite is not None:
        return _infinite_times(at, left, right, divide)
    return divide(left.node, at.node(right))


def _infinite_times(at: Any, left: Value, right: Value, made: Any) -> Value:
    """A factor of what may be infinite has to be a number with a sign."""
    factor = None if right.finite is not None else as_number(right.node)
    if not factor and right.finite is None and _is_above_zero(right.node):
        factor = 1
    if not factor:
        raise at.refuse("a product of ∞ with what may be 0")
    node = made(left.node, right.node)
    assert left.finite is not None
    finite = making.spread(left.finite, node.shape)
    return Value(node, at.dtype, finite, left.sign if factor > 0 else -left.sign)


def as_number(node: Node) -> int | Fraction | None:
    """The number that every entry is, where a few operations on numbers say so."""
    value = making.constant(node)
    if value is None and isinstance(node, nodes.Map):
        parts = [as_number(one) for one in node.arguments]
        if None not in parts and node.function in making.OF_ENTRIES:
            return making.OF_ENTRIES[node.function](*parts)
    return value if isinstance(value, int | Fraction) else None


def _is_above_zero(node: Node) -> bool:
    """Whether a number of sizes, or a root of one, is seen to be above 0."""
    number = making.entry_of(node)
    if number is not None:
        return nonnegative(number - 1, node.shape)
    function = getattr(node, "function", "")
    if function == "exp":
        return True
    if function in ("sqrt", "divide", "multiply", "power"):
        return all(map(_is_above_zero, node.operands[: 1 if function == "power" else 2]))
    value = as_number(node)
    return value is not None and value > 0


@rule("div.Tensor_mode", "div.Scalar_mode", computes=True)
def _div_mode(at: Any, self: Any, other: Any, rounding_mode: Any = None) -> Any:
    found = divide(at.node(self), at.node(other))
    if rounding_mode is None:
        return found
    return entrywise("floor", found) if rounding_mode == "floor" else choices.truncated(found)


@rule("floor_divide")
def _floor_divide(at: Any, self: Any, other: Any) -> Any:
    return entrywise("floor", divide(at.node(self), at.node(other)))


@rule("remainder.Tensor", "remainder.Scalar")
def _remainder(at: Any, self: Any, other: Any) -> Any:
    one, by = at.node(self), at.node(other)
    return subtract(one, multiply(by, entrywise("floor", divide(one, by))))


@rule("fmod.Tensor", "fmod.Scalar")
def _fmod(at: Any, self: Any, other: Any) -> Any:
    one, by = at.node(self), at.node(other)
    return subtract(one, multiply(by, choices.truncated(divide(one, by))))


@rule("round", "round.decimals")
def _round(at: Any, self: Any, decimals: int = 0) -> Any:
    if decimals:
        raise at.refuse("a rounding to decimals")
    return choices.nearest(at.node(self), even=True)


@rule("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", computes=True)
def _pow(at: Any, self: Any, exponent: Any) -> Any:
    base, to = at.node(self), at.node(exponent)
    whole = is_whole(at.dtype) and making.constant(to) is None and making.entry_of(to) is None
    if whole:
        raise at.refuse("a whole number to a power that is data")
    return functions.power(base, to, at.assume)


# Truths.


def compared(name: str, made: Callable[[Node, Node], Node]) -> None:
    """A rule of a comparison."""
    rule(f"{name}.Tensor", f"{name}.Scalar")(
        lambda at, self, other: _compare(at, self, other, made)
    )


def _compare(at: Any, self: Any, other: Any, made: Callable[[Node, Node], Node]) -> Node:
    left, right = at.value(self), at.value(other)
    if left.finite is None and right.finite is None:
        return made(left.node, right.node)
    low, high = making.number(-1), making.number(1)
    levels = [
        making.full(ZERO, v.node.shape)
        if v.finite is None
        else select(v.finite, ZERO, low if v.sign < 0 else high)
        for v in (left, right)
    ]
    # Of two numbers the comparison is theirs; where one is infinite, it is that of −1, 0 and 1.
    finite, _ = joined_finite([left, right], making.broadcast(left.node.shape, right.node.shape))
    assert finite is not None
    return select(finite, made(left.number, right.number), made(*levels))


for _name, _compared in choices.COMPARED.items():
    compared(_name, _compared)


@rule("logical_not", "bitwise_not")
def _not(at: Any, self: Value) -> Any:
    at.expect_truths(self, "bitwise_not")
    return inverse(choices.truth(at.node(self)))


def logical(name: str, made: Callable[[Node, Node], Node]) -> None:
    """A rule of two truths."""

    def of_two(at: Any, self: Any, other: Any) -> Node:
        at.expect_truths(self, f"bitwise_{name}")
        at.expect_truths(other, f"bitwise_{name}")
        return made(choices.truth(at.node(self)), choices.truth(at.node(other)))

    rule(f"logical_{name}", f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar")(of_two)


logical("and", choices.both)
logical("or", choices.either)
logical("xor", choices.unlike)


@rule("isinf")
def _isinf(at: Any, self: Value) -> Any:
    shape = self.node.shape
    return making.full(ZERO, shape) if self.finite is None else inverse(self.finite)


@rule("isnan")
def _isnan(at: Any, self: Value) -> Any:
    at.assume("every entry is a number: isnan is false")
    return making.full(ZERO, self.node.shape)


@rule("isfinite")
def _isfinite(at: Any, self: Value) -> Any:
    return making.full(ONE, self.node.shape) if self.finite is None else self.finite


@rule("where.self")
def _where(at: Any, condition: Any, self: Any, other: Any) -> Any:
    truth, left, right = at.node(condition), at.value(self, True), at.value(other, True)
    shape = making.broadcast(truth.shape, left.node.shape, right.node.shape)
    if left.finite is None and right.finite is None:
        return select(truth, left.node, right.node)
    signs = {v.sign for v in (left, right) if v.finite is not None}
    if len(signs) > 1:
        raise at.refuse("∞ beside −∞")
    finite = select(truth, *(ONE if v.finite is None else v.finite for v in (left, right)))
    infinite = [v.only_infinite for v in (left, right)]
    node = (
        left.node
        if infinite[1]
        else right.node
        if infinite[0]
        else select(truth, left.node, right.node)
    )
    return Value(making.spread(node, shape), at.dtype, making.spread(finite, shape), *signs)


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(at: Any, self: Any, mask: Any, value: Any) -> Any:
    return _where(at, mask, value, self)


# Extremes and activations.


def extreme(name: str, made: Callable[[Node, Node], Node], low: int) -> None:
    """A rule of the greater or lesser of two."""

    def of_two(at: Any, self: Any, other: Any) -> Any:
        left, right = at.value(self), at.value(other)
        if left.finite is None and right.finite is None:
            return made(left.node, right.node)
        if left.finite is None:
            left, right = right, left
        assert left.finite is not None
        if right.finite is not None or left.sign != low:
            raise at.refuse("an extreme of infinite numbers")
        return select(left.finite, made(left.number, right.node), right.node)

    rule(name)(of_two)


extreme("maximum", choices.greater, -1)
extreme("minimum", choices.smaller, 1)


@rule(
    "clamp",
    "clamp.Tensor",
    "clamp_min",
    "clamp_max",
    "hardtanh",
    "clamp_min.Tensor",
    "clamp_max.Tensor",
)
def _clamp(
    at: Any, self: Any, min: Any = None, max: Any = None, min_val: Any = None, max_val: Any = None
) -> Any:
    found = at.value(self)
    if at.name.startswith("hardtanh"):
        min, max = -1 if min_val is None else min_val, 1 if max_val is None else max_val
    node = found.node
    if found.finite is not None:
        if min is None or found.sign > 0:
            raise at.refuse("a clamp of infinite numbers")
        node = select(found.finite, found.number, at.node(min))
    node = node if min is None else _unless_infinite(at, choices.greater, node, min)
    return node if max is None else _unless_infinite(at, choices.smaller, node, max)


def _unless_infinite(at: Any, made: Any, node: Node, end: Any) -> Node:
    return node if isinstance(end, float) and math.isinf(end) else made(node, at.node(end))


@rule("leaky_relu")
def _leaky_relu(at: Any, self: Any, negative_slope: Any = 0.01) -> Any:
    node = at.node(self)
    return subtract(
        entrywise("relu", node),
        multiply(at.node(negative_slope), entrywise("relu", negative(node))),
    )


@rule("elu")
def _elu(at: Any, self: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    node, a, s, i = at.node(self), at.node(alpha), at.node(scale), at.node(input_scale)
    below = multiply(multiply(a, s), subtract(entrywise("exp", multiply(node, i)), ONE))
    return select(choices.above(node), multiply(s, node), below)


@rule("gelu")
def _gelu(at: Any, self: Any, approximate: str = "none") -> Any:
    node = at.node(self)
    if approximate == "none":
        inner = entrywise("erf", divide(node, entrywise("sqrt", TWO)))
    else:
        cubic = add(node, multiply(at.node(0.044715), multiply(node, multiply(node, node))))
        inner = entrywise("tanh", multiply(entrywise("sqrt", divide(TWO, at.node(math.pi))), cubic))
    return multiply(multiply(HALF, node), add(ONE, inner))


@rule("softplus")
def _softplus(at: Any, self: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    node, b = at.node(self), at.node(beta)
    found = divide(entrywise("softplus", multiply(b, node)), b)
    if threshold == 20:
        at.assume("softplus is log(1 + exp(x)) also above its threshold 20, where torch has x")
        return found
    return select(choices.above(subtract(multiply(b, node), at.node(threshold))), node, found)


@rule("log_sigmoid_forward")
def _log_sigmoid(at: Any, self: Any) -> Any:
    return negative(entrywise("softplus", negative(at.node(self)))), None


@rule("logaddexp")
def _logaddexp(at: Any, self: Any, other: Any) -> Any:
    left, right = at.value(self), at.value(other)
    return entrywise("log", add(_exp(at, left), _exp(at, right)))


@rule("threshold")
def _threshold(at: Any, self: Any, threshold: Any, value: Any) -> Any:
    node = at.node(self)
    return select(choices.above(subtract(node, at.node(threshold))), node, at.node(value))


# Formats and copies.


@rule("clone", "alias", "detach", "lift_fresh_copy", "lift_fresh", "contiguous")
def _same(at: Any, self: Value) -> Any:
    return self


@rule("_to_copy")
def _to_copy(at: Any, self: Any, dtype: Any = None) -> Any:
    self = at.value(self)
    if dtype is None or dtype == self.dtype:
        return self
    if str(dtype) == "torch.bool":
        return at.value(choices.truth(at.node(self)))
    if is_whole(dtype):
        node = at.node(self)
        node = node if is_whole(self.dtype) else choices.truncated(node)
        return node if str(self.dtype) == "torch.bool" else at.held(node, dtype)
    return self


@rule("copy")
def _copy(at: Any, self: Value, src: Value) -> Any:
    found = _to_copy(at, src, dtype=self.dtype)
    found = found if isinstance(found, Value) else at.value(found)
    finite = None if found.finite is None else making.spread(found.finite, self.node.shape)
    return found.with_node(making.spread(found.node, self.node.shape), finite)

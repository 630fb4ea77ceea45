"""Rules of operations entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ...statement import choices, functions, making
from ...statement.choices import add, divide, inverse, multiply, negative, select, subtract
from ...statement.making import entrywise
from ...statement.nodes import Node
from .. import infinities
from ..infinities import Value, moved, of_real
from .refusal import torch
from .table import rule
from .values import is_whole

ZERO, ONE, TWO, HALF = map(making.number, (0, 1, 2, Fraction(1, 2)))


def unary(name: str, made: Callable[[Node], Node]) -> None:
    """A rule of a function of one number."""
    rule(name)(lambda at, self: made(at.node(self)))


for _name in functions.OF_ONE:
    if _name != "cbrt":  # which PyTorch lacks
        rule(_name)(lambda at, self, name=_name: of_real(name, at.dtype, at.value(self)))
unary("log10", lambda a: divide(entrywise("log", a), entrywise("log", making.number(10))))
unary("reciprocal", lambda a: divide(ONE, a))
unary("square", lambda a: multiply(a, a))
unary("relu", lambda a: entrywise("relu", a))
unary("silu", lambda a: multiply(a, functions.sigmoid(a)))
unary("trunc", choices.truncated)
unary("frac", lambda a: subtract(a, choices.truncated(a)))
rule("sgn")(lambda at, self: of_real("sign", at.dtype, at.value(self)))


@rule("neg", computes=True)
def _neg(at: Any, self: Value) -> Any:
    return infinities.negated(at.dtype, self)


@rule("add.Tensor", "add.Scalar", computes=True)
def _add(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return infinities.total(at.dtype, at.value(self), _scaled(at, other, alpha))


@rule("sub.Tensor", "sub.Scalar", computes=True)
def _sub(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return infinities.difference(at.dtype, at.value(self), _scaled(at, other, alpha))


@rule("rsub.Tensor", "rsub.Scalar", computes=True)
def _rsub(at: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return infinities.difference(at.dtype, at.value(other), _scaled(at, self, alpha))


def _scaled(at: Any, other: Any, alpha: Any) -> Value:
    if alpha == 1:
        return at.value(other)
    return infinities.product(at.dtype, at.value(alpha), at.value(other))


@rule("mul.Tensor", "mul.Scalar", computes=True)
def _mul(at: Any, self: Any, other: Any) -> Any:
    return infinities.product(at.dtype, at.value(self), at.value(other))


@rule("div.Tensor", "div.Scalar")
def _div(at: Any, self: Any, other: Any) -> Any:
    return infinities.quotient(at.dtype, at.value(self), at.value(other))


@rule("div.Tensor_mode", "div.Scalar_mode", computes=True)
def _div_mode(at: Any, self: Any, other: Any, rounding_mode: Any = None) -> Any:
    found = divide(at.node(self), at.node(other))
    if rounding_mode is None:
        return found
    return choices.floored(found) if rounding_mode == "floor" else choices.truncated(found)


@rule("floor_divide")
def _floor_divide(at: Any, self: Any, other: Any) -> Any:
    return choices.floored(divide(at.node(self), at.node(other)))


@rule("remainder.Tensor", "remainder.Scalar")
def _remainder(at: Any, self: Any, other: Any) -> Any:
    one, by = at.node(self), at.node(other)
    return subtract(one, multiply(by, choices.floored(divide(one, by))))


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
    if is_whole(at.dtype) and functions.outgrows(base, to, torch().iinfo(at.dtype).max):
        raise at.refuse("a power of a whole number that outgrows its format; write it as 2.0 ** k")
    return functions.power(base, to, at.assume)


# Truths.


for _name in choices.COMPARED:
    rule(f"{_name}.Tensor", f"{_name}.Scalar")(
        lambda at, self, other, name=_name: infinities.compared(
            name, at.value(self), at.value(other)
        )
    )


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


@rule("isinf", takes_nan=True)
def _isinf(at: Any, self: Value) -> Any:
    return making.full(ZERO, self.node.shape) if self.is_nan else self.where


@rule("isnan", takes_nan=True)
def _isnan(at: Any, self: Value) -> Any:
    at.assume("every entry is a number: isnan is false")
    return self.where if self.is_nan else making.full(ZERO, self.node.shape)


@rule("isfinite", takes_nan=True)
def _isfinite(at: Any, self: Value) -> Any:
    return inverse(self.where)


@rule("where.self", takes_nan=True)
def _where(at: Any, condition: Any, self: Any, other: Any) -> Any:
    return infinities.select(at.node(condition), at.value(self, True), at.value(other, True))


@rule("masked_fill.Scalar", "masked_fill.Tensor", takes_nan=True)
def _masked_fill(at: Any, self: Any, mask: Any, value: Any) -> Any:
    return _where(at, mask, value, self)


@rule("hypot")
def _hypot(at: Any, self: Value, other: Value) -> Any:
    squares = [multiply(node, node) for node in map(at.node, (self, other))]
    return functions.root(add(*squares))


@rule("atan2")
def _atan2(at: Any, self: Any, other: Any) -> Any:
    return functions.angle(at.node(self), at.node(other), at.assume)


# Extremes and activations.


for _name, _pick in (
    ("maximum", infinities.greater_of),
    ("minimum", infinities.smaller_of),
):
    rule(_name)(lambda at, self, other, pick=_pick: pick(at.dtype, at.value(self), at.value(other)))


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
    if min is not None:
        found = infinities.greater_of(at.dtype, at.value(min), found)
    return found if max is None else infinities.smaller_of(at.dtype, found, at.value(max))


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
        inner = entrywise("tanh", multiply(functions.root(divide(TWO, functions.PI)), cubic))
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
    every = (of_real("exp", at.dtype, at.value(one)) for one in (self, other))
    return entrywise("log", add(*(one.real for one in every)))


@rule("xlogy.Tensor", "xlogy.Scalar_Self", "xlogy.Scalar_Other")
def _xlogy(at: Any, self: Any, other: Any) -> Any:
    return multiply(at.node(self), entrywise("log", at.node(other)))  # 0 where the first is


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
    return moved(lambda node: making.spread(node, self.shape), [found])

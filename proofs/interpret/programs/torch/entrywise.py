"""Functions of numbers, entry by entry. Where a derivative is taken, a kink has torch's slope and not JAX's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from . import formats, modes
from .operators import (
    array_or_number,
    divided,
    inverted,
    kinds,
    multiplied,
    negated,
    power,
    subtracted,
)
from .table import known
from .tensors import Tensor, entries, kind, refuse


def real(array: Any) -> Any:
    """Whole numbers become real ones under functions of real numbers."""
    array = jnp.asarray(array)
    return array if kind(array) in "fc" else array.astype(formats.default())


def expect_real(name: str, array: Any) -> Any:
    """The array, of a function that torch has for real numbers alone."""
    if kind(array) != "f":
        raise refuse(f"{name} of what are not real numbers", "use .float()")
    return array


def relu(array: Any) -> Any:
    """The slope at 0 is 0."""
    if modes.differentiating():
        return jnp.where(array > 0, array, jnp.zeros_like(array))
    return jnp.maximum(array, 0)


def absolute(array: Any) -> Any:
    """The slope at 0 is 0."""
    if modes.differentiating():
        return jnp.where(array > 0, array, jnp.where(array < 0, -array, jnp.zeros_like(array)))
    return jnp.abs(array)


def root(array: Any) -> Any:
    """√x of a sum of squares: under a derivative the slope at 0 is 0."""
    if not modes.differentiating():
        return jnp.sqrt(array)
    inner = array > 0
    return jnp.where(inner, jnp.sqrt(jnp.where(inner, array, 1)), 0 * array)


def clamped(array: Any, least: Any = None, most: Any = None) -> Any:
    """The slope is 1 from bound to bound, and at them."""
    found, inner = array, None
    if least is not None:
        found, inner = jnp.maximum(found, least), array >= least
    if most is not None:
        found = jnp.minimum(found, most)
        inner = (array <= most) if inner is None else inner & (array <= most)
    if not modes.differentiating() or inner is None:
        return found
    return jnp.where(inner, array, lax.stop_gradient(found))


OF_REALS: dict[str, Callable[[Any], Any]] = {
    **{
        n: getattr(jnp, n)
        for n in (
            "exp",
            "log",
            "log1p",
            "expm1",
            "exp2",
            "sqrt",
            "sin",
            "cos",
            "tanh",
            "sinh",
            "cosh",
        )
    },
    "rsqrt": lax.rsqrt,
    "reciprocal": lambda a: 1 / a,
    "erf": jax.scipy.special.erf,
    "sigmoid": jax.nn.sigmoid,
}
"""Whole numbers become real ones."""
OF_REALS_ALONE = {"logsigmoid": jax.nn.log_sigmoid, "silu": jax.nn.silu}
OF_NUMBERS = {"relu": relu, "abs": absolute, "square": lambda a: a * a, "neg": negated}
"""Whole numbers stay whole."""


def _put(name: str, function: Callable[[Any], Any]) -> None:
    known(name)(lambda input: Tensor(function(input.array)))


for _name, _function in OF_REALS.items():
    _put(_name, lambda a, f=_function: f(real(a)))
for _name, _function in OF_REALS_ALONE.items():
    _put(_name, lambda a, f=_function, n=_name: f(expect_real(n, a)))


def _of_numbers(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(array: Any) -> Any:
        if kind(array) == "b":
            raise refuse(f"{name} of truth values", "cast them")
        return function(array)

    return run


for _name, _function in OF_NUMBERS.items():
    _put(_name, _of_numbers(_name, _function))
Tensor.__abs__ = lambda self: Tensor(_of_numbers("abs", absolute)(self.array))  # type: ignore[attr-defined]
known("logical_not")(lambda input: Tensor(jnp.logical_not(input.array)))
known("bitwise_not")(lambda input: Tensor(inverted(input.array)))


# Of two operands

for _names, _function in {
    "mul multiply": jnp.multiply,
    "div divide true_divide": divided,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
    "logaddexp": jnp.logaddexp,
    "matmul": multiplied,
}.items():
    known(*_names.split())(
        lambda input, other, f=_function: Tensor(f(array_or_number(input), array_or_number(other)))
    )
known("pow")(
    lambda input, exponent: Tensor(power(array_or_number(input), array_or_number(exponent)))
)
known("mm", "bmm")(lambda input, mat2: Tensor(multiplied(input.array, mat2.array)))
known("mv")(lambda input, vec: Tensor(multiplied(input.array, vec.array)))
known("dot")(lambda input, tensor: Tensor(multiplied(input.array, tensor.array)))


@known("add")
def _add(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    return Tensor(jnp.add(array_or_number(input), _times(alpha, other)))


@known("sub")
def _sub(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    return Tensor(subtracted(array_or_number(input), _times(alpha, other)))


def _times(factor: Any, other: Any) -> Any:
    found = array_or_number(other)
    if type(factor) is int and factor == 1:
        return found
    if "b" in kinds(found) or ("f" in kinds(array_or_number(factor)) and "f" not in kinds(found)):
        raise refuse("alpha of another format than the operand's")
    return array_or_number(factor) * found


@known("softplus")
def _softplus(input: Tensor, beta: Any = 1) -> Tensor:
    """log(1 + exp βx)/β for all x, where torch takes x itself for βx > 20."""
    return Tensor(jax.nn.softplus(beta * expect_real("softplus", input.array)) / beta)


@known("leaky_relu")
def _leaky_relu(input: Tensor, negative_slope: Any = 0.01) -> Tensor:
    array = expect_real("leaky_relu", input.array)
    return Tensor(jnp.where(array > 0, array, negative_slope * array))


@known("gelu")
def _gelu(input: Tensor, approximate: str = "none") -> Tensor:
    if approximate not in ("none", "tanh"):
        raise refuse(f"gelu with approximate={approximate!r}")
    array = expect_real("gelu", input.array)
    return Tensor(jax.nn.gelu(array, approximate=approximate == "tanh"))


@known("clamp", "clip", "clamp_min", "clamp_max")
def _clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if modes.differentiating() and any(isinstance(one, Tensor) for one in (min, max)):
        raise refuse("the derivative of clamp with tensors as bounds", "use torch.where")
    if min is None and max is None:
        raise refuse("clamp without bounds")
    bounds = (None if one is None else array_or_number(one) for one in (min, max))
    return Tensor(clamped(input.array, *bounds))


def _expect_mask(condition: Tensor) -> Any:
    if kind(condition.array) != "b":
        raise refuse("a condition that holds no truth values", "compare it with 0")
    return condition.array


@known("where")
def _where(condition: Tensor, input: Any = None, other: Any = None) -> Tensor:
    """torch.where(condition, input, other), and x.where(condition, other) of the method."""
    if input is None:
        raise refuse("where with a condition alone", "give both choices")
    chosen = jnp.where(_expect_mask(condition), array_or_number(input), array_or_number(other))
    numbers = not any(isinstance(one, Tensor) for one in (input, other))
    return Tensor(chosen.astype(formats.default()) if numbers and kind(chosen) == "f" else chosen)


@known("masked_fill")
def _masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    array, filling = input.array, array_or_number(value)
    if kinds(filling) == {"f"} and kind(array) != "f":
        raise refuse("masked_fill of whole numbers or truth values with a real number")
    return Tensor(jnp.where(_expect_mask(mask), jnp.asarray(filling).astype(array.dtype), array))


@known("lerp")
def _lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    return Tensor(input.array + array_or_number(weight) * (end.array - input.array))


@known("addcmul")
def _addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    return Tensor(input.array + array_or_number(value) * tensor1.array * tensor2.array)


@known("addcdiv")
def _addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    quotient = array_or_number(value) * expect_real("addcdiv", tensor1.array) / tensor2.array
    return Tensor(input.array + quotient)


@known("addmm")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _add_product(input, mat1, mat2, beta, alpha)


@known("baddbmm")
def _baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    return _add_product(input, batch1, batch2, beta, alpha)


def _add_product(input: Tensor, one: Tensor, other: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = multiplied(one.array, other.array)
    if input.array.dtype != product.dtype:
        raise refuse("a sum of products of two formats", "cast one of them")
    return Tensor(array_or_number(beta) * input.array + array_or_number(alpha) * product)


@known("outer", "ger")
def _outer(input: Tensor, vec2: Tensor) -> Tensor:
    return Tensor(input.array[:, None] * vec2.array[None, :])


@known("einsum")
def _einsum(equation: Any, *operands: Any) -> Tensor:
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    )
    if not isinstance(equation, str):
        raise refuse("einsum without an equation", "write it as text")
    arrays = [entries(one) for one in given]
    if len({one.dtype for one in arrays}) > 1:
        raise refuse("einsum of two formats", "cast one of them")
    return Tensor(jnp.einsum(equation, *arrays))


@known("linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b."""
    found = multiplied(input.array, weight.array.T)
    return Tensor(found if bias is None else found + bias.array)

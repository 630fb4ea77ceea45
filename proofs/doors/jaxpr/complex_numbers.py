"""Complex arrays as pairs of real ones: each rule is made of those for real numbers.

What moves or adds entries does so to both parts, products are (a + bi)(c + di) = (ac − bd) + (ad + bc)i, and
exp(a + bi) = exp(a)(cos b + i sin b). What is not in the table is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np

from ...statement import choices
from ...statement.making import constant, entrywise, full, number
from ..infinities import Value
from ..refused import Refused
from .entrywise import convert
from .lowering import Lowering, Rule
from .values import Complex, kind_of

PARTWISE = (
    *("broadcast_in_dim", "transpose", "squeeze", "expand_dims", "reshape", "slice", "rev"),
    *("concatenate", "stack", "unstack", "tile", "split", "pad", "gather", "dynamic_slice"),
    *("dynamic_update_slice", "scatter", "scatter-add", "scatter_add", "select_n"),
    *("add", "add_any", "sub", "neg", "reduce_sum", "cumsum"),
    *("copy", "copy_p", "stop_gradient", "optimization_barrier", "name"),
    *("sharding_constraint", "device_put"),
)
"""Primitives that do to both parts what they do to real numbers; masks and places are the same for both."""
WITHIN = (
    *("jit", "pjit", "remat2", "checkpoint", "closed_call", "eval_jaxpr", "custom_jvp_call"),
    *("custom_vjp_call", "core_call", "run_state", "cond", "scan", "while", "associative_scan"),
)
"""Primitives that run programs, which see to complex numbers by themselves."""


def with_complex_numbers(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules, for complex numbers as well."""

    def either(name: str, own: Rule) -> Rule:
        @wraps(own)
        def rule(at: Lowering, *values: Any, **params: Any) -> Any:
            given = any(isinstance(one, Complex) for one in values)
            if not given and not (name == "convert_element_type" and _is_complex(params)):
                return own(at, *values, **params)
            if name in PARTWISE:
                return _partwise(own, at, values, params)
            if name not in OF_COMPLEX:
                raise Refused(f"{name} of complex numbers")
            return OF_COMPLEX[name](at, own, *values, **params)

        return rule

    plain = {name: own if name in WITHIN else either(name, own) for name, own in rules.items()}
    return {**plain, **MAKING}


def _is_complex(params: Mapping[str, Any]) -> bool:
    return kind_of(params["new_dtype"]) == "c"


def complex_of(one: Any) -> Complex:
    """Any array as a complex one."""
    if isinstance(one, Complex):
        return one
    return Complex(one, Value(full(number(0), one.shape), one.dtype))


def _partwise(own: Rule, at: Lowering, values: Any, params: Any) -> Any:
    takes = [
        one if isinstance(one, Complex) or kind_of(one.dtype) != "f" else complex_of(one)
        for one in values
    ]
    parts = [
        own(
            at,
            *(getattr(one, part) if isinstance(one, Complex) else one for one in takes),
            **params,
        )
        for part in ("real", "imag")
    ]
    if isinstance(parts[0], list):
        return [Complex(*pair) for pair in zip(*parts, strict=True)]
    return Complex(*parts)


def _plus(a: Value, b: Value) -> Value:
    return Value(choices.add(a.real, b.real), a.dtype)


def _minus(a: Value, b: Value) -> Value:
    return Value(choices.subtract(a.real, b.real), a.dtype)


def _times(a: Value, b: Value) -> Value:
    return Value(choices.multiply(a.real, b.real), a.dtype)


def _over(a: Value, b: Value) -> Value:
    return Value(choices.divide(a.real, b.real), a.dtype)


def product(x: Any, y: Any, times: Callable[[Value, Value], Value] = _times) -> Complex:
    """What is linear in two arguments."""
    (a, b), (c, d) = complex_of(x), complex_of(y)
    return Complex(_minus(times(a, c), times(b, d)), _plus(times(a, d), times(b, c)))


def _size(x: Complex) -> Value:
    """|x|²."""
    return _plus(_times(x.real, x.real), _times(x.imag, x.imag))


def quotient(x: Any, y: Any) -> Complex:
    """x / y, where y is not 0."""
    x, y = complex_of(x), complex_of(y)
    if constant(y.imag.node) == 0:
        return Complex(_over(x.real, y.real), _over(x.imag, y.real))
    top, bottom = product(x, Complex(y.real, _negative(y.imag))), _size(y)
    return Complex(_over(top.real, bottom), _over(top.imag, bottom))


def _negative(one: Value) -> Value:
    return Value(choices.negative(one.real), one.dtype)


def _bilinear(at: Lowering, own: Rule, x: Any, y: Any, **params: Any) -> Complex:
    return product(x, y, lambda a, b: own(at, a, b, **params))


def _div(at: Lowering, own: Rule, x: Any, y: Any) -> Complex:
    return quotient(x, y)


def _power(at: Lowering, own: Rule, x: Complex, *, y: int) -> Complex:
    one = Value(full(number(1), x.shape), x.real.dtype)
    found = complex_of(one)
    for _ in range(abs(y)):
        found = product(found, x)
    return found if y >= 0 else quotient(one, found)


def _exp(at: Lowering, own: Rule, x: Complex) -> Complex:
    grown = Value(entrywise("exp", x.real.real), x.real.dtype)
    if constant(x.imag.node) == 0:
        return Complex(grown, x.imag)
    turned = (Value(entrywise(name, x.imag.real), grown.dtype) for name in ("cos", "sin"))
    return Complex(*(_times(grown, one) for one in turned))


def _abs(at: Lowering, own: Rule, x: Complex) -> Value:
    return Value(entrywise("sqrt", _size(x).node), x.real.dtype)


def _eq(at: Lowering, own: Rule, x: Any, y: Any) -> Value:
    pairs = zip(complex_of(x), complex_of(y), strict=True)
    one, other = (choices.vanishing(choices.subtract(a.real, b.real)) for a, b in pairs)
    return at.made(choices.both(one, other))


def _convert(at: Lowering, own: Rule, x: Any, *, new_dtype: Any, weak_type: Any = None) -> Any:
    if kind_of(new_dtype) != "c":
        raise Refused("a cast of complex numbers to real ones")
    half = np.dtype(f"float{np.dtype(new_dtype).itemsize * 4}")
    return Complex(*(convert(at, one, half) for one in complex_of(x)))


def _real(at: Lowering, x: Any) -> Value:
    return complex_of(x).real


def _imag(at: Lowering, x: Any) -> Value:
    return complex_of(x).imag


def _conj(at: Lowering, x: Any, *, input_dtype: Any = None) -> Complex:
    x = complex_of(x)
    return Complex(x.real, _negative(x.imag))


def _complex(at: Lowering, real: Value, imag: Value) -> Complex:
    return Complex(real, imag)


MAKING: dict[str, Rule] = {"real": _real, "imag": _imag, "conj": _conj, "complex": _complex}
OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "mul": _bilinear,
    "dot_general": _bilinear,
    "square": lambda at, own, x: product(x, x),
    "div": _div,
    "integer_pow": _power,
    "exp": _exp,
    "abs": _abs,
    "eq": _eq,
    "convert_element_type": _convert,
}
"""What is not done part by part."""

"""Entry by entry: arithmetic, functions, comparisons and selections."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....exact.entries import as_array
from ....exact.scalar import NotPolynomial
from .computer import fractions


def _binary(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            a, b = reader.computer.reals(a), reader.computer.reals(b)
            return reader.computer.combined(operation, a, b)
        dtype = reader.dtype()
        with np.errstate(over="ignore"):  # the machine's whole numbers wrap around
            return np.asarray(operation(np.asarray(a, dtype), np.asarray(b, dtype)))

    return rule


def _div(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if a.dtype == object or b.dtype == object:
        return _binary(np.true_divide)(reader, params, a, b)
    return np.asarray(np.trunc(a / b).astype(np.result_type(a, b)))


def _rem(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if a.dtype == object or b.dtype == object:
        raise NotPolynomial("a remainder")
    return np.asarray(np.fmod(a, b))


def _neg(reader: Any, params: Any, a: Any) -> Any:
    if a.dtype != object:
        return np.asarray(-a)
    return reader.computer.combined(
        np.subtract, reader.computer.reals(np.zeros(a.shape, dtype=int)), a
    )


def _power(reader: Any, params: Any, a: Any) -> Any:
    exponent = params["y"]
    if a.dtype != object:
        return np.asarray(a**exponent)
    one = reader.computer.reals(np.ones(a.shape, dtype=int))
    times = functools.partial(reader.computer.combined, np.multiply)
    power = functools.reduce(times, [a] * abs(exponent), one)
    return power if exponent >= 0 else reader.computer.combined(np.true_divide, one, power)


def _pow(reader: Any, params: Any, a: Any, b: Any) -> Any:
    computer = reader.computer
    pair: Any = np.broadcast_arrays(computer.reals(a), fractions(computer, b))
    base, exponent = pair
    out = np.empty(base.shape, dtype=object)
    for place in np.ndindex(base.shape):
        if exponent[place].denominator != 1:
            raise NotPolynomial("a power with an exponent that is no whole number")
        one = np.asarray(as_array(base[place]))
        out[place] = _power(reader, {"y": int(exponent[place])}, one)[()]
    return out


def _named(name: str) -> Callable[..., Any]:
    return lambda reader, params, a: reader.computer.function(name, a)


def _logistic(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    one = computer.reals(np.ones(a.shape, dtype=int))
    grown = computer.function("exp", _neg(reader, params, computer.reals(a)))
    return computer.combined(np.true_divide, one, computer.combined(np.add, one, grown))


def _log1p(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    one = computer.reals(np.ones(a.shape, dtype=int))
    return computer.function("log", computer.combined(np.add, computer.reals(a), one))


def _expm1(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    one = computer.reals(np.ones(a.shape, dtype=int))
    return computer.combined(np.subtract, computer.function("exp", a), one)


def _exp2(reader: Any, params: Any, a: Any) -> Any:
    """exp(x log 2), the declared law of `exp2`."""
    computer = reader.computer
    two = computer.function("log", np.full(a.shape, 2))
    return computer.function("exp", computer.combined(np.multiply, computer.reals(a), two))


def _rsqrt(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    one = computer.reals(np.ones(a.shape, dtype=int))
    return computer.combined(np.true_divide, one, computer.function("sqrt", a))


def _convert(reader: Any, params: Any, a: Any) -> Any:
    kind = np.dtype(params["new_dtype"]).kind if "bfloat16" not in str(params["new_dtype"]) else "f"
    if kind == "f":
        return reader.computer.reals(a)
    if a.dtype == object:
        raise NotPolynomial("a cast of a real number to an integer")
    return a.astype(np.dtype(params["new_dtype"]))


def _same(reader: Any, params: Any, a: Any) -> Any:
    return a


def _compare(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            a, b = (fractions(reader.computer, one) for one in (a, b))
        return np.asarray(operation(a, b)).astype(bool)

    return rule


def _select(reader: Any, params: Any, which: Any, *cases: Any) -> Any:
    if any(case.dtype == object for case in cases):
        cases = tuple(map(reader.computer.reals, cases))
    which = np.broadcast_to(which, cases[0].shape)
    out = np.empty(cases[0].shape, dtype=cases[0].dtype)
    for place in np.ndindex(out.shape):
        out[place] = cases[int(which[place])][place]
    return out


def _extreme(pick: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            computer = reader.computer
            left, right = np.broadcast_arrays(*(fractions(computer, one) for one in (a, b)))
            found = computer.map(lambda pair: pair, left)
            for place in np.ndindex(left.shape):
                found[place] = computer.as_scalar(pick(left[place], right[place]))
            return found
        return np.asarray((np.maximum if pick is max else np.minimum)(a, b))

    return rule


def _clamp(reader: Any, params: Any, low: Any, a: Any, high: Any) -> Any:
    return _extreme(min)(reader, params, _extreme(max)(reader, params, low, a), high)


def _masks(operation: Any) -> Callable[..., Any]:
    return lambda reader, params, *arrays: np.asarray(operation(*arrays))


RULES: dict[str, Callable[..., Any]] = {
    "add": _binary(np.add),
    "add_any": _binary(np.add),
    "sub": _binary(np.subtract),
    "mul": _binary(np.multiply),
    "div": _div,
    "rem": _rem,
    "neg": _neg,
    "integer_pow": _power,
    "pow": _pow,
    "square": lambda reader, params, a: _binary(np.multiply)(reader, params, a, a),
    "exp": _named("exp"),
    "log": _named("log"),
    "sqrt": _named("sqrt"),
    "abs": lambda reader, params, a: (
        reader.computer.function("abs", a) if a.dtype == object else np.abs(a)
    ),
    "log1p": _log1p,
    "expm1": _expm1,
    "rsqrt": _rsqrt,
    "logistic": _logistic,
    **{name: _named(name) for name in ("tanh", "sin", "cos", "erf")},
    "exp2": _exp2,
    **dict.fromkeys(("stop_gradient", "copy", "copy_p", "reduce_precision"), _same),
    "optimization_barrier": lambda reader, params, *a: list(a),
    "convert_element_type": _convert,
    "lt": _compare(np.less),
    "le": _compare(np.less_equal),
    "gt": _compare(np.greater),
    "ge": _compare(np.greater_equal),
    "eq": _compare(np.equal),
    "ne": _compare(np.not_equal),
    "and": _masks(np.bitwise_and),
    "or": _masks(np.bitwise_or),
    "xor": _masks(np.bitwise_xor),
    "not": _masks(np.invert),
    "select_n": _select,
    "max": _extreme(max),
    "min": _extreme(min),
    "clamp": _clamp,
}

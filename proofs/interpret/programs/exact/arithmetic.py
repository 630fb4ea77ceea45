"""Entry by entry: arithmetic, functions, comparisons and selections."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ....exact.entries import as_array
from ....exact.scalar import NotPolynomial
from .comparisons import extreme
from .computer import Computer, NoNumber, fractions, of_scalars


def _binary(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if of_scalars(a) or of_scalars(b):
            return reader.computer.combined(operation, a, b)
        dtype = reader.dtype()
        with np.errstate(over="ignore"):  # the machine's whole numbers wrap around
            return np.asarray(operation(np.asarray(a, dtype), np.asarray(b, dtype)))

    return rule


def _div(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if of_scalars(a) or of_scalars(b):
        return reader.computer.combined(np.true_divide, a, b)
    return np.asarray(np.trunc(a / b).astype(np.result_type(a, b)))


def _rem(reader: Any, params: Any, a: Any, b: Any) -> Any:
    """a − b · (a / b without its fraction)."""
    computer = reader.computer
    if not (of_scalars(a) or of_scalars(b)):
        return np.asarray(np.fmod(a, b))
    quotient = fractions(computer, computer.combined(np.true_divide, a, b))
    parts = computer.map(lambda x: computer.as_scalar(_whole_part(x)), quotient)
    return computer.combined(np.subtract, a, computer.combined(np.multiply, b, parts))


def _whole_part(of: Any) -> int:
    if isinstance(of, Fraction):
        return math.trunc(of)
    if isinstance(of, NoNumber) or not hasattr(of, "floor"):
        raise NotPolynomial("a remainder")
    found = (of.floor() if of >= 0 else of.ceil()).unique_fmpz()
    if found is None:
        raise NotPolynomial("a remainder")
    return int(found)


def _neg(reader: Any, params: Any, a: Any) -> Any:
    return reader.computer.combined(np.subtract, 0, a) if of_scalars(a) else np.asarray(-a)


def _power(reader: Any, params: Any, a: Any) -> Any:
    exponent = params["y"]
    if not of_scalars(a):
        return np.asarray(a**exponent)
    one = reader.computer.reals(np.ones(a.shape, dtype=int))
    times = functools.partial(reader.computer.combined, np.multiply)
    power = functools.reduce(times, [a] * abs(exponent), one)
    return power if exponent >= 0 else reader.computer.combined(np.true_divide, 1, power)


def _pow(reader: Any, params: Any, a: Any, b: Any) -> Any:
    computer = reader.computer
    pair: Any = np.broadcast_arrays(computer.reals(a), fractions(computer, b))
    base, exponent = pair
    out = np.empty(base.shape, dtype=object)
    for place in np.ndindex(base.shape):
        one = np.asarray(as_array(base[place]))
        out[place] = _power(reader, {"y": _whole(exponent[place])}, one)[()]
    return out


def _square(reader: Any, params: Any, a: Any) -> Any:
    return _binary(np.multiply)(reader, params, a, a)


def _one_minus_square(reader: Any, params: Any, a: Any) -> Any:
    return _binary(np.subtract)(reader, params, np.asarray(1), _square(reader, params, a))


def _whole(exponent: Any) -> int:
    """The whole number that a fraction, or a ball without a radius, is."""
    if hasattr(exponent, "denominator"):
        if exponent.denominator == 1:
            return int(exponent)
    elif exponent.is_exact() and exponent.is_integer():
        return int(exponent.unique_fmpz())
    raise NotPolynomial("a power with an exponent that is not a whole number")


def _named(name: str) -> Callable[..., Any]:
    return lambda reader, params, a: reader.computer.function(name, a)


def _logistic(computer: Computer, a: Any) -> Any:
    grown = computer.function("exp", computer.combined(np.subtract, 0, a))
    return computer.combined(np.true_divide, 1, computer.combined(np.add, 1, grown))


def _halved(computer: Computer, operation: Any, a: Any) -> Any:
    """(exp(z) ± exp(−z)) / 2."""
    powers = (computer.function("exp", one) for one in (a, computer.combined(np.subtract, 0, a)))
    return computer.combined(np.true_divide, computer.combined(operation, *powers), 2)


LAWS: dict[str, Callable[[Computer, Any], Any]] = {
    "logistic": _logistic,
    "log1p": lambda computer, a: computer.function("log", computer.combined(np.add, a, 1)),
    "log2": lambda computer, a: computer.combined(
        np.true_divide, computer.function("log", a), computer.function("log", np.asarray(2))
    ),
    "expm1": lambda computer, a: computer.combined(np.subtract, computer.function("exp", a), 1),
    "exp2": lambda computer, a: computer.function(
        "exp", computer.combined(np.multiply, a, computer.function("log", np.asarray(2)))
    ),
    "erfc": lambda computer, a: computer.combined(np.subtract, 1, computer.function("erf", a)),
    "sinh": lambda computer, a: _halved(computer, np.subtract, a),
    "cosh": lambda computer, a: _halved(computer, np.add, a),
    "rsqrt": lambda computer, a: computer.combined(np.true_divide, 1, computer.function("sqrt", a)),
}
"""Functions that are declared to be made of others."""


def _by(law: Callable[[Computer, Any], Any]) -> Callable[..., Any]:
    return lambda reader, params, a: law(reader.computer, a)


def _convert(reader: Any, params: Any, a: Any) -> Any:
    kind = np.dtype(params["new_dtype"]).kind if "bfloat16" not in str(params["new_dtype"]) else "f"
    if kind == "f":
        return reader.computer.reals(a)
    if of_scalars(a):
        raise NotPolynomial("a cast of a real number to an integer")
    return a.astype(np.dtype(params["new_dtype"]))


def _same(reader: Any, params: Any, a: Any) -> Any:
    return a


def _select(reader: Any, params: Any, which: Any, *cases: Any) -> Any:
    cases = tuple(reader.computer.alike(*cases))
    which = np.broadcast_to(which, cases[0].shape)
    out = np.empty(cases[0].shape, dtype=cases[0].dtype)
    for place in np.ndindex(out.shape):
        out[place] = cases[int(which[place])][place]
    return out


def _clamp(reader: Any, params: Any, low: Any, a: Any, high: Any) -> Any:
    return extreme(False)(reader, params, extreme(True)(reader, params, low, a), high)


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
    "square": _square,
    "one_minus_square": _one_minus_square,
    "exp": _named("exp"),
    "log": _named("log"),
    "sqrt": _named("sqrt"),
    "abs": lambda reader, params, a: (
        reader.computer.function("abs", a) if of_scalars(a) else np.abs(a)
    ),
    **{name: _by(law) for name, law in LAWS.items()},
    **{name: _named(name) for name in ("tanh", "sin", "cos", "erf", "tan", "asin", "acos")},
    **{name: _named(name) for name in ("atan", "asinh", "acosh", "atanh")},
    **dict.fromkeys(("stop_gradient", "copy", "copy_p", "reduce_precision"), _same),
    "optimization_barrier": lambda reader, params, *a: list(a),
    "convert_element_type": _convert,
    "and": _masks(np.bitwise_and),
    "or": _masks(np.bitwise_or),
    "xor": _masks(np.bitwise_xor),
    "not": _masks(np.invert),
    "select_n": _select,
    "clamp": _clamp,
}

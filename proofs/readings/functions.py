"""Functions of entries by their names: the usual ones on NumPy's floats and on exact scalars, and random ones.

A random function stands for one of which only its laws are known: what holds of it holds of all such functions, but for
a chance that is small modulo a prime.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.scalar import DivisionByZero, NotPolynomial
from ..statement.formats import Format
from ..statement.nodes import EXACT

IN_NUMPY: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tanh", "floor", "ceil")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sinh", "cosh", "tanh")},
    "erf": np.vectorize(math.erf, otypes=[float]),
    "relu": lambda a: np.maximum(a, 0.0),
    "step": lambda a: np.heaviside(a, 0.0),
    "zero": lambda a: np.equal(a, 0).astype(float),
    "softplus": lambda a: np.logaddexp(a, 0.0),
}
"""`statement.nodes.NAMED` on NumPy's floats."""
AT_ZERO = {"cos": 1, **dict.fromkeys(("sin", "asin", "atan", "tanh", "asinh", "atanh"), 0)}
"""The values at 0 of functions with no others among fractions; erf too has 0 there."""


def of_scalar(field: Any, name: str, scalar: Any) -> Any:
    """The value of one of `statement.nodes.NAMED` at a scalar of a field.

    Raises:
        NotPolynomial: if it is no scalar of the field, or not known.
    """
    own = getattr(field, name, None)
    if own is not None:
        return own(scalar)
    if name == "softplus":
        return field.log(field.number(1) + field.exp(scalar))
    value = field.as_constant(scalar)
    if isinstance(value, Fraction):
        if name in EXACT:
            return field.number(EXACT[name](value))
        if value == 0 and name in (*AT_ZERO, "erf"):
            return field.number(AT_ZERO.get(name, 0))
    elif value is not None and name in ("floor", "ceil"):  # a ball
        return getattr(value, name)()
    elif value is not None and name in ("relu", "step", "zero"):
        field.compared = True
        above, below = bool(value > 0), bool(value < 0)
        if name == "zero" and (above or below or value == 0):
            return field.number(int(not above and not below))
        if name == "relu":
            return value.max(field.number(0))
        if name == "step" and (above or value <= 0):
            return field.number(int(above))
        if value.is_finite():
            field.undecided = True
            return type(value)(0.5, 0.5)  # it is 0 or 1
    raise NotPolynomial(name)


def fitting(field: Any, form: Format, scalar: Any) -> Any:
    """A scalar that a format holds, or that is a symbol, for which a condition says so.

    Raises:
        DivisionByZero: if it is a number that the format does not hold, and has no value there.
    """
    value = field.as_constant(scalar)
    if isinstance(value, Fraction) and not form.holds(value):
        raise DivisionByZero(f"{value} is no number of the format {form.name}")
    return scalar


def is_place(constant: Any, place: int) -> bool:
    """Whether a number is a place.

    Raises:
        NotPolynomial: if that is not known: for a symbol, or a ball with the place in it and other numbers.
    """
    if constant is not None:
        if constant == place:
            return True
        if constant != place:
            return False
    raise NotPolynomial("an entry at a place that is a symbol")


def _with_laws(function: Callable[..., Any], laws: Collection[str]) -> Callable[..., Any]:
    """A function made from one without laws, which has them: differences and sums at ± its operands."""

    def mirrored(function: Callable[..., Any], sign: int) -> Callable[..., Any]:
        return lambda *given: function(*given) + sign * function(*[-one for one in given])

    if "odd" in laws:
        function = mirrored(function, -1)
    if "even" in laws:
        function = mirrored(function, 1)
    if "vanishing" not in laws:
        return function
    return lambda *given: function(*given) - function(*[one * 0 for one in given])


def smooth(name: str, laws: Collection[str] = ()) -> Callable[..., Any]:
    """A random function of floats with slopes of at most a few units, the same for the same name and laws."""
    rng = np.random.default_rng(_seed(name))
    waves = [(rng.uniform(0.2, 1), rng.uniform(0, 6)) for _ in range(3)]
    rates = rng.uniform(0.5, 1.5, (3, 100))

    def plain(*given: Any) -> Any:
        every = [np.asarray(one, float) for one in given]
        return sum(
            height * np.sin(sum(rate[k] * one for k, one in enumerate(every)) + start)
            for (height, start), rate in zip(waves, rates, strict=True)
        )

    return _with_laws(plain, laws)


def hashed(name: str, prime: int, laws: Collection[str] = ()) -> Callable[..., Any]:
    """A random function of residues: unlike operands have unrelated values."""
    seed = _seed(name)

    def plain(*given: Any) -> Any:
        found = np.uint64(seed)
        with np.errstate(over="ignore"):
            for one in given:
                found = _mixed(found ^ (np.asarray(one) % prime).astype(np.uint64))
        return (found >> np.uint64(33)).astype(np.int64)

    lawful = _with_laws(plain, laws)
    return lambda *given: lawful(*given) % prime


def _seed(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _mixed(value: Any) -> Any:
    """A permutation of the numbers below 2⁶⁴ that leaves no pattern (splitmix64)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))

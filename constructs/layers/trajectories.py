"""Curves in continuous time, for the differential equation behind a state-space model (ch9 §9.1.1).

A polynomial curve Σ_k c_k t^k is given by its coefficients, shape (D + 1, …), the constant one first.
"""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.gradient import gradient
from ..arrays.ranges import build


@definition
def value(coefficients: Array, time: Array) -> Array:
    """Σ_k c_k t^k: (D + 1, …) and a scalar -> (…)."""
    constant, degree = coefficients[0], coefficients.shape[0] - 1
    if degree < 1:
        return constant
    xp = namespace(constant * time)
    return constant + build(xp, degree, lambda k: coefficients[k + 1] * time ** (k + 1)).sum(axis=0)


@definition
def integral(coefficients: Array, time: Array) -> Array:
    """∫_0^t Σ_k c_k τ^k dτ = Σ_k c_k t^{k+1} / (k + 1): (D + 1, …) and a scalar -> (…)."""
    xp = namespace(coefficients)
    risen = build(xp, coefficients.shape[0], lambda k: coefficients[k] / (k + 1))
    return value(xp.concat([risen[:1] - risen[:1], risen], axis=0), time)


@definition
def velocity(curve: Callable[[Array], Array], time: Array) -> Array:
    """The derivative of `curve`, a function of time with values of shape (m,), derived and not typed in: -> (m,)."""
    xp = namespace(time)
    size = curve(time).shape[0]
    return build(xp, size, lambda a: gradient(lambda t: curve(t)[a], time))

"""Curves in continuous time, for the differential equation behind a state-space model (ch9 §9.1.1).

A polynomial curve Σ_k c_k t^k is given by its coefficients, shape (D + 1, …), the constant one first.
"""

from __future__ import annotations

from collections.abc import Callable

from .array_api import Array, namespace
from .definition import definition
from .gradient import gradient


@definition
def value(coefficients: Array, time: Array) -> Array:
    """Σ_k c_k t^k, by Horner's rule: (D + 1, …) and a scalar -> (…)."""
    total = coefficients[-1]
    for k in range(coefficients.shape[0] - 2, -1, -1):
        total = total * time + coefficients[k]
    return total


@definition
def integral(coefficients: Array, time: Array) -> Array:
    """∫_0^t Σ_k c_k τ^k dτ = Σ_k c_k t^{k+1} / (k + 1): (D + 1, …) and a scalar -> (…)."""
    xp = namespace(coefficients)
    powers = [coefficients[k] / (k + 1) for k in range(coefficients.shape[0])]
    return value(xp.stack([powers[0] - powers[0], *powers], axis=0), time)


@definition
def velocity(curve: Callable[[Array], Array], time: Array) -> Array:
    """The derivative of `curve`, a function of time with values of shape (m,), derived and not typed in: -> (m,)."""
    xp = namespace(time)
    size = curve(time).shape[0]
    slopes = [gradient(lambda t, a=a: curve(t)[a], time) for a in range(size)]
    return xp.stack(slopes, axis=0)

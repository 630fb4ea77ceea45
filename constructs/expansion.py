"""The first coefficients of a function of a small number ε at ε = 0: what O(ε) and O(ε²) mean, made exact."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import factorial
from typing import Any

from .array_api import Array
from .definition import definition
from .gradient import gradient


@definition
def coefficient(xp: Any, curve: Callable[[Array], Array], order: int) -> Array:
    """The coefficient of ε^order in curve(ε), derived by differentiation at ε = 0; the shape of curve(ε).

    Args:
        xp: namespace of the arrays that `curve` makes.
        curve: an array-valued function of a scalar, with derivatives at 0.
        order: 0, 1, 2, …; curve(ε) = O(ε^k) at fixed data and sizes says that the coefficients below k vanish.
    """
    zero = xp.asarray(0)
    value = curve(zero)
    if order == 0:
        return value
    entries = [
        _derivative(lambda eps, index=index: curve(eps)[index], order, zero) / factorial(order)
        for index in product(*(range(length) for length in value.shape))
    ]
    return xp.reshape(xp.stack(entries, axis=0), tuple(value.shape))


def _derivative(function: Callable[[Array], Array], order: int, at: Array) -> Array:
    if order == 0:
        return function(at)
    return gradient(lambda eps: _derivative(function, order - 1, eps), at)

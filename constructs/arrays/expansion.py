"""The first coefficients of a function of a small number ε at ε = 0: what O(ε) and O(ε²) mean, made exact."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

from .array_api import Array
from .definition import definition
from .gradient import gradient
from .ranges import build


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

    def entries(*index: int) -> Array:
        """The coefficients at all places that begin with `index`."""
        if len(index) < len(value.shape):
            return build(xp, value.shape[len(index)], lambda i: entries(*index, i))
        return _derivative(lambda eps: curve(eps)[index], order, zero) / factorial(order)

    return entries()


def _derivative(function: Callable[[Array], Array], order: int, at: Array) -> Array:
    if order == 0:
        return function(at)
    return gradient(lambda eps: _derivative(function, order - 1, eps), at)

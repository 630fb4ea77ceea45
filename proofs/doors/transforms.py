"""The circular convolution, of which a product of discrete Fourier transforms is the transform."""

from __future__ import annotations

from ..statement import choices, making
from ..statement.whole import Axis, Number, whole
from .infinities import Value


def places(count: int, axis: int, place: Number) -> list[Number]:
    """As many places, which are the position along each axis but one."""
    return [place if k == axis else whole(Axis(k)) for k in range(count)]


def circular(a: Value, b: Value, axis: int) -> Value:
    """Σ_j a[j] b[(i − j) mod n] along the axis, i there and j a last axis."""
    count, n = len(a.shape), a.shape[axis]
    back, shape = whole(Axis(axis)) - whole(Axis(count)), (*a.shape, n)
    first = making.take(b.real, places(count, axis, back), shape, [back])
    wrapped = making.take(b.real, places(count, axis, back + n), shape, [-back - 1])
    every = list(range(count))
    names = [count if k == axis else k for k in every], [*every, count]
    factors = [a.real, choices.add(first, wrapped)]
    return Value(making.contracted(factors, names, every), a.dtype)

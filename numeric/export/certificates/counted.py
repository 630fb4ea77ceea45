"""Counting roundings: the definitions read on arrays that know how large they may be and how often they were rounded.

A number made by additions, subtractions and multiplications is a sum of products of inputs, its terms. Computed in a
format, in any order, every term comes with at most m factors 1 + δ, |δ| ≤ u, so that

    |computed − exact| ≤ γ_m M + low,   γ_m = m u / (1 − m u)   (Higham, §3.1),

with M the sum of the terms' absolute values, which is what the definition gives for absolute values when its
subtractions are read as additions, and with `low` what underflows add. One reading thus bounds the error for all data
that are no larger. Divisions are allowed by numbers that are not negative and in which nothing cancels.

Where operations run in a wider format, each counts as the part of u that it rounds (`Format.operation`), and what is
stored as 1: a product of factors 1 + δ_i is off by S/(1 − S) at most for Σ|δ_i| ≤ S < 1, be they equal or not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators

from ...rounding.arithmetic import DIVISION, OWN, Format, gamma


@dataclass(eq=False)
class Counted(Operators):
    """An array of the format `form`; see the module's docstring."""

    form: Format
    magnitude: Any
    """M, for every entry."""
    count: float
    """m, for all entries."""
    low: Any = 0.0
    """What underflows add, of a shape that broadcasts to M's."""
    whole: bool = False
    """Whether the exact entries are their magnitudes: none is negative, and nothing cancels."""
    scaling: bool = False
    """Whether all entries are exact powers of two or 0, so that a product with them is not rounded."""
    held: bool = False
    """Whether all entries are numbers of the format, so that storing them rounds nothing."""
    peak: float = 0.0
    """The largest magnitude on the way here."""

    def __post_init__(self) -> None:
        self.magnitude = np.asarray(self.magnitude, dtype=np.float64)
        self.low = np.asarray(self.low, dtype=np.float64)
        self.peak = max(self.peak, float(self.magnitude.max(initial=0.0)))

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.form)

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Counted:
        return OPERATIONS[operation](left, right)

    def __neg__(self) -> Counted:
        return replace(self, whole=self.whole and not self.magnitude.any())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.magnitude.shape

    @property
    def alive(self) -> np.ndarray:
        """1 where an entry may be computed as something other than 0, else 0."""
        return ((self.magnitude > 0) | (self.low > 0)).astype(np.float64)

    @property
    def reach(self) -> np.ndarray:
        """The largest that the computed entries can be, apart from `low`."""
        return self.magnitude * (1 + gamma(self.count, self.form.unit))

    @property
    def error(self) -> np.ndarray:
        """A bound of |computed − exact|; infinite where a number on the way may overflow."""
        relative = gamma(self.count, self.form.unit)
        if not self.peak * (1 + relative) + self.low.max(initial=0) < self.form.largest / 2:
            return np.full(self.shape, np.inf)
        return relative * self.magnitude + self.low

    def _moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Counted:
        low = np.broadcast_to(self.low, self.shape)
        return replace(self, magnitude=move(self.magnitude), low=move(low))

    def sum(self, axis: int | None = None) -> Counted:
        """The sum along an axis, with the roundings that its additions make."""
        met = self.alive.sum(axis=axis)
        terms = int(np.max(met, initial=0))
        low = np.broadcast_to(self.low, self.shape).sum(axis=axis)
        low = low * (1 + gamma(terms * self.form.operation, self.form.unit)) + self.form.tiny * met
        count = self.count + max(terms - 1, 0) * self.form.operation
        found = _made(self, self, self.magnitude.sum(axis=axis), count, low, self.whole)
        found.held = self.held and terms <= 1
        return found


def _made(a: Counted, b: Counted, magnitude: Any, count: float, low: Any, whole: bool) -> Counted:
    """The result of an operation on two arrays, with its magnitude and count."""
    return Counted(a.form, magnitude, count, low, whole, peak=max(a.peak, b.peak))


def _added(a: Counted, b: Counted) -> Counted:
    magnitude, low, whole = a.magnitude + b.magnitude, a.low + b.low, a.whole and b.whole
    for one, other, kept in ((a, b, a.whole), (b, a, whole)):
        if not other.alive.any():  # adding 0 rounds nothing
            found = _made(a, b, magnitude, one.count, low, kept)
            found.held = one.held
            return found
    low = low * (1 + a.form.unit) + a.form.tiny
    return _made(a, b, magnitude, max(a.count, b.count) + a.form.operation, low, whole)


def _subtracted(a: Counted, b: Counted) -> Counted:
    return replace(_added(a, b), whole=False)


def _multiplied(a: Counted, b: Counted) -> Counted:
    low = _underflows(np.multiply, a, b) + a.form.tiny * a.alive * b.alive
    product = _rounded_product(a, b, a.magnitude * b.magnitude, 0, low)
    product.scaling = a.scaling and b.scaling
    return product


def _matrix_product(a: Counted, b: Counted) -> Counted:
    met = a.alive @ b.alive
    additions = max(int(np.max(met, initial=0)) - 1, 0)
    low = _underflows(np.matmul, a, b) + 2 * a.form.tiny * met
    product = _rounded_product(a, b, a.magnitude @ b.magnitude, additions, low)
    product.scaling = a.scaling and b.scaling and not additions
    return product


def _rounded_product(a: Counted, b: Counted, magnitude: Any, additions: int, low: Any) -> Counted:
    shifts = a.scaling or b.scaling
    count = a.count + b.count + (additions + (not shifts)) * a.form.operation
    low = low * (1 + gamma((additions + 1) * a.form.operation, a.form.unit))
    found = _made(a, b, magnitude, count, low, a.whole and b.whole)
    found.held = shifts and a.held and b.held and not additions
    return found


def _divided(a: Counted, b: Counted) -> Counted:
    unit, least = b.form.unit, b.magnitude * (1 - gamma(b.count, b.form.unit))
    if not b.whole or not (least > 0).all() or (b.low > unit * least).any():
        return _made(a, b, np.full(a.shape, np.inf), 0, np.inf, False)
    count = a.count + b.count + (0 if b.scaling else DIVISION * b.form.operation)
    low = a.low / least * (1 + DIVISION * unit) + DIVISION * b.form.tiny * a.alive
    found = _made(a, b, a.magnitude / b.magnitude, count, low, a.whole)
    found.held = a.held and b.scaling
    return found


def _underflows(multiply: Callable[..., Any], a: Counted, b: Counted) -> Any:
    """What underflows of two factors make of a bilinear product."""
    if not a.low.any() and not b.low.any():
        return 0.0
    low, other = np.broadcast_to(a.low, a.shape), np.broadcast_to(b.low, b.shape)
    return multiply(a.reach + low, other) + multiply(low, b.reach)


OPERATIONS: dict[Callable[[Any, Any], Any], Callable[[Counted, Counted], Counted]] = {
    operator.add: _added,
    operator.sub: _subtracted,
    operator.mul: _multiplied,
    operator.matmul: _matrix_product,
    operator.truediv: _divided,
}


def stored(array: Counted) -> Counted:
    """What is stored of results of operations that are rounded less than the format rounds; others are as they are."""
    if array.held or array.form.operation == 1:
        return array
    low = array.low * (1 + array.form.unit) + array.form.tiny * array.alive
    return replace(array, count=array.count + 1, low=low, held=True, scaling=False)


def entering(value: Any, form: Format, *, wide: bool = False) -> Counted:
    """Known numbers, exact ones (int, Fraction) or floats, as they enter a computation in a format.

    A number that is not a float64 is rounded to that first, and then to the format if that does not hold it.

    Args:
        value: the numbers.
        form: the format.
        wide: whether they are rounded as operations are, and not stored.
    """
    if isinstance(value, Counted):
        return value
    given = np.asarray(value)
    floats = given.astype(np.float64)
    sizes, parts = np.abs(floats), np.frexp(floats)[0]
    count = 0
    if given.dtype.kind != "f" and not all(map(operator.eq, given.flat, floats.flat)):
        count += math.ceil(
            OWN.unit / form.unit
        )  # Python compares exact numbers with floats exactly
    held = bool((parts / form.unit == np.rint(parts / form.unit)).all())
    if not held:  # more bits than the format's
        count += form.operation if wide else 1
    powers = count == 0 and bool(np.isin(np.abs(parts), (0.0, 0.5)).all())
    low = form.tiny * ((sizes < form.tiny) & (sizes > 0))
    return Counted(
        form, sizes, count, low, whole=bool((floats >= 0).all()), scaling=powers, held=not count
    )


class Namespace(Functions):
    """Constructors and named functions of counted arrays (a part of the array API)."""

    arrays, library = "counted arrays", np

    def __init__(self, form: Format) -> None:
        self.form = form

    def asarray(self, value: Any) -> Counted:
        """An array or number in the format, with the rounding to it counted."""
        return entering(value, self.form)

    def sqrt(self, array: Any) -> Counted:
        """The square root; infinite where nothing is known of its rounding."""
        array = self.asarray(array)
        if not array.whole or array.low.any():
            return Counted(self.form, np.full(array.shape, np.inf), 0, np.inf)
        root = entering(np.sqrt(array.magnitude), self.form)
        # its own rounding, and less than those of the radicand
        count = array.count + self.form.operation
        return Counted(self.form, root.magnitude, count, whole=True, peak=array.peak)

    def _joined(self, join: Callable[..., Any], arrays: Sequence[Any]) -> Counted:
        parts = [self.asarray(a) for a in arrays]
        return Counted(
            self.form,
            join([p.magnitude for p in parts]),
            max(p.count for p in parts),
            join([np.broadcast_to(p.low, p.shape) for p in parts]),
            whole=all(p.whole for p in parts),
            scaling=all(p.scaling for p in parts),
            held=all(p.held for p in parts),
            peak=max(p.peak for p in parts),
        )

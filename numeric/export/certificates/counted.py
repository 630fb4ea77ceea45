"""Counting roundings: the definitions read on arrays that know how large they may be and how often they were rounded.

A number made by additions, subtractions and multiplications is a sum of products of inputs, its terms. Computed in a
format, in any order, every term comes with at most m factors 1 + δ, |δ| ≤ u, so that

    |computed − exact| ≤ γ_m M + low,   γ_m = m u / (1 − m u)   (Higham, §3.1),

with M the sum of the terms' absolute values, which is what the definition gives for absolute values when its
subtractions are read as additions, and with `low` what underflows add. One reading thus bounds the error for all data
that are no larger. Divisions are allowed by numbers that are not negative and in which nothing cancels.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators

from ...rounding.arithmetic import DIVISION, OWN, Format, gamma


class Counted(Operators):
    """An array of the format `form`; see the module's docstring."""

    __slots__ = ("count", "form", "low", "magnitude", "peak", "scaling", "whole")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        form: Format,
        magnitude: Any,
        count: int,
        low: Any = 0.0,
        *,
        whole: bool = False,
        scaling: bool = False,
        peak: float = 0.0,
    ) -> None:
        self.form = form
        self.magnitude = np.asarray(magnitude, dtype=np.float64)
        """M, for every entry."""
        self.count = count
        """m, for all entries."""
        self.low = np.asarray(low, dtype=np.float64)
        """What underflows add, of a shape that broadcasts."""
        self.whole = whole
        """Whether the exact entries are their magnitudes: none is negative, and nothing cancels."""
        self.scaling = scaling
        """Whether all entries are exact powers of two or 0, so that a product with them is not rounded."""
        self.peak = max(peak, float(self.magnitude.max(initial=0.0)))
        """The largest magnitude on the way here."""

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.form)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.magnitude.shape

    @property
    def alive(self) -> np.ndarray:
        """1 where an entry may be computed as something other than 0, else 0."""
        return ((self.magnitude > 0) | (self.low > 0)).astype(np.float64)

    @property
    def reach(self) -> np.ndarray:
        """What the computed entries are at most, but for `low`."""
        return self.magnitude * (1 + gamma(self.count, self.form.unit))

    @property
    def error(self) -> np.ndarray:
        """A bound of |computed − exact|; infinite where a number on the way may overflow."""
        room = self.form.largest / 2
        if not self.peak * (1 + gamma(self.count, self.form.unit)) + self.low.max(initial=0) < room:
            return np.full(self.shape, np.inf)
        return gamma(self.count, self.form.unit) * self.magnitude + self.low

    def _moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Counted:
        low = np.broadcast_to(self.low, self.shape)
        return self._like(move(self.magnitude), move(low))

    def _like(self, magnitude: Any, low: Any) -> Counted:
        return Counted(
            self.form,
            magnitude,
            self.count,
            low,
            whole=self.whole,
            scaling=self.scaling,
            peak=self.peak,
        )

    def _made(self, other: Counted, magnitude: Any, count: int, low: Any, whole: bool) -> Counted:
        return Counted(
            self.form, magnitude, count, low, whole=whole, peak=max(self.peak, other.peak)
        )

    def __neg__(self) -> Counted:
        out = self._like(self.magnitude, self.low)
        out.whole = self.whole and not self.magnitude.any()
        return out

    def _combined(
        self, operation: Callable[[Any, Any], Any], left: Counted, right: Counted
    ) -> Counted:
        if operation is operator.add:
            return left._plus(right, left.whole)
        if operation is operator.sub:
            return left._plus(right, False)
        if operation is operator.truediv:
            return left._over(right)
        low = _product(operation, left, right)
        magnitude = operation(left.magnitude, right.magnitude)
        if operation is operator.mul:
            low = low + left.form.tiny * left.alive * right.alive
            return left._times(right, magnitude, 0, low)
        met = left.alive @ right.alive
        additions = max(int(np.max(met, initial=0)) - 1, 0)
        return left._times(right, magnitude, additions, low + 2 * left.form.tiny * met)

    def _plus(self, other: Counted, whole: bool) -> Counted:
        magnitude = self.magnitude + other.magnitude
        if not other.alive.any():  # adding 0 rounds nothing
            return self._made(other, magnitude, self.count, self.low + other.low, whole)
        if not self.alive.any():
            left = whole and other.whole
            return self._made(other, magnitude, other.count, self.low + other.low, left)
        count = max(self.count, other.count) + 1
        low = (self.low + other.low) * (1 + self.form.unit) + self.form.tiny
        return self._made(other, magnitude, count, low, whole and other.whole)

    def _times(self, other: Counted, magnitude: Any, additions: int, low: Any) -> Counted:
        count = self.count + other.count + additions
        if not (self.scaling or other.scaling):
            count += 1
        low = low * (1 + gamma(additions + 1, self.form.unit))
        out = self._made(other, magnitude, count, low, self.whole and other.whole)
        out.scaling = self.scaling and other.scaling and not additions
        return out

    def _over(self, other: Counted) -> Counted:
        least = other.magnitude * (1 - gamma(other.count, self.form.unit))
        if not other.whole or not (least > 0).all() or (other.low > self.form.unit * least).any():
            return self._made(other, np.full(self.shape, np.inf), 0, np.inf, False)
        count = self.count + other.count + (0 if other.scaling else DIVISION)
        low = self.low / least * (1 + DIVISION * self.form.unit)
        low = low + DIVISION * self.form.tiny * self.alive
        return self._made(
            other, self.magnitude / other.magnitude, count, low, self.whole and other.whole
        )

    def sum(self, axis: int | None = None) -> Counted:
        met = self.alive.sum(axis=axis)
        terms = int(np.max(met, initial=0))
        low = np.broadcast_to(self.low, self.shape).sum(axis=axis)
        low = low * (1 + gamma(terms, self.form.unit)) + self.form.tiny * met
        count = self.count + max(terms - 1, 0)
        return self._made(self, self.magnitude.sum(axis=axis), count, low, self.whole)

    def __repr__(self) -> str:
        return f"Counted({self.magnitude.tolist()}, {self.count} roundings)"


def _product(multiply: Callable[..., Any], left: Counted, right: Counted) -> Any:
    """What underflows of two factors make of a bilinear product."""
    if not left.low.any() and not right.low.any():
        return 0.0
    reach, low = left.reach, np.broadcast_to(left.low, left.shape)
    other = np.broadcast_to(right.low, right.shape)
    return multiply(reach + low, other) + multiply(low, right.reach)


def entering(value: Any, form: Format) -> Counted:
    """Known numbers, exact ones (int, Fraction) or floats, as they enter a computation in a format.

    A number that is no float64 is rounded to that first, and one that is none of the format is rounded to it.
    """
    if isinstance(value, Counted):
        return value
    given = np.asarray(value)
    floats = given.astype(np.float64)
    sizes = np.abs(floats)
    count = 0
    if given.dtype.kind != "f" and not _equal(given, floats):
        count += math.ceil(OWN.unit / form.unit)
    if not _representable(floats, form):
        count += 1
    powers = count == 0 and bool(np.isin(np.frexp(sizes)[0], (0.0, 0.5)).all())
    low = form.tiny * ((sizes < form.tiny) & (sizes > 0))
    return Counted(form, sizes, count, low, whole=bool((floats >= 0).all()), scaling=powers)


def _equal(given: np.ndarray, floats: np.ndarray) -> bool:
    """Whether exact numbers are those floats; comparisons of numbers with floats are exact in Python."""
    return all(exact == near for exact, near in zip(given.flat, floats.flat, strict=True))


def _representable(floats: np.ndarray, form: Format) -> bool:
    """Whether all numbers have no more bits than the format's."""
    parts = np.frexp(floats)[0] / form.unit
    return bool((parts == np.rint(parts)).all())


class Namespace(Functions):
    """Constructors and named functions of counted arrays (a part of the array API)."""

    arrays, library = "counted arrays", np

    def __init__(self, form: Format) -> None:
        self.form = form

    def asarray(self, value: Any) -> Counted:
        return entering(value, self.form)

    def sqrt(self, array: Any) -> Counted:
        array = self.asarray(array)
        if not array.whole or array.low.any():
            return Counted(self.form, np.full(array.shape, np.inf), 0, np.inf)
        root = entering(np.sqrt(array.magnitude), self.form)
        count = array.count + 1  # its own rounding, and less than those of the radicand
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
            peak=max(p.peak for p in parts),
        )

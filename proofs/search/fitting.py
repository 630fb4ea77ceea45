"""By how much two sides differ at several sizes, as c / M: c a number, M a product of sizes and their inverses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..exact.field import as_constant

LARGEST = {4: 7, 6: 4, 1000: 2}
"""The factor M is a product of at most this many n − 1, n, n + 1 and their inverses, by how many of them there are."""
CLOSE = 1e-6
"""Logarithms that are no further apart may be equal."""
Sample = tuple[tuple[int, ...], Fraction]
"""Values of sizes and of loops' variables, and by how much the sides differ there."""
Gaps = dict[tuple[int, ...], Fraction]
"""By how much the sides differ at corners: 0 is the first index along an axis, -1 the last."""


def gaps_at_corners(one: np.ndarray, other: np.ndarray) -> Gaps:
    """one − other at the corners where that is a rational number other than 0."""
    corners = itertools.product(*[(0, -1)] * one.ndim) if one.size else ()
    found = {c: as_constant(one[c] - other[c]) for c in corners}
    return {c: gap for c, gap in found.items() if gap}


def fit(samples: Sequence[Sample]) -> tuple[tuple[int, ...], Fraction] | None:
    """Exponents of a factor M, and c, such that M · gap = c at every sample: the simplest there are."""
    (first, gap), *others = samples
    if all(other == gap for _, other in others):
        return (0,) * len(first), gap
    ratios = [gap / other for _, other in others]
    if min(ratios) <= 0:
        return None
    wanted = [_log(ratio) for ratio in ratios]
    sizes = np.log(np.array([at for at, _ in samples], dtype=float))
    powers, rows = _ranked(len(first))
    far = rows @ (sizes[1:] - sizes[0]).T - wanted
    for k in np.flatnonzero(np.abs(far).max(axis=1) < CLOSE):  # logarithms find it, numbers decide
        c = gap * _power(first, powers[k])
        if all(other * _power(at, powers[k]) == c for at, other in others):
            return powers[k], c
    return None


def _log(ratio: Fraction) -> float:
    return math.log(ratio.numerator) - math.log(ratio.denominator)


@lru_cache(maxsize=8)
def _ranked(count: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """All exponents for this many numbers, the simplest first, and the same as an array."""
    largest = next(n for most, n in LARGEST.items() if count <= most)
    powers = sorted(_exponents(count, largest), key=lambda one: (sum(map(abs, one)), one))
    return powers, np.array(powers, dtype=float)


def _exponents(count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Whole numbers whose sizes add up to no more than `largest`."""
    if not count:
        yield ()
        return
    for first in range(-largest, largest + 1):
        for others in _exponents(count - 1, largest - abs(first)):
            yield (first, *others)


def _power(at: Sequence[int], powers: Sequence[int]) -> Fraction:
    result = Fraction(1)
    for value, power in zip(at, powers, strict=True):
        result *= Fraction(value) ** power
    return result


def are_apart(places: Sequence[tuple[int, ...]], gaps: Sequence[Gaps]) -> bool:
    """Whether at some corner M · gap is one number, not 0, at all of these places."""
    corners = set.intersection(*map(set, gaps))
    samples = (
        [(at, gap[corner]) for at, gap in zip(places, gaps, strict=True)] for corner in corners
    )
    return any(fit(one) for one in samples)

"""By how much two sides differ at several sizes, as c / M: c a number, M a product of sizes and their inverses."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..language.statements import Equal
from .engines import as_constant, sides

NEAR = (-1, 0, 1)
LARGEST = {4: 7, 6: 4, 1000: 2}
"""The factor M is a product of at most so many n − 1, n, n + 1 and their inverses, by how many of them there are."""
Sample = tuple[tuple[int, ...], Fraction]
"""Values of sizes and of loops' variables, and by how much the sides differ there."""
Gaps = dict[tuple[int, ...], Fraction]
"""By how much the sides differ at corners: 0 is the first index along an axis, -1 the last."""


def gaps_at_corners(one: Any, other: Any) -> Gaps:
    """one − other at the corners where that is a rational number other than 0."""
    left, right = sides(Equal(one, other))
    corners = itertools.product(*[(0, -1)] * left.entries.ndim) if left.entries.size else ()
    found = {c: as_constant(left.entries[c] - right.entries[c]) for c in corners}
    return {c: gap for c, gap in found.items() if gap}


def fit(samples: Sequence[Sample]) -> tuple[tuple[int, ...], Fraction] | None:
    """Exponents of a factor M, and c, such that M · gap = c at every sample."""
    gaps = [gap for _, gap in samples]
    if len(set(gaps)) == 1:
        return (0,) * len(samples[0][0]), gaps[0]
    powers = _factors(tuple(at for at, _ in samples)).get(tuple(gaps[0] / gap for gap in gaps))
    return None if powers is None else (powers, gaps[0] * _power(samples[0][0], powers))


@lru_cache(maxsize=8)
def _factors(places: tuple[tuple[int, ...], ...]) -> dict[tuple[Fraction, ...], tuple[int, ...]]:
    """The simplest exponents for all that a factor can be at these places, relative to the first."""
    count = len(places[0])
    largest = next(n for most, n in LARGEST.items() if count <= most)
    ranked = sorted((sum(map(abs, powers)), powers) for powers in _exponents(count, largest))
    found: dict[tuple[Fraction, ...], tuple[int, ...]] = {}
    for _, powers in ranked:
        values = [_power(at, powers) for at in places]
        found.setdefault(tuple(value / values[0] for value in values), powers)
    return found


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

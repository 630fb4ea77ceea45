"""Inputs that meet conditions which are bounds, with equality where that can be had: there a bound is tried hardest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...exact.instance import Point
from ...exact.roots import FlintRootsField, as_fractions
from ...exact.scalar import DivisionByZero, NotPolynomial
from ...language.calls import arguments
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...statement.nodes import Input, Number
from .hypotheses import bounds_at, failing, meets_hypotheses

FIELD = FlintRootsField()

STEPS = 100
"""A least value that is irrational is rounded up to a multiple of 1/STEPS."""
SHRINKING = tuple(Fraction(1, 4**k) for k in range(1, 7))
NO_VALUE = (DivisionByZero, ZeroDivisionError, NotPolynomial)


def fitting(claim: Claim, sizes: Sizes, point: Point) -> Point | None:
    """The point with bounding symbols made least, and one symbol shrunk if the conditions ask for it.

    None if the claim has no condition that is a bound, or nothing of this kind meets them.
    """
    least = _least_values(claim, sizes, point)
    if least is None:
        return None
    found = _with(point, least)
    unmet = _unmet(claim, sizes, found)
    if unmet == set():
        return None if found is point else found
    moving = set(point) if unmet is None else _shared(claim, unmet, least)
    free = [name for name in point if name in moving and not least.get(name, _FREE).bounding]
    for name in sorted(free, key=lambda name: point[name].ndim):
        smaller = _shrunk(claim, sizes, point, name)
        if _is_met(claim, sizes, next(smaller)):
            return next(one for one in smaller if _is_met(claim, sizes, one))
    return None


def _unmet(claim: Claim, sizes: Sizes, point: Point) -> set[str] | None:
    """The conditions, by their text, that the point does not meet; None if one has no value."""
    try:
        return set(failing(claim, sizes, point))
    except NO_VALUE:
        return None


def _shared(claim: Claim, unmet: set[str], least: Mapping[str, _Least]) -> set[str]:
    """The symbols on which each unmet condition depends: to shrink another one leaves some of them unmet.

    A condition on a symbol that is made least depends on what the other conditions on that symbol are of.
    """
    asked = {text: set(arguments("a condition", one)) for text, one in claim.assuming.items()}

    def of(text: str) -> set[str]:
        made = asked[text] & least.keys()
        return asked[text].union(*(other for other in asked.values() if other & made))

    return set.intersection(*map(of, unmet))


def tightened(claim: Claim, sizes: Sizes, point: Point) -> Point | None:
    """The point with every scalar symbol C of a condition at_most(…, C) at the least value that meets it.

    The same point if there is no such symbol; None if no condition is a bound, or one has no value.
    """
    least = _least_values(claim, sizes, point)
    return None if least is None else _with(point, least)


class _Least(NamedTuple):
    value: Fraction
    bounding: bool
    """Whether it is that of something else in the claim, not of a plain number."""


_FREE = _Least(Fraction(0), False)


def _least_values(claim: Claim, sizes: Sizes, point: Point) -> dict[str, _Least] | None:
    """The least value of every symbol that is by itself the right side of a condition."""
    try:
        every = [one for some in bounds_at(claim, sizes, point, FIELD).values() for one in some]
    except NO_VALUE:
        return None
    if not every:
        return None
    found: dict[str, list[_Least]] = {}
    for bound, left, _ in every:
        if isinstance(bound.right, Input) and bound.right.shape == ():
            name, least = bound.right.name, [*map(_rounded_up, as_fractions(left).flat)]
            if isinstance(bound.left, Number):  # above a plain number it need not be least
                found.setdefault(name, []).append(
                    _Least(max(*least, abs(point[name].item())), False)
                )
            else:
                found.setdefault(name, []).extend(_Least(one, True) for one in least)
    return {name: max(values) for name, values in found.items()}


def _rounded_up(number: Any) -> Fraction:
    """The number, if it is rational, else one just above it."""
    if isinstance(number, Fraction):
        return number
    return Fraction(math.floor(float(number) * STEPS) + 1, STEPS)


def _with(point: Point, least: dict[str, _Least]) -> Point:
    if all(one.value == point[name].item() for name, one in least.items()):
        return point
    return {**point, **{name: np.array(one.value, dtype=object) for name, one in least.items()}}


def _shrunk(claim: Claim, sizes: Sizes, point: Point, name: str) -> Iterator[Point]:
    """The point with one symbol far smaller, and then with that symbol ever smaller until it is so again."""
    for factor in (SHRINKING[-1], *SHRINKING):
        smaller = {**point, name: np.asarray(point[name] * factor, dtype=object)}
        yield tightened(claim, sizes, smaller) or smaller


def _is_met(claim: Claim, sizes: Sizes, point: Point) -> bool:
    try:
        return meets_hypotheses(claim, sizes, point)
    except NO_VALUE:
        return False

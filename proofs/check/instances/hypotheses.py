"""A claim's side conditions at a point: bounds are read from its statement, predicates called with numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...doors.record.claims import conditions
from ...exact.entries import arranged
from ...exact.field import Field
from ...exact.instance import Point, scalars
from ...exact.roots import FlintRootsField
from ...language.claim import Claim
from ...language.conditions import holds
from ...language.sizes import Sizes
from ...language.statements import AtMost
from ...readings.exact import Exact
from ...readings.run import Sides, of
from ...statement.statement import Relation
from .stated import stated


def bounds(claim: Claim, sizes: Sizes) -> dict[str, tuple[Relation, ...]]:
    """The conditions that are bounds, by their text: those of its statement, or else as they are at these sizes."""
    if not claim.assuming:
        return {}
    own = stated(claim, sizes)
    every = own.statement.hypotheses if own else ()
    found = {one.text: one.bounds for one in every if one.bounds}
    if len(found) == len(claim.assuming):
        return found
    return {**_at(claim, tuple(sizes.items())), **found}


@lru_cache(maxsize=64)
def _at(claim: Claim, sizes: tuple[tuple[str, int], ...]) -> Mapping[str, tuple[Relation, ...]]:
    return {one.text: one.bounds for one in conditions(claim, dict(sizes)) if one.bounds}


def bounds_at(claim: Claim, sizes: Sizes, point: Point, field: Field) -> dict[str, list[Sides]]:
    """The same with their sides at a point.

    Raises:
        NotPolynomial: if the field lacks a function.
        DivisionByZero: where there is no value.
    """
    reading = Exact(field, sizes, scalars(claim, field, point))
    return {text: [*of(every, reading)] for text, every in bounds(claim, sizes).items()}


def meets_hypotheses(claim: Claim, sizes: Sizes, point: Point) -> bool:
    """Whether inputs at a point satisfy every side condition of the claim."""
    return next(failing(claim, sizes, point), None) is None


def failing(claim: Claim, sizes: Sizes, point: Point) -> Iterator[str]:
    """The side conditions, by their text, that inputs at a point do not satisfy."""
    stated_at = bounds_at(claim, sizes, point, FlintRootsField())
    for text, condition in claim.assuming.items():
        if text in stated_at:
            met = all(holds(AtMost(left, right)) for _, left, right in stated_at[text])
        else:
            met = claim.meets(condition, {**_numbers(point), **sizes})
        if not met:
            yield text


def _numbers(point: Point) -> dict[str, Any]:
    """Plain numbers; new ones for each condition, which may write into them."""
    found = {n: arranged(map(Fraction, a.flat), a.shape) for n, a in point.items()}
    return {name: a.item() if a.shape == () else a for name, a in found.items()}

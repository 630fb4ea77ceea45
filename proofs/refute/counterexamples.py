"""Smallest exact counterexamples and witnesses: smallest sizes first, then the plainest numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..check.certificate import Collision, Counterexample, Named, Witness, named
from ..check.instances.at_point import (
    difference_index,
    inputs_as_text,
    nested,
    quick_statements_at,
    statements_at,
)
from ..check.instances.enclosed import apart
from ..check.instances.points import TRIES, candidates, find, to_refute
from ..check.source import Source
from ..exact.instance import Point, shapes
from ..language.claim import Claim
from ..language.numbers import is_nonzero
from ..language.sizes import Sizes
from ..language.statements import AtMost, Determines, Equal, Statement, Undetermined
from .shrinking import simplest

PAIR_TRIES = 400
PARTS = 4
"""Of the outputs of a program so many are looked at in enclosures."""


def violation(
    claim: Claim, every_size: Iterable[Sizes], tries: int = TRIES
) -> Counterexample | None:
    """Inputs at which some equation or inequality of the claim is false, at the first size that has any."""

    def failing(found: list[Statement]) -> int | None:
        for part, statement in enumerate(found):
            if isinstance(statement, Equal | AtMost) and difference_index(statement) is not None:
                return part
        return None

    def shows(found: list[Statement]) -> bool:
        return failing(found) is not None

    literals = Source(claim.functions).literals
    for sizes in every_size:
        point = find(claim, sizes, shows, tries=tries, literals=literals)
        if point is None:
            continue
        point = simplest(claim, sizes, point, shows)
        part = failing(statements_at(claim, sizes, point) or [])
        if part is not None:
            return Counterexample(named(sizes), part, named(inputs_as_text(point)))
    return None


def violation_in_balls(claim: Claim, every_size: Iterable[Sizes]) -> Counterexample | None:
    """The same where sides have no exact form, as tanh(1) has none: enclosures certify that they differ."""
    literals = Source(claim.functions).literals
    for sizes in every_size:
        for point in to_refute(claim, sizes, literals=literals):
            for part in range(PARTS):

                def still(point: Point, sizes: Sizes = sizes, part: int = part) -> bool:
                    return apart(claim, sizes, point, part) is not None

                if still(point):
                    point = simplest(claim, sizes, point, lambda found: False, still)
                    return Counterexample(named(sizes), part, named(inputs_as_text(point)))
    return None


def agreement(claim: Claim, sizes: Sizes, part: int) -> Counterexample | None:
    """For two sides that are said to differ and are identical: an input."""
    for point in to_refute(claim, sizes):
        found = statements_at(claim, sizes, point)
        if found is not None and difference_index(found[part]) is None:
            return Counterexample(named(sizes), part, named(inputs_as_text(point)))
    return None


def difference(claim: Claim, sizes: Sizes, part: int) -> Witness | None:
    """The simplest inputs of these sizes at which the two sides of statement number `part` differ."""

    def shows(found: list[Statement]) -> bool:
        return difference_index(found[part]) is not None

    point = find(claim, sizes, shows)
    if point is None:
        return None
    point = simplest(claim, sizes, point, shows)
    return Witness(named(sizes), part, named(inputs_as_text(point)))


def collision(
    claim: Claim, every_size: Iterable[Sizes], part: int, smaller: Collision | None = None
) -> Collision | None:
    """Two inputs with the same statistic (and shared symbols) whose values differ.

    Args:
        claim: the claim.
        every_size: where to look.
        part: the number of the statement.
        smaller: two that are known at smaller sizes; tried first, with zeros beyond them.
    """
    for sizes in every_size:
        seen: dict[Any, list[tuple[Point, np.ndarray]]] = {}
        known = () if smaller is None else (smaller.first, smaller.second)
        padded = (_padded(claim, sizes, one) for one in known)
        points = itertools.chain(padded, candidates(claim, sizes, PAIR_TRIES))
        for point, statement in _determinations(claim, sizes, part, points):
            statistic, value = statement.statistic, statement.value
            both = {*statement.shared, *claim.before_inputs}
            shared = inputs_as_text({n: point[n] for n in sorted(both)})
            key = str((shared, nested(statistic)))
            for earlier, other in seen.setdefault(key, []):
                if any(is_nonzero(a - b) for a, b in zip(value.flat, other.flat, strict=True)):
                    first, second = (named(inputs_as_text(p)) for p in (earlier, point))
                    return Collision(named(sizes), part, first, second)
            seen[key].append((point, value))
    return None


def _padded(claim: Claim, sizes: Sizes, inputs: Named) -> Point:
    """Inputs of smaller sizes, in the first places of arrays that are 0 elsewhere."""
    out, given = {}, dict(inputs)
    for name, dims in shapes(claim, sizes).items():
        out[name] = np.full(dims, Fraction(0), dtype=object)
        for index, entry in _entries_of(given[name]):
            if all(i < n for i, n in zip(index, dims, strict=True)):
                out[name][index] = Fraction(entry)
    return out


def _entries_of(value: Any, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    if isinstance(value, str):
        yield at, value
        return
    for i, one in enumerate(value):
        yield from _entries_of(one, (*at, i))


def _determinations(
    claim: Claim, sizes: Sizes, part: int, points: Iterable[Point]
) -> Iterator[tuple[Point, Determines | Undetermined]]:
    for point in points:
        found = quick_statements_at(claim, sizes, point)
        if found is not None and part < len(found):
            statement = found[part]
            if isinstance(statement, Determines | Undetermined):
                yield point, statement

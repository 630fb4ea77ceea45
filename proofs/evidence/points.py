"""Evaluating a claim at exact numbers, and searching for the smallest point that shows something."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.array import ExactArray
from ..exact.expressions import ExpressionField
from ..exact.polynomials import RationalField
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import AtMost, Statement
from .engines import sides
from .instance import Point, constants, evaluate, meets_hypotheses, shapes

PALETTES = (
    (0, 1, -1),
    (1, 2, -1, 0),
    (0, 1, -1, 2, -2, 3, Fraction(1, 2)),
    (1, 2, 3, 5, -2, -3, Fraction(1, 2), Fraction(-1, 3)),
)
SIMPLE = (Fraction(0), Fraction(1), Fraction(-1), Fraction(2))
SIMPLE_SCALARS = (Fraction(1), Fraction(0), Fraction(-1), Fraction(2))
TRIES = 12
DIGITS = 60

Mutation = Callable[[Any], Any] | None


def statements_at(
    claim: Claim, sizes: Sizes, point: Point, mutate: Mutation = None
) -> list[Statement] | None:
    """The statements at a point in rational numbers, or in sympy's constants where exp and log need them.

    None where a hypothesis fails or a denominator vanishes.
    """
    rational = RationalField()
    arrays = constants(claim, rational, point)
    try:
        if not meets_hypotheses(claim, sizes, arrays):
            return None
        try:
            return evaluate(claim, rational, sizes, arrays, mutate)
        except NotPolynomial:
            field = ExpressionField([])
            found = evaluate(claim, field, sizes, constants(claim, field, point), mutate)
            return found if all(_is_real(s) for s in found) else None
    except (DivisionByZero, ZeroDivisionError):
        return None


def _is_real(statement: Any) -> bool:
    """Whether both sides (or statistic and value) are finite real numbers in every entry."""
    arrays = [v for v in vars(statement).values() if isinstance(v, ExactArray)]
    return all(
        getattr(e, "is_extended_real", True) is not False
        and getattr(e, "is_finite", True) is not False
        for a in arrays
        for e in a.entries.flat
    )


def difference_index(statement: Any) -> tuple[int, ...] | None:
    """The first entry in which two numeric sides differ (or, for ≤, the left exceeds the right)."""
    left, right = sides(statement)
    for index in np.ndindex(left.shape):
        gap = left.entries[index] - right.entries[index]
        if isinstance(statement, AtMost):
            if exceeds(gap):
                return index
        elif is_nonzero(gap):
            return index
    return None


def is_nonzero(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly not 0."""
    if isinstance(number, (int, Fraction)):
        return number != 0
    return abs(number.evalf(DIGITS)) > Fraction(1, 10 ** (DIGITS // 2))


def exceeds(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly positive."""
    if isinstance(number, (int, Fraction)):
        return number > 0
    return number.evalf(DIGITS) > Fraction(1, 10 ** (DIGITS // 2))


def candidates(claim: Claim, sizes: Sizes, tries: int = TRIES) -> Iterator[Point]:
    """Points to try: all ones, then seeded draws from ever richer palettes of small numbers."""
    dims = shapes(claim, sizes)
    yield {name: _array(d, itertools.repeat(Fraction(1))) for name, d in dims.items()}
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    for palette in PALETTES:
        for _ in range(tries):
            yield {
                name: _array(d, (Fraction(rng.choice(palette)) for _ in itertools.count()))
                for name, d in dims.items()
            }


def find(
    claim: Claim,
    sizes: Sizes,
    shows: Callable[[list[Statement]], bool],
    mutate: Mutation = None,
    tries: int = TRIES,
) -> Point | None:
    """The first candidate point at which `shows` holds of the statements."""
    for point in candidates(claim, sizes, tries):
        found = statements_at(claim, sizes, point, mutate)
        if found is not None and shows(found):
            return point
    return None


def simplest(
    claim: Claim, sizes: Sizes, point: Point, shows: Callable[[list[Statement]], bool]
) -> Point:
    """The point with as many entries as possible made simple while `shows` still holds.

    Entries become 0, else 1, −1 or 2; a scalar symbol, such as a step size, becomes 1 before 0.
    """
    point = {name: array.copy() for name, array in point.items()}
    for place in range(len(SIMPLE)):
        for array in point.values():
            order = SIMPLE if array.ndim else SIMPLE_SCALARS
            simple = order[place]
            for index in np.ndindex(array.shape):
                before = array[index]
                if before in order[: place + 1]:
                    continue
                array[index] = simple
                found = statements_at(claim, sizes, point)
                if found is None or not shows(found):
                    array[index] = before
    return point


def _array(dims: tuple[int, ...], numbers: Iterator[Fraction]) -> np.ndarray:
    out = np.empty(dims, dtype=object)
    for index in np.ndindex(dims):
        out[index] = next(numbers)
    return out


def inputs_as_text(point: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The point as nested lists of exact numbers in strings."""
    return {name: nested(array) for name, array in point.items()}


def nested(array: np.ndarray, relation: str = "") -> Any:
    """An array of numbers as nested lists of strings, each after `relation`; a 0-d array as one string."""
    if array.ndim == 0:
        return f"{relation}{array.item()}"
    return [nested(np.asarray(row, dtype=object), relation) for row in array]

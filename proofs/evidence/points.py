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
from ..exact.roots import FlintRootsField
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim
from ..language.numbers import exceeds, is_nonzero
from ..language.sizes import Sizes
from ..language.statements import AtMost, Statement
from .engines import sides
from .instance import Point, constants, evaluate, in_fractions, meets_hypotheses, shapes
from .tight import fitting, tightened

PALETTES = (
    (0, 1, -1),
    (1, 2, -1, 0),
    (0, 1, -1, 2, -2, 3, Fraction(1, 2)),
    (1, 2, 3, 5, -2, -3, Fraction(1, 2), Fraction(-1, 3)),
)
SIMPLE = (Fraction(0), Fraction(1), Fraction(-1), Fraction(2))
SIMPLE_SCALARS = (Fraction(1), Fraction(0), Fraction(-1), Fraction(2))
TRIES = 12

Mutation = Callable[[Any], Any] | None


def statements_at(
    claim: Claim, sizes: Sizes, point: Point, mutate: Mutation = None
) -> list[Statement] | None:
    """The statements at a point in rational numbers and roots, or in sympy's constants where exp and log need them.

    None where a hypothesis fails, a denominator vanishes, or a number has no exact form.
    """
    numbers = FlintRootsField()
    arrays = constants(claim, numbers, point)
    try:
        if not meets_hypotheses(claim, sizes, arrays):
            return None
        try:
            found = evaluate(claim, numbers, sizes, arrays, mutate)
        except NotPolynomial:
            field = ExpressionField([])
            found = evaluate(claim, field, sizes, constants(claim, field, point), mutate)
    except (DivisionByZero, ZeroDivisionError, NotPolynomial):
        return None
    found = [in_fractions(s) for s in found]
    return found if all(_is_real(s) for s in found) else None


def _is_real(statement: Any) -> bool:
    """Whether both sides (or statistic and value) are finite real numbers in every entry."""
    arrays = [v for v in vars(statement).values() if isinstance(v, ExactArray)]
    return all(
        isinstance(e, int | Fraction) or _is_finite(e) for a in arrays for e in a.entries.flat
    )


def _is_finite(number: Any) -> bool:
    """Whether one of sympy's constants is a real number, and not one divided by 0, as sympy lets one write."""
    return not (
        number.is_extended_real is False or number.is_finite is False or number.has(*_no_numbers())
    )


def _no_numbers() -> tuple[Any, ...]:
    import sympy

    return sympy.nan, sympy.zoo, sympy.oo


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


def candidates(claim: Claim, sizes: Sizes, tries: int = TRIES) -> Iterator[Point]:
    """Points to try: all ones, then seeded draws from ever richer palettes of small numbers.

    Each is followed by one at which conditions that are bounds are met, with equality where they are on a symbol.
    """
    for point in _drawn(claim, sizes, tries):
        yield point
        fitted = fitting(claim, sizes, point)
        if fitted is not None:
            yield fitted


def _drawn(claim: Claim, sizes: Sizes, tries: int) -> Iterator[Point]:
    dims = shapes(claim, sizes)
    yield {name: _array(d, itertools.repeat(Fraction(1))) for name, d in dims.items()}
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    for palette in PALETTES:
        for _ in range(tries):
            yield {
                name: _array(d, (Fraction(rng.choice(palette)) for _ in itertools.count()))
                for name, d in dims.items()
            }
    for palette in PALETTES if claim.kind == "bound" else ():
        for _ in range(tries):  # equal tokens, at which sums over tokens are largest
            yield {
                name: _array(d, itertools.repeat(Fraction(rng.choice(palette))))
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
                if _shown(claim, sizes, point, shows):
                    continue
                fitted = tightened(claim, sizes, point)
                if fitted is not None and _shown(claim, sizes, fitted, shows):
                    for name in point:
                        point[name][...] = fitted[name]
                else:
                    array[index] = before
    return point


def _shown(
    claim: Claim, sizes: Sizes, point: Point, shows: Callable[[list[Statement]], bool]
) -> bool:
    found = statements_at(claim, sizes, point)
    return found is not None and shows(found)


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

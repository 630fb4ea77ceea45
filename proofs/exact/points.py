"""Points to try, and the search for the smallest one that shows something."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Statement
from .at_point import Mutation, quick_statements_at
from .entries import arranged
from .instance import Point, shapes
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
        found = quick_statements_at(claim, sizes, point, mutate)
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
    found = quick_statements_at(claim, sizes, point)
    return found is not None and shows(found)


def _array(dims: tuple[int, ...], numbers: Iterator[Fraction]) -> np.ndarray:
    return arranged(itertools.islice(numbers, math.prod(dims)), dims)

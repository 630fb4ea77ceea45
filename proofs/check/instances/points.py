"""Points to try, and the search for the first one that shows something."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from ...exact.entries import arranged
from ...exact.instance import Point, shapes
from ...exact.mutation import OnLeaf
from ...exact.plain import near, plain, tied
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...language.statements import Statement
from .at_point import quick_statements_at
from .tight import fitting

PALETTES = (
    (0, 1, -1),
    (1, 2, -1, 0),
    (0, 1, -1, 2, -2, 3, Fraction(1, 2)),
    (1, 2, 3, 5, -2, -3, Fraction(1, 2), Fraction(-1, 3)),
)
TRIES = 12


def candidates(claim: Claim, sizes: Sizes, tries: int = TRIES) -> Iterator[Point]:
    """Points to try: all ones, then seeded draws from ever richer palettes of small numbers.

    Each is followed by one at which conditions that are bounds are met, with equality where they are on a symbol.
    """
    yield from _with_fitting(claim, sizes, _drawn(claim, sizes, tries))


def to_refute(
    claim: Claim, sizes: Sizes, tries: int = TRIES, literals: Sequence[Fraction] = ()
) -> Iterator[Point]:
    """Points at which a claim may fail: plain ones, ties, literals of its text, and the candidates."""
    dims = shapes(claim, sizes)
    first = itertools.chain(plain(dims), tied(next(plain(dims))), near(dims, literals))
    yield from _with_fitting(claim, sizes, first)
    yield from candidates(claim, sizes, tries)


def _with_fitting(claim: Claim, sizes: Sizes, points: Iterable[Point]) -> Iterator[Point]:
    for point in points:
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
    mutate: OnLeaf | None = None,
    tries: int = TRIES,
    literals: Sequence[Fraction] = (),
) -> Point | None:
    """The first point, of those at which a claim may fail, at which `shows` holds of the statements."""
    for point in to_refute(claim, sizes, tries, literals):
        found = quick_statements_at(claim, sizes, point, mutate)
        if found is not None and shows(found):
            return point
    return None


def _array(dims: tuple[int, ...], numbers: Iterator[Fraction]) -> np.ndarray:
    return arranged(itertools.islice(numbers, math.prod(dims)), dims)

"""The sizes and inputs at which programs are run: small sizes first, plain numbers first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...check.beyond import nearby
from ...exact.counterexample import MOST
from ...exact.entries import arranged
from ...exact.plain import near, plain, tied
from ...language.sizes import Sizes, shape

Arrays = list[np.ndarray]
SMALL = 6
WAYS = ((1, 2, 3, 4, 5, 6), (1, 3, 2, 5, 1, 4), (1, 1, 4, 2, 3, 5), (1, 4, 5, 1, 2, 3))
"""The small sizes of the first letter, of the second, and so on: an axis is rarely as long as another."""
LARGER = 17
"""The size of one letter that is tried besides, while the others are small."""
ENTRIES = 20_000
"""No inputs with more entries than this are drawn for a number that stands in the code, at first."""
MOST_ENTRIES = 2_000_000
"""Inputs of up to so many entries are drawn for it where nothing else settles it, in a process that may be ended."""
BESIDE = (1, 0, 2, -1)
"""What a program does from a size on shows at the next size, or that after it; what it does there alone, there."""
PARTS = 64
"""Drawn numbers are whole multiples of 1 over this, so that every format has them exactly."""
EXTREME = 2.0**12
"""Inputs so large are tried as well; what happens there is no verdict."""


def small_sizes(ranges: Mapping[str, Sequence[int]]) -> Iterator[Sizes]:
    """Choices of sizes of which the first letter goes from 1 to 6, and the others go their ways.

    Args:
        ranges: by letter, the sizes at which the claim is compared; none below the least of them is tried.
    """
    seen = set()
    for n in range(SMALL):
        sizes = {
            name: max(min(values), WAYS[k % len(WAYS)][n])
            for k, (name, values) in enumerate(ranges.items())
        }
        if tuple(sizes.values()) not in seen:
            seen.add(tuple(sizes.values()))
            yield sizes


def larger_sizes(
    ranges: Mapping[str, Sequence[int]], shapes: Sequence[str], numbers: set[int]
) -> Iterator[Sizes]:
    """Choices in which one letter is large, while arrays stay small.

    The first ones are right after numbers that stand in the code: time may end soon. A program that draws a size, or
    computes one, is seen at the sizes that follow the small ones.
    """
    near = nearby(numbers)
    after = [n + 1 for n in sorted(numbers) if n + 1 in near]
    small = {o: max(min(values), 2) for o, values in ranges.items()}
    every = dict.fromkeys(
        n for n in (*after, LARGER, *near, *range(SMALL + 1, LARGER)) if n > SMALL
    )
    for n, name in itertools.product(every, ranges):
        sizes = {**small, name: max(n, min(ranges[name]))}
        if sum(int(np.prod(shape(text, sizes))) for text in shapes) <= ENTRIES:
            yield sizes


def literal_sizes(
    ranges: Mapping[str, Sequence[int]], shapes: Sequence[str], numbers: set[int]
) -> list[Sizes]:
    """The choices in which one letter is a number of the code, or beside it, that `larger_sizes` leaves out.

    Those right after each number come first, of these the ones with the fewest entries.
    """
    found: list[tuple[int, int, Sizes]] = []
    soon = set(nearby(numbers))
    for name, (turn, step) in itertools.product(ranges, enumerate(BESIDE)):
        small = {other: max(min(values), 2) for other, values in ranges.items()}
        for n in sorted(numbers):
            if n + step > max(SMALL, min(ranges[name])):
                sizes = {**small, name: n + step}
                entries = sum(int(np.prod(shape(text, sizes))) for text in shapes)
                is_soon = n + step in soon and entries <= ENTRIES
                if entries <= MOST_ENTRIES and not is_soon:
                    found.append((turn, entries, sizes))
    return [sizes for _, _, sizes in sorted(found, key=lambda choice: choice[:2])]


def up_to(last: int, least: int, numbers: set[int]) -> list[int]:
    """The sizes up to one at which two programs differ that are tried in its place: all, or those beside numbers."""
    if last <= LARGER:
        return [*range(least, last + 1)]
    near = {n + step for n in numbers for step in BESIDE}
    return [*sorted(n for n in near if max(least, SMALL) < n < last), last]


class Points:
    """Inputs of one shape each, in kinds from plain to general; every draw is determined by the seed.

    Args:
        shapes: of the arguments, in letters.
        sizes: those of the letters.
        seed: of what is drawn.
        literals: numbers of the text, which inputs may be compared with.
    """

    def __init__(
        self,
        shapes: Sequence[str],
        sizes: Sizes,
        seed: int = 0,
        literals: Sequence[Fraction] = (),
    ) -> None:
        self._dims = [shape(text, sizes) for text in shapes]
        self._seed = seed
        self._literals = [Fraction(float(np.float32(number))) for number in literals]
        self.are_few = sum(int(np.prod(dims)) for dims in self._dims) <= MOST
        """Whether so few entries are asked for that small numbers can all differ."""

    def _drawn(
        self, kind: int, draw: Callable[[np.random.Generator, tuple[int, ...]], Any]
    ) -> Arrays:
        rng = np.random.default_rng([self._seed, kind])
        return [np.asarray(draw(rng, dims), dtype=float) for dims in self._dims]

    @property
    def _named(self) -> dict[str, tuple[int, ...]]:
        return {str(k): dims for k, dims in enumerate(self._dims)}

    def plain(self) -> Iterator[Arrays]:
        """Small whole numbers, none 0 and no two equal where there are few, otherwise drawn."""
        if self.are_few:
            for values in plain(self._named, mixed=1):
                yield _floats(values)
        else:
            yield self._drawn(0, lambda rng, dims: rng.choice([1, 2, 3, -1, -2], dims))

    def tied(self) -> Iterator[Arrays]:
        """Inputs with ties and equal rows."""
        first = next(self.plain())
        for values in tied({str(k): array for k, array in enumerate(first)}):
            yield list(values.values())

    def literal(self) -> Iterator[Arrays]:
        """Inputs at numbers of the text, and beside them, where entries are not too many."""
        if sum(int(np.prod(dims)) for dims in self._dims) > ENTRIES:
            return
        for values in near(self._named, self._literals):
            yield _floats(values)

    def special(self) -> Iterator[Arrays]:
        """Zeros, masks, ±1, equal rows and ones: where ties and kinks are hit exactly."""
        yield self._drawn(5, lambda rng, dims: np.zeros(dims))
        yield self._drawn(1, lambda rng, dims: rng.choice([0, 1], dims))
        yield self._drawn(2, lambda rng, dims: rng.choice([-1, 1], dims))
        yield self._drawn(3, _equal_rows)
        yield self._drawn(4, lambda rng, dims: np.ones(dims))
        yield self._drawn(6, lambda rng, dims: rng.choice([0, 1, 2], dims))
        yield self._drawn(7, lambda rng, dims: rng.choice([0, 1, -1], dims))

    def general(self) -> Iterator[Arrays]:
        """Numbers of either sign, between 0 and 1, around 1, and below 0; no two kinds share a domain's edge."""
        for kind, (low, high) in enumerate(((-2, 2), (0, 1), (0.5, 1.5), (-1.5, -0.5)), start=20):
            yield self._drawn(kind, lambda rng, dims, a=low, b=high: _between(rng, dims, a, b))

    def extreme(self) -> Arrays:
        """Large numbers of either sign."""
        return self._drawn(30, lambda rng, dims: EXTREME * _between(rng, dims, -1, 1))


def few(points: Points) -> Iterator[Arrays]:
    """A choice of all kinds, for programs that take long."""
    yield from itertools.islice(points.plain(), 2)
    yield from itertools.islice(points.tied(), 2)
    yield from itertools.islice(points.literal(), 2)
    yield from itertools.islice(points.special(), 1)
    yield from itertools.islice(points.general(), 1)


def many(points: Points) -> Iterator[Arrays]:
    yield from points.plain()
    yield from points.tied()
    yield from points.literal()
    yield from points.special()
    yield from points.general()


def fractions(array: np.ndarray) -> np.ndarray:
    """The very numbers that floats are."""
    return arranged((Fraction(float(entry)) for entry in array.flat), array.shape)


def _floats(values: Mapping[str, np.ndarray]) -> Arrays:
    return [array.astype(float) for array in values.values()]


def _equal_rows(rng: np.random.Generator, dims: tuple[int, ...]) -> np.ndarray:
    row = rng.choice([1, 2, 3, -1], dims[1:])
    return np.broadcast_to(row, dims) if dims else np.asarray(row)


def _between(
    rng: np.random.Generator, dims: tuple[int, ...], low: float, high: float
) -> np.ndarray:
    """Odd multiples of 1/(2·PARTS), so that none is a whole number, nor a half."""
    places = rng.integers(int(low * PARTS), int(high * PARTS), dims)
    return (2 * places + 1) / (2 * PARTS)

"""Plain inputs, and others that are tried after them.

Plain inputs are small numbers of which none is 0 and no two are equal. At a 0, at a tie or in equal rows two programs
may differ for a reason of their own, so that plain inputs come first. Ties and equal rows come next: programs that
compare their inputs, as segments of equal ids, may differ there alone.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from .entries import arranged

Dims = Mapping[str, tuple[int, ...]]
Values = dict[str, np.ndarray]

MIXED = 4
"""So many plain inputs are drawn, of either sign and in any order."""
HALVINGS = 6
"""Fractions between 0 and 1 have denominators up to 2 to this power, which every format has exactly."""
LITERALS = 6
"""Near so many literals of the text inputs are tried."""


def plain(dims: Dims, mixed: int = MIXED) -> Iterator[Values]:
    """Plain inputs: 1, 2, 3, … in order, in the other order, with signs, shuffled, and between 0 and 1."""
    count = _count(dims)
    up = [Fraction(n) for n in range(1, count + 1)]
    yield _filled(dims, up)
    yield _filled(dims, up[::-1])
    yield _filled(dims, [n * (-1) ** k for k, n in enumerate(up)])
    rng = random.Random(count)
    signed = [sign * n for n in up[: count // 2 + 1] for sign in (1, -1)]
    for _ in range(mixed):
        yield _filled(dims, rng.sample(signed, count))
    yield _filled(dims, list(itertools.islice(_below_one(), count)))


def _below_one() -> Iterator[Fraction]:
    """1/2, 1/4, 3/4, 1/8, …, and whole numbers after them."""
    for power in range(1, HALVINGS + 1):
        yield from (Fraction(n, 2**power) for n in range(1, 2**power, 2))
    yield from map(Fraction, itertools.count(1))


ROWS: tuple[Callable[[int], int], ...] = (lambda i: i % 2, lambda i: i // 2, lambda i: 0)
"""Which row stands in place of row i: every second one, both of a pair, and all are equal."""


def tied(values: Mapping[str, np.ndarray]) -> Iterator[Values]:
    """The inputs with rows in place of others: first in vectors alone, such as ids, then in all arrays."""
    vectors = {name for name, array in values.items() if array.ndim == 1}
    for row, names in itertools.product(ROWS, (vectors, set(values))):
        if names:
            yield {n: _with_rows(a, row) if n in names else a for n, a in values.items()}
    yield {n: np.full_like(a, a.flat[0]) if a.size else a for n, a in values.items()}


def _with_rows(array: np.ndarray, row: Callable[[int], int]) -> np.ndarray:
    return array[[row(i) for i in range(len(array))]] if array.ndim else array


def near(dims: Dims, literals: Sequence[Fraction]) -> Iterator[Values]:
    """Inputs at literals of the text and beside them: a program may compare its inputs with 1e6."""
    count = _count(dims)
    for literal in literals[:LITERALS]:
        around = [literal + (-1) ** (k + 1) * ((k + 1) // 2) for k in range(count + 2)]
        for first in range(3):  # at the literal, above it, below it
            yield _filled(dims, around[first : first + count])
        beyond = around[1:]
        yield _filled(dims, [beyond[k] if k % 2 else Fraction(k + 1) for k in range(count)])


def _count(dims: Dims) -> int:
    return sum(map(prod, dims.values()))


def _filled(dims: Dims, numbers: Sequence[Fraction]) -> Values:
    """Arrays of these numbers, those without axes first: a step size is the simplest of all."""
    left, found = iter(numbers), {}
    for name in sorted(dims, key=lambda name: bool(dims[name])):
        found[name] = arranged(itertools.islice(left, prod(dims[name])), dims[name])
    return {name: found[name] for name in dims}


def plainest(
    values: Mapping[str, np.ndarray],
    shows: Callable[[Values], bool],
    fitted: Callable[[Values], Mapping[str, np.ndarray] | None] = lambda values: None,
    idle: Collection[str] = (),
) -> Values:
    """The inputs with as many entries plain as still show what is to be shown, and these as small as they can be.

    Entries are replaced one by one; equal entries of an array, which may have to stay equal, then together.

    Args:
        values: exact numbers, which show it.
        shows: whether others do.
        fitted: others that meet conditions which these may not; None if there are none.
        idle: arrays on which nothing hinges; their entries are 0 where they may be.
    """
    found = {name: array.copy() for name, array in values.items()}

    def replaced(name: str, places: Sequence[tuple[int, ...]], numbers: Iterator[Any]) -> None:
        for number in numbers:
            changed = {n: array.copy() for n, array in found.items()}
            for place in places:
                changed[name][place] = number
            if shows(changed):
                found.update(changed)
                return
            other = fitted(changed)
            if other is not None and shows(dict(other)):
                found.update(other)
                return

    for name in idle:
        for place in np.ndindex(found[name].shape):
            if found[name][place] not in (0, 1):
                replaced(name, [place], iter((Fraction(0), Fraction(1))))
    order = [n for n in sorted(found, key=lambda n: bool(found[n].shape)) if n not in idle]
    for name in order:
        for place in reversed([*np.ndindex(found[name].shape)]):
            entry = found[name][place]
            if entry == 0 or _entries(found).count(entry) > 1:
                replaced(name, [place], _unused(found, None))
    for name in order:
        for entry in dict.fromkeys(found[name].flat):
            places = [p for p in np.ndindex(found[name].shape) if found[name][p] == entry]
            if places:
                replaced(name, places, _unused(found, entry))
    return found


def _entries(values: Mapping[str, np.ndarray]) -> list[Any]:
    return [entry for array in values.values() for entry in array.flat]


def _unused(values: Mapping[str, np.ndarray], than: Any) -> Iterator[Any]:
    """A few numbers that no entry is yet, of a kind each, the simplest first; those that are simpler than a number."""
    used = set(_entries(values))
    count = len(used) + 3
    positive = (n for n in range(1, count) if n not in used)
    negative = (-n for n in range(1, count) if -n not in used)
    small = (n for n in itertools.islice(_below_one(), count) if n not in used)
    few = ((positive, 3), (negative, 2), (small, 1))
    for number in (n for kind, most in few for n in itertools.islice(kind, most)):
        if than is None or than == 0 or _cost(number) < _cost(than):
            yield Fraction(number)


def _cost(number: Any) -> tuple[bool, bool, Any]:
    """Whole numbers are simpler than fractions, positive ones than negative ones."""
    exact = Fraction(number)
    return exact.denominator != 1, exact < 0, abs(exact.numerator) + exact.denominator

"""Is the reading with symbols for sizes the claim's own? Both are evaluated with numbers at a few sizes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np

from ..exact.polynomials import RationalField
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..kernel.index import Index, facts
from ..kernel.term import Term
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Determines, Equal, Statement, Undetermined
from ..reading.array import KernelArray
from ..reading.claims import Reading
from ..reading.evaluate import Evaluator, positions
from .engines import SMALL, sides
from .instance import Point, constants, evaluate, shapes

READS = 4_000
"""A reading is compared with the claim's own numbers where that takes no more entries than this."""
FUNCTIONS = {"exp": math.exp, "log": math.log, "sqrt": math.sqrt, "abs": abs}
SMALLER = 100
"""Drawn numbers are divided by this before a function without exact values is taken of them."""
Floats = list[tuple[float, float]]
ROUNDING = 2**20 * float(np.finfo(float).eps)
"""How far floats may be apart: what sums and quotients of a few hundred numbers of size 1 lose is far below it."""


def disagreement(
    claim: Claim, reading: Reading, inputs: Callable[[Sizes], Point] | None = None
) -> str | None:
    """Compare the reading with the claim itself, run on numbers at a few sizes; None if they agree.

    The pairs (entry of the left side, entry of the right side) must be the same, so that a loop that is read once
    for all its turns, say, is seen to be what the claim's own loop does. This is a test of the reading; the kernel is
    not asked.

    Args:
        claim: the claim.
        reading: its reading.
        inputs: what the reading has for the claim's symbols, at given sizes; they are drawn for a reading with symbols.
    """
    chosen = claim.every_size
    compared = 0
    middle = [s for s in chosen if max(s.values()) <= SMALL][-1:]
    for sizes in [*middle, *(s for s in (chosen[0], chosen[-1]) if s not in middle)]:
        own = _own_pairs(claim, sizes, inputs)
        if own is None:
            continue
        numbers, pairs = own
        try:
            found = _read_pairs(reading, sizes, numbers)
        except TooLong:
            continue
        if not _same(found, pairs):
            return f"the reading with symbols for sizes is not the claim's own at {dict(sizes)}"
        compared += 1
    return None if compared else "the reading with symbols for sizes could not be compared"


def _same(found: set[Any], pairs: Any) -> bool:
    """Whether the pairs are the same; floats, which are given as a list, to within rounding."""
    if isinstance(pairs, set):
        return found == pairs
    return all(
        any(abs(float(a) - c) + abs(float(b) - d) <= ROUNDING * (1 + abs(c)) for c, d in pairs)
        for a, b in found
    ) and all(
        any(abs(float(a) - c) + abs(float(b) - d) <= ROUNDING * (1 + abs(c)) for a, b in found)
        for c, d in pairs
    )


class TooLong(Exception):
    """A comparison that takes too many entries."""


def _drawn(claim: Claim, sizes: Sizes) -> Point:
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    point = {}
    for name, dims in shapes(claim, sizes).items():
        point[name] = np.empty(dims, dtype=object)
        for place in np.ndindex(dims):
            point[name][place] = Fraction(rng.randint(1, 99))
    return point


def _own_pairs(
    claim: Claim, sizes: Sizes, inputs: Callable[[Sizes], Point] | None
) -> tuple[Point, set[Any] | Floats] | None:
    point = _drawn(claim, sizes) if inputs is None else inputs(sizes)
    field = RationalField()
    try:
        found = evaluate(claim, field, sizes, constants(claim, field, point))
    except (DivisionByZero, ZeroDivisionError):
        return None
    except NotPolynomial:
        if inputs is None:
            point = {name: np.asarray(one / SMALLER, dtype=object) for name, one in point.items()}
        return point, _float_pairs(claim, sizes, point)
    pairs = set()
    for one, other in _compared(found):
        left, right = sides(Equal(one, other))
        pairs |= {(left.entries[i], right.entries[i]) for i in np.ndindex(left.shape)}
    return point, pairs


def _compared(statements: Sequence[Statement]) -> Iterator[tuple[Any, Any]]:
    """The sides of every statement; a statistic and a value each by itself."""
    for statement in statements:
        if isinstance(statement, Determines | Undetermined):
            yield from ((one, one) for one in (statement.statistic, statement.value))
        else:
            yield statement.left, statement.right


def _float_pairs(claim: Claim, sizes: Sizes, point: Point) -> Floats:
    """For functions without exact values: the claim's body on NumPy's floats."""
    given = {name: np.asarray(numbers, dtype=float) for name, numbers in point.items()}
    values = {**given, **sizes, "xp": np}
    pairs = []
    for one, other in _compared(claim.statements(values, claim.construct(values))):
        left, right = np.asarray(one), np.asarray(other)
        pairs += list(zip(left.ravel().tolist(), right.ravel().tolist(), strict=True))
    return pairs


def _read_pairs(reading: Reading, sizes: Sizes, numbers: Point) -> set[Any]:
    at = {e.terms[0][0]: sizes[name] for name, e in reading.sizes.items()}
    left_to_read = READS

    def entries(name: str, place: tuple[Any, ...]) -> Any:
        nonlocal left_to_read
        if name in FUNCTIONS:
            return function_value(name, place[0])
        left_to_read -= 1
        if left_to_read < 0:
            raise TooLong
        # Arrays are total functions to the kernel; what stands outside must not matter.
        inside = all(0 <= i < n for i, n in zip(place, numbers[name].shape, strict=True))
        return _plain(cast(Fraction, numbers[name][place])) if inside else 1009 + 7 * sum(place)

    evaluator = Evaluator(entries, reading.session)
    pairs = set()
    for left, right in _read(reading):
        other = right.entry(left.at)
        free = free_variables([left.term, other], left.at, at)
        for place in positions(free, at):
            pairs.add((evaluator.value(left.term, place), evaluator.value(other, place)))
    return pairs


def function_value(name: str, at: Any) -> Any:
    """exp(0) and log(1) as such; other values as floats."""
    exact = {("exp", 0): Fraction(1), ("log", 1): Fraction(0)}.get((name, at))
    return FUNCTIONS[name](float(at)) if exact is None else exact


def _read(reading: Reading) -> Iterator[tuple[KernelArray, KernelArray]]:
    """The same of a reading."""
    for part in reading.parts:
        if part.kind in (Determines, Undetermined):
            yield from ((one, one) for one in (part.left, part.right))
        else:
            yield part.left, part.right


def _plain(number: Fraction) -> Fraction | int:
    """Whole numbers as such: they multiply faster."""
    return number.numerator if number.denominator == 1 else number


def free_variables(terms: Sequence[Term], axes: Sequence[Index], at: dict[int, int]) -> list[int]:
    """The free variables but sizes, and those of their ranges, in the order of their declaration."""
    found = {v for t in terms for v in t.scope} | {v for e in axes for v in e.variables()}
    while True:
        more = {v for e in facts(found) for v in e.variables()} - found
        if not more:
            return sorted(found - set(at))
        found |= more

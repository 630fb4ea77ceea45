"""Are formulas of a claim the claim's own? Both are evaluated with numbers at a few sizes.

Where it can, the claim's statement is, in fractions; its body on floats where that needs other numbers.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence, Set
from fractions import Fraction
from typing import Any, cast

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.check.instances.evaluate import evaluate
from scanproof.proofs.check.instances.hypotheses import bounds_at
from scanproof.proofs.exact.engines import SMALL
from scanproof.proofs.exact.instance import Point, scalars, shapes
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial
from scanproof.proofs.interpret.array import KernelArray
from scanproof.proofs.interpret.claims import Interpretation
from scanproof.proofs.interpret.evaluate import (
    Evaluator,
    at_index,
    free_variables,
    function_value,
    positions,
)
from scanproof.proofs.interpret.measured import AXES
from scanproof.proofs.language.calls import call
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.conditions import as_bounds
from scanproof.proofs.language.sizes import Sizes
from scanproof.proofs.language.statements import (
    Approached,
    AtMost,
    Determines,
    Statement,
    Undetermined,
)

READS = 4_000
"""An interpretation is compared with the claim's own numbers where that takes no more entries than this."""
MOST_READS = 400_000
"""How many it may take at the smallest sizes, if it takes too many everywhere."""
SMALLER = 100
"""Drawn numbers are divided by this before a function without exact values is taken of them."""
WIDER = 25
"""The same where numbers are compared, since clipping and the like show beyond 1."""
COMPARING = {"relu", "step", "zero"}
"""Functions whose values depend on how numbers compare."""
Tag = tuple[str, str]
"""What a pair belongs to: the kind of statement, and a condition's text."""
Floats = list[tuple[float, float, Tag]]
ROUNDING = 2**20 * float(np.finfo(float).eps)
"""How far floats may be apart: what sums and quotients of a few hundred numbers of size 1 lose is far below it."""


def disagreement(
    claim: Claim, interpretation: Interpretation, inputs: Callable[[Sizes], Point] | None = None
) -> str | None:
    """Compare the interpretation with the claim itself, run on numbers at a few sizes; None if they agree.

    The pairs (entry of the left side, entry of the right side) must be the same for each kind of statement and each
    condition, so that a loop that is read once for all its turns, say, is seen to be what the claim's own loop does.
    This is a test of the interpretation; the kernel has no part in it.

    Args:
        claim: the claim.
        interpretation: with symbols for its sizes.
        inputs: what it has for the claim's symbols, at given sizes; they are drawn where it has symbols.
    """
    chosen = claim.every_size
    compared = 0
    middle = [s for s in chosen if max(s.values()) <= SMALL][-1:]
    few = [*middle, *(s for s in (chosen[0], chosen[-1]) if s not in middle)]
    everywhere = inputs is None and not COMPARING.isdisjoint(interpretation.session.functions)
    for sizes, most in [*((one, READS) for one in few), (chosen[0], MOST_READS)]:
        if compared and most > READS:
            break
        for signed in (False, True) if everywhere else (False,):
            own = _own_pairs(claim, sizes, inputs, interpretation, signed)
            if own is None:
                continue
            numbers, pairs = own
            try:
                found = _read_pairs(interpretation, sizes, numbers, most)
            except (TooLong, OverflowError, ZeroDivisionError):
                continue
            except ValueError:  # a logarithm of what is not above 0
                if not signed:
                    raise
                continue
            if not _same(found, pairs):
                if interpretation.session.maxima:
                    return "for all sizes it is not read: a maximum that does not cancel"
                return f"the interpretation with symbols for sizes is not the claim's own at {dict(sizes)}"
            compared += 1
    return None if compared else "the interpretation with symbols for sizes could not be compared"


def _same(found: set[Any], pairs: Any) -> bool:
    """Whether the pairs are the same; floats, which are given as a list, to within rounding."""
    if isinstance(pairs, set) and not any(isinstance(n, float) for one in found for n in one[:2]):
        return found == pairs
    return all(any(_near(one, other) for other in pairs) for one in found) and all(
        any(_near(one, other) for one in found) for other in pairs
    )


def _near(found: tuple[Any, Any, Tag], own: tuple[float, float, Tag]) -> bool:
    (a, b, tag), (c, d, own_tag) = found, own
    gap = abs(float(a) - c) + abs(float(b) - d)
    return tag == own_tag and gap <= ROUNDING * (1 + abs(c))


class TooLong(Exception):
    """A comparison that takes too many entries."""


def _drawn(claim: Claim, sizes: Sizes, signs: Sequence[int]) -> Point:
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    point = {}
    for name, dims in shapes(claim, sizes).items():
        point[name] = np.empty(dims, dtype=object)
        for place in np.ndindex(dims):
            point[name][place] = Fraction(rng.randint(1, 99) * rng.choice(signs))
    return point


def _own_pairs(
    claim: Claim,
    sizes: Sizes,
    inputs: Callable[[Sizes], Point] | None,
    interpretation: Interpretation,
    everywhere: bool = False,
) -> tuple[Point, set[Any] | Floats] | None:
    """The claim's own pairs; `everywhere` draws numbers of either sign and some above 1, and asks for no NaN."""
    read = {part.condition for part in interpretation.conditions}
    # An absolute value is not seen on positive numbers; logarithms are of nothing else.
    signed = everywhere or (
        interpretation.has_bounds and "log" not in interpretation.session.functions
    )
    point = _drawn(claim, sizes, (1, -1) if signed else (1,)) if inputs is None else inputs(sizes)
    if inputs is None and interpretation.session.functions - {
        "abs"
    }:  # exp of large numbers has no float
        scale = WIDER if everywhere else SMALLER
        point = {name: np.asarray(one / scale, dtype=object) for name, one in point.items()}
    field = RationalField()
    try:
        found = [(one, "") for one in evaluate(claim, field, sizes, scalars(claim, field, point))]
        for text, bounds in bounds_at(claim, sizes, point, field).items():
            found += [(AtMost(a, b), text) for _, a, b in bounds if text in read]
    except (DivisionByZero, ZeroDivisionError, UsageError):  # a loop without a turn, say
        return None
    except NotPolynomial:
        floats = _float_pairs(claim, sizes, point, read)
        if everywhere and any(math.isnan(n) for pair in floats for n in pair[:2]):
            return None
        return point, floats
    pairs = set()
    for one, other, tag in _compared(found):
        left, right = np.broadcast_arrays(one, other)
        pairs |= {(a, b, tag) for a, b in zip(left.flat, right.flat, strict=True)}
    return point, pairs


def _compared(statements: Sequence[tuple[Statement, str]]) -> Iterator[tuple[Any, Any, Tag]]:
    """The sides of every statement or condition; a statistic and a value each by itself."""
    for statement, condition in statements:
        tag = type(statement).__name__, condition
        if isinstance(statement, Determines | Undetermined):
            yield from ((one, one, tag) for one in (statement.statistic, statement.value))
        elif not isinstance(statement, Approached):  # of which nothing is read
            yield statement.left, statement.right, tag


def _float_pairs(claim: Claim, sizes: Sizes, point: Point, read: Set[str]) -> Floats:
    """For functions without exact values: the claim's body on NumPy's floats."""
    given = {name: np.asarray(numbers, dtype=float) for name, numbers in point.items()}
    values = {**given, **sizes, "xp": np}
    pairs = []
    found = [(one, "") for one in claim.statements(values, claim.construct(values))]
    for text in read - {""}:
        found += [(one, text) for one in as_bounds(call(claim.assuming[text], values)) or []]
    for one, other, tag in _compared(found):
        left, right = np.broadcast_arrays(np.asarray(one), np.asarray(other))
        pairs += [(a, b, tag) for a, b in zip(left.flat, right.flat, strict=True)]
    return pairs


def _read_pairs(
    interpretation: Interpretation, sizes: Sizes, numbers: Point, left_to_read: int
) -> set[Any]:
    at = {e.terms[0][0]: sizes[name] for name, e in interpretation.sizes.items()}

    def entries(name: str, place: tuple[Any, ...]) -> Any:
        nonlocal left_to_read
        if name not in numbers:  # a maximum, which may be any number
            return Fraction(len(name) + sum(place), 4 * SMALLER)
        left_to_read -= 1
        if left_to_read < 0:
            raise TooLong
        # Arrays are total functions to the kernel; what stands outside must not matter.
        inside = all(0 <= i < n for i, n in zip(place, numbers[name].shape, strict=True))
        return _plain(cast(Fraction, numbers[name][place])) if inside else 1009 + 7 * sum(place)

    evaluator = Evaluator(entries, interpretation.session, function_value)
    pairs = set()
    for left, right, measure, tag in _read(interpretation):
        outer = left.ndim - AXES.get(measure, 0)
        other = right.entry(left.at[:outer])
        own = {v for e in left.at[outer:] for v in e.variables()}
        free = free_variables([left.shared, other], left.at, at)
        for place in positions([v for v in free if v not in own], at):
            value = _measured(evaluator, left, outer, place, measure)
            pairs.add((value, evaluator.value(other, place), tag))
    return pairs


def _measured(
    evaluator: Evaluator, one: KernelArray, outer: int, place: dict[int, int], measure: str
) -> Any:
    """The measure of what an array holds along its axes after `outer` others, an entry if there are none."""
    if not measure:
        return evaluator.value(one.shared, place)
    dims = [at_index(d, place) for d in one.dims[outer:]]
    inner = [e.terms[0][0] for e in one.at[outer:]]
    values = np.empty(dims, dtype=object)
    for spot in np.ndindex(*dims):
        values[spot] = evaluator.value(one.shared, {**place, **dict(zip(inner, spot, strict=True))})
    if measure == "absolute":
        return abs(values.item())
    return float(np.linalg.norm(values.astype(float), 2))


def _read(interpretation: Interpretation) -> Iterator[tuple[KernelArray, KernelArray, str, Tag]]:
    """The same of an interpretation, with what is taken of the left side."""
    for part in (*interpretation.parts, *interpretation.conditions):
        tag = part.kind.__name__, part.condition
        if part.kind in (Determines, Undetermined):
            yield from ((one, one, "", tag) for one in (part.left, part.right))
        else:
            yield part.left, part.right, part.measure, tag


def _plain(number: Fraction) -> Fraction | int:
    """Whole numbers as such: they multiply faster."""
    return number.numerator if number.denominator == 1 else number

"""One program's claim in the order of what it costs: numbers at random, the kernel, then exact identities.

What differs at random points is refuted at once. What does not is read with symbols, so that what is not read is told
within a second or two, and given to the kernel. Only where it finds no proof are counterexamples looked for, and sides
multiplied out with every entry a symbol: at few sizes, and there as long as a budget of operations lasts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..check.result import Result
from ..exact.at_random import agree, balls, drawn, overlap, residues
from ..exact.enclosures import ArbField
from ..exact.engines import ENGINES, FIXED, FLINT, UnequalShapes, chosen
from ..exact.instance import evaluate
from ..exact.residues import Meter, TooLong
from ..exact.scalar import NotPolynomial, multiplying
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Equal
from ..search.wording import listening
from .verdict import decide

FEW = 32
"""At no more choices of sizes are sides multiplied out, unless they are given."""
MULTIPLIED = 300_000
"""How many products of two terms a choice of sizes may take whose entries are polynomials, multiplied out."""
EXPRESSED = 4_000
"""How many operations one may take whose entries are sympy's expressions, where functions such as exp occur."""
Tell = Callable[[str], None]


@dataclass
class Settled:
    """What was found of a claim, and what is to be said of it in its own names."""

    result: Result
    proved: list[str] = field(default_factory=list)
    leftover: list[str] = field(default_factory=list)


def settled(claim: Claim, given: Mapping[str, Sequence[int]], tell: Tell) -> Settled:
    """The verdict on one claim.

    Args:
        claim: the claim.
        given: sizes at which it is to be computed exactly, whatever that takes; few if there are none.
        tell: hears what is tried.
    """
    tell("random numbers")
    why, doubtful, left = None, False, []
    if not _differs(claim):
        tell("a proof for all sizes")
        with listening() as said:
            result = decide(claim, ENGINES["kernel"])
        if result.verdict != "unknown":
            return Settled(result, said.proved)
        why, doubtful, left = result.reason, result.doubtful, said.leftover
    tell("counterexamples, and exact identities at a few sizes")
    few = claim if given else _few(claim)
    if few is None:
        found = Result("unknown", reason="no sizes are small enough to multiply both sides out")
    else:
        found = decide(few, FIXED)
    if found.verdict in ("refuted", "error"):
        return Settled(found)
    reason = why if found.verdict == "proved" else _joined(why, found.reason)
    if doubtful:
        return Settled(Result("unknown", reason=why, definitions=found.definitions), [], left)
    return Settled(replace(found, reason=reason), [], left)


def _joined(why: str | None, engine: str | None) -> str | None:
    if why is None or engine is None:
        return why or engine
    return f"{why}; at fixed sizes: {engine}"


def _differs(claim: Claim) -> bool:
    """Whether the two sides differ at random points of one of three choices of sizes."""
    for sizes in chosen(claim):
        with suppress(ArithmeticError, ValueError, TypeError):
            if not all(_may_be_equal(claim, sizes)):
                return True
    return False


def _may_be_equal(claim: Claim, sizes: Sizes) -> Iterator[bool]:
    try:
        found, same = residues(claim, sizes), agree
    except NotPolynomial:
        found, same = balls(claim, sizes), overlap
    for statement in found:
        if isinstance(statement, Equal):
            try:
                yield same(statement)
            except UnequalShapes:
                yield False


def _few(claim: Claim) -> Claim | None:
    """The claim at so few sizes that all of them are soon multiplied out; None if none are."""
    ranges = {name: tuple(values) for name, values in claim.ranges.items()}
    while True:
        top = {name: max(values) for name, values in ranges.items()}
        if math.prod(map(len, ranges.values())) <= FEW and _is_affordable(claim, top):
            return replace(claim, sizes=ranges)
        widest = max(ranges, key=lambda name: len(ranges[name]), default=None)
        if widest is None or len(ranges[widest]) == 1:
            return None
        ranges[widest] = ranges[widest][:-1]


def _is_affordable(claim: Claim, sizes: Sizes) -> bool:
    """Whether polynomials, or expressions where there are functions such as exp, do not grow beyond all bounds there."""
    try:
        with multiplying(MULTIPLIED):
            FLINT.statements(claim, sizes)
        return True
    except TooLong:
        return False
    except NotPolynomial:
        pass
    except ArithmeticError:
        return True  # which the engine will say itself
    meter = Meter(EXPRESSED)
    try:
        exact = ArbField(meter)
        evaluate(claim, exact, sizes, drawn(claim, exact, sizes, lambda: 1))
    except TooLong:
        return False
    except ArithmeticError:
        pass
    return True

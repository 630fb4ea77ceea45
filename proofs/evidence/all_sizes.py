"""The kernel as one more engine: a claim that holds at fixed sizes is tried with symbols for sizes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.polynomials import RationalField
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, facts, size
from ..kernel.term import Term
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.sizes import Sizes, shape
from ..language.statements import Equal, Statement
from ..reading.array import KernelArray, Namespace, array, holds, symbol
from ..reading.evaluate import Evaluator, positions
from ..reading.size import Size, Unreadable
from ..reading.size import index as as_index
from ..search.lemmas import show
from ..search.session import Session, session
from .engines import SMALL, sides
from .instance import constants, evaluate, shapes

READS = 20_000
"""A reading is compared with the claim's own numbers where that takes no more entries than this."""


@dataclass(frozen=True)
class Proof:
    """Every equation of a claim, for all sizes."""

    theorems: tuple[Theorem, ...]
    method: str
    session: Session

    def evidence(self) -> dict[str, Any]:
        entry = {"method": self.method, "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        return {**entry, "axioms": []}


@dataclass(frozen=True)
class Reading:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    equations: list[tuple[KernelArray, KernelArray]]
    session: Session


def prove(claim: Claim, mutate: Callable[[Any], Any] | None = None) -> Proof | str:
    """A proof of all the claim's equations at every size from the least of its ranges on, or why there is none.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters, to see the proof break.
    """
    if not claim.ranges:
        return "the claim has no sizes"
    with session() as current:
        return _prove(claim, mutate, current)


def _prove(claim: Claim, mutate: Callable[[Any], Any] | None, current: Session) -> Proof | str:
    try:
        reading = read(claim, current, mutate)
        theorems = [_theorem(left, right, reading) for left, right in reading.equations]
        problem = disagreement(claim, reading) if mutate is None else None
        if problem is not None:
            return problem
    except Unreadable as error:
        return f"not read with symbols for sizes: {error}"
    except KernelError as error:
        return f"not proved for all sizes ({type(error).__name__}): {error}"
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return f"not read with symbols for sizes ({type(error).__name__}): {error}"
    method = "induction" if current.inductions else "normal-form"
    return Proof(tuple(theorems), method, current)


def read(
    claim: Claim, current: Session, mutate: Callable[[Any], Any] | None = None
) -> Reading:
    """The claim's body run once on kernel arrays.

    Raises:
        Unreadable, KernelError, or what a body raises that cannot do with symbols.
    """
    sizes = {name: size(name, min(values)) for name, values in claim.ranges.items()}
    known: Any = {name: Size(e) for name, e in sizes.items()}
    given = {
        name: symbol(name, [as_index(d) for d in shape(text, known)])
        for name, text in claim.given.items()
    }
    values = {**given, **known, "xp": Namespace()}
    parameters = claim.construct(values)
    if mutate is not None:
        parameters = mutate(parameters)
    statements = claim.statements(values, parameters)
    return Reading(sizes, [_sides(s) for s in statements], current)


def _sides(statement: Statement) -> tuple[KernelArray, KernelArray]:
    if not isinstance(statement, Equal):
        raise Unreadable("the kernel proves equations only")
    left, right = array(statement.left), array(statement.right)
    if left.dims != right.dims:
        raise Unreadable(f"the two sides have shapes {left.dims} and {right.dims}")
    return left, right


def _theorem(left: KernelArray, right: KernelArray, reading: Reading) -> Theorem:
    """The equation for all positions, and for all values of the loops' variables.

    Where a variable has no value at some sizes, the theorem says nothing there; so each must have one at all sizes.
    """
    found = show(left.term, right.entry(left.at))
    own = {v for e in (*left.at, *reading.sizes.values()) for v in e.variables()}
    for v in (found.left.scope | found.right.scope) - own:
        low, high = declared(v)
        if not holds(low + high):
            raise Unreadable("a loop that may have no turn")
    return found


def disagreement(claim: Claim, reading: Reading) -> str | None:
    """Compare the reading with the claim itself, run on numbers at a few sizes; None if they agree.

    The pairs (entry of the left side, entry of the right side) must be the same, so that a loop that is read once
    for all its turns, say, is seen to be what the claim's own loop does. This is a test of the reading; the kernel is
    not asked.
    """
    chosen = claim.every_size
    compared = 0
    middle = [s for s in chosen if max(s.values()) <= SMALL][-1:]
    for sizes in [*middle, *(s for s in (chosen[0], chosen[-1]) if s not in middle)]:
        own = _own_pairs(claim, sizes)
        if own is None:
            continue
        numbers, pairs = own
        try:
            found = _read_pairs(reading, sizes, numbers)
        except TooLong:
            continue
        if found != pairs:
            return f"the reading with symbols for sizes is not the claim's own at {dict(sizes)}"
        compared += 1
    return None if compared else "the reading with symbols for sizes could not be compared"


class TooLong(Exception):
    """A comparison that takes too many entries."""


def _own_pairs(claim: Claim, sizes: Sizes) -> tuple[dict[str, np.ndarray], set[Any]] | None:
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    point = {}
    for name, dims in shapes(claim, sizes).items():
        point[name] = np.empty(dims, dtype=object)
        for place in np.ndindex(dims):
            point[name][place] = Fraction(rng.randint(1, 99), rng.randint(1, 7))
    field = RationalField()
    try:
        found = evaluate(claim, field, sizes, constants(claim, field, point))
    except (DivisionByZero, ZeroDivisionError, NotPolynomial):
        return None
    pairs = set()
    for statement in found:
        left, right = sides(statement)
        pairs |= {(left.entries[i], right.entries[i]) for i in np.ndindex(left.shape)}
    return point, pairs


def _read_pairs(reading: Reading, sizes: Sizes, numbers: dict[str, np.ndarray]) -> set[Any]:
    at = {e.terms[0][0]: sizes[name] for name, e in reading.sizes.items()}

    left_to_read = READS

    def entries(name: str, place: tuple[int, ...]) -> Any:
        nonlocal left_to_read
        left_to_read -= 1
        if left_to_read < 0:
            raise TooLong
        # Arrays are total functions to the kernel; what stands outside must not matter.
        inside = all(0 <= i < n for i, n in zip(place, numbers[name].shape, strict=True))
        return numbers[name][place] if inside else Fraction(1009 + 7 * sum(place))

    evaluator = Evaluator(entries, reading.session)
    pairs = set()
    for left, right in reading.equations:
        other = right.entry(left.at)
        free = _ordered([left.term, other], left.at, at)
        for place in positions(free, at):
            pairs.add((evaluator.value(left.term, place), evaluator.value(other, place)))
    return pairs


def _ordered(terms: Sequence[Term], axes: Sequence[Index], at: dict[int, int]) -> list[int]:
    """The free variables but sizes, and those of their ranges, in the order of their declaration."""
    found = {v for t in terms for v in t.scope} | {v for e in axes for v in e.variables()}
    while True:
        more = {v for e in facts(found) for v in e.variables()} - found
        if not more:
            return sorted(found - set(at))
        found |= more

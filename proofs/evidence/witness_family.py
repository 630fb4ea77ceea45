"""Sides that differ at every size: one family of inputs, searched for with numbers, shown to do it by the kernel.

The claim's symbols become arrays of numbers, such as zeros or a unit entry, at every size at once. That the sides
differ is one equation at one entry of them: M (left − right) = c, where M is a product of sizes and their inverses and
c a number other than 0. A family that does it at the sizes of the claim is looked for; then the body is read on it, and
the kernel proves the equation for all sizes.
"""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, facts, variable
from ..kernel.inequalities import implied
from ..kernel.term import INVERSE, NUMBER, Term, as_term, function_of, inverse, number
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Differs, Equal
from ..reading.array import KernelArray, holds
from ..reading.claims import Reading, read
from ..reading.evaluate import Evaluator, at_index, positions
from ..reading.size import Unreadable
from ..search.lemmas import show
from ..search.session import Session
from ..search.unfolding import stepping
from .axioms import POSITIVE, axioms_of
from .comparison import disagreement, free_variables
from .engines import as_constant, sides
from .families import Family, Pattern, numbers, patterns
from .points import statements_at

TRIES = 200
"""So many families are tried, drawn once and for all for each claim."""
NEAR = (-1, 0, 1)
LARGEST = {4: 7, 6: 4, 1000: 2}
"""The factor M is a product of at most so many n − 1, n, n + 1 and their inverses, by how many of them there are."""
Mutation = Callable[[Any], Any] | None
Sample = tuple[tuple[int, ...], Fraction]
"""Values of sizes and of loops' variables, and by how much the sides differ there."""
Gaps = dict[tuple[int, ...], Fraction]
"""By how much the sides differ at corners: 0 is the first index along an axis, -1 the last."""


@dataclass(frozen=True)
class Witness:
    """Inputs for which the sides of a claim's statements differ, at every size."""

    family: Family
    theorems: tuple[Theorem, ...]
    """M (left − right) = c ≠ 0 at one entry, for each of the statements."""
    axioms: list[str]

    def evidence(self) -> dict[str, Any]:
        entry = {"method": "witness", "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        inputs = {name: str(pattern) for name, pattern in self.family.items()}
        return {**entry, "axioms": self.axioms, "inputs": inputs}


def differing(claim: Claim, reading: Reading, current: Session, mutate: Mutation = None) -> Witness:
    """A witness for all statements of the claim that say that their sides differ.

    Args:
        claim: the claim.
        reading: its reading with independent symbols, in this session.
        current: the session.
        mutate: a change of the construction's parameters.

    Raises:
        Unreadable, KernelError: if none is found, or what is found is not proved.
    """
    family = _found(claim, mutate)
    found, axioms = member(claim, family, reading, current, mutate)
    parts = [part for part in found.parts if part.kind is Differs]
    theorems = tuple(apart(part.left, part.right, found, claim) for part in parts)
    return Witness(family, theorems, axioms)


def member(
    claim: Claim, family: Family, reading: Reading, current: Session, mutate: Mutation
) -> tuple[Reading, list[str]]:
    """The reading on a family of inputs, and the axioms that it rests on.

    Raises:
        Unreadable, KernelError: if it is not the claim's own, or something is divided by that may be 0.
    """
    before, divided = len(declarations.current.functions), current.divided
    found = read(claim, current, mutate, lambda name, dims: family[name].terms(dims), reading.sizes)
    current.divided = divided  # which is about symbols; here it is looked at what was divided by
    axioms = axioms_of(current.functions, current.differentiated) + _denominators(before)
    problem = disagreement(claim, found, lambda sizes: numbers(claim, family, sizes))
    if problem is not None and mutate is None:
        raise Unreadable(problem)
    return found, axioms


# The search, with numbers.


def _found(claim: Claim, mutate: Mutation) -> Family:
    """The plainest family that is found at which all sides differ at all sizes of the claim."""
    refuse_conditions(claim)
    choices = {name: patterns(len(text.split())) for name, text in claim.given.items()}
    for family in drawn(claim, choices):
        if _is_promising(claim, family, mutate):
            break
    else:
        raise NotProved(
            "no zeros and ones were found for which the sides differ by one multiple of the sizes"
        )
    for name, plainer in choices.items():
        for pattern in plainer:
            tried = {**family, name: pattern}
            if pattern == family[name] or _is_promising(claim, tried, mutate):
                family = tried
                break
    return family


def drawn(claim: Claim, choices: Mapping[str, Sequence[Pattern]]) -> Iterator[Family]:
    for k in range(3):
        yield {name: few[min(k, len(few) - 1)] for name, few in choices.items()}
    rng = random.Random(claim.id)
    for _ in range(TRIES):
        yield {name: rng.choice(few) for name, few in choices.items()}


def _is_promising(claim: Claim, family: Family, mutate: Mutation) -> bool:
    """Whether each statement has a corner where M (left − right) is one number, not 0, at the claim's sizes.

    Where a loop makes more statements at some sizes than at others, it is enough that all differ at one corner.
    """
    found: list[tuple[tuple[int, ...], list[Gaps]]] = []
    for sizes in sizes_tried(claim):
        statements = statements_at(claim, sizes, numbers(claim, family, sizes), mutate)
        if statements is None:
            return False
        gaps = [gaps_at_corners(s.left, s.right) for s in statements if isinstance(s, Differs)]
        if not all(gaps):
            return False
        found.append((bases_at(claim, sizes), gaps))
    if len({len(gaps) for _, gaps in found}) > 1:
        return bool(set.intersection(*(set(one) for _, gaps in found for one in gaps)))
    places = [at for at, _ in found]
    same = list(zip(*(gaps for _, gaps in found), strict=True))
    return bool(same) and all(are_apart(places, gaps) for gaps in same)


def are_apart(places: Sequence[tuple[int, ...]], gaps: Sequence[Gaps]) -> bool:
    """Whether at some corner M · gap is one number, not 0, at all of these places."""
    corners = set.intersection(*map(set, gaps))
    samples = (
        [(at, gap[corner]) for at, gap in zip(places, gaps, strict=True)] for corner in corners
    )
    return any(fit(one) for one in samples)


def bases_at(claim: Claim, sizes: Sizes) -> tuple[int, ...]:
    """n − 1, n and n + 1 for each size n, where they cannot be 0."""
    return tuple(
        n + more for name, n in sizes.items() for more in NEAR if min(claim.ranges[name]) + more > 0
    )


def sizes_tried(claim: Claim) -> list[Sizes]:
    """The claim's sizes, and one beyond them all."""
    beyond = {name: max(values) + 1 for name, values in claim.ranges.items()}
    return [*claim.every_size, beyond]


def gaps_at_corners(one: Any, other: Any) -> Gaps:
    """one − other at the corners where that is a rational number other than 0."""
    left, right = sides(Equal(one, other))
    corners = itertools.product(*[(0, -1)] * left.entries.ndim) if left.entries.size else ()
    found = {c: as_constant(left.entries[c] - right.entries[c]) for c in corners}
    return {c: gap for c, gap in found.items() if gap}


def fit(samples: Sequence[Sample]) -> tuple[tuple[int, ...], Fraction] | None:
    """Exponents of a factor M, and c, such that M · gap = c at every sample."""
    gaps = [gap for _, gap in samples]
    if len(set(gaps)) == 1:
        return (0,) * len(samples[0][0]), gaps[0]
    powers = _factors(tuple(at for at, _ in samples)).get(tuple(gaps[0] / gap for gap in gaps))
    return None if powers is None else (powers, gaps[0] * _power(samples[0][0], powers))


@lru_cache(maxsize=8)
def _factors(places: tuple[tuple[int, ...], ...]) -> dict[tuple[Fraction, ...], tuple[int, ...]]:
    """The simplest exponents for all that a factor can be at these places, relative to the first."""
    count = len(places[0])
    largest = next(n for most, n in LARGEST.items() if count <= most)
    ranked = sorted((sum(map(abs, powers)), powers) for powers in _exponents(count, largest))
    found: dict[tuple[Fraction, ...], tuple[int, ...]] = {}
    for _, powers in ranked:
        values = [_power(at, powers) for at in places]
        found.setdefault(tuple(value / values[0] for value in values), powers)
    return found


def _exponents(count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Whole numbers whose sizes add up to no more than `largest`."""
    if not count:
        yield ()
        return
    for first in range(-largest, largest + 1):
        for others in _exponents(count - 1, largest - abs(first)):
            yield (first, *others)


def _power(at: Sequence[int], powers: Sequence[int]) -> Fraction:
    result = Fraction(1)
    for value, power in zip(at, powers, strict=True):
        result *= Fraction(value) ** power
    return result


def refuse_conditions(claim: Claim) -> None:
    """A side condition must hold of the family at all sizes: it may speak of numbers only, which are the same there."""
    for text, condition in claim.assuming.items():
        for name in inspect.signature(condition).parameters:
            if name not in claim.ranges and claim.given.get(name) != "":
                raise NotProved(f"inputs at every size would have to meet: {text}")


# The proof.


def _denominators(before: int) -> list[str]:
    """Of what was divided by it must be seen that it is not 0: a sum of positive numbers. The axiom that this needs."""
    known = declarations.current
    functions = [known.bodies[name] for name in list(known.functions.values())[before:]]
    inverses = [function for function in functions if function.name == INVERSE]
    if not all(_positive(function.body, function.arity) for function in inverses):
        raise NotProved("at the inputs tried, something is divided by that may be 0")
    return [POSITIVE] if inverses else []


def _positive(pairs: Any, arity: int) -> bool:
    """Whether each summand is a positive number times values of exp and sizes that are ≥ 1."""
    rows = facts(declarations.current.sizes)

    def is_positive(f: Any) -> bool:
        if f.name == NUMBER:
            return implied(f.at[0] - 1, rows)
        return function_of(f) == "exp"

    return bool(pairs) and all(
        c > 0 and m.bound == arity and not m.guards and all(map(is_positive, m.factors))
        for m, c in pairs
    )


def apart(left: KernelArray, right: KernelArray, reading: Reading, claim: Claim) -> Theorem:
    """M (left − right) = c for an entry, a factor and a number found at the claim's sizes.

    Raises:
        Unreadable, KernelError: if none are found, or what is found is not proved.
    """
    for corner in itertools.product(*[_ends(d) for d in left.dims]):
        gap = left.entry(corner) - right.entry(corner)
        fitted = _fitted(gap, reading, claim)
        if fitted is not None:
            factor, value = fitted
            theorem = show(factor * gap, as_term(value), stepping)
            reading.expect_turns(theorem)
            return theorem
    raise NotProved("no entry was found at which the sides differ by a multiple of sizes")


def _ends(length: Index) -> list[Index]:
    if not holds(length - 1):
        raise NotProved("arrays without entries at some sizes")
    return [Index(0)] if length == Index(1) else [Index(0), length - 1]


def _fitted(gap: Term, reading: Reading, claim: Claim) -> tuple[Term, Fraction] | None:
    """M and c such that M · gap = c ≠ 0 at the claim's sizes."""
    samples: list[Sample] = []
    bases: list[Index] | None = None
    for at in sizes_tried(claim):
        place = {e.terms[0][0]: at[name] for name, e in reading.sizes.items()}
        free = free_variables([gap], (), place)
        if bases is None:
            rows = facts({*place, *free})
            every = [variable(v) + more for v in (*place, *free) for more in NEAR]
            bases = [e for e in every if implied(e - 1, rows)]
        evaluator = Evaluator(_value_of_function, reading.session)
        for spot in positions(free, place):
            value = evaluator.value(gap, spot)
            if not value or not isinstance(value, Fraction | int):
                return None
            samples.append((tuple(at_index(e, spot) for e in bases), Fraction(value)))
    found = fit(samples) if samples else None
    if found is None or bases is None:
        return None
    factor = as_term(1)
    for e, power in zip(bases, found[0], strict=True):
        one = number(e)
        for _ in range(abs(power)):
            factor = factor * (one if power > 0 else inverse(one, []))
    return factor, found[1]


def _value_of_function(name: str, place: tuple[Any, ...]) -> Any:
    """exp(0) is taken for 1 when M and c are guessed; the kernel knows nothing of it."""
    return Fraction(1) if (name, *place) == ("exp", 0) else float("nan")

"""Sides that differ at every size: one family of inputs, shown to do it by the kernel.

The claim's symbols become arrays of numbers, such as zeros or a unit entry, at every size at once. That the sides
differ is one equation at one entry of them: M (left − right) = c, where M is a product of sizes and their inverses and
c a number other than 0. The body is read on the family, and the kernel is shown the equation for all sizes.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..interpret.array import KernelArray, holds
from ..interpret.claims import Part, Reading, read
from ..interpret.questions import Unreadable
from ..interpret.session import Session, Sessions
from ..interpret.terms import inverse, number
from ..kernel import index as declarations
from ..kernel.checker import Refused
from ..kernel.errors import NotProved
from ..kernel.index import Index, facts, variable
from ..kernel.inequalities import implied
from ..kernel.term import INVERSE, INVERSE_NUMBER, NUMBER, Factor, Term, as_term, function_of
from ..language.claim import Claim
from ..language.sizes import axes
from ..language.statements import Differs, Statement
from .axioms import POSITIVE, axioms_of
from .comparison import disagreement, free_variables
from .families import Family, numbers
from .traces import Trace, places_of, shown

NEAR = (-1, 0, 1)
"""M is a product of n − 1, n and n + 1 for sizes n, and of their inverses."""
Mutation = Callable[[Any], Any] | None
Kinds = Sequence[type[Statement]]
"""What a claim's statements say, in order."""


@dataclass(frozen=True)
class Apart:
    """M (left − right) = c ≠ 0 at one entry."""

    corner: int
    """Which entry of those whose indices are first or last along each axis."""
    powers: tuple[int, ...]
    """M is the product of the numbers that `bases_of` lists to these powers."""
    value: Fraction


@dataclass(frozen=True)
class Witness:
    """Inputs for which the sides of a claim's statements differ, at every size."""

    family: Family
    gaps: tuple[Apart, ...]
    """By how much, for each of the statements."""
    trace: Trace

    def evidence(self, axioms: list[str]) -> dict[str, Any]:
        entry = {"method": "witness", "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        inputs = {name: str(pattern) for name, pattern in self.family.items()}
        return {**entry, "axioms": axioms, "inputs": inputs}


def verify(
    claim: Claim, one: Witness, kinds: Kinds, session: Sessions, mutate: Mutation = None
) -> dict[str, Any]:
    """The report's entry of a witness that shows what it says.

    Raises:
        Refused, Unreadable, KernelError: if it does not.
    """
    refuse_conditions(claim)
    expect_inputs(claim, one.family)
    with session() as current:
        found = member(claim, one.family, kinds, current, mutate)
        sides = sides_of(found)
        if len(sides) != len(one.gaps):
            raise Refused(f"{len(one.gaps)} differences of {len(sides)} statements")
        statements = [equation_of(*part, found) for part in zip(sides, one.gaps, strict=True)]
        return one.evidence(axioms(statements, found, one.trace, current))


def expect_inputs(claim: Claim, *families: Family) -> None:
    """Raise Refused unless there is an array for each of the claim's symbols."""
    for one in families:
        ranks = {name: len(axes(text)) for name, text in claim.given.items()}
        if {name: len(pattern.places) for name, pattern in one.items()} != ranks:
            raise Refused("other inputs than the claim's")


def axioms(
    statements: Sequence[tuple[Term, Term]], found: Reading, trace: Any, current: Session
) -> list[str]:
    """What equations of numbers rest on, besides the kernel.

    Raises:
        Refused, NotProved: if they are not shown, or something is divided by that may be 0.
    """
    told = axioms_of(current.functions, current.differentiated)
    proved = shown(statements, places_of(current.partial), trace)
    return told + axiom_of({*proved.conditional, *proved.divisors})


def differing_parts(found: Reading) -> list[Part]:
    return [part for part in found.parts if part.kind is Differs]


def sides_of(found: Reading) -> list[tuple[KernelArray, KernelArray]]:
    return [(part.left, part.right) for part in differing_parts(found)]


def member(
    claim: Claim,
    family: Family,
    kinds: Kinds,
    current: Session,
    mutate: Mutation,
    sizes: dict[str, Index] | None = None,
) -> Reading:
    """The reading on a family of inputs.

    Raises:
        Unreadable, KernelError: if it is not the claim's own, or something is divided by 0.
    """
    try:
        found = read(claim, current, mutate, lambda name, dims: family[name].terms(dims), sizes)
    except ZeroDivisionError as error:
        raise NotProved("at the inputs tried, something is divided by 0") from error
    problem = disagreement(claim, found, lambda sizes: numbers(claim, family, sizes))
    if problem is not None and mutate is None:
        raise Unreadable(problem)
    found = found.once()
    if [part.kind for part in found.parts] != list(kinds):
        raise Unreadable("a body that says other things of other inputs")
    return found


def refuse_conditions(claim: Claim) -> None:
    """A side condition must hold of the family at all sizes: it may speak of numbers, the same there, or of sizes.

    Raises:
        NotProved: for a condition of another kind.
    """
    for text, condition in claim.assuming.items():
        names = set(inspect.signature(condition).parameters)
        of_sizes = names <= set(claim.ranges)
        of_numbers = all(claim.given.get(name) == "" for name in names)
        if not of_sizes and not of_numbers:
            raise NotProved(f"inputs at every size would have to meet: {text}")


def axiom_of(partial: Set[str]) -> list[str]:
    """Of what is divided by, or a logarithm is taken of, it must be seen that it is > 0. The axiom that this needs."""
    if not all(_is_positive_inside(name) for name in partial):
        raise NotProved("at the inputs tried, something is divided by that may be 0")
    return [POSITIVE] if partial else []


def _is_positive_inside(name: str) -> bool:
    """Whether what a function is taken of is a sum of products of numbers > 0, by their looks."""
    function = declarations.current.bodies.get(name)
    if function is None:
        return False
    rows = facts(declarations.current.sizes)

    def is_positive(f: Factor) -> bool:
        if f.name in (NUMBER, INVERSE_NUMBER):
            return implied(f.at[0] - 1, rows)
        of = function_of(f)
        return of == "exp" or (of == INVERSE and _is_positive_inside(f.name))

    return bool(function.body) and all(
        c > 0 and m.bound == function.arity and not m.guards and all(map(is_positive, m.factors))
        for m, c in function.body
    )


def equation_of(
    sides: tuple[KernelArray, KernelArray], one: Apart, reading: Reading
) -> tuple[Term, Term]:
    """M (left − right) and c.

    Raises:
        Refused: if there is no such entry, or c is 0.
    """
    gaps = list(corner_gaps(*sides))
    if not 0 <= one.corner < len(gaps) or not one.value:
        raise Refused("a difference of 0, or at an entry that is not there")
    gap = gaps[one.corner]
    bases = bases_of(gap, reading)
    if len(bases) != len(one.powers):
        raise Refused(f"{len(one.powers)} powers of {len(bases)} numbers")
    factor = as_term(1)
    for e, power in zip(bases, one.powers, strict=True):
        base = number(e) if power > 0 else inverse(number(e), [])
        for _ in range(abs(power)):
            factor = factor * base
    reading.expect_turns(factor * gap, as_term(one.value))
    return factor * gap, as_term(one.value)


def corner_gaps(left: KernelArray, right: KernelArray) -> Iterator[Term]:
    for corner in itertools.product(*[_ends(d) for d in left.dims]):
        yield left.entry(corner) - right.entry(corner)


def bases_of(gap: Term, reading: Reading) -> list[Index]:
    """n − 1, n and n + 1 for all sizes and loops' variables n that the gap speaks of, where they are seen to be ≥ 1."""
    sizes = reading.variables.values()
    free = free_variables([gap], (), dict.fromkeys(sizes, 0))
    rows = facts({*sizes, *free})
    every = [variable(v) + more for v in (*sizes, *free) for more in NEAR]
    return [e for e in every if implied(e - 1, rows)]


def _ends(length: Index) -> list[Index]:
    if not holds(length - 1):
        raise NotProved("arrays without entries at some sizes")
    return [Index(0)] if length == Index(1) else [Index(0), length - 1]

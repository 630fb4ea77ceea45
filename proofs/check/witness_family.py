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
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..exact.fitting import NEAR, Gaps, Sample, are_apart, fit, gaps_at_corners
from ..exact.points import statements_at
from ..interpret.array import KernelArray, holds
from ..interpret.claims import Part, Reading, read
from ..interpret.evaluate import Evaluator, at_index, positions
from ..interpret.questions import Unreadable
from ..interpret.session import Session, session
from ..interpret.terms import inverse, number
from ..kernel import index as declarations
from ..kernel.checker import Refused
from ..kernel.errors import NotProved
from ..kernel.index import Index, facts, variable
from ..kernel.inequalities import implied
from ..kernel.term import INVERSE, INVERSE_NUMBER, NUMBER, Factor, Term, as_term, function_of
from ..language.claim import Claim
from ..language.errors import UsageError
from ..language.sizes import Sizes
from ..language.statements import Differs, Statement
from ..search.closed_forms import conditions
from ..search.lemmas import show
from ..search.unfolding import stepping
from .axioms import POSITIVE, axioms_of
from .comparison import disagreement, free_variables, function_value
from .families import Family, Pattern, numbers, patterns
from .traces import Trace, places_of, shown, trace_of

TRIES = 200
"""So many families are tried, drawn once and for all for each claim."""
Mutation = Callable[[Any], Any] | None
Kinds = Sequence[type[Statement]]
"""What a claim's statements say, in order."""


@dataclass(frozen=True)
class Apart:
    """M (left − right) = c ≠ 0 at one entry."""

    corner: int
    """Which entry of those whose indices are first or last along each axis."""
    powers: tuple[int, ...]
    """M is the product of the numbers that `_bases` lists to these powers."""
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


def differing(claim: Claim, kinds: Kinds, mutate: Mutation = None) -> Witness:
    """A witness for all statements of the claim that say that their sides differ.

    Args:
        claim: the claim.
        kinds: the kinds of its statements.
        mutate: a change of the construction's parameters.

    Raises:
        Unreadable, KernelError: if none is found, or what is found is not proved.
    """
    family = _found(claim, mutate)
    with session() as current:
        found = member(claim, family, kinds, current, mutate)
        places = places_of(current.partial)
        every = [fitted(part.left, part.right, found, claim) for part in _parts(found)]
        statements = [equation_of(*part, found) for part in zip(_sides(found), every, strict=True)]
        theorems = [show(left, right, stepping) for left, right in statements]
        return Witness(
            family, tuple(every), trace_of(theorems, conditions(places, current), places)
        )


def verify(claim: Claim, one: Witness, kinds: Kinds, mutate: Mutation = None) -> dict[str, Any]:
    """The report's entry of a witness that shows what it says.

    Raises:
        Refused, Unreadable, KernelError: if it does not.
    """
    refuse_conditions(claim)
    expect_inputs(claim, one.family)
    with session() as current:
        found = member(claim, one.family, kinds, current, mutate)
        sides = _sides(found)
        if len(sides) != len(one.gaps):
            raise Refused(f"{len(one.gaps)} differences of {len(sides)} statements")
        statements = [equation_of(*part, found) for part in zip(sides, one.gaps, strict=True)]
        return one.evidence(axioms(statements, found, one.trace, current))


def expect_inputs(claim: Claim, *families: Family) -> None:
    """Raise Refused unless there is an array for each of the claim's symbols."""
    for one in families:
        axes = {name: len(text.split()) for name, text in claim.given.items()}
        if {name: len(pattern.places) for name, pattern in one.items()} != axes:
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
    return told + _defined({*proved.conditional, *proved.divisors})


def _parts(found: Reading) -> list[Part]:
    return [part for part in found.parts if part.kind is Differs]


def _sides(found: Reading) -> list[tuple[KernelArray, KernelArray]]:
    return [(part.left, part.right) for part in _parts(found)]


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
        statements = statements_of(claim, sizes, family, mutate)
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


def statements_of(
    claim: Claim, sizes: Sizes, family: Family, mutate: Mutation
) -> list[Statement] | None:
    """What the claim says of the family's inputs at these sizes, if they are inputs that it speaks of."""
    try:
        return statements_at(claim, sizes, numbers(claim, family, sizes), mutate)
    except UsageError:
        return None


def bases_at(claim: Claim, sizes: Sizes) -> tuple[int, ...]:
    """n − 1, n and n + 1 for each size n, where they cannot be 0."""
    return tuple(
        n + more for name, n in sizes.items() for more in NEAR if min(claim.ranges[name]) + more > 0
    )


def sizes_tried(claim: Claim) -> list[Sizes]:
    """The claim's sizes, and one beyond them all."""
    beyond = {name: max(values) + 1 for name, values in claim.ranges.items()}
    return [*claim.every_size, beyond]


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


# The proof.


def _defined(partial: Set[str]) -> list[str]:
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


def fitted(left: KernelArray, right: KernelArray, reading: Reading, claim: Claim) -> Apart:
    """An entry, a factor and a number, such that M (left − right) = c at the claim's sizes.

    Raises:
        NotProved: if none are found.
    """
    for corner, gap in enumerate(_gaps(left, right)):
        found = _fitted(gap, reading, claim)
        if found is not None:
            return Apart(corner, *found)
    raise NotProved("no entry was found at which the sides differ by a multiple of sizes")


def equation_of(
    sides: tuple[KernelArray, KernelArray], one: Apart, reading: Reading
) -> tuple[Term, Term]:
    """M (left − right) and c.

    Raises:
        Refused: if there is no such entry, or c is 0.
    """
    gaps = list(_gaps(*sides))
    if not 0 <= one.corner < len(gaps) or not one.value:
        raise Refused("a difference of 0, or at an entry that is not there")
    gap = gaps[one.corner]
    bases = _bases(gap, reading)
    if len(bases) != len(one.powers):
        raise Refused(f"{len(one.powers)} powers of {len(bases)} numbers")
    factor = as_term(1)
    for e, power in zip(bases, one.powers, strict=True):
        base = number(e) if power > 0 else inverse(number(e), [])
        for _ in range(abs(power)):
            factor = factor * base
    reading.expect_turns(factor * gap, as_term(one.value))
    return factor * gap, as_term(one.value)


def _gaps(left: KernelArray, right: KernelArray) -> Iterator[Term]:
    for corner in itertools.product(*[_ends(d) for d in left.dims]):
        yield left.entry(corner) - right.entry(corner)


def _bases(gap: Term, reading: Reading) -> list[Index]:
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


def _no_entry(name: str, at: tuple[Any, ...]) -> Any:
    raise ValueError(f"{name} is no number at the inputs tried")


def _fitted(gap: Term, reading: Reading, claim: Claim) -> tuple[tuple[int, ...], Fraction] | None:
    """The powers in M, and c, such that M · gap = c ≠ 0 at the claim's sizes."""
    samples: list[Sample] = []
    bases = _bases(gap, reading)
    for at in sizes_tried(claim):
        place = {v: at[name] for name, v in reading.variables.items()}
        evaluator = Evaluator(_no_entry, reading.session, function_value)
        for spot in positions(free_variables([gap], (), place), place):
            try:
                value = evaluator.value(gap, spot)
            except (ZeroDivisionError, ValueError):
                return None
            if not value or not isinstance(value, Fraction | int):
                return None
            samples.append((tuple(at_index(e, spot) for e in bases), Fraction(value)))
    return fit(samples) if samples else None

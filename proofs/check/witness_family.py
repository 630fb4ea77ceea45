"""Statements about some inputs, at every size: families of inputs, shown to do it by the kernel.

The claim's symbols become arrays of numbers, such as zeros or a unit entry, at every size at once. That two sides
differ is one equation at one entry of them: M (left − right) = c, where M is a product of sizes and their inverses and
c a number other than 0. That no map of a statistic gives a value takes two families: that their statistics agree is an
equation in every entry, that their values do not is one at one entry. The body is read on the families, and the kernel
is shown the equations for all sizes.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..interpret.array import KernelArray, holds
from ..interpret.claims import Interpretation, Part
from ..interpret.evaluate import free_variables
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
from ..language.statements import Differs, Undetermined
from .axioms import POSITIVE, axioms_of
from .families import Family, numbers
from .formulas import Mutation, formulas
from .instances.hypotheses import meets_hypotheses
from .result import evidence
from .traces import Trace, places_of, shown

NEAR = (-1, 0, 1)
"""M is a product of n − 1, n and n + 1 for sizes n, and of their inverses."""


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
    """Inputs of every size that show what a claim says of some inputs.

    That is one family, at which the sides of all its statements that they differ do; or two, which show that one
    statistic has two values: equal in every entry the one, apart in one the other.
    """

    families: tuple[Family, ...]
    gaps: tuple[Apart, ...]
    """By how much sides, or values, differ, for each of the statements."""
    trace: Trace
    statement: int | None = None
    """Which statement it is whose statistic does not determine the value; None for those whose sides differ."""

    def evidence(self, axioms: list[str]) -> dict[str, Any]:
        """The entry of the report's evidence, with the families of inputs."""
        said = [{name: str(pattern) for name, pattern in one.items()} for one in self.families]
        inputs = said[0] if len(said) == 1 else dict(zip(("first", "second"), said, strict=True))
        return {**evidence("witness", "all-sizes", None, "kernel", axioms), "inputs": inputs}


class Sides(NamedTuple):
    """What is to be equal in every entry, and what is to be apart in one, at families of inputs."""

    interpretation: Interpretation
    same: list[tuple[KernelArray, KernelArray]]
    apart: list[tuple[KernelArray, KernelArray]]

    def equations(self, gaps: Sequence[Apart]) -> list[tuple[Term, Term]]:
        """The equations that say so.

        Raises:
            Refused, Unreadable, KernelError: if gaps are not of these sides, or a loop may have no turn.
        """
        if len(gaps) != len(self.apart):
            raise Refused(f"{len(gaps)} differences of {len(self.apart)} statements")
        found = [(left.shared, right.entry(left.at)) for left, right in self.same]
        for (left, _), sides in zip(self.same, found, strict=True):
            self.interpretation.expect_turns(*sides, left.at)
        every = zip(self.apart, gaps, strict=True)
        return found + [equation_of(sides, gap, self.interpretation) for sides, gap in every]


def verify(
    claim: Claim, one: Witness, parts: Sequence[Part], session: Sessions, mutate: Mutation = None
) -> dict[str, Any]:
    """The report's entry of a witness that shows what it says of a claim whose statements are `parts`.

    Raises:
        Refused, Unreadable, KernelError: if it does not.
    """
    refuse_conditions(claim)
    expect_inputs(claim, one.families)
    expect_conditions(claim, one.families)
    if one.statement is None:
        if len(one.families) != 1:
            raise Refused("other than one input for sides that differ")
    else:
        _expect_collision(claim, one, one.statement, parts)
    with session() as current:
        found = sides_at(claim, one.families, one.statement, parts, current, mutate)
        statements = found.equations(one.gaps)
        axioms = axioms_of(current.functions, current.differentiated)
        proved = shown(statements, places_of(current.partial), one.trace)
        return one.evidence(axioms + axiom_of({*proved.conditional, *proved.divisors}))


def _expect_collision(claim: Claim, one: Witness, statement: int, parts: Sequence[Part]) -> None:
    if not (0 <= statement < len(parts) and parts[statement].kind is Undetermined):
        raise Refused("two inputs for a statement of another kind")
    if len(one.families) != 2:
        raise Refused("other than two inputs for a statistic with two values")
    first, second = one.families
    if any(first[name] != second[name] for name in in_common(claim, parts[statement])):
        raise Refused("two inputs that differ in what they are to share")


def in_common(claim: Claim, part: Part) -> tuple[str, ...]:
    """What two inputs have in common."""
    return tuple(dict.fromkeys([*part.shared, *claim.before_inputs]))


def sides_at(
    claim: Claim,
    families: Sequence[Family],
    statement: int | None,
    parts: Sequence[Part],
    current: Session,
    mutate: Mutation,
) -> Sides:
    """What the claim says of families of inputs, as `Witness` has them.

    Raises:
        Unreadable, KernelError: if it is not the claim's own, or something is divided by 0.
    """
    interpretations: list[Interpretation] = []
    for family in families:
        sizes = interpretations[0].sizes if interpretations else None
        interpretations.append(member(claim, family, parts, current, mutate, sizes))
    if statement is None:
        found = [part for part in interpretations[0].parts if part.kind is Differs]
        return Sides(interpretations[0], [], [(part.left, part.right) for part in found])
    first, second = (one.parts[statement] for one in interpretations)
    if first.left.dims != second.left.dims or first.right.dims != second.right.dims:
        raise NotProved("a statistic or a value whose shape depends on the inputs")
    return Sides(interpretations[0], [(first.left, second.left)], [(first.right, second.right)])


def expect_inputs(claim: Claim, families: Iterable[Family]) -> None:
    """Raise Refused unless there is an array for each of the claim's symbols."""
    for one in families:
        ranks = {name: len(axes(text)) for name, text in claim.given.items()}
        if {name: len(pattern.places) for name, pattern in one.items()} != ranks:
            raise Refused("other inputs than the claim's")


def expect_conditions(claim: Claim, families: Iterable[Family]) -> None:
    """Raise Refused unless the families meet the claim's conditions, which see the same numbers at all sizes."""
    if claim.assuming:
        sizes = claim.every_size[0]
        for one in families:
            if not meets_hypotheses(claim, sizes, numbers(claim, one, sizes)):
                raise Refused("inputs that do not meet the claim's conditions")


def member(
    claim: Claim,
    family: Family,
    parts: Sequence[Part],
    current: Session,
    mutate: Mutation,
    sizes: dict[str, Index] | None,
) -> Interpretation:
    """The interpretation on a family of inputs.

    Raises:
        Unreadable, KernelError: if it is not the claim's own, or something is divided by 0.
    """
    try:
        found = formulas(
            claim,
            current,
            mutate,
            given=lambda name, dims: family[name].terms(dims),
            sizes=sizes,
        )
    except ZeroDivisionError as error:
        raise NotProved("at the inputs tried, something is divided by 0") from error
    if [part.kind for part in found.parts] != [part.kind for part in parts]:
        raise Unreadable("a body that says other things of other inputs")
    return found


def refuse_conditions(claim: Claim) -> None:
    """A side condition must hold of the family at all sizes: it may speak of numbers, the same there, or of sizes.

    Raises:
        NotProved: for a condition of another kind, and for a claim about every value of a symbol, of which a family
            has one.
    """
    if claim.fixed:
        raise NotProved(one_of_every(claim))
    for text, condition in claim.assuming.items():
        names = set(inspect.signature(condition).parameters)
        of_sizes = names <= set(claim.ranges)
        of_numbers = all(claim.given.get(name) == "" for name in names)
        if not of_sizes and not of_numbers:
            raise NotProved(f"inputs at every size would have to meet: {text}")


def one_of_every(claim: Claim) -> str:
    """Why inputs do not show what an existence claim says of every value of the symbols in `fixed`."""
    return f"it is said for every {', '.join(claim.fixed)}, of which inputs have one value"


def axiom_of(partial: Set[str]) -> list[str]:
    """Divisors and arguments of logarithms must be seen to be > 0. The axiom that this needs."""
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
    sides: tuple[KernelArray, KernelArray], one: Apart, interpretation: Interpretation
) -> tuple[Term, Term]:
    """M (left − right) and c.

    Raises:
        Refused: if there is no such entry, or c is 0.
    """
    gaps = list(corner_gaps(*sides))
    if not 0 <= one.corner < len(gaps) or not one.value:
        raise Refused("a difference of 0, or at an entry that is not there")
    gap = gaps[one.corner]
    bases = bases_of(gap, interpretation)
    if len(bases) != len(one.powers):
        raise Refused(f"{len(one.powers)} powers of {len(bases)} numbers")
    factor = as_term(1)
    for e, power in zip(bases, one.powers, strict=True):
        base = number(e) if power > 0 else inverse(number(e), [])
        for _ in range(abs(power)):
            factor = factor * base
    interpretation.expect_turns(factor * gap, as_term(one.value))
    return factor * gap, as_term(one.value)


def corner_gaps(left: KernelArray, right: KernelArray) -> Iterator[Term]:
    """The differences of the two sides at the arrays' corners."""
    for corner in itertools.product(*[_ends(d) for d in left.dims]):
        yield left.entry(corner) - right.entry(corner)


def bases_of(gap: Term, interpretation: Interpretation) -> list[Index]:
    """n − 1, n and n + 1 for all sizes and loops' variables n that the gap speaks of, where they are seen to be ≥ 1."""
    sizes = interpretation.variables.values()
    free = free_variables([gap], (), dict.fromkeys(sizes, 0))
    rows = facts({*sizes, *free})
    every = [variable(v) + more for v in (*sizes, *free) for more in NEAR]
    return [e for e in every if implied(e - 1, rows)]


def _ends(length: Index) -> list[Index]:
    if not holds(length - 1):
        raise NotProved("arrays without entries at some sizes")
    return [Index(0)] if length == Index(1) else [Index(0), length - 1]

"""Families of inputs at which sides differ at every size, searched for with numbers.

A family of zeros, ones and unit entries that does it at the sizes of the claim is looked for; then the body is read on
it, and the kernel proves the equation for all sizes (`check.witness_family`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scanproof.constructs.errors import UsageError

from ..check.comparison import free_variables, function_value
from ..check.families import Family, Pattern, numbers, patterns
from ..check.traces import places_of
from ..check.witness_family import (
    NEAR,
    Apart,
    Kinds,
    Mutation,
    Witness,
    bases_of,
    corner_gaps,
    differing_parts,
    equation_of,
    member,
    refuse_conditions,
    sides_of,
)
from ..exact.at_point import statements_at
from ..interpret.array import KernelArray
from ..interpret.claims import Reading
from ..interpret.evaluate import Evaluator, at_index, positions
from ..kernel.errors import NotProved
from ..kernel.term import Term
from ..language.claim import Claim
from ..language.sizes import Sizes, axes
from ..language.statements import Differs, Statement
from .closed_forms import conditions
from .fitting import Gaps, Sample, are_apart, fit, gaps_at_corners
from .lemmas import show
from .proving import proving
from .unfolding import stepping
from .writing import proof_to

TRIES = 200
"""So many families are tried, drawn once and for all for each claim."""


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
    with proving() as current:
        found = member(claim, family, kinds, current, mutate)
        places = places_of(current.partial)
        every = [fitted(part.left, part.right, found, claim) for part in differing_parts(found)]
        statements = [
            equation_of(*part, found) for part in zip(sides_of(found), every, strict=True)
        ]
        theorems = [show(left, right, stepping) for left, right in statements]
        return Witness(
            family, tuple(every), proof_to(theorems, conditions(places, current), places)
        )


def _found(claim: Claim, mutate: Mutation) -> Family:
    """The plainest family that is found at which all sides differ at all sizes of the claim."""
    refuse_conditions(claim)
    choices = {name: patterns(len(axes(text))) for name, text in claim.given.items()}
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


def fitted(left: KernelArray, right: KernelArray, reading: Reading, claim: Claim) -> Apart:
    """An entry, a factor and a number, such that M (left − right) = c at the claim's sizes.

    Raises:
        NotProved: if none are found.
    """
    for corner, gap in enumerate(corner_gaps(left, right)):
        found = _fitted(gap, reading, claim)
        if found is not None:
            return Apart(corner, *found)
    raise NotProved("no entry was found at which the sides differ by a multiple of sizes")


def _no_entry(name: str, at: tuple[Any, ...]) -> Any:
    raise ValueError(f"{name} is no number at the inputs tried")


def _fitted(gap: Term, reading: Reading, claim: Claim) -> tuple[tuple[int, ...], Fraction] | None:
    """The powers in M, and c, such that M · gap = c ≠ 0 at the claim's sizes."""
    samples: list[Sample] = []
    bases = bases_of(gap, reading)
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

"""Families of inputs that show what a claim says of some inputs of every size, searched for with numbers.

Families of zeros, ones and unit entries that do it at the sizes of the claim are looked for: one at which sides differ,
or two with one statistic and two values. Then the body is read on them, and the kernel proves the equations for all
sizes (`check.witness_family`).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from scanproof.constructs.errors import UsageError

from ..check.families import EVERY, FIRST, Family, Pattern, numbers, patterns
from ..check.instances.at_point import statements_at
from ..check.traces import places_of
from ..check.witness_family import (
    NEAR,
    Apart,
    Mutation,
    Witness,
    bases_of,
    corner_gaps,
    in_common,
    refuse_conditions,
    sides_at,
)
from ..interpret.array import KernelArray
from ..interpret.claims import Interpretation, Part
from ..interpret.evaluate import (
    Evaluator,
    at_index,
    free_variables,
    function_value,
    positions,
)
from ..kernel.errors import NotProved
from ..kernel.term import Term
from ..language.claim import Claim
from ..language.sizes import Sizes, axes
from ..language.statements import Differs, Statement, Undetermined
from .closed_forms import conditions
from .fitting import Gaps, Sample, are_apart, fit, gaps_at_corners
from .lemmas import show
from .proving import proving
from .unfolding import stepping
from .writing import proof_to

PLAINEST = 3
"""How many families are tried that give all symbols their plainest patterns, before any are drawn."""
DIFFERING, COLLIDING = 200, 1000
"""How many families are drawn for sides that differ, and for two inputs that collide."""
Choices = Mapping[str, Sequence[Pattern]]
"""What is tried for each symbol of a claim, the plainest first."""


def find_witnesses(
    claim: Claim, parts: Sequence[Part], mutate: Mutation = None
) -> tuple[Witness, ...]:
    """Witnesses for what a claim says of some inputs, its statements being `parts`.

    One is for all statements that their sides differ, one for each that a statistic does not determine a value.

    Raises:
        Unreadable, KernelError: if none are found, or what is found is not proved.
    """
    refuse_conditions(claim)
    found: list[Witness] = []
    if any(part.kind is Differs for part in parts):
        found.append(_proved(claim, (_differing(claim, mutate),), None, parts, mutate))
    for n, part in enumerate(parts):
        if part.kind is Undetermined:
            pair = _colliding(claim, n, in_common(claim, part), mutate)
            found.append(_proved(claim, pair, n, parts, mutate))
    return tuple(found)


def _proved(
    claim: Claim,
    families: tuple[Family, ...],
    statement: int | None,
    parts: Sequence[Part],
    mutate: Mutation,
) -> Witness:
    with proving() as current:
        found = sides_at(claim, families, statement, parts, current, mutate)
        places = places_of(current.partial)
        gaps = tuple(fitted(*sides, found.interpretation, claim) for sides in found.apart)
        theorems = [show(*sides, stepping) for sides in found.equations(gaps)]
        trace = proof_to(theorems, conditions(places, current), places)
    return Witness(families, gaps, trace, statement)


# Sides that differ.


def _differing(claim: Claim, mutate: Mutation) -> Family:
    """The plainest family that is found at which all sides differ at all sizes of the claim."""
    choices = {name: patterns(len(axes(text))) for name, text in claim.given.items()}
    plainest = (
        {name: few[min(k, len(few) - 1)] for name, few in choices.items()} for k in range(PLAINEST)
    )
    for family in (*plainest, *drawn(claim, choices, DIFFERING)):
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


def drawn(claim: Claim, choices: Choices, count: int) -> Iterator[Family]:
    """Families of these patterns, drawn once and for all for each claim."""
    rng = random.Random(claim.id)
    for _ in range(count):
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


# A statistic with two values.


def _colliding(
    claim: Claim, which: int, shared: tuple[str, ...], mutate: Mutation
) -> tuple[Family, Family]:
    """Two families of zeros and ones with one statistic and two values at all sizes of the claim."""
    seen: dict[Any, list[tuple[Family, list[Any]]]] = {}
    for family in _families(claim):
        values = _at_every_size(claim, which, family, mutate)
        if values is None:
            continue
        statistics = [str(statistic.tolist()) for _, statistic, _ in values]
        key = (*(family[name] for name in shared), *statistics)
        for other, others in seen.setdefault(key, []):
            gaps = [
                gaps_at_corners(one[2], two[2]) for one, two in zip(values, others, strict=True)
            ]
            if are_apart([at for at, _, _ in values], gaps):
                return other, family
        seen[key].append((family, values))
    raise NotProved("no two inputs of zeros and ones were found with one statistic and two values")


def _families(claim: Claim) -> Iterator[Family]:
    """Zeros, ones, a first entry 1 or −1, in all combinations, or as many as are tried."""
    plain = [(EVERY,), (FIRST,)]
    choices = {
        name: [
            one
            for one in patterns(len(axes(text)))
            if not one.places
            or (tuple({*one.places}) in plain and (one.value >= 0 or FIRST in one.places))
        ]
        for name, text in claim.given.items()
    }
    if prod(map(len, choices.values())) > COLLIDING:
        yield from drawn(claim, choices, COLLIDING)
        return
    for chosen in itertools.product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def _at_every_size(claim: Claim, which: int, family: Family, mutate: Mutation) -> list[Any] | None:
    """(sizes, statistic, value) at the claim's sizes; None where there are none."""
    found = []
    for sizes in sizes_tried(claim):
        said = statements_of(claim, sizes, family, mutate)
        if said is None or which >= len(said):
            return None
        statement = said[which]
        if not isinstance(statement, Undetermined):
            return None
        found.append((bases_at(claim, sizes), statement.statistic, statement.value))
    return found


# Both.


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


def fitted(
    left: KernelArray, right: KernelArray, interpretation: Interpretation, claim: Claim
) -> Apart:
    """An entry, a factor and a number, such that M (left − right) = c at the claim's sizes.

    Raises:
        NotProved: if none are found.
    """
    for corner, gap in enumerate(corner_gaps(left, right)):
        found = _fitted(gap, interpretation, claim)
        if found is not None:
            return Apart(corner, *found)
    raise NotProved("no entry was found at which the sides differ by a multiple of sizes")


def _no_entry(name: str, at: tuple[Any, ...]) -> Any:
    raise ValueError(f"{name} is not a number at the inputs tried")


def _fitted(
    gap: Term, interpretation: Interpretation, claim: Claim
) -> tuple[tuple[int, ...], Fraction] | None:
    """The powers in M, and c, such that M · gap = c ≠ 0 at the claim's sizes."""
    samples: list[Sample] = []
    bases = bases_of(gap, interpretation)
    for at in sizes_tried(claim):
        place = {v: at[name] for name, v in interpretation.variables.items()}
        evaluator = Evaluator(_no_entry, interpretation.session, function_value)
        for spot in positions(free_variables([gap], (), place), place):
            try:
                value = evaluator.value(gap, spot)
            except (ZeroDivisionError, ValueError):
                return None
            if not value or not isinstance(value, Fraction | int):
                return None
            samples.append((tuple(at_index(e, spot) for e in bases), Fraction(value)))
    return fit(samples) if samples else None

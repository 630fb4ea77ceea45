"""Two inputs at every size with one statistic and two values: no map of the statistic gives the value.

Both are families of numbers, as for sides that differ. That their statistics agree is an equation in every entry, that
their values do not is one at one entry.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from ..kernel.errors import NotProved
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.statements import Undetermined
from ..reading.claims import Reading
from ..search.lemmas import show
from ..search.session import Session
from .families import EVERY, FIRST, Family, patterns
from .fitting import are_apart, gaps_at_corners
from .witness_family import (
    Mutation,
    apart,
    bases_at,
    member,
    refuse_conditions,
    rests_on_defined,
    sizes_tried,
    statements_of,
)

TRIES = 1000
"""So many inputs are looked at."""


@dataclass(frozen=True)
class Collision:
    """Two inputs, the same in what is shared, with equal statistics and different values at every size."""

    first: Family
    second: Family
    statistic: Theorem
    value: Theorem
    """M (first value − second value) = c ≠ 0 at one entry."""
    axioms: list[str]

    def evidence(self) -> dict[str, Any]:
        entry = {"method": "witness", "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        sides = {"first": self.first, "second": self.second}
        inputs = {which: {n: str(p) for n, p in one.items()} for which, one in sides.items()}
        return {**entry, "axioms": self.axioms, "inputs": inputs}


def colliding(
    claim: Claim, reading: Reading, current: Session, mutate: Mutation = None
) -> list[Collision]:
    """Two inputs for each statement of the claim that a value is not determined by a statistic.

    Args:
        claim: the claim.
        reading: its reading with independent symbols, in this session.
        current: the session.
        mutate: a change of the construction's parameters.

    Raises:
        Unreadable, KernelError: if none are found, or what is found is not proved.
    """
    refuse_conditions(claim)
    parts = [n for n, part in enumerate(reading.parts) if part.kind is Undetermined]
    return [_collision(claim, n, reading, current, mutate) for n in parts]


def _collision(
    claim: Claim, which: int, reading: Reading, current: Session, mutate: Mutation
) -> Collision:
    pair = _found(claim, which, _shared(claim, reading, which), mutate)
    readings = [member(claim, one, reading, current, mutate) for one in pair]
    first, second = (found.parts[which] for found, _ in readings)
    axioms = sorted({axiom for _, some in readings for axiom in some})
    if first.left.dims != second.left.dims or first.right.dims != second.right.dims:
        raise NotProved("a statistic or a value whose shape depends on the inputs")
    same = show(first.left.shared, second.left.entry(first.left.at))
    rests_on_defined(same)
    reading.expect_turns(same, first.left.at)
    return Collision(*pair, same, apart(first.right, second.right, reading, claim), axioms)


# The search, with numbers.


def _shared(claim: Claim, reading: Reading, which: int) -> tuple[str, ...]:
    """What two inputs have in common; parameters are chosen before the inputs are."""
    return tuple(dict.fromkeys([*reading.parts[which].shared, *claim.over_all_parameters]))


def _found(
    claim: Claim, which: int, shared: tuple[str, ...], mutate: Mutation
) -> tuple[Family, Family]:
    seen: dict[Any, list[tuple[Family, list[Any]]]] = {}
    for family in _families(claim):
        values = _at_every_size(claim, which, family, mutate)
        if values is None:
            continue
        statistics = [str(statistic.entries.tolist()) for _, statistic, _ in values]
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
            for one in patterns(len(text.split()))
            if not one.places
            or (tuple({*one.places}) in plain and (one.value >= 0 or FIRST in one.places))
        ]
        for name, text in claim.given.items()
    }
    if prod(map(len, choices.values())) <= TRIES:
        for chosen in itertools.product(*choices.values()):
            yield dict(zip(choices, chosen, strict=True))
        return
    rng = random.Random(claim.id)
    for _ in range(TRIES):
        yield {name: rng.choice(few) for name, few in choices.items()}


def _at_every_size(claim: Claim, which: int, family: Family, mutate: Mutation) -> list[Any] | None:
    """(sizes, statistic, value) at the claim's sizes; None where there are none."""
    found = []
    for sizes in sizes_tried(claim):
        statements = statements_of(claim, sizes, family, mutate)
        if statements is None or which >= len(statements):
            return None
        statement = statements[which]
        if not isinstance(statement, Undetermined):
            return None
        found.append((bases_at(claim, sizes), statement.statistic, statement.value))
    return found

"""Two inputs at every size with one statistic and two values: no map of the statistic gives the value.

Both are families of numbers, as for sides that differ. That their statistics agree is an equation in every entry, that
their values do not is one at one entry.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ..exact.fitting import are_apart, gaps_at_corners
from ..interpret.claims import Part, Reading
from ..interpret.session import Session, session
from ..kernel.checker import Refused
from ..kernel.errors import NotProved
from ..kernel.term import Term
from ..language.claim import Claim
from ..language.statements import Undetermined
from ..search.closed_forms import conditions
from ..search.lemmas import show
from ..search.unfolding import stepping
from .families import EVERY, FIRST, Family, patterns
from .traces import Trace, places_of, trace_of
from .witness_family import (
    Apart,
    Kinds,
    Mutation,
    axioms,
    bases_at,
    equation_of,
    expect_inputs,
    fitted,
    member,
    refuse_conditions,
    sizes_tried,
    statements_of,
)

TRIES = 1000
"""So many inputs are looked at."""


@dataclass(frozen=True)
class Collision:
    """Two inputs, the same in what is shared, with equal statistics and different values at every size."""

    which: int
    """The statement."""
    first: Family
    second: Family
    value: Apart
    """By how much the values differ."""
    trace: Trace
    """That the statistics are equal, and the values are not."""

    def evidence(self, axioms: list[str]) -> dict[str, Any]:
        entry = {"method": "witness", "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        sides = {"first": self.first, "second": self.second}
        inputs = {which: {n: str(p) for n, p in one.items()} for which, one in sides.items()}
        return {**entry, "axioms": axioms, "inputs": inputs}


def colliding(
    claim: Claim, kinds: Kinds, shared: Sequence[tuple[str, ...]], mutate: Mutation = None
) -> list[Collision]:
    """Two inputs for each statement of the claim that a value is not determined by a statistic.

    Args:
        claim: the claim.
        kinds: the kinds of its statements.
        shared: for each statement what two inputs have in common.
        mutate: a change of the construction's parameters.

    Raises:
        Unreadable, KernelError: if none are found, or what is found is not proved.
    """
    refuse_conditions(claim)
    parts = [n for n, kind in enumerate(kinds) if kind is Undetermined]
    return [_collision(claim, n, kinds, _shared(claim, shared[n]), mutate) for n in parts]


def _collision(
    claim: Claim, which: int, kinds: Kinds, shared: tuple[str, ...], mutate: Mutation
) -> Collision:
    pair = _found(claim, which, shared, mutate)
    with session() as current:
        reading, first, second = _members(claim, which, pair, kinds, current, mutate)
        places = places_of(current.partial)
        value = fitted(first.right, second.right, reading, claim)
        same, apart = _statements(reading, first, second, value)
        theorems = [show(*same), show(*apart, stepping)]
        trace = trace_of(theorems, conditions(places, current), places)
    return Collision(which, *pair, value, trace)


def verify(
    claim: Claim,
    one: Collision,
    kinds: Kinds,
    shared: Sequence[tuple[str, ...]],
    mutate: Mutation = None,
) -> dict[str, Any]:
    """The report's entry of a collision that shows what it says.

    Raises:
        Refused, Unreadable, KernelError: if it does not.
    """
    refuse_conditions(claim)
    expect_inputs(claim, one.first, one.second)
    common = _shared(claim, shared[one.which])
    if any(one.first[name] != one.second[name] for name in common):
        raise Refused("two inputs that differ in what they are to share")
    with session() as current:
        pair = one.first, one.second
        reading, first, second = _members(claim, one.which, pair, kinds, current, mutate)
        statements = _statements(reading, first, second, one.value)
        return one.evidence(axioms(statements, reading, one.trace, current))


def _members(
    claim: Claim,
    which: int,
    pair: tuple[Family, Family],
    kinds: Kinds,
    current: Session,
    mutate: Mutation,
) -> tuple[Reading, Part, Part]:
    """The first reading, and the statement on each of the inputs."""
    reading = member(claim, pair[0], kinds, current, mutate)
    other = member(claim, pair[1], kinds, current, mutate, reading.sizes)
    first, second = reading.parts[which], other.parts[which]
    if first.left.dims != second.left.dims or first.right.dims != second.right.dims:
        raise NotProved("a statistic or a value whose shape depends on the inputs")
    return reading, first, second


def _statements(
    reading: Reading, first: Part, second: Part, value: Apart
) -> list[tuple[Term, Term]]:
    """That the statistics are equal in every entry, and the values apart in one."""
    same = first.left.shared, second.left.entry(first.left.at)
    reading.expect_turns(*same, first.left.at)
    return [same, equation_of((first.right, second.right), value, reading)]


# The search, with numbers.


def _shared(claim: Claim, shared: Sequence[str]) -> tuple[str, ...]:
    """What two inputs have in common; parameters are chosen before the inputs are."""
    return tuple(dict.fromkeys([*shared, *claim.over_all_parameters]))


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

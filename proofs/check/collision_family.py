"""Two inputs at every size with one statistic and two values: no map of the statistic gives the value.

Both are families of numbers, as for sides that differ. That their statistics agree is an equation in every entry, that
their values do not is one at one entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..interpret.claims import Part, Reading
from ..interpret.session import Session, Sessions
from ..kernel.checker import Refused
from ..kernel.errors import NotProved
from ..kernel.term import Term
from ..language.claim import Claim
from .families import Family
from .traces import Trace
from .witness_family import (
    Apart,
    Kinds,
    Mutation,
    axioms,
    equation_of,
    expect_inputs,
    member,
    refuse_conditions,
)


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


def verify(
    claim: Claim,
    one: Collision,
    kinds: Kinds,
    shared: Sequence[tuple[str, ...]],
    session: Sessions,
    mutate: Mutation = None,
) -> dict[str, Any]:
    """The report's entry of a collision that shows what it says.

    Raises:
        Refused, Unreadable, KernelError: if it does not.
    """
    refuse_conditions(claim)
    expect_inputs(claim, one.first, one.second)
    common = in_common(claim, shared[one.which])
    if any(one.first[name] != one.second[name] for name in common):
        raise Refused("two inputs that differ in what they are to share")
    with session() as current:
        pair = one.first, one.second
        reading, first, second = members(claim, one.which, pair, kinds, current, mutate)
        every = statements(reading, first, second, one.value)
        return one.evidence(axioms(every, reading, one.trace, current))


def members(
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


def statements(
    reading: Reading, first: Part, second: Part, value: Apart
) -> list[tuple[Term, Term]]:
    """That the statistics are equal in every entry, and the values apart in one."""
    same = first.left.shared, second.left.entry(first.left.at)
    reading.expect_turns(*same, first.left.at)
    return [same, equation_of((first.right, second.right), value, reading)]


def in_common(claim: Claim, shared: Sequence[str]) -> tuple[str, ...]:
    """What two inputs have in common; parameters are chosen before the inputs are."""
    return tuple(dict.fromkeys([*shared, *claim.over_all_parameters]))

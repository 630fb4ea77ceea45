"""Two inputs at every size with one statistic and two values, searched for with numbers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ..check.collision_family import Collision, in_common, members, statements
from ..check.families import EVERY, FIRST, Family, patterns
from ..check.traces import places_of
from ..check.witness_family import Kinds, Mutation, refuse_conditions
from ..kernel.errors import NotProved
from ..language.claim import Claim
from ..language.sizes import axes
from ..language.statements import Undetermined
from .closed_forms import conditions
from .fitting import are_apart, gaps_at_corners
from .lemmas import show
from .proving import proving
from .unfolding import stepping
from .witnesses import bases_at, fitted, sizes_tried, statements_of
from .writing import proof_to

TRIES = 1000
"""So many inputs are looked at."""


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
    return [_collision(claim, n, kinds, in_common(claim, shared[n]), mutate) for n in parts]


def _collision(
    claim: Claim, which: int, kinds: Kinds, shared: tuple[str, ...], mutate: Mutation
) -> Collision:
    pair = _found(claim, which, shared, mutate)
    with proving() as current:
        reading, first, second = members(claim, which, pair, kinds, current, mutate)
        places = places_of(current.partial)
        value = fitted(first.right, second.right, reading, claim)
        same, apart = statements(reading, first, second, value)
        theorems = [show(*same), show(*apart, stepping)]
        trace = proof_to(theorems, conditions(places, current), places)
    return Collision(which, *pair, value, trace)


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
            for one in patterns(len(axes(text)))
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
        said = statements_of(claim, sizes, family, mutate)
        if said is None or which >= len(said):
            return None
        statement = said[which]
        if not isinstance(statement, Undetermined):
            return None
        found.append((bases_at(claim, sizes), statement.statistic, statement.value))
    return found

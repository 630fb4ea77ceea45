"""What a certificate names, held against the claim: its sizes, and inputs at them."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from ..exact.instance import Point, is_for, shapes
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Statement
from .certificate import Named
from .instances.at_point import statements_at

MOST_ENTRIES = 10**6


class Refused(Exception):
    """A certificate that does not show what it says."""


class Broken(Refused):
    """It is of the claim's own problem, and its proof is none."""


class OfAnother(Refused):
    """It is of another problem than the claim's: the claim, or what it calls, has changed."""


class Doubtful(Refused):
    """It says something of symbols that is not so of all numbers, whatever else it shows."""


def sizes_of(claim: Claim, named: Named) -> dict[str, int]:
    """The sizes, which must be some that the claim speaks of."""
    given = dict(named)
    if set(given) != set(claim.ranges) or len(named) != len(given):
        raise Refused(f"it names the sizes {list(given)}, and the claim has {list(claim.ranges)}")
    sizes = {name: given[name] for name in claim.ranges}
    small = [name for name, value in sizes.items() if value < min(claim.ranges[name])]
    if small or not is_for(claim, sizes):
        raise Refused(f"the claim does not speak of {sizes}")
    return sizes


def point_of(claim: Claim, sizes: Sizes, named: Named) -> Point:
    """The inputs as arrays of exact numbers of the claim's shapes."""
    given = dict(named)
    if set(given) != set(claim.given) or len(named) != len(given):
        raise Refused(f"it gives the inputs {list(given)}, and the claim has {list(claim.given)}")
    return {name: _numbers(name, given[name], dims) for name, dims in shapes(claim, sizes).items()}


def _numbers(name: str, value: Any, dims: tuple[int, ...]) -> np.ndarray:
    if prod(dims) > MOST_ENTRIES:
        raise Refused(f"its {name} would have {prod(dims)} entries")
    out = np.empty(dims, dtype=object)
    try:
        for index in np.ndindex(dims):
            one = value
            for length, i in zip(dims, index, strict=False):
                one = one[i] if isinstance(one, tuple) and len(one) == length else None  # type: ignore[index]
            out[index] = Fraction(one)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        raise Refused(f"its {name} is not an array of exact numbers of shape {dims}") from None
    return out


def statements(claim: Claim, sizes: Sizes, point: Point) -> list[Statement]:
    """What the claim states at inputs, which must meet its conditions."""
    found = statements_at(claim, sizes, point)
    if found is None:
        raise Refused("its inputs do not meet the claim's conditions, or there is no value at them")
    return found


def part_of(found: list[Statement], part: int) -> Statement:
    """Statement number `part`."""
    if not 0 <= part < len(found):
        raise Refused(f"there is no statement number {part + 1}")
    return found[part]

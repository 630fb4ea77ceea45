"""Shrinking: a counterexample's entries are made as plain and as small as they can be while it still shows the same."""

from __future__ import annotations

from collections.abc import Callable

from ..check.instances.at_point import quick_statements_at
from ..check.instances.tight import tightened
from ..exact.instance import Point
from ..exact.plain import plainest
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Statement


def simplest(
    claim: Claim,
    sizes: Sizes,
    point: Point,
    shows: Callable[[list[Statement]], bool],
    still: Callable[[Point], bool] | None = None,
) -> Point:
    """The point with as many entries plain, and these as small, as `shows` allows.

    With `still` a point is asked by itself whether it shows what it should.
    """
    shown = still or (lambda point: _shown(claim, sizes, point, shows))
    return plainest(
        point,
        shown,
        lambda changed: tightened(claim, sizes, changed),
        idle=claim.over_all_parameters,
    )


def _shown(
    claim: Claim, sizes: Sizes, point: Point, shows: Callable[[list[Statement]], bool]
) -> bool:
    found = quick_statements_at(claim, sizes, point)
    return found is not None and shows(found)

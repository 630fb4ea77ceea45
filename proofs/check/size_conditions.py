"""Conditions on sizes under which a proof about a program holds: that its whole numbers fit their type.

A condition is such as 70000·T ≤ 2³¹ − 1. A proof under conditions is one of all sizes that meet
them, and says so. One whose conditions leave a handful of sizes is none: each size has to reach `FAR`, the others at
their least.
"""

from __future__ import annotations

from typing import Any

from ..interpret.session import Session
from ..language.claim import Claim
from ..statement.statement import Fit
from ..statement.text import name_of
from ..statement.whole import at, parts, spelled
from .sizes_beyond import LARGEST

FAR = LARGEST
"""As far as sizes are tried at numbers."""


def in_words(condition: Fit) -> str:
    """Such as "70000·T ≤ 2147483647 (int32, file.py:3)"."""
    return f"{spelled(condition.number)} ≤ {condition.most} ({condition.place})"


def as_data(condition: Fit) -> dict[str, Any]:
    """The same for the report: the sum of sizes, or products of some, times numbers, plus a number, is at most one."""
    every = parts(condition.number)
    return {
        "sizes": {"·".join(map(name_of, m)): c for m, c in every if m},
        "plus": dict(every).get((), 0),
        "at_most": condition.most,
        "place": condition.place,
    }


def too_narrow(claim: Claim, current: Session) -> str | None:
    """Why the conditions leave too few sizes for a proof, in words; None if they leave enough."""
    least = {n: min(values) for n, values in claim.ranges.items()}
    for condition in current.fits:
        for size in least:
            there = {**least, size: max(FAR, least[size])}
            if at(condition.number, lambda one, there=there: there[name_of(one)]) > condition.most:
                others = ", the other sizes at their least" if len(least) > 1 else ""
                return (
                    f"a proof for all sizes would take {in_words(condition)} for granted, which leaves too few sizes: "
                    f"{size} is never {there[size]}{others}"
                )
    return None

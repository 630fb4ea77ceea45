"""Conditions on sizes under which a proof about a program holds: that its whole numbers fit their type.

A condition is linear in the sizes, such as 70000·T ≤ 2³¹ − 1. A proof under conditions is one of all sizes that meet
them, and says so. One whose conditions leave a handful of sizes is none: each size has to reach `FAR`, the others at
their least.
"""

from __future__ import annotations

from typing import Any

from ..interpret.session import Fit, Session
from ..interpret.size import Size, spelled
from ..kernel.index import name
from ..language.claim import Claim
from .sizes_beyond import LARGEST

FAR = LARGEST
"""As far as sizes are tried at numbers."""


def in_words(condition: Fit) -> str:
    """Such as "70000·T ≤ 2147483647 (int32, file.py:3)"."""
    return f"{spelled(Size(condition.number))} ≤ {condition.most} ({condition.place})"


def as_data(condition: Fit) -> dict[str, Any]:
    """The same for the report: the sum of each size times a number, plus a number, is at most a number."""
    return {
        "sizes": {name(v): c for v, c in condition.number.terms},
        "plus": condition.number.const,
        "at_most": condition.most,
        "place": condition.place,
    }


def too_narrow(claim: Claim, current: Session) -> str | None:
    """Why the conditions leave too few sizes for a proof, in words; None if they leave enough."""
    least = {n: min(values) for n, values in claim.ranges.items()}
    for condition in current.fits:
        own = {name(v): c for v, c in condition.number.terms}
        for size in least:
            there = {**least, size: max(FAR, least[size])}
            if condition.number.const + sum(c * there[n] for n, c in own.items()) > condition.most:
                others = ", the other sizes at their least" if len(least) > 1 else ""
                return (
                    f"a proof for all sizes would take {in_words(condition)} for granted, which leaves too few sizes: "
                    f"{size} is never {there[size]}{others}"
                )
    return None

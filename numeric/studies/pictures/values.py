"""A bound's two sides at given inputs, from the claim itself: what a picture shows of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from scanproof.proofs.language.claim import Claim

from ..tightness.hypotheses import Hypotheses, Values, hypotheses
from ..tightness.search import bounds


class Sides(NamedTuple):
    """One entry of a statement left ≤ right."""

    label: str
    left: float
    right: float

    @property
    def ratio(self) -> float:
        """left / right; 0 where the right side is not positive."""
        return self.left / self.right if self.right > 0 else 0.0


def entries(of: Hypotheses, drawn: Values) -> list[list[Sides]] | None:
    """Both sides of every statement left ≤ right of a claim, entry by entry.

    Args:
        of: the claim's conditions at its sizes.
        drawn: its symbols, those excepted that the conditions set (the C of ‖x_i‖ ≤ C).

    Returns:
        A list for each statement; None where the inputs do not meet the conditions.
    """
    values = of.complete(drawn, np)
    if not of.holds(values):
        return None
    found = []
    for statement in bounds(of.claim, of.sizes, values, np):
        left, right = np.broadcast_arrays(statement.left, statement.right)
        pairs = zip(left.flat, right.flat, strict=True)
        found.append([Sides(statement.label, float(a), float(b)) for a, b in pairs])
    return found


def sides(of: Hypotheses, drawn: Values) -> list[Sides] | None:
    """The same, each statement in the entry where left / right is largest."""
    found = entries(of, drawn)
    return None if found is None else [max(one, key=lambda s: s.ratio) for one in found]


def bounds_at(claim: Claim, sizes: Mapping[str, int], data: Mapping[str, Any]) -> list[Sides]:
    """All bounds of a claim at inputs and sizes that a picture has anyway, by their names.

    None if the claim asks for others or for larger sizes, or the inputs do not meet its conditions.
    """
    if any(name not in sizes or sizes[name] < min(v) for name, v in claim.ranges.items()):
        return []
    of = hypotheses(claim, {name: sizes[name] for name in claim.ranges})
    if not set(of.free) <= set(data):
        return []
    found = entries(of, {name: np.asarray(data[name], dtype=float) for name in of.free}) or []
    return [one for statement in found for one in statement]

"""Entries of a folder's arrays beside those of a construction: which of them are not the same number, rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from .report import Deviation

LISTED = 20
"""Entries that a report names; all are counted."""


class Comparison(NamedTuple):
    """How arrays differ from a construction's."""

    deviations: list[Deviation]
    """The first `LISTED` entries that differ by more than rounding."""
    counts: dict[str, int]
    """How many of them each array has, where it has any."""
    alike: float
    """The part of the construction's entries other than 0 that the arrays share."""
    mended: dict[str, np.ndarray]
    """The arrays in float64, with the construction's entries where they differ."""

    @property
    def deviating(self) -> int:
        """How many entries differ."""
        return sum(self.counts.values())


def compared(
    arrays: Mapping[str, np.ndarray],
    construction: Mapping[str, np.ndarray],
    close: Mapping[str, float] | float,
    size: Callable[[np.ndarray], np.ndarray] = np.abs,
) -> Comparison:
    """The arrays beside those of the same names in a construction.

    Args:
        arrays: by name.
        construction: in float64.
        close: the relative distance, by name or one for all, within which numbers are roundings of each other.
        size: of an array's entries, beside which they are.
    """
    deviations, counts, mended, shared, there = [], {}, {}, 0, 0
    for name, array in arrays.items():
        found, expected = array.astype(np.float64), construction[name]
        within = close[name] if isinstance(close, Mapping) else close
        same = np.abs(found - expected) <= within * size(expected)
        mended[name] = np.where(same, found, expected)
        shared += int((same & (expected != 0)).sum())
        there += int((expected != 0).sum())
        if not same.all():
            counts[name] = int((~same).sum())
        for index in np.argwhere(~same)[: LISTED - len(deviations)]:
            at = tuple(map(int, index))
            deviations.append(Deviation(entry(name, at), float(found[at]), float(expected[at])))
    return Comparison(deviations, counts, shared / there if there else 1.0, mended)


def entry(name: str, index: tuple[int, ...]) -> str:
    """`layers.0.gate[0, 3]`."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name

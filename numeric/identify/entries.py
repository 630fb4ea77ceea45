"""Entries of a folder's arrays beside those of a construction: which of them are not the same number, rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .report import Deviation

FLOOR = 2.0**-4
"""Differences of smaller entries count beside this part of their array's largest."""
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
    bits: float = 0.0
    """How many bits say what the entries are, by which constructions are compared: few that differ by much, or many by
    little, are nearer than many that differ by much."""

    @property
    def deviating(self) -> int:
        """How many entries differ."""
        return sum(self.counts.values())


class Near(NamedTuple):
    """A construction beside the weights that look like it."""

    what: str
    """The construction in words."""
    made: Any
    """The construction: a neutral model in float64, or an `Instance`."""
    entries: Comparison
    """The weights and their encoding beside the construction's."""
    step_size: Fraction | None = None
    """η if it is a simple number, and then that of `made`; `stored` is a rounding of it."""
    stored: float = 0.0
    """η as the weights have it."""
    steps: int = 1
    """L."""
    each: tuple[float, ...] = ()
    """The step sizes of the layers as the weights have them, where they are not all η; else empty."""
    effect: float = 0.0
    """How far the entries that differ move predictions, relative to the largest, of weights that are measured."""


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
    deviations, counts, mended, shared, there, bits = [], {}, {}, 0, 0, 0.0
    for name, array in arrays.items():
        found, expected = array.astype(np.float64), construction[name]
        within = close[name] if isinstance(close, Mapping) else close
        same = np.abs(found - expected) <= within * size(expected)
        mended[name] = np.where(same, found, expected)
        shared += int((same & (expected != 0)).sum())
        there += int((expected != 0).sum())
        if not same.all():
            counts[name] = int((~same).sum())
            bits += bits_of(found, expected, within)
        for index in np.argwhere(~same)[: LISTED - len(deviations)]:
            at = tuple(map(int, index))
            deviations.append(Deviation(entry(name, at), float(found[at]), float(expected[at])))
    return Comparison(deviations, counts, shared / there if there else 1.0, mended, bits)


def bits_of(found: np.ndarray, expected: np.ndarray, within: float) -> float:
    """How many bits say what entries are where they differ: one, and those by which they are more than rounded.

    Args:
        found: in float64.
        expected: of the same shape.
        within: the relative distance within which numbers are roundings of each other.
    """
    size = np.maximum(np.abs(found), np.abs(expected))
    size = np.maximum(size, FLOOR * np.abs(expected).max(initial=0.0))
    off = np.abs(found - expected) / np.where(size > 0, within * size, 1.0)
    return float((1 + np.log2(1 + off[off > 1])).sum())


def apart(made: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray], close: float) -> float:
    """In how many bits the entries of arrays differ from those of the same names."""
    return sum(
        bits_of(np.asarray(found[name], dtype=np.float64), array, close)
        for name, array in made.items()
    )


def entry(name: str, index: tuple[int, ...]) -> str:
    """`layers.0.gate[0, 3]`."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name

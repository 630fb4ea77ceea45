"""Inputs that are numbers at every size: zeros, ones, a unit entry first or last, along each axis of its own."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..exact.instance import Point, shapes
from ..interpret.array import KernelArray, comprehension
from ..interpret.terms import equal_indices
from ..kernel.index import Index
from ..kernel.term import Term, as_term
from ..language.claim import Claim
from ..language.sizes import Sizes

EVERY, FIRST, LAST, SAME = ":", "0", "-1", "i"
"""Where along an axis an entry is not 0; `SAME` is where the axis before has the same index."""


@dataclass(frozen=True)
class Pattern:
    """An array with `value` where each axis is at its place, and 0 elsewhere."""

    value: Fraction
    places: tuple[str, ...]

    def terms(self, dims: Sequence[Index]) -> KernelArray:
        """The array with these lengths, sizes or symbols for them."""

        def at(*spots: Index) -> Term:
            result = as_term(self.value)
            for axis, (spot, place) in enumerate(zip(spots, self.places, strict=True)):
                ends = {FIRST: Index(0), LAST: dims[axis] - 1, SAME: spots[axis - 1]}
                if place != EVERY:
                    result = result * equal_indices(spot, ends[place])
            return result

        return comprehension(dims, at)

    def numbers(self, dims: tuple[int, ...]) -> np.ndarray:
        """The array of this shape."""
        out = np.empty(dims, dtype=object)
        for spots in np.ndindex(dims):
            ends = [
                {EVERY: spot, FIRST: 0, LAST: dims[axis] - 1, SAME: spots[axis - 1]}[place]
                for axis, (spot, place) in enumerate(zip(spots, self.places, strict=True))
            ]
            out[spots] = self.value if list(spots) == ends else Fraction(0)
        return out

    def __str__(self) -> str:
        if not self.value or set(self.places) <= {EVERY}:
            return str(self.value)
        following = [*self.places[1:], EVERY]
        names = [
            SAME if SAME in two else two[0] for two in zip(self.places, following, strict=True)
        ]
        return f"{self.value} at [{', '.join(names)}], 0 elsewhere"


Family = Mapping[str, Pattern]
"""A pattern for each symbol of a claim."""


def patterns(axes: int) -> list[Pattern]:
    """What is tried for an array with this number of axes, the plainest first; a number is 1 before it is 0."""
    if not axes:
        return [Pattern(Fraction(value), ()) for value in (1, 2, -1, 0)]
    places = [*itertools.product((FIRST, EVERY, LAST), repeat=axes)]
    places += [(EVERY, SAME)] if axes == 2 else []
    ones = [Pattern(Fraction(value), place) for value in (1, -1) for place in places]
    return [Pattern(Fraction(0), (EVERY,) * axes), *ones]


def numbers(claim: Claim, family: Family, sizes: Sizes) -> Point:
    """The family's member at these sizes."""
    return {name: family[name].numbers(dims) for name, dims in shapes(claim, sizes).items()}

"""Shrinking: a counterexample's entries are made as simple as they can be while it still shows what it shows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ..exact.at_point import quick_statements_at
from ..exact.instance import Point
from ..exact.tight import tightened
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Statement

SIMPLE = (Fraction(0), Fraction(1), Fraction(-1), Fraction(2))
SIMPLE_SCALARS = (Fraction(1), Fraction(0), Fraction(-1), Fraction(2))


def simplest(
    claim: Claim,
    sizes: Sizes,
    point: Point,
    shows: Callable[[list[Statement]], bool],
    still: Callable[[Point], bool] | None = None,
) -> Point:
    """The point with as many entries as possible made simple while `shows` still holds.

    Entries become 0, else 1, −1 or 2; a scalar symbol, such as a step size, becomes 1 before 0. With `still` a point is
    asked by itself whether it shows what it should.
    """
    shown = still or (lambda point: _shown(claim, sizes, point, shows))
    point = {name: array.copy() for name, array in point.items()}
    for place in range(len(SIMPLE)):
        for array in point.values():
            order = SIMPLE if array.ndim else SIMPLE_SCALARS
            simple = order[place]
            for index in np.ndindex(array.shape):
                before = array[index]
                if before in order[: place + 1]:
                    continue
                array[index] = simple
                if shown(point):
                    continue
                fitted = tightened(claim, sizes, point)
                if fitted is not None and shown(fitted):
                    for name in point:
                        point[name][...] = fitted[name]
                else:
                    array[index] = before
    return point


def _shown(
    claim: Claim, sizes: Sizes, point: Point, shows: Callable[[list[Statement]], bool]
) -> bool:
    found = quick_statements_at(claim, sizes, point)
    return found is not None and shows(found)

"""Comparing a definition with loops: inputs, a wide number type for the loops, and a tolerance nobody chose."""

from typing import Any

import numpy as np
from loops import WIDE
from running_error import Bounded, bounded

from scanproof.constructs.arrays.scan import leaves, map_leaves

VACUOUS = 2.0**-24
"""A rounding bound larger than this share of the largest entry would show nothing."""


class Draw:
    """Seeded float64 arrays in (−2, 2), one entry in eight exactly 0."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> np.ndarray:
        numbers = self._rng.uniform(-2, 2, shape)
        return np.where(self._rng.random(shape) < 1 / 8, 0.0, numbers)

    def positive(self, *shape: int) -> np.ndarray:
        """Entries in (½, 2)."""
        return np.asarray(self._rng.uniform(0.5, 2, shape))

    def small(self, *shape: int) -> np.ndarray:
        """Entries in (−0.1, 0.1)."""
        return np.asarray(self._rng.uniform(-0.1, 0.1, shape))

    def classes(self, rows: int, count: int) -> np.ndarray:
        """One-hot rows, shape (rows, count)."""
        return np.eye(count)[self._rng.integers(0, count, rows)]

    def order(self, length: int, below: int) -> list[int]:
        """`length` indices, repetitions allowed."""
        return self._rng.integers(0, below, length).tolist()


def wide(array: Any) -> np.ndarray:
    """The very same numbers in 40 digits, as an object array."""
    out = np.empty(np.shape(array), dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = WIDE.mpf(float(np.asarray(array)[index]))
    return out


def assert_agrees(actual: Any, exact: Any, bound: Any, times: int = 1) -> None:
    """Every array of `actual` is within `times` the rounding bound of the exact one, and the bound says something.

    Args:
        actual: a tree of float arrays.
        exact: an equally built tree of arrays, of wide numbers or floats.
        bound: the same tree of `Bounded` arrays.
    """
    trees = [leaves(tree) for tree in (actual, exact, bound)]
    for got, wanted, limit in zip(*trees, strict=True):
        got, wanted = np.asarray(got), np.asarray(wanted)
        assert isinstance(limit, Bounded)
        assert got.shape == wanted.shape == limit.shape
        largest = max([1.0, *np.abs(limit.value).flat])
        assert np.all(limit.error <= VACUOUS * largest), (
            "the rounding bound is too wide to show anything"
        )
        for index in np.ndindex(got.shape):
            gap = abs(WIDE.mpf(float(got[index])) - wanted[index])
            assert gap <= times * limit.error[index], (
                f"entry {index}: {got[index]} instead of {wanted[index]}"
            )


def bounds(compute: Any, inputs: tuple[Any, ...]) -> Any:
    """What `compute` makes of the inputs on arrays that carry a rounding bound."""
    return compute(*map_leaves(bounded, inputs))

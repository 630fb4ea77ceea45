"""The definitions read on many data at once, in one format: what one run in NumPy computes, for some hundreds of them.

Every array has an axis more than its definition knows of, the first one, along which the runs lie; what all runs share
has it with length 1. Sums and products of matrices may be added up in another order than those of a run by itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators

from ...rounding.in_format import in_format


class SideBySide(Operators):
    """An array of each run, in the format of `held`."""

    __slots__ = ("held",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: np.ndarray) -> None:
        """Takes an array of `in_format` with the runs along its first axis."""
        self.held = held

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.held.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one run's array."""
        return self.held.shape[1:]

    def sum(self, axis: int | None = None) -> SideBySide:
        """Along an axis of each run's array, or over all its entries."""
        axes = tuple(range(1, self.held.ndim)) if axis is None else axis % self.ndim + 1
        return SideBySide(self.held.sum(axis=axes))

    def _moved(self, move: Callable[[Any], Any]) -> SideBySide:
        """The same entries elsewhere: `move` is told of the last axes alone, by what it does to their places."""
        places = move(np.arange(int(np.prod(self.shape))).reshape(self.shape))
        flat = self.held.reshape(len(self.held), -1)
        return SideBySide(flat[:, np.asarray(places)])

    def __neg__(self) -> SideBySide:
        return SideBySide(-self.held)

    def __getitem__(self, index: Any) -> SideBySide:
        index = index if isinstance(index, tuple) else (index,)
        return SideBySide(self.held[(slice(None), *index)])

    def _combined(
        self, operation: Callable[[Any, Any], Any], left: SideBySide, right: SideBySide
    ) -> SideBySide:
        if operation is operator.matmul:
            return SideBySide(_product(left.held, right.held))
        axes = max(left.ndim, right.ndim)
        return SideBySide(operation(*(_with_axes(one.held, axes) for one in (left, right))))


def _with_axes(held: np.ndarray, axes: int) -> np.ndarray:
    """With axes of length 1 before those of the definition, as NumPy puts them before all."""
    missing = axes + 1 - held.ndim
    return held.reshape(len(held), *(1,) * missing, *held.shape[1:])


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Products of matrices, or of a matrix and a vector, run by run.

    A matrix that all runs share multiplies them at once, and products with vectors are NumPy's own loops: libraries
    with threads wait for themselves in so many small ones, where the cores are busy.
    """
    if len(right) == 1 and left.ndim > 2:
        flat = left.reshape(-1, left.shape[-1]) @ right[0]
        return flat.reshape(*left.shape[:-1], *right.shape[2:])
    if left.ndim == 2 or right.ndim == 2:
        names = "z" * (left.ndim > 2) + "s", "s" + "w" * (right.ndim > 2)
        return np.einsum(f"r{names[0]},r{names[1]}->r{names[0][:-1]}{names[1][1:]}", left, right)
    return left @ right


class Namespace(Functions):
    """Constructors and functions of such arrays: those of NumPy."""

    arrays, library = "arrays side by side", np

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def asarray(self, value: Any) -> SideBySide:
        """A number or an array that all runs share, rounded to the format."""
        return value if isinstance(value, SideBySide) else self.each(np.asarray(value)[None])

    def each(self, values: np.ndarray) -> SideBySide:
        """An array of each run, along the first axis, rounded to the format."""
        return SideBySide(in_format(values, self.dtype))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> SideBySide:
        """Arrays of equal shape side by side along a new axis."""
        parts = self._of_all_runs(arrays)
        return SideBySide(np.stack(parts, axis=axis + (axis >= 0)))

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> SideBySide:
        """Arrays one after another along an axis that they have."""
        parts = self._of_all_runs(arrays)
        return SideBySide(np.concat(parts, axis=axis + (axis >= 0)))

    def _of_all_runs(self, arrays: Sequence[Any]) -> list[np.ndarray]:
        parts = [self.asarray(one).held for one in arrays]
        runs = max(len(part) for part in parts)
        return [np.broadcast_to(part, (runs, *part.shape[1:])) for part in parts]

    def __getattr__(self, name: str) -> Callable[..., SideBySide]:
        function = getattr(self.library, name)
        return lambda *arrays: self._entrywise(function, *arrays)

    def _entrywise(self, function: Callable[..., Any], *arrays: Any) -> SideBySide:
        parts = [self.asarray(one) for one in arrays]
        axes = max(part.ndim for part in parts)
        return SideBySide(function(*(_with_axes(part.held, axes) for part in parts)))

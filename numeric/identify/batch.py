"""Many arrays of one shape as one: a definition written for one task runs on a batch of them, in NumPy.

A `Batch` of B arrays of shape s holds one array of shape (B, *s), and its operations are those of its arrays: shapes,
axes and indices are theirs, and an array that is not a batch is the same for all. It speaks NumPy's own
protocols, so that the fits take NumPy's functions of it; beside its operators and entrywise functions there is only
what the definitions of a Mamba-2 model call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


class Batch(NDArrayOperatorsMixin):
    """B arrays of one shape."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    def __array_namespace__(self) -> Any:
        return np

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any) -> Batch:
        """Of each array by itself."""
        if function is np.matmul:
            left, right = (a.data if isinstance(a, Batch) else a for a in inputs)
            vectors = isinstance(inputs[1], Batch) and len(inputs[1].shape) == 1
            return Batch((left @ right[..., None])[..., 0] if vectors else left @ right)
        axes = max(len(a.shape) if isinstance(a, Batch) else np.ndim(a) for a in inputs)
        return Batch(function(*(_aligned(a, axes) for a in inputs)))

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Batch:
        """NumPy's functions that take several arrays, or move entries."""
        return FUNCTIONS[function](*given, **options)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one array of the batch."""
        return self.data.shape[1:]

    @property
    def T(self) -> Batch:
        """The transpose of each array."""
        return Batch(self.data.mT)

    def __getitem__(self, key: Any) -> Batch:
        return Batch(self.data[(slice(None), *(key if isinstance(key, tuple) else (key,)))])

    def sum(self, axis: int) -> Batch:
        """The sum of each array along its axis."""
        return Batch(self.data.sum(axis=axis + 1))


def _aligned(array: Any, axes: int) -> Any:
    """With axes of length 1 behind the batch's, so that broadcasting meets the arrays' own axes only."""
    if not isinstance(array, Batch):
        return array
    data = array.data
    return data.reshape(len(data), *(1,) * (axes + 1 - data.ndim), *array.shape)


def _reshape(batch: Batch, shape: tuple[int, ...]) -> Batch:
    return Batch(batch.data.reshape(len(batch.data), *shape))


def _joined(join: Callable[..., np.ndarray]) -> Callable[..., Batch]:
    def joined(arrays: Sequence[Any], axis: int = 0) -> Batch:
        (size,) = {len(array.data) for array in arrays if isinstance(array, Batch)}
        parts = [
            a.data if isinstance(a, Batch) else np.broadcast_to(a, (size, *np.shape(a)))
            for a in arrays
        ]
        return Batch(join(parts, axis=axis + 1))

    return joined


FUNCTIONS: dict[Callable[..., Any], Callable[..., Batch]] = {
    np.reshape: _reshape,
    np.concatenate: _joined(np.concatenate),
    np.stack: _joined(np.stack),
}

"""Many arrays of one shape as one: a definition written for one task runs on a batch of them, in NumPy.

A `Batch` of B arrays of shape s holds one array of shape (B, *s), and its operations are those of its arrays: shapes,
axes and indices are theirs, and an array that is not a batch is the same for all. Beside the arithmetic there is only
what the definitions of a Mamba-2 model call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators


class Batch(Operators):
    """B arrays of one shape."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape[1:]

    @property
    def T(self) -> Batch:
        return Batch(self.data.mT)

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace()

    def __getitem__(self, key: Any) -> Batch:
        return Batch(self.data[(slice(None), *(key if isinstance(key, tuple) else (key,)))])

    def sum(self, axis: int) -> Batch:
        return Batch(self.data.sum(axis=axis + 1))

    def __neg__(self) -> Batch:
        return Batch(-self.data)

    def _operand(self, other: Any) -> Any:
        return other

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Batch:
        if operation is not operator.matmul:
            return _entrywise(operation, left, right)
        if isinstance(right, Batch) and len(right.shape) == 1:
            return Batch((left.data @ right.data[..., None])[..., 0])
        return Batch(left.data @ (right.data if isinstance(right, Batch) else right))


def _each(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An entrywise function, for batches and for other numbers."""
    return lambda a: Batch(function(a.data)) if isinstance(a, Batch) else function(a)


class Namespace(Functions):
    """NumPy's functions on batches; arrays made from nothing are NumPy's own."""

    arrays, library = "batches", np

    exp = staticmethod(_each(np.exp))
    log = staticmethod(_each(np.log))
    sqrt = staticmethod(_each(np.sqrt))

    def asarray(self, value: Any) -> Any:
        return value

    def reshape(self, array: Batch, shape: tuple[int, ...]) -> Batch:
        return Batch(array.data.reshape(len(array.data), *shape))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        return self._along(np.stack, arrays, axis)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        return self._along(np.concatenate, arrays, axis)

    def _along(self, join: Callable[..., np.ndarray], arrays: Sequence[Any], axis: int) -> Any:
        sizes = {len(array.data) for array in arrays if isinstance(array, Batch)}
        if not sizes:
            return join(arrays, axis=axis)
        (size,) = sizes
        parts = [
            a.data if isinstance(a, Batch) else np.broadcast_to(a, (size, *np.shape(a)))
            for a in arrays
        ]
        return Batch(join(parts, axis=axis + 1))


def _entrywise(operation: Callable[[Any, Any], Any], first: Any, second: Any) -> Batch:
    a, b = (x.data if isinstance(x, Batch) else x for x in (first, second))
    axes = [np.ndim(x) - isinstance(y, Batch) for x, y in ((a, first), (b, second))]
    if isinstance(first, Batch) and axes[0] < axes[1]:
        a = _spread(a, axes[1] - axes[0])
    elif isinstance(second, Batch) and axes[1] < axes[0]:
        b = _spread(b, axes[0] - axes[1])
    return Batch(operation(a, b))


def _spread(data: np.ndarray, missing: int) -> np.ndarray:
    """With axes of length 1 behind the batch's, so that broadcasting meets the arrays' own axes only."""
    return data.reshape(len(data), *(1,) * missing, *data.shape[1:])

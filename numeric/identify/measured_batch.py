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


class Batch:
    """B arrays of one shape."""

    __array_ufunc__ = None  # so that array + batch is left to the batch

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape[1:]

    @property
    def T(self) -> Batch:
        return Batch(self.data.mT)

    def __array_namespace__(self) -> type[Namespace]:
        return Namespace

    def __getitem__(self, key: Any) -> Batch:
        return Batch(self.data[(slice(None), *(key if isinstance(key, tuple) else (key,)))])

    def sum(self, axis: int) -> Batch:
        return Batch(self.data.sum(axis=axis + 1))

    def __neg__(self) -> Batch:
        return Batch(-self.data)

    def __add__(self, other: Any) -> Batch:
        return _entrywise(operator.add, self, other)

    def __radd__(self, other: Any) -> Batch:
        return _entrywise(operator.add, other, self)

    def __sub__(self, other: Any) -> Batch:
        return _entrywise(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Batch:
        return _entrywise(operator.sub, other, self)

    def __mul__(self, other: Any) -> Batch:
        return _entrywise(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Batch:
        return _entrywise(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Batch:
        return _entrywise(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Batch:
        return _entrywise(operator.truediv, other, self)

    def __matmul__(self, other: Any) -> Batch:
        if not isinstance(other, Batch):
            return Batch(self.data @ other)
        if len(other.shape) == 1:
            return Batch((self.data @ other.data[..., None])[..., 0])
        return Batch(self.data @ other.data)


def _each(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An entrywise function, for batches and for other numbers."""
    return lambda a: Batch(function(a.data)) if isinstance(a, Batch) else function(a)


class Namespace:
    """NumPy's functions on batches; arrays made from nothing are NumPy's own."""

    zeros = staticmethod(np.zeros)
    ones = staticmethod(np.ones)

    exp = staticmethod(_each(np.exp))
    log = staticmethod(_each(np.log))
    sqrt = staticmethod(_each(np.sqrt))

    @staticmethod
    def reshape(batch: Batch, shape: tuple[int, ...]) -> Batch:
        return Batch(batch.data.reshape(len(batch.data), *shape))

    @staticmethod
    def concat(arrays: Sequence[Any], axis: int) -> Any:
        return _joined(np.concatenate, arrays, axis)

    @staticmethod
    def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
        return _joined(np.stack, arrays, axis)


def _joined(join: Callable[..., np.ndarray], arrays: Sequence[Any], axis: int) -> Any:
    sizes = {len(array.data) for array in arrays if isinstance(array, Batch)}
    if not sizes:
        return join(arrays, axis=axis)
    (size,) = sizes
    parts = [
        a.data if isinstance(a, Batch) else np.broadcast_to(a, (size, *np.shape(a))) for a in arrays
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

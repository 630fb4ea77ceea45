"""Many arrays of one shape as one: a definition written for one task runs on a batch of them, in NumPy.

A `Batch` of B arrays of shape s holds one array of shape (B, *s), and its operations are those of its arrays: shapes,
axes and indices are theirs, and an array that is not a batch is the same for all. It speaks NumPy's own
protocols, so that the fits take NumPy's functions of it; beside its operators and entrywise functions there is only
what the definitions of a Mamba-2 model call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


def as_it_is(numbers: np.ndarray) -> np.ndarray:
    """The rounding of numbers that are of NumPy's own formats, and so are rounded by it."""
    return numbers


def to_float32(numbers: np.ndarray) -> np.ndarray:
    """Numbers to the nearest of float32."""
    return numbers.astype(np.float32, copy=False)


def to_bfloat16(numbers: np.ndarray) -> np.ndarray:
    """Numbers to the nearest of bfloat16, ties to even, which NumPy lacks: they are held in float32."""
    single = np.ascontiguousarray(numbers, dtype=np.float32).reshape(np.shape(numbers))
    bits = single.view(np.uint32)
    nearest = (bits + (np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1)))) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(single), nearest.view(np.float32), single)


def to_float16(numbers: np.ndarray) -> np.ndarray:
    """Numbers to the nearest of float16, held in float32, in which products of matrices are added up."""
    return numbers.astype(np.float16).astype(np.float32)


ROUNDINGS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "float64": as_it_is,
    "float32": to_float32,
    "bfloat16": to_bfloat16,
    "float16": to_float16,
}
"""The rounding of numbers to a format."""


class Batch(NDArrayOperatorsMixin):
    """B arrays of one shape; what each operation makes is rounded by `rounding`."""

    def __init__(
        self, data: np.ndarray, rounding: Callable[[np.ndarray], np.ndarray] = as_it_is
    ) -> None:
        self.data = rounding(data)
        self.rounding = rounding

    def to(self, rounding: Callable[[np.ndarray], np.ndarray]) -> Batch:
        """The same in another format."""
        return Batch(self.data, rounding)

    def _made(self, data: np.ndarray) -> Batch:
        return Batch(data, self.rounding)

    def __array_namespace__(self) -> Any:
        return np

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any) -> Batch:
        """Of each array by itself."""
        if function is np.matmul:
            return self._made(_product(*inputs))
        return self._made(function(*_aligned(inputs)))

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
        return self._made(self.data.mT)

    def __getitem__(self, key: Any) -> Batch:
        return self._made(self.data[(slice(None), *(key if isinstance(key, tuple) else (key,)))])

    def sum(self, axis: int) -> Batch:
        """The sum of each array along its axis."""
        return self._made(self.data.sum(axis=axis + 1))


def _product(left: Any, right: Any) -> np.ndarray:
    """left @ right of each array, vectors among them."""
    if isinstance(left, Batch) and not isinstance(right, Batch) and left.data.ndim == 3:
        rows, matrix = left.data, np.asarray(right)  # one product for all arrays, not one for each
        found = rows.reshape(-1, rows.shape[-1]) @ matrix
        return found.reshape(*rows.shape[:-1], *matrix.shape[1:])
    row, column = len(left.shape) == 1, len(right.shape) == 1
    a, b = (
        array.data if isinstance(array, Batch) else np.asarray(array) for array in (left, right)
    )
    found = (a[..., None, :] if row else a) @ (b[..., None] if column else b)
    found = found[..., 0] if column else found
    return found[..., 0, :] if row and not column else found[..., 0] if row else found


def _aligned(arrays: Sequence[Any]) -> list[Any]:
    """With axes of length 1 behind the batch's, so that broadcasting meets the arrays' own axes only."""
    held = [a.data if isinstance(a, Batch) else a for a in arrays]
    axes = [
        getattr(one, "ndim", 0) - isinstance(a, Batch) for a, one in zip(arrays, held, strict=True)
    ]
    most = max(axes)
    return [
        one.reshape(len(one), *(1,) * (most - own), *one.shape[1:])
        if isinstance(a, Batch) and own < most
        else one
        for a, one, own in zip(arrays, held, axes, strict=True)
    ]


def _reshape(batch: Batch, shape: tuple[int, ...]) -> Batch:
    return Batch(batch.data.reshape(len(batch.data), *shape), batch.rounding)


def _joined(join: Callable[..., np.ndarray]) -> Callable[..., Batch]:
    def joined(arrays: Sequence[Any], axis: int = 0) -> Batch:
        batches = [array for array in arrays if isinstance(array, Batch)]
        (size,) = {len(array.data) for array in batches}
        parts = [
            a.data if isinstance(a, Batch) else np.broadcast_to(a, (size, *np.shape(a)))
            for a in arrays
        ]
        return Batch(join(parts, axis=axis + 1), batches[0].rounding)

    return joined


FUNCTIONS: dict[Callable[..., Any], Callable[..., Batch]] = {
    np.reshape: _reshape,
    np.concatenate: _joined(np.concatenate),
    np.stack: _joined(np.stack),
}

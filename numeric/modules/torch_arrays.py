"""Torch tensors on which the definitions of `constructs` run: they know their namespace, and are tensors otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.errors import UsageError

try:
    import torch  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise UsageError(
        "scanproof.numeric.modules needs torch, which is not installed; try: pip install 'scanproof[torch]'"
    ) from error


class Array(torch.Tensor):
    """A tensor with `__array_namespace__`; what is computed from it is one too, and gradients pass through."""

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.dtype, self.device)


def array(tensor: torch.Tensor) -> Array:
    """The same tensor as an `Array`; `tensor.as_subclass(torch.Tensor)` is the way back."""
    return tensor.as_subclass(Array)


class Namespace(Functions):
    """Constructors and named functions (a part of the array API); what they make is of one dtype on one device."""

    arrays = "torch arrays"

    def __init__(self, dtype: torch.dtype, device: torch.device) -> None:
        self.like: dict[str, Any] = {"dtype": dtype, "device": device}

    def asarray(self, value: Any) -> Array:
        """An array, tensor or number as an array of this namespace."""
        return value if isinstance(value, Array) else array(torch.as_tensor(value, **self.like))

    def zeros(self, shape: Any) -> Array:
        """An array of zeros of this shape."""
        return array(torch.zeros(shape, **self.like))

    def ones(self, shape: Any) -> Array:
        """An array of ones of this shape."""
        return array(torch.ones(shape, **self.like))

    def eye(self, size: int) -> Array:
        """The identity matrix, (size, size)."""
        return array(torch.eye(size, **self.like))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Array:
        """Arrays of equal shape side by side along a new axis."""
        return array(torch.stack([self.asarray(a) for a in arrays], dim=axis))

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Array:
        """Arrays one after another along an axis that they have."""
        return array(torch.cat([self.asarray(a) for a in arrays], dim=axis))

    def reshape(self, tensor: Array, shape: Any) -> Array:
        """The same entries, in order, in another shape."""
        return array(tensor.reshape(shape))

    def tril(self, tensor: Array) -> Array:
        """The lower triangle of a matrix with its diagonal, zeros above it."""
        return array(tensor.tril())

    def sqrt(self, tensor: Array) -> Array:
        """The square root of each entry."""
        return array(tensor.sqrt())

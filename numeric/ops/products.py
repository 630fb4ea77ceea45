"""Definitions read on JAX arrays whose matrix products are those of a precision.

`definition(Products(x, numbers), …).array` is what the definition computes if every `@` rounds its factors to the input
dtype and sums in the accumulation dtype; JAX's own `@` would return bfloat16 for bfloat16 factors, and TF32 products
for float32 ones on some GPUs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..jax_backend import jax
from ..precision import Precision, matmul


class Products(NDArrayOperatorsMixin):
    """An array in the accumulation dtype of `numbers`; `@` takes matrices."""

    __slots__ = ("array", "numbers")

    def __init__(self, array: Any, numbers: Precision) -> None:
        self.array = array.astype(numbers.accumulate)
        self.numbers = numbers

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.numbers)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any) -> Products:
        """The operators: JAX's function of the same name, but for `@`."""
        arrays = (one.array if isinstance(one, Products) else one for one in inputs)
        product = functools.partial(matmul, self.numbers)
        function = product if ufunc is np.matmul else getattr(jax().numpy, ufunc.__name__)
        return Products(function(*arrays), self.numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def T(self) -> Products:
        return Products(self.array.T, self.numbers)

    def __getitem__(self, index: Any) -> Products:
        return Products(self.array[index], self.numbers)


class Namespace:
    """The constructors that the definitions of the WY form use."""

    def __init__(self, numbers: Precision) -> None:
        self.numbers = numbers

    def tril(self, array: Products) -> Products:
        return Products(jax().numpy.tril(array.array), self.numbers)

    def eye(self, size: int) -> Products:
        return Products(jax().numpy.eye(size, dtype=self.numbers.accumulate), self.numbers)


def in_precision(definition: Callable[..., Any], numbers: Precision) -> Callable[..., Any]:
    """A definition of arrays and (named) tuples of arrays, with one array as its value, as a function of JAX arrays."""
    is_array = {"is_leaf": lambda leaf: isinstance(leaf, Products)}

    def computed(*trees: Any) -> Any:
        arrays = jax().tree.map(lambda leaf: Products(leaf, numbers), trees)
        return jax().tree.map(lambda leaf: leaf.array, definition(*arrays), **is_array)

    return computed

"""JAX arrays in whose namespace `constructs.arrays.gradient` is JAX's own reverse mode.

`gradient` evaluates a loss on dual numbers with one tangent for every entry of the weights, which is exact on every
backend and costs f·k evaluations. Of a namespace with a function `differentiate` it asks that instead, and
`jax.grad` of the same loss object costs about two. So the learners of `constructs` run here as they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..jax_backend import jax


class Differentiable(NDArrayOperatorsMixin):
    """A JAX array; what is computed from it is one too."""

    __array_priority__ = 1000
    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any) -> Differentiable:
        """JAX's function of the same name. Products of a learner are the reference, whatever a device likes to do."""
        precise = {"precision": "highest"} if function is np.matmul else {}
        return getattr(NAMESPACE, function.__name__)(*inputs, **precise)

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return NAMESPACE

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def T(self) -> Differentiable:
        return Differentiable(self.array.T)

    @property
    def mT(self) -> Differentiable:
        return Differentiable(self.array.mT)

    def sum(self, axis: int | None = None) -> Differentiable:
        return Differentiable(self.array.sum(axis=axis))

    def __getitem__(self, index: Any) -> Differentiable:
        return Differentiable(self.array[index])


class Namespace:
    """The functions of `jax.numpy` on such arrays, and `differentiate`."""

    def differentiate(self, loss: Callable[[Any], Any], at: Differentiable) -> Differentiable:
        """∇loss at the array `at`, by reverse mode."""
        return Differentiable(
            jax().grad(lambda point: plain(loss(Differentiable(point))))(at.array)
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(jax().numpy, name)

        def applied(*arguments: Any, **options: Any) -> Differentiable:
            return Differentiable(function(*map(plain, arguments), **options))

        return applied


NAMESPACE = Namespace()


def plain(value: Any) -> Any:
    """The JAX array inside, also of those in a list or a tuple; anything else as it is."""
    if isinstance(value, Differentiable):
        return value.array
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value

"""JAX arrays as arrays of a definition: `@` is a matrix product of one's choice, and `gradient` JAX's reverse mode.

JAX's own `@` would return bfloat16 for bfloat16 factors, and TF32 products for float32 ones on some GPUs. And
`constructs.arrays.gradient` evaluates a loss on dual numbers with one tangent for every entry of the weights, which is
exact on every backend and costs f·k evaluations. Of a namespace with a function `differentiate` it asks that instead,
and `jax.grad` of the same loss object costs about two. So definitions and learners run here as they stand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators

from .jax_backend import jax
from .precision import Precision, matmul


class JaxArray(Operators):
    """A JAX array; what is computed from it is one too.

    With `numbers` it is in their accumulation dtype, and `@`, of matrices, rounds its factors to their input dtype;
    without, products are as exact as the dtype: those of a learner are the reference, whatever the device likes to do.
    """

    __slots__ = ("array", "numbers")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Any, numbers: Precision | None = None) -> None:
        self.array = array if numbers is None else array.astype(numbers.accumulate)
        self.numbers = numbers

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.array.shape

    def sum(self, axis: int | None = None) -> JaxArray:
        """The sum along an axis, or over all entries."""
        return self._moved(lambda array: array.sum(axis=axis))

    def _moved(self, move: Callable[[Any], Any]) -> JaxArray:
        return JaxArray(move(self.array), self.numbers)

    def __pow__(self, exponent: Any) -> JaxArray:
        return self._moved(lambda array: array**exponent)

    def _operand(self, other: Any) -> Any:
        return other

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> JaxArray:
        if operation is operator.matmul:
            operation = self._product
        return JaxArray(operation(plain(left), plain(right)), self.numbers)

    def _product(self, left: Any, right: Any) -> Any:
        if self.numbers is not None:
            return matmul(self.numbers, left, right)
        return jax().numpy.matmul(left, right, precision="highest")


class Namespace(Functions):
    """The functions of `jax.numpy` on such arrays, and `differentiate`."""

    def __init__(self, numbers: Precision | None) -> None:
        self.numbers = numbers

    def differentiate(self, loss: Callable[[Any], Any], at: JaxArray) -> JaxArray:
        """∇loss at the array `at`, by reverse mode."""
        return at._moved(jax().grad(lambda point: plain(loss(JaxArray(point, self.numbers)))))

    @property
    def library(self) -> Any:  # type: ignore[override]
        """`jax.numpy`, imported when it is first needed."""
        return jax().numpy

    def asarray(self, value: Any) -> JaxArray:
        """An array or number as an array of this namespace."""
        return JaxArray(self.library.asarray(plain(value)), self.numbers)

    def _joined(self, join: Callable[[list[Any]], Any], arrays: Sequence[Any]) -> JaxArray:
        return JaxArray(join(plain(arrays)), self.numbers)

    def __getattr__(self, name: str) -> Callable[..., JaxArray]:
        function = getattr(self.library, name)

        def applied(*arguments: Any, **options: Any) -> JaxArray:
            return JaxArray(function(*map(plain, arguments), **options), self.numbers)

        return applied


def plain(value: Any) -> Any:
    """The JAX array inside, also of those in a list or a tuple; anything else as it is."""
    if isinstance(value, JaxArray):
        return value.array
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def in_precision(definition: Callable[..., Any], numbers: Precision) -> Callable[..., Any]:
    """A definition of arrays and (named) tuples of arrays, with one array as its value, as a function of JAX arrays."""
    is_array = {"is_leaf": lambda leaf: isinstance(leaf, JaxArray)}

    def computed(*trees: Any) -> Any:
        arrays = jax().tree.map(lambda leaf: JaxArray(leaf, numbers), trees)
        return jax().tree.map(plain, definition(*arrays), **is_array)

    return computed

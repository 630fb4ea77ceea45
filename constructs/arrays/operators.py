"""NumPy's operators, and what a namespace has, for arrays of our own: written once, over what each kind provides.

A definition is read on arrays that record, of formulas, of numbers that know their error, of JAX. `Operators` is
what they have in common, and `Namespace` what the namespaces of those have that hold arrays of some library. Dual
numbers (`gradient`) stand apart: of two arrays that meet there, the later ε decides which is a constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from .protocols import NumPyArray


class Operators(NumPyArray):
    """An array with NumPy's operators; a kind of arrays says what follows under "To provide"."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    # To provide: a shape, a namespace, sums, and:

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes along the axes."""
        raise NotImplementedError

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        raise NotImplementedError

    def _operand(self, other: Any) -> Any:
        """What meets this array as an array of its kind; NotImplemented where the other one knows better what to do."""
        if isinstance(other, type(self)):
            return other
        if hasattr(other, "__array_namespace__") and type(other).__module__ != "numpy":
            return NotImplemented
        return self.__array_namespace__().asarray(other)

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """What `operator.add`, `sub`, `mul`, `truediv` or `matmul` makes of two operands, one of them this array.

        A sum or product has this array on its left, whichever side it stood on.
        """
        raise NotImplementedError

    def _moved(self, move: Callable[[Any], Any]) -> Any:
        """The same entries elsewhere, as `move` puts those of an array of the library."""
        raise NotImplementedError

    def _permuted(self, order: Sequence[int]) -> Any:
        """The array with its axes in this order."""
        return self._moved(lambda held: held.transpose(order))

    # What follows from these.

    def _met(self, operation: Callable[[Any, Any], Any], other: Any, swapped: bool = False) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        left, right = (other, self) if swapped else (self, other)
        return self._combined(operation, left, right)

    def __add__(self, other: Any) -> Any:
        return self._met(operator.add, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._met(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self._met(operator.sub, other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._met(operator.mul, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._met(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._met(operator.truediv, other, swapped=True)

    def __matmul__(self, other: Any) -> Any:
        return self._met(operator.matmul, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._met(operator.matmul, other, swapped=True)

    def __neg__(self) -> Any:
        return self._moved(operator.neg)

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)
        if not hasattr(exponent, "__index__") or exponent < 0:
            raise TypeError(
                f"a definition's array takes powers 0, 1, 2, …, got {exponent!r}; write 1 / x ** 2, sqrt(x), exp(a * x)"
            )
        power = self.__array_namespace__().ones(self.shape)
        count: Any = exponent
        for _ in range(operator.index(count)):
            power = power * self
        return power

    def __getitem__(self, index: Any) -> Any:
        return self._moved(lambda held: held[index])

    @property
    def T(self) -> Any:
        """The transpose."""
        return self._moved(lambda held: held.T)

    @property
    def mT(self) -> Any:
        """The transpose of the last two axes."""
        return self._moved(lambda held: held.mT)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of one number has no length")
        return self.shape[0].__index__()

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        raise TypeError(
            "a symbolic array has no truth value: a definition must not branch on its numbers; use a mask or a size."
        )

    def __eq__(self, other: object) -> Any:
        raise TypeError("compare arrays in a claim with equal(left, right), not with ==.")


class Namespace:
    """Constructors and named functions of a kind of arrays (a part of the array API).

    What follows is for arrays that hold those of a library; a kind adds the functions that its numbers have.
    """

    arrays = "these arrays"
    """What they are called where a function is asked for that they do not have."""
    library: Any = None
    """The module whose arrays they hold, for what is made from nothing and put together."""
    _known = ""

    def asarray(self, value: Any) -> Any:
        """Numbers, or an array, as an array of this kind."""
        raise NotImplementedError

    def _joined(self, join: Callable[[list[Any]], Any], arrays: Sequence[Any]) -> Any:
        """Arrays as one, put together as `join` does it with those of the library."""
        raise NotImplementedError

    def zeros(self, shape: Any) -> Any:
        """An array of zeros of this shape."""
        return self.asarray(self.library.zeros(shape))

    def ones(self, shape: Any) -> Any:
        """An array of ones of this shape."""
        return self.asarray(self.library.ones(shape))

    def eye(self, size: Any) -> Any:
        """The identity matrix, (size, size)."""
        return self.asarray(self.library.eye(size))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Arrays of equal shape side by side along a new axis."""
        return self._joined(partial(self.library.stack, axis=axis), arrays)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Arrays one after another along an axis that they have."""
        return self._joined(partial(self.library.concat, axis=axis), arrays)

    def reshape(self, array: Any, shape: Any) -> Any:
        """The same entries, in order, in another shape."""
        return array._moved(lambda held: held.reshape(shape))

    def tril(self, array: Any, k: int = 0) -> Any:
        """The entries of a matrix at and below its diagonal number k, zeros above it."""
        return array._moved(partial(self.library.tril, k=k))

    def __init_subclass__(cls) -> None:
        names = (name for name in dir(cls) if name[0] != "_" and callable(getattr(cls, name)))
        cls._known = ", ".join(names)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.arrays} have no function {name!r}; known: {self._known}")

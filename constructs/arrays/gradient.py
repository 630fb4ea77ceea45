"""Gradients derived from a loss: entry (a, b) is the ε¹ coefficient of loss(W + ε E_ab).

`gradient` evaluates the loss once on dual arrays: a value, and one tangent for every direction E_ab along a leading
axis. Only the rules of arithmetic, exp and log are used, so any array backend will do. A backend that differentiates
by itself (sympy) says so with a function `differentiate(loss, at)` in its namespace and is asked instead.

Gradients nest: each call of `gradient` has its own ε, and a later (inner) one takes the dual numbers of an earlier one
for constants.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from numbers import Number
from typing import Any

from .array_api import Array, namespace
from .numpy_functions import NumPyFunctions
from .protocols import NumPyArray
from .ranges import is_number

_epsilons = itertools.count()


def gradient(loss: Callable[[Array], Array], at: Array) -> Array:
    """∇loss at the array `at`, of the same shape as `at`.

    Args:
        loss: a scalar function written with `+ - * / ** @ .T .sum`, indexing, `exp` and `log`.
        at: the point, a vector or a matrix.

    Raises:
        TypeError: if the loss is not a scalar, so that it has no gradient in the shape of `at`.
    """
    xp = namespace(at)
    own = getattr(xp, "differentiate", None)
    if own is not None:
        return own(lambda point: _scalar(loss(point)), at)
    shape = tuple(at.shape)
    basis, collect = getattr(xp, "directions", partial(_directions, xp))(shape)
    epsilon = next(_epsilons)
    value = _scalar(loss(Dual(at, basis, epsilon)))
    if not isinstance(value, Dual) or value.epsilon != epsilon:  # a constant
        return at - at
    return collect(value.tangent)


def depends(loss: Callable[[Array], Array], at: Array) -> bool:
    """Whether a loss uses its argument at all: a constant is least everywhere."""
    own = getattr(namespace(at), "depends", None)
    if own is not None:
        return own(loss, at)
    basis, _ = getattr(namespace(at), "directions", partial(_directions, namespace(at)))(
        tuple(at.shape)
    )
    epsilon = next(_epsilons)
    value = _scalar(loss(Dual(at, basis, epsilon)))
    return isinstance(value, Dual) and value.epsilon == epsilon


def _scalar(value: Any) -> Any:
    """The loss's value, if it is a number or an array of shape ()."""
    shape = () if isinstance(value, Number) else getattr(value, "shape", None)
    if shape is None or len(shape) > 0:
        got = type(value).__name__ if shape is None else f"an array of shape {tuple(shape)}"
        raise TypeError(
            f"gradient(loss, at) expects a loss that is one number, got {got}; sum its entries with .sum()."
        )
    return value


def _directions(xp: Any, shape: tuple[int, ...]) -> tuple[Array, Callable[[Array], Array]]:
    """Every E_ab along a leading axis, and the map from what they give, along that axis, to an array of `shape`."""
    count = prod(shape)
    basis = xp.eye(count)
    basis = namespace(basis).reshape(basis, (count, *shape))
    return basis, lambda tangent: namespace(tangent).reshape(tangent, shape)


class Dual(NumPyArray):
    """value + ε tangent, with a leading axis of directions on the tangent; `epsilon` names the ε."""

    def __init__(self, value: Array, tangent: Array, epsilon: int) -> None:
        self.value = value
        self.tangent = tangent
        self.epsilon = epsilon

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return _DualNamespace(namespace(self.value, self.tangent), self)

    @property
    def precedence(self) -> int:  # type: ignore[override]
        """Of two, the later one takes the other for a constant."""
        return self.epsilon

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The shape of the value; the tangent has an axis of directions before it."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """The number of axes of the value."""
        return len(self.value.shape)

    @property
    def T(self) -> Dual:
        """The transpose of a matrix, value and tangent; a vector or number is left as it is."""
        if self.ndim > 2:
            raise TypeError(
                f"a loss took .T of an array with {self.ndim} axes; take .mT, or index it."
            )
        return self._with(self.value.T, self.tangent.mT) if self.ndim == 2 else self

    @property
    def mT(self) -> Dual:
        """The transpose of the last two axes, of value and tangent."""
        return self._with(self.value.mT, self.tangent.mT)

    def __bool__(self) -> bool:
        raise TypeError("a loss must not branch on its numbers; use a mask or a size.")

    def __eq__(self, other: object) -> Any:
        raise TypeError("a loss must not compare its numbers; use a mask or a size.")

    __hash__ = None  # type: ignore[assignment]

    def _with(self, value: Array, tangent: Array) -> Dual:
        return Dual(value, tangent, self.epsilon)

    def _below(self, other: Any) -> bool:
        """Whether `other` has a later ε, so that this number is a constant to it."""
        return isinstance(other, Dual) and other.epsilon > self.epsilon

    def _beside(self, other: Any) -> bool:
        """Whether `other` has the same ε; anything else that is not later is a constant."""
        return isinstance(other, Dual) and other.epsilon == self.epsilon

    def _lifted(self, ndim: int) -> Array:
        """The tangent with axes put in after the first, so that it broadcasts like the value."""
        lacking = ndim - self.ndim
        if lacking <= 0:
            return self.tangent
        return self.tangent[(slice(None),) + (None,) * lacking]

    def __add__(self, other: Any) -> Dual:
        if self._below(other):
            return other + self
        if self._beside(other):
            ndim = max(self.ndim, other.ndim)
            return self._with(self.value + other.value, self._lifted(ndim) + other._lifted(ndim))
        value = self.value + other
        if value.shape == self.value.shape:
            return self._with(value, self.tangent)
        return self._with(value, self._lifted(len(value.shape)) + (value - value))

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return self._with(-self.value, -self.tangent)

    def __sub__(self, other: Any) -> Dual:
        return self + (-other)

    def __rsub__(self, other: Any) -> Dual:
        return (-self) + other

    def __mul__(self, other: Any) -> Dual:
        if self._below(other):
            return other * self
        if self._beside(other):
            ndim = max(self.ndim, other.ndim)
            left, right = self._lifted(ndim), other._lifted(ndim)
            return self._with(self.value * other.value, left * other.value + self.value * right)
        ndim = max(self.ndim, len(getattr(other, "shape", ())))
        return self._with(self.value * other, self._lifted(ndim) * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if self._below(other):
            return other.__rtruediv__(self)
        if self._beside(other):
            return self * other._map(1 / other.value, -1 / (other.value * other.value))
        ndim = max(self.ndim, len(getattr(other, "shape", ())))
        return self._with(self.value / other, self._lifted(ndim) / other)

    def __rtruediv__(self, other: Any) -> Dual:
        return self._map(1 / self.value, -1 / (self.value * self.value)) * other

    def __pow__(self, exponent: int) -> Dual:
        slope = exponent * self.value ** (exponent - 1) if exponent else self.value - self.value
        return self._map(self.value**exponent, slope)

    def __matmul__(self, other: Any) -> Dual:
        if self._below(other):
            return other.__rmatmul__(self)
        if self._beside(other):
            left, right = self @ other.value, self.value @ other
            return self._with(left.value, left.tangent + right.tangent)
        if self.ndim == 1 and other.ndim > 2:  # a row vector before a stack of matrices
            rows = self.tangent[(slice(None), *(None,) * (other.ndim - 1))]
            return self._with(self.value @ other, (rows @ other)[..., 0, :])
        tangent = self.tangent if self.ndim == 1 else self._lifted(other.ndim)
        return self._with(self.value @ other, tangent @ other)

    def __rmatmul__(self, other: Array) -> Dual:
        if self.ndim == 1 and other.ndim > 1:  # a column vector after matrices
            columns = self.tangent[(slice(None), *(None,) * (other.ndim - 2), slice(None), None)]
            return self._with(other @ self.value, (other @ columns)[..., 0])
        if self.ndim == 1:
            return self._with(other @ self.value, self.tangent @ other)
        return self._with(other @ self.value, other @ self._lifted(other.ndim))

    def __getitem__(self, index: Any) -> Dual:
        index = index if isinstance(index, tuple) else (index,)
        return self._with(self.value[index], self.tangent[(slice(None), *index)])

    def _permuted(self, order: Sequence[int]) -> Dual:
        moved = (0, *(k + 1 for k in order))
        return self._with(self.value.transpose(order), self.tangent.transpose(moved))

    def _total(self, axis: int | None = None) -> Dual:
        if axis is None:
            tangent = self.tangent
            for _ in range(self.ndim):
                tangent = tangent.sum(axis=1)
            return self._with(self.value.sum(), tangent)
        return self._with(self.value.sum(axis=axis), self.tangent.sum(axis=axis % self.ndim + 1))

    def _map(self, value: Array, slope: Array) -> Dual:
        return self._with(value, self.tangent * slope)


class _DualNamespace(NumPyFunctions):
    """The named functions on dual arrays; constructors give constants."""

    def __init__(self, xp: Any, like: Dual) -> None:
        self._xp = xp
        self._like = like

    def exp(self, x: Dual) -> Dual:
        value = self._xp.exp(x.value)
        return x._map(value, value)

    def log(self, x: Dual) -> Dual:
        return x._map(self._xp.log(x.value), 1 / x.value)

    def sqrt(self, x: Dual) -> Dual:
        value = self._xp.sqrt(x.value)
        return x._map(value, 1 / (2 * value))

    def asarray(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return self.stack([self.asarray(part) for part in value])
        return value if isinstance(value, Dual) else self._xp.asarray(value)

    def is_mask(self, array: Any) -> bool:
        return not isinstance(array, Dual) and self._xp.is_mask(array)

    def tril(self, x: Any, k: int = 0) -> Any:
        return x * self._xp.tril(self._xp.ones(x.shape[-2:]), k)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        return _joined("concat", arrays, axis)

    def reshape(self, x: Dual, shape: tuple[int, ...]) -> Dual:
        directions = x.tangent.shape[0]
        return x._with(
            namespace(x.value).reshape(x.value, shape),
            namespace(x.tangent).reshape(x.tangent, (directions, *shape)),
        )

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Dual:
        return _joined("stack", arrays, axis)

    def build(self, length: Any, function: Callable[[Any], Any]) -> Dual:
        """See `ranges.build`."""
        if is_number(length):
            return self.stack([function(index) for index in range(length)])
        build, zero = self._xp.build, _zero(self._like)
        directions = zero.tangent.shape[0]
        return self._like._with(
            build(length, lambda i: (function(i) + zero).value),
            build(directions, lambda d: build(length, lambda i: (function(i) + zero).tangent[d])),
        )

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "ones", "eye", "arange"):
            return getattr(self._xp, name)
        raise AttributeError(
            f"a loss may not use {name!r}: gradient() knows + - * / ** @ .T .sum, indexing, reshape, stack, exp "
            "and log"
        )


def _zero(like: Dual) -> Dual:
    """The scalar 0 + ε 0: a constant plus it is a dual array."""
    total = like.sum()
    return total - total


def _joined(join: str, arrays: Sequence[Any], axis: int) -> Any:
    """`stack` or `concat` of arrays; constants may stand among dual arrays, earlier ε among later ones."""
    duals = [array for array in arrays if isinstance(array, Dual)]
    if not duals:
        return getattr(namespace(*arrays), join)(arrays, axis=axis)
    newest = max(duals, key=lambda dual: dual.epsilon)
    zero = _zero(newest)
    parts = [array if newest._beside(array) else array + zero for array in arrays]
    values, tangents = [part.value for part in parts], [part.tangent for part in parts]
    within = axis + 1 if axis >= 0 else axis
    return newest._with(_joined(join, values, axis), _joined(join, tangents, within))

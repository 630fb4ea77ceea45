"""Masks: what comparing positions gives, true and false as NumPy has them, and not the numbers 1 and 0.

NumPy adds two masks to a mask, multiplies them by "any" and "all", and subtracts none; with a number they are 1 and 0.
So does a `Mask`, whichever kind of arrays it is made of: it holds an array of ones and zeros of that kind, and says
itself what every operation is. What is not said here is refused, with `mask.astype(float)` as what to write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .protocols import NumPyArray

MOVES = frozenset(
    {
        "transpose",
        "matrix_transpose",
        "swapaxes",
        "moveaxis",
        "expand_dims",
        "squeeze",
        "ravel",
        "roll",
    }
    | {"reshape", "flip", "tril", "triu", "diagonal", "broadcast_to", "copy", "asarray"}
    | {"atleast_1d", "atleast_2d"}
)
"""Functions that put entries elsewhere, or zeros among them: of a mask, a mask."""
JOINS = frozenset({"stack", "concat", "vstack", "hstack", "column_stack"})
"""Functions that put arrays together: of masks alone, a mask."""
COUNTS = frozenset({"sum", "mean", "cumsum", "cumprod", "prod", "trace", "shape", "ndim"})
"""Functions in which a mask is ones and zeros."""
PRODUCTS = frozenset(
    {"matmul", "dot", "einsum", "tensordot", "inner", "outer", "vecdot", "vdot", "kron"}
)
"""Sums of products: with an array of numbers, ones and zeros; of masks alone, NumPy's are masks."""
OWN = frozenset({"where", "logical_and", "logical_or", "logical_xor", "logical_not"})
"""Functions that look at masks themselves."""


class Mask(NumPyArray):
    """An array of true and false, held as an array of ones and zeros."""

    __slots__ = ("held",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: Any) -> None:
        self.held = held

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return self.held.__array_namespace__()

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The lengths of the axes."""
        return self.held.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.held.shape)

    @property
    def T(self) -> Mask:
        """The transpose."""
        return Mask(self.held.T)

    @property
    def mT(self) -> Mask:
        """The transpose of the last two axes."""
        return Mask(self.held.mT)

    def __getitem__(self, index: Any) -> Mask:
        return Mask(self.held[index])

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Any:
        return (Mask(row) for row in self.held)

    def _permuted(self, order: Sequence[int]) -> Mask:
        return Mask(self.held._permuted(order))

    def _total(self, axis: int | None = None) -> Any:
        return self.held._total(axis)

    def __bool__(self) -> bool:
        return self._refuse(
            TypeError("a mask has no one truth value; write np.where(mask, one, other).")
        )

    def __eq__(self, other: object) -> Any:
        return self._refuse(
            TypeError("masks are not compared: write ~(one ^ other) for one == other.")
        )

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """How many are true along axes, or of all."""
        return self.held.sum(axis=axis, dtype=dtype, keepdims=keepdims)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The ones and zeros, for float and int; the mask itself for bool."""
        name = getattr(dtype, "__name__", str(dtype))
        if not name.startswith(("float", "int", "uint", "bool")):
            return self._refuse(TypeError(f"mask.astype({name}): write float, int or bool."))
        return self if name.startswith("bool") else self.held

    def _refuse(self, error: TypeError) -> Any:
        """Raise an error, where it is noted."""
        return self.__array_namespace__().refuse(error)

    # Of two masks NumPy makes masks; with numbers a mask is ones and zeros.

    def _met(self, other: Any, of_masks: Callable[[Any, Any], Any] | None, name: str) -> Any:
        """What a mask and something else give: `of_masks` of the ones and zeros of two; None of what is no mask."""
        other = as_mask(other, self.__array_namespace__())
        if other is None:
            return None
        if of_masks is None:
            return self._refuse(refused(name))
        return Mask(of_masks(self.held, other.held))

    def __and__(self, other: Any) -> Any:
        return self._bits(other, lambda a, b: a * b, "&")

    def __or__(self, other: Any) -> Any:
        return self._bits(other, lambda a, b: a + b - a * b, "|")

    def __xor__(self, other: Any) -> Any:
        return self._bits(other, lambda a, b: a + b - 2 * (a * b), "^")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def _bits(self, other: Any, of_masks: Callable[[Any, Any], Any], sign: str) -> Any:
        found = self._met(other, of_masks, sign)
        if found is None:
            return self._refuse(TypeError(NumPyArray.BITS.format(sign)))
        return found

    def __invert__(self) -> Mask:
        return Mask(1 - self.held)

    def __add__(self, other: Any) -> Any:
        found = self._met(other, lambda a, b: a + b - a * b, "+")
        return self.held + other if found is None else found

    def __mul__(self, other: Any) -> Any:
        found = self._met(other, lambda a, b: a * b, "*")
        return self.held * other if found is None else found

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: Any) -> Any:
        self._met(other, None, "-")
        return self.held - other

    def __rsub__(self, other: Any) -> Any:
        self._met(other, None, "-")
        return other - self.held

    def __matmul__(self, other: Any) -> Any:
        self._met(other, None, "@")
        return self.held @ other

    def __rmatmul__(self, other: Any) -> Any:
        self._met(other, None, "@")
        return other @ self.held

    def __truediv__(self, other: Any) -> Any:
        return self.held / (other.held if isinstance(other, Mask) else other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.held

    def __neg__(self) -> Any:
        return self._refuse(refused("-"))

    def __pos__(self) -> Any:
        return self._refuse(refused("+"))

    def __pow__(self, exponent: Any) -> Any:
        if as_mask(exponent, self.__array_namespace__()) is not None:
            return self._refuse(refused("**"))
        return self.held**exponent

    def __rpow__(self, base: Any) -> Any:
        return self._refuse(refused("**"))

    def _ordered(self, other: Any, sign: int, least: int) -> Any:
        return self._refuse(TypeError("masks are not ordered: write ~one & other for one < other."))

    def _called(self, name: str, *args: Any, **options: Any) -> Any:
        return self.__array_namespace__().call_numpy(name, (self, *args), options)


def as_mask(value: Any, xp: Any) -> Mask | None:
    """A mask, True or False, or NumPy's own array of these, as a mask; None for what is none."""
    if isinstance(value, Mask):
        return value
    if type(value) is bool or _are_truths(value):
        as_type = getattr(value, "astype", None)
        held = _as_numbers(value) if as_type is None else as_type(int)
        return Mask(xp.asarray(held))
    return None


def _are_truths(value: Any) -> bool:
    """Whether this is an array or a list of True and False, which NumPy makes a mask of."""
    if isinstance(value, list | tuple):
        return bool(value) and all(type(one) is bool or _are_truths(one) for one in value)
    return type(value).__module__ == "numpy" and str(getattr(value, "dtype", "")) == "bool"


def _as_numbers(value: Any) -> Any:
    return [_as_numbers(one) for one in value] if isinstance(value, list | tuple) else int(value)


def refused(what: str) -> TypeError:
    """The error for what NumPy does not do with masks, or does otherwise than with numbers."""
    return TypeError(
        f"{what} of masks: NumPy refuses it, or computes with true and false and not with 1 and 0; write "
        "mask.astype(float) for numbers, and & | ^ ~ for masks."
    )


def has_masks(args: Sequence[Any]) -> bool:
    """Whether there are masks among the arguments of a function, also in lists and tuples."""
    return any(
        isinstance(a, Mask) or _are_truths(a) or (isinstance(a, list | tuple) and has_masks(a))
        for a in args
    )


def called_on_masks(xp: Any, name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """What NumPy's function of this name is of arguments with masks among them; refused where that is not said."""
    function = getattr(xp, name)
    if name in OWN:
        return function(*args, **options)
    first = as_mask(args[0], xp) if args else None
    if name in MOVES and first is not None and not has_masks(args[1:]):
        return Mask(function(first.held, *args[1:], **options))
    if name in COUNTS:
        return function(*_numbers(args), **options)
    if name in JOINS and isinstance(args[0], list | tuple):
        every = [as_mask(a, xp) for a in args[0]]
        parts = [a if m is None else m.held for a, m in zip(args[0], every, strict=True)]
        joined = function(parts, *args[1:], **options)
        return Mask(joined) if all(m is not None for m in every) else joined
    arrays = [a for a in args if not isinstance(a, str)]
    if name in PRODUCTS and any(as_mask(a, xp) is None and hasattr(a, "shape") for a in arrays):
        return function(*_numbers(args), **options)
    raise refused(f"numpy.{name}")


def _numbers(args: Sequence[Any]) -> list[Any]:
    return [a.held if isinstance(a, Mask) else a for a in args]

"""How arrays of ours answer NumPy: `np.exp(x)`, `np.einsum("ij,j->i", A, x)`, `np.ones((m, d), like=x)`, `x.mean(0)`.

NumPy asks the arrays that a function is called with (`__array_ufunc__`, `__array_function__`). Operators answer for
arithmetic, and the array's own namespace for all that has a name: its functions are those of `numpy_functions`, and no
function of NumPy's ever sees an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from operator import index
from typing import Any

BINARY = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "power": ("__pow__", "__rpow__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
}
"""NumPy's functions of two arrays that are operators: the method of the left one, and that of the right one."""
UNARY = {"negative": "__neg__", "invert": "__invert__"}
ALIASES = {
    "concatenate": "concat",
    "absolute": "abs",
    "fabs": "abs",
    "identity": "eye",
    "permute_dims": "transpose",
    "array": "asarray",
    "pow": "power",
    "linalg.vector_norm": "linalg.norm",
    **{
        f"linalg.{name}": name
        for name in (
            *("diagonal", "matmul", "matrix_power", "matrix_transpose", "outer", "tensordot"),
            *("trace", "vecdot"),
        )
    },
}
"""Other names of the same functions."""
WITHOUT_MEANING = ("dtype", "order", "like", "device", "copy", "subok", "casting")
"""Options that say how numbers are kept, and nothing of what they are, as far as `kept` lets them pass."""
INSTEAD = {
    **dict.fromkeys(
        (
            "maximum",
            "minimum",
            "max",
            "min",
            "amax",
            "amin",
            "clip",
            "sign",
            "argmax",
            "argmin",
            "sort",
        ),
        "entries are symbols without an order; a JAX function in program(…) may use it",
    ),
    **dict.fromkeys(
        ("any", "all", "nonzero", "argwhere", "unique", "allclose", "isclose", "array_equal"),
        "entries are symbols; state an equation with equal(left, right)",
    ),
    **dict.fromkeys(
        ("empty", "empty_like"),
        "it holds whatever stood in memory, and arrays of a claim are not written into; write numpy.zeros",
    ),
    "reciprocal": "write 1 / x; of whole numbers NumPy's divides without a remainder",
    **dict.fromkeys(
        ("linalg.inv", "linalg.solve", "linalg.pinv"),
        "solve a triangular system with scan, row by row, or state A @ x == b with equal(A @ x, b)",
    ),
    **dict.fromkeys(
        ("fill_diagonal", "put", "copyto", "place"),
        "arrays of a claim never change; add what is to be written, or collect rows and stack them",
    ),
}
"""What to write in the stead of some functions that there are not."""


class NumPyArray:
    """An array that NumPy's functions take, and that has the methods of NumPy's arrays.

    A kind of arrays provides operators, indexing, `shape`, `_permuted`, `_total` and a namespace of `NumPyFunctions`.
    """

    __slots__ = ()
    __array_priority__ = 1000
    precedence = -1
    """Of arrays that meet in one function, the one with the largest answers."""

    shape: Any
    _total: Callable[..., Any]
    """The sum along an axis; over all entries for None."""
    _permuted: Callable[..., Any]
    """The array with its axes in another order."""

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = str(ALIASES.get(ufunc.__name__, ufunc.__name__))
        speaker = speaking_among(inputs)
        if method == "reduce" and name in ("add", "multiply"):
            options.setdefault("axis", 0)
            return called(speaker, "sum" if name == "add" else "prod", inputs, options)
        if method == "outer" and name in BINARY and len(inputs) == 2:
            left, right = inputs
            return operated(name, left[(..., *(None,) * len(right.shape))], right)
        if method != "__call__":
            raise TypeError(
                f"numpy.{name}.{method} is not known to arrays of claims; write numpy.{name} of whole arrays."
            )
        no_place(name, options)
        options = kept(name, options)
        if options and name in (*UNARY, *BINARY):
            raise TypeError(
                f"numpy.{name}(…, {', '.join(options)}=…) is not known to arrays of claims; leave it out."
            )
        if name in UNARY:
            return getattr(type(speaker), UNARY[name])(speaker)
        if name in BINARY:
            return operated(name, *inputs)
        return called(speaker, name, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        inside = "linalg." if getattr(func, "__module__", "") == "numpy.linalg" else ""
        return called(speaking_among(args, self), inside + func.__name__, args, kwargs)

    def _in_place(self, other: Any) -> Any:
        """`a += b`, which in NumPy changes the array for all that have it; a number has no other name for itself."""
        if self.shape:
            raise TypeError(
                "an array of a claim never changes: write a = a + b for a += b, and likewise for -=, *= and their like."
            )
        return NotImplemented

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __imatmul__ = __ipow__ = _in_place

    def __setitem__(self, place: Any, value: Any) -> None:
        raise TypeError(
            "an array of symbols is not written into: collect rows in a list and np.stack them, or run a step by scan."
        )

    # Comparisons of positions, which are masks.

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, 1, 0)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, 1, 1)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, -1, 0)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, -1, 1)

    def _compared(self, other: Any, sign: int, least: int) -> Any:
        found = self._ordered(other, sign, least)
        return found if found is NotImplemented else self.__array_namespace__().mask(found)

    def _ordered(self, other: Any, sign: int, least: int) -> Any:
        """1 where sign · (self − other) ≥ least, 0 elsewhere, for whole numbers that every reading knows.

        Raises:
            TypeError: for other entries.
        """
        raise TypeError(
            "an array of symbols is not compared: state the condition in assuming=, or take both cases as claims; "
            "positions are compared, as in np.arange(T)[:, None] >= np.arange(T)[None, :]."
        )

    BITS = (
        "{} is for masks, such as a comparison of positions; NumPy refuses it of numbers: write np.logical_and(…) "
        "and its like, or make a mask of them, as in np.arange(T)[:, None] >= np.arange(T)."
    )

    def __and__(self, other: Any) -> Any:
        return self._bits(other, "&")

    def __or__(self, other: Any) -> Any:
        return self._bits(other, "|")

    def __xor__(self, other: Any) -> Any:
        return self._bits(other, "^")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return self._bits(None, "~")

    def _bits(self, other: Any, sign: str) -> Any:
        raise TypeError(self.BITS.format(sign))

    def __rpow__(self, base: Any) -> Any:
        return self.__array_namespace__().asarray(base) ** self

    # Methods that are functions with the array in front.

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """The sum along axes, or of all entries."""
        kept("sum", {"dtype": dtype})
        if not keepdims and axis is None:
            return self._total(None)
        if not keepdims and type(axis) is int:
            return self._total(axis_of(axis, len(self.shape)))
        left = self
        for k in sorted(axes_of(axis, len(self.shape)), reverse=True):
            left = left._total(k)
            if keepdims:
                left = left[(*(slice(None),) * k, None)]
        return left

    def transpose(self, *axes: Any) -> Any:
        """The array with its axes in this order; in reverse if none is given."""
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], list | tuple) else axes
        count = len(self.shape)
        if not order or order[0] is None:
            order = range(count)[::-1]
        order = [index(k) % count for k in order]
        if sorted(order) != list(range(count)):
            raise ValueError(
                f"transpose expects each of {count} axes once, got {tuple(axes)}; name every axis."
            )
        return self._permuted(order)

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """The mean along axes, or of all entries."""
        kept("mean", {"dtype": dtype})
        return self._called("mean", axis=axis, keepdims=keepdims)

    def prod(self, axis: Any = None) -> Any:
        """The product along an axis; of all entries of a vector."""
        return self._called("prod", axis=axis)

    def cumsum(self, axis: Any = None) -> Any:
        """The sums up to each place along an axis."""
        return self._called("cumsum", axis=axis)

    def cumprod(self, axis: Any = None) -> Any:
        """The products up to each place along an axis."""
        return self._called("cumprod", axis=axis)

    def dot(self, other: Any) -> Any:
        """See `numpy.dot`."""
        return self._called("dot", other)

    def trace(self) -> Any:
        """The sum of the diagonal of a square matrix."""
        return self._called("trace")

    def diagonal(self) -> Any:
        """The diagonal of a square matrix."""
        return self._called("diagonal")

    def squeeze(self, axis: Any = None) -> Any:
        """The array without axes of length 1."""
        return self._called("squeeze", axis=axis)

    def swapaxes(self, one: int, other: int) -> Any:
        """The array with two axes exchanged."""
        return self._called("swapaxes", one, other)

    def reshape(self, *shape: Any) -> Any:
        """The same entries, in order, in another shape."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        return self._called("reshape", wanted)

    def copy(self) -> Any:
        """The array itself, for it never changes."""
        return self

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The array itself: its entries are real numbers, in whatever format a computer would keep them."""
        kept("astype", {"dtype": dtype})
        return self

    def _called(self, name: str, *args: Any, **options: Any) -> Any:
        return getattr(self.__array_namespace__(), name)(self, *args, **options)


def operated(name: str, left: Any, right: Any) -> Any:
    """left + right and its like, one of them or both of them an array of ours."""
    forward, backward = BINARY[name]
    result = NotImplemented
    if isinstance(left, NumPyArray):
        result = getattr(type(left), forward)(left, right)
    if result is NotImplemented and isinstance(right, NumPyArray):
        result = getattr(type(right), backward, _not_known)(right, left)
    return result


def _not_known(*_: Any) -> Any:
    return NotImplemented


def axis_of(axis: Any, count: int) -> int:
    """An axis from 0 on, of so many.

    Raises:
        ValueError: if there is no such axis, or if that is not a number.
    """
    k = index(axis)
    if not -count <= k < count:
        raise ValueError(
            f"axis {k} of an array of {count} axes; name one from {-count} to {count - 1}."
        )
    return k % count


def axes_of(axis: Any, count: int) -> list[int]:
    """Axes from 0 on, each once; all for None."""
    named = range(count) if axis is None else axis if isinstance(axis, list | tuple) else [axis]
    found = [axis_of(k, count) for k in named]
    if len(set(found)) != len(found):
        raise ValueError(f"axis={axis} names an axis twice; name each once.")
    return found


def kept(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options without those that say how numbers are kept.

    Raises:
        TypeError: if one of these would change them: a format that cuts real numbers off, or another order.
    """
    dtype, order = options.get("dtype"), options.get("order")
    if dtype is not None and not _is_real(dtype):
        raise TypeError(
            f"numpy.{name}(…, dtype={dtype}) would cut off real numbers, or count with others; leave it out."
        )
    if order not in (None, "C", "K", "A"):
        raise TypeError(
            f"numpy.{name}(…, order={order!r}) puts entries in another order; transpose first."
        )
    return {k: v for k, v in options.items() if k not in WITHOUT_MEANING}


def _is_real(dtype: Any) -> bool:
    import numpy

    try:
        return numpy.dtype(dtype).kind == "f"
    except TypeError:  # of another library
        return "float" in str(dtype)


def no_place(name: str, options: dict[str, Any]) -> None:
    for option in ("out", "where"):
        given = options.pop(option, None)
        if not (given is None or given is True):
            raise TypeError(
                f"numpy.{name}(…, {option}=…) writes into an array, and arrays of a claim never change; leave it out."
            )


def speaking_among(values: Any, otherwise: Any = None) -> Any:
    """The array of ours among arguments, also in lists and tuples, whose namespace answers for them."""
    found = otherwise
    for value in values:
        if isinstance(value, list | tuple):
            value = speaking_among(value)
        known = found.precedence if isinstance(found, NumPyArray) else -2
        if isinstance(value, NumPyArray) and value.precedence > known:
            found = value
    return found


def called(speaker: Any, name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """What NumPy's function of this name is of these arguments, by the namespace of `speaker`, or one that it is."""
    xp = speaker.__array_namespace__() if isinstance(speaker, NumPyArray) else speaker
    if hasattr(type(xp), "call_numpy"):  # a method of the namespace, which notes what it refuses
        return xp.call_numpy(name, args, options)
    return getattr(xp, ALIASES.get(name, name))(*args, **options)


_present: ContextVar[Any] = ContextVar("present", default=None)


def present() -> Any:
    """The namespace of the claim whose body runs; None outside of one."""
    return _present.get()


@contextmanager
def within(xp: Any) -> Iterator[None]:
    """Inside the block `scanproof.numpy` makes arrays of this namespace."""
    token = _present.set(xp)
    try:
        yield
    finally:
        _present.reset(token)

"""`Namespace`: constructors and named functions of kernel arrays, as NumPy's own namespace has them for its arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scanproof.constructs.arrays.masks import Mask, refused
from scanproof.constructs.arrays.numpy_functions import NumPyFunctions
from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.protocols import axis_of

from ..kernel.index import Index, position
from ..kernel.term import Term, as_term
from . import measured, recursions
from .array import KernelArray, axes_as_one, comprehension, function, holds, scalar
from .products import running_product
from .questions import OBJECTS_OWN, Unreadable, final, is_own, note, place
from .session import current
from .simplifying import simplified
from .size import index, is_whole, plain
from .terms import equal_indices, indicator, number


def array(value: Any) -> KernelArray:
    """Numbers, nested lists of numbers, a size as a number, or a kernel array."""
    if isinstance(value, KernelArray):
        return value
    if isinstance(value, Mask):
        raise refused("an array")
    if type(value).__module__ == "numpy":  # an array of numbers
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return Namespace().stack([array(v) for v in value], axis=0)
    return scalar(value)


@final
class Namespace(Functions, NumPyFunctions):
    """Constructors and named functions of kernel arrays (a part of the array API)."""

    def asarray(self, value: Any) -> KernelArray:
        """The value as a kernel array."""
        return array(value)

    def zeros(self, shape: Any) -> KernelArray:
        """An array of zeros."""
        return comprehension(_dims(shape), lambda *at: as_term(0))

    def ones(self, shape: Any) -> KernelArray:
        """An array of ones."""
        return comprehension(_dims(shape), lambda *at: as_term(1))

    def eye(self, size: Any) -> KernelArray:
        """The identity matrix."""
        return comprehension([index(size)] * 2, equal_indices)

    def arange(self, start: Any, stop: Any = None, step: Any = 1) -> KernelArray:
        """start, start + 1, … below `stop`; from 0 if one number is given."""
        if step != 1:
            raise Unreadable("arange with a step that is not 1")
        low, high = (0, start) if stop is None else (start, stop)
        (length,) = _dims((high - low,))
        return comprehension([length], lambda i: number(i + index(low)))

    def is_mask(self, one: KernelArray) -> bool:
        """Whether the entry is its own square, and so 0 or 1."""
        return not simplified(one.shared * one.shared - one.shared).parts

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> KernelArray:
        """Arrays side by side along a new axis."""
        parts = _arrays(arrays)
        for part in parts[1:]:
            _expect_shape(parts[0].dims, part.dims)
        axis = axis_of(axis, parts[0].ndim + 1)
        dims = [*parts[0].dims[:axis], Index(len(parts)), *parts[0].dims[axis:]]

        def at(*place: Index) -> Term:
            rest = [*place[:axis], *place[axis + 1 :]]
            terms = (p.entry(rest) * equal_indices(place[axis], k) for k, p in enumerate(parts))
            return sum(terms, start=as_term(0))

        return comprehension(dims, at)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> KernelArray:
        """Arrays one after the other along an axis."""
        parts = _arrays(arrays)
        axis = axis_of(axis, parts[0].ndim)
        starts = [Index(0)]
        for part in parts:
            _expect_shape(parts[0].dims[:axis], part.dims[:axis])
            _expect_shape(parts[0].dims[axis + 1 :], part.dims[axis + 1 :])
            starts.append(starts[-1] + part.dims[axis])

        def at(*place: Index) -> Term:
            result = as_term(0)
            for start, end, part in zip(starts, starts[1:], parts, strict=False):
                i = place[axis]
                inside = [*place[:axis], i - start, *place[axis + 1 :]]
                result = result + part.entry(inside, [i - start, end - 1 - i])
            return result

        return comprehension([*parts[0].dims[:axis], starts[-1], *parts[0].dims[axis + 1 :]], at)

    def reshape(self, one: KernelArray, shape: Any) -> KernelArray:
        """A merge of leading axes of lengths (n, m), m a whole number, into n·m, or the same shape."""
        dims = _dims(shape)
        if list(one.dims) == dims:
            return one
        merges = one.ndim == len(dims) + 1 and list(one.dims[2:]) == dims[1:]
        if merges and not one.dims[1].terms and one.dims[0] * one.dims[1].const == dims[0]:
            return axes_as_one(one, 0)
        raise Unreadable(
            "a reshape other than merging two leading axes, the second of fixed length"
        )

    def tril(self, one: KernelArray, k: Any = 0) -> KernelArray:
        """The entries of matrices at and below the diagonal number k, zeros above it."""
        offset = index(k)
        return comprehension(
            one.dims, lambda *at: one.entry(at) * indicator(at[-2] - at[-1] + offset)
        )

    # What numeric namespaces lack; `constructs.arrays.ranges` and `constructs.arrays.gradient` ask for these.

    def build(self, length: Any, function: Callable[[Any], Any]) -> KernelArray:
        """stack([function(0), …, function(length − 1)]), the function run once on a position."""
        i = position("s", 0, index(length))
        row = array(function(plain(i)))
        if any(d.variables() & i.variables() for d in row.dims):
            raise Unreadable("rows of different lengths")
        return KernelArray([index(length), *row.dims], [i, *row.at], row.shared)

    def product(self, one: KernelArray) -> KernelArray:
        """The product of the entries of a vector."""
        r = position("r", 0, one.dims[0])
        term = running_product(one.entry([r]), r, Index(0), one.dims[0])
        return KernelArray((), (), term)

    def directions(self, shape: Any) -> tuple[KernelArray, Callable[[KernelArray], KernelArray]]:
        """E_ab for one symbolic (a, b), under a leading axis of length 1, and how to collect over (a, b)."""
        current().differentiated = True
        dims = _dims(shape)
        chosen = [position("d", 0, d) for d in dims]

        def at(_: Index, *place: Index) -> Term:
            result = as_term(1)
            for i, a in zip(place, chosen, strict=True):
                result = result * equal_indices(i, a)
            return result

        def collect(tangent: KernelArray) -> KernelArray:
            return KernelArray(dims, chosen, tangent[0].shared)

        return comprehension([Index(1), *dims], at), collect

    def scan(self, step: Any, parameters: Any, state: Any, tokens: Any, length: Any) -> Any:
        """A step function run over tokens, as a recursion of the kernel."""
        return recursions.scan(step, parameters, state, tokens, index(length))

    def scan_merged(
        self, step: Any, parameters: Any, state: Any, tokens: Any, n: Any, C: Any
    ) -> Any:
        """A scan over n chunks of C tokens, as one over n·C tokens."""
        return recursions.merged(step, parameters, state, tokens, index(n), index(C))

    def iterate(self, step: Any, state: Any, count: Any) -> Any:
        """The state after a step was repeated `count` times."""
        return recursions.iterated(step, state, index(count)).final_state

    def iterates(self, step: Any, state: Any, count: Any) -> Any:
        """All states while a step is repeated `count` times."""
        return recursions.iterated(step, state, index(count)).states

    def exp(self, one: KernelArray) -> KernelArray:
        """The exponential function, entry by entry."""
        return function("exp", one)

    def log(self, one: KernelArray) -> KernelArray:
        """The natural logarithm, entry by entry."""
        return function("log", one)

    def abs(self, one: Any) -> KernelArray:
        """The absolute values, for a bound."""
        return measured.absolute(array(one))

    def norm(self, one: Any) -> KernelArray:
        """The Euclidean norm, for a bound."""
        return measured.norm(array(one))

    def operator_norm(self, one: Any) -> KernelArray:
        """The largest singular value, for a bound."""
        return measured.operator_norm(array(one))

    def __getattribute__(self, name: str) -> Any:
        if name not in EVERYBODYS and not is_own(name):
            note(f"{name} of the arrays' namespace{place()}")
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("differentiate",):
            raise AttributeError(name)
        raise Unreadable(f"a proof for all sizes has no function {name!r}")


EVERYBODYS = frozenset([*dir(Functions), *dir(NumPyFunctions)]) - OBJECTS_OWN - {
    "_joined",
    "_known",
    "arrays",
    "library",
} | {
    *("exp", "log", "abs", "norm", "operator_norm", "__name__"),
}
"""Attributes that all namespaces have, with the same meaning."""


def _arrays(arrays: Sequence[Any]) -> list[KernelArray]:
    return [array(a) for a in arrays]


def _dims(shape: Any) -> list[Index]:
    dims = [index(shape)] if is_whole(shape) else [index(d) for d in shape]
    if not all(holds(d) for d in dims):
        raise Unreadable("a length that may be negative")
    return dims


def _expect_shape(a: Sequence[Index], b: Sequence[Index]) -> None:
    if list(a) != list(b):
        raise Unreadable(f"shapes {a} and {b} meet")


KernelArray.namespace = Namespace()

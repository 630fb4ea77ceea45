"""`KernelArray`: NumPy's operators over kernel terms. An array is a comprehension: positions -> scalar term.

Every entry is a kernel term in the positions of its axes, which are declared indices of the kernel with the axes'
lengths as ranges. Reading an entry substitutes indices for positions, and the kernel refuses what may lie outside.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from scanproof.constructs.arrays.gradient import Dual
from scanproof.constructs.arrays.masks import Mask
from scanproof.constructs.arrays.operators import Operators

from ..exact.scalar import as_fraction
from ..kernel.index import Index, facts, position
from ..kernel.inequalities import implied
from ..kernel.term import (
    INVERSE,
    INVERSE_NUMBER,
    Factor,
    Term,
    as_index_number,
    as_term,
    entry,
    function_of,
)
from . import areas
from .products import power
from .questions import OBJECTS_OWN, Unreadable, final, is_ours, is_own, note, place
from .session import current
from .simplifying import simplified
from .size import Size, index, is_whole, plain
from .terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    positions_in,
    share,
    substitute,
    taken,
    total,
)

Entry = Callable[..., Term]


@final
class KernelArray(Operators):
    """An array whose lengths are indices and whose entries are kernel terms."""

    __slots__ = ("at", "dims", "shared")
    dims: tuple[Index, ...]
    at: tuple[Index, ...]
    shared: Term
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dims: Sequence[Index], at: Sequence[Index], shared: Term) -> None:
        _keep_dims(self, tuple(dims))
        _keep_at(self, tuple(at))
        _keep_shared(self, shared)
        # Lengths, positions, and the entry there: terms with names for terms.

    def __getattribute__(self, name: str) -> Any:
        if name not in EVERYBODYS:
            code = sys._getframe(1).f_code  # the usual case of `is_own`, in line: this is run often
            if not (is_ours(code.co_filename) and name in code.co_names) and not is_own(name):
                note(f"{name} of an array{place()}")
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not is_own(name):
            raise Unreadable(f"{name} of an array is set{place()}")
        object.__setattr__(self, name, value)

    def _noted(self, *_: Any) -> Any:
        raise Unreadable(f"a query of an array that differs from kind to kind{place()}")

    __delattr__ = __dir__ = __sizeof__ = __reduce_ex__ = _noted

    @property
    def term(self) -> Term:
        """The entry, simplified, with closed forms for states."""
        return simplified(self.shared, closed=True)

    namespace: ClassVar[Any]
    """The constructors and functions that go with it, which `interpret.namespace` sets: they are made of it."""

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return self.namespace

    @property
    def shape(self) -> tuple[int | Size, ...]:
        """The lengths of the axes, numbers or symbolic sizes."""
        return tuple(plain(d) for d in self.dims)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.dims)

    @property
    def T(self) -> KernelArray:
        """The array with its axes in reverse order."""
        return KernelArray(self.dims[::-1], self.at[::-1], self.shared)

    @property
    def mT(self) -> KernelArray:
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("an array with fewer than two axes has no last two to exchange")
        return self._permuted([*range(self.ndim - 2), self.ndim - 1, self.ndim - 2])

    def _permuted(self, order: Sequence[int]) -> KernelArray:
        return KernelArray([self.dims[k] for k in order], [self.at[k] for k in order], self.shared)

    def entry(self, at: Sequence[Index], where: Sequence[Index] = ()) -> Term:
        """The entry at these indices, times [where]; they must lie in the axes wherever `where` holds."""
        if len(at) != self.ndim:
            raise Unreadable("an entry is read with too few indices")
        return substitute(self.shared, dict(zip(self.at, at, strict=True)), where)

    def _operand(self, other: Any) -> Any:
        if isinstance(other, KernelArray):
            return other
        if isinstance(other, Dual | Mask):  # it knows what to do with a kernel array
            return NotImplemented
        return self.namespace.asarray(other)  # which refuses what it does not know, and says so

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> KernelArray:
        if operation is operator.matmul:
            return _product(left, right)
        on_terms = ON_TERMS.get(operation, operation)
        if left is self:
            return _entrywise(self, right, on_terms)
        return _entrywise(self, left, lambda a, b: on_terms(b, a))

    def __neg__(self) -> KernelArray:
        return KernelArray(self.dims, self.at, self.shared * -1)

    def _ordered(self, other: Any, sign: int, least: int) -> KernelArray:
        other = self._operand(other)

        def at(gap: Term) -> Term:
            found = as_index_number(gap * sign)
            if found is None:
                return super(KernelArray, self)._ordered(other, sign, least)
            return indicator(found[0] - least)  # the gap is a positive number times that

        if other is NotImplemented:
            return other
        return _entrywise(self, other, lambda a, b: at(a - b))

    def __pow__(self, exponent: Any) -> KernelArray:
        if isinstance(exponent, KernelArray):
            return _entrywise(self, exponent, _power)
        if not isinstance(exponent, Size):
            return super().__pow__(exponent)
        if not exponent >= 0:
            raise Unreadable("a power with a negative exponent")
        length = index(exponent)
        return comprehension(self.dims, lambda *at: power(self.entry(at), length))

    def __getitem__(self, key: Any) -> KernelArray:
        keys = list(key) if isinstance(key, tuple) else [key]
        taken = sum(k is not None and k is not Ellipsis for k in keys)
        fill = [slice(None)] * (self.ndim - taken)
        if any(k is Ellipsis for k in keys):
            place = next(n for n, k in enumerate(keys) if k is Ellipsis)
            keys = keys[:place] + fill + keys[place + 1 :]
        else:
            keys += fill
        dims: list[Index] = []
        plan: list[Callable[[list[Index]], Index]] = []
        axis = 0
        for k in keys:
            if k is None:
                dims.append(Index(1))
                continue
            length = self.dims[axis]
            axis += 1
            if isinstance(k, slice) and (k.start, k.stop, k.step) == (None, None, -1):
                place = len(dims)
                plan.append(lambda at, n=place, d=length: d - 1 - at[n])
                dims.append(length)
            elif isinstance(k, slice):
                start, stop, step = _slice(k, length)
                place = len(dims)
                plan.append(lambda at, n=place, s=start, c=step: at[n] * c + s)
                dims.append(_count(stop - start, step))
            elif is_whole(k):
                spot = _position(index(k), length)
                plan.append(lambda at, i=spot: i)
            else:
                raise Unreadable(f"an index of type {type(k).__name__}")
        return comprehension(dims, lambda *at: self.entry([p(list(at)) for p in plan]))

    def _total(self, axis: int | None = None) -> KernelArray:
        summed = range(self.ndim) if axis is None else [axis % self.ndim]
        term = self.shared
        for k in summed:
            term = total(term, self.at[k])
        kept = [k for k in range(self.ndim) if k not in summed]
        return KernelArray([self.dims[k] for k in kept], [self.at[k] for k in kept], share(term))

    def __iter__(self) -> Any:
        if self.dims and not self.dims[0].terms:
            return iter([self[k] for k in range(self.dims[0].const)])
        raise Unreadable("a loop over the rows of an array of symbolic length")

    def __repr__(self) -> str:
        note(f"the text of an array{place()}")
        return f"KernelArray{self.dims}"


_keep_dims, _keep_at = KernelArray.dims.__set__, KernelArray.at.__set__  # type: ignore[attr-defined]
_keep_shared = KernelArray.shared.__set__  # type: ignore[attr-defined]
EVERYBODYS = frozenset(dir(Operators)) - OBJECTS_OWN - {"_combined", "_met", "_moved", "_operand"}
EVERYBODYS -= {"_bits", "_called", "_compared", "_ordered", "_permuted", "_total"}
"""Attributes that all kinds of arrays have, with the same meaning."""


def comprehension(dims: Sequence[Index], at: Entry) -> KernelArray:
    """The array with these entries."""
    places = [position("i", 0, d) for d in dims]
    return KernelArray(dims, places, share(at(*places)))


def symbol(name: str, dims: Sequence[Index]) -> KernelArray:
    """An array of independent symbols."""
    current().symbols.add(name)
    return comprehension(dims, lambda *at: entry(name, *at))


def scalar(value: Any) -> KernelArray:
    """A number, or a size as a number."""
    if isinstance(value, Size):
        return KernelArray((), (), number(index(value)))
    if type(value) in (int, bool, float) or isinstance(value, Fraction):
        return KernelArray((), (), as_term(as_fraction(value)))
    raise Unreadable(f"a value of type {type(value).__name__} in an array")


def axes_as_one(one: KernelArray, axis: int) -> KernelArray:
    """Axes `axis` and `axis + 1` as one: entry r is Σ_q Σ_p [r = width q + p] of the entries (q, p)."""
    length, width = one.dims[axis], one.dims[axis + 1]
    if width.terms:
        raise Unreadable("a reshape that merges an axis of symbolic length into another")

    def at(*place: Index) -> Term:
        q, p = position("q", 0, length), position("p", 0, width)
        inner = [*place[:axis], q, p, *place[axis + 1 :]]
        term = one.entry(inner) * equal_indices(place[axis], q * width.const + p)
        return total(total(term, p), q)

    return comprehension([*one.dims[:axis], length * width.const, *one.dims[axis + 2 :]], at)


def reciprocal(term: Term) -> Term:
    """1/term, for which the session notes that the term is not 0."""
    if not term.parts:
        raise ZeroDivisionError("division by 0")
    result = inverse(term, positions_in(term))
    current().partial |= {f.name for m in result.parts for f in m.factors if is_conditional(f)}
    return result


def is_conditional(f: Factor) -> bool:
    """Whether the factor is the inverse of what may be 0; an index's number is known not to be."""
    return function_of(f) == INVERSE and f.name != INVERSE_NUMBER


def function(name: str, of: KernelArray) -> KernelArray:
    """A function of each entry, of which nothing is known but its name."""

    def at(*place: Index) -> Term:
        term = of.entry(place)
        result = taken(name, term, positions_in(term))
        if name == "log":
            current().partial |= {f.name for m in result.parts for f in m.factors}
        return result

    current().functions.add(name)
    return comprehension(of.dims, at)


def _power(base: Term, exponent: Term) -> Term:
    found = as_index_number(exponent)
    if found is None or found[1].denominator != 1:
        raise Unreadable("a power whose exponent is not a position or a size")
    times = found[0] * found[1].numerator
    if not holds(times):
        raise Unreadable("a power with an exponent that may be negative")
    return power(base, times)


def _product(left: KernelArray, right: KernelArray) -> KernelArray:
    """The matrix product; a vector is a row on the left and a column on the right."""
    if not left.ndim or not right.ndim:
        raise Unreadable("a matrix product with a number")
    if left.ndim == right.ndim == 1:
        _expect_same(left.dims[0], right.dims[0])
        return (left * right).sum()
    if left.ndim == 1:
        return _product(left[None, :], right)[..., 0, :]
    if right.ndim == 1:
        return _product(left, right[:, None])[..., 0]
    _expect_same(left.dims[-1], right.dims[-2])
    batch = broadcast(left.dims[:-2], right.dims[:-2])

    def at(*place: Index) -> Term:
        *outer, row, column = place
        k = position("k", 0, left.dims[-1])
        one = left.entry([*aligned(left.dims[:-2], outer), row, k])
        other = right.entry([*aligned(right.dims[:-2], outer), k, column])
        return total(one * other, k)

    return comprehension([*batch, left.dims[-2], right.dims[-1]], at)


ON_TERMS: dict[Any, Callable[[Term, Term], Term]] = {
    operator.truediv: lambda a, b: a * reciprocal(b)
}
"""What terms do not have as an operator."""


def _entrywise(
    a: KernelArray, b: KernelArray, operation: Callable[[Term, Term], Term]
) -> KernelArray:
    if not b.dims and not _clash(a, b):
        return KernelArray(a.dims, a.at, share(operation(a.shared, b.shared)))
    return comprehension(
        broadcast(a.dims, b.dims),
        lambda *at: operation(a.entry(aligned(a.dims, at)), b.entry(aligned(b.dims, at))),
    )


def _clash(a: KernelArray, b: KernelArray) -> bool:
    """Whether the scalar b speaks of a's own positions, which then need new ones."""
    own = {v for e in a.at for v in e.variables()}
    return bool(own & b.shared.scope)


def broadcast(*shapes: Sequence[Index]) -> tuple[Index, ...]:
    """The common shape; an axis of length 1, or none, stands for one of any length.

    Raises:
        Unreadable: if other lengths meet.
    """
    rank = max(map(len, shapes))
    result = [Index(1)] * rank
    for dims in shapes:
        for k, d in enumerate(dims, start=rank - len(dims)):
            if d != Index(1):
                if result[k] != Index(1):
                    _expect_same(result[k], d)
                result[k] = d
    return tuple(result)


def aligned(dims: Sequence[Index], at: Sequence[Index]) -> list[Index]:
    """The place in an array of this shape that a place in the common shape means."""
    last = list(at)[len(at) - len(dims) :]
    return [Index(0) if d == Index(1) else i for d, i in zip(dims, last, strict=True)]


def _expect_same(a: Index, b: Index) -> None:
    if a != b:
        raise Unreadable(f"lengths {areas.spelled(a)} and {areas.spelled(b)} meet")


def holds(*gaps: Index) -> bool:
    """Whether all gaps are ≥ 0 by what is declared of their variables."""
    return all(implied(g, facts(g.variables())) for g in gaps)


def _position(i: Index, length: Index) -> Index:
    if holds(i, length - 1 - i):
        return i
    if holds(i * -1 - 1, i + length):
        return i + length
    raise Unreadable(
        f"whether {areas.spelled(i)} lies within an axis of length {areas.spelled(length)} depends on the sizes"
    )


def _slice(one: slice, length: Index) -> tuple[Index, Index, int]:
    step = 1 if one.step is None else one.step
    if type(step) is not int or step < 1:
        raise Unreadable("a slice with a step that is not 1, 2, …")
    start = Index(0) if one.start is None else _end(index(one.start), length)
    stop = length if one.stop is None else _end(index(one.stop), length)
    if not holds(stop - start):
        if not holds(start - stop):
            raise Unreadable("whether a slice is empty depends on the sizes")
        stop = start
    return start, stop, step


def _end(i: Index, length: Index) -> Index:
    if holds(i):
        if holds(length - i):
            return i
        if holds(i - length):
            return length
    elif holds(i * -1 - 1, i + length):
        return i + length
    raise Unreadable(
        f"whether a slice ends within an axis depends on the sizes: {areas.spelled(i)}"
    )


def _count(length: Index, step: int) -> Index:
    """How many steps a slice takes."""
    return length if step == 1 else index((plain(length + step - 1)) // step)

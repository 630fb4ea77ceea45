"""`KernelArray`: NumPy's operators over kernel terms. An array is a comprehension: positions -> scalar term.

Every entry is a kernel term in the positions of its axes, which are declared indices of the kernel with the axes'
lengths as ranges. Reading an entry puts indices for positions, and the kernel refuses what may lie outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ..kernel.index import Index, facts, position
from ..kernel.inequalities import implied
from ..kernel.term import INVERSE, INVERSE_NUMBER, Factor, Term, as_term, entry, function_of
from .products import power
from .questions import Unreadable, final
from .session import current
from .simplifying import simplified
from .size import Size, index, is_whole, plain
from .terms import inverse, number, positions_in, share, substitute, taken, total

Entry = Callable[..., Term]


@final
class KernelArray:
    """An array whose lengths are indices and whose entries are kernel terms."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dims: Sequence[Index], at: Sequence[Index], shared: Term) -> None:
        self.dims, self.at, self.shared = tuple(dims), tuple(at), shared
        """Lengths, positions, and the entry there: terms with names for terms."""

    @property
    def term(self) -> Term:
        """The entry, simplified, with closed forms for states."""
        return simplified(self.shared, closed=True)

    namespace: ClassVar[Any]
    """The constructors and functions that go with it, which `interpret.namespace` puts here: they are made of it."""

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return self.namespace

    @property
    def shape(self) -> tuple[int | Size, ...]:
        return tuple(plain(d) for d in self.dims)

    @property
    def ndim(self) -> int:
        return len(self.dims)

    @property
    def T(self) -> KernelArray:
        return KernelArray(self.dims[::-1], self.at[::-1], self.shared)

    @property
    def mT(self) -> KernelArray:
        order = [*range(self.ndim - 2), self.ndim - 1, self.ndim - 2]
        return KernelArray([self.dims[k] for k in order], [self.at[k] for k in order], self.shared)

    def entry(self, at: Sequence[Index], where: Sequence[Index] = ()) -> Term:
        """The entry at these indices, times [where]; they must lie in the axes wherever `where` holds."""
        if len(at) != self.ndim:
            raise Unreadable("an entry is read with too few indices")
        return substitute(self.shared, dict(zip(self.at, at, strict=True)), where)

    def __add__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: a * reciprocal(b))

    def __rtruediv__(self, other: Any) -> KernelArray:
        return _entrywise(self, other, lambda a, b: b * reciprocal(a))

    def __neg__(self) -> KernelArray:
        return KernelArray(self.dims, self.at, self.shared * -1)

    def __pow__(self, exponent: Any) -> KernelArray:
        if isinstance(exponent, Size):
            if not exponent >= 0:
                raise Unreadable("a power with a negative exponent")
            length = exponent.index
            return comprehension(self.dims, lambda *at: power(self.entry(at), length))
        if type(exponent) is not int or exponent < 0:
            raise TypeError(f"a kernel array takes powers 0, 1, 2, …, got {exponent!r}")
        result = comprehension(self.dims, lambda *at: as_term(1))
        for _ in range(exponent):
            result = result * self
        return result

    def __matmul__(self, other: Any) -> KernelArray:
        if not isinstance(other, KernelArray):
            return NotImplemented
        if self.ndim == 1:
            return (expanded(self, 0) @ other)[..., 0, :] if other.ndim > 1 else _inner(self, other)
        if other.ndim == 1:
            return (self @ expanded(other, 1))[..., 0]
        _expect_same(self.dims[-1], other.dims[-2])
        batch = _broadcast(self.dims[:-2], other.dims[:-2])

        def at(*place: Index) -> Term:
            *outer, row, column = place
            k = position("k", 0, self.dims[-1])
            left = self.entry([*_aligned(self.dims[:-2], outer), row, k])
            right = other.entry([*_aligned(other.dims[:-2], outer), k, column])
            return total(left * right, k)

        return comprehension([*batch, self.dims[-2], other.dims[-1]], at)

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
            if isinstance(k, slice):
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

    def sum(self, axis: int | None = None) -> KernelArray:
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

    def __len__(self) -> int:
        return plain(self.dims[0]).__index__()

    def __bool__(self) -> bool:
        raise TypeError("a symbolic array has no truth value")

    def __eq__(self, other: object) -> Any:
        raise TypeError("compare arrays in a claim with equal(left, right), not with ==.")

    def __repr__(self) -> str:
        return f"KernelArray{self.dims}"


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
        return KernelArray((), (), number(value.index))
    if type(value) is int or isinstance(value, Fraction):
        return KernelArray((), (), as_term(value))
    raise Unreadable(f"a value of type {type(value).__name__} in an array")


def expanded(one: KernelArray, axis: int) -> KernelArray:
    """The vector as a matrix with one row (axis 0) or one column (axis 1)."""
    return one[None, :] if axis == 0 else one[:, None]


def reciprocal(term: Term) -> Term:
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


def _inner(u: KernelArray, v: KernelArray) -> KernelArray:
    _expect_same(u.dims[0], v.dims[0])
    return (u * v).sum()


def _entrywise(a: Any, b: Any, operation: Callable[[Term, Term], Term]) -> Any:
    if not isinstance(b, KernelArray):
        if not isinstance(b, (int, Fraction, Size)) or isinstance(b, bool):
            return NotImplemented
        b = scalar(b)
    if not b.dims and not _clash(a, b):
        return KernelArray(a.dims, a.at, share(operation(a.shared, b.shared)))
    dims = _broadcast(a.dims, b.dims)
    return comprehension(
        dims,
        lambda *at: operation(a.entry(_aligned(a.dims, at)), b.entry(_aligned(b.dims, at))),
    )


def _clash(a: KernelArray, b: KernelArray) -> bool:
    """Whether the scalar b speaks of a's own positions, which then need new ones."""
    own = {v for e in a.at for v in e.variables()}
    return bool(own & b.shared.scope)


def _broadcast(one: Sequence[Index], other: Sequence[Index]) -> list[Index]:
    length = max(len(one), len(other))
    result = []
    for a, b in zip(_padded(one, length), _padded(other, length), strict=True):
        if a != Index(1) and b != Index(1):
            _expect_same(a, b)
        result.append(b if a == Index(1) else a)
    return result


def _padded(dims: Sequence[Index], length: int) -> list[Index]:
    return [Index(1)] * (length - len(dims)) + list(dims)


def _aligned(dims: Sequence[Index], at: Sequence[Index]) -> list[Index]:
    last = list(at)[len(at) - len(dims) :]
    return [Index(0) if d == Index(1) else i for d, i in zip(dims, last, strict=True)]


def _expect_same(a: Index, b: Index) -> None:
    if a != b:
        raise Unreadable(f"lengths {a!r} and {b!r} meet")


def holds(*gaps: Index) -> bool:
    """Whether all gaps are ≥ 0 by what is declared of their variables."""
    return all(implied(g, facts(g.variables())) for g in gaps)


def _position(i: Index, length: Index) -> Index:
    if holds(i, length - 1 - i):
        return i
    if holds(i * -1 - 1, i + length):
        return i + length
    raise Unreadable(f"whether {i!r} lies within an axis of length {length!r} depends on the sizes")


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
    raise Unreadable(f"whether a slice ends within an axis depends on the sizes: {i!r}")


def _count(length: Index, step: int) -> Index:
    """How many steps a slice takes."""
    return length if step == 1 else index((plain(length + step - 1)) // step)

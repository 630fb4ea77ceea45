"""`FootprintArray`: NumPy's operators over footprints. An axis is a row of cells: single entries, and runs of them.

A run has as many blocks of `width` entries as an affine number says; one footprint stands for all its entries. So an
array of shape (N + 1, 3) that was put together of an (N, 3) and a (1, 3) has 2 · 3 cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .affine import Affine, NotUniform, Size, Symbol, affine, nonnegative, of, plain, surely
from .footprint import (
    ZERO,
    Footprint,
    add,
    coordinate,
    divide,
    either,
    guarded,
    multiply,
    number,
    put,
    scale,
    tied,
    total,
)

NOUGHT, ONE = Affine(0), Affine(1)


class Cell(NamedTuple):
    """One entry (without a position), or the blocks 0 ≤ at < count of `width` entries each."""

    count: Affine = ONE
    width: int = 1
    at: Symbol | None = None

    @property
    def length(self) -> Affine:
        return self.count * self.width

    def fresh(self) -> Cell:
        return self if self.at is None else run(self.count, self.width)


POINT = Cell()
separate: ContextVar[frozenset[Symbol]] = ContextVar("separate", default=frozenset())
"""Sizes n for which the last c entries of an axis of length n + c are no part of its run."""
Axis = tuple[Cell, ...]


def run(count: Affine, width: int = 1) -> Cell:
    return Cell(count, width, Symbol("i", NOUGHT, count))


def axis_of(length: Any) -> Axis:
    """An axis of this length: entry by entry if that is a number, m + 2n as three runs, n + c as one.

    Where n is to be kept separate n + c is a run of n, and c entries.
    """
    length = affine(length)
    if not surely(length):
        raise NotUniform("a length that is negative")
    if not length.terms:
        return (POINT,) * int(length.const)
    sizes = [(s, c) for s, c in length.terms if s.is_size and c > 0]
    apart = len(sizes) > 1 or sizes[0][1] > 1 or sizes[0][0] in separate.get() if sizes else False
    if not apart or len(sizes) < len(length.terms) or length.const < 0:
        return (run(length),)
    runs = [run(of(s)) for s, c in length.terms for _ in range(c)]
    return (*runs, *(POINT,) * int(length.const))


def _starts(axis: Axis) -> list[Affine]:
    found = [NOUGHT]
    for c in axis:
        found.append(found[-1] + c.length)
    return found


class FootprintArray:
    """Cells along each axis, and a footprint for each choice of cells."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, axes: Sequence[Axis], entries: np.ndarray) -> None:
        self.axes, self.entries = tuple(axes), entries

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace()

    @property
    def lengths(self) -> list[Affine]:
        return [_starts(a)[-1] for a in self.axes]

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(plain(n) for n in self.lengths)

    @property
    def ndim(self) -> int:
        return len(self.axes)

    @property
    def T(self) -> FootprintArray:
        return FootprintArray(self.axes[::-1], self.entries.T)

    @property
    def mT(self) -> FootprintArray:
        axes = [*self.axes[:-2], self.axes[-1], self.axes[-2]]
        return FootprintArray(axes, np.swapaxes(self.entries, -1, -2))

    def map(self, function: Callable[[Footprint], Footprint]) -> FootprintArray:
        return FootprintArray(self.axes, _mapped(function, self.entries))

    def fresh(self) -> FootprintArray:
        """The same with positions of its own."""
        result = self
        for k, axis in enumerate(self.axes):
            result = result.at(k, tuple(c.fresh() for c in axis))
        return result

    def at(self, k: int, axis: Axis) -> FootprintArray:
        """The same with the positions of another axis, which has the same cells."""
        slabs = []
        for j, (old, new) in enumerate(zip(self.axes[k], axis, strict=True)):
            slab = np.take(self.entries, [j], axis=k)
            if old.at is not None and old.at is not new.at:
                slab = _mapped(lambda e, o=old.at, n=new.at: put(e, o, of(n)), slab)
            slabs.append(slab)
        entries = np.concatenate(slabs, axis=k) if slabs else self.entries
        return FootprintArray([*self.axes[:k], axis, *self.axes[k + 1 :]], entries)

    def __add__(self, other: Any) -> Any:
        return _entrywise(self, other, add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _entrywise(self, other, lambda a, b: add(a, scale(b, -1)))

    def __rsub__(self, other: Any) -> Any:
        return _entrywise(self, other, lambda a, b: add(scale(a, -1), b))

    def __mul__(self, other: Any) -> Any:
        return _entrywise(self, other, multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _entrywise(self, other, divide)

    def __rtruediv__(self, other: Any) -> Any:
        return _entrywise(self, other, lambda a, b: divide(b, a))

    def __neg__(self) -> FootprintArray:
        return self.map(lambda e: scale(e, -1))

    def __pow__(self, exponent: Any) -> FootprintArray:
        if type(exponent) is not int or exponent < 0:
            raise NotUniform(f"a power {exponent!r}")
        result = self.map(lambda e: number(ONE))
        for _ in range(exponent):
            result = result * self
        return result

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, FootprintArray):
            return NotImplemented
        left = self[None, :] if self.ndim == 1 else self
        right = other[:, None] if other.ndim == 1 else other
        columns = right.mT
        product = left[..., :, None, :] * columns[..., None, :, :]
        result = product.sum(axis=-1)
        if other.ndim == 1:
            result = result[..., 0]
        return result[..., 0, :] if self.ndim == 1 and other.ndim > 1 else (
            result[..., 0] if self.ndim == 1 else result
        )

    def __getitem__(self, key: Any) -> FootprintArray:
        keys = list(key) if isinstance(key, tuple) else [key]
        taken = sum(k is not None and k is not Ellipsis for k in keys)
        fill = [slice(None)] * (self.ndim - taken)
        if any(k is Ellipsis for k in keys):
            place = next(n for n, k in enumerate(keys) if k is Ellipsis)
            keys = keys[:place] + fill + keys[place + 1 :]
        else:
            keys += fill
        if taken > self.ndim:
            raise IndexError("too many indices")
        result, axis = self, 0
        for k in keys:
            if k is None:
                entries = np.expand_dims(result.entries, axis)
                axes = [*result.axes[:axis], (POINT,), *result.axes[axis:]]
                result = FootprintArray(axes, entries)
                axis += 1
            elif isinstance(k, slice):
                result = _sliced(result, axis, k)
                axis += 1
            else:
                result = _picked(result, axis, _inside(affine(k), result.lengths[axis]))
        return result

    def sum(self, axis: int | None = None) -> FootprintArray:
        if axis is None:
            result = self
            for _ in range(self.ndim):
                result = result.sum(axis=0)
            return result
        k = axis % self.ndim
        slabs = []
        for j, cell in enumerate(self.axes[k]):
            slab = np.take(self.entries, j, axis=k)
            if cell.at is not None:
                slab = _mapped(lambda e, c=cell: total(e, c.at, c.count), slab)
                if cell.width > 1:  # one footprint for `width` sums: their exact value is not known
                    slab = _mapped(lambda e, w=cell.width: _several(e, w), slab)
            slabs.append(slab)
        axes = [*self.axes[:k], *self.axes[k + 1 :]]
        zero = _filled([len(a) for a in axes], ZERO)
        result = FootprintArray(axes, zero)
        for slab in slabs:
            result = FootprintArray(axes, _zipped(add, result.entries, _object(slab)))
        return result

    def __iter__(self) -> Any:
        if all(c.at is None for c in self.axes[0]):
            return iter([self[k] for k in range(len(self.axes[0]))])
        raise NotUniform("a loop over the rows of an array of symbolic length")

    def __len__(self) -> int:
        length = self.shape[0]
        return length if isinstance(length, int) else length.__index__()

    def __bool__(self) -> bool:
        raise TypeError("a symbolic array has no truth value")

    def __eq__(self, other: object) -> Any:
        raise TypeError("compare arrays in a claim with equal(left, right), not with ==.")


def _several(e: Footprint, width: int) -> Footprint:
    return scale(e, width) if e.number is not None else e


def _object(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def _filled(shape: Sequence[int], value: Footprint) -> np.ndarray:
    out = np.empty(tuple(shape), dtype=object)
    out.fill(value)
    return out


def _mapped(function: Callable[[Footprint], Footprint], entries: Any) -> np.ndarray:
    entries = _object(entries)
    out = np.empty(entries.shape, dtype=object)
    for place in np.ndindex(entries.shape):
        out[place] = function(entries[place])
    return out


def _zipped(function: Callable[..., Footprint], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = np.broadcast_arrays(a, b)
    out = np.empty(a.shape, dtype=object)
    for place in np.ndindex(a.shape):
        out[place] = function(a[place], b[place])
    return out


def array(value: Any) -> FootprintArray:
    """Numbers, nested lists of numbers, a size as a number, or an array of footprints."""
    if isinstance(value, FootprintArray):
        return value
    if isinstance(value, (list, tuple)):
        return Namespace().stack([array(v) for v in value], axis=0)
    if isinstance(value, Size):
        return FootprintArray((), _object(number(value.value)))
    if type(value) is int or isinstance(value, Fraction):
        return FootprintArray((), _object(number(Affine(value))))
    raise NotUniform(f"a value of type {type(value).__name__} in an array")


def symbols(dims: Sequence[Any]) -> FootprintArray:
    """An array of independent symbols."""
    axes = [axis_of(n) for n in dims]

    def entry(cells: Sequence[Cell]) -> Footprint:
        return coordinate([(c.at, c.count == of(c.at.size)) for c in cells if c.at is not None])

    return comprehension(axes, entry)


def comprehension(axes: Sequence[Axis], entry: Callable[[Sequence[Cell]], Footprint]) -> FootprintArray:
    entries = np.empty([len(a) for a in axes], dtype=object)
    for place in np.ndindex(entries.shape):
        entries[place] = entry([a[j] for a, j in zip(axes, place, strict=True)])
    return FootprintArray(axes, entries)


def _entrywise(a: FootprintArray, b: Any, operation: Callable[..., Footprint]) -> Any:
    if not isinstance(b, FootprintArray):
        if not isinstance(b, (int, Fraction, Size)) or isinstance(b, bool):
            return NotImplemented
        b = array(b)
    a, b = a.fresh(), b.fresh()
    while a.ndim < b.ndim:
        a = a[None]
    while b.ndim < a.ndim:
        b = b[None]
    for k in range(a.ndim):
        a, b = _aligned(a, b, k)
    axes = [x if len(y) == 1 and y[0].at is None else y for x, y in zip(a.axes, b.axes, strict=True)]
    return FootprintArray(axes, _zipped(operation, a.entries, b.entries))


def _aligned(a: FootprintArray, b: FootprintArray, k: int) -> tuple[FootprintArray, FootprintArray]:
    """Both with the same cells and positions along axis k; an axis of length 1 is left alone."""
    if a.axes[k] == (POINT,) or b.axes[k] == (POINT,):
        return a, b
    if a.lengths[k] != b.lengths[k]:
        raise NotUniform(f"lengths {a.lengths[k]} and {b.lengths[k]} meet")
    if not _alike(a.axes[k], b.axes[k]):
        ends = _merged(_starts(a.axes[k]), _starts(b.axes[k]))
        a, b = _cut(a, k, ends), _cut(b, k, ends)
        if not _alike(a.axes[k], b.axes[k]):
            raise NotUniform("axes that are put together in different ways")
    return a, b.at(k, a.axes[k])


def aligned(a: FootprintArray, b: FootprintArray) -> tuple[FootprintArray, FootprintArray]:
    """Both sides of an equation with the same cells and positions.

    Raises:
        NotUniform: if their shapes differ.
    """
    if a.lengths != b.lengths:
        raise NotUniform(f"the two sides have shapes {a.shape} and {b.shape}")
    a, b = a.fresh(), b.fresh()
    for k in range(a.ndim):
        a, b = _aligned(a, b, k)
    return a, b


def _alike(one: Axis, other: Axis) -> bool:
    return [c[:2] for c in one] == [c[:2] for c in other] and [c.at is None for c in one] == [
        c.at is None for c in other
    ]


def _merged(one: list[Affine], other: list[Affine]) -> list[Affine]:
    """All ends in their order."""
    found, rest = [], [*one]
    for e in other:
        if e not in rest:
            rest.append(e)
    while rest:
        first = rest[0]
        for e in rest[1:]:
            if not surely(e - first):
                first = e
        found.append(first)
        rest.remove(first)
    return found


def _cut(a: FootprintArray, k: int, ends: list[Affine]) -> FootprintArray:
    parts = [_part(a, k, low, high) for low, high in zip(ends, ends[1:], strict=False)]
    return Namespace().concat(parts, axis=k)


def _inside(i: Affine, length: Affine) -> Affine:
    if nonnegative(i) and nonnegative(length - 1 - i):
        return i
    if nonnegative(i * -1 - 1) and nonnegative(i + length):
        return i + length
    raise NotUniform(f"whether {i} lies within an axis of length {length} depends on the sizes")


def _picked(a: FootprintArray, k: int, i: Affine) -> FootprintArray:
    """The entries at i along axis k: those of each cell that i may lie in, where it does."""
    result = None
    axes = [*a.axes[:k], *a.axes[k + 1 :]]
    for j, (cell, start) in enumerate(zip(a.axes[k], _starts(a.axes[k]), strict=False)):
        rest = i - start
        inside = nonnegative(rest), nonnegative(cell.length - 1 - rest)
        if False in inside:
            continue
        slab = _mapped(lambda e, c=cell, r=rest: _read(e, c, r), np.take(a.entries, j, axis=k))
        result = slab if result is None else _zipped(add, result, slab)
        if inside == (True, True):
            return FootprintArray(axes, result)
    if result is None:
        raise NotUniform(f"an index {i} outside its axis")
    return FootprintArray(axes, result)


def _read(e: Footprint, cell: Cell, rest: Affine) -> Footprint:
    """What stands in the cell at this distance from its start, where that lies in it."""
    if cell.at is None:
        return e if rest == NOUGHT else _only_at(e, rest)
    if any(c % cell.width for _, c in rest.terms):
        raise NotUniform(f"the index {rest} in blocks of {cell.width}")
    e = guarded(guarded(e, rest), cell.length - 1 - rest)
    block = Affine(rest.const // cell.width, {s: c // cell.width for s, c in rest.terms})
    return put(e, cell.at, block)


def _only_at(e: Footprint, rest: Affine) -> Footprint:
    """e · [rest = 0]."""
    v = next((s for s in reversed(rest.symbols) if not s.is_size), None)
    if v is None:
        return guarded(guarded(e, rest), rest * -1)
    c = dict(rest.terms)[v]
    others = rest + of(v) * -c
    if others.const % c or any(d % c for _, d in others.terms):
        if others.terms:
            raise NotUniform(f"where {rest} is 0")
        return ZERO
    target = Affine(-(others.const // c), {s: -(d // c) for s, d in others.terms})
    return tied(e, v, target)


def _sliced(a: FootprintArray, k: int, one: slice) -> FootprintArray:
    length = a.lengths[k]
    if one.step not in (None, 1):
        return _strided(a, k, one)
    start = NOUGHT if one.start is None else _end(affine(one.start), length)
    stop = length if one.stop is None else _end(affine(one.stop), length)
    if not surely(stop - start):
        stop = start
    if (start, stop) == (NOUGHT, length):
        return a
    return _part(a, k, start, stop)


def _strided(a: FootprintArray, k: int, one: slice) -> FootprintArray:
    """Every `step`-th entry of blocks of that width: one entry of each block, then single entries."""
    step, axis = one.step, a.axes[k]
    stop = a.lengths[k] if one.stop is None else _end(affine(one.stop), a.lengths[k])
    start = NOUGHT if one.start is None else affine(one.start)
    cell = axis[0] if axis else POINT
    if start.terms or not 0 <= start.const < step or cell.width != step or type(step) is not int:
        raise NotUniform("a slice with a step")
    left = stop - cell.length
    parts = []
    if not left.terms and left.const >= 0:
        blocks = run(cell.count)
        whole = FootprintArray(
            [*a.axes[:k], (cell,), *a.axes[k + 1 :]], np.take(a.entries, [0], axis=k)
        )
        parts.append(_renamed(whole, k, cell, blocks))
        singles = range(int(start.const), int(left.const), step)
        rows = [_picked(a, k, cell.length + r) for r in singles]
        parts += [Namespace().stack(rows, axis=k)] if rows else []
        return Namespace().concat(parts, axis=k)
    raise NotUniform("a slice with a step that ends within blocks")


def _renamed(a: FootprintArray, k: int, old: Cell, new: Cell) -> FootprintArray:
    entries = _mapped(lambda e: put(e, old.at, of(new.at)), a.entries)
    return FootprintArray([*a.axes[:k], (new,), *a.axes[k + 1 :]], entries)


def _end(i: Affine, length: Affine) -> Affine:
    if surely(i):
        return i if surely(length - i) else length
    return i + length if surely(i + length) else NOUGHT


def _part(a: FootprintArray, k: int, start: Affine, stop: Affine) -> FootprintArray:
    """The entries start ≤ i < stop along axis k."""
    length = stop - start
    if not length.terms:
        rows = [_picked(a, k, start + j) for j in range(int(length.const))]
        if rows:
            return Namespace().stack(rows, axis=k)
        axes = [*a.axes[:k], (), *a.axes[k + 1 :]]
        return FootprintArray(axes, np.empty([len(x) for x in axes], dtype=object))
    slabs, cells = [], []
    for j, (cell, first) in enumerate(zip(a.axes[k], _starts(a.axes[k]), strict=False)):
        last = first + cell.length
        low = _greater(start, first)
        high = _greater(stop * -1, last * -1) * -1
        if not surely(high - low) or high == low:
            continue
        slab = np.take(a.entries, [j], axis=k)
        if cell.at is None or (low, high) == (first, last):
            cells.append(cell)
        else:
            shift = low - first
            if cell.width > 1:
                raise NotUniform("a slice through blocks")
            new = run(high - low)
            slab = _mapped(lambda e, c=cell, n=new, d=shift: put(e, c.at, of(n.at) + d), slab)
            cells.append(new)
        slabs.append(slab)
    axes = [*a.axes[:k], tuple(cells), *a.axes[k + 1 :]]
    return FootprintArray(axes, np.concatenate(slabs, axis=k))


def _greater(one: Affine, other: Affine) -> Affine:
    """The greater of the two, if that is decided."""
    return other if nonnegative(other - one) else one if surely(one - other) else other


class Namespace:
    """Constructors and named functions of arrays of footprints (a part of the array API)."""

    def asarray(self, value: Any) -> FootprintArray:
        return array(value)

    def zeros(self, shape: Any) -> FootprintArray:
        return comprehension(_axes(shape), lambda cells: ZERO)

    def ones(self, shape: Any) -> FootprintArray:
        return comprehension(_axes(shape), lambda cells: number(ONE))

    def eye(self, size: Any) -> FootprintArray:
        rows, columns = axis_of(affine(size)), axis_of(affine(size))
        entries = np.empty((len(rows), len(columns)), dtype=object)
        for i, j in np.ndindex(entries.shape):
            entries[i, j] = number(ONE) if i == j else ZERO
            if i == j and rows[i].at is not None:
                entries[i, j] = tied(number(ONE), columns[j].at, of(rows[i].at))
        return FootprintArray((rows, columns), entries)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
        parts = [array(a) for a in arrays]
        axis %= parts[0].ndim + 1
        spread = (*(slice(None),) * axis, None)
        return self.concat([p[spread] for p in parts], axis=axis)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
        parts = [array(a).fresh() for a in arrays]
        axis %= parts[0].ndim
        for n in range(1, len(parts)):
            for k in (k for k in range(parts[0].ndim) if k != axis):
                if parts[0].lengths[k] != parts[n].lengths[k]:
                    raise NotUniform("arrays of different shapes are put together")
                parts[0], parts[n] = _aligned(parts[0], parts[n], k)
        for n in range(1, len(parts)):  # the first has now the cells of all
            for k in (k for k in range(parts[0].ndim) if k != axis):
                _, parts[n] = _aligned(parts[0], parts[n], k)
        cells = tuple(c for p in parts for c in p.axes[axis])
        axes = [*parts[0].axes[:axis], cells, *parts[0].axes[axis + 1 :]]
        return FootprintArray(axes, np.concatenate([p.entries for p in parts], axis=axis))

    def reshape(self, one: FootprintArray, shape: Any) -> FootprintArray:
        """A merge of leading axes of lengths (n, m), m a number, into blocks of m, or the same shape."""
        dims = [affine(n) for n in ([shape] if not isinstance(shape, (tuple, list)) else shape)]
        if one.lengths == dims:
            return one
        first, second = one.axes[:2] if one.ndim > 1 else ((), ())
        merges = one.ndim == len(dims) + 1 and one.lengths[2:] == dims[1:] and len(first) == 1
        if not merges or any(c.at for c in second) or one.lengths[0] * len(second) != dims[0]:
            raise NotUniform("a reshape other than merging two leading axes, the second of fixed length")
        cell = first[0]
        if cell.at is None:
            return FootprintArray([second, *one.axes[2:]], one.entries[0])
        if cell.width > 1 or not second:
            raise NotUniform("blocks of blocks")
        entries = one.entries[:, 0]
        for j in range(1, len(second)):  # one footprint for all that stand in a block
            entries = _zipped(either, entries, one.entries[:, j])
        axes = [(Cell(cell.count, len(second), cell.at),), *one.axes[2:]]
        return FootprintArray(axes, entries)

    def tril(self, one: FootprintArray) -> FootprintArray:
        one = one.fresh()
        entries = np.empty(one.entries.shape, dtype=object)
        rows, columns = one.axes[-2:]
        for place in np.ndindex(entries.shape):
            i, j = place[-2:]
            gap = _place(rows, i) - _place(columns, j)
            entries[place] = guarded(one.entries[place], gap)
        return FootprintArray(one.axes, entries)

    # What numeric namespaces lack; `constructs.ranges` and `constructs.gradient` ask for these.

    def build(self, length: Any, function: Callable[[Any], Any]) -> FootprintArray:
        """stack([function(0), …, function(length − 1)]), the function run once on a position."""
        count = affine(length)
        if not count.terms:
            return self.stack([array(function(k)) for k in range(int(count.const))], axis=0)
        cell = run(count)
        return stacked(array(function(Size(of(cell.at)))), cell)

    def product(self, one: FootprintArray) -> FootprintArray:
        """The product of the entries of a vector; of a run if they are 1, since no bound is known else."""
        result = array(1)
        for cell, e in zip(one.axes[0], one.entries, strict=True):
            if cell.at is not None and e.number != ONE:
                raise NotUniform("a product of a symbolic number of factors")
            result = result if cell.at is not None else result * FootprintArray((), _object(e))
        return result

    def directions(self, shape: Any) -> tuple[FootprintArray, Callable[..., FootprintArray]]:
        """E_ab for one symbolic (a, b), under a leading axis of length 1, and how to collect over (a, b)."""
        axes = [axis_of(affine(n)) for n in shape]
        if any(len(axis) != 1 for axis in axes):
            return self._all_directions(axes)
        chosen = [tuple(c.fresh() for c in axis) for axis in axes]

        def entry(cells: Sequence[Cell]) -> Footprint:
            result = number(ONE)
            for c, (other,) in zip(cells, chosen, strict=True):
                if c.at is not None:
                    result = tied(result, c.at, of(other.at))
            return result

        def collect(tangent: FootprintArray) -> FootprintArray:
            entries = np.empty([1] * len(chosen), dtype=object)
            entries[(0,) * len(chosen)] = tangent[0].entries[()]
            return FootprintArray(chosen, entries)

        return comprehension(axes, entry)[None], collect

    def _all_directions(self, axes: Sequence[Axis]) -> Any:
        """The same, one leading entry for each choice of cells."""
        chosen = [tuple(c.fresh() for c in axis) for axis in axes]
        shape = [len(axis) for axis in axes]
        parts = []
        for place in np.ndindex(*shape):
            cells = [axis[j] for axis, j in zip(chosen, place, strict=True)]
            entries = _filled(shape, ZERO)
            entry = number(ONE)
            for axis, j, other in zip(axes, place, cells, strict=True):
                if other.at is not None:
                    entry = tied(entry, axis[j].at, of(other.at))
            entries[place] = entry
            parts.append(FootprintArray(axes, entries))

        def collect(tangent: FootprintArray) -> FootprintArray:
            entries = np.empty(shape, dtype=object)
            for n, place in enumerate(np.ndindex(*shape)):
                entries[place] = tangent[n].entries[()]
            return FootprintArray(chosen, entries)

        return self.stack(parts, axis=0), collect

    def scan(self, step: Any, parameters: Any, state: Any, tokens: Any, length: Any) -> Any:
        from .footprint_scan import scan

        return scan(step, parameters, state, tokens, affine(length))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "differentiate":
            raise AttributeError(name)
        raise NotUniform(f"footprints have no {name!r}")


def stacked(row: FootprintArray, cell: Cell) -> FootprintArray:
    """The array whose rows, at the cell's position, are this one."""
    if any(cell.at in n.symbols for n in row.lengths):
        raise NotUniform("rows of different lengths")
    for k, axis in enumerate(row.axes):
        if any(cell.at in c.count.symbols for c in axis):
            row = _one_run(row, k)
    return FootprintArray([(cell,), *row.axes], row.entries[None])


def _one_run(a: FootprintArray, k: int) -> FootprintArray:
    """The same with one run for all cells of an axis: at each position what stands in the cell that it lies in."""
    whole = run(a.lengths[k])
    result = None
    for j, (cell, start) in enumerate(zip(a.axes[k], _starts(a.axes[k]), strict=False)):
        if cell.width > 1:
            raise NotUniform("blocks in rows whose parts have different lengths")
        slab = _mapped(lambda e, c=cell, r=of(whole.at) - start: _read(e, c, r), np.take(a.entries, [j], axis=k))
        result = slab if result is None else _zipped(add, result, slab)
    return FootprintArray([*a.axes[:k], (whole,), *a.axes[k + 1 :]], result)


def _place(axis: Axis, j: int) -> Affine:
    cell = axis[j]
    start = _starts(axis)[j]
    if cell.at is None:
        return start
    if cell.width > 1:
        raise NotUniform("blocks where entries are compared")
    return start + of(cell.at)


def _axes(shape: Any) -> list[Axis]:
    dims = shape if isinstance(shape, (tuple, list)) else [shape]
    return [axis_of(affine(n)) for n in dims]

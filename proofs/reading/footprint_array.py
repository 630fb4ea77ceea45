"""`FootprintArray`: NumPy's operators over footprints, one for each choice of cells along the axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from .affine import Affine, NotUniform, Size, affine, nonnegative, of, plain, surely
from .footprint import ZERO, Footprint, add, coordinate, divide, multiply, number, put, scale, total
from .footprint_cells import (
    NOUGHT,
    ONE,
    POINT,
    Axis,
    Cell,
    alike,
    axis_of,
    greater,
    merged,
    read,
    run,
    starts,
)
from .questions import final


@final
class FootprintArray:
    """Cells along each axis, and a footprint for each choice of cells."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, axes: Sequence[Axis], entries: Any) -> None:
        self.axes = tuple(axes)
        self.entries = entries

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        from .footprint_namespace import Namespace

        return Namespace()

    @property
    def lengths(self) -> list[Affine]:
        return [starts(a)[-1] for a in self.axes]

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
        return FootprintArray(self.axes, mapped(function, self.entries))

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
                slab = mapped(lambda e, o=old.at, n=new.at: put(e, o, of(n)), slab)
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
        return (
            result[..., 0, :]
            if self.ndim == 1 and other.ndim > 1
            else (result[..., 0] if self.ndim == 1 else result)
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
                slab = mapped(lambda e, c=cell: total(e, c.at, c.count), slab)
                if cell.width > 1:  # one footprint for `width` sums: their exact value is not known
                    slab = mapped(lambda e, w=cell.width: _several(e, w), slab)
            slabs.append(slab)
        axes = [*self.axes[:k], *self.axes[k + 1 :]]
        zero = filled([len(a) for a in axes], ZERO)
        result = FootprintArray(axes, zero)
        for slab in slabs:
            result = FootprintArray(axes, zipped(add, result.entries, object_array(slab)))
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


def object_array(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    out: Any = np.empty((), dtype=object)
    out[()] = value
    return out


def filled(shape: Sequence[int], value: Footprint) -> np.ndarray:
    out: Any = np.empty(tuple(shape), dtype=object)
    out.fill(value)
    return out


def mapped(function: Callable[[Footprint], Footprint], entries: Any) -> np.ndarray:
    entries = object_array(entries)
    out: Any = np.empty(entries.shape, dtype=object)
    for place in np.ndindex(entries.shape):
        out[place] = function(entries[place])
    return out


def zipped(function: Callable[..., Footprint], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = np.broadcast_arrays(a, b)
    out: Any = np.empty(a.shape, dtype=object)
    for place in np.ndindex(a.shape):
        out[place] = function(a[place], b[place])
    return out


def array(value: Any) -> FootprintArray:
    """Numbers, nested lists of numbers, a size as a number, or an array of footprints."""
    if isinstance(value, FootprintArray):
        return value
    if isinstance(value, (list, tuple)):
        return in_one_row([array(v) for v in value], axis=0)
    if isinstance(value, Size):
        return FootprintArray((), object_array(number(value.value)))
    if type(value) is int or isinstance(value, Fraction):
        return FootprintArray((), object_array(number(Affine(value))))
    raise NotUniform(f"a value of type {type(value).__name__} in an array")


def symbols(dims: Sequence[Any]) -> FootprintArray:
    """An array of independent symbols."""
    axes = [axis_of(n) for n in dims]

    def entry(cells: Sequence[Cell]) -> Footprint:
        return coordinate([(c.at, c.count == of(c.at.size)) for c in cells if c.at is not None])

    return comprehension(axes, entry)


def comprehension(
    axes: Sequence[Axis], entry: Callable[[Sequence[Cell]], Footprint]
) -> FootprintArray:
    entries: Any = np.empty([len(a) for a in axes], dtype=object)
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
    a, b = _together(a, b, range(a.ndim))
    axes = [
        x if len(y) == 1 and y[0].at is None else y for x, y in zip(a.axes, b.axes, strict=True)
    ]
    return FootprintArray(axes, zipped(operation, a.entries, b.entries))


def _aligned(a: FootprintArray, b: FootprintArray, k: int) -> tuple[FootprintArray, FootprintArray]:
    """Both with the same cells and positions along axis k; an axis of length 1 is left alone."""
    if a.axes[k] == (POINT,) or b.axes[k] == (POINT,):
        return a, b
    if a.lengths[k] != b.lengths[k]:
        raise NotUniform(f"lengths {a.lengths[k]} and {b.lengths[k]} meet")
    if not alike(a.axes[k], b.axes[k]):
        ends = merged(starts(a.axes[k]), starts(b.axes[k]))
        a, b = _cut(a, k, ends), _cut(b, k, ends)
        if not alike(a.axes[k], b.axes[k]):
            raise NotUniform("axes that are put together in different ways")
    return a, b.at(k, a.axes[k])


def _together(
    a: FootprintArray, b: FootprintArray, axes: Iterable[int]
) -> tuple[FootprintArray, FootprintArray]:
    """Both with the same cells and positions along these axes.

    A cut gives new positions to every axis; so the second round, which needs none, is the one that counts.
    """
    for _ in range(2):
        for k in axes:
            a, b = _aligned(a, b, k)
    return a, b


def aligned(a: FootprintArray, b: FootprintArray) -> tuple[FootprintArray, FootprintArray]:
    """Both sides of an equation with the same cells and positions.

    Raises:
        NotUniform: if their shapes differ.
    """
    if a.lengths != b.lengths:
        raise NotUniform(f"the two sides have shapes {a.shape} and {b.shape}")
    return _together(a.fresh(), b.fresh(), range(a.ndim))


def _cut(a: FootprintArray, k: int, ends: list[Affine]) -> FootprintArray:
    parts = [_part(a, k, low, high) for low, high in pairwise(ends)]
    return concatenated(parts, axis=k)


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
    for j, (cell, start) in enumerate(zip(a.axes[k], starts(a.axes[k]), strict=False)):
        rest = i - start
        inside = nonnegative(rest), nonnegative(cell.length - 1 - rest)
        if False in inside:
            continue
        slab = mapped(lambda e, c=cell, r=rest: read(e, c, r), np.take(a.entries, j, axis=k))
        result = slab if result is None else zipped(add, result, slab)
        if inside == (True, True):
            return FootprintArray(axes, result)
    if result is None:
        raise NotUniform(f"an index {i} outside its axis")
    return FootprintArray(axes, result)


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
        parts += [in_one_row(rows, axis=k)] if rows else []
        return concatenated(parts, axis=k)
    raise NotUniform("a slice with a step that ends within blocks")


def _renamed(a: FootprintArray, k: int, old: Cell, new: Cell) -> FootprintArray:
    entries = mapped(lambda e: put(e, old.at, of(new.at)), a.entries)
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
            return in_one_row(rows, axis=k)
        axes = [*a.axes[:k], (), *a.axes[k + 1 :]]
        return FootprintArray(axes, np.empty([len(x) for x in axes], dtype=object))
    slabs, cells = [], []
    for j, (cell, first) in enumerate(zip(a.axes[k], starts(a.axes[k]), strict=False)):
        last = first + cell.length
        low = greater(start, first)
        high = greater(stop * -1, last * -1) * -1
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
            slab = mapped(lambda e, c=cell, n=new, d=shift: put(e, c.at, of(n.at) + d), slab)
            cells.append(new)
        slabs.append(slab)
    axes = [*a.axes[:k], tuple(cells), *a.axes[k + 1 :]]
    return FootprintArray(axes, np.concatenate(slabs, axis=k))


def in_one_row(arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
    """Arrays along a new axis."""
    parts = [array(a) for a in arrays]
    axis %= parts[0].ndim + 1
    spread = (*(slice(None),) * axis, None)
    return concatenated([p[spread] for p in parts], axis=axis)


def concatenated(arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
    """Arrays one behind the other along an axis."""
    parts = [array(a).fresh() for a in arrays]
    axis %= parts[0].ndim
    others = [k for k in range(parts[0].ndim) if k != axis]
    if any([p.lengths[k] for k in others] != [parts[0].lengths[k] for k in others] for p in parts):
        raise NotUniform("arrays of different shapes are put together")
    # First the first gets the cells of all, then all get its cells, then its positions.
    for _ in range(3):
        for n in range(1, len(parts)):
            parts[0], parts[n] = _together(parts[0], parts[n], others)
    cells = tuple(c for p in parts for c in p.axes[axis])
    axes = [*parts[0].axes[:axis], cells, *parts[0].axes[axis + 1 :]]
    return FootprintArray(axes, np.concatenate([p.entries for p in parts], axis=axis))

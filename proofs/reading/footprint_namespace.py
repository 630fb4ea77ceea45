"""Constructors and named functions of arrays of footprints (a part of the array API)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .affine import NotUniform, Size, affine, of
from .footprint import ZERO, Footprint, add, either, guarded, number, tied
from .footprint_array import (
    FootprintArray,
    array,
    comprehension,
    concatenated,
    filled,
    in_one_row,
    mapped,
    object_array,
    zipped,
)
from .footprint_cells import ONE, Axis, Cell, axis_of, place_of, read, run, starts
from .questions import final


@final
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
        entries: Any = np.empty((len(rows), len(columns)), dtype=object)
        for i, j in np.ndindex(entries.shape):
            entries[i, j] = number(ONE) if i == j else ZERO
            if i == j and rows[i].at is not None:
                entries[i, j] = tied(number(ONE), columns[j].at, of(rows[i].at))
        return FootprintArray((rows, columns), entries)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
        return in_one_row(arrays, axis)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> FootprintArray:
        return concatenated(arrays, axis)

    def reshape(self, one: FootprintArray, shape: Any) -> FootprintArray:
        """A merge of leading axes of lengths (n, m), m a number, into blocks of m, or the same shape."""
        dims = [affine(n) for n in ([shape] if not isinstance(shape, (tuple, list)) else shape)]
        if one.lengths == dims:
            return one
        if one.ndim < 2:
            raise NotUniform("a reshape that takes an axis apart")
        first, second = one.axes[:2]
        merges = one.ndim == len(dims) + 1 and one.lengths[2:] == dims[1:] and len(first) == 1
        if not merges or any(c.at for c in second) or one.lengths[0] * len(second) != dims[0]:
            raise NotUniform(
                "a reshape other than merging two leading axes, the second of fixed length"
            )
        cell = first[0]
        if cell.at is None:
            return FootprintArray([second, *one.axes[2:]], one.entries[0])
        if cell.width > 1 or not second:
            raise NotUniform("blocks of blocks")
        entries = one.entries[:, 0]
        for j in range(1, len(second)):  # one footprint for all that stand in a block
            entries = zipped(either, entries, one.entries[:, j])
        axes = [(Cell(cell.count, len(second), cell.at),), *one.axes[2:]]
        return FootprintArray(axes, entries)

    def tril(self, one: FootprintArray) -> FootprintArray:
        one = one.fresh()
        entries: Any = np.empty(one.entries.shape, dtype=object)
        rows, columns = one.axes[-2:]
        for place in np.ndindex(entries.shape):
            i, j = place[-2:]
            gap = place_of(rows, i) - place_of(columns, j)
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
            result = result if cell.at is not None else result * FootprintArray((), object_array(e))
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
            entries: Any = np.empty([1] * len(chosen), dtype=object)
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
            entries = filled(shape, ZERO)
            entry = number(ONE)
            for axis, j, other in zip(axes, place, cells, strict=True):
                if other.at is not None:
                    entry = tied(entry, axis[j].at, of(other.at))
            entries[place] = entry
            parts.append(FootprintArray(axes, entries))

        def collect(tangent: FootprintArray) -> FootprintArray:
            entries: Any = np.empty(shape, dtype=object)
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
    for j, (cell, start) in enumerate(zip(a.axes[k], starts(a.axes[k]), strict=False)):
        if cell.width > 1:
            raise NotUniform("blocks in rows whose parts have different lengths")
        rest = of(whole.at) - start
        slab = mapped(lambda e, c=cell, r=rest: read(e, c, r), np.take(a.entries, [j], axis=k))
        result = slab if result is None else zipped(add, result, slab)
    return FootprintArray([*a.axes[:k], (whole,), *a.axes[k + 1 :]], result)


def _axes(shape: Any) -> list[Axis]:
    dims = shape if isinstance(shape, (tuple, list)) else [shape]
    return [axis_of(affine(n)) for n in dims]

"""`x.at[i].set(…)`, `x.at[i].add(…)` and writes under `vmap`: a part of an array replaced, or added to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import Term
from ..array import KernelArray, comprehension, holds
from ..questions import Unreadable
from ..terms import indicator, total
from .machine_integers import unmeasured
from .values import Integers, reals


class _Windows:
    """Where the parts lie: a window of an array for each place of an array of starts."""

    def __init__(self, numbers: Any, array: KernelArray, starts: Integers, new: KernelArray):
        self.numbers, self.array, self.starts = numbers, array, starts
        self.batching = tuple(getattr(numbers, "operand_batching_dims", ()))
        self.batched = tuple(getattr(numbers, "scatter_indices_batching_dims", ()))
        gone = (*numbers.inserted_window_dims, *self.batching)
        self.inner = [k for k in range(array.ndim) if k not in gone]
        window = list(numbers.update_window_dims)
        self.outer = [k for k in range(new.ndim) if k not in window]
        self.width = {
            axis: new.dims[k] for k, axis in zip(window, self.inner, strict=True)
        } | dict.fromkeys(numbers.inserted_window_dims, Index(1))
        self.window = dict(zip(window, self.inner, strict=True))
        self.loose = [k for k in range(len(self.outer)) if k not in self.batched]
        """Axes of the starts of which each place has a window of its own in the same array."""

    def source(
        self, place: Sequence[Index], loose: Sequence[Index]
    ) -> tuple[list[Index], list[Index]]:
        """Which entry is written to a place by the windows at `loose`, and where one is."""
        own = [Index(0)] * len(self.outer)
        for axis, k in zip(self.batching, self.batched, strict=True):
            own[k] = place[axis]
        for k, i in zip(self.loose, loose, strict=True):
            own[k] = i
        begin = {axis: Index(0) for axis in self.width}
        inside = []
        for n, axis in enumerate(self.numbers.scatter_dims_to_operand_dims):
            start, d, size = (
                self.starts.at([*own, Index(n)]),
                self.array.dims[axis],
                self.width[axis],
            )
            if not holds(start, d - size - start):
                raise Unreadable("a part that may be written over an end")
            begin[axis] = start
        for axis, size in self.width.items():
            if size != self.array.dims[axis]:
                offset = place[axis] - begin[axis]
                inside += [offset, size - 1 - offset]
        entry = [Index(0)] * (len(self.outer) + len(self.window))
        for k, i in zip(self.outer, own, strict=True):
            entry[k] = i
        for k, axis in self.window.items():
            entry[k] = place[axis] - begin[axis]
        return inside, entry


def _scatter(adds: bool) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, starts: Any, updates: Any) -> KernelArray:
        if not isinstance(starts, Integers):
            raise Unreadable("a write at places that are not linear in sizes and positions")
        array, new = reals(a), reals(updates)
        if adds and reader.makes_integers():
            unmeasured(reader)
        windows = _Windows(params["dimension_numbers"], array, starts, new)
        if windows.loose and not adds:
            raise Unreadable("several parts written at once, which may overlap")

        def at(*place: Index) -> Term:
            loose = [position("n", 0, starts.dims[k]) for k in windows.loose]
            inside, source = windows.source(place, loose)
            written = new.entry(source, inside)
            for i in reversed(loose):
                written = total(written, i)
            kept = array.entry(place)
            return (kept if adds else kept * (1 + indicator(*inside) * -1)) + written

        return comprehension(array.dims, at)

    return rule


RULES: dict[str, Callable[..., Any]] = {
    "scatter": _scatter(False),
    "scatter-add": _scatter(True),
    "scatter_add": _scatter(True),
}

"""Axes that a reshape joins: kept apart as long as nothing but another reshape looks at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...kernel.index import Index
from ..areas import Area, Length, product
from ..array import KernelArray, axes_as_one, holds
from ..questions import Unreadable
from .values import Dims, InParts, Integers, Place, picked, reals


@dataclass(frozen=True)
class Merged(InParts):
    """An array each of whose axes is a run of axes of another, in row-major order."""

    array: Any
    runs: tuple[int, ...]
    """How many axes of `array` each axis is made of, 0 for an axis of length 1 that it does not have."""

    @property
    def dims(self) -> tuple[Length, ...]:
        """The lengths of the axes, each a product of what it joins."""
        found: list[Length] = []
        rest = list(self.array.dims)
        for count in self.runs:
            found.append(product(rest[:count]))
            del rest[:count]
        return tuple(found)

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Any:
        """The entries at these places of the whole."""
        return picked(self.whole(), dims, places)

    def whole(self) -> Any:
        """The array with its axes joined."""
        array = self.array
        for axis, count in enumerate(self.runs):
            if count == 0:
                dims = (*array.dims[:axis], Index(1), *array.dims[axis:])
                array = picked(array, dims, lambda at, k=axis: [*at[:k], *at[k + 1 :]])
            for _ in range(count - 1):
                array = merged_axes(array, axis)
        return array


def reshaped(a: Any, dims: Sequence[Length]) -> Any:
    """The entries of `a` in row-major order under another shape.

    Raises:
        Unreadable: unless each axis, on either side, is one of the other side's, or is cut into some of them of which
            all but the first are numbers; or unit axes come and go.
    """
    own = a.array if isinstance(a, Merged) else a
    groups = _groups(list(own.dims), list(dims))
    split = _split(own, groups)
    runs = [n for old, new in groups for n in _runs(old, new)]
    return split if all(n == 1 for n in runs) else Merged(split, tuple(runs))


def _split(a: Any, groups: Sequence[tuple[list[Index], list[Any]]]) -> Any:
    """The array with the axes that become several cut, and those of length 1 that go left out."""
    dims = [d for old, new in groups for d in (new if len(old) == 1 else old)]

    def places(at: Place) -> list[Index]:
        found, rest = [], list(at)
        for old, new in groups:
            count = len(new) if len(old) == 1 else len(old)
            own, rest = rest[:count], rest[count:]
            if len(old) == 1:
                found.append(_row_major(own, new))
            else:
                found += own
        return found

    if all(len(old) > 1 or (len(old) == len(new) == 1) for old, new in groups if old):
        return a
    return picked(a, tuple(dims), places)


def _runs(old: list[Index], new: Sequence[Length]) -> list[int]:
    """For each new axis how many axes of the split array it is made of."""
    if len(old) == 1:
        return [1] * len(new)
    return [len(old)] if old else [0]


def _row_major(at: Sequence[Index], dims: Sequence[Index]) -> Index:
    place = Index(0)
    for k, (i, d) in enumerate(zip(at, dims, strict=True)):
        if k and d.terms:
            raise Unreadable("a reshape into axes of which a later one has a symbolic length")
        place = place * d.const + i if k else i
    return place


def _groups(old: list[Index], new: list[Length]) -> list[tuple[list[Index], list[Length]]]:
    """Runs of axes of equal length on both sides, as short as can be; one side of a run is a single axis, or none."""
    groups: list[tuple[list[Index], list[Length]]] = []
    while old or new:
        if old and new and old[0] == new[0]:
            groups.append(([old.pop(0)], [new.pop(0)]))
        elif old and old[0] == Index(1):
            groups.append(([old.pop(0)], []))
        elif new and new[0] == Index(1):
            groups.append(([], [new.pop(0)]))
        elif old and new:
            groups.append(_group(old, new))
        else:
            raise Unreadable("a reshape to another number of entries")
    return groups


def _group(old: list[Index], new: list[Length]) -> tuple[list[Index], list[Length]]:
    left: list[Any] = [old.pop(0)]
    right: list[Any] = [new.pop(0)]
    while (a := product(left)) != (b := product(right)):
        side, rest = (left, old) if _smaller(a, b) else (right, new)
        if not rest:
            raise Unreadable("a reshape whose axes cannot be distinguished")
        side.append(rest.pop(0))
    if len(left) > 1 and len(right) > 1:
        raise Unreadable("a reshape that neither splits nor merges axes")
    return left, right


def _smaller(a: Length, b: Length) -> bool:
    """Which side a further axis belongs to; that both sides agree in the end is seen by their products alone."""
    if _degree(a) != _degree(b) or isinstance(a, Area) or isinstance(b, Area):
        return _degree(a) < _degree(b)
    if holds(b - a):
        return True
    if holds(a - b):
        return False
    raise Unreadable("a reshape whose axes cannot be distinguished")


def _degree(one: Length) -> int:
    if isinstance(one, Area):
        return max(len(m) for m, _ in one.parts)
    return int(bool(one.terms))


def unmerged(a: Any) -> Any:
    """The array that one with joined axes is made of."""
    return a.array if isinstance(a, Merged) else a


def merged_axes(a: Any, axis: int) -> KernelArray:
    """Axes `axis` and `axis + 1` as one."""
    if isinstance(a, Integers):
        raise Unreadable("a reshape of integers")
    return axes_as_one(reals(a), axis)

"""Arrays of terms in another shape: axes that stay, that are cut, and that are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..interpret.areas import Area, Length, product
from ..interpret.array import KernelArray, axes_as_one, comprehension, holds
from ..interpret.questions import Unreadable
from ..kernel.index import Index

Place: TypeAlias = tuple[Index, ...]


def reshaped(array: KernelArray, dims: Sequence[Index]) -> KernelArray:
    """The entries of an array in row-major order under another shape.

    Raises:
        Unreadable: unless each axis, on either side, is one of the other side's, or is cut into some of them of which
            all but the first are numbers; or unit axes come and go.
    """
    groups = _groups(list(array.dims), list(dims))
    found = _split(array, groups)
    for axis, count in enumerate(n for old, new in groups for n in _runs(old, new)):
        if count == 0:
            with_unit = (*found.dims[:axis], Index(1), *found.dims[axis:])
            found = _picked(found, with_unit, lambda at, k=axis: [*at[:k], *at[k + 1 :]])
        for _ in range(count - 1):
            found = axes_as_one(found, axis)
    return found


def _picked(
    array: KernelArray, dims: Sequence[Index], places: Callable[[Place], list[Index]]
) -> KernelArray:
    """The entries at these places."""
    return comprehension(dims, lambda *at: array.entry(places(at)))


def _split(a: KernelArray, groups: Sequence[tuple[list[Index], list[Any]]]) -> KernelArray:
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
    return _picked(a, dims, places)


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

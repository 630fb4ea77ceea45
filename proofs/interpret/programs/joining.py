"""Arrays end to end whose lengths the kernel cannot add up: kept apart, and cut where they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...kernel.index import Index
from .. import areas
from ..areas import Length
from ..array import holds
from ..namespace import Namespace
from ..questions import Unreadable
from .merging import Merged, reshaped
from .values import Dims, InParts, Integers, Mask, Place, as_mask, picked, reals, whole


@dataclass(frozen=True)
class Joined(InParts):
    """Arrays one after the other along an axis, at least one of them with axes joined."""

    pieces: tuple[Any, ...]
    axis: int

    @property
    def dims(self) -> tuple[Length, ...]:
        """The lengths of the axes of the whole."""
        first = self.pieces[0].dims
        total: Length = Index(0)
        for one in self.pieces:
            total = areas.add(total, one.dims[self.axis])
        return (*first[: self.axis], total, *first[self.axis + 1 :])

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Any:
        """The entries at these places of the whole."""
        return picked(self.whole(), dims, places)

    def whole(self) -> Any:
        """The pieces end to end."""
        return joined([whole(one) for one in self.pieces], self.axis)


def joined(arrays: Sequence[Any], axis: int) -> Any:
    """The arrays end to end."""
    if len(arrays) == 1:
        return arrays[0]
    if any(isinstance(one, Merged | Joined) for one in arrays):
        pieces: list[Any] = []
        for one in arrays:
            apart = isinstance(one, Joined) and one.axis == axis
            pieces += one.pieces if apart else [one]
        return Joined(tuple(pieces), axis)
    arrays = [whole(one) for one in arrays]
    if all(isinstance(one, Integers) for one in arrays):
        return _integers(arrays, axis)
    found = Namespace().concat([reals(one) for one in arrays], axis=axis)
    return as_mask(found) if all(isinstance(one, Mask) for one in arrays) else found


def stacked(arrays: Sequence[Any], axis: int = 0) -> Any:
    """The arrays along a new axis."""
    if all(isinstance(one, Integers) for one in arrays):
        return _stacked_integers(arrays, axis)
    found = Namespace().stack([reals(one) for one in arrays], axis=axis)
    return as_mask(found) if all(isinstance(one, Mask) for one in arrays) else found


def _integers(arrays: Sequence[Integers], axis: int) -> Integers:
    """Integers end to end, of which one is known where its place is known."""
    ends = [Index(0)]
    for one in arrays:
        ends.append(ends[-1] + one.dims[axis])
    first = arrays[0].dims

    def at(place: Place) -> Index:
        i = place[axis]
        for start, end, one in zip(ends, ends[1:], arrays, strict=False):
            if holds(i - start, end - 1 - i):
                return one.at([*place[:axis], i - start, *place[axis + 1 :]])
        raise Unreadable("one of several integers")

    numbers = Namespace().concat([reals(one) for one in arrays], axis=axis)
    return Integers((*first[:axis], ends[-1], *first[axis + 1 :]), at, numbers)


def _stacked_integers(arrays: Sequence[Integers], axis: int) -> Integers:
    first = arrays[0].dims
    rows = []
    for one in arrays:
        dims = (*first[:axis], Index(1), *first[axis:])
        rows.append(one.picked(dims, lambda at: [*at[:axis], *at[axis + 1 :]]))
    return _integers(rows, axis)


def shaped(a: Any, dims: Sequence[Length]) -> Any:
    """The entries in row-major order under another shape; pieces stay apart if their axis stays one."""
    if not isinstance(a, Joined):
        return reshaped(a, dims)
    before, own, after = a.dims[: a.axis], a.dims[a.axis], a.dims[a.axis + 1 :]
    for k, d in enumerate(dims):
        same = (
            d == own
            and areas.product(dims[:k]) == areas.product(before)
            and areas.product(dims[k + 1 :]) == areas.product(after)
        )
        if same:
            parts = [
                reshaped(one, (*dims[:k], one.dims[a.axis], *dims[k + 1 :])) for one in a.pieces
            ]
            return Joined(tuple(parts), k)
    return reshaped(whole(a), dims)


def cut(a: Joined, starts: Sequence[Length | None], lengths: Sequence[Length]) -> Any:
    """The part that begins at `starts`, of these lengths; None if it does not begin and end where pieces meet."""
    for k, (start, length, d) in enumerate(zip(starts, lengths, a.dims, strict=True)):
        if k != a.axis and (length != d or start != Index(0)):
            return None
    here: Length = Index(0)
    found: list[Any] = []
    seen: Length = Index(0)
    for one in a.pieces:
        if found or here == starts[a.axis]:
            if seen == lengths[a.axis]:
                break
            found.append(one)
            seen = areas.add(seen, one.dims[a.axis])
        here = areas.add(here, one.dims[a.axis])
    if not found or seen != lengths[a.axis]:
        return None
    return found[0] if len(found) == 1 else Joined(tuple(found), a.axis)

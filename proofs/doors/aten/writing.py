"""Parts written into arrays, kept in mind: what a loop writes place by place is an array of what was written."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...statement import along, choices, making, placing
from ...statement.nodes import Join, Node
from ...statement.order import nonnegative
from ...statement.whole import Number as WholeNumber
from ...statement.whole import Whole

Windows = tuple[tuple[int, WholeNumber, WholeNumber], ...]
"""Axes with where a part begins on them and how long it is; on the others it is as long as the array."""


@dataclass(frozen=True)
class Write:
    """An array with a part written into it."""

    base: Node
    windows: Windows
    part: Node
    """Of the rank of the array."""


class Writes:
    """Nodes that are such arrays."""

    def __init__(self) -> None:
        self.known: dict[Node, Write] = {}

    def written(self, base: Node, windows: Mapping[int, tuple[Any, Any]], part: Node) -> Node:
        """An array with a part written into it at `windows`, (start, length) on some of its axes."""
        kept = tuple(
            (k, start, count)
            for k, (start, count) in sorted(windows.items())
            if not (start == 0 and count == base.shape[k])
        )
        shape = list(base.shape)
        for k, _, count in kept:
            shape[k] = count
        part = making.spread(part, tuple(shape))
        if not kept:
            return part
        while base in self.known and self.known[base].windows == kept:  # what is written over
            base = self.known[base].base
        node = self._joined(base, kept, part)
        if node is None:
            node = _masked(base, kept, part)
        if node is not base:  # as where what is written was there
            self.known[node] = Write(base, kept, part)
        return node

    def entry(self, node: Node, axis: int, place: WholeNumber) -> Node | None:
        """What was written at a place of an axis, without that axis; None where nothing else was written last."""
        write = self.known.get(node)
        if write is None or write.windows != ((axis, place, 1),):
            return None
        return making.row(along.first(write.part, axis), 0)

    def _joined(self, base: Node, windows: Windows, part: Node) -> Node | None:
        """Parts beside one another, where the place does not depend on a turn."""
        (k, start, count), *others = windows
        if others or any(isinstance(n, Whole) and n.free for n in (start, count)):
            return None
        after = base.shape[k] - start - count
        parts = [(_kept(base, k, 0, start), start), (part, count)]
        parts.append((_kept(base, k, start + count, after), after))
        return making.joined([one for one, length in parts if length != 0], k)


def _kept(base: Node, axis: int, start: WholeNumber, count: WholeNumber) -> Node:
    """Entries of an array along an axis, without what lies wholly outside of them in an array of parts."""
    if isinstance(base, Join) and base.axis == axis:
        ends = list(itertools.accumulate(part.shape[axis] for part in base.parts))
        begins = [0, *ends[:-1]]
        before = [k for k, end in enumerate(ends) if nonnegative(start - end)]
        after = [k for k, begin in enumerate(begins) if nonnegative(begin - start - count)]
        first, last = max(before, default=-1) + 1, min(after, default=len(ends))
        if first < last:  # all before one that is before are, whether that is seen or not
            parts, start = base.parts[first:last], start - begins[first]
            base = making.joined(parts, axis)
    return placing.sliced(base, axis, start, count)


def _masked(base: Node, windows: Windows, part: Node) -> Node:
    shape = base.shape
    places = list(making.places_of(shape))
    guards: list[Any] = []
    for k, start, count in windows:
        places[k] = places[k] - start
        guards += [g for g in (places[k], count - 1 - places[k]) if not nonnegative(g, shape)]
    new = making.take(part, places, shape, guards)
    inside = making.take(making.number(1), (), shape, guards)
    return choices.add(choices.multiply(choices.inverse(inside), base), new)

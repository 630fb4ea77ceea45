"""The same entries in order in another shape, axis by axis: axes that stay, that are split, and that are joined.

Places in a split axis are linear where the lengths behind the first are numbers. Where the first is one, and few, each
of its places is a part by itself: (2·c,) is two parts of c entries. What is left is a `Reshape`.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import making, nodes
from .nodes import Node, Shape
from .order import divided, nonnegative
from .whole import Axis, Number, Whole, whole

FEW = 8
"""The most parts that an axis is taken apart into."""


def reshaped(node: Node, shape: Sequence[Number]) -> Node:
    """The entries of a node in another shape.

    Raises:
        IllFormed: if the number of entries is not seen to be the same.
    """
    shape = tuple(shape)
    if isinstance(node, nodes.Reshape):
        node = node.of
    found = without_units(node, shape)
    if found is not None:
        return found
    own, wanted = (tuple(n for n in one if n != 1) for one in (node.shape, shape))
    if (own, wanted) != (node.shape, shape):  # axes of length 1 have no part in it
        return _with_units(reshaped(_with_units(node, own), wanted), shape)
    target = making.reshaped(node, shape)
    groups = groups_of(node.shape, shape)
    if groups is None:
        return target
    done: list[Number] = []
    for old, new in groups:
        if len(old) == 1 < len(new):
            split = _split(node, len(done), new)
        elif len(new) == 1 < len(old):
            split = _joined(node, len(done), old)
        else:
            split = node if old == new else _regrouped(node, len(done), old, new)
        if split is None:
            return target
        node, done = split, [*done, *new]
    return node


def _regrouped(node: Node, axis: int, old: Sequence[Number], new: Sequence[Number]) -> Node | None:
    """Several axes as several others, by way of axes that both are made of: (2·L, 2) is (L, 2, 2), and so (L, 4)."""
    most, least = (old, new) if nonnegative(old[0] - new[0]) else (new, old)
    found = divided(most[0], least[0])
    if found is None or found[1] != 0:
        return None
    left, _ = found
    before, behind = node.shape[:axis], node.shape[axis + len(old) :]
    between = reshaped(node, (*before, least[0], left, *most[1:], *behind))
    return (
        None if isinstance(between, nodes.Reshape) else reshaped(between, (*before, *new, *behind))
    )


def _with_units(node: Node, shape: Shape) -> Node:
    found = without_units(node, shape)
    assert found is not None
    return found


def without_units(node: Node, shape: Shape) -> Node | None:
    """The node in a shape that differs by axes of length 1 alone; None for any other."""
    kept = [k for k, n in enumerate(node.shape) if n != 1]
    wanted = [k for k, n in enumerate(shape) if n != 1]
    if [node.shape[k] for k in kept] != [shape[k] for k in wanted]:
        return None
    places: list[Number] = [0] * len(node.shape)
    for k, axis in zip(kept, wanted, strict=True):
        places[k] = whole(Axis(axis))
    return making.take(node, places, shape)


Group = tuple[list[Number], list[Number]]


def groups_of(before: Shape, after: Shape) -> list[Group] | None:
    """Runs of axes with as many entries on both sides, as short as can be; None where they are not seen."""
    old, new = list(before), list(after)
    groups: list[Group] = []
    while old or new:
        left, right = old[:1], new[:1]
        a, b = 1, 1
        while making.area(left) != making.area(right):
            longer = making.area(right) - making.area(left)
            a, b = (a + 1, b) if nonnegative(longer) else (a, b + 1)
            if a > len(old) or b > len(new):
                return None
            left, right = old[:a], new[:b]
        if not left or not right:
            return None
        groups.append((left, right))
        del old[:a], new[:b]
    return groups


def _split(node: Node, axis: int, lengths: Sequence[Number]) -> Node | None:
    """An axis as several."""
    before, behind = node.shape[:axis], node.shape[axis + 1 :]
    shape = (*before, *lengths, *behind)
    if not any(isinstance(n, Whole) for n in lengths[1:]):
        place: Number = 0
        for k, n in enumerate(lengths, start=axis):
            place = place * n + whole(Axis(k))
        late = [whole(Axis(axis + len(lengths) + k)) for k in range(len(behind))]
        return making.take(node, [*making.places_of(before), place, *late], shape)
    first = lengths[0]
    if isinstance(first, Whole) or first > FEW:
        return None
    length = making.area(lengths[1:])
    parts = []
    for k in range(first):
        places = list(making.places_of(node.shape))
        places[axis] = places[axis] + length * k
        part: Node | None = making.take(node, places, (*before, length, *behind))
        if len(lengths) > 2:
            part = _split(part, axis, lengths[1:])
        if part is None:
            return None
        parts.append(part)
    return making.stacked(parts, axis)


def _joined(node: Node, axis: int, lengths: Sequence[Number]) -> Node | None:
    """Several axes as one."""
    first = lengths[0]
    if isinstance(first, Whole) or first > FEW or not any(isinstance(n, Whole) for n in lengths):
        return _as_it_is(node, axis, lengths)
    parts = []
    for k in range(first):
        places = list(making.places_of(node.shape))
        places[axis:] = [k, *places[axis:-1]]
        part: Node | None = making.take(node, places, (*node.shape[:axis], *node.shape[axis + 1 :]))
        if len(lengths) > 2:
            part = _joined(part, axis, lengths[1:])
        if part is None:
            return None
        parts.append(part)
    return making.joined(parts, axis)


def _as_it_is(node: Node, axis: int, lengths: Sequence[Number]) -> Node:
    behind = node.shape[axis + len(lengths) :]
    return making.reshaped(node, (*node.shape[:axis], making.area(lengths), *behind))

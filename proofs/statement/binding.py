"""Binders: a position or placeholder is new while its body is made, and gets its final mark when the body is done.

The mark is one more than the number of binders inside one another in the body. So two bodies that differ in the names
of what they bind are one node, and nothing is ever captured: marks inside a binder are smaller than the binder's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from . import making, nodes
from .nodes import Build, Gradient, Loop, Node, Placeholder, Recursion
from .whole import Number, Position, Whole, moved, substituted, whole

_marks = itertools.count(1)
_noted: dict[Recursion, Any] = {}
"""What somebody who makes nodes notes of recursions; one that is renamed keeps it."""


@contextmanager
def following(notes: dict[Recursion, Any]) -> Iterator[None]:
    """Recursions of these notes that are renamed in the block are noted there too."""
    global _noted
    around, _noted = _noted, notes
    try:
        yield
    finally:
        _noted = around


def _followed(old: Recursion, new: Recursion) -> Recursion:
    if old in _noted:
        _noted.setdefault(new, _noted[old])
    return new


def fresh(low: Number, high: Number) -> Position:
    """A new position."""
    return Position(-next(_marks), low, high)


def placeholders(shapes: Sequence[nodes.Shape]) -> tuple[Placeholder, ...]:
    """New placeholders of these shapes, of one binder."""
    mark = -next(_marks)
    return tuple(Placeholder(mark, k, shape) for k, shape in enumerate(shapes))


def build(position: Position, entry: Node) -> Node:
    """`nodes.Build` of a new position."""
    final = Position(entry.height + 1, position.low, position.high)
    return Build(final, renamed(entry, {position: whole(final)}))


def recursion(
    time: Position,
    states: Sequence[Placeholder],
    start: Sequence[Node],
    steps: Sequence[Node],
) -> Recursion:
    """`nodes.Recursion` of a new position and new placeholders."""
    mark = 1 + max((step.height for step in steps), default=0)
    final = Position(mark, time.low, time.high)
    named = tuple(Placeholder(mark, k, s.shape) for k, s in enumerate(states))
    images = {time: whole(final), **dict(zip(states, named, strict=True))}
    known: dict[Node, Node] = {}
    return Recursion(
        final, named, tuple(start), tuple(renamed(step, images, known) for step in steps)
    )


def gradient(point: Placeholder, loss: Node, at: Node) -> Node:
    """`nodes.Gradient` of a new placeholder."""
    final = Placeholder(loss.height + 1, 0, at.shape)
    return Gradient(final, renamed(loss, {point: final}), at)


def opened(node: nodes.Build, images: Mapping[Any, Any] | None = None) -> tuple[Position, Node]:
    """A new position in place of the one that is bound, and the entry with it, and with further images.

    Whoever changes what stands inside of a binder has to open it: a binder that is made anew there may get its mark.
    """
    position = _new(node.position, images or {})
    return position, replaced(node.entry, {**(images or {}), node.position: whole(position)})


def opened_turns(
    r: Recursion, images: Mapping[Any, Any] | None = None
) -> tuple[Position, tuple[Placeholder, ...], list[Node]]:
    """A new time and new placeholders for the states, and the steps with them, and with further images."""
    images = images or {}
    time = _new(r.time, images)
    inside = {**images, r.time: whole(time)}
    states = placeholders([shape_with(one.shape, inside) for one in r.states])
    inside |= dict(zip(r.states, states, strict=True))
    known: dict[Node, Node] = {}
    return time, states, [replaced(step, inside, known) for step in r.steps]


def opened_loss(
    node: Gradient, images: Mapping[Any, Any] | None = None
) -> tuple[Placeholder, Node]:
    """A new placeholder for where the gradient is taken, and the loss with it, and with further images."""
    images = images or {}
    (point,) = placeholders([shape_with(node.point.shape, images)])
    return point, replaced(node.loss, {**images, node.point: point})


def _new(position: Position, images: Mapping[Any, Any]) -> Position:
    ends = substituted(position.low, images), substituted(position.high, images)
    return fresh(*ends)


def shape_with(shape: nodes.Shape, images: Mapping[Any, Any]) -> nodes.Shape:
    """A shape with images for positions."""
    return tuple(substituted(length, images) for length in shape)


def replaced(node: Node, images: Mapping[Any, Any], known: dict[Node, Node] | None = None) -> Node:
    """The node with images for positions (numbers) and placeholders (nodes) that are free in it."""
    return _Replacing(images, {} if known is None else known).of(node)


def renamed(node: Node, images: Mapping[Any, Any], known: dict[Node, Node] | None = None) -> Node:
    """The same where the images are variables of a binder around, whose mark no binder inside has: none is opened."""
    return _Renaming(images, {} if known is None else known).of(node)


class _Replacing:
    def __init__(self, images: Mapping[Any, Any], known: dict[Node, Node]) -> None:
        self.images, self.known = images, known

    def of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if isinstance(value, frozenset):
            return frozenset(map(self.of, value))
        if isinstance(value, Whole):
            return value if value.free.isdisjoint(self.images) else substituted(value, self.images)
        if isinstance(value, Position):
            return moved(value, self.images)
        if not isinstance(value, Node) or value.free.isdisjoint(self.images):
            return value
        if value not in self.known:
            for one in nodes.operands_first(value, self._waits):
                self.known[one] = self._node(one)
        return self.known[value]

    def _waits(self, node: Node) -> bool:
        return node not in self.known and not node.free.isdisjoint(self.images)

    def _node(self, node: Node) -> Node:
        match node:
            case Placeholder() if node in self.images:
                return self.images[node]
            case Build() | Gradient() | Loop():
                return self._binder(node)
            case nodes.Take():
                return making.take(*map(self.of, (node.of, node.places, node.lengths, node.guards)))
        return type(node)(*map(self.of, nodes.arguments(node)))

    def _binder(self, node: Build | Gradient | Loop) -> Node:
        match node:
            case Build():
                return build(*opened(node, self.images))
            case Gradient():
                return gradient(*opened_loss(node, self.images), self.of(node.at))
            case Loop():
                time, states, steps = opened_turns(node.recursion, self.images)
                start = self.of(node.recursion.start)
                made = recursion(time, states, start, steps)
                return Loop(_followed(node.recursion, made), node.number)


class _Renaming(_Replacing):
    def _binder(self, node: Build | Gradient | Loop) -> Node:
        if isinstance(node, Loop):
            r = node.recursion
            made = Recursion(*map(self.of, nodes.arguments(r)))
            return Loop(_followed(r, made), node.number)
        return type(node)(*map(self.of, nodes.arguments(node)))

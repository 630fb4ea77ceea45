"""Binders: a position or placeholder is new while its body is made, and gets its final mark when the body is done.

The mark is one more than the number of binders inside one another in the body. So two bodies that differ in the names
of what they bind are one node, and nothing is ever captured: marks inside a binder are smaller than the binder's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from . import making, nodes
from .nodes import Build, Gradient, Loop, Node, Placeholder, Recursion
from .whole import Number, Position, Whole, moved, substituted, whole

_marks = itertools.count(1)


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
    return Build(final, replaced(entry, {position: whole(final)}))


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
        final, named, tuple(start), tuple(replaced(step, images, known) for step in steps)
    )


def gradient(point: Placeholder, loss: Node, at: Node) -> Node:
    """`nodes.Gradient` of a new placeholder."""
    final = Placeholder(loss.height + 1, 0, at.shape)
    return Gradient(final, replaced(loss, {point: final}), at)


def replaced(node: Node, images: Mapping[Any, Any], known: dict[Node, Node] | None = None) -> Node:
    """The node with images for positions (numbers) and placeholders (nodes) that are free in it."""
    return _Replacing(images, {} if known is None else known).of(node)


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
            self.known[value] = self._node(value)
        return self.known[value]

    def _node(self, node: Node) -> Node:
        match node:
            case Placeholder() if node in self.images:
                return self.images[node]
            case Build():
                return build(self.of(node.position), self.of(node.entry))
            case Gradient():
                return gradient(self.of(node.point), self.of(node.loss), self.of(node.at))
            case Loop():
                r = node.recursion
                made = recursion(*map(self.of, (r.time, r.states, r.start, r.steps)))
                return Loop(made, node.number)
            case nodes.Take():
                return making.take(*map(self.of, (node.of, node.places, node.lengths, node.guards)))
        return type(node)(*map(self.of, nodes.arguments(node)))

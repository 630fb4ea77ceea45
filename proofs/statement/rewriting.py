"""Nodes of a kind written in other ways, wherever they stand: binders around them are opened and made anew."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, ClassVar

from . import binding, nodes
from .nodes import Node, Placeholder
from .statement import every_node, inside
from .whole import Position


class Rewriting:
    """Rewrites the nodes of `kind`, from the innermost on, by `build` or `gradient`, which a subclass gives.

    Args:
        known: nodes that were rewritten before, with what they became.
    """

    kind: ClassVar[type[Node]]

    def __init__(self, known: MutableMapping[Node, Node] | None = None) -> None:
        self.known = {} if known is None else known
        self._has: dict[Node, bool] = {}

    def build(self, position: Position, entry: Node) -> Node:
        """What a `Build` with this rewritten entry becomes."""
        return binding.build(position, entry)

    def gradient(self, point: Placeholder, loss: Node, at: Node) -> Node:
        """What a `Gradient` of this rewritten loss becomes."""
        return binding.gradient(point, loss, at)

    def has(self, node: Node) -> bool:
        """Whether a node of the kind stands in it."""
        if node not in self._has:
            for below in every_node([node]):
                parts = (*below.operands, *inside(below))
                self._has[below] = isinstance(below, self.kind) or any(map(self._has.get, parts))
        return self._has[node]

    def of(self, value: Any) -> Any:
        """A node, or a tuple of what a node is made of, rewritten."""
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if not isinstance(value, Node) or not self.has(value):
            return value
        if value not in self.known:
            waits = lambda one: one not in self.known and self.has(one)  # noqa: E731
            for one in nodes.operands_first(value, waits):
                self.known[one] = self._node(one)
        return self.known[value]

    def _node(self, node: Node) -> Node:
        match node:
            case nodes.Build():
                position, entry = binding.opened(node)
                return self.build(position, self.of(entry))
            case nodes.Gradient():
                point, loss = binding.opened_loss(node)
                return self.gradient(point, self.of(loss), self.of(node.at))
            case nodes.Loop():
                r = node.recursion
                time, states, steps = binding.opened_turns(r)
                made = binding.recursion(time, states, self.of(r.start), self.of(tuple(steps)))
                return nodes.Loop(made, node.number)
        return type(node)(*map(self.of, nodes.arguments(node)))

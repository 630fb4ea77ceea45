"""Derivatives of nodes, as nodes: how an array moves when placeholders move in given directions.

A gradient's entry (a, b) is the derivative of the loss in the direction in which entry (a, b) alone moves, by 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..statement import binding, making, nodes
from ..statement.errors import IllFormed
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.statement import inside
from ..statement.whole import Axis, whole


def without_gradients(node: Node, known: dict[Node, Node] | None = None) -> Node:
    """The node with every gradient in it written out.

    Raises:
        IllFormed: for a function without a derivative.
    """
    return _Written({} if known is None else known).of(node)


def gradient(point: nodes.Placeholder, loss: Node, at: Node) -> Node:
    """The gradient of a loss without gradients in a new placeholder, at an array."""
    shape = at.shape
    positions = [binding.fresh(0, length) for length in shape]
    gaps = [whole(Axis(k)) - whole(p) for k, p in enumerate(positions)]
    guards = [one for gap in gaps for one in (gap, -gap)]
    direction = making.take(making.number(1), (), shape, guards)
    moved = _Derivative({point: direction}, {point: at}).of(loss)
    found = making.number(0) if moved is None else moved
    for position in reversed(positions):
        found = binding.build(position, found)
    return found


class _Written:
    """Writes gradients out, from the innermost on."""

    def __init__(self, known: dict[Node, Node]) -> None:
        self.known = known
        self._has: dict[Node, bool] = {}

    def has(self, node: Node) -> bool:
        """Whether there is a gradient in it."""
        if node not in self._has:
            parts = (*node.operands, *inside(node))
            self._has[node] = isinstance(node, nodes.Gradient) or any(map(self.has, parts))
        return self._has[node]

    def of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if not isinstance(value, Node) or not self.has(value):
            return value
        if value not in self.known:
            self.known[value] = self._node(value)
        return self.known[value]

    def _node(self, node: Node) -> Node:
        match node:
            case nodes.Gradient():
                point, loss = binding.opened_loss(node)
                return gradient(point, self.of(loss), self.of(node.at))
            case nodes.Build():
                position, entry = binding.opened(node)
                return binding.build(position, self.of(entry))
            case nodes.Loop():
                r = node.recursion
                time, states, steps = binding.opened_turns(r)
                made = binding.recursion(time, states, self.of(r.start), self.of(tuple(steps)))
                return nodes.Loop(made, node.number)
        return type(node)(*map(self.of, nodes.arguments(node)))


class _Derivative:
    """Derivatives in the placeholders that have a direction; None is 0.

    Args:
        directions: how placeholders move.
        images: what placeholders are replaced by in the end, as that of a gradient by where it is taken.
    """

    def __init__(self, directions: Mapping[Node, Node], images: Mapping[Node, Node]) -> None:
        self.directions, self.images = directions, images
        self._known: dict[Node, Node | None] = {}
        self._replaced: dict[Node, Node] = {}

    def value(self, node: Node) -> Node:
        """The node itself, where it is to be moved from."""
        return binding.replaced(node, self.images, self._replaced)

    def of(self, node: Node) -> Node | None:
        if node.free.isdisjoint(self.directions):
            return None
        if node not in self._known:
            self._known[node] = RULES[type(node)](self, node)
        return self._known[node]

    def placeholder(self, node: nodes.Placeholder) -> Node | None:
        return self.directions.get(node)

    def parameter(self, node: nodes.Parameter) -> Node | None:
        return self.of(node.of)

    def map(self, node: nodes.Map) -> Node | None:
        moved = [self.of(a) for a in node.arguments]
        if all(one is None for one in moved):
            return None
        values = [self.value(a) for a in node.arguments]
        rule = SLOPES.get(node.function)
        if rule is None:
            raise IllFormed(f"{node.function} has no derivative here")
        found: Node | None = None
        for k, one in enumerate(moved):
            if one is not None:
                found = _sum(found, rule(k, one, values, self.value(node)))
        return found if found is None else making.spread(found, self.value(node).shape)

    def contract(self, node: nodes.Contract) -> Node | None:
        found: Node | None = None
        values = [self.value(f) for f in node.factors]
        for k, factor in enumerate(node.factors):
            moved = self.of(factor)
            if moved is not None:
                factors = (*values[:k], moved, *values[k + 1 :])
                found = _sum(found, nodes.Contract(factors, node.axes, node.result))
        return found

    def norm(self, node: nodes.Norm) -> Node | None:
        if node.kind != "euclidean":
            raise IllFormed("the operator norm has no derivative here")
        moved = self.of(node.of)
        if moved is None:
            return None
        products = making.entrywise("multiply", self.value(node.of), moved)
        return making.entrywise("divide", making.total(products, -1), self.value(node))

    def fold(self, node: nodes.Fold) -> Node | None:
        moved = self.of(node.of)
        if moved is None:
            return None
        vector = self.value(node.of)
        place = binding.fresh(0, vector.shape[0])
        gap = whole(Axis(0)) - whole(place)
        here = making.take(making.number(1), (), vector.shape, [gap, -gap])
        others = making.entrywise(
            "add",
            making.entrywise(
                "multiply", vector, making.entrywise("subtract", making.number(1), here)
            ),
            here,
        )
        rest = binding.build(place, nodes.Fold(node.operation, others))
        return making.total(making.entrywise("multiply", moved, rest))

    def take(self, node: nodes.Take) -> Node | None:
        moved = self.of(node.of)
        if moved is None:
            return None
        return making.take(moved, node.places, node.lengths, node.guards)

    def reshape(self, node: nodes.Reshape) -> Node | None:
        moved = self.of(node.of)
        return None if moved is None else making.reshaped(moved, node.lengths)

    def join(self, node: nodes.Join) -> Node | None:
        moved = [self.of(part) for part in node.parts]
        if all(one is None for one in moved):
            return None
        return making.joined(
            [_or_zeros(one, part) for one, part in zip(moved, node.parts, strict=True)], node.axis
        )

    def build(self, node: nodes.Build) -> Node | None:
        position, entry = binding.opened(node)
        moved = self.of(entry)
        return None if moved is None else binding.build(position, moved)

    def loop(self, node: nodes.Loop) -> Node | None:
        """The states and how they move go through the turns together."""
        r = node.recursion
        count = len(r.states)
        time, states, steps = binding.opened_turns(r)
        moves = binding.placeholders([one.shape for one in states])
        moving = dict(zip(states, moves, strict=True))
        inner = _Derivative({**self.directions, **moving}, self.images)
        start, after = [*map(self.of, r.start)], [*map(inner.of, steps)]
        if all(one is None for one in (*start, *after)):
            return None
        starts = [_or_zeros(m, one) for m, one in zip(start, r.start, strict=True)]
        afters = [_or_zeros(m, one) for m, one in zip(after, steps, strict=True)]
        made = binding.recursion(
            time,
            [*states, *moves],
            [*map(self.value, r.start), *starts],
            [*map(inner.value, steps), *afters],
        )
        return nodes.Loop(made, count + node.number)

    def refused(self, node: Node) -> Node | None:
        raise IllFormed(f"{type(node).__name__} has no derivative here")


RULES: dict[type[Node], Callable[[_Derivative, Any], Node | None]] = {
    nodes.Placeholder: lambda d, n: d.placeholder(n),
    nodes.Parameter: lambda d, n: d.parameter(n),
    nodes.Map: lambda d, n: d.map(n),
    nodes.Contract: lambda d, n: d.contract(n),
    nodes.Norm: lambda d, n: d.norm(n),
    nodes.Fold: lambda d, n: d.fold(n),
    nodes.Take: lambda d, n: d.take(n),
    nodes.Reshape: lambda d, n: d.reshape(n),
    nodes.Join: lambda d, n: d.join(n),
    nodes.Build: lambda d, n: d.build(n),
    nodes.Loop: lambda d, n: d.loop(n),
    nodes.Gradient: lambda d, n: d.refused(n),
}
"""The rule for each kind of node that a placeholder can occur in."""

_make = making.entrywise
_two = making.number(2)


def _of_quotient(k: int, moved: Node, values: list[Node], value: Node) -> Node:
    if k == 0:
        return _make("divide", moved, values[1])
    return _make("negative", _make("divide", _make("multiply", value, moved), values[1]))


def _of_power(k: int, moved: Node, values: list[Node], value: Node) -> Node:
    base, exponent = values
    times = making.entry_of(exponent)
    if k or times is None or not nonnegative(times - 1, exponent.shape):
        if times == 0:
            return _make("subtract", moved, moved)
        raise IllFormed("a power whose exponent may be 0 has no derivative here")
    lower = _make("subtract", exponent, making.number(1))
    if isinstance(exponent, nodes.Number):
        lower = making.number(times - 1)
    smaller = base if lower is making.number(1) else _make("power", base, lower)
    return _make("multiply", _make("multiply", exponent, smaller), moved)


SLOPES: dict[str, Callable[[int, Node, list[Node], Node], Node]] = {
    "add": lambda k, moved, values, value: moved,
    "subtract": lambda k, moved, values, value: _make("negative", moved) if k else moved,
    "negative": lambda k, moved, values, value: _make("negative", moved),
    "multiply": lambda k, moved, values, value: _make("multiply", moved, values[1 - k]),
    "divide": _of_quotient,
    "power": _of_power,
    "exp": lambda k, moved, values, value: _make("multiply", value, moved),
    "log": lambda k, moved, values, value: _make("divide", moved, values[0]),
    "sqrt": lambda k, moved, values, value: _make("divide", moved, _make("multiply", _two, value)),
}
"""How a function of entries moves when its argument number k does: the argument's move, the arguments, its value."""


def _sum(one: Node | None, other: Node) -> Node:
    return other if one is None else making.entrywise("add", one, other)


def _or_zeros(moved: Node | None, like: Node) -> Node:
    return making.full(making.number(0), like.shape) if moved is None else moved

"""Builds as whole arrays: what is computed for each position is computed for all of them at once, along a first axis.

It is the same array, for readings that go through positions one by one otherwise. What cannot be written so stays a
`Build`: rows whose inner lengths depend on the position, products of positions, products along an axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..statement import binding, making, nodes
from ..statement.nodes import Node
from ..statement.rewriting import Rewriting
from ..statement.statement import Statement
from ..statement.whole import Axis, Number, Position, Whole, free, parts, substituted, whole


class _Ragged(Exception):
    """Something that is no whole array."""


def in_whole_arrays(statement: Statement) -> Statement:
    """The statement with its Builds as whole arrays, where they are such."""
    writing = _Writing()
    relations = tuple(
        replace(one, left=writing.of(one.left), right=writing.of(one.right))
        for one in statement.relations
    )
    return replace(statement, relations=relations)


class _Writing(Rewriting):
    kind = nodes.Build

    def build(self, position: Position, entry: Node) -> Node:
        try:
            return _Lifting(position).of(entry)
        except _Ragged:
            return super().build(position, entry)


class _Lifting:
    """Nodes for all values of a position, along a new first axis."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.length = position.length
        self.all: dict[Node, Node] = {}
        """Placeholders that have a new first axis, and what else is known to have one."""
        self.moving: frozenset[Any] = frozenset({position})

    def depends(self, node: Node) -> bool:
        """Whether a node is another one for each value of the position."""
        return not node.free.isdisjoint(self.moving)

    def of(self, node: Node) -> Node:
        """The node with a new first axis."""
        if any(self.position in free(length) for length in node.shape):
            raise _Ragged
        if not self.depends(node):
            places = [whole(Axis(k + 1)) for k in range(len(node.shape))]
            return making.take(node, places, (self.length, *node.shape))
        if node not in self.all:
            rule = RULES.get(type(node))
            if rule is None:
                raise _Ragged
            self.all[node] = rule(self, node)
        return self.all[node]

    def number(self, node: nodes.Number) -> Node:
        positions: Node = nodes.Positions(self.length)
        low = self.position.low
        found: Node = making.number(0)
        for m, c in parts(node.value):  # type: ignore[arg-type]
            if self.position not in m:
                rest = Whole(((m, c),)) if m else c
                found = making.entrywise("add", found, making.number(rest))
                continue
            if len(m) > 1:
                raise _Ragged
            one = making.entrywise("add", positions, making.number(low))
            scaled = making.entrywise("multiply", one, making.number(c))
            found = making.entrywise("add", found, scaled)
        return found

    def map(self, node: nodes.Map) -> Node:
        rank = len(node.shape)
        arguments = []
        for one in node.arguments:
            arguments.append(self._aligned(one, rank) if self.depends(one) else one)
        return making.entrywise(node.function, *arguments)

    def contract(self, node: nodes.Contract) -> Node:
        new = 1 + max((name for names in node.axes for name in names), default=0)
        factors, axes = [], []
        for one, names in zip(node.factors, node.axes, strict=True):
            moves = self.depends(one)
            factors.append(self.of(one) if moves else one)
            axes.append((new, *names) if moves else names)
        return nodes.Contract(tuple(factors), tuple(axes), (new, *node.result))

    def opaque(self, node: nodes.Opaque) -> Node:
        rank = len(node.shape)
        arguments = [self._aligned(one, rank) for one in node.arguments]
        return making.opaque(node.name, node.laws, *arguments)

    def _aligned(self, node: Node, rank: int) -> Node:
        """The node for all positions, with its axes behind those that it lacks among so many."""
        lifted = self.of(node)
        for _ in range(rank - len(node.shape)):
            lifted = making.expanded(lifted, 1)
        return lifted

    def lookup(self, node: nodes.Lookup) -> Node:
        if self.depends(node.of):
            raise _Ragged
        return making.lookup(node.of, self.of(node.places))

    def solve(self, node: nodes.Solve) -> Node:
        return nodes.Solve(self.of(node.matrix), self.of(node.right), node.unit)

    def norm(self, node: nodes.Norm) -> Node:
        return nodes.Norm(node.kind, self.of(node.of))

    def take(self, node: nodes.Take) -> Node:
        images = {Axis(k): whole(Axis(k + 1)) for k in range(len(node.lengths))}
        images[self.position] = whole(Axis(0)) + self.position.low  # type: ignore[index]

        def moved(number: Number) -> Number:
            found = substituted(number, images)
            for m, _ in parts(found):
                if sum(isinstance(symbol, Axis) for symbol in m) > 1:
                    raise _Ragged
            return found

        moves = self.depends(node.of)
        places = [moved(place) for place in node.places]
        return making.take(
            self.of(node.of) if moves else node.of,
            [whole(Axis(0)), *places] if moves else places,
            (self.length, *node.lengths),
            [moved(guard) for guard in node.guards],
        )

    def reshape(self, node: nodes.Reshape) -> Node:
        return nodes.Reshape(self.of(node.of), (self.length, *node.lengths))

    def join(self, node: nodes.Join) -> Node:
        return making.joined([self.of(part) for part in node.parts], node.axis + 1)

    def build(self, node: nodes.Build) -> Node:
        position, entry = binding.opened(node)
        rows = binding.build(position, self.of(entry))
        return making.permuted(rows, [1, 0, *range(2, len(rows.shape))])

    def loop(self, node: nodes.Loop) -> Node:
        r = node.recursion
        if self.position in r.time.free:
            raise _Ragged
        time, states, steps = binding.opened_turns(r)
        if any(self.position in free(n) for one in states for n in one.shape):
            raise _Ragged
        lifted = binding.placeholders([(self.length, *one.shape) for one in states])
        self.all.update(zip(states, lifted, strict=True))
        self.moving |= frozenset(states)
        made = binding.recursion(
            time, lifted, [self.of(one) for one in r.start], [self.of(one) for one in steps]
        )
        found = nodes.Loop(made, node.number)
        return making.permuted(found, [1, 0, *range(2, len(found.shape))])


RULES: dict[type[Node], Callable[[_Lifting, Any], Node]] = {
    nodes.Parameter: lambda lifting, node: lifting.of(node.of),
    nodes.Number: _Lifting.number,
    nodes.Map: _Lifting.map,
    nodes.Opaque: _Lifting.opaque,
    nodes.Lookup: _Lifting.lookup,
    nodes.Solve: _Lifting.solve,
    nodes.Held: lambda lifting, node: nodes.Held(lifting.of(node.of), node.format),
    nodes.Contract: _Lifting.contract,
    nodes.Norm: _Lifting.norm,
    nodes.Take: _Lifting.take,
    nodes.Reshape: _Lifting.reshape,
    nodes.Join: _Lifting.join,
    nodes.Build: _Lifting.build,
    nodes.Loop: _Lifting.loop,
}
"""For each kind of node how it is for all positions at once."""

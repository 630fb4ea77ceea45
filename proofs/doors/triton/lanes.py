"""Lanes of several programs as the places of one axis: what is computed lane by lane is the same at place 8·u + lane.

An axis of 8 lanes, of which program u has those from 8·u on, is replaced by one of all places: the lane is place − 8·u.
What programs have in common then cancels, also through sums over other axes and through loops whose states have lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...statement import binding, making, nodes
from ...statement.nodes import Loop, Node, Placeholder
from ...statement.whole import Axis, Number, Whole, substituted, whole
from .places import mentions_any
from .values import mentions


class Unlike(Exception):
    """What is computed is not done lane by lane."""


class Lanes:
    """The lanes of an axis as places.

    Args:
        known: what holds of whole numbers.
        first: the place of a program's first lane, by its position and by stand-ins for turns.
        length: how many places there are.
        gone: these positions, which are to cancel.
    """

    def __init__(self, known: Any, first: Number, length: Number, gone: frozenset[Any]) -> None:
        self.known, self.first, self.length, self.gone = known, first, length, gone
        self._states: dict[Placeholder, tuple[int, Placeholder]] = {}
        """States of loops that have lanes: the axis that has them, and what stands for the state with places."""
        self._plain: set[Placeholder] = set()
        """Those of which entries are asked for by other axes alone."""
        self._done: dict[tuple[Node, tuple[Number, ...], tuple[Number, ...]], Node] = {}

    def of(self, node: Node, places: Sequence[Number], shape: Sequence[Number]) -> Node:
        """Entries of a node at places, in which a lane is a place less the program's first.

        Raises:
            Unlike: if the programs' lanes are not places of one axis in it.
        """
        key = node, tuple(places), tuple(shape)
        if key not in self._done:
            self._done[key] = self._of(*key)
        return self._done[key]

    def _of(self, node: Node, places: tuple[Number, ...], shape: tuple[Number, ...]) -> Node:
        if not any(map(self._speaks, places)) and node.free.isdisjoint(self.gone):
            if isinstance(node, Placeholder):
                self._plain.add(node)
            if not any(one in self._states for one in node.free):
                return self._take(node, places, shape)
        match node:
            case nodes.Map():
                return self._map(node, places, shape)
            case nodes.Take():
                return self._elsewhere(node, places, shape)
            case nodes.Contract():
                return self._contract(node, places, shape)
            case nodes.Fold():
                inner = [_moved(place, 1) for place in places]
                found = self.of(node.of, [whole(Axis(0)), *inner], (node.of.shape[0], *shape))
                return nodes.Fold(node.operation, found)
            case nodes.Build():
                return self._build(node, places, shape)
            case Placeholder():
                return self._state(node, places, shape)
            case Loop():
                return self._loop(node, places, shape)
        return self._take(node, places, shape)

    def _speaks(self, number: Number) -> bool:
        return mentions_any(number, *self.gone)

    def _take(
        self,
        node: Node,
        places: Sequence[Number],
        shape: tuple[Number, ...],
        guards: frozenset[Number] = frozenset(),
    ) -> Node:
        kept = [g for g in guards if not self.known.nonnegative(g, shape)]
        found = making.take(node, places, shape, kept)
        if isinstance(found, nodes.Take) and found.guards:
            kept = [g for g in found.guards if not self.known.nonnegative(g, shape)]
            return making.take(found.of, found.places, shape, kept)
        return found

    def _map(self, node: nodes.Map, places: Sequence[Number], shape: tuple[Number, ...]) -> Node:
        every = []
        for one in node.arguments:
            own = places[len(places) - len(one.shape) :]
            own = [0 if n == 1 else place for n, place in zip(one.shape, own, strict=True)]
            every.append(self.of(one, own, shape))
        return making.entrywise(node.function, *every)

    def _elsewhere(
        self, node: nodes.Take, places: Sequence[Number], shape: tuple[Number, ...]
    ) -> Node:
        images = {Axis(k): place for k, place in enumerate(places)}
        inside = [substituted(place, images) for place in node.places]
        guards = frozenset(substituted(g, images) for g in node.guards)
        guards = frozenset(g for g in guards if not self.known.nonnegative(g, shape))
        if guards:
            return self._take(node.of, inside, shape, guards)
        return self.of(node.of, inside, shape)

    def _contract(
        self, node: nodes.Contract, places: Sequence[Number], shape: tuple[Number, ...]
    ) -> Node:
        """A sum over other axes: each factor has those axes of the result of which its places speak."""
        rank = len(shape)
        summed = {
            name: n
            for names, one in zip(node.axes, node.factors, strict=True)
            for name, n in zip(names, one.shape, strict=True)
            if name not in node.result
        }
        at = dict(zip(node.result, places, strict=True))
        at |= {name: whole(Axis(rank + k)) for k, name in enumerate(summed)}
        lengths = (*shape, *summed.values())
        factors, axes, seen = [], [], set()
        for names, one in zip(node.axes, node.factors, strict=True):
            own = [at[name] for name in names]
            kept = [k for k in range(len(lengths)) if any(mentions(p, Axis(k)) for p in own)]
            seen |= set(kept)
            back = {Axis(k): whole(Axis(n)) for n, k in enumerate(kept)}
            inner = [substituted(place, back) for place in own]
            # an axis of a factor may be that of a place on another axis: the lane is one less the first
            factors.append(self._of_fewer(one, inner, [lengths[k] for k in kept]))
            axes.append(kept)
        result = [k for k in range(rank) if k in seen]
        found = making.contracted(factors, axes, result)
        return making.take(found, [whole(Axis(k)) for k in result], shape)

    def _of_fewer(self, one: Node, places: Sequence[Number], lengths: Sequence[Number]) -> Node:
        return self.of(one, places, tuple(lengths))

    def _build(
        self, node: nodes.Build, places: Sequence[Number], shape: tuple[Number, ...]
    ) -> Node:
        place, *others = places
        low = node.position.low
        axes = [s for s in getattr(place, "symbols", ()) if isinstance(s, Axis)]
        if not axes:
            return self.of(
                binding.replaced(node.entry, {node.position: place + low}), others, shape
            )
        (axis, *more) = axes
        position = node.position
        if more or place != whole(axis) or any(mentions(p, axis) for p in others):
            raise Unlike
        if shape[axis.number] != position.length:
            raise Unlike
        opened, entry = binding.opened(node)
        k = axis.number
        later = {Axis(n): whole(Axis(n - 1)) for n in range(k + 1, len(shape))}
        inner = [substituted(p, later) for p in others]
        found = binding.build(opened, self.of(entry, inner, (*shape[:k], *shape[k + 1 :])))
        order = [*range(1, k + 1), 0, *range(k + 1, len(shape))]
        return making.permuted(found, order)

    # Loops.

    def _axis_of(self, places: Sequence[Number], shape: Sequence[Number]) -> tuple[int, int] | None:
        """Which place is a lane, and on which axis it is a place; None where none is.

        Raises:
            Unlike: if a place speaks of a program otherwise.
        """
        spoken = [j for j, place in enumerate(places) if self._speaks(place)]
        if not spoken:
            return None
        if len(spoken) > 1:
            raise Unlike
        (j,) = spoken
        for k, length in enumerate(shape):
            if length == self.length and places[j] == whole(Axis(k)) - self.first:
                return j, k
        raise Unlike

    def _state(
        self, node: Placeholder, places: Sequence[Number], shape: tuple[Number, ...]
    ) -> Node:
        """A state before a turn, with places where it had lanes."""
        at = self._axis_of(places, shape)
        if at is None:
            self._plain.add(node)
            return making.take(node, places, shape)
        j, k = at
        wide = self._wide(node, j)
        return making.take(wide, [*places[:j], whole(Axis(k)), *places[j + 1 :]], shape)

    def _wide(self, node: Placeholder, axis: int) -> Placeholder:
        if node not in self._states:
            lengths = (*node.shape[:axis], self.length, *node.shape[axis + 1 :])
            (made,) = binding.placeholders([lengths])
            self._states[node] = axis, made
        if self._states[node][0] != axis:
            raise Unlike
        return self._states[node][1]

    def _loop(self, node: Loop, places: Sequence[Number], shape: tuple[Number, ...]) -> Node:
        at = self._axis_of(places[1:], shape)
        if at is None or self._speaks(places[0]):
            raise Unlike
        j, k = at
        r = node.recursion
        time, states, steps = binding.opened_turns(r)
        self._wide(states[node.number], j)
        after: dict[Placeholder, Node] = {}
        while waiting := [one for one in states if one in self._states and one not in after]:
            for one in waiting:
                after[one] = self._with_places(steps[states.index(one)], self._states[one][0])
        start = list(r.start)
        for n, one in enumerate(states):
            if one in after:
                start[n] = self._with_places(start[n], self._states[one][0])
        if any(one in self._plain for one in after):
            raise Unlike  # some turn asks for entries of the state at lanes of its own
        given = [self._states[one][1] if one in after else one for one in states]
        turned = [after.get(one, step) for one, step in zip(states, steps, strict=True)]
        made = Loop(binding.recursion(time, given, start, turned), node.number)
        inside = [*places[: j + 1], whole(Axis(k)), *places[j + 2 :]]
        return making.take(made, inside, shape)

    def _with_places(self, node: Node, axis: int) -> Node:
        """A state with places on this axis."""
        places = list(making.places_of(node.shape))
        places[axis] = places[axis] - self.first
        shape = (*node.shape[:axis], self.length, *node.shape[axis + 1 :])
        return self.of(node, places, shape)


def _moved(place: Number, by: int) -> Number:
    """A place whose axes have others in front."""
    if not isinstance(place, Whole):
        return place
    axes = [s for s in place.symbols if isinstance(s, Axis)]
    return substituted(place, {s: whole(Axis(s.number + by)) for s in axes})

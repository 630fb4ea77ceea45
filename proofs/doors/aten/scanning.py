"""The rule for `scan`: a recursion of nodes; what a state only collects is an array, or a sum over turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...statement import along, binding, choices, making, nodes
from ...statement.nodes import Loop, Node, Placeholder
from ...statement.reshaping import reshaped
from ...statement.whole import Number, Position, free, substituted, whole
from ..infinities import Odd, Value, moved
from .writing import Write, Writes


def lowered(
    at: Any, graph: Any, start: Sequence[Value], tokens: Sequence[Value], fixed: Sequence[Any]
) -> list[Any]:
    """The last states, and what the turns give along a first axis."""
    (positions,) = tokens
    (time,) = fixed[0].symbols
    assert isinstance(time, Position)
    if time.length != positions.node.shape[0]:
        raise at.refuse("a scan whose number of turns is another")
    states = [_State(one) for one in start]
    made = binding.placeholders([node.shape for one in states for node in one.start])
    given = iter(made)
    for one in states:
        one.before = [next(given) for _ in one.start]
    inner = at.inside(
        graph,
        [
            *(one.value() for one in states),
            Value(making.number(whole(time)), positions.dtype),
            *fixed,
        ],
    )
    found = inner.outputs()
    after, outputs = found[: len(states)], found[len(states) :]
    for one, new in zip(states, after, strict=True):
        one.step(at, new)
    recursion = _Recursion(at.writes, time, states)
    recursion.settle()
    return [
        *(recursion.last(one) for one in states),
        *(None if one is None else recursion.every(at, one) for one in outputs),
    ]


class _State:
    """A state of a scan: its entries, and where they are finite if they may be infinite."""

    def __init__(self, start: Value) -> None:
        self.of = start
        self.start = [start.node] if start.odd is None else [start.node, start.where]
        self.before: list[Placeholder] = []
        self.after: list[Node] = []

    def value(self) -> Value:
        """Before a turn."""
        return self.of_nodes(self.before)

    def of_nodes(self, found: Sequence[Node]) -> Value:
        """What the state is whose entries, and where they are infinite, are these."""
        odd = self.of.odd and Odd(self.of.odd.number, found[1])
        return replace(self.of, node=found[0], odd=odd)

    def step(self, at: Any, new: Value) -> None:
        """Say what it is after a turn."""
        if new.odd is not None and (self.of.odd is None or new.odd.number != self.of.odd.number):
            raise at.refuse("a state that becomes infinite in a loop")
        self.after = [new.node] if self.of.odd is None else [new.node, new.where]


class _Recursion:
    """States together; what they come to is found for one after the other."""

    def __init__(self, writes: Writes, time: Position, states: Sequence[_State]) -> None:
        self.writes, self.time = writes, time
        self.start = {p: n for one in states for p, n in zip(one.before, one.start, strict=True)}
        self.steps = {p: n for one in states for p, n in zip(one.before, one.after, strict=True)}
        self.finals: dict[Placeholder, Node] = {}
        """What states come to that are no recursion."""
        self.before: dict[Node, Node] = {}
        """States before a turn that each turn gives a value without reading any."""
        self.images: dict[Node, Node] = {}
        """These, and those of the loops."""
        self.loops: dict[Any, Node] = {}
        self.known: dict[Node, Node] = {}

    def settle(self) -> None:
        """Tell states that only collect from those of a recursion, and make the latter's loops."""
        collected: dict[Placeholder, tuple[str, Any]] = {}
        for state, step in self.steps.items():
            users = [s for s, n in self.steps.items() if s is not state and state in n.free]
            renewed = self.steps.keys().isdisjoint(step.free)
            kind = None if users and not renewed else self._kind(state, step)
            if kind is not None:
                collected[state] = kind
        self.collected = collected
        for state, (kind, what) in collected.items():
            if kind == "renewed":
                every = self._renewed(state, what)
                self.before[state] = making.row(every, whole(self.time))
                self.finals[state] = making.row(every, self.time.length)
        # Where a state that only collects is read by what the turns give, it is one of the recursion.
        self._recur([one for one in self.steps if one not in collected])
        for state, (kind, what) in collected.items():
            if kind != "renewed":
                made = self._written if kind == "written" else self._summed
                self.finals[state] = made(state, what)

    def _recur(self, states: Sequence[Any]) -> None:
        """Make loops of these states."""
        self.loops = {}
        if states:
            steps = [binding.replaced(self.steps[one], self.before, {}) for one in states]
            start = [self.start[one] for one in states]
            recursion = binding.recursion(self.time, states, start, steps)
            self.loops = {one: Loop(recursion, k) for k, one in enumerate(states)}
        own = {one: making.row(loop, whole(self.time)) for one, loop in self.loops.items()}
        self.images, self.known = {**self.before, **own}, {}

    def _kind(self, state: Placeholder, step: Node) -> tuple[str, Any] | None:
        if step is state:
            return "written", None
        if self.steps.keys().isdisjoint(step.free):
            return "renewed", step
        write = self.writes.known.get(step)
        if write is not None and write.base is state and state not in write.part.free:
            moved = [w for w in write.windows if any(self.time in free(n) for n in w[1:])]
            if len(moved) == 1 and _steps_on(moved[0], self.time):
                return "written", write
            return None
        added = _added(step, state)
        return None if added is None else ("summed", added)

    def at_turn(self, node: Node) -> Node:
        """A node with the states before a turn as those of the loops."""
        return binding.replaced(node, self.images, self.known)

    def _written(self, state: Placeholder, write: Write | None) -> Node:
        """What is written turn by turn, side by side."""
        start = self.start[state]
        if write is None:
            return start
        ((k, first, count),) = [
            w for w in write.windows if any(self.time in free(n) for n in w[1:])
        ]
        others = {j: (s, n) for j, s, n in write.windows if j != k}
        begin = substituted(first, {self.time: 0})
        step = substituted(first, {self.time: 1}) - begin
        turns = self.time.length
        part = self.at_turn(write.part)
        if step in (1, -1) and count == 1:
            row = reshaped(part, [*part.shape[:k], *part.shape[k + 1 :]])
            rows = along.back(binding.build(self.time, row), k)
            if step == -1:
                rows = making.reversed_along(rows, [k])
                begin = begin - turns + 1
            length: Number = turns
        else:
            every = along.back(binding.build(self.time, part), k)
            length = turns * count
            shape = (*part.shape[:k], length, *part.shape[k + 1 :])
            rows = reshaped(every, shape)
        return self.writes.written(start, {k: (begin, length), **others}, rows)

    def _renewed(self, state: Placeholder, step: Node) -> Node:
        """A state that each turn gives a value without reading any, before each turn and after the last."""
        start = self.start[state]
        first = reshaped(start, (1, *start.shape))
        return making.joined([first, binding.build(self.time, step)], 0)

    def _summed(self, state: Placeholder, added: Node) -> Node:
        every = binding.build(self.time, self.at_turn(added))
        return choices.add(self.start[state], making.total(every, 0))

    def last(self, one: _State) -> Value:
        """A state after all turns."""
        found = [
            self.finals[p] if p in self.finals else making.row(self.loops[p], self.time.length)
            for p in one.before
        ]
        return one.of_nodes(found)

    def every(self, at: Any, one: Value) -> Value:
        """What the turns give, along a first axis."""
        if any(self.time in free(n) for n in one.node.shape):
            raise at.refuse("a loop that gives arrays of different lengths")
        missing = [s for s in self.collected if s in one.node.free and s not in self.images]
        if missing:
            self._restore(missing)
        return moved(lambda node: binding.build(self.time, self.at_turn(node)), [one])

    def _restore(self, states: Sequence[Placeholder]) -> None:
        """Make loops of states that only collect, too, since the turns give what they were meanwhile."""
        self._recur([*self.loops, *(s for s in states if s not in self.loops)])


def _steps_on(window: tuple[int, Number, Number], time: Position) -> bool:
    """Whether turns write one place after the other, without gaps."""
    _, first, count = window
    begin = substituted(first, {time: 0})
    step = substituted(first, {time: 1}) - begin
    linear = substituted(first, {time: 2}) - begin == step + step
    return linear and time not in free(count) and (step == count or (step == -1 and count == 1))


def _added(step: Node, state: Placeholder) -> Node | None:
    """What a turn adds to a state that it uses in no other way; None where it does something else."""
    if isinstance(step, nodes.Map) and step.function == "add" and step.lengths == state.shape:
        left, right = step.arguments
        for one, other in ((left, right), (right, left)):
            if state in other.free:
                continue
            if one is state:
                return making.spread(other, state.shape)
            inner = _added(one, state)
            if inner is not None:
                return choices.add(inner, other)
    return None

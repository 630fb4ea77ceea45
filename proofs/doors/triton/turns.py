"""Rules of loops and conditions. A loop becomes a recursion in its real numbers; its whole numbers are those of a turn.

Whole numbers and places that a loop carries change by the same in every turn, which is seen from one turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...statement import binding, making
from ...statement.nodes import Node
from ...statement.turns import turned
from ...statement.whole import Axis, Number, Position, substituted, whole
from .. import infinities
from ..infinities import Value, with_odd
from .arithmetic import negated
from .memory import Store
from .places import mentions_any
from .table import rule
from .text import Block, Operation
from .values import Any_, Flags, Ints, Pointer, Reals, relocated

FEW = 4
"""Loops with no more turns than this, a number, are read turn by turn."""
FAR = 2**62
"""No whole number that a loop carries is greater."""


@rule("scf.for")
def _loop(at: Any, one: Operation, *bounds: Any) -> list[Any_]:
    low, high, step = (at.ints(v).number for v in bounds[1:4])
    if not isinstance(step, int) or step < 1:
        raise at.refuse("a loop whose step is none of the numbers 1, 2, …")
    gap = high - low
    if not at.known.always.nonnegative(gap):
        if at.known.nonnegative(-gap):
            return [at.values[first] for _, first in one.carried]
        raise at.decided(gap, "whether a loop has turns")
    turns = gap if step == 1 else at.known.quotient(gap + step - 1, step)
    start = [at.values[first] for _, first in one.carried]
    (block,) = one.blocks
    if isinstance(turns, int) and turns <= FEW:
        for k in range(turns):
            start = at.done(block, [Ints(low + k * step), *start])
        return start
    deltas = _deltas(at, one, block, start, low, step, turns)
    return _Loop(at, block, start, deltas, low, step, turns).results()


def _deltas(
    at: Any, one: Operation, block: Block, start: list[Any_], low: Number, step: int, turns: Number
) -> list[Number | None]:
    """What each whole number that is carried changes by in a turn; None for real numbers."""
    time = binding.fresh(0, turns)
    marks = {k: binding.fresh(0, FAR) for k, v in enumerate(start) if not isinstance(v, Reals)}
    given: list[Any_ | None] = [Ints(low + whole(time) * step)]
    for k, value in enumerate(start):
        given.append(None if k not in marks else _shifted(at, value, whole(marks[k])))
    last = block.operations[-1]
    found = at.only(block, given, [last.operands[k] for k in marks])
    deltas: list[Number | None] = [None] * len(start)
    for (k, mark), after in zip(marks.items(), found, strict=True):
        before = given[k + 1]
        if type(after) is not type(before) or getattr(after, "array", 0) != getattr(
            before, "array", 0
        ):
            raise at.refuse("a whole number that a loop carries, and that becomes something else")
        delta = _number(after) - _number(before)
        if mentions_any(delta, time, *marks.values()):
            raise at.refuse(
                "a whole number that a loop carries does not change by the same in every turn"
            )
        del mark
        deltas[k] = delta
    return deltas


def _number(value: Any) -> Number:
    return value.offset if isinstance(value, Pointer) else value.number


def _shifted(at: Any, value: Any_, by: Number) -> Any_:
    """A whole number or place further on."""
    match value:
        case Pointer():
            return replace(value, offset=value.offset + by)
        case Ints():
            return Ints(value.number + by, value.shape)
    raise at.refuse("truths that a loop carries")


class _Loop:
    """A loop that is read once, for all turns."""

    def __init__(
        self,
        at: Any,
        block: Block,
        start: Sequence[Any_],
        deltas: Sequence[Number | None],
        low: Number,
        step: int,
        turns: Number,
    ) -> None:
        self.at, self.block, self.start, self.deltas = at, block, list(start), deltas
        self.low, self.step, self.turns = low, step, turns
        self.now: Any = None
        """The position that the number of a turn is."""

    def results(self) -> list[Any_]:
        """What it leaves; what it stores is noted with turns as the first axis."""
        for _ in range(2):
            found = self._read()
            if found is not None:
                return found
        raise self.at.refuse("what is known of a number that a loop carries changes in every turn")

    def _states(self) -> list[Node]:
        """The nodes that the first turn begins with: numbers, and for each that may be infinite where it is."""
        found = []
        for value in self.start:
            if isinstance(value, Reals):
                found.append(value.value.node)
                if value.value.odd is not None:
                    found.append(value.value.where)
        return found

    def _given(self, states: Sequence[Node], time: Number) -> list[Any_]:
        """What is carried, after so many turns."""
        left = list(states)
        found: list[Any_] = []
        for value, delta in zip(self.start, self.deltas, strict=True):
            if not isinstance(value, Reals):
                assert delta is not None
                found.append(_shifted(self.at, value, delta * time))
                continue
            node = left.pop(0)
            if value.value.odd is None:
                found.append(replace(value, value=Value(node, "float")))
            else:
                odd = with_odd(node, "float", value.value.odd.number, left.pop(0))
                found.append(replace(value, value=odd))
        return found

    def _read(self) -> list[Any_] | None:
        """What it leaves; None where the start was to be another, which it now is."""
        at, before = self.at, len(self.at.stores)
        wider: list[Any_] = []
        loaded = dict(at.loaded)

        def turn(time: Number, states: Sequence[Node]) -> tuple[list[Node], list[Node]]:
            given = [Ints(self.low + time * self.step), *self._given(states, time)]
            (self.now,) = time.symbols  # type: ignore[union-attr]
            after = at.done(self.block, given)
            self._expect_deltas(given[1:], after)
            wider[:] = self._wider(after)
            outputs = []
            for store in at.stores[before:]:
                outputs += [store.node, *([] if store.mask is None else [store.mask])]
            return self._after(after), outputs

        found = turned(turn, self._states(), self.turns)
        inside, at.stores[before:] = at.stores[before:], []
        if wider != self.start:
            self.start, at.loaded = wider, loaded
            return None
        outputs = list(found.outputs)
        for store in inside:
            node = outputs.pop(0)
            mask = None if store.mask is None else outputs.pop(0)
            at.stores.append(_along(store, node, mask, self.now))
        last = [making.row(state, self.turns) for state in found.states]
        return self._given(last, self.turns)

    def _expect_deltas(self, before: Sequence[Any_], after: Sequence[Any_]) -> None:
        """Refuse whole numbers that do not change in every turn as they did in the one that was tried."""
        for now, later, delta in zip(before, after, self.deltas, strict=True):
            if delta is not None and later != _shifted(self.at, now, delta):
                raise self.at.refuse(
                    "a whole number that a loop carries does not change by the same in every turn"
                )

    def _wider(self, after: Sequence[Any_]) -> list[Any_]:
        """The start, known where it also is after a turn."""
        found: list[Any_] = []
        for value, later in zip(self.start, after, strict=True):
            if isinstance(value, Reals):
                guards = {g for g in self.at.reals(later).known if not mentions_any(g, self.now)}
                value = replace(value, known=value.known | guards)
            found.append(value)
        return found

    def _after(self, after: Sequence[Any_]) -> list[Node]:
        """The states after a turn.

        Raises:
            Refused: if one is infinite where it was a number, or unknown in some turns.
        """
        found = []
        for value, later in zip(self.start, after, strict=True):
            if not isinstance(value, Reals):
                continue
            later = self.at.reals(later)
            if any(mentions_any(g, self.now) for g in later.known):
                raise self.at.refuse(
                    "what was loaded where its mask is false is carried to the next turn"
                )
            odd, other = value.value.odd, later.value.odd
            if other is not None and (
                odd is None or infinities.said(odd) != infinities.said(other)
            ):
                raise self.at.refuse(f"{infinities.said(other)} that a loop comes to carry")
            found.append(making.spread(later.value.node, value.shape))
            if odd is not None:
                found.append(making.spread(later.value.where, value.shape))
        return found


def _along(store: Store, node: Node, mask: Node | None, time: Position) -> Store:
    """A store in all turns of a loop, which are its first axis."""
    count = len(store.node.shape)
    images: dict[Any, Number] = {Axis(k): whole(Axis(k + 1)) for k in range(count)}
    images[time] = whole(Axis(0))
    return replace(
        store,
        node=node,
        mask=mask,
        offset=substituted(store.offset, images),
        guards=frozenset(substituted(g, images) for g in store.guards),
        turns=store.turns + 1,
    )


@rule("scf.if")
def _condition(at: Any, one: Operation, where: Any) -> list[Any_]:
    where = at.settled(at.flags(where))
    blocks = [*one.blocks, *[None] * (2 - len(one.blocks))]
    if where.mask is None and not where.guards:
        return at.done(blocks[0], [])
    other = negated(at, where)
    if other.mask is None and not other.guards:
        return [] if blocks[1] is None else at.done(blocks[1], [])
    results = []
    for block, side in zip(blocks, (where, other), strict=True):
        if side.mask is not None:
            raise at.refuse("a condition that is not one inequality of sizes and positions")
        around, at.known.path = at.known.path, at.known.path | side.guards
        try:
            results.append([] if block is None else at.done(block, []))
        finally:
            at.known.path = around
    found: list[Any_] = []
    for on, off in zip(*results, strict=True):
        found.append(_one_of(at, where, on, off))
    return found


def _one_of(at: Any, where: Flags, on: Any_, off: Any_) -> Any_:
    if on == off:
        return on
    if not (isinstance(on, Reals) and isinstance(off, Reals)):
        raise at.refuse("a whole number, or a place, that depends on a condition")
    if on.known or off.known:
        raise at.refuse("what was loaded where its mask is false comes out of a condition")
    here = relocated(where, [], on.shape)
    assert isinstance(here, Flags)
    return Reals(infinities.select(here.node, on.value, off.value))

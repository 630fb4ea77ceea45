"""Loops from a turn: the turn is made once, on states of which nothing is known, and holds at all times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import binding, making
from .errors import IllFormed
from .nodes import Loop, Node
from .whole import Number, free, whole

Turn = Callable[[Number, Sequence[Node]], tuple[Sequence[Node], Sequence[Node]]]
"""(time, states before) -> (states after, outputs)."""


class Turns(NamedTuple):
    """What comes of a loop."""

    states: list[Node]
    """Each state at all times: at the start, after 1 turn, …, after all."""
    outputs: list[Node]
    """What the turns give, along a first axis."""


def turned(turn: Turn, start: Sequence[Node], length: Number) -> Turns:
    """States that go through `length` turns.

    Raises:
        IllFormed: if a turn changes the shape of a state, or the turns give arrays of different lengths.
    """
    time = binding.fresh(0, length)
    given = binding.placeholders([one.shape for one in start])
    after, outputs = turn(whole(time), given)
    if [one.shape for one in after] != [one.shape for one in start]:
        raise IllFormed("a step that changes the shape or the form of its state")
    recursion = binding.recursion(time, given, start, after)
    states: list[Node] = [Loop(recursion, k) for k in range(len(given))]
    images = {one: making.row(state, whole(time)) for one, state in zip(given, states, strict=True)}
    known: dict[Node, Node] = {}

    def every_turn(one: Node) -> Node:
        if one in after:  # the state after the turn
            return making.rows(states[list(after).index(one)], 1, length)
        entry = binding.replaced(one, images, known)
        if any(time in free(n) for n in entry.shape):
            raise IllFormed("outputs of different lengths")
        return binding.build(time, entry)

    return Turns(states, list(map(every_turn, outputs)))


def one_by_one(turn: Turn, start: Sequence[Node], length: int) -> Turns:
    """The same of a number of turns, each made by itself."""
    states, every, rows = list(start), [list(start)], []
    for time in range(length):
        after, outputs = turn(time, states)
        states = list(after)
        every.append(states)
        rows.append(outputs)
    stacked = [making.stacked(parts) for parts in zip(*rows, strict=True)]
    return Turns([making.stacked(parts) for parts in zip(*every, strict=True)], stacked)

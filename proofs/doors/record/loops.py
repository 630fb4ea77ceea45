"""Loops whose number of turns is a symbol: the step is recorded once, on states of which nothing is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scanproof.constructs.arrays.scan import Scan, leaves, map_leaves

from ...statement import binding, making
from ...statement.nodes import Loop, Node
from ...statement.whole import Number, free, whole
from .array import Recorded, array
from .length import plain
from .recording import current, refusal


def scan(step: Any, parameters: Any, state: Any, tokens: Any, length: Number) -> Scan:
    """`constructs.arrays.scan.scan` of recorded arrays."""
    for leaf in leaves(tokens):
        if array(leaf).node.shape[0] != length:
            raise refusal("a scan over token arrays that are not seen to have one length")

    def turn(time: Any, before: Any) -> tuple[Any, Any]:
        return step(parameters, before, map_leaves(lambda leaf: leaf[time], tokens))

    return run(turn, state, length, step)


def merged(
    step: Any, parameters: Any, state: Any, tokens: Any, chunks: Number, length: Number
) -> Scan:
    """A scan over chunks · length tokens, as one over the chunks of scans over their tokens: the order is the same."""

    def turn(chunk: Any, before: Any) -> tuple[Any, Any]:
        inner = scan(step, parameters, before, map_leaves(lambda leaf: leaf[chunk], tokens), length)
        return inner.final_state, inner

    found = run(turn, state, chunks, step)
    return Scan(found.outputs.states, found.outputs.outputs, found.final_state)


def iterated(step: Callable[[Any], Any], state: Any, count: Number) -> Scan:
    """`count` applications of `state = step(state)`; the outputs are the states before each of them."""
    return run(lambda _, before: (step(before), before), state, count, step)


def run(
    turn: Callable[[Any, Any], tuple[Any, Any]],
    state: Any,
    length: Number,
    step: Callable[..., Any],
) -> Scan:
    """States that go through `length` turns.

    Args:
        turn: (time, state before) -> (state after, output).
        state: the state before the first turn.
        length: how many turns there are.
        step: the function that is repeated, by whose names for states people know them.
    """
    start = [array(leaf).node for leaf in leaves(state)]
    time = binding.fresh(0, length)
    given = binding.placeholders([one.shape for one in start])
    before = iter(given)
    after, output = turn(plain(whole(time)), map_leaves(lambda _: Recorded(next(before)), state))
    steps = [array(leaf).node for leaf in leaves(after)]
    if [one.shape for one in steps] != [one.shape for one in start]:
        raise refusal("a step that changes the shape or the form of its state")
    recursion = binding.recursion(time, given, start, steps)
    current().steps.setdefault(recursion, step)
    every = [Loop(recursion, k) for k in range(len(given))]
    images = {one: making.row(loop, whole(time)) for one, loop in zip(given, every, strict=True)}
    known: dict[Node, Node] = {}

    def all_turns(leaf: Any) -> Recorded:
        entry = binding.replaced(array(leaf).node, images, known)
        if any(time in free(n) for n in entry.shape):
            raise refusal("outputs of different lengths")
        return Recorded(binding.build(time, entry))

    def states(of: Callable[[Node], Node]) -> Any:
        loops = iter(every)
        return map_leaves(lambda _: Recorded(of(next(loops))), state)

    return Scan(
        states(lambda loop: making.rows(loop, 1, length)),
        map_leaves(all_turns, output),
        states(lambda loop: making.row(loop, length)),
    )

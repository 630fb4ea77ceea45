"""Loops over a symbolic number of turns, scans of tokens among them, as recursions of the kernel.

The step is run once, on states of which nothing is known; that defines the recursion and the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scanproof.constructs.arrays.scan import Scan, leaves, map_leaves

from ..kernel import index as declarations
from ..kernel.index import Index, position, reach, variable
from ..kernel.recursion import Recursion, new_state
from .array import KernelArray
from .questions import Unreadable
from .session import current
from .size import plain
from .terms import share


def scan(step: Any, parameters: Any, state: Any, tokens: Any, length: Index) -> Scan:
    """`constructs.arrays.scan.scan` on kernel arrays: states, outputs and the last state as comprehensions."""

    def at(time: Index, before: Any) -> tuple[Any, Any]:
        token = map_leaves(lambda leaf: leaf[plain(time)], tokens)
        return step(parameters, before, token)

    return run_recursion(at, state, length, [*leaves(tokens), *leaves(parameters)], step)


def merged(
    step: Any, parameters: Any, state: Any, tokens: Any, chunks: Index, length: Index
) -> Scan:
    """A scan over chunks · length tokens, as a scan over the chunks of scans: their order is the same."""

    def at(chunk: Index, before: Any) -> tuple[Any, Any]:
        own = map_leaves(lambda leaf: leaf[plain(chunk)], tokens)
        inner = scan(step, parameters, before, own, length)
        return inner.final_state, inner

    found = run_recursion(at, state, chunks, [*leaves(tokens), *leaves(parameters)], step)
    return Scan(found.outputs.states, found.outputs.outputs, found.final_state)


def iterated(step: Callable[[Any], Any], state: Any, count: Index) -> Scan:
    """`count` applications of `state = step(state)`; the states are those before each of them."""
    found = run_recursion(lambda time, before: (step(before), before), state, count, [], step)
    return Scan(found.outputs, None, found.final_state)


def run_recursion(
    at: Callable[[Index, Any], tuple[Any, Any]],
    state: Any,
    length: Index,
    others: Sequence[KernelArray],
    step: Callable[..., Any],
) -> Scan:
    """A state that goes through `length` turns.

    Args:
        at: (time, state before) -> (state after, output), with tuples of kernel arrays.
        state: the state before the first turn.
        length: how many turns.
        others: the arrays that a turn reads besides.
        step: what derivations name.
    """
    start = leaves(state)
    time = position("t", 0, length)
    places = [[position("i", 0, d) for d in leaf.dims] for leaf in start]
    states, steps, output = _opaque(at, state, start, time, places, length, others)
    recursion = Recursion(
        time,
        states,
        [share(leaf.entry(i)) for leaf, i in zip(start, places, strict=True)],
        [share(leaf.entry(i)) for leaf, i in zip(steps, places, strict=True)],
    )
    current().add(recursion, step, length)

    def held(moment: Index, *axes: tuple[Index, Index]) -> Any:
        """The states at a moment, under these axes (length, position)."""
        lengths, first = [d for d, _ in axes], [i for _, i in axes]
        arrays = iter(
            KernelArray((*lengths, *leaf.dims), (*first, *i), s.entry(moment, i))
            for leaf, i, s in zip(start, places, states, strict=True)
        )
        return map_leaves(lambda _: next(arrays), state)

    return Scan(
        held(time + 1, (length, time)),
        map_leaves(lambda leaf: _stacked(leaf, time, length), output),
        held(length),
    )


def _stacked(leaf: KernelArray, time: Index, length: Index) -> KernelArray:
    if any(d.variables() & time.variables() for d in leaf.dims):
        raise Unreadable("outputs of different lengths")
    return KernelArray((length, *leaf.dims), (time, *leaf.at), leaf.shared)


def _opaque(at, state, start, time, places, length, others):
    """States of which nothing is known, what the step makes of them, and its outputs."""
    given: list[Index] = []
    while True:
        states = [new_state("S", i, given) for i in places]
        before = iter(
            KernelArray(leaf.dims, i, s.entry(time, i))
            for leaf, i, s in zip(start, places, states, strict=True)
        )
        current().depth += 1
        try:
            after, output = at(time, map_leaves(lambda _, before=before: next(before), state))
        finally:
            current().depth -= 1
        steps = leaves(after)
        if [leaf.dims for leaf in steps] != [leaf.dims for leaf in start]:
            raise Unreadable("a step that changes the shape of its state")
        more = _spoken_of(start, steps, places, time, length)
        if more == [position_of(v) for v in given]:
            return states, steps, output
        given = [variable(v) for v in more]


def position_of(v: Index) -> int:
    """The number of the variable that the index is."""
    return v.terms[0][0]


def _spoken_of(start, steps, places, time, length) -> list[int]:
    """Every other position that a recursion speaks of."""
    found = set(length.variables())
    own = {position_of(time)}
    for leaf, after, place in zip(start, steps, places, strict=True):
        own |= {position_of(v) for v in place}
        for one in (leaf, after):
            found |= one.shared.scope - {position_of(v) for v in one.at}
        found = found.union(*(d.variables() for d in leaf.dims))
    return sorted(reach(found) - own - declarations.current.sizes)

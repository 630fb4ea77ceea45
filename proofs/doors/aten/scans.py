"""A recursion as one `scan` of PyTorch's graph, whatever the number of its turns, with a derivative that is one, too.

PyTorch's own derivative of a scan does not take symbols for sizes. So the scan is a function with a derivative of ours:
forwards the states before each turn are kept; backwards a scan goes through the turns from the last to the first, by
PyTorch's derivative of one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .indexing import lines
from .refusal import torch

Turn = Callable[[Any, list[Any], list[Any]], tuple[list[Any], list[Any]]]
"""(number of the turn, states, what does not change) -> (states after it, what it gives)."""


@dataclass(frozen=True)
class Symbols:
    """Where the symbols for numbers of turns come from."""

    new: Callable[[Any], Any]
    """One for a loop of so many turns."""
    reserved: Callable[[], list[Any]]
    """Some for the loops inside of it."""
    inside: Callable[[list[Any]], Any]
    """A block in which these are handed out."""


@dataclass(frozen=True)
class Recursion:
    """What a scan goes through."""

    turn: Turn
    length: Any
    """How many turns there are."""
    symbols: Symbols
    states: int
    """How many states there are."""


def scanned(
    turn: Turn,
    length: Any,
    symbols: Symbols,
    start: Sequence[Any],
    fixed: Sequence[Any],
) -> tuple[list[Any], list[Any]]:
    """The states after all turns, and what the turns give, each along a first axis."""
    recursion = Recursion(turn, length, symbols, len(start))
    found = _function().apply(recursion, *start, *fixed)
    count = len(start)
    return list(found[:count]), list(found[2 * count :])


def _scan(recursion: Recursion, given: Sequence[Any]) -> tuple[Any, ...]:
    """The last states, the states before each turn, and what the turns give."""
    from torch._higher_order_ops.scan import scan_op

    t, count = torch(), recursion.states

    number, inner = recursion.symbols.new(recursion.length), recursion.symbols.reserved()

    def combine(*flat: Any) -> list[Any]:
        states, number = flat[:count], flat[count + 1]
        own, fixed = flat[count + 2 :][: len(inner)], flat[count + 2 + len(inner) :]
        # A scan runs its turn without the modes around.
        with lines(), recursion.symbols.inside(list(own)):
            after, made = recursion.turn(number, list(states), list(fixed))
        return [one.clone() for one in (*after, *states, *made)]

    turns = [t.arange(recursion.length)]
    start = [one.clone() for one in given[:count]]
    fixed = [one.clone() if isinstance(one, t.Tensor) else one for one in given[count:]]
    return tuple(scan_op(combine, start, turns, (number, *inner, *fixed)))


@cache
def _function() -> Any:
    """PyTorch's function with a derivative."""
    t = torch()

    class Scan(t.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(recursion: Recursion, *given: Any) -> Any:
            return _scan(recursion, given)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            recursion, *given = inputs
            ctx.recursion = recursion
            count = recursion.states
            fixed = given[count:]
            ctx.kinds = [isinstance(one, t.Tensor) for one in fixed]
            ctx.numbers = [one for one in fixed if not isinstance(one, t.Tensor)]
            ctx.made = len(output) - 2 * count
            tensors = [one for one in fixed if isinstance(one, t.Tensor)]
            ctx.save_for_backward(*output[count : 2 * count], *tensors)

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:
            return _backwards(ctx, slopes)

    return Scan


def _backwards(ctx: Any, slopes: Sequence[Any]) -> tuple[Any, ...]:
    t, recursion = torch(), ctx.recursion
    count, saved = recursion.states, list(ctx.saved_tensors)
    before, tensors = saved[:count], saved[count:]
    moves = [one.is_floating_point() for one in before]
    free = [one.is_floating_point() for one in tensors]
    made = list(slopes[2 * count :])
    length = recursion.length
    of_made = [one for one in made if one is not None and one.is_floating_point()]
    kept = [k for k, one in enumerate(made) if one is not None and one.is_floating_point()]
    sizes = [length, *ctx.numbers]

    def back(number: Any, states: list[Any], fixed: list[Any]) -> tuple[list[Any], list[Any]]:
        n, *numbers = fixed[: len(sizes)]
        rest = fixed[len(sizes) :]
        turn = n - 1 - number
        here = [one.select(0, turn) for one in rest[:count]]
        given = rest[count : count + len(of_made)]
        own = rest[count + len(of_made) :]

        def forward(*moving: Any) -> tuple[Any, ...]:
            values = iter(moving)
            now = [next(values) if m else one for m, one in zip(moves, here, strict=True)]
            held = [next(values) if m else one for m, one in zip(free, own, strict=True)]
            values, ints = iter(held), iter(numbers)
            every = [next(values) if tensor else next(ints) for tensor in ctx.kinds]
            after, out = recursion.turn(turn, now, every)
            chosen = [one for m, one in zip(moves, after, strict=True) if m]
            return (*chosen, *(out[k] for k in kept))

        moving = [one for m, one in zip(moves, here, strict=True) if m]
        moving += [one for m, one in zip(free, own, strict=True) if m]
        _, pull = t.func.vjp(forward, *moving)
        cotangents = (*states[: sum(moves)], *(one.select(0, turn) for one in given))
        found = pull(cotangents)
        sums = [a + b for a, b in zip(states[sum(moves) :], found[sum(moves) :], strict=True)]
        return [*found[: sum(moves)], *sums], []

    start = [
        one.new_zeros(one.shape[1:]) if slope is None else slope
        for m, slope, one in zip(moves, slopes[:count], before, strict=True)
        if m
    ]
    start += [t.zeros_like(one) for m, one in zip(free, tensors, strict=True) if m]
    fixed = [*sizes, *before, *of_made, *tensors]
    last, _ = scanned(back, length, recursion.symbols, start, fixed)
    values = iter(last)
    of_start = [next(values) if m else None for m in moves]
    of_tensors = iter([next(values) if m else None for m in free])
    return (None, *of_start, *(next(of_tensors) if tensor else None for tensor in ctx.kinds))

"""How a scan of JAX becomes an induction: its real carries are a recursion of the kernel, which induction is about.

`interpret.recursions` makes the recursion; carries that are integers are linear counters; few turns are unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.index import Index, position
from ..array import KernelArray, holds
from ..namespace import Namespace
from ..questions import Unreadable
from ..recursions import run_recursion
from ..session import current
from ..simplifying import simplified
from ..terms import indicator
from .joining import stacked
from .long_axes import first_axes, joined, joined_first, row
from .merging import Merged, reshaped, unmerged
from .parameters import ScanParameters
from .values import Integers, Mask, Masked, MinusInfinity, as_mask, picked, reals

XP = Namespace()
UNROLLED = 8
"""The number of turns up to which a loop is run turn by turn."""


def _scan(reader: Any, params: ScanParameters, *inputs: Any) -> list[Any]:
    fixed, start, sequences = params.parted(inputs)
    length = reader.dimensions.length(params.length)
    lengths = first_axes(sequences, length)
    if len(lengths) == 1:
        sequences = [joined(one) for one in sequences]

    def run(carry: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
        return reader.run(params.body, [*fixed, *carry, *rows])

    if length == Index(0) and len(params.body.out_avals) > params.carries:
        raise Unreadable("the outputs of a loop without a turn")
    return _nested(run, start, lengths, sequences, fixed, params.reverse)


def _nested(
    run: Callable[..., list[Any]],
    start: list[Any],
    lengths: Sequence[Index],
    sequences: Sequence[Any],
    fixed: Sequence[Any],
    backwards: bool,
) -> list[Any]:
    """A loop along the places of one axis, or of several in row-major order: loops within loops."""
    (length, *inner), carries = lengths, len(start)

    def turn(time: Index, carry: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        place = length - 1 - time if backwards else time
        rows = [row(one, place) for one in sequences]
        within = [list(carry), inner, rows, fixed, backwards]
        found = _nested(run, *within) if inner else run(carry, rows)
        return found[:carries], found[carries:]

    if not length.terms and length.const <= UNROLLED:
        found = unrolled(turn, start, length.const, backwards)
    else:
        found = looped(turn, start, length, sequences, fixed, backwards)
    outputs = map(joined_first, found[carries:]) if inner else found[carries:]
    return [*found[:carries], *outputs]


def unrolled(turn: Any, carry: list[Any], count: int, backwards: bool) -> list[Any]:
    """A loop of few turns, a number, one turn after the other."""
    rows = []
    for k in range(count):
        carry, outputs = turn(Index(k), carry)
        rows.append(outputs)
    if backwards:
        rows.reverse()
    return [*carry, *(stacked(parts) for parts in zip(*rows, strict=True))]


def looped(
    turn: Any,
    start: list[Any],
    length: Index,
    sequences: Sequence[Any],
    fixed: Sequence[Any],
    backwards: bool,
) -> list[Any]:
    """A loop as a recursion: the last carries, and what the turns give, stacked along time."""
    start = _begun(turn, start, length)
    counters = counters_of(turn, start, length)
    real = [k for k in range(len(start)) if k not in counters]
    least = {k for k in real if isinstance(start[k], MinusInfinity)}
    """Carries that begin with −∞, as a running maximum does: numbers after the first turn."""
    zero = XP.asarray(0)
    start = [
        picked(zero, one.dims, lambda at: []) if k in least else one for k, one in enumerate(start)
    ]
    outputs: list[Any] = []
    moment: list[Index] = []

    shapes = [tuple(reals(start[k]).dims) for k in real]

    def carried(time: Index, before: Sequence[KernelArray]) -> list[Any]:
        values = dict(zip(real, map(reshaped, before, shapes), strict=True))
        for k in least:
            mask = Mask(shapes[real.index(k)], lambda at: indicator(time - 1))
            values[k] = Masked(mask, values[k])
        return [counters[k](time) if k in counters else values[k] for k in range(len(start))]

    def at(time: Index, before: Any) -> tuple[Any, Any]:
        after, found = turn(time, carried(time, before))
        outputs[:], moment[:] = found, [time]
        plain = [unmerged(one) for one in found if isinstance(unmerged(one), KernelArray)]
        return tuple(_without_units(reals(after[k])) for k in real), tuple(plain)

    state = tuple(_without_units(reals(start[k])) for k in real)
    others = [one for one in (*sequences, *fixed) if isinstance(one, KernelArray)]
    if real:
        run = run_recursion(at, state, length, others, turn)
        last, plain = iter(map(reshaped, run.final_state, shapes)), iter(run.outputs)
    else:
        time = position("t", 0, length)
        at(time, ())
        last = iter(())
        plain = iter(
            [
                KernelArray((length, *one.dims), (time, *one.at), one.term)
                for one in map(unmerged, outputs)
                if isinstance(one, KernelArray)
            ]
        )
    if least and not holds(length - 1):
        raise Unreadable("a maximum over turns of which there may be none")
    final = [counters[k](length) if k in counters else next(last) for k in range(len(start))]
    stacked = [
        _merged_like(one, next(plain))
        if isinstance(unmerged(one), KernelArray)
        else _over_time(one, moment[0], length)
        for one in outputs
    ]
    if backwards:
        stacked = [_reversed(one, length) for one in stacked]
    return [*final, *stacked]


def _begun(turn: Any, start: list[Any], length: Index) -> list[Any]:
    """The start, with a number for −∞ where the first turn makes the same of both: max(−∞, x) is max(x, x)."""
    least = [k for k, one in enumerate(start) if isinstance(one, MinusInfinity)]
    if not least or not holds(length - 1):
        return start
    try:
        once = turn(Index(0), start)
        begun = [reals(once[0][k]) if k in least else one for k, one in enumerate(start)]
        again = turn(Index(0), begun)
        pairs = zip([*once[0], *once[1]], [*again[0], *again[1]], strict=True)
        same = all(_same(a, b) for a, b in pairs)
    except Unreadable:
        return start
    return begun if same else start


def _same(a: Any, b: Any) -> bool:
    """Whether two arrays are seen to have the same entries."""
    if not (isinstance(a, KernelArray) and isinstance(b, KernelArray)):
        return isinstance(a, Integers) and isinstance(b, Integers)  # which no maximum enters
    at = [position("i", 0, d) for d in a.dims]
    return a.dims == b.dims and not simplified(a.entry(at) - b.entry(at)).parts


def _merged_like(one: Any, over_time: KernelArray) -> Any:
    """The output of a turn with joined axes, for all turns."""
    return Merged(over_time, (1, *one.runs)) if isinstance(one, Merged) else over_time


def _without_units(one: KernelArray) -> KernelArray:
    """The array without its axes of length 1, along which a state has one entry and no place of its own."""
    return reshaped(one, tuple(d for d in one.dims if d != Index(1)))


def _reversed(one: Any, length: Index) -> Any:
    if isinstance(one, Merged):
        return Merged(_reversed(one.array, length), one.runs)
    return picked(one, tuple(one.dims), lambda at: [length - 1 - at[0], *at[1:]])


def _over_time(one: Any, moment: Index, length: Index) -> Any:
    """The output of a turn beside real numbers, for all turns."""
    (variable,) = moment.variables()
    dims = (length, *one.dims)
    if isinstance(one, MinusInfinity):
        return MinusInfinity(dims)
    if isinstance(one, Integers):
        return Integers(dims, lambda at: one.at(at[1:]).substitute({variable: at[0]}))
    if isinstance(one, Mask):
        array = reals(one)
        return as_mask(KernelArray(dims, (moment, *array.at), array.term))
    if isinstance(one, Masked):
        raise Unreadable("a loop whose output is −∞")
    raise Unreadable("the outputs of a loop")


TRIALS = 3
"""How often the steps of counters are guessed."""


def counters_of(turn: Any, start: list[Any], length: Index) -> dict[int, Callable[[Index], Any]]:
    """For each carry that is not an array of reals its value at a time: an integer that grows by a fixed number a turn.

    The numbers are guessed, and seen to be right by one turn from any time: that is the induction's step.
    """
    other = [k for k, one in enumerate(start) if not isinstance(one, KernelArray | MinusInfinity)]
    if any(not isinstance(start[k], Integers) or start[k].dims for k in other):
        raise Unreadable("a loop that carries masks, or arrays of integers")
    steps = dict.fromkeys(other, 1)
    time = position("t", 0, length)
    session = current()
    fits, taken = session.fits, session.taken
    for _ in range(TRIALS if other else 0):
        session.fits, session.taken = dict(fits), dict(taken)  # a wrong guess notes nothing
        now = [_counted(one, steps[k], time) if k in steps else one for k, one in enumerate(start)]
        after, _ = turn(time, now)
        gaps = {k: _gap(after[k], now[k]) for k in other}
        if gaps == steps:
            break
        steps = gaps
    else:
        if other:
            raise Unreadable("a loop that carries an integer which does not grow by a fixed number")
    return {k: lambda t, k=k: _counted(start[k], steps[k], t) for k in other}


def _counted(first: Integers, step: int, time: Index) -> Integers:
    return Integers((), lambda at: first.at([]) + time * step)


def _gap(after: Any, now: Integers) -> int:
    gap = after.at([]) - now.at([]) if isinstance(after, Integers) else None
    if gap is None or gap.terms:
        raise Unreadable("a loop that carries an integer which does not grow by a fixed number")
    return gap.const


RULES: dict[str, Callable[..., Any]] = {"scan": _scan}

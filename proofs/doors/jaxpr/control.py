"""Programs inside programs: those that run as they stand, branches, and loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...statement import choices, making
from ...statement.making import constant, number
from ...statement.order import nonnegative
from ...statement.whole import Number, spelled
from ..infinities import Value, moved, select
from ..refused import Refused
from . import associative, integers
from .loops import looped
from .lowering import INLINED, Lowering, Rule
from .values import Array, Complex, paired, part_by_part


def _inlined(key: str) -> Rule:
    """A program that is run on its inputs as it stands; what else is said of it is how."""

    def rule(at: Lowering, *values: Any, **params: Any) -> list[Any]:
        known = integers.lowered(at, *values, **params) if key == "jaxpr" else None
        if known is None:
            return at.run(params[key], values, inlined=True)
        at.use("", values)  # by this equation, as none of the program's does
        return [known]

    return rule


def _run_state(
    at: Lowering, *values: Any, jaxpr: Any, which_linear: Any, is_initialized: Any
) -> list[Any]:
    """A program that reads and writes memory: from what is there before to what is there afterwards."""
    if not all(is_initialized):
        raise Refused("memory that holds nothing yet")
    import jax
    from jax._src.state.discharge import discharge_state
    from jax.extend.core import ClosedJaxpr

    closed = jaxpr if hasattr(jaxpr, "consts") else ClosedJaxpr(jaxpr, ())
    wide = any(variable.aval.dtype.itemsize == 8 for variable in closed.jaxpr.invars)
    with jax.enable_x64(wide):  # as it was traced: a loop's counter is an int64 there
        without_memory = discharge_state(closed)
    return at.run(without_memory, values)


def _cond(at: Lowering, which: Value, *values: Any, branches: Any, **aside: Any) -> list[Any]:
    """One branch where it is seen which; else a selection, in which every branch has to have a value."""
    last = len(branches) - 1
    index = choices.smaller(choices.greater(which.node, number(0)), number(last))
    known = constant(index)
    if isinstance(known, int):
        return at.run(branches[known], values)
    found = at.run(branches[last], values)
    for k in reversed(range(last)):
        chosen = partial(select, choices.at_least(choices.subtract(number(k), which.node)))
        pairs = zip(at.run(branches[k], values), found, strict=True)
        found = [part_by_part(chosen, *pair) for pair in pairs]
    return found


def _platform_index(at: Lowering, *, platforms: Any) -> Value:
    """The program for all machines, where the others are for kernels in Mosaic alone, as of a diagonal."""
    if (
        any(names is not None and names != ("mosaic",) for names in platforms)
        or None not in platforms
    ):
        raise Refused("a program that is another one on another machine")
    return at.made(number(list(platforms).index(None)))


def _scan(
    at: Lowering,
    *values: Array,
    jaxpr: Any,
    length: Any,
    reverse: bool,
    num_consts: int | None = None,
    num_carry: int | None = None,
    ft_in: Any = None,
    ft_out: Any = None,
    jaxpr_debug_info: Any = None,
) -> list[Any]:
    if num_consts is None or num_carry is None:  # from JAX 0.11 on: trees of the inputs
        num_consts, num_carry, _ = map(len, ft_in.unpack())
    first = num_consts + num_carry
    fixed, start, tokens = values[:num_consts], values[num_consts:first], values[first:]
    turns = at.number(length)

    def body(time: Number, carry: list[Any]) -> tuple[list[Any], list[Any]]:
        place = turns - 1 - time if reverse else time
        rows = [_row(one, place) for one in tokens]
        found = at.run(jaxpr, [*fixed, *carry, *rows])
        return found[:num_carry], found[num_carry:]

    if turns == 0:
        if len(getattr(jaxpr, "jaxpr", jaxpr).outvars) > num_carry:
            raise Refused("the outputs of a loop without a turn")
        return list(start)
    found = looped(body, start, turns)
    outputs = [_reversed(one) for one in found.outputs] if reverse else found.outputs
    return [*found.last, *outputs]


def _row(one: Array, place: Number) -> Array:
    return part_by_part(lambda x: moved(lambda node: making.row(node, place), [x]), one)


def _reversed(one: Array) -> Array:
    return part_by_part(lambda x: moved(lambda n: making.reversed_along(n, [0]), [x]), one)


def _while(
    at: Lowering,
    *values: Array,
    cond_jaxpr: Any,
    body_jaxpr: Any,
    cond_nconsts: int,
    body_nconsts: int,
) -> list[Any]:
    """A loop that counts by 1 up to a number that stays: `fori_loop`."""
    tests, fixed = values[:cond_nconsts], values[cond_nconsts : cond_nconsts + body_nconsts]
    start = list(values[cond_nconsts + body_nconsts :])
    counter, end = _ends(at, cond_jaxpr.jaxpr, cond_nconsts)
    ends = [making.entry_of(v.node) if isinstance(v, Value) else None for v in (*tests, *start)]
    low = ends[cond_nconsts + counter]
    high = end if isinstance(end, int) and not isinstance(end, _Input) else ends[end]
    if low is None or high is None:
        raise Refused(COMPUTED)
    length = high - low
    if not nonnegative(length):
        raise Refused(f"a loop that may begin behind its end: {spelled(length)} turns")

    steps = {counter: 1}
    if isinstance(end, _Input) and end >= cond_nconsts:
        steps[end - cond_nconsts] = 0

    def body(time: Number, carry: list[Any]) -> tuple[list[Any], list[Any]]:
        after = at.run(body_jaxpr, [*fixed, *carry])
        for k, step in steps.items() if isinstance(time, int) else ():
            now = making.entry_of(carry[k].node), making.entry_of(after[k].node)
            if None in now or now[1] - now[0] != step:  # type: ignore[operator]
                raise Refused(COMPUTED)
        return after, []

    found = looped(body, start, length)
    if found.slots:
        flat = [
            k for k, one in enumerate(start) for _ in (one if isinstance(one, Complex) else "1")
        ]
        for k, step in steps.items():
            if found.slots[flat.index(k)].step != step:
                raise Refused(COMPUTED)
    return found.last


COMPUTED = "a loop whose number of turns is computed (use scan, or fori_loop)"


class _Input(int):
    """The number of an input of a loop's test."""


def _ends(at: Lowering, test: Any, consts: int) -> tuple[int, int]:
    """The i of `carry[i] < x`, and x: a number, or which input of the test it is."""
    if len(test.eqns) == 1 and test.eqns[0].primitive.name == "lt":
        places = {v: k for k, v in enumerate(test.invars)}
        left, right = test.eqns[0].invars
        first = None if hasattr(left, "val") else places.get(left)
        if first is not None and first >= consts:
            if hasattr(right, "val"):
                return first - consts, int(right.val)
            if right in places:
                return first - consts, _Input(places[right])
    raise Refused(COMPUTED)


def _associative_scan(at: Lowering, *values: Any, one: Any, many: Any, counts: Any) -> list[Any]:
    """A fold from the first element on; that the operator is associative, and so any tree does, is to be proved."""
    first, second = counts
    consts, others = list(values[:first]), list(values[first : first + second])
    elements = list(values[first + second :])
    length = elements[0].shape[0]
    associative.oblige(at, one, many, consts, others, elements)

    def operator(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
        return at.run(one, [*consts, *left, *right])

    def body(time: Number, carry: list[Any]) -> tuple[list[Any], list[Any]]:
        found = operator(carry, [associative.element(x, time + 1) for x in elements])
        return found, found

    start = [associative.element(x, 0) for x in elements]
    found = looped(body, start, length - 1)
    if found.every:
        return [associative.without_second(x) for x in paired(found.every, start)]
    outputs = found.outputs if length != 1 else [None] * len(start)
    return [associative.with_first(a, rows) for a, rows in zip(start, outputs, strict=True)]


RULES: dict[str, Rule] = {
    **{name: _inlined(parameter) for name, parameter in INLINED.items()},
    "run_state": _run_state,
    "cond": _cond,
    "platform_index": _platform_index,
    "scan": _scan,
    "while": _while,
    "associative_scan": _associative_scan,
}

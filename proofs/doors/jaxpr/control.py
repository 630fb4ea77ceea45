"""Programs inside programs: those that run as they stand, branches, and loops, whose turn is lowered once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...statement import choices, making
from ...statement.making import constant, full, number
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.turns import turned
from ...statement.whole import Number, Position, Whole, spelled
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import Any_, Complex, Odd, Value, select, with_odd

UNROLLED = 8
"""The number of turns up to which a loop is lowered turn by turn."""


def _inlined(key: str) -> Rule:
    """A program that is run on its inputs as it stands; what else is said of it is how."""

    def rule(at: Lowering, *values: Any, **params: Any) -> list[Any]:
        return at.run(params[key], values)

    return rule


def _run_state(
    at: Lowering, *values: Any, jaxpr: Any, which_linear: Any, is_initialized: Any
) -> list[Any]:
    """A program that reads and writes memory: from what is there before to what is there afterwards."""
    if not all(is_initialized):
        raise Refused("memory that holds nothing yet")
    from jax._src.state.discharge import discharge_state
    from jax.extend.core import ClosedJaxpr

    closed = jaxpr if hasattr(jaxpr, "consts") else ClosedJaxpr(jaxpr, ())
    return at.run(discharge_state(closed), values)


def _cond(at: Lowering, which: Value, *values: Any, branches: Any, **aside: Any) -> list[Any]:
    """One branch where it is seen which; else a selection, in which every branch has to have a value."""
    last = len(branches) - 1
    index = choices.smaller(choices.greater(which.node, number(0)), number(last))
    known = constant(index)
    if isinstance(known, int):
        return at.run(branches[known], values)
    found = at.run(branches[last], values)
    for k in reversed(range(last)):
        mask = choices.at_least(choices.subtract(number(k), which.node))
        found = [
            _chosen(mask, a, b) for a, b in zip(at.run(branches[k], values), found, strict=True)
        ]
    return found


def _chosen(mask: Node, on: Any_, off: Any_) -> Any_:
    if isinstance(on, Complex) and isinstance(off, Complex):
        return Complex(*(select(mask, a, b) for a, b in zip(on, off, strict=True)))
    return select(mask, on, off)  # type: ignore[arg-type]


# Loops.


class Slot(NamedTuple):
    """How a real, whole or boolean array is carried from turn to turn."""

    start: Value
    step: Number | None = None
    """A whole number that grows by this in each turn, and is no state."""
    odd: str = ""
    """How it is carried where there is no number: "state" as a mask of its own, "first" before the first turn alone."""

    def states(self) -> list[Node]:
        """What it is carried as, at the start."""
        if self.step is not None:
            return []
        return [self.start.node, *([self.start.where] if self.odd == "state" else [])]

    def at(self, time: Number, states: Sequence[Node]) -> Value:
        """The array at a time."""
        if self.step is not None:
            return replace(self.start, node=choices.add(self.start.node, number(self.step * time)))
        if not self.odd:
            return replace(self.start, node=states[0])
        where = states[1] if self.odd == "state" else self._first(time)
        return with_odd(states[0], self.start.dtype, self.start.odd.number, where)  # type: ignore[union-attr]

    def _first(self, time: Number) -> Node:
        before = choices.inverse(choices.at_least(number(time - 1)))
        return choices.multiply(before, self.start.where)


class _Again(Exception):
    """A turn that carries an array in another way than was thought."""

    def __init__(self, slot: int, new: Slot) -> None:
        super().__init__()
        self.slot, self.new = slot, new


Body = Callable[[Number, list[Any]], tuple[list[Any], list[Any]]]
"""(time, carries) -> (carries afterwards, outputs)."""


class Looped(NamedTuple):
    """What comes of a loop."""

    last: list[Any]
    outputs: list[Any]
    slots: list[Slot]
    every: list[Any]
    """Each carry at all times, where it is a state that is a number at all of them; else empty."""


def parts(values: Sequence[Any_]) -> list[Value]:
    """Complex arrays as two real ones each."""
    return [one for v in values for one in (v if isinstance(v, Complex) else [v])]


def paired(values: Sequence[Any], like: Sequence[Any_]) -> list[Any]:
    """The parts of complex arrays together again."""
    rest = iter(values)
    return [Complex(next(rest), next(rest)) if isinstance(v, Complex) else next(rest) for v in like]


def looped(at: Lowering, body: Body, start: Sequence[Any_], length: Number) -> Looped:
    """A loop, its turn lowered once, or turn by turn where there are few."""
    if isinstance(length, int) and length <= UNROLLED:
        return _unrolled(at, body, start, length)
    slots = [_slot(one) for one in _begun(body, start, length)]
    for _ in range(TRIALS * (1 + len(slots))):
        try:
            return _turned(body, start, slots, length)
        except _Again as again:
            slots[again.slot] = again.new
    raise Refused("a loop that carries whole numbers in a way that is not seen")


TRIALS = 4


def _slot(one: Value) -> Slot:
    scalar = one.kind == "i" and not one.shape and making.entry_of(one.node) is not None
    return Slot(one, 1 if scalar else None, "first" if one.odd is not None else "")


def _begun(body: Body, start: Sequence[Any_], length: Number) -> list[Value]:
    """The start, with a number for −∞ where the first turn makes the same of both: max(−∞, x) is max(x, x)."""
    flat = parts(start)
    least = [k for k, one in enumerate(flat) if one.odd and constant(one.odd.where) == 1]
    if not least or not nonnegative(length - 1):
        return flat
    try:
        once = [parts(one) for one in body(0, list(start))]
        begun = [once[0][k] if k in least else one for k, one in enumerate(flat)]
        again = [parts(one) for one in body(0, paired(begun, start))]
    except Refused:
        return flat
    return begun if once == again else flat


def _unrolled(at: Lowering, body: Body, start: Sequence[Any_], length: int) -> Looped:
    carry, rows = list(start), []
    for k in range(length):
        carry, outputs = body(k, carry)
        rows.append(parts(outputs))
        like = outputs
    if not rows:
        return Looped(carry, [], [], [])
    from .values import moved

    stacked = [
        moved(lambda *every: making.stacked(every), list(one)) for one in zip(*rows, strict=True)
    ]
    return Looped(carry, paired(stacked, like), [], [])


def _turned(body: Body, start: Sequence[Any_], slots: list[Slot], length: Number) -> Looped:
    made: list[Any] = []

    def carried(time: Number, states: Sequence[Node]) -> list[Value]:
        rest = iter(states)
        return [one.at(time, [next(rest) for _ in one.states()]) for one in slots]

    def turn(time: Number, states: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        before = carried(time, states)
        after, outputs = body(time, paired(before, start))
        steps: list[Node] = []
        for k, (slot, old, new) in enumerate(zip(slots, before, parts(after), strict=True)):
            _expect(k, slot, old, new)
            if slot.step is None:
                steps += [new.node, *([new.where] if slot.odd == "state" else [])]
        made[:] = outputs
        return steps, [node for one in parts(outputs) for node in _nodes(one)]

    begin = [_without_units(node) for one in slots for node in one.states()]
    shapes = [node.shape for one in slots for node in one.states()]

    def plain(time: Number, states: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        given = [_in_shape(one, shape) for one, shape in zip(states, shapes, strict=True)]
        after, outputs = turn(time, given)
        return [_without_units(one) for one in after], outputs

    found = turned(plain, begin, length)
    ends = [making.row(one, length) for one in found.states]
    last = carried(length, [_in_shape(one, s) for one, s in zip(ends, shapes, strict=True)])
    rest = iter(found.outputs)
    outputs = [
        replace(one, node=next(rest), odd=one.odd and Odd(one.odd.number, next(rest)))
        for one in parts(made)
    ]
    every = []
    if all(one.step is None and not one.odd for one in slots):
        times = [(one.shape[0], *s) for one, s in zip(found.states, shapes, strict=True)]
        whole_ones = zip(slots, found.states, times, strict=True)
        every = [replace(one.start, node=_in_shape(node, s)) for one, node, s in whole_ones]
    return Looped(paired(last, start), paired(outputs, made), slots, every)


def _nodes(one: Value) -> list[Node]:
    return [one.node] if one.odd is None else [one.node, one.odd.where]


def _without_units(node: Node) -> Node:
    """The array without axes of length 1, along which a state has no place of its own."""
    return _in_shape(node, tuple(n for n in node.shape if n != 1))


def _in_shape(node: Node, shape: Any) -> Node:
    from .moving import reshaped

    return node if node.shape == tuple(shape) else reshaped(node, tuple(shape))


def _expect(k: int, slot: Slot, before: Value, after: Value) -> None:
    """That a turn carries an array as its slot says.

    Raises:
        _Again: if it does not.
    """
    if slot.step is not None:
        ends = making.entry_of(after.node), making.entry_of(before.node)
        gap = None if None in ends else ends[0] - ends[1]  # type: ignore[operator]
        if isinstance(gap, Whole) and any(isinstance(one, Position) for one in gap.symbols):
            gap = None
        if gap != slot.step:
            raise _Again(k, slot._replace(step=gap))
    elif after.odd is not None and not slot.odd:
        odd = Odd(after.odd.number, full(number(0), slot.start.shape))
        raise _Again(k, slot._replace(start=replace(slot.start, odd=odd), odd="state"))
    elif after.odd is not None and slot.odd == "first":
        raise _Again(k, slot._replace(odd="state"))
    elif after.odd is not None and after.odd.number != slot.start.odd.number:  # type: ignore[union-attr]
        raise Refused(f"a loop that carries {after.odd.number} and {slot.start.odd}")


def _scan(
    at: Lowering,
    *values: Any_,
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
    found = looped(at, body, start, turns)
    outputs = [_reversed(one) for one in found.outputs] if reverse else found.outputs
    return [*found.last, *outputs]


def _row(one: Any_, place: Number) -> Any_:
    from .values import moved

    if isinstance(one, Complex):
        return Complex(*(moved(lambda node: making.row(node, place), [part]) for part in one))
    return moved(lambda node: making.row(node, place), [one])


def _reversed(one: Any_) -> Any_:
    from .values import moved

    if isinstance(one, Complex):
        return Complex(*map(_reversed, one))  # type: ignore[arg-type]
    return moved(lambda node: making.reversed_along(node, [0]), [one])


def _while(
    at: Lowering,
    *values: Any_,
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

    found = looped(at, body, start, length)
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
    from . import associative

    associative.oblige(at, one, many, consts, others, elements)

    def operator(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
        return at.run(one, [*consts, *left, *right])

    def body(time: Number, carry: list[Any]) -> tuple[list[Any], list[Any]]:
        found = operator(carry, [associative.element(x, time + 1) for x in elements])
        return found, found

    start = [associative.element(x, 0) for x in elements]
    found = looped(at, body, start, length - 1)
    if found.every:
        return [associative.without_second(x) for x in paired(found.every, start)]
    outputs = found.outputs if length != 1 else [None] * len(start)
    return [associative.with_first(a, rows) for a, rows in zip(start, outputs, strict=True)]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("jit", "pjit", "remat2", "checkpoint"), _inlined("jaxpr")),
    **dict.fromkeys(
        ("closed_call", "eval_jaxpr", "custom_jvp_call", "custom_vjp_call", "core_call"),
        _inlined("call_jaxpr"),
    ),
    "run_state": _run_state,
    "cond": _cond,
    "scan": _scan,
    "while": _while,
    "associative_scan": _associative_scan,
}

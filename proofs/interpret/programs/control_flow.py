"""Other control flow than scan: loops that count up to an end become scans, branches are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.index import Index, position
from ..array import holds
from ..questions import Unreadable
from .scan import RULES as SCAN
from .scan import UNROLLED, counters_of, looped, unrolled
from .values import Integers


def _while(reader: Any, params: Any, *inputs: Any) -> list[Any]:
    """`fori_loop` between symbolic ends: a carry that counts by 1 up to another one, or to a constant."""
    test, body = params["cond_nconsts"], params["body_nconsts"]
    fixed, start = list(inputs[test : test + body]), list(inputs[test + body :])
    counter, end = _ends(params["cond_jaxpr"].jaxpr, test)
    low, high = _whole(start, counter), _whole([*inputs[:test], *start], end)
    length = high - low
    if not holds(length):
        raise Unreadable("a loop that may begin behind its end")

    def turn(time: Index, carry: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return reader.run(params["body_jaxpr"], [*fixed, *carry]), []

    counters = counters_of(turn, start, length)
    time = position("t", 0, length)
    steady = end < test or counters[end - test](time).at([]) == high
    if counters[counter](time).at([]) != low + time or not steady:
        raise Unreadable(COMPUTED)
    if not length.terms and length.const <= UNROLLED:
        return unrolled(turn, start, length.const, False)
    return looped(turn, start, length, [], fixed, False)


COMPUTED = "a loop whose number of turns is computed (use scan, or fori_loop)"


def _ends(test: Any, consts: int) -> tuple[int, int]:
    """The i of `carry[i] < x`, and which input of the test x is."""
    if len(test.eqns) == 1 and test.eqns[0].primitive.name == "lt":
        places = {v: k for k, v in enumerate(test.invars)}
        sides = [None if hasattr(v, "val") else places.get(v) for v in test.eqns[0].invars]
        left, right = sides
        if left is not None and right is not None and left >= consts:
            return left - consts, right
    raise Unreadable(COMPUTED)


def _whole(values: Sequence[Any], which: int) -> Index:
    one = values[which]
    if not isinstance(one, Integers) or one.dims:
        raise Unreadable(COMPUTED)
    return one.at([])


def _cond(reader: Any, params: Any, *inputs: Any) -> Any:
    which = inputs[0]
    if not isinstance(which, Integers) or which.at([]).terms:
        raise Unreadable("a branch that depends on numbers or sizes")
    branches = params["branches"]
    chosen = min(max(which.at([]).const, 0), len(branches) - 1)
    return reader.run(branches[chosen], inputs[1:])


RULES: dict[str, Callable[..., Any]] = {**SCAN, "while": _while, "cond": _cond}

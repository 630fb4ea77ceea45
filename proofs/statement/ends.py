"""Between which numbers the entries of an array are seen to lie: max(a, b) ≥ b, tanh ≤ 1, a place is on its axis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from . import making, nodes
from .masks import is_mask
from .nodes import Node
from .order import largest, nonnegative
from .rows import place_in_row
from .whole import Whole

End: TypeAlias = Any
"""A whole number of sizes alone, or a fraction; None where none is seen."""
Ends: TypeAlias = tuple[End, End]
"""What no entry is below, and none above."""
NONE: Ends = (None, None)
OF_FUNCTIONS: dict[str, Ends] = {
    **dict.fromkeys(("step", "zero", "nonnegative"), (0, 1)),
    **dict.fromkeys(("tanh", "sin", "cos", "erf"), (-1, 1)),
    **dict.fromkeys(("exp", "sqrt", "abs", "relu", "softplus"), (0, None)),
}


def ends_of(node: Node) -> Ends:
    """The ends of an array's entries."""
    return _Seen({}).of(node)


def is_above_zero(node: Node) -> bool:
    """Whether no entry is seen to be 0 or below: numbers of sizes, exp, and sums, products and roots of such."""
    return _Seen({}).is_above_zero(node)


class _Seen:
    """The ends of nodes, each looked at once, where the states of a loop before a turn have these."""

    def __init__(self, states: Mapping[Node, Ends]) -> None:
        self.known: dict[Node, Ends] = dict(states)
        self.above: dict[Node, bool] = {}

    def of(self, node: Node) -> Ends:
        """A node's ends."""
        if node not in self.known:
            self.known[node] = self._of(node)
        return self.known[node]

    def is_above_zero(self, node: Node) -> bool:
        """Whether all entries of a node are seen to be above 0."""
        if node not in self.above:
            self.above[node] = self._is_above_zero(node)
        return self.above[node]

    def _is_above_zero(self, node: Node) -> bool:
        entry = making.entry_of(node)
        if entry is not None:
            return nonnegative(entry - 1, node.shape)
        match node:
            case nodes.Number(value=Fraction() as value):
                return value > 0
            case nodes.Take() if not node.guards:
                return self.is_above_zero(node.of)
            case nodes.Reshape():
                return self.is_above_zero(node.of)
            case nodes.Contract() if all(
                nonnegative(n - 1) for one in node.factors for n in one.shape
            ):
                return all(map(self.is_above_zero, node.factors))
            case nodes.Map("add", (one, other)):
                pairs = (one, other), (other, one)
                return any(self.is_above_zero(a) and self._is_not_negative(b) for a, b in pairs)
            case nodes.Map("power", (base, _)):
                return self.is_above_zero(base)
            case nodes.Map("sqrt" | "divide" | "multiply" | "atan"):
                return all(map(self.is_above_zero, node.arguments))
        return isinstance(node, nodes.Map) and node.function == "exp"

    def _of(self, node: Node) -> Ends:
        entry = making.entry_of(node)
        if entry is not None:
            return -largest(-entry, node.shape), largest(entry, node.shape)
        match node:
            case nodes.Number(value=Fraction() as value):
                return value, value
            case nodes.Take():
                found = self.of(node.of)
                return _around(found, (0, 0)) if node.guards else found
            case nodes.Reshape():
                return self.of(node.of)
            case nodes.Loop():
                return _of_loop(node)
            case nodes.Map():
                return self._of_map(node)
            case nodes.Contract() if all(map(self._is_not_negative, node.factors)):
                return 0, None
            case nodes.Norm():
                return 0, None
        return NONE

    def _is_not_negative(self, node: Node) -> bool:
        return not_below(self.of(node)[0], 0)

    def _of_map(self, node: nodes.Map) -> Ends:
        match node.arguments:
            case b, nodes.Map("relu", (nodes.Map("subtract", (a, other)),)) if (
                node.function == "add" and other is b
            ):  # max(a, b)
                (low, high), (least, most) = self.of(a), self.of(b)
                return _further(low, least, 1), _further(high, most, 1, both=True)
            case a, nodes.Map("relu", (nodes.Map("subtract", (other, b)),)) if (
                node.function == "subtract" and other is a
            ):  # min(a, b)
                (low, high), (least, most) = self.of(a), self.of(b)
                return _further(low, least, -1, both=True), _further(high, most, -1)
            case nodes.Map("multiply", (mask, on)), nodes.Map("multiply", (no, off)) if (
                node.function == "add" and is_mask(mask) and _is_inverse(no, mask)
            ):  # one of two
                return _around(self.of(on), self.of(off))
            case _ if node.function == "subtract" and (n := place_in_row(node)) is not None:
                return 0, n - 1
            case one, other if node.function in ("add", "subtract"):
                (low, high), (least, most) = self.of(one), self.of(other)
                if node.function == "subtract":
                    least, most = _negative(most), _negative(least)
                return _sum(low, least), _sum(high, most)
            case (one,) if node.function == "negative":
                low, high = self.of(one)
                return _negative(high), _negative(low)
            case one, other if node.function == "multiply" and (
                (found := self._multiple(one, other) or self._multiple(other, one)) is not None
            ):
                return found
            case one, other if node.function in ("multiply", "divide"):
                same = one is other and node.function == "multiply"
                if same or all(map(self._is_not_negative, node.arguments)):
                    return 0, None
        return OF_FUNCTIONS.get(node.function, NONE)

    def _multiple(self, number: Node, of: Node) -> Ends | None:
        """The ends of a whole multiple."""
        c = making.constant(number)
        if not isinstance(c, int):
            return None
        low, high = (None if end is None else end * c for end in self.of(of))
        return (low, high) if c >= 0 else (high, low)


def _is_inverse(no: Node, mask: Node) -> bool:
    """Whether one mask is 1 less another."""
    match no:
        case nodes.Map("subtract", (one, other)):
            return making.constant(one) == 1 and other is mask
    return False


def _of_loop(node: nodes.Loop) -> Ends:
    """The ends of a state at all times, by induction: its start lies between them, and a turn keeps what does there.

    An end is no part of the hypothesis unless it is one of what is shown.
    """
    r, k = node.recursion, node.number
    if isinstance(r.steps[k], nodes.Loop):
        return NONE

    def after(before: Ends) -> Ends:
        return _Seen({r.states[k]: before}).of(r.steps[k])

    start = ends_of(r.start[k])
    low, high = _around(start, after(start))
    for ends in ((low, high), (low, None), (None, high)):
        least, most = after(ends)
        if (ends[0] is None or not_below(least, low)) and (
            ends[1] is None or not_below(high, most)
        ):
            return ends
    return NONE


def _around(one: Ends, other: Ends) -> Ends:
    (low, high), (least, most) = one, other
    return _further(low, least, -1, both=True), _further(high, most, 1, both=True)


def _further(one: End, other: End, sign: int, both: bool = False) -> End:
    """The greater of two ends, or the less (−1), where it is seen; `both` if neither alone is one."""
    if one is None or other is None:
        return None if both else (other if one is None else one)
    greater, less = (one, other) if not_below(one, other) else (other, one)
    if not not_below(greater, less):
        return None if both else one
    return greater if sign > 0 else less


def _negative(one: End) -> End:
    return None if one is None else -one


def _sum(one: End, other: End) -> End:
    if one is None or other is None or _mixed(one, other):
        return None
    return one + other


def not_below(one: End, other: End) -> bool:
    """Whether one number is seen to be ≥ another."""
    if one is None or other is None or _mixed(one, other):
        return False
    gap = one - other
    return gap >= 0 if isinstance(gap, Fraction) else nonnegative(gap)


def _mixed(one: End, other: End) -> bool:
    """Whether a fraction meets a size."""
    return {Fraction, Whole} <= {type(one), type(other)}

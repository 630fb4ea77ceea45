"""`Recorded`: an array that is a node, with NumPy's operators and methods. What is done with it makes further nodes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from scanproof.constructs.arrays.gradient import Dual
from scanproof.constructs.arrays.masks import Mask, refused
from scanproof.constructs.arrays.operators import Operators
from scanproof.constructs.arrays.protocols import speaking_among

from ...exact.scalar import as_fraction
from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from .length import Length, is_whole, number_of, plain
from .recording import INSTEAD, current, noting, refusal

FUNCTIONS = {
    operator.add: "add",
    operator.sub: "subtract",
    operator.mul: "multiply",
    operator.truediv: "divide",
}


@noting
class Recorded(Operators):
    """An array of which it is known how it was computed."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]
    namespace: ClassVar[Any]
    """Its constructors and functions, which `record.namespace` sets: they are made of it."""

    def __init__(self, node: Node) -> None:
        current().count()
        self.node = node

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return self.namespace

    @property
    def shape(self) -> tuple[Any, ...]:
        """The lengths of the axes."""
        return tuple(map(plain, self.node.shape))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.node.shape)

    @property
    def T(self) -> Recorded:
        """The array with its axes in reverse order."""
        return self._permuted(range(self.ndim)[::-1])

    @property
    def mT(self) -> Recorded:
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("an array with fewer than two axes has no last two to exchange")
        return self._permuted([*range(self.ndim - 2), self.ndim - 1, self.ndim - 2])

    def _permuted(self, order: Sequence[int]) -> Recorded:
        return Recorded(making.permuted(self.node, order))

    def _operand(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return other
        if isinstance(other, Dual | Mask):
            return NotImplemented
        return array(other)

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Recorded:
        if operation is operator.matmul:
            return Recorded(making.product(left.node, right.node))
        return Recorded(making.entrywise(FUNCTIONS[operation], left.node, right.node))

    def __radd__(self, other: Any) -> Any:
        return self._met(operator.add, other, swapped=True)

    def __rmul__(self, other: Any) -> Any:
        return self._met(operator.mul, other, swapped=True)

    def __neg__(self) -> Recorded:
        return Recorded(making.entrywise("negative", self.node))

    def __pow__(self, exponent: Any) -> Recorded:
        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)
        raised = self._operand(exponent) if not isinstance(exponent, Mask) else exponent
        if raised is NotImplemented or isinstance(raised, Mask):
            return NotImplemented  # type: ignore[return-value]
        least = making.entry_of(raised.node)
        if least is None or not nonnegative(least, raised.node.shape):
            raise refusal(
                "a power whose exponent is not a whole number ≥ 0 at all sizes",
                "write 1 / x ** 2, sqrt(x), exp(a * x)",
            )
        return Recorded(making.entrywise("power", self.node, raised.node))

    def _ordered(self, other: Any, sign: int, least: int) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        gap = making.entrywise("subtract", self.node, other.node)
        if making.entry_of(gap) is None:
            return super()._ordered(other, sign, least)
        if sign < 0:
            gap = making.entrywise("subtract", other.node, self.node)
        gap = making.entrywise("subtract", gap, making.number(least))
        return Recorded(making.entrywise("nonnegative", gap))

    def __getitem__(self, key: Any) -> Recorded:
        return Recorded(_taken(self.node, key if isinstance(key, tuple) else (key,)))

    def _total(self, axis: int | None = None) -> Recorded:
        return Recorded(making.total(self.node, axis))

    def __len__(self) -> int:
        if not self.node.shape:
            raise TypeError("an array of one number has no length")
        return self.shape[0].__index__()

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise refusal(
            "NumPy is to hold an array of the claim in its own",
            "write xp.stack([…]) or xp.asarray(…)",
        )

    def __float__(self) -> float:
        raise refusal(
            "a number of an array of the claim was asked",
            "compute with the array itself; leave out float(), int() and the math module",
        )

    __int__ = __complex__ = __float__  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise refusal("the text of an array was asked")


def array(value: Any) -> Recorded:
    """Numbers, nested lists of numbers or arrays, a size as a number, or a recorded array.

    Raises:
        TypeError: for anything else, as for a float that is not the decimal it is written as.
    """
    if isinstance(value, Recorded):
        return value
    if isinstance(value, Mask):
        raise refused("an array")
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if isinstance(value, list | tuple):
        return Recorded(making.stacked([array(part).node for part in value]))
    if type(value) is Length:
        return Recorded(making.number(value.number))
    kinds = "__array_namespace__", "shape"
    if speaking_among([value]) is not None or any(hasattr(value, name) for name in kinds):
        raise refusal(
            f"an array of another kind ({type(value).__name__}) meets a recorded one", INSTEAD
        )
    return Recorded(making.number(as_fraction(value)))


def _taken(node: Node, keys: tuple[Any, ...]) -> Node:
    """What an index with these keys takes."""
    count = sum(k is not None and k is not Ellipsis for k in keys)
    if count > len(node.shape):
        raise IndexError(f"{count} indices of an array with {len(node.shape)} axes")
    fill = (slice(None),) * (len(node.shape) - count)
    dots = [n for n, k in enumerate(keys) if k is Ellipsis]
    at = dots[0] if dots else len(keys)
    keys = (*keys[:at], *fill, *keys[at + 1 :])
    places: list[WholeNumber] = []
    shape: list[WholeNumber] = []
    for k in keys:
        if k is None:
            shape.append(1)
            continue
        length = node.shape[len(places)]
        if isinstance(k, slice):
            start, count, step = _slice(k, length)
            places.append(whole(Axis(len(shape))) * step + start)
            shape.append(count)
        else:
            places.append(_position(k, length))
    return making.take(node, places, tuple(shape))


def _position(key: Any, length: WholeNumber) -> WholeNumber:
    if not is_whole(key):
        if not hasattr(key, "__index__") or hasattr(key, "__array_namespace__"):
            raise refusal(f"an index of type {type(key).__name__}")
        key = operator.index(key)
    place = number_of(key)
    if making.lies_within(place, length):
        return place
    if making.lies_within(place + length, length) and nonnegative(-place - 1):
        return place + length
    if not isinstance(place, Whole) and not isinstance(length, Whole):
        raise IndexError(f"index {place} is out of bounds for an axis of length {length}")
    raise refusal(f"whether {plain_text(place)} lies within an axis of length {plain_text(length)}")


def _slice(key: slice, length: WholeNumber) -> tuple[WholeNumber, WholeNumber, int]:
    """Where it starts, how many places it takes, and the step."""
    step = 1 if key.step is None else key.step
    if (key.start, key.stop, step) == (None, None, -1):
        return length - 1, length, -1
    if type(step) is not int or step < 1:
        raise refusal("a slice with a step that is not 1, 2, …")
    start = 0 if key.start is None else _end(key.start, length)
    stop = length if key.stop is None else _end(key.stop, length)
    if not nonnegative(stop - start):
        if not nonnegative(start - stop):
            raise refusal("whether a slice is empty depends on the sizes")
        stop = start
    count = stop - start
    return start, count if step == 1 else number_of((plain(count) + step - 1) // step), step


def _end(key: Any, length: WholeNumber) -> WholeNumber:
    end = number_of(key if is_whole(key) else operator.index(key))
    if nonnegative(end):
        if nonnegative(length - end):
            return end
        if nonnegative(end - length):
            return length
    elif nonnegative(-end - 1):
        if nonnegative(end + length):
            return end + length
        if nonnegative(-end - length):
            return 0
    raise refusal(f"whether a slice ends within an axis depends on the sizes: {plain_text(end)}")


def plain_text(number: WholeNumber) -> str:
    """A whole number as messages have it."""
    return making.shown([number])[1:-2]


def lengths(shape: Any) -> nodes.Shape:
    """A shape as nodes have it.

    Raises:
        Refused: if a length may be negative.
    """
    given = [shape] if is_whole(shape) or not hasattr(shape, "__iter__") else shape
    found = tuple(number_of(n if is_whole(n) else operator.index(n)) for n in given)
    if not all(map(nonnegative, found)):
        raise refusal("a length that may be negative")
    return found

"""What is computed along axes: sums, products, extremes, and these of all entries up to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from . import binding, choices, making, nodes
from .errors import IllFormed
from .nodes import Node
from .order import nonnegative
from .turns import one_by_one, turned
from .whole import Axis, Number, whole

FEW = 8
"""The number of entries up to which they are taken one after the other."""


def total(node: Node, axes: Iterable[int], keep: bool = False) -> Node:
    """The sum along axes, which are gone, or are of length 1 if they are kept."""
    gone = {axis % len(node.shape) for axis in axes}
    every = tuple(range(len(node.shape)))
    kept = tuple(k for k in every if k not in gone)
    found = nodes.Contract((node,), (every,), kept) if gone else node
    for axis in sorted(gone if keep else ()):
        found = making.expanded(found, axis)
    return found


def product(node: Node, axes: Iterable[int]) -> Node:
    """The product along axes."""
    for axis in sorted(axes, reverse=True):
        node = nodes.Fold("product", first(node, axis))
    return node


def first(node: Node, axis: int) -> Node:
    """The array with an axis moved to the front."""
    order = [axis, *(k for k in range(len(node.shape)) if k != axis)]
    return making.permuted(node, order)


def back(node: Node, axis: int) -> Node:
    """The array with its first axis moved to a place."""
    order = list(range(1, len(node.shape)))
    order.insert(axis, 0)
    return making.permuted(node, order)


def greatest(node: Node, axes: Iterable[int]) -> Node:
    """The greatest entry along axes.

    Raises:
        IllFormed: if there may be none.
    """
    for axis in sorted(axes, reverse=True):
        if not nonnegative(node.shape[axis] - 1):
            raise IllFormed("the greatest of entries of which there may be none")
        along = first(node, axis)
        length = along.shape[0]
        if isinstance(length, int) and length <= FEW:
            node = reduce(choices.greater, [making.row(along, k) for k in range(length)])
        else:
            node = nodes.Fold("maximum", along)
    return node


def sums(node: Node, axis: int, backwards: bool = False) -> Node:
    """Σ of the entries up to each place, or from each place on."""
    axis %= len(node.shape)
    gap = whole(Axis(axis)) - whole(Axis(len(node.shape)))
    places = list(making.places_of(node.shape))
    places[axis] = whole(Axis(len(node.shape)))
    lengths = (*node.shape, node.shape[axis])
    return total(making.take(node, places, lengths, [-gap if backwards else gap]), [-1])


def products(node: Node, axis: int, backwards: bool = False) -> Node:
    """Π of the entries up to each place, or from each place on."""
    along = _forwards(first(node, axis), backwards)
    length = along.shape[0]
    position = binding.fresh(0, length)
    here = making.rows(along, 0, whole(position) + 1)
    found = binding.build(position, nodes.Fold("product", here))
    return back(_forwards(found, backwards), axis)


def running(
    pick: Callable[[Node, Node], Node], node: Node, axis: int, backwards: bool = False
) -> Node:
    """The greatest, or least, entry up to each place, or from each place on: a loop that begins with the first."""
    along = _forwards(first(node, axis), backwards)

    def turn(time: Number, before: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        found = pick(before[0], making.row(along, time))
        return [found], []

    start, length = [making.row(along, 0)], along.shape[0]
    if isinstance(length, int) and length <= FEW:
        found = one_by_one(turn, start, length)
    else:
        found = turned(turn, start, length)
    return back(_forwards(making.rows(found.states[0], 1, length), backwards), axis)


def _forwards(along: Node, backwards: bool) -> Node:
    return making.reversed_along(along, [0]) if backwards else along


def entry_at_greatest(node: Node, axis: int, places: Sequence[Number], here: Node) -> Node | None:
    """Entries at places, and along an axis `here`: the greatest, or the least, where that is where they stand."""
    if not isinstance(here.of if isinstance(here, nodes.Take) else here, nodes.Loop):
        return None
    others = [p for k, p in enumerate(places) if k != axis]
    for sign, own in ((1, node), (-1, choices.negative(node))):
        if making.take(place_of_greatest(own, axis), others, here.shape) is here:
            found = making.take(greatest(own, [axis]), others, here.shape)
            return found if sign > 0 else choices.negative(found)
    return None


def place_of_greatest(node: Node, axis: int) -> Node:
    """The first place along an axis where the greatest entry stands.

    Raises:
        IllFormed: if there may be no entry.
    """
    along = first(node, axis)
    if not nonnegative(along.shape[0] - 1):
        raise IllFormed("the place of the greatest of entries of which there may be none")

    def turn(time: Number, before: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        best, place = before
        here = making.row(along, time)
        more = choices.above(choices.subtract(here, best))
        moment = making.full(making.number(time), here.shape)
        return [choices.greater(best, here), choices.select(more, moment, place)], []

    start = making.row(along, 0), making.full(making.number(0), along.shape[1:])
    states = turned(turn, start, along.shape[0]).states
    return making.row(states[1], along.shape[0])

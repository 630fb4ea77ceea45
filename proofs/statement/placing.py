"""Entries read and written at places: guards beyond an array's ends, parts at computed places, padding, windows."""

from __future__ import annotations

from collections.abc import Sequence

from . import choices, making
from .cases import Case, cases_of, moved
from .errors import IllFormed
from .making import full, number
from .nodes import Node
from .order import divided, nonnegative
from .whole import Axis, Number


def count_of_steps(length: Number, step: int) -> Number:
    """How many places, `step` apart, there are in a length.

    Raises:
        IllFormed: if that is not seen.
    """
    if step == 1:
        return length
    found = divided(length + step - 1, step)
    if found is None:
        raise IllFormed(f"a slice with the step {step} of {making.shown([length])[1:-2]} places")
    return found[0]


def sliced(node: Node, axis: int, start: Number, count: Number, step: int = 1) -> Node:
    """`count` entries along an axis from `start` on."""
    places = list(making.places_of(node.shape))
    places[axis] = places[axis] * step + start
    return making.take(node, places, (*node.shape[:axis], count, *node.shape[axis + 1 :]))


def windows(
    node: Node,
    lengths: Sequence[Number],
    taps: Sequence[Number],
    strides: Sequence[int],
    steps: Sequence[int],
    before: Sequence[Number],
) -> Node:
    """(n, c, x…) -> (n, c, y…, k…): entry y·stride + k·step − before, 0 outside of the array.

    Args:
        lengths: those of y.
        taps: those of k.
        before: how many entries outside of the array the first window has.
    """
    shape = (*node.shape[:2], *lengths, *taps)
    axes = making.places_of(shape)
    rank = len(taps)
    places = list(axes[:2])
    for k in range(rank):
        place = axes[2 + k] * strides[k] + axes[2 + rank + k] * steps[k] - before[k]
        places.append(place)
    guards = [g for p, n in zip(places[2:], node.shape[2:], strict=True) for g in within(p, n)]
    return making.take(node, places, shape, [g for g in guards if not nonnegative(g, shape)])


def within(place: Number, length: Number) -> list[Number]:
    """What is ≥ 0 where a place lies in an axis."""
    return [place, length - 1 - place]


def padded(node: Node, value: Node, sides: Sequence[tuple[Number, Number]]) -> Node:
    """Entries `value`, a number, before and behind each axis; a number below 0 cuts entries off.

    Raises:
        IllFormed: if a length may be below 0.
    """
    places = making.places_of(node.shape)
    moved = [place - low for place, (low, _) in zip(places, sides, strict=True)]
    shape = tuple(low + n + high for n, (low, high) in zip(node.shape, sides, strict=True))
    if not all(map(nonnegative, shape)):
        raise IllFormed("padding by a negative number, to a length that may be negative")
    guards = [g for p, n in zip(moved, node.shape, strict=True) for g in within(p, n)]
    guards = [g for g in guards if not nonnegative(g, shape)]
    found = making.take(node, moved, shape, guards)
    if making.constant(value) == 0 or not guards:
        return found
    outside = choices.inverse(making.take(number(1), (), shape, guards))
    return choices.add(found, choices.multiply(outside, value))


def spaced(node: Node, value: Node, gap: int, axis: int) -> Node:
    """`gap` entries `value` between the entries along an axis, of which there is one at least.

    Raises:
        IllFormed: if there may be none.
    """
    if not gap:
        return node
    length = node.shape[axis]
    if not nonnegative(length - 1):
        raise IllFormed("entries between those of an axis that may be empty")
    behind = axis + 1
    with_axis = making.expanded(node, behind)
    between = (*with_axis.shape[:behind], gap, *with_axis.shape[behind + 1 :])
    both = making.joined([with_axis, full(value, between)], behind)
    joined = (*node.shape[:axis], length * (gap + 1), *node.shape[axis + 1 :])
    long = making.reshaped(both, joined)
    kept = (*node.shape[:axis], length * (gap + 1) - gap, *node.shape[axis + 1 :])
    return making.take(long, making.places_of(kept), kept)


def clamped(place: Node, most: Number) -> Node:
    """Whole numbers moved to 0 if they are below, and to `most` if they are above."""
    low = choices.greater(place, number(0))
    return choices.smaller(low, number(most))


def cases_in_axes(node: Node, axes: Sequence[Number]) -> list[Case] | None:
    """The cases of an array's entries, its positions being these numbers."""
    found = cases_of(node)
    images = {Axis(k): place for k, place in enumerate(axes)}
    return None if found is None else [moved(one, images) for one in found]

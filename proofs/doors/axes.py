"""What frameworks do along axes, as nodes: sums, products, running ones, extremes, entries at places, parts written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..statement import binding, making, nodes
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.whole import Axis, Whole, whole
from ..statement.whole import Number as WholeNumber
from .entries import ONE, ZERO, maximum, over, plus, times


def summed(node: Node, axes: Sequence[int], keep: bool = False) -> Node:
    """The sum along axes."""
    names = tuple(range(len(node.shape)))
    gone = [k for k in axes if node.shape[k] != 1]
    if gone:
        kept = tuple(k for k in names if k not in gone)
        node, kept_axes = nodes.Contract((node,), (names,), kept), kept
    else:
        kept_axes = names
    ones = [k for k in axes if k not in gone]
    if keep:
        for k in sorted(gone):
            node = making.expanded(node, k)
        return node
    return without_axes(node, [kept_axes.index(k) for k in ones])


def without_axes(node: Node, axes: Sequence[int]) -> Node:
    """The array without axes of length 1."""
    if not axes:
        return node
    kept = [k for k in range(len(node.shape)) if k not in axes]
    places: list[WholeNumber] = [0] * len(node.shape)
    for new, k in enumerate(kept):
        places[k] = whole(Axis(new))
    return making.take(node, places, tuple(node.shape[k] for k in kept))


def count_along(node: Node, axes: Sequence[int]) -> Node:
    """How many entries lie along axes, as a number."""
    return making.number(making.area([node.shape[k] for k in axes]))


def mean(node: Node, axes: Sequence[int], keep: bool = False) -> Node:
    """The mean along axes."""
    return over(summed(node, axes, keep), count_along(node, axes))


def running_sum(node: Node, axis: int) -> Node:
    """Sums of the entries up to each along an axis."""
    rank, length = len(node.shape), node.shape[axis]
    gap = whole(Axis(0)) - whole(Axis(1))
    lower = making.take(ONE, (), (length, length), [gap])
    names = list(range(rank))
    names[axis] = rank
    return making.contracted([lower, node], [(axis, rank), names], list(range(rank)))


def folded(
    node: Node,
    axis: int,
    start: Callable[[Node], Node],
    join: Callable[[Node, Node], Node],
    first: int,
) -> tuple[Node, Node]:
    """What `join` makes of entries along an axis, turn by turn: at the end, and after each entry.

    Args:
        start: the state before the turns, of the array's entries along the axis moved in front.
        first: the entry with which the turns begin.
    """
    order = [axis, *(k for k in range(len(node.shape)) if k != axis)]
    moved = making.permuted(node, order)
    turns = moved.shape[0] - first
    begun = start(moved)
    time = binding.fresh(0, turns)
    (before,) = binding.placeholders([moved.shape[1:]])
    after = join(before, making.row(moved, whole(time) + first))
    loop = nodes.Loop(binding.recursion(time, (before,), (begun,), (after,)), 0)
    every = loop if first else making.rows(loop, 1, turns)
    return making.row(loop, turns), making.permuted(every, _back(order))


def _back(order: Sequence[int]) -> list[int]:
    return [list(order).index(k) for k in range(len(order))]


def running_product(node: Node, axis: int) -> tuple[Node, Node]:
    """The product along an axis, and those of the entries up to each."""

    def start(moved: Node) -> Node:
        return making.full(ONE, moved.shape[1:])

    return folded(node, axis, start, times, 0)


def running_maximum(node: Node, axis: int) -> tuple[Node, Node]:
    """The maximum along an axis, and those of the entries up to each; there is an entry."""
    return folded(node, axis, lambda moved: making.row(moved, 0), maximum, 1)


def lies_in(place: WholeNumber, length: WholeNumber, shape: nodes.Shape) -> WholeNumber | None:
    """A place along an axis, counted from its end where it is below 0; None where that is not seen."""
    if making.lies_within(place, length, shape):
        return place
    if making.lies_within(place + length, length, shape) and nonnegative(-place - 1, shape):
        return place + length
    return None


def sliced(node: Node, axis: int, start: WholeNumber, count: WholeNumber, step: int = 1) -> Node:
    """`count` entries along an axis from `start` on."""
    places = list(making.places_of(node.shape))
    places[axis] = places[axis] * step + start
    return making.take(node, places, (*node.shape[:axis], count, *node.shape[axis + 1 :]))


def at_place(node: Node, axis: int, place: WholeNumber) -> Node:
    """The entries at a place of an axis, which is gone."""
    shape = (*node.shape[:axis], *node.shape[axis + 1 :])
    places = list(making.places_of(shape))
    places.insert(axis, place)
    return making.take(node, places, shape)


def moved_in_front(node: Node, axis: int) -> Node:
    """The array with an axis as its first."""
    return making.permuted(node, [axis, *(k for k in range(len(node.shape)) if k != axis)])


def moved_to(node: Node, axis: int) -> Node:
    """The array with its first axis as that of this number."""
    order = list(range(1, len(node.shape)))
    order.insert(axis, 0)
    return making.permuted(node, order)


def diagonal_part(node: Node, offset: WholeNumber, lower: bool) -> Node:
    """The entries of matrices on one side of a diagonal, with it, and zeros."""
    count = len(node.shape)
    gap = whole(Axis(count - 2)) - whole(Axis(count - 1)) + offset
    guard = gap if lower else -gap
    return making.take(node, making.places_of(node.shape), node.shape, [guard])


def padded(node: Node, axis: int, before: WholeNumber, after: WholeNumber, filling: Node) -> Node:
    """The array with entries before and behind along an axis; numbers below 0 cut entries off."""
    length = node.shape[axis]
    shape = (*node.shape[:axis], length + before + after, *node.shape[axis + 1 :])
    places = list(making.places_of(shape))
    inside = places[axis] - before
    places[axis] = inside
    guards = [g for g in (inside, length - 1 - inside) if not nonnegative(g, shape)]
    kept = making.take(node, places, shape, guards)
    if making.constant(filling) == 0 or not guards:
        return kept
    lies = making.take(ONE, (), shape, guards)
    return plus(kept, times(making.entrywise("subtract", ONE, lies), filling))


def grouped(node: Node) -> tuple[Node, list[list[int]]]:
    """The array before its axes were merged, and for each of its axes those that it was merged of."""
    own = [[k] for k in range(len(node.shape))]
    if not isinstance(node, nodes.Reshape):
        return node, own
    inner, groups, k = node.of, [], 0
    inner = without_axes(inner, [j for j, n in enumerate(inner.shape) if n == 1])
    for length in node.shape:
        group: list[int] = []
        while k < len(inner.shape) and making.area([inner.shape[j] for j in group]) != length:
            group.append(k)
            k += 1
        if making.area([inner.shape[j] for j in group]) != length:
            return node, own
        groups.append(group)
    return (inner, groups) if k == len(inner.shape) else (node, own)


def permuted(node: Node, order: Sequence[int]) -> Node:
    """The array with its axes in another order, also where they are merged ones."""
    inner, groups = grouped(node)
    if inner is node:
        return making.permuted(node, order)
    turned = making.permuted(inner, [j for k in order for j in groups[k]])
    return reshaped(turned, [node.shape[k] for k in order])


def reshaped(node: Node, shape: Sequence[WholeNumber]) -> Node:
    """The same entries in order in another shape: by places where axes of length 1 come and go, or are split."""
    while isinstance(node, nodes.Reshape):
        node = node.of
    wanted = tuple(shape)
    if node.shape == wanted:
        return node
    kept = [k for k, n in enumerate(node.shape) if n != 1]
    new = [k for k, n in enumerate(wanted) if n != 1]
    places = _split_places([node.shape[k] for k in kept], [wanted[k] for k in new], new)
    if places is None:
        return making.reshaped(node, wanted)
    every: list[WholeNumber] = [0] * len(node.shape)
    for k, place in zip(kept, places, strict=True):
        every[k] = place
    return making.take(node, every, wanted)


def _split_places(
    old: Sequence[WholeNumber], new: Sequence[WholeNumber], numbers: Sequence[int]
) -> list[WholeNumber] | None:
    """Where each axis is read that is kept or split into several; None where axes are merged."""
    found: list[WholeNumber] = []
    k = 0
    for length in old:
        group: list[int] = []
        while making.area([new[j] for j in group]) != length:
            if k == len(new):
                return None
            group.append(k)
            k += 1
            if len(group) > len(new):
                return None
        place: WholeNumber = 0
        for j in group:
            place = place * new[j] + whole(Axis(numbers[j]))
        found.append(place)
    return found if k == len(new) else None


def matrix_product(left: Node, right: Node, batch: int) -> Node:
    """(batch…, i, k) · (batch…, k, j), also where axes are merged: these are summed and kept apart."""
    one, ours = grouped(left)
    other, theirs = grouped(right)
    rows = left.shape[batch:-1]
    columns = right.shape[batch + 1 :]
    shape = (*left.shape[:batch], *rows, *columns)
    pairs = [(ours[k], theirs[k]) for k in range(batch)] + [(ours[-1], theirs[batch])]
    for group, same in pairs:
        if [one.shape[k] for k in group] != [other.shape[k] for k in same]:
            one, ours = left, [[k] for k in range(len(left.shape))]
            other, theirs = right, [[k] for k in range(len(right.shape))]
            pairs = [(ours[k], theirs[k]) for k in range(batch)] + [(ours[-1], theirs[batch])]
            break
    names: dict[int, int] = {}
    for group, same in pairs:
        names.update({b: a for a, b in zip(group, same, strict=True)})
    start = len(one.shape)
    second = [names.get(k, start + k) for k in range(len(other.shape))]
    kept = [k for g in ours[:-1] for k in g]
    kept += [second[k] for g in theirs[batch + 1 :] for k in g]
    found = making.contracted([one, other], [list(range(start)), second], kept)
    return reshaped(found, shape)


def windows(
    node: Node,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    lengths: Sequence[WholeNumber],
) -> Node:
    """(n, c, x…) -> (n, c, y…, k…): what a kernel sees at each place y, with zeros outside of the array."""
    count = len(kernel)
    shape = (*node.shape[:2], *lengths, *kernel)
    axes = making.places_of(shape)
    places, guards = list(axes[:2]), []
    for d in range(count):
        place = axes[2 + d] * stride[d] + axes[2 + count + d] * dilation[d] - padding[d]
        places.append(place)
        guards += [g for g in (place, node.shape[2 + d] - 1 - place) if not nonnegative(g, shape)]
    return making.take(node, places, shape, guards)


def one_hot(places: Node, length: WholeNumber) -> Node:
    """1 at the place that an entry says, along a new last axis; nothing where it is no place."""
    return making.lookup(making.identity(length), places)


def scattered(places: Node, values: Node, length: WholeNumber) -> Node:
    """Σ over the entries of `places` of what `values` has there, at these places: (length, …)."""
    count = len(places.shape)
    ones = one_hot(places, length)
    names = tuple(range(count + 1 + len(values.shape) - count))
    axes = [names[: count + 1], (*names[:count], *names[count + 1 :])]
    return making.contracted([ones, values], axes, names[count:])


def is_size(value: object) -> bool:
    """Whether a value is a whole number of sizes and positions."""
    return isinstance(value, int | Whole) and not isinstance(value, bool)


def zeros(shape: Sequence[WholeNumber]) -> Node:
    """Zeros."""
    return making.full(ZERO, tuple(shape))

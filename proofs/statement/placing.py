"""Entries read and written at places: guards beyond an array's ends, parts at computed places, padding, windows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import reduce

from . import choices, making, rows
from .cases import Case, Guards, cases_of, moved
from .errors import IllFormed
from .making import full, number
from .nodes import Map, Node, Shape, Take
from .order import divided, excluded, nonnegative
from .whole import Axis, Number, Whole, whole


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


Known = Sequence[tuple[int, Sequence[Case]]]
"""Axes, with the cases of the places on each."""


def choices_of_cases(
    known: Known, shape: Shape
) -> Iterator[tuple[Guards, list[tuple[int, Number]]]]:
    """Every choice of a case for each axis that may hold: its guards, and the axes with their places."""
    for every in itertools.product(*[cases for _, cases in known]):
        guards = frozenset[Number]().union(*[g for g, _ in every])
        guards = frozenset(g for g in guards if not nonnegative(g, shape))
        if not excluded(guards, shape):
            yield guards, [(axis, e) for (axis, _), (_, e) in zip(known, every, strict=True)]


def entries(node: Node, places: Sequence[Number], known: Known, shape: Shape) -> tuple[Node, bool]:
    """The entries at places of which some are known case by case, 0 where they lie outside.

    Args:
        node: what is read.
        places: where it is read, in the positions of the result, to which the places of the cases are added.
        known: the axes and cases.
        shape: that of the result.

    Returns:
        The entries, and whether all are seen to lie inside.
    """
    parts, inside = [], True
    for guards, starts in choices_of_cases(known, shape):
        here = list(places)
        for axis, start in starts:
            here[axis] = here[axis] + start
        bounds = [g for p, n in zip(here, node.shape, strict=True) for g in within(p, n)]
        needed = [g for g in bounds if not nonnegative(g, shape, guards)]
        inside &= not needed
        parts.append(making.take(node, here, shape, [*guards, *needed]))
    return reduce(choices.add, parts or [full(number(0), shape)]), inside


def taken_inside(node: Take, of: Map) -> Map:
    """The function of the entries taken, for entries taken of a function: its values at other places look alike so."""
    arguments = []
    for one in of.arguments:
        own = node.places[len(of.shape) - len(one.shape) :]
        places = [0 if n == 1 else place for n, place in zip(one.shape, own, strict=True)]
        arguments.append(making.take(one, places, node.lengths))
    return Map(of.function, tuple(arguments), node.lengths)


def looked_up(of: Node, places: Node) -> Node:
    """Entries along the first axis at places that are data, and lie within it; 0 at rows of places that do not.

    Of a sum, a multiple or a quotient what is the same along the axis is none of these entries: it stays as it is.
    """
    if (found := rows.looked_up(of, places)) is not None:
        return found
    if isinstance(of, Take) and isinstance(of.of, Map) and not of.guards:
        inside = taken_inside(of, of.of)
        return looked_up(inside, places) if _parts_alike(inside) else making.lookup(of, places)
    if not isinstance(of, Map) or not _parts_alike(of):
        return making.lookup(of, places)
    rank, count = len(of.shape), len(places.shape)
    arguments = []
    for one in of.arguments:
        if _runs_along(one, rank):
            arguments.append(looked_up(one, places))
            continue
        part = making.row(one, 0) if len(one.shape) == rank else one
        lacking = count + rank - 1 - len(part.shape)
        axes = [whole(Axis(lacking + k)) for k in range(len(part.shape))]
        arguments.append(making.take(part, axes, (*(1,) * lacking, *part.shape)))
    found = making.entrywise(of.function, *arguments)
    return making.spread(found, (*places.shape, *of.shape[1:]))


def _runs_along(one: Node, rank: int) -> bool:
    """Whether the entries of an argument differ along the first axis."""
    if len(one.shape) < rank or one.shape[0] == 1:
        return False
    if not isinstance(one, Take):
        return True
    spoken = [n.symbols for n in (*one.places, *one.guards) if isinstance(n, Whole)]
    return any(Axis(0) in symbols for symbols in spoken)


def _parts_alike(of: Map) -> bool:
    """Whether a function is linear in those of its arguments that run along the first axis, and others do not."""
    along = [_runs_along(one, len(of.shape)) for one in of.arguments]
    linear = {"add": True, "subtract": True, "multiply": True, "divide": not along[-1]}
    return linear.get(of.function, False) and any(along) and not all(along)

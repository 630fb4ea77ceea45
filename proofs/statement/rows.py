"""Quotients of places by a number n: the row of n places in which each lies, rows numbered in order.

The row of place e is an entry of an array that a reshape makes: 0, …, 0, 1, …, 1, and so on, each number n times. What
is asked of rows, whether they are equal or what stands there, is asked of each number, and holds at e likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import making, nodes
from .nodes import Node, Shape
from .order import largest, multiples, nonnegative
from .whole import Axis, Number, Whole, parts, substituted, whole

MOST = 3
"""So many rows are told apart in one number."""


class Row(NamedTuple):
    """The row of n places in which a place lies, of `count` rows or fewer."""

    place: Number
    n: int
    count: Number


class InRows(NamedTuple):
    """A number in the positions of an array's axes, and in rows, which have the axes behind them."""

    number: Number
    rows: tuple[Row, ...] = ()


def row_of(entry: Number, n: int, shape: Shape) -> Node | None:
    """The greatest whole number that is not above entry / n; None if it is not seen in which row an entry lies."""
    rows, place = multiples(entry, n)
    if not isinstance(place, Whole):
        return making.entries_as(rows, shape)
    if any(len(m) > 1 for m, _ in place.parts):
        return None
    before = 0 if nonnegative(place, shape) else largest(-place, shape)
    place = place + before * n
    most = largest(place, shape)
    full, rest = multiples(most, n)
    count = most + 1 if isinstance(rest, Whole) else full + 1
    if not all(map(nonnegative, (before, count))) or not making.lies_within(
        place, count * n, shape
    ):
        return None
    each = making.take(nodes.Positions(count), [whole(Axis(0))], (count, n))
    row = making.take(making.reshaped(each, [count * n]), [place], shape)
    rows = rows - before
    return row if rows == 0 else making.entrywise("add", making.entries_as(rows, shape), row)


def in_rows(node: Node) -> InRows | None:
    """The whole number that an entry is, in positions and rows of theirs; None where inputs decide."""
    entry = making.entry_of(node)
    if entry is not None:
        return InRows(entry)
    rank = len(node.shape)
    match node:
        case nodes.Reshape(
            nodes.Take(nodes.Positions(), (first,), guards, (count, int() as n)), (_,)
        ) if not guards and first == whole(Axis(0)):
            return InRows(whole(Axis(1)), (Row(whole(Axis(0)), n, count),))
        case nodes.Take() if not node.guards:
            index = in_rows(node.of)
            return None if index is None else _at(index, len(node.of.shape), node.places, rank)
        case nodes.Map() if node.function in making.OF_ENTRIES:
            return _combined(node)
    return None


def _at(index: InRows, inner: int, places: Sequence[Number], rank: int) -> InRows:
    """The same where the positions of `inner` axes are these, in those of `rank` axes."""
    images = {Axis(k): place for k, place in enumerate(places)}
    images |= {Axis(inner + k): whole(Axis(rank + k)) for k in range(len(index.rows))}
    rows = tuple(r._replace(place=substituted(r.place, images)) for r in index.rows)
    return InRows(substituted(index.number, images), rows)


def _combined(node: nodes.Map) -> InRows | None:
    rank = len(node.shape)
    every: list[Row] = []
    numbers: list[Number] = []
    for argument in node.arguments:
        index = in_rows(argument)
        if index is None:
            return None
        lacking = rank - len(argument.shape)
        places = [0 if n == 1 else whole(Axis(lacking + k)) for k, n in enumerate(argument.shape)]
        index = _at(index, len(argument.shape), places, rank)
        every += [r for r in index.rows if r not in every]
        images = {
            Axis(rank + k): whole(Axis(rank + every.index(r))) for k, r in enumerate(index.rows)
        }
        numbers.append(substituted(index.number, images))
    if len(every) > MOST:
        return None
    return InRows(making.OF_ENTRIES[node.function](*numbers), tuple(every))


def compared(gap: Node, least: int = 0, equal: bool = False) -> Node | None:
    """1 where a number of positions and rows is ≥ `least`, or 0 (`equal`), and else 0; None of other numbers."""
    index = in_rows(gap)
    if index is None or not index.rows:
        return None
    guards = [index.number, -index.number] if equal else [index.number - least]
    long = (*gap.shape, *(r.count for r in index.rows))
    given = _given(index, len(gap.shape))
    if all(nonnegative(g, long, given) for g in guards):
        return making.full(making.number(1), gap.shape)
    if any(nonnegative(-g - 1, long, given) for g in guards):
        return making.full(making.number(0), gap.shape)
    return _over_rows(index, gap.shape, making.number(1), (), guards)


def _given(index: InRows, rank: int) -> frozenset[Number]:
    """What is ≥ 0 of places and their rows."""
    pairs = [(r, r.place - whole(Axis(rank + k)) * r.n) for k, r in enumerate(index.rows)]
    return frozenset([gap for _, gap in pairs] + [r.n - 1 - gap for r, gap in pairs])


def place_in_row(node: Node) -> int | None:
    """The number n of places in a row where each entry is that of a place in its row, from 0 on; else None."""
    index = in_rows(node)
    if index is None or len(index.rows) != 1:
        return None
    ((place, n, _),) = index.rows
    return n if index.number == place - whole(Axis(len(node.shape))) * n else None


def looked_up(of: Node, places: Node) -> Node | None:
    """Entries along the first axis at places that are numbers of positions and rows; None at others."""
    index = in_rows(places)
    if index is None or not index.rows:
        return None
    inside = [index.number, of.shape[0] - 1 - index.number]
    return _over_rows(index, places.shape, of, (index.number,), inside)


def _over_rows(
    index: InRows, shape: Shape, of: Node, places: Sequence[Number], guards: Sequence[Number]
) -> Node:
    """Entries of an array at places in positions and rows, 0 where a guard is below 0; other axes stay, behind.

    Args:
        index: the number of positions and rows that the places are made of.
        shape: that of the positions.
        of: the array.
        places: on its first axes.
        guards: what has to be ≥ 0.
    """
    rank, count, behind = len(shape), len(index.rows), of.shape[len(places) :]
    places, guards = (
        [_in_few_axes(n, index.rows, rank) for n in every] for every in (places, guards)
    )
    axes = _axes([*places, *guards], rank)
    here = [n for k in range(count) for n in (rank + k, rank + count + k)]  # a row, and where in it
    lengths = [n for r in index.rows for n in (r.count, r.n)] + [shape[k] for k in axes]
    at = {Axis(k): whole(Axis(n)) for n, k in enumerate([*here, *axes])}
    last = [whole(Axis(len(lengths) + k)) for k in range(len(behind))]
    needed = [substituted(g, at) for g in guards]
    needed = [g for g in needed if not nonnegative(g, tuple(lengths))]
    first = [substituted(place, at) for place in places]
    value = making.take(of, [*first, *last], (*lengths, *behind), needed)
    for k, row in enumerate(index.rows):  # which are the first two axes that are left
        value = making.reshaped(value, (row.count * row.n, *value.shape[2:]))
        left = 2 * (count - 1 - k)
        more = [k for k in _axes([row.place], rank) if k not in axes]
        kept = [whole(Axis(n)) for n in range(left + len(axes))]
        axes = [*axes, *more]
        at = {Axis(k): whole(Axis(left + n)) for n, k in enumerate(axes)}
        last = [whole(Axis(left + len(axes) + n)) for n in range(len(behind))]
        lengths = [*value.shape[1 : 1 + left], *(shape[k] for k in axes), *behind]
        value = making.take(value, [substituted(row.place, at), *kept, *last], tuple(lengths))
    last = [whole(Axis(rank + k)) for k in range(len(behind))]
    return making.take(value, [*(whole(Axis(k)) for k in axes), *last], (*shape, *behind))


def _in_few_axes(number: Number, rows: Sequence[Row], rank: int) -> Number:
    """The number with n times a row and where in the row for a place, where fewer axes are left so."""
    for k, (place, n, _) in enumerate(rows):
        split = whole(Axis(rank + k)) * n + whole(Axis(rank + len(rows) + k))
        spoken = dict(parts(number))
        for m, c in parts(place):
            times, rest = divmod(spoken.get(m, 0), c)
            new = number - (place - split) * times
            if m and not rest and len(_axes([new], rank)) < len(_axes([number], rank)):
                number = new
                break
    return number


def _axes(numbers: Sequence[Number], rank: int) -> list[int]:
    """The axes of which numbers speak, without rows."""
    spoken = {s for one in numbers for m, _ in parts(one) for s in m if isinstance(s, Axis)}
    return sorted(s.number for s in spoken if s.number < rank)

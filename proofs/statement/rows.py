"""Quotients of places by a number n: the row of n places in which each lies, rows numbered in order.

The row of place e is an entry of an array that a reshape makes: 0, …, 0, 1, …, 1, and so on, each number n times. What
is asked of rows, whether they are equal or what stands there, is asked of each number, and found at e likewise.
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
        case nodes.Reshape(of=nodes.Take() as each, lengths=(_,)) if not each.guards:
            match each:
                case nodes.Take(nodes.Positions(), (first,), lengths=(count, int() as n)):
                    if first == whole(Axis(0)):
                        return InRows(whole(Axis(1)), (Row(whole(Axis(0)), n, count),))
        case nodes.Take() if not node.guards:
            found = in_rows(node.of)
            return None if found is None else _at(found, len(node.of.shape), node.places, rank)
        case nodes.Map() if node.function in making.OF_ENTRIES:
            return _combined(node)
    return None


def _at(found: InRows, inner: int, places: Sequence[Number], rank: int) -> InRows:
    """The same where the positions of `inner` axes are these, in those of `rank` axes."""
    images = {Axis(k): place for k, place in enumerate(places)}
    images |= {Axis(inner + k): whole(Axis(rank + k)) for k in range(len(found.rows))}
    rows = tuple(r._replace(place=substituted(r.place, images)) for r in found.rows)
    return InRows(substituted(found.number, images), rows)


def _combined(node: nodes.Map) -> InRows | None:
    rank = len(node.shape)
    every: list[Row] = []
    numbers: list[Number] = []
    for one in node.arguments:
        found = in_rows(one)
        if found is None:
            return None
        lacking = rank - len(one.shape)
        places = [0 if n == 1 else whole(Axis(lacking + k)) for k, n in enumerate(one.shape)]
        found = _at(found, len(one.shape), places, rank)
        every += [r for r in found.rows if r not in every]
        images = {
            Axis(rank + k): whole(Axis(rank + every.index(r))) for k, r in enumerate(found.rows)
        }
        numbers.append(substituted(found.number, images))
    if len(every) > MOST:
        return None
    return InRows(making.OF_ENTRIES[node.function](*numbers), tuple(every))


def compared(gap: Node, least: int = 0, equal: bool = False) -> Node | None:
    """1 where a number of positions and rows is ≥ `least`, or 0 (`equal`), and else 0; None of other numbers."""
    found = in_rows(gap)
    if found is None or not found.rows:
        return None
    guards = [found.number, -found.number] if equal else [found.number - least]
    long = (*gap.shape, *(r.count for r in found.rows))
    given = _given(found, len(gap.shape))
    if all(nonnegative(g, long, given) for g in guards):
        return making.full(making.number(1), gap.shape)
    if any(nonnegative(-g - 1, long, given) for g in guards):
        return making.full(making.number(0), gap.shape)
    return _over_rows(found, gap.shape, making.number(1), (), guards)


def _given(found: InRows, rank: int) -> frozenset[Number]:
    """What is ≥ 0 of places and their rows."""
    pairs = [(r, r.place - whole(Axis(rank + k)) * r.n) for k, r in enumerate(found.rows)]
    return frozenset([gap for _, gap in pairs] + [r.n - 1 - gap for r, gap in pairs])


def place_in_row(node: Node) -> int | None:
    """The number n of places in a row where each entry is that of a place in its row, from 0 on; else None."""
    found = in_rows(node)
    if found is None or len(found.rows) != 1:
        return None
    ((place, n, _),) = found.rows
    return n if found.number == place - whole(Axis(len(node.shape))) * n else None


def looked_up(of: Node, places: Node) -> Node | None:
    """Entries along the first axis at places that are numbers of positions and rows; None at others."""
    found = in_rows(places)
    if found is None or not found.rows:
        return None
    inside = [found.number, of.shape[0] - 1 - found.number]
    return _over_rows(found, places.shape, of, (found.number,), inside)


def _over_rows(
    found: InRows, shape: Shape, of: Node, places: Sequence[Number], guards: Sequence[Number]
) -> Node:
    """Entries of an array at places in positions and rows, 0 where a guard is below 0; other axes stay, behind.

    Args:
        found: the rows.
        shape: that of the positions.
        of: the array.
        places: on its first axes.
        guards: what has to be ≥ 0.
    """
    rank, count, behind = len(shape), len(found.rows), of.shape[len(places) :]
    places, guards = (
        [_in_few_axes(n, found.rows, rank) for n in every] for every in (places, guards)
    )
    axes = _axes([*places, *guards], rank)
    here = [
        rank + k + part * count for k in range(count) for part in (0, 1)
    ]  # each row, and where in it
    lengths = [n for r in found.rows for n in (r.count, r.n)] + [shape[k] for k in axes]
    at = {Axis(k): whole(Axis(n)) for n, k in enumerate([*here, *axes])}
    last = [whole(Axis(len(lengths) + k)) for k in range(len(behind))]
    needed = [substituted(g, at) for g in guards]
    needed = [g for g in needed if not nonnegative(g, tuple(lengths))]
    first = [substituted(place, at) for place in places]
    value = making.take(of, [*first, *last], (*lengths, *behind), needed)
    for k, row in enumerate(found.rows):  # which are the first two axes that are left
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

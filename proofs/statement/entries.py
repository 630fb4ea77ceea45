"""Every entry by itself along axes of a few places: what holds of rotations, three by three, holds entry by entry.

Where a program writes an axis place by place, each place of a product of such arrays is a choice among all of them. In
a statement of entries there is no choice left: a relation has one entry's sides, sums over a few places are written
out, and functions are of the entries that are taken.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, TypeGuard

from . import binding, choices, making, nodes
from .errors import IllFormed
from .nodes import Node, Shape
from .reshaping import groups_of
from .statement import Relation, Statement
from .whole import Axis, Number, Whole, substituted, whole

FEW = 16
"""The most places of an axis that is taken apart."""
MOST = 64
"""The most entries that an array is taken apart into, and the most terms of a sum."""
PARTS = 20_000
"""The most that all arrays of a statement are taken apart into."""

Fixed = tuple[int | None, ...]
"""For each axis of an array the place at which its entries are taken; None for an axis that stays."""


def entries(statement: Statement) -> Statement:
    """The statement with an equation for each entry along axes of a few places.

    Raises:
        IllFormed: if nothing in it is taken apart, or it says more than equations.
    """
    kinds = {relation.kind for relation in (*statement.relations, *statement.owed)}
    if statement.hypotheses or statement.parameters or kinds != {"equal"}:
        raise IllFormed("entries of what says more than equations")
    apart = _Apart()
    try:
        said, owed = (
            tuple(entry for relation in relations for entry in apart.relations(relation))
            for relations in (statement.relations, statement.owed)
        )
    except RecursionError:
        raise IllFormed("entries of arrays that are made in too many steps") from None
    if (said, owed) == (statement.relations, statement.owed):
        raise IllFormed("no axis of a few places, and no entry at a known place")
    return replace(statement, relations=said, owed=owed, steps=())


class _Apart:
    def __init__(self) -> None:
        self.known: dict[tuple[Node, Fixed], Node] = {}
        self.count = 0

    def relations(self, relation: Relation) -> list[Relation]:
        """The equations of all entries."""
        shape = relation.left.shape
        kept: Fixed = (None,) * len(shape)
        places = [range(n) if _is_few(n) and n else (None,) for n in shape]
        every = list(itertools.product(*places)) if prod(map(len, places)) <= MOST else [kept]
        return [
            replace(relation, left=self.at(relation.left, f), right=self.at(relation.right, f))
            for f in every
        ]

    def plain(self, node: Node) -> Node:
        """The node with what it is made of taken apart."""
        return self.at(node, (None,) * len(node.shape))

    def at(self, node: Node, fixed: Fixed) -> Node:
        """The entries of a node at these places, without the axes that have one."""
        key = node, fixed
        if key not in self.known:
            self.count += 1
            if self.count > PARTS:
                raise IllFormed(f"more than {PARTS} entries, one by one")
            self.known[key] = self._made(node, fixed)
        return self.known[key]

    def _made(self, node: Node, fixed: Fixed) -> Node:
        match node:
            case nodes.Map() | nodes.Opaque():
                return self._map(node, fixed)
            case nodes.Take():
                return self._take(node, fixed)
            case nodes.Contract():
                return self._contract(node, fixed)
            case nodes.Held():
                return nodes.Held(self.at(node.of, fixed), node.format)
            case nodes.Norm():
                lacking = len(node.of.shape) - len(fixed)
                return nodes.Norm(node.kind, self.at(node.of, (*fixed, *(None,) * lacking)))
            case nodes.Lookup():
                count = len(node.places.shape)
                return self._lookup(node, self.at(node.places, fixed[:count]), fixed[count:])
            case nodes.Fold():
                return self._fold(node, fixed)
            case nodes.Join():
                return self._join(node, fixed)
            case nodes.Reshape():
                return self._reshape(node, fixed)
            case nodes.Build():
                return self._build(node, fixed)
            case nodes.Positions() if fixed[0] is not None:
                return making.number(fixed[0])
            case nodes.Loop():
                return _taken(self._loop(node), fixed)
            case nodes.Solve():
                solved = nodes.Solve(self.plain(node.matrix), self.plain(node.right), node.unit)
                return _taken(solved, fixed)
        return _taken(node, fixed)

    def _map(self, node: nodes.Map | nodes.Opaque, fixed: Fixed) -> Node:
        arguments = []
        for argument in node.arguments:
            aligned = fixed[len(fixed) - len(argument.shape) :]
            places = tuple(
                0 if n == 1 and place is not None else place
                for n, place in zip(argument.shape, aligned, strict=True)
            )
            arguments.append(self.at(argument, places))
        lengths = _left(node.lengths, fixed)
        if isinstance(node, nodes.Opaque):
            return nodes.Opaque(node.name, node.laws, tuple(arguments), lengths)
        value = _value(node.function, [*map(making.constant, arguments)])
        if value is not None:
            return making.full(making.number(value), lengths)
        return making.spread(making.entrywise(node.function, *arguments), lengths)

    def _lookup(self, node: nodes.Lookup, places: Node, fixed: Fixed) -> Node:
        place = making.constant(places)
        if type(place) is not int:
            return nodes.Lookup(self.at(node.of, (None, *fixed)), places)
        length, shape = node.of.shape[0], (*places.shape, *_left(node.of.shape[1:], fixed))
        if isinstance(length, Whole):
            return nodes.Lookup(self.at(node.of, (None, *fixed)), places)
        if not 0 <= place < length:
            return making.full(making.number(0), shape)
        return making.spread(self.at(node.of, (place, *fixed)), shape)

    def _take(self, node: nodes.Take, fixed: Fixed) -> Node:
        new = itertools.count()
        images = {
            Axis(k): whole(Axis(next(new))) if place is None else place
            for k, place in enumerate(fixed)
        }
        places = [substituted(place, images) for place in node.places]
        guards = {substituted(guard, images) for guard in node.guards}
        shape = _left(node.lengths, fixed)
        if any(not isinstance(g, Whole) and g < 0 for g in guards):
            return making.full(making.number(0), shape)
        guards = {g for g in guards if isinstance(g, Whole)}
        known = tuple(
            place if _is_known(place, n, bool(guards)) else None
            for place, n in zip(places, node.of.shape, strict=True)
        )
        unknown = [p for p, number in zip(places, known, strict=True) if number is None]
        return making.take(self.at(node.of, known), unknown, shape, guards)

    def _contract(self, node: nodes.Contract, fixed: Fixed) -> Node:
        lengths = {
            name: n
            for names, factor in zip(node.axes, node.factors, strict=True)
            for name, n in zip(names, factor.shape, strict=True)
        }
        at = dict(zip(node.result, fixed, strict=True))
        summed = {name: n for name, n in lengths.items() if name not in at and _is_few(n)}
        if prod(summed.values()) > MOST:
            summed = {}
        terms = []
        for places in itertools.product(*map(range, summed.values())):
            known = {**at, **dict(zip(summed, places, strict=True))}
            factors, axes = [], []
            for names, factor in zip(node.axes, node.factors, strict=True):
                factors.append(self.at(factor, tuple(known.get(name) for name in names)))
                axes.append(tuple(name for name in names if known.get(name) is None))
            terms.append(_product(factors, axes, [n for n in node.result if at[n] is None]))
        shape = _left(node.shape, fixed)
        return reduce(choices.add, terms) if terms else making.full(making.number(0), shape)

    def _fold(self, node: nodes.Fold, fixed: Fixed) -> Node:
        length = node.of.shape[0]
        if node.operation != "product" or not _is_few(length):
            return nodes.Fold(node.operation, self.at(node.of, (None, *fixed)))
        rows = [self.at(node.of, (k, *fixed)) for k in range(length)]
        return reduce(
            choices.multiply, rows or [making.full(making.number(1), _left(node.shape, fixed))]
        )

    def _join(self, node: nodes.Join, fixed: Fixed) -> Node:
        axis, place = node.axis, fixed[node.axis]
        if place is None:
            parts = [self.at(part, fixed) for part in node.parts]
            return making.joined(parts, sum(p is None for p in fixed[:axis]))
        for part in node.parts:
            length = part.shape[axis]
            if isinstance(length, Whole):
                break
            if place < length:
                return self.at(part, (*fixed[:axis], place, *fixed[axis + 1 :]))
            place -= length
        inside = nodes.Join(tuple(map(self.plain, node.parts)), axis)
        return _taken(inside, fixed)

    def _reshape(self, node: nodes.Reshape, fixed: Fixed) -> Node:
        """A group of axes is taken apart as a whole or not at all: what is left of it is of the same entries."""
        before: list[int | None] = []
        after: list[int | None] = []
        shape: list[Number] = []
        done = 0
        for old, new in groups_of(node.of.shape, node.lengths) or [(node.of.shape, node.lengths)]:
            places = fixed[done : done + len(new)]
            done += len(new)
            known = _unravelled(places, old, new)
            before += (None,) * len(old) if known is None else known
            after += places if known is None else ()
            shape += new if known is None else ()
        return _taken(making.reshaped(self.at(node.of, tuple(before)), tuple(shape)), tuple(after))

    def _build(self, node: nodes.Build, fixed: Fixed) -> Node:
        place, *rest = fixed
        if place is not None:
            images = {node.position: node.position.low + place}
            return self.at(binding.replaced(node.entry, images), tuple(rest))
        position, entry = binding.opened(node)
        return binding.build(position, self.at(entry, tuple(rest)))

    def _loop(self, node: nodes.Loop) -> Node:
        r = node.recursion
        time, states, steps = binding.opened_turns(r)
        start, after = map(self.plain, r.start), map(self.plain, steps)
        return nodes.Loop(binding.recursion(time, states, [*start], [*after]), node.number)


ON_NUMBERS: dict[str, Callable[..., Any]] = {
    **nodes.EXACT,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": operator.neg,
    "abs": abs,
    "nonnegative": lambda value: int(value >= 0),
}
"""Functions whose values at exact numbers are exact numbers."""


def _value(function: str, arguments: Sequence[Any]) -> Any:
    """The value of a function of exact numbers; None where an argument is no number, or there is no such value."""
    if any(isinstance(argument, Whole) or argument is None for argument in arguments):
        return None
    if function == "divide" and arguments[1] != 0:
        return Fraction(arguments[0]) / arguments[1]
    return ON_NUMBERS[function](*arguments) if function in ON_NUMBERS else None


def _is_few(length: Number) -> TypeGuard[int]:
    return not isinstance(length, Whole) and length <= FEW


def _is_known(place: Number, length: Number, guarded: bool) -> TypeGuard[int]:
    """Whether it is a number, and lies in the axis also where a guard does not hold."""
    return not isinstance(place, Whole) and (
        not guarded or (not isinstance(length, Whole) and 0 <= place < length)
    )


def _left(shape: Shape, fixed: Fixed) -> Shape:
    return tuple(n for n, place in zip(shape, fixed, strict=True) if place is None)


def _taken(node: Node, fixed: Fixed) -> Node:
    """The entries at these places of what is not taken apart."""
    new = itertools.count()
    places = [whole(Axis(next(new))) if place is None else place for place in fixed]
    return making.take(node, places, _left(node.shape, fixed))


def _product(
    factors: Sequence[Node], axes: Sequence[tuple[int, ...]], result: Sequence[int]
) -> Node:
    """What is left of a product of arrays where it is summed over: where nothing is, it is entry by entry."""
    if not any(axes):
        return reduce(choices.multiply, factors)
    return nodes.Contract(tuple(factors), tuple(axes), tuple(result))


def _unravelled(
    places: Fixed, old: Sequence[Number], new: Sequence[Number]
) -> tuple[int, ...] | None:
    """The places along old axes of an entry whose places along the new ones are all known; None for any other."""
    known, before, after = ([n for n in s if type(n) is int] for s in (places, old, new))
    if (len(known), len(before), len(after)) != (len(places), len(old), len(new)) or 0 in before:
        return None
    place = 0
    for k, n in zip(known, after, strict=True):
        place = place * n + k
    found: list[int] = []
    for n in reversed(before):
        place, k = divmod(place, n)
        found.append(k)
    return tuple(reversed(found))

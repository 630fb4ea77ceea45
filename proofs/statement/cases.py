"""Whole numbers that sizes and positions determine case by case: max(i − j, 0) is i − j where that is ≥ 0, else 0.

A case is a set of numbers, all ≥ 0 where it holds, and the entry there. The cases of a node cover every position, and
no two of them overlap. Cases that are seen to hold nowhere are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from . import making, nodes
from .nodes import Node, Shape
from .order import excluded, nonnegative
from .whole import Axis, Number, substituted, whole

Guards: TypeAlias = frozenset[Number]
Case: TypeAlias = tuple[Guards, Number]
MOST = 16
"""The most cases that are told apart."""


def cases_of(node: Node) -> list[Case] | None:
    """The cases of an array's entries, in the positions of its axes; None if inputs decide, or there are too many."""
    found = _cases(node)
    if found is None:
        return None
    kept = _kept(found, node.shape)
    return kept if len(kept) <= MOST else None


def _cases(node: Node) -> Iterable[Case] | None:
    entry = making.entry_of(node)
    if entry is not None:
        return [(frozenset(), entry)]
    match node:
        case nodes.Parameter():
            return cases_of(node.of)
        case nodes.Map() if node.function in OF_CASES:
            every = [_aligned(a, node.shape) for a in node.arguments]
            known = [one for one in every if one is not None]
            return _combined(OF_CASES[node.function], known) if len(known) == len(every) else None
        case nodes.Take():
            return _taken(node)
        case nodes.Join():
            return _joined(node)
        case nodes.Contract(factors=(of,), axes=(axes,), result=result):
            return _summed(of, axes, result)
    return None


def _kept(found: Iterable[Case], shape: Shape) -> list[Case]:
    """The cases that may hold, without guards that always do."""
    kept: list[Case] = []
    for guards, entry in found:
        guards = frozenset(g for g in guards if not nonnegative(g, shape))
        if not excluded(guards, shape):
            kept.append((guards, entry))
        if len(kept) > MOST:
            break
    return kept


def _aligned(node: Node, shape: Shape) -> list[Case] | None:
    """The cases of an operand, in the positions of a result that it is broadcast to."""
    found = cases_of(node)
    lacking = len(shape) - len(node.shape)
    images = {Axis(k): 0 if n == 1 else whole(Axis(lacking + k)) for k, n in enumerate(node.shape)}
    return None if found is None else [moved(one, images) for one in found]


def moved(case: Case, images: Mapping[Any, Number]) -> Case:
    """A case with images for its positions."""
    guards, entry = case
    return frozenset(substituted(g, images) for g in guards), substituted(entry, images)


Pieces: TypeAlias = Callable[..., Iterable[Case]]


def _combined(function: Pieces, every: list[list[Case]]) -> Iterator[Case]:
    for choice in itertools.product(*every):
        around = frozenset[Number]().union(*[guards for guards, _ in choice])
        for guards, entry in function(*[entry for _, entry in choice]):
            yield around | guards, entry


def _plain(function: Callable[..., Number]) -> Pieces:
    return lambda *entries: [(frozenset(), function(*entries))]


def _nonnegative(a: Number) -> Iterable[Case]:
    return [(frozenset({a}), 1), (frozenset({-a - 1}), 0)]


def _zero(a: Number) -> Iterable[Case]:
    return [(frozenset({a, -a}), 1), (frozenset({a - 1}), 0), (frozenset({-a - 1}), 0)]


def _relu(a: Number) -> Iterable[Case]:
    return [(frozenset({a}), a), (frozenset({-a - 1}), 0)]


OF_CASES: dict[str, Pieces] = {
    **{name: _plain(function) for name, function in making.OF_ENTRIES.items()},
    "nonnegative": _nonnegative,
    "step": lambda a: _nonnegative(a - 1),
    "zero": _zero,
    "relu": _relu,
    "floor": _plain(lambda a: a),
    "ceil": _plain(lambda a: a),
}
"""What functions make of whole entries."""


def _taken(node: nodes.Take) -> Iterable[Case] | None:
    inside = cases_of(node.of)
    if inside is None:
        return None
    images = {Axis(k): place for k, place in enumerate(node.places)}
    found = [(guards | node.guards, entry) for guards, entry in (moved(c, images) for c in inside)]
    # 0 where one of the guards is the first that fails
    return [*found, *((before | {-g - 1}, 0) for g, before in _in_turn(list(node.guards)))]


def _joined(node: nodes.Join) -> Iterable[Case] | None:
    axis, start = Axis(node.axis), 0
    found: list[Case] = []
    for part in node.parts:
        inside = cases_of(part)
        if inside is None:
            return None
        length, here = part.shape[node.axis], whole(axis) - start
        for guards, entry in (moved(one, {axis: here}) for one in inside):
            found.append((guards | {here, length - 1 - here}, entry))
        start = start + length
    return found


def _summed(of: Node, axes: Sequence[int], result: Sequence[int]) -> Iterable[Case] | None:
    """The cases of the sums along the axes that the result has not, one after the other."""
    if len(set(axes)) < len(axes):
        return None
    order = [axes.index(name) for name in result]
    gone = [k for k in range(len(axes)) if k not in order]
    shape = tuple(of.shape[k] for k in (*order, *gone))
    found = cases_of(making.permuted(of, [*order, *gone]))
    while found is not None and len(shape) > len(order):
        shape, last = shape[:-1], shape[-1]
        if last == 1:
            found = [moved(one, {Axis(len(shape)): 0}) for one in found]
            continue
        every = [_sum_of(one, shape, last) for one in found]
        known = [_kept(one, shape) for one in every if one is not None]
        if len(known) < len(every) or prod(map(len, known)) > MOST**2:
            return None
        found = _kept(_combined(_plain(lambda *entries: sum(entries, start=0)), known), shape)
        found = found if len(found) <= MOST else None
    return found


def _sum_of(case: Case, shape: Shape, length: Number) -> Iterable[Case] | None:
    """The sum of a case's entry along an axis behind those of a shape, of 0 where the case does not hold.

    The entry says nothing of that axis, and each guard is a least or a greatest place on it, or says nothing of it.
    """
    guards, entry = case
    axis = Axis(len(shape))
    here = whole(axis)
    lows: list[Number] = [0]
    highs: list[Number] = [length - 1]
    aside: Guards = frozenset()
    for guard in guards:
        without = substituted(guard, {axis: 0})
        if guard == without:
            aside |= {guard}
        elif guard == without + here:
            lows.append(-without)
        elif guard == without - here:
            highs.append(without)
        else:
            return None
    if substituted(entry, {axis: 0}) != entry:
        return None
    outside = [(before | {-g - 1}, 0) for g, before in _in_turn(sorted(aside, key=str))]
    lows, highs = (_nearest(ends, sign, shape, aside) for ends, sign in ((lows, 1), (highs, -1)))
    return [*outside, *_between(aside, lows, highs, entry)]


def _nearest(ends: Sequence[Number], sign: int, shape: Shape, given: Guards) -> list[Number]:
    """The ends without those that another is seen to be at least as near as."""
    kept = list(dict.fromkeys(ends))
    for end in list(kept):
        others = [one for one in kept if one is not end]
        if any(nonnegative((other - end) * sign, shape, given) for other in others):
            kept.remove(end)
    return kept


def _between(
    aside: Guards, lows: Sequence[Number], highs: Sequence[Number], entry: Number
) -> Iterator[Case]:
    """The sum from the greatest of the least places to the least of the greatest ones, whichever these are."""
    for i, low in enumerate(lows):
        least = {low - other - (k < i) for k, other in enumerate(lows) if k != i}
        for j, high in enumerate(highs):
            most = {other - high - (k < j) for k, other in enumerate(highs) if k != j}
            count = high - low + 1
            yield aside | least | most | {count}, entry * count
            yield aside | least | most | {-count - 1}, 0


def _in_turn(every: Sequence[Number]) -> Iterator[tuple[Number, Guards]]:
    """Each guard, with those before it."""
    for k, guard in enumerate(every):
        yield guard, frozenset(every[:k])

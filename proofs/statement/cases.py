"""Whole numbers that sizes and positions determine case by case: max(i − j, 0) is i − j where that is ≥ 0, else 0.

A case is a set of numbers, all ≥ 0 where it holds, and the entry there. The cases of a node cover every position, and
no two of them overlap. Cases that are seen to hold nowhere are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    before: Guards = frozenset()
    for guard in node.guards:  # 0 where this one is the first that fails
        found.append((before | {-guard - 1}, 0))
        before |= {guard}
    return found


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

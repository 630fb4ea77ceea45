"""Drawing together: common signs and factors, and sums over one range, so that a formula reads as one writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .expression import Addition, Bracket, Entry, Linear, Piece, Power, Range, Whole


def powers(factors: Iterable[Any]) -> tuple[Any, ...]:
    """The factors in reading order, equal ones as powers."""
    counts = Counter(factors)
    found = [f if n == 1 else Power(f, Linear(n)) for f, n in counts.items()]
    return tuple(sorted(found, key=_place))


def _place(factor: Any) -> tuple:
    base = factor.of if isinstance(factor, Power) else factor
    kinds = (Bracket, Whole, Entry)
    kind = next((n for n, one in enumerate(kinds) if isinstance(base, one)), len(kinds))
    state = isinstance(base, Entry) and base.time is not None
    scalar = isinstance(base, Entry) and not base.at and not state
    return kind, not scalar, state, repr(base)


def factored(pieces: Sequence[Piece]) -> Addition:
    """The sum, with what all its pieces share before a bracket."""
    ordered = _in_order(_gathered(list(pieces)))
    if len(ordered) < 2:
        return Addition(tuple(ordered))
    over, under = _shared(ordered, "over"), _shared(ordered, "under")
    shared = _coefficient(ordered)
    if not over and not under and shared == 1:
        return Addition(tuple(ordered))
    rest = [
        replace(
            p,
            coefficient=p.coefficient / shared,
            over=_without(p.over, over),
            under=_without(p.under, under),
        )
        for p in ordered
    ]
    return Addition((Piece(shared, (*over, Addition(tuple(_in_order(rest)))), under),))


def _coefficient(pieces: Sequence[Piece]) -> Fraction:
    """What every coefficient is divided by: their sign and size where they agree."""
    sizes = {abs(p.coefficient) for p in pieces}
    size = sizes.pop() if len(sizes) == 1 else Fraction(1)
    return -size if all(p.coefficient < 0 for p in pieces) else size


def _shared(pieces: Sequence[Piece], where: str) -> tuple[Any, ...]:
    every = [Counter(getattr(p, where)) for p in pieces]
    common = every[0]
    for one in every[1:]:
        common &= one
    return tuple(sorted(common.elements(), key=_place))


def _without(factors: Iterable[Any], gone: Iterable[Any]) -> tuple[Any, ...]:
    rest = list(factors)
    for one in gone:
        rest.remove(one)
    return tuple(rest)


def _in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Few sums first, something positive first of all."""
    ordered = sorted(pieces, key=_weight)
    positive = next((p for p in ordered if p.coefficient > 0), None)
    if positive is None or ordered[0] is positive:
        return ordered
    return [positive, *(p for p in ordered if p is not positive)]


def _weight(p: Piece) -> tuple:
    states = any(isinstance(f, Entry) and f.time is not None for f in p.over)
    return len(p.ranges), not states, repr(p)


def _gathered(pieces: list[Piece]) -> list[Piece]:
    """Sums over one range with common summands as one: Σ_i (Σ_a w_a x_ia − y_i) x_ia."""
    groups: dict[Range, list[Piece]] = {}
    for p in pieces:
        if p.ranges:
            groups.setdefault(p.ranges[0], []).append(p)
    result = [p for p in pieces if not p.ranges]
    for first, group in groups.items():
        joined = _joined(first, group) if len(group) > 1 else None
        result += group if joined is None else [joined]
    return result


def _joined(first: Range, group: Sequence[Piece]) -> Piece | None:
    later = {r.letter for p in group for r in p.ranges[1:]}
    inner, under = (
        tuple(f for f in _shared(group, where) if not later & mentioned(f))
        for where in ("inner_over", "inner_under")
    )
    over, below = _shared(group, "over"), _shared(group, "under")
    same = all(p.over == over and p.under == below for p in group)
    if not inner or not same:
        return None
    shared = _coefficient(group)
    rest = []
    for p in group:
        own, low = _without(p.inner_over, inner), _without(p.inner_under, under)
        coefficient = p.coefficient / shared
        ranges = p.ranges[1:]
        if ranges:
            letters = {r.letter for r in ranges}
            near = tuple(f for f in own if not letters & mentioned(f))
            low_near = tuple(f for f in low if not letters & mentioned(f))
            far, low_far = _without(own, near), _without(low, low_near)
            rest.append(Piece(coefficient, near, low_near, ranges, far, low_far))
        else:
            rest.append(Piece(coefficient, own, low))
    return Piece(shared, over, below, (first,), (*inner, factored(rest)), under)


def mentioned(node: Any) -> set[str]:
    """The letters of indices in a part of a formula."""
    if isinstance(node, Linear):
        return {name for name, _ in node.terms}
    if isinstance(node, tuple):
        return set().union(*map(mentioned, node))
    if hasattr(node, "__dataclass_fields__"):
        return set().union(*(mentioned(getattr(node, f)) for f in node.__dataclass_fields__))
    return set()

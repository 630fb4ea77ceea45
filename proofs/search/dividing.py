"""Sums over tokens beside sums over chunks: places are divided with remainder by the length of a chunk.

Where one side reads x[4i + j] and the other x[t], every t is written 4i + j with 0 ≤ j < 4: both then sum alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import lcm

from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, variable
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, Rewriting
from ..kernel.term import Monomial
from ..kernel.theorem import Theorem
from .normal import tidy
from .session import current
from .steps import Step, at_constant_times, rewriting
from .stretched import cutting, is_product, products_in, stretch
from .unfolding import later_ones
from .zero import show_zero

LONGEST = 10**6
"""A chunk is no longer than this."""
SHORT = 8
"""The places within a chunk are told apart up to this length."""
MOST = 12
"""Monomials with more bound indices are left as they are."""
Axis = tuple[str, int]
"""An array's name, and which of its axes."""


def dividing(goal: Goal, rules: Sequence[Theorem]) -> None:
    """Show a goal by normal form, once places are divided by the lengths of chunks."""
    _show(goal, rules, apart=False)


def one_by_one(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same, each place within a short chunk by itself."""
    _show(goal, rules, apart=True)


def _show(goal: Goal, rules: Sequence[Theorem], apart: bool) -> None:
    tidy(goal)
    chunks = lengths(goal)
    longest = max(chunks.values(), default=1)
    if longest == 1 or (apart and longest > SHORT):
        raise NotProved("nothing is read in such chunks")
    cuts: list[Step] = []
    for by in sorted(set(chunks.values())):
        stretch(products_in(goal), by)
        cuts.append(cutting(by))
    tidy(goal)
    divide(goal, chunks)
    _throughout(goal, lambda k: any(cut(goal, k) for cut in cuts))  # while quotients are there
    also = [at_constant_times(current()), by_chunks(chunks), *cuts]
    if apart:
        tell_apart(goal, chunks)
    if longest <= SHORT:
        also.append(later_ones(current()))
    if rules:
        also.append(rewriting(rules, divide=True))
    show_zero(goal, also)


def lengths(goal: Goal) -> dict[Axis, int]:
    """For each axis that is read in chunks how long these are."""
    found: dict[Axis, int] = {}
    for m, _ in goal.parts.values():
        for axis, e in _places(m):
            own = {v for v, _ in e.terms if _moves(v)}
            near = (g for g in m.guards if len(own) == 1 and abs(g.coefficient(*own)) == 1)
            steps = {abs(c) for row in (e, *near) for v, c in row.terms if _moves(v)}
            found[axis] = lcm(found.get(axis, 1), *steps)
    return {axis: by for axis, by in found.items() if 1 < by <= LONGEST}


def _places(m: Monomial) -> Iterator[tuple[Axis, Index]]:
    """Where something is read, products last; how many factors these have is no place."""
    for last in (False, True):
        for f in m.factors:
            if is_product(f.name) == last:
                yield from (((f.name, k), e) for k, e in enumerate(f.at) if k or not last)


def _moves(v: int) -> bool:
    return v not in declarations.current.sizes


def divide(goal: Goal, chunks: dict[Axis, int]) -> None:
    """Every place on these axes that one variable says is written with a quotient and a remainder."""

    def one(k: int) -> None:
        found = _undivided(goal.parts[k][0], chunks)
        if found is None:
            return
        v, e, by = found
        (k,) = _new(goal, lambda: goal.divide(k, e, by))
        n, _ = goal.parts[k]
        q, r = variable(-n.bound + 1), variable(-n.bound)
        c = e.coefficient(v)
        goal.one_point(k, v, (q * by + r - (e - variable(v) * c)) * c)

    _throughout(goal, one)


def _throughout(goal: Goal, change: Callable[[int], object]) -> None:
    """Change every monomial, by its number, and what comes of it, until nothing changes."""
    waiting = list(goal.parts)
    while waiting:
        k = waiting.pop()
        if k in goal.parts:
            waiting += _new(goal, partial(change, k))


def _new(work: Rewriting, rule: Callable[[], object]) -> set[int]:
    """The numbers of the monomials that come of a rule."""
    before = set(work.parts)
    rule()
    return set(work.parts) - before


def _undivided(m: Monomial, chunks: dict[Axis, int]) -> tuple[int, Index, int] | None:
    """A variable that says where something is read, not by chunks; that place, and the length of the chunks there."""
    done: set[int] = set()
    left: list[tuple[list[int], Index, int]] = []
    for axis, e in _places(m):
        by = chunks.get(axis, 1)
        own = [v for v, c in e.terms if _moves(v) and abs(c) == 1 and by > 1]
        if len(own) == 1 and _is_remainder(own[0], m, by):
            done.add(own[0])
        elif own:
            left.append((own, e, by))
    for own, e, by in left if m.bound < MOST else ():
        new = [v for v in own if v not in done]
        if new:
            return min(new), e, by
    return None


def _is_remainder(v: int, m: Monomial, by: int) -> bool:
    ends = variable(v), variable(v) * -1 + (by - 1)
    return v < 0 and all(implied(e, m.guards) for e in ends)


def by_chunks(chunks: dict[Axis, int]) -> Step:
    """A step that counts chunks by the places that are read, in their order: x[2j − 2i] becomes x[2i]."""

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        counted: set[int] = set()
        for axis, e in _places(m):
            by = chunks.get(axis, 1)
            chunk = Index(e.const // by, {v: c // by for v, c in e.terms if c % by == 0})
            own = [v for v, c in chunk.terms if v < 0 and abs(c) == 1 and by > 1]
            new = [v for v in own if v not in counted]
            if not own or not new:
                continue
            if chunk == variable(new[0]):
                counted.add(new[0])
                continue
            _counted(work, k, new[0], chunk)
            return True
        return False

    return step


def _counted(work: Rewriting, k: int, v: int, e: Index) -> None:
    """A new bound index for e, in place of one of which e has one."""
    (k,) = _new(work, lambda: work.divide(k, e, 1))
    new = variable(-work.parts[k][0].bound + 1)
    (k,) = _new(work, lambda: work.one_point(k, -work.parts[k][0].bound, Index(0)))
    c = e.coefficient(v)
    work.one_point(k, v, (new - (e - variable(v) * c)) * c)


def tell_apart(goal: Goal, chunks: dict[Axis, int]) -> None:
    """Monomials that read at i·C + r become those that read at i·C, at i·C + 1, …"""

    def one(k: int) -> None:
        m, _ = goal.parts[k]
        found = _remainder(m, chunks)
        if found is None:
            return
        r, by = found
        places = [variable(r) - c for c in range(by)]
        new = _new(goal, lambda: goal.regroup(k, [(m.guards | {e, -e}, 1) for e in places]))
        for k in sorted(new):
            c = next(c for c, e in enumerate(places) if {e, -e} <= goal.parts[k][0].guards)
            goal.one_point(k, r, Index(c))

    _throughout(goal, one)


def _remainder(m: Monomial, chunks: dict[Axis, int]) -> tuple[int, int] | None:
    """A bound index from 0 to the length of a chunk that says where in the chunk something is read."""
    for axis, e in _places(m):
        by = chunks.get(axis)
        if by is None:
            continue
        single = [v for v, c in e.terms if _moves(v) and abs(c) == 1]
        if len(single) == 1 and _is_remainder(single[0], m, by):
            return single[0], by
    return None

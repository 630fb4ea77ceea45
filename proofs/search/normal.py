"""The normal form of a term, and showing that a term is 0: which rule of the kernel comes next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from typing import cast

from ..kernel.errors import NotProved
from ..kernel.index import Index, declared, variable
from ..kernel.inequalities import contradictory, implied, negation
from ..kernel.rules import Goal, Rewriting
from ..kernel.term import INVERSE, INVERSE_NUMBER, NUMBER, Factor, Term, body, function_of
from ..kernel.theorem import Theorem
from . import labelling, tape
from .guards import NOTHING, advice, tense
from .memory import recall
from .session import spend

Step = Callable[[Rewriting, int], bool]
"""Applies a rule to a monomial, or says that it does not apply."""


class Stuck(NotProved):
    """Something stays."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        m, c = next(iter(goal.parts.values()))
        super().__init__(f"left over: {c} · {m}")


def simplified(term: Term) -> Term:
    """An equal term in normal form: like monomials collected, equations and needless guards eliminated."""
    if not any(m.bound or m.guards or m.factors for m in term.parts):
        return term
    work = Rewriting(term)
    tape.run("normal form", work, lambda work: recall(work, tidy))
    return work.term()


def tidy(work: Rewriting, also: Sequence[Step] = ()) -> None:
    """Rules are applied to every monomial until none applies."""
    done: set[int] = set()
    steps = (*STEPS, *also)
    while todo := [k for k in work.parts if k not in done]:
        for k in todo:
            parts = work.parts
            if k in parts:
                spend(1 + parts[k][0].bound ** 2)
                if not any(step(work, k) for step in steps):
                    done.add(k)


def _guards(work: Rewriting, k: int) -> bool:
    """Guards that others imply go, impossible ones with their monomial; Σ_j [j = e] F(j) = F(e)."""
    m, _ = work.parts[k]
    if not m.guards:
        return False
    found = advice(work.known, m.guards)
    if found.instead is not None:
        work.regroup(k, [(rows, 1) for rows in found.instead])
    elif found.equation is not None:
        work.eliminate(k, *found.equation)
    return found != NOTHING


def _number(work: Rewriting, k: int) -> bool:
    for place, f in enumerate(work.parts[k][0].factors):
        e = f.at[0] if f.at else None
        if f.name == NUMBER and e is not None and (e.const or [c for _, c in e.terms] != [1]):
            work.number(k, place)
            return True
        if f.name == INVERSE_NUMBER and e is not None and not e.terms and e.const:
            work.number(k, place)
            return True
    return False


def _count(work: Rewriting, k: int) -> bool:
    """An index that no factor mentions is counted, once it has two ends only."""
    m, _ = work.parts[k]
    if not m.bound:
        return False
    used = {v for f in m.factors for v in f.variables()}
    for v in range(-1, -m.bound - 1, -1):
        if v in used:
            continue
        fences = sorted(g for g in m.guards if g.coefficient(v))
        if any(abs(g.coefficient(v)) != 1 for g in fences):
            continue
        for sign in (1, -1):
            one_side = [g for g in fences if g.coefficient(v) == sign]
            if len(one_side) > 1:  # which of two ends on one side is the nearer one?
                gap = one_side[0] - one_side[1]
                first = m.guards - {one_side[0]} | {gap}
                second = m.guards - {one_side[1]} | {negation(gap)}
                work.regroup(k, [(first, 1), (second, 1)])
                return True
        if len(fences) == 2:
            work.count(k, v)
            return True
    return False


def _cancel(work: Rewriting, k: int) -> bool:
    """β/β = 1."""
    m, _ = work.parts[k]
    for one, f in enumerate(m.factors):
        if function_of(f) == INVERSE:
            inside = body(f, m.bound)
            if len(inside) == 1 and not inside[0][0].guards and len(inside[0][0].factors) == 1:
                n, (g,) = inside[0][0].bound, inside[0][0].factors
                if n == m.bound and g in m.factors:
                    work.cancel(k, one, m.factors.index(g))
                    return True
    return False


def _rename(work: Rewriting, k: int) -> bool:
    m, _ = work.parts[k]
    found = labelling.ways(m)
    if not found or all(e == variable(v) for v, e in found[0].items()):
        return False
    if m.put(found[0], m.bound) == m:
        return False
    work.rename(k, [found[0]])
    return True


STEPS: tuple[Step, ...] = (_guards, _number, _count, _cancel, _rename)


def show_zero(goal: Goal, also: Sequence[Step] = ()) -> None:
    """Rewrite the goal until nothing is left, in cases where free variables decide.

    Raises:
        NotProved: if something stays; it is named.
    """
    _replace_known(goal)
    level: int | None = None
    while True:
        tidy(goal, also)
        if not goal.parts:
            return
        guard = _free_guard(goal)
        if guard is not None:
            _split(goal, guard, also)
            return
        if _clear(goal):
            level = None
            continue
        most = max(m.bound for m, _ in goal.parts.values())
        if level is not None and most >= level:
            raise Stuck(goal)
        level = most
        _spread(goal, most)
        groups: dict[tuple[Factor, ...], list[int]] = {}
        for k, (m, _) in goal.parts.items():
            if m.bound == most:
                groups.setdefault(m.factors, []).append(k)
        for ks in groups.values():
            shares = [(tuple(goal.parts[k][0].guards), goal.parts[k][1]) for k in ks]
            _regrouped(goal, ks, residues(shares, goal.known))


def _regrouped(
    goal: Goal, ks: Sequence[int], new: Sequence[tuple[tuple[Index, ...], Fraction]]
) -> None:
    """Monomials that differ in guards only become others: the first is what those are without the rest of these."""
    _, whole = goal.parts[ks[0]]
    rest = [(goal.parts[k][0].guards, -goal.parts[k][1]) for k in ks[1:]]
    goal.regroup(ks[0], [(rows, c / whole) for rows, c in (*new, *rest)])


def _split(goal: Goal, guard: Index, also: Sequence[Step]) -> None:
    goal.split(guard)
    for case in goal.cases:
        show_zero(case, also)


def _free_guard(goal: Goal) -> Index | None:
    """A guard that no bound index has a part in: it is true or false of all of the monomial."""
    for m, _ in goal.parts.values():
        for guard in sorted(m.guards):
            if all(v > 0 for v in guard.variables()):
                return guard
    return None


def _replace_known(goal: Goal) -> None:
    """Where it is known that a free variable equals an index, that index is put for it."""
    if contradictory(goal.known):
        return
    firm = sorted(tense(goal.known))
    equations = [e for e in firm if e.terms and implied(e * -1, goal.known)]
    gone: set[int] = set()
    for e in equations:
        v, c = e.terms[-1]
        if abs(c) != 1 or v in gone or gone & e.variables() or not e.variables() <= goal.scope:
            continue
        gone.add(v)
        for k in list(goal.parts):
            if k in goal.parts and v in goal.parts[k][0].variables():
                goal.eliminate(k, v, variable(v) - e * c)


def _clear(goal: Goal) -> bool:
    """All denominators that no bound index enters."""
    cleared = False
    while True:
        for k, (m, _) in goal.parts.items():
            for place, f in enumerate(m.factors):
                if function_of(f) == INVERSE and all(v > 0 for v in f.variables()):
                    goal.clear(k, place)
                    break
            else:
                continue
            break
        else:
            return cleared
        cleared = True


def _spread(goal: Goal, bound: int) -> None:
    """Monomials with symmetries become the mean over them, so that equal sums look the same."""
    for k in list(goal.parts):
        m, _ = goal.parts[k]
        if m.bound == bound:
            found = labelling.ways(m)
            if len(found) > 1:
                goal.rename(k, found)


def residues(
    shares: Sequence[tuple[Iterable[Index], Fraction]], known: Collection[Index]
) -> list[tuple[tuple[Index, ...], Fraction]]:
    """Σ c [guards] as a sum over disjoint regions, those with coefficient 0 left out."""
    depth = len(known)

    def divided(
        shares: Sequence[tuple[Iterable[Index], Fraction]], context: tuple[Index, ...]
    ) -> list[tuple[tuple[Index, ...], Fraction]]:
        live, held = [], frozenset(context)
        for guards, c in shares:
            rest = [g for g in guards if not implied(g, held)]
            if not contradictory(held.union(rest)):
                live.append((rest, c))
        undecided = [g for rest, _ in live for g in rest]
        if not undecided:
            total = sum((c for _, c in live), start=Fraction(0))
            return [(context[depth:], total)] if total else []
        g = min(undecided)
        return divided(live, (*context, g)) + divided(live, (*context, negation(g)))

    return divided(shares, tuple(known))


# Theorems about factors.


def matched(rule: Theorem, factor: Factor) -> dict[int, Index] | None:
    """What to put for the rule's variables to make it speak of this factor."""
    left = cast(Factor, rule.left)
    if left.name != factor.name or len(left.at) != len(factor.at):
        return None
    images: dict[int, Index] = {}
    waiting = list(zip(left.at, factor.at, strict=True))
    while waiting:
        later = []
        for pattern, e in waiting:
            unknown = [(v, c) for v, c in pattern.terms if v in rule.over and v not in images]
            if len(unknown) > 1:
                later.append((pattern, e))
            elif unknown:
                v, c = unknown[0]
                rest = (pattern - variable(v) * c).put(images)
                if abs(c) != 1:
                    return None
                images[v] = (e - rest) * c
        if len(later) == len(waiting):
            return None
        waiting = later
    return images if set(images) == rule.over and rule.left.put(images) == factor else None


def rewriting(rules: Iterable[Theorem], divide: bool = False, only: Factor | None = None) -> Step:
    """A step that applies the first rule that fits; with `divide` also in the part of a sum where it holds.

    Args:
        rules: theorems about factors.
        divide: whether to tell apart where a rule holds and where it does not.
        only: the factor to rewrite, if not any.
    """
    rules = tuple(rules)

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        for place, f in enumerate(m.factors):
            if only is not None and f != only:
                continue
            for rule in rules:
                images = matched(rule, f)
                if images is None:
                    continue
                rows = [*work.known, *m.guards]
                unmet = [
                    g
                    for v in sorted(rule.over)
                    for g in (fact.put(images) for fact in declared(v))
                    if not implied(g, rows)
                ]
                if not unmet:
                    work.rewrite(k, place, rule, images)
                    return True
                if divide and not contradictory([*rows, *unmet]):
                    more = frozenset((unmet[0],))
                    less = frozenset((negation(unmet[0]),))
                    work.regroup(k, [(m.guards | more, 1), (m.guards | less, 1)])
                    return True
        return False

    return step

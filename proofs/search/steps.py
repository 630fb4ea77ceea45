"""Single steps towards a normal form: which rule of the kernel a monomial needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from ..inequalities.statements import summed
from ..kernel.errors import NotProved
from ..kernel.index import Index, declared, formal, variable
from ..kernel.inequalities import contradictory, implied, negation
from ..kernel.rules import Rewriting
from ..kernel.term import (
    DEFINED,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Pairs,
    Term,
    body,
    function_of,
)
from ..kernel.theorem import Theorem
from . import labelling
from .guards import NOTHING, advice
from .session import Proving

DEEP = 8
"""States are unfolded down to the start from constant times up to this."""
RENAMED = 10**9
"""Variables with numbers from here on stand for positions, whatever these are called or in which order."""
Step = Callable[[Rewriting, int], bool]
"""Applies a rule to a monomial, or says that it does not apply."""


def sum_of(pairs: Pairs, scope: Iterable[int] = ()) -> Term:
    """The sum of monomials, in a scope that has the variables they mention."""
    parts = summed(pairs)
    return Term(parts, {v for m in parts for v in m.variables() if v > 0}.union(scope))


def is_function(f: Factor) -> bool:
    """Whether a factor is a value of a function that has laws, no name and no number's inverse."""
    return f.name != INVERSE_NUMBER and function_of(f) not in (None, DEFINED)


def at_formals(name: str, count: int) -> Factor:
    """A value at all whole numbers, for theorems that hold of all of them."""
    return Factor(name, tuple(map(formal, range(count))))


def images(rule: Theorem, f: Factor) -> dict[int, Index]:
    """What stands for the positions of a rule's left side in a factor."""
    left = cast(Factor, rule.left)
    return {e.terms[0][0]: at for e, at in zip(left.at, f.at, strict=True)}


def guards(work: Rewriting, k: int) -> bool:
    """Guards that others imply go, impossible ones with their monomial; Σ_j [j = e] F(j) = F(e)."""
    m, _ = work.parts[k]
    if not m.guards:
        return False
    found = advice(work.known, m.guards)
    if found.instead is not None:
        try:
            work.regroup(k, [(rows, 1) for rows in found.instead])
        except NotProved:
            return _one_less(work, k, found.instead)
    elif found.equation is not None:
        work.one_point(k, *found.equation)
    return found != NOTHING


def _one_less(work: Rewriting, k: int, rest: Iterable[Iterable[Index]]) -> bool:
    """One needless guard goes: the kernel may see that of one, and not of all that go together."""
    m, _ = work.parts[k]
    for g in sorted(m.guards.difference(*rest)) if rest else ():
        try:
            work.regroup(k, [(m.guards - {g}, 1)])
        except NotProved:
            continue
        return True
    return False


def number(work: Rewriting, k: int) -> bool:
    """Write an index that stands as a number as a sum of its variables' numbers; whether there was one."""
    for place, f in enumerate(work.parts[k][0].factors):
        e = f.at[0] if f.at else None
        if f.name == NUMBER and e is not None and (e.const or [c for _, c in e.terms] != [1]):
            work.number(k, place)
            return True
        if f.name == INVERSE_NUMBER and e is not None and not e.terms and e.const:
            work.number(k, place)
            return True
    return False


def count(work: Rewriting, k: int) -> bool:
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
            if _quotient(work, k, v, fences):
                return True
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


def _quotient(work: Rewriting, k: int, v: int, fences: Sequence[Index]) -> bool:
    """An index that is e divided by c, since c v ≤ e < c v + c: c numbers in a row have one multiple of c.

    What else is said of it is said of e: v ≥ i is e ≥ c i, and v ≤ i is e < c i + c.
    """
    m, _ = work.parts[k]
    for high in fences:
        c = -high.coefficient(v)
        e = high + variable(v) * c
        low = variable(v) * c + (c - 1) - e
        if c < 2 or low not in fences:
            continue
        others = [g for g in fences if g not in (high, low)]
        if any(abs(g.coefficient(v)) != 1 for g in others):
            continue
        if not others:
            work.count(k, v)
            return True
        said = [
            e + (g - variable(v)) * c if g.coefficient(v) > 0 else (g + variable(v)) * c - e + c - 1
            for g in others
        ]
        work.regroup(k, [(m.guards.difference(others).union(said), 1)])
        return True
    return False


def cancel(work: Rewriting, k: int) -> bool:
    """β/β = 1."""
    m, _ = work.parts[k]
    inverses = [f for f in dict.fromkeys(m.factors) if function_of(f) == INVERSE]
    factors = set(m.factors) if inverses else ()
    for f in inverses:
        inside = body(f, m.bound)
        if len(inside) == 1 and not inside[0][0].guards and len(inside[0][0].factors) == 1:
            n, (g,) = inside[0][0].bound, inside[0][0].factors
            if n == m.bound and g in factors:
                with suppress(NotProved):  # one that is not known not to be 0 stays
                    work.cancel(k, m.factors.index(f), m.factors.index(g))
                    return True
    return False


def rename(work: Rewriting, k: int) -> bool:
    """Number the bound indices of a monomial in the standard way; whether that changed it."""
    m, _ = work.parts[k]
    found = labelling.ways(m)
    if not found or all(e == variable(v) for v, e in found[0].items()):
        return False
    if m.substitute(found[0], m.bound) == m:
        return False
    work.rename(k, [found[0]])
    return True


# Theorems about factors.


def matched(left: Factor, over: frozenset[int], factor: Factor) -> dict[int, Index] | None:
    """The images of these variables that make one factor the other."""
    if left.name != factor.name or len(left.at) != len(factor.at):
        return None
    images: dict[int, Index] = {}
    waiting = list(zip(left.at, factor.at, strict=True))
    while waiting:
        later = []
        for pattern, e in waiting:
            unknown = [(v, c) for v, c in pattern.terms if v in over and v not in images]
            if len(unknown) > 1:
                later.append((pattern, e))
            elif unknown:
                v, c = unknown[0]
                rest = (pattern - variable(v) * c).substitute(images)
                if abs(c) != 1:
                    return None
                images[v] = (e - rest) * c
        if len(later) == len(waiting):
            return None
        waiting = later
    return images if set(images) == over and left.substitute(images) == factor else None


def _stays(rule: Theorem, images: Mapping[int, Index], factor: Factor) -> bool:
    """Whether the rule takes the factor to itself, as S[i + 1 + t] = S[i + 1] does at t = 0."""
    if len(rule.right.parts) != 1:
        return False
    ((m, c),) = rule.right.parts.items()
    same = c == 1 and not m.bound and not m.guards and len(m.factors) == 1
    return same and m.factors[0].substitute(images) == factor


def rewriting(rules: Iterable[Theorem], divide: bool = False, only: Factor | None = None) -> Step:
    """A step that applies the first rule that fits; with `divide` also in the part of a sum where it holds.

    Args:
        rules: theorems about factors.
        divide: whether to distinguish where a rule holds and where it does not.
        only: the factor to rewrite, if not any.
    """
    about: dict[str, list[Theorem]] = {}
    for rule in rules:
        about.setdefault(cast(Factor, rule.left).name, []).append(rule)

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        for place, f in enumerate(m.factors):
            if f.name not in about or (only is not None and f != only):
                continue
            for rule in about[f.name]:
                images = matched(cast(Factor, rule.left), rule.over, f)
                if images is None or _stays(rule, images, f):
                    continue
                rows = work.known | m.guards
                unmet = [
                    g
                    for v in sorted(rule.over)
                    for g in (fact.substitute(images) for fact in declared(v))
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


def at_constant_times(session: Proving) -> Step:
    """S[0] is the start, S[2] the step of the step of it."""

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        for f in m.factors:
            if f.name in session.recursions and not f.at[0].terms and 0 <= f.at[0].const <= DEEP:
                rule = session.definition(f.name)[f.at[0].const > 0]
                if rewriting([rule], only=f)(work, k):
                    return True
        return False

    return step

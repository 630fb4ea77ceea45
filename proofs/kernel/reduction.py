"""What a name for a term stands for, and values of functions with their arguments rewritten: theorems about factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import index
from .errors import IllTyped
from .index import Index, facts, formal, position_number, reach, variable
from .rules import Rewriting, Tactic, is_taken, shown, taken_too
from .term import (
    DEFINED,
    INVERSE,
    INVERSE_NUMBER,
    Factor,
    Term,
    apply,
    as_index_number,
    body,
    entry,
    function_of,
    made,
    one_factor,
)
from .theorem import BY_THE_KERNEL, Theorem

Search = Callable[[Rewriting], None]
"""Rewrites a sum."""


def unfolding(name: str) -> Theorem:
    """D[i, j] is the term that `apply` gave the name D to, at all whole numbers i, j."""
    known = index.current.bodies
    if name not in known or known[name].name != DEFINED:
        raise IllTyped(f"{name} is not a name for a term")
    left = Factor(name, tuple(formal(k) for k in range(known[name].arity)))
    pairs = body(left, 0)
    scope = left.variables().union(*[m.variables() for m, _ in pairs])
    right = made(pairs, frozenset(v for v in scope if v > 0))
    proof = "unfolding", name
    return Theorem("definition", left, right, over_of(left), frozenset(), BY_THE_KERNEL, proof)


def reduction(left: Factor, search: Search) -> Theorem:
    """left = what `search` makes of it, wherever its positions, which are declared, lie in their ranges."""
    over = over_of(left)
    work = Rewriting(entry(left.name, *left.at))
    search(work)
    return _theorem("reduction", left, work.term(), over, work)


def congruence(left: Factor, search: Search, hypotheses: Sequence[Theorem] = ()) -> Theorem:
    """f(T) = f(what `search` makes of T), likewise.

    Where `search` uses hypotheses of an induction, what they speak of besides their own variables is fixed, and the
    theorem is of use where they are.
    """
    name = function_of(left)
    if name is None:
        raise IllTyped(f"{left} is not a value of a function of a term")
    over = over_of(left)
    pairs = body(left, 0)
    inside = {v for m, _ in pairs for v in m.variables() if v > 0}
    work = Rewriting(made(pairs, over | inside), hypotheses)
    search(work)
    found = work.term()
    assumed = frozenset[Theorem]().union(*[one.under for one in work.used if type(one) is Theorem])
    fixed = [(h.left.variables() | h.right.scope) - h.over for h in assumed]  # type: ignore[union-attr]
    over -= reach(frozenset().union(*fixed))
    number = as_index_number(found) if name == INVERSE else None
    if number is not None:  # which may be 0: an inverse is a function like any other
        e, c = number
        right = Term({one_factor(INVERSE_NUMBER, e): 1 / c}, found.scope)
        return _theorem("congruence", left, right, over, work, assumed)
    free = {v for m in found.parts for v in m.variables() if v > 0} - index.current.sizes
    order: list[Index] = [variable(v) for v in sorted(free)]
    right = apply(name, found, order)
    if not assumed and is_taken(left, facts(over)):
        ((m, _),) = right.parts.items()
        taken_too(m.factors[0], over)
    return _theorem("congruence", left, right, over, work, assumed)


def equality(
    left: Factor, right: Factor, tactic: Tactic, theorems: Sequence[Theorem] = ()
) -> Theorem:
    """f(A) = f(B), at all positions in their ranges, where A = B is shown as an equation is; of B indices may speak."""
    if function_of(left) is None or function_of(left) != function_of(right):
        raise IllTyped("expected two values of one function")
    spoken = frozenset(right.variables()) - index.current.sizes
    over = over_of(left) | over_of(Factor(right.name, tuple(map(variable, sorted(spoken)))))
    of, other = body(left, 0), body(right, 0)
    inside = {v for m, _ in (*of, *other) for v in m.variables() if v > 0}
    gap = made([*of, *((m, -c) for m, c in other)], over | inside)
    used, way = shown(gap, tactic, theorems)
    if is_taken(left, facts(over)) and {*right.at} <= {*map(variable, spoken)}:
        taken_too(right, over)
    found = entry(right.name, *right.at)
    return Theorem("lemma", left, found, over, used, BY_THE_KERNEL, ("equality", right, way))


def over_of(left: Factor) -> frozenset[int]:
    """The positions that a theorem about a factor is for all values of."""
    over = frozenset(map(position_number, left.at))
    if not reach(over) - index.current.sizes <= over:
        raise IllTyped("a factor is rewritten at positions whose ranges speak of no others")
    return over


def _theorem(
    kind: str,
    left: Factor,
    right: Term,
    over: frozenset[int],
    work: Rewriting,
    assumed: frozenset[Theorem] = frozenset(),
) -> Theorem:
    proof = kind, (work.steps, [])
    return Theorem("lemma", left, right, over, work.used, BY_THE_KERNEL, proof, assumed)

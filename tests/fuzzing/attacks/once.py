"""Attacks that the kernel did not stop at some time, and does now."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from scanproof.proofs.kernel.errors import KernelError, NotProved
from scanproof.proofs.kernel.index import (
    Index,
    natural,
    position,
    size,
)
from scanproof.proofs.kernel.rules import Goal
from scanproof.proofs.kernel.term import (
    Factor,
    Monomial,
    Term,
    as_term,
    entry,
    equal_indices,
    function_of,
    inverse,
)
from scanproof.proofs.kernel.theorem import (
    Rule,
    induction,
    moment,
)

from .making import (
    Sides,
    at,
    by,
    defined,
    emptied,
    monomial_with,
    once,
    product_of_inverses,
    shown,
    split_at,
)


@once
def a_free_index_put_away_where_a_guard_says_what_it_is() -> Sides:
    """[t = 0] X[t] is not X[0], which it would be without the guard."""
    n = size("N", 1)
    t = position("t", 0, n)

    def step(goal: Goal) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.guards]
        goal.eliminate(k, t.terms[0][0], Index(0))
        emptied(goal)

    return shown(equal_indices(t, 0) * entry("X", t), entry("X", 0), at((n, 2), (t, 1)), step)


@once
def an_index_put_away_where_guards_contradict_one_another() -> Sides:
    """[N = 0] is 0 for N ≥ 1."""
    n = size("N", 1)

    def step(goal: Goal) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.guards]
        goal.eliminate(k, n.terms[0][0], Index(0))
        emptied(goal)

    return shown(equal_indices(n, 0), 1, at((n, 2)), step)


@once
def a_factor_counted_from_the_end_is_cancelled() -> Sides:
    """β · 1/β = β: the factor is found, and stays."""
    beta = entry("beta")

    def step(goal: Goal) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if len(m.factors) == 2]
        factors = goal.parts[k][0].factors
        one = next(n for n, f in enumerate(factors) if function_of(f))
        goal.cancel(k, one, (1 - one) - 2)

    return shown(beta * inverse(beta, ()), beta, {}, step)


@once
def no_way_to_rename() -> Sides:
    return shown(entry("X", 0), 0, {}, lambda goal: goal.rename(0, []))


@once
def coefficients_that_are_rounded() -> Sides:
    wrong: Any = [((), 1e300), ((), -1e300)]
    return shown(entry("X", 0), 0, {}, lambda goal: goal.regroup([0], wrong))


@once
def a_half_made_by_hand() -> Sides:
    wrong: Any = 0.5
    return split_at(Index(wrong))


@once
def one_over_nought_made_by_hand() -> Sides:
    i = natural("i")
    parts = {Monomial(0, frozenset(), (Factor("1/#", (i,)),)): Fraction(1)}
    return product_of_inverses(i, Term(parts, i.variables()))


@once
def a_hypothesis_that_is_kept() -> Sides:
    """S[t] = 5 + t is not 5, though it would be at all times if it were at some time."""
    n = size("N", 3)
    time = position("t", 0, n)
    made = defined(as_term(5), lambda s, t: s.entry(t, []) + 1, time=time)
    name, when, kept = made.states[0].name, moment(n), []

    def inner(goal: Goal, rules: Sequence[Rule]) -> None:
        if not rules:
            by(made.rules[0][0])(goal)
        for rule in rules:
            claim = [(rule.left, as_term(5))]
            kept.extend(induction(moment(n), claim, lambda g, _, known=rule: by(known)(g), [rule]))

    with suppress(KernelError):
        induction(when, [(Factor(name, (when,)), as_term(5))], inner)
    if not kept:
        raise NotProved("nothing is kept")
    (lemma,) = kept
    images = dict.fromkeys(lemma.over, Index(1))
    left = made.states[0].entry(1, [])
    return shown(
        left, 5, at((n, 3)), lambda goal: goal.rewrite(monomial_with(goal, name), 0, lemma, images)
    )

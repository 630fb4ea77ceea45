"""Attacks on what terms are made of: indices, ranges, arrays, functions, sums."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.proofs.interpret.terms import indicator, substitute, total
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size
from scanproof.proofs.kernel.inequalities import contradictory
from scanproof.proofs.kernel.rules import Goal, equation
from scanproof.proofs.kernel.term import Factor, Monomial, Term, apply, as_term, entry
from scanproof.proofs.search.normal import simplified

from ..hostile import Values
from .making import (
    B1,
    B2,
    Sides,
    X,
    Y,
    at,
    emptied,
    monomial_of,
    once,
    over,
    regrouped,
    shown,
    split_at,
    stopped_by,
    valued,
    zero_and_one,
)


@once
def a_half_for_an_index() -> Sides:
    wrong: Any = 0.5
    return split_at(Index(wrong))


@stopped_by("Index.__new__: {type(const), *map(type, terms), *map(type, terms.values())} != {int}")
def a_coefficient_that_overflows() -> Sides:
    """Σ_j [j = 2⁶² t] [4 j ≥ 1] is 1 for t ≥ 1; in 64 bits 4 · 2⁶² is 0."""
    t = position("t", 0)
    large: dict[int, Any] = {t.terms[0][0]: np.int64(2**62)}
    chosen = Index(0, large)
    guards = frozenset([B1 - chosen, chosen - B1, B1 * 4 - 1])
    left = Term({Monomial(1, guards, ()): Fraction(1)}, t.variables())

    def step(goal: Goal) -> None:
        goal.one_point(0, -1, chosen)
        emptied(goal)

    with np.errstate(over="ignore"):
        return shown(left, 0, at((t, 1)), step)


@stopped_by("_declare: any((not 0 < v <= new for e in bounds for v, _ in e.terms))")
def a_range_that_speaks_of_bound_indices() -> Sides:
    """p < b1 says b1 ≥ 1 of whatever index is called b1."""
    n, p = size("N", 1), position("p", 0, B1)
    scoped = over((-1, n), factors=[X(B1)]) + entry("Z", p) - entry("Z", p)
    fewer = Monomial(1, frozenset([B1 - 1, n - 1 - B1]), (X(B1),))
    return shown(
        scoped,
        Term({fewer: Fraction(1)}, n.variables()),
        at((n, 2), (p, 0)),
        lambda goal: regrouped(goal, list(goal.parts), []),
    )


@stopped_by("position_number: v <= 0")
def something_is_put_for_a_bound_index() -> Sides:
    n = size("N", 1)
    position("last")
    term = total(entry("X", j := position("j", 0, n)), j) * 1
    made = substitute(term, {B1: Index(0)})
    return valued(simplified(made - made + entry("X", 0)), term, at((n, 2)))


@stopped_by("position_number: one != variable(v)")
def something_is_put_for_twice_a_variable() -> Sides:
    """2t = 1 is not t = 1."""
    t = position("t", 0)
    made = substitute(entry("X", t * 2), {t * 2: Index(2)})
    return valued(made, entry("X", 2), {})


@stopped_by("Term.__new__: not all((0 < v < len(index.current.names) for v in scope))")
def an_index_of_nothing_is_caught_by_a_sum() -> Sides:
    """T = X[b1], times a sum, is Σ_b1 X[b1] Y[b1]: T is a number that is not one."""
    n = size("N", 1)
    loose = Monomial(0, frozenset(), (X(B1),))
    term = _either(lambda: Term({loose: Fraction(1)}), lambda: Term({loose: Fraction(1)}, [-1]))
    both = term * over((-1, n), factors=[Y(B1)])
    values, place = Values(), {n.terms[0][0]: 2}
    first = values.value(both, place) / values.value(over((-1, n), factors=[Y(B1)]), place)
    other = term * over((-1, n), factors=[X(B1)])
    second = values.value(other, place) / values.value(over((-1, n), factors=[X(B1)]), place)
    return first, second


def _either(*ways: Callable[[], Any]) -> Any:
    for way in ways[:-1]:
        try:
            return way()
        except KernelError:
            continue
    return ways[-1]()


@stopped_by("rational: type(value) not in (int, Fraction)")
def a_number_that_overflows() -> Sides:
    """2⁶² X · 4 is 0 in 64 bits."""
    large: Any = dict.fromkeys(entry("X", 0).parts, np.int64(2**62))
    with np.errstate(over="ignore"):
        equation(Term(large) * 4, as_term(0), lambda goal, _: None)
    return 2**64, 0


@once
def a_sum_without_end() -> Sides:
    """Σ_{j ≥ 0} 1 − Σ_{j ≥ 1} 1 is 1, and shifted by one it is 0."""
    parts = {
        Monomial(1, frozenset([B1]), ()): Fraction(1),
        Monomial(1, frozenset([B1 - 1]), ()): Fraction(-1),
    }
    return zero_and_one(Term(parts))


@once
def a_sum_over_all_natural_numbers() -> Sides:
    i = position("i", 0)
    return zero_and_one(total(indicator(i + 1), i) - total(indicator(i - 1), i))


@stopped_by("apply: not inside <= images.keys()")
def a_function_of_more_than_its_positions() -> Sides:
    t = position("t", 0)
    made = substitute(apply("exp", entry("X", t), ()), {t: Index(0)})
    return valued(made, apply("exp", entry("X", 0), ()), at((t, 1)))


@once
def an_index_outside_the_range() -> Sides:
    """[t ≥ 0] X[t] is X[t] for t ≥ 0; at −1 it is 0."""
    t = position("t", 0)
    made = substitute(simplified(indicator(t) * entry("X", t)), {t: Index(-1)})
    return valued(made, as_term(0), {})


@once
def a_range_used_and_forgotten() -> Sides:
    """j < i says i ≥ 1; a term simplified with that is read at i = 0 after j has gone."""
    n = size("N", 1)
    i = position("i", 0, n)
    j = position("j", 0, i)
    made = simplified(indicator(i - 1) * entry("X", i) + entry("Y", j)) - entry("Y", j)
    return valued(substitute(made, {i: Index(0)}), as_term(0), at((n, 2), (i, 0), (j, 0)))


@stopped_by("Term.__new__: not all(map(_plain, parts))")
def a_count_of_bound_indices_that_overflows() -> Sides:
    """1 as a sum over 128 indices is one over −128 in 8 bits: nothing is renamed then, and other sums catch it."""
    eight: Any = np.int8(0)
    fences = frozenset([B1, B1 * -1, B2, B2 * -1])
    one, two = (
        Term({Monomial(n, g, ()): Fraction(1)}) for n, g in ((eight, frozenset()), (2, fences))
    )

    def times_first(name: str, other: str) -> Term:
        """Σ_j other[j] · name[0]."""
        many = two * one
        for _ in range(62):
            many = two * many
        first = Term({Monomial(2, fences, (Factor(name, (B1,)),)): Fraction(1)}) * many
        return over((-1, Index(3)), factors=[Factor(other, (B1,))]) * first

    with np.errstate(over="ignore"):
        equation(times_first("X", "Y"), times_first("Y", "X"), lambda goal, _: None)
    return 0, 1


@once
def places_that_are_looked_at_once() -> Sides:
    """The places of a factor are a generator, empty after the first look: Σ_b X[b] is three times X of something."""
    places: Any = (e for e in [B1])
    m = Monomial(1, frozenset([B1, Index(2) - B1]), (Factor("X", places),))
    right = Monomial(0, frozenset(), m.factors)

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    equation(Term({m: Fraction(1)}), Term({right: Fraction(3)}), lambda goal, _: step(goal))
    return 0, 1


@stopped_by("_contradictory: not {type(row) for row in rows} <= {Index}")
def rows_that_overflow() -> Sides:
    """−100 ≤ x + y ≤ 100 in 8 bits has no solution; what was found of that is not kept for indices."""
    x, y, hundred = position("x"), position("y"), np.int8(100)
    v, w = x.terms[0][0], y.terms[0][0]
    rows: Any = [(((v, 1), (w, 1)), hundred), (((v, -1), (w, -1)), hundred)]
    with np.errstate(over="ignore"):
        contradictory(rows)
    inside = indicator(x + y + 100, Index(100) - x - y)
    return shown(inside, 0, at((x, 0), (y, 0)), lambda goal: goal.regroup(0, []))

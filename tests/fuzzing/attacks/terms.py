"""Attacks on what terms are made of: indices, ranges, arrays, functions, sums."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import (
    Index,
    anything,
    natural,
    position,
    size,
)
from scanproof.proofs.kernel.rules import Goal
from scanproof.proofs.kernel.term import (
    Factor,
    Monomial,
    Term,
    apply,
    as_term,
    entry,
    indicator,
    inverse,
    number,
    put,
    total,
)
from scanproof.proofs.kernel.theorem import (
    equation,
)
from scanproof.proofs.search.normal import simplified

from ..hostile import Values
from .making import (
    B1,
    Sides,
    X,
    Y,
    at,
    emptied,
    monomial_with,
    over,
    product_of_inverses,
    shown,
    split_at,
    stopped_by,
    valued,
)


@stopped_by("Index.__mul__: type(factor) is not int")
def a_half_made_by_multiplying() -> Sides:
    return split_at(Index(1) * Fraction(1, 2))  # type: ignore[arg-type]


@stopped_by("as_index: type(value) is not int")
def a_half_for_an_index() -> Sides:
    return split_at(Fraction(1, 2))


@stopped_by("_declare: any((v <= 0 or v > new for e in bounds for v in e.variables()))")
def a_range_that_speaks_of_bound_indices() -> Sides:
    """p < b1 says b1 ≥ 1 of whatever index is called b1."""
    n, p = size("N", 1), position("p", 0, B1)
    scoped = over((-1, n), factors=[X(B1)]) + entry("Z", p) - entry("Z", p)
    fewer = Monomial(1, frozenset([B1 - 1, n - 1 - B1]), (X(B1),))
    return shown(
        scoped,
        Term({fewer: Fraction(1)}, n.variables()),
        at((n, 2), (p, 0)),
        lambda goal: goal.regroup(list(goal.parts), []),
    )


@stopped_by("position_number: v <= 0")
def something_is_put_for_a_bound_index() -> Sides:
    n = size("N", 1)
    anything("last")
    term = total(entry("X", j := position("j", 0, n)), j) * 1
    made = put(term, {B1: Index(0)})
    return valued(simplified(made - made + entry("X", 0)), term, at((n, 2)))


@stopped_by("position_number: one != variable(v)")
def something_is_put_for_twice_a_variable() -> Sides:
    """2t = 1 is not t = 1."""
    t = natural("t")
    made = put(entry("X", t * 2), {t * 2: Index(2)})
    return valued(made, entry("X", 2), {})


@stopped_by(
    "Term.__init__: min(self.scope, default=1) <= 0",
    "Term.__init__: not all((v in self.scope or 0 > v >= -m.bound for v in m.variables()))",
)
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


@stopped_by("Term.__init__: not finite(m)")
def a_sum_without_end() -> Sides:
    """Σ_{j ≥ 0} 1 − Σ_{j ≥ 1} 1 is 1, and shifted by one it is 0."""
    parts = {
        Monomial(1, frozenset([B1]), ()): Fraction(1),
        Monomial(1, frozenset([B1 - 1]), ()): Fraction(-1),
    }
    return _zero_and_one(Term(parts))


@stopped_by("total: len(declared(of)) != 2")
def a_sum_over_all_natural_numbers() -> Sides:
    i = natural("i")
    return _zero_and_one(total(as_term(1), i) - total(indicator(i - 1), i))


def _zero_and_one(term: Term) -> Sides:
    def shifted(goal: Goal) -> None:
        (k,) = [k for k, (_, c) in goal.parts.items() if c < 0]
        m, c = goal.parts[k]
        if B1 in m.guards:
            goal.regroup([k], [([B1 - 1], c)])
            (k,) = [k for k, (_, c) in goal.parts.items() if c < 0]
        goal.rename(k, [{-1: B1 + 1}])
        emptied(goal)

    def told_apart(goal: Goal) -> None:
        ks = [k for k, (m, _) in goal.parts.items() if m.bound]
        goal.regroup(ks, [([B1, B1 * -1], Fraction(1))])
        (k,) = [k for k, (m, _) in goal.parts.items() if m.bound]
        goal.eliminate(k, -1, Index(0))
        emptied(goal)

    equation(term, as_term(0), lambda goal, _: shifted(goal))
    equation(term, as_term(1), lambda goal, _: told_apart(goal))
    return 0, 1


@stopped_by(
    "entry: name in (NUMBER, INVERSE_NUMBER)",
)
def one_over_nought_by_its_name() -> Sides:
    i = natural("i")
    return product_of_inverses(i, entry("1/#", i))


@stopped_by(
    "inverse: not implied(of - 1, known) and (not implied(of * -1 - 1, known))",
)
def one_over_nought() -> Sides:
    i = natural("i")
    return product_of_inverses(i, inverse(number(i), ()))


@stopped_by("entry: name in index.current.bodies")
def a_function_read_at_too_few_positions() -> Sides:
    """c · Σ X[j] = Σ 1, and c · Σ X[j]² = Σ X[j]: c is 1/X[j] for every j."""
    n, t = size("N", 1), anything("t")
    whole = inverse(entry("X", t), [t])
    ((m, _),) = whole.parts.items()
    wrong = entry(m.factors[0].name)
    j = position("j", 0, n)
    once, twice = total(entry("X", j), j), total(entry("X", j) * entry("X", j), j)

    def cancelled(goal: Goal) -> None:
        k = monomial_with(goal, m.factors[0].name)
        factors = goal.parts[k][0].factors
        goal.cancel(k, factors.index(Factor(m.factors[0].name)), factors.index(X(B1)))

    equation(once * wrong, total(as_term(1), j), lambda goal, _: cancelled(goal))
    equation(twice * wrong, once, lambda goal, _: cancelled(goal))
    values, place = Values(), at((n, 2))
    return 2 / values.value(once, place), values.value(once, place) / values.value(twice, place)


@stopped_by("apply: not inside <= set(formals)")
def a_function_of_more_than_its_positions() -> Sides:
    t = natural("t")
    made = put(apply("exp", entry("X", t), ()), {t: Index(0)})
    return valued(made, apply("exp", entry("X", 0), ()), at((t, 1)))


@stopped_by("within: not all((implied(fact.put(table), known) for fact in declared(old)))")
def an_index_outside_the_range() -> Sides:
    """[t ≥ 0] X[t] is X[t] for t ≥ 0; at −1 it is 0."""
    t = natural("t")
    made = put(simplified(indicator(t) * entry("X", t)), {t: Index(-1)})
    return valued(made, as_term(0), {})


@stopped_by("_no_range_of: any((e.variables() & going for e in facts(staying)))")
def a_range_used_and_forgotten() -> Sides:
    """j < i says i ≥ 1; a term simplified with that is read at i = 0 after j has gone."""
    n = size("N", 1)
    i = position("i", 0, n)
    j = position("j", 0, i)
    made = simplified(indicator(i - 1) * entry("X", i) + entry("Y", j)) - entry("Y", j)
    return valued(put(made, {i: Index(0)}), as_term(0), at((n, 2), (i, 0), (j, 0)))

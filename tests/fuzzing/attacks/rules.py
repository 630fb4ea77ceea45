"""Attacks on the rules that rewrite a sum."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from scanproof.proofs.interpret.terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    substitute,
    taken,
    total,
)
from scanproof.proofs.kernel import index as registry
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.induction import induction
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.kernel.rules import Goal
from scanproof.proofs.kernel.term import Factor, Monomial, Term, apply, as_term, entry, function_of
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.search.session import current
from scanproof.proofs.search.unfolding import tactic

from .making import (
    B1,
    B2,
    Sides,
    X,
    Y,
    at,
    emptied,
    monomial_of,
    monomial_with,
    once,
    over,
    regrouped,
    shown,
    stopped_by,
)


@stopped_by("Rewriting.regroup: not self._vanish([(m.guards, Fraction(-1)), *shares])")
def guards_that_do_not_add_up() -> Sides:
    return shown(entry("X", 0), 0, {}, lambda goal: goal.regroup(0, []))


def coefficients_that_are_rounded() -> Sides:
    wrong: Any = [((), 1e300), ((), -1e300)]
    return shown(entry("X", 0), 0, {}, lambda goal: goal.regroup(0, wrong))


@stopped_by("check: m.bound and (not _finite(m.bound, m.guards))")
def one_told_apart_into_two_sums_without_end() -> Sides:
    """Σ_j [j = 0] 1 = Σ_{j ≥ 0} 1 − Σ_{j ≥ 1} 1, each with a second guard that says less; shifted by one it is 0."""
    one = Term({Monomial(1, frozenset([B1, B1 * -1]), ()): Fraction(1)})

    def step(goal: Goal) -> None:
        goal.regroup(0, [([B1, B1 + 1], Fraction(1)), ([B1 - 1, B1], Fraction(-1))])
        goal.rename(next(k for k, (_, c) in goal.parts.items() if c < 0), [{-1: B1 + 1}])

    return shown(one, 0, {}, step)


@stopped_by("check: not m.variables().difference(scope) <= set(range(-m.bound, 0))")
def a_guard_that_a_sum_catches_later() -> Sides:
    """S[t] in two cases by an index of nothing, each case by a sum that catches it and has nothing there."""
    n = size("N", 1)
    near, far = _two_ways_of_summing(n)

    def cases(goal: Goal) -> None:
        goal.regroup(0, [([B1 - n], Fraction(1)), ([n - 1 - B1], Fraction(1))])
        for k, rule in zip(list(goal.parts), (near, far), strict=True):
            goal.rewrite(k, 0, rule, _images(rule, 0))
        emptied(goal)

    return shown(_S(near), 0, at((n, 2)), cases)


def _S(rule: Theorem) -> Term:
    return entry(cast(Factor, rule.left).name, 0)


def _images(rule: Theorem, time: int) -> dict[int, Index]:
    return dict.fromkeys(rule.over, Index(time))


def _two_ways_of_summing(n: Index) -> tuple[Theorem, Theorem]:
    """S[0] = Σ_{0 ≤ j < N} Y[j], and S[t] = Σ_{N ≤ j < 2N} Y[j − N] for all t."""
    state = new_state("S", [], [])
    time, j, k = position("t", 0, n), position("j", 0, n), position("k", n, n * 2)
    first, other = total(entry("Y", j), j), total(entry("Y", k - n), k)
    recursion = Recursion(time, [state], [first], [state.entry(time, [])])
    current().add(recursion)
    when = position("t", 0, n + 1)
    (far,) = induction(when, [(Factor(state.name, (when,)), other)], tactic)
    return recursion.definitions[0][0], far


@stopped_by("Rewriting.one_point: v in image.variables()")
def an_index_put_away_for_itself() -> Sides:
    n = size("N", 1)
    left = over((-1, n), (-2, n), factors=[X(B1), Y(B2)])
    return shown(
        left,
        over((-1, n), factors=[X(B1), Y(B1)]),
        at((n, 2)),
        lambda goal: goal.one_point(monomial_of(goal, 2), -1, B1),
    )


@stopped_by("Rewriting.one_point: not implied(variable(v) - image, rows)")
def the_last_index_for_all() -> Sides:
    return _one_for_all(lambda n: n - 1)


@stopped_by("Rewriting.one_point: not implied(image - variable(v), rows)")
def the_first_index_for_all() -> Sides:
    return _one_for_all(lambda n: Index(0))


def _one_for_all(chosen: Callable[[Index], Index]) -> Sides:
    n = size("N", 1)

    def step(goal: Goal) -> None:
        goal.one_point(monomial_of(goal, 1), -1, chosen(n))
        emptied(goal)

    return shown(over((-1, n), factors=[X(B1)]), entry("X", chosen(n)), at((n, 2)), step)


@stopped_by("Rewriting.divide: by < 1")
def a_division_by_less_than_nothing() -> Sides:
    """0 ≤ r < −2 has no r."""

    def step(goal: Goal) -> None:
        goal.divide(0, Index(0), -2)
        emptied(goal)

    return shown(entry("X", 0), 0, {}, step)


@stopped_by("Rewriting.divide: not e.variables() <= self.scope.union(range(-m.bound, 0))")
def its_own_quotient_divided() -> Sides:
    """q = 2q + r for q = r = 0, and for q = −1 and r = 1."""

    def step(goal: Goal) -> None:
        goal.divide(monomial_of(goal, 0), B1, 2)
        goal.one_point(monomial_of(goal, 2), -1, B2 * -1)
        for k in list(goal.parts):
            goal.regroup(k, [([B1, B1 * -1 + 1], Fraction(1))])

    return shown(over((-1, Index(2)), factors=[X(Index(0))]), entry("X", 0), {}, step)


@stopped_by("Rewriting.rename: sorted(new) != [[(w, 1)] for w in own]")
def every_other_index() -> Sides:
    def step(goal: Goal) -> None:
        goal.rename(monomial_of(goal, 1), [{-1: B1 * 2}])
        k = monomial_of(goal, 1)
        goal.regroup(k, [([B1, B1 * -1], Fraction(1)), ([B1 - 1, B1 * -1 + 1], Fraction(1))])
        for _ in range(2):
            k = monomial_of(goal, 1)
            here = next(e for e in (Index(0), Index(1)) if _says(goal, k, e))
            goal.one_point(k, -1, here)
        emptied(goal)

    return shown(over((-1, Index(3)), factors=[X(B1)]), entry("X", 0) + entry("X", 2), {}, step)


def _says(goal: Goal, k: int, e: Index) -> bool:
    return {B1 - e, e - B1} <= goal.parts[k][0].guards


@once
def renamed_in_no_way() -> Sides:
    def step(goal: Goal) -> None:
        goal.rename(monomial_of(goal, 1), [])

    return shown(over((-1, Index(3)), factors=[X(B1)]), 0, {}, step)


@once
def two_indices_with_one_name() -> Sides:
    """ΣΣ X[j] X[k] for j < N and k < 2N or k < N: with j for k it is the same."""
    n = size("N", 1)
    more = over((-1, n), (-2, n * 2), factors=[X(B1), X(B2)])
    fewer = over((-1, n), (-2, n), factors=[X(B1), X(B2)])

    def step(goal: Goal) -> None:
        for k in list(goal.parts):
            goal.rename(k, [{-1: B1, -2: B1}])
        regrouped(goal, list(goal.parts), [])

    return shown(more, fewer, at((n, 2)), step)


@stopped_by("Rewriting.number: f.name != NUMBER")
def an_entry_taken_for_a_number() -> Sides:
    t = position("t", 0)
    return shown(
        entry("X", t + 1),
        entry("Y", 0) * 0 + number(t) + 1,
        at((t, 1)),
        lambda goal: goal.number(monomial_with(goal, "X"), 0),
    )


@stopped_by("Rewriting.count: not 0 > v >= -m.bound")
def a_free_index_is_counted() -> Sides:
    n, m, t = size("N", 1), size("M", 1), position("t")
    left = over((-1, m), factors=[X(B1)]) * indicator(t, n - 1 - t)
    right = number(n) * indicator(t, m - 1 - t) * entry("X", t)

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), t.terms[0][0])
        emptied(goal)
        for k in list(goal.parts):
            goal.regroup(k, [([t, m - 1 - t], 1)])

    return shown(left, right, at((n, 2), (m, 2), (t, 1)), step)


@stopped_by("Rewriting.count: any((v in f.variables() for f in m.factors))")
def an_index_is_counted_that_a_factor_mentions() -> Sides:
    n, m = size("N", 1), size("M", 1)
    left = over((-1, n), (-2, m), factors=[X(B1), Y(B2)])
    right = over((-1, m), factors=[X(B1), Y(B1)]) * number(n)

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 2), -1)
        for k in list(goal.parts):
            goal.regroup(k, [([B1, m - 1 - B1], 1)])

    return shown(left, right, at((n, 2), (m, 2)), step)


@stopped_by("Rewriting.count: [g.coefficient(v) for g in fences] != [-c, c]")
def a_nearer_end_is_overlooked() -> Sides:
    """2 ≤ j ≤ 3, and 0 ≤ j, for two j, not for four."""
    left = Term({Monomial(1, frozenset([B1, B1 - 2, Index(3) - B1]), ()): Fraction(1)})

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    return shown(left, 4, {}, step)


@stopped_by("Rewriting.count: length * c != numbers")
def ends_of_twice_an_index() -> Sides:
    """0 ≤ 2j ≤ 4 for three j, not for two."""
    left = Term({Monomial(1, frozenset([B1 * 2, Index(4) - B1 * 2]), ()): Fraction(1)})

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    return shown(left, 2, {}, step)


@stopped_by("Rewriting.alike: function_of(old) != function_of(new)")
def another_function_of_the_same() -> Sides:
    return _alike("cos", entry("X", 0))


@stopped_by("Rewriting.alike: made(gap, self.scope).parts")
def the_same_function_of_another() -> Sides:
    return _alike("sin", entry("Y", 0))


def _alike(function: str, of: Term) -> Sides:
    """That this is sin(X), which is rewritten by it."""
    left, right = apply("sin", entry("X", 0), ()), apply(function, of, ())
    (new,) = right.parts
    name = next(iter(left.parts)).factors[0].name

    def step(goal: Goal) -> None:
        goal.alike(monomial_with(goal, name), 0, new.factors[0])

    return shown(left, right, {}, step)


def _beside(p: Term, old: Term, new: Term, t: Index | None = None) -> Sides:
    """That p · old is p · new, at t = 0."""
    (one,), (other,), (m,) = ([*term.parts] for term in (old, p, new))

    def step(goal: Goal) -> None:
        k = monomial_with(goal, one.factors[0].name, other.factors[0].name)
        factors = goal.parts[k][0].factors
        places = (factors.index(f.factors[0]) for f in (one, other))
        goal.beside(k, *places, m.factors[0])

    return shown(p * old, p * new, {} if t is None else at((t, 0)), step)


@stopped_by("Rewriting.beside: function_of(p) != ZERO")
def a_value_beside_another_one_than_zero() -> Sides:
    """cos(Y) cos(X + Y) is not cos(Y) cos(X)."""
    x, y = entry("X", 0), entry("Y", 0)
    p = apply("sin", y, ())
    return _beside(p, apply("cos", x + y, ()), apply("cos", x, ()))


@stopped_by("Rewriting.beside: left != {n: c * share for n, c in of.items()}")
def a_value_of_another_number_beside_zero() -> Sides:
    t = position("t", 0)
    p = apply("zero", number(t), [t])
    return _beside(p, apply("cos", entry("X", 0), ()), apply("cos", entry("Y", 0), ()), t)


@stopped_by("Rewriting.beside: function_of(old) != function_of(new)")
def a_value_of_another_function_beside_zero() -> Sides:
    t = position("t", 0)
    p, x = apply("zero", number(t), [t]), entry("X", 0)
    return _beside(p, apply("cos", x + number(t), [t]), apply("sin", x, ()), t)


@stopped_by("Rewriting.beside: place == other")
def zero_beside_itself() -> Sides:
    p = apply("zero", entry("X", 0), ())
    nothing = apply("zero", as_term(0), ())
    (m,) = nothing.parts
    return shown(p, nothing, {}, lambda goal: goal.beside(0, 0, 0, m.factors[0]))


@stopped_by("Rewriting.beside: min(place, other) < 0")
def zero_beside_itself_counted_from_the_end() -> Sides:
    p, nothing = apply("zero", entry("X", 0), ()), apply("zero", as_term(0), ())
    (m,) = nothing.parts
    return shown(p, nothing, {}, lambda goal: goal.beside(0, 0, -1, m.factors[0]))


@stopped_by("Rewriting.compare: min([place, *dict(others)]) < 0")
def a_comparison_with_itself_counted_from_the_end() -> Sides:
    p = apply("zero", entry("X", 0), ())
    (m,) = p.parts
    name = m.factors[0].name
    return shown(p, 1, {}, lambda goal: goal.compare(monomial_with(goal, name), 0, [(-1, 1)]))


@stopped_by("Rewriting.circle: [*map(function_of, (f, g, sine))] != ['cos', 'cos', 'sin']")
def a_cosine_times_a_sine_for_a_square() -> Sides:
    return _circle("sin", "X")


@stopped_by("Rewriting.circle: made(gap, self.scope).parts")
def a_product_of_cosines_of_two_angles() -> Sides:
    return _circle("cos", "Y")


def _circle(function: str, other: str) -> Sides:
    """That cos(X) f(other) is 1 − sin(X)²."""
    one, another = apply("cos", entry("X", 0), ()), apply(function, entry(other, 0), ())
    sine = apply("sin", entry("X", 0), ())
    ((m, _),) = sine.parts.items()
    left, right = one * another, as_term(1) - sine * sine
    return shown(left, right, {}, lambda g: g.circle(monomial_with_two(g), 0, 1, m.factors[0]))


@stopped_by("Rewriting.root: function_of(f) != ROOT")
def a_square_of_a_value_that_is_no_root() -> Sides:
    return _squared("tanh", entry("X", 0) * entry("X", 0))


@stopped_by("Rewriting.root: not seen_sign(inside, m.bound, self.known | m.guards)")
def a_square_of_a_root_of_what_may_be_below_0() -> Sides:
    return _squared("sqrt", entry("X", 0))


def _squared(function: str, of: Term) -> Sides:
    """That the square of a value is what it is taken of."""
    value = apply(function, of, ())
    name = next(iter(value.parts)).factors[0].name

    def step(goal: Goal) -> None:
        goal.root(monomial_with(goal, name), 0)

    return shown(value * value, of, {}, step)


def _place_of_last(least: int = 1, first: Any = 0, step: Any = None) -> tuple[Index, Term]:
    """A size n and S[n], which is the place n − 1, S being `first` and then what `step` makes of it at a time."""
    n = size("N", least)
    state, time = new_state("S", [], []), position("t", 0, n)
    always, before = apply("step", number(time) + 1, [time]), state.entry(time, [])
    after = number(time) * always + before - always * before
    Recursion(time, [state], [as_term(first)], [step(time, before) if step else after])
    return n, state.entry(n, [])


def _found_once(n: Index, left: Term, right: Any = 1, at_size: int = 2) -> Sides:
    """That the sum in `left` is taken out of it by the rule."""
    return shown(left, right, at((n, at_size)), lambda goal: goal.one_place(_summed(goal), 0, -1))


def _summed(goal: Goal) -> int:
    return next(k for k, (m, _) in goal.parts.items() if m.bound and len(m.guards) > 1)


def _sum_of(function: str, n: Index, gap: Callable[[Term], Term], end: int = 0) -> Term:
    """Σ_k [0 ≤ k < n + end] of a function of `gap` of the number of k."""
    k = position("k", 0, n + end)
    return total(apply(function, gap(number(k)), [k]), k)


@stopped_by("end_of_places: c != -d")
def a_place_counted_backwards() -> Sides:
    n, S = _place_of_last()
    return _found_once(n, _sum_of("zero", n, lambda k: k + S))


@stopped_by("end_of_places: function_of(f) != ZERO")
def a_number_that_is_greater_than_a_place() -> Sides:
    n, S = _place_of_last()
    return _found_once(n, _sum_of("step", n, lambda k: k - S))


@stopped_by("Rewriting.one_place: not 0 > v >= -m.bound")
def a_place_that_is_not_summed_over() -> Sides:
    """[0 ≤ j < n] zero(j − S[n]) Σ_b Y[b] is not Y[j]."""
    n, S = _place_of_last()
    j = position("j", 0)
    within = Monomial(0, frozenset([j, n - j - 1]), ())
    hit = apply("zero", number(j) - S, [j]) * Term(
        {within: Fraction(1)}, n.variables() | j.variables()
    )
    left = hit * over((-1, n), factors=[Y(B1)])
    right = Term({within._replace(factors=(Y(j),)): Fraction(1)}, left.scope)

    def step(goal: Goal) -> None:
        k = _summed(goal)
        names = [function_of(f) for f in goal.parts[k][0].factors]
        goal.one_place(k, names.index("zero"), j.terms[0][0])

    return shown(left, right, at((n, 3), (j, 1)), step)


@stopped_by("end_of_places: not is_place(state.name)")
def a_state_that_counts_its_turns() -> Sides:
    n, S = _place_of_last(step=lambda t, before: before + 1)
    return _found_once(n, _sum_of("zero", n, lambda k: k - S))


@stopped_by(
    "end_of_places: not all((implied(to[fact], rows) for w in order for fact in declared(w)))"
)
def a_place_where_there_may_be_none() -> Sides:
    n, S = _place_of_last(least=0)
    return _found_once(n, _sum_of("zero", n, lambda k: k - S), at_size=0)


@once
def a_sum_over_all_places_but_the_last() -> Sides:
    n, S = _place_of_last(least=2)
    return _found_once(n, _sum_of("zero", n, lambda k: k - S, end=-1))


@stopped_by("end_of_places: of != number._replace(factors=(state,))")
def a_place_that_is_counted_twice() -> Sides:
    n, S = _place_of_last()
    twice = total(S, position("j", 0, 2))
    return _found_once(n, _sum_of("zero", n, lambda k: k - twice))


@stopped_by("Rewriting.one_place: v in rest.variables()")
def an_entry_at_the_place() -> Sides:
    """Σ_k Σ_l zero(k − S[n]) Y[k] is not Σ_l Y[l]."""
    n, S = _place_of_last()
    k, l = position("k", 0, n), position("l", 0, n)
    each = apply("zero", number(k) - S, [k]) * entry("Y", k)
    left = total(total(each, k), l)
    right = total(entry("Y", l), l)

    def step(goal: Goal) -> None:
        m = next(k for k, (m, c) in goal.parts.items() if m.bound == 2)
        factors = goal.parts[m][0].factors
        place = [function_of(f) for f in factors].index("zero")
        goal.one_place(m, place, next(v for v in factors[place].variables() if v < 0))

    return shown(left, right, at((n, 3)), step)


def place_of_own(ranged: bool = True) -> tuple[Index, Callable[[Index], Term]]:
    """A size n and S[n, i], which is the place i, for rows i below n, or for any."""
    n = size("N", 1)
    i, time = position("i", 0, n) if ranged else position("i"), position("t", 0, n)
    state = new_state("S", [i], [])
    until, before = (
        apply("step", number(i) - number(time) + 1, [i, time]),
        state.entry(time, [i]),
    )
    after = number(time) * until + before - until * before
    current().add(Recursion(time, [state], [as_term(0)], [after]))
    return n, lambda row: state.entry(n, [row])


@stopped_by("end_of_places: v in state.variables()")
def rows_whose_places_are_their_own() -> Sides:
    """Σ_k zero(k − S[n, k]) is n."""
    n, S = place_of_own(ranged=False)
    k = position("k", 0, n)
    left = total(apply("zero", number(k) - S(k), [k]), k)
    return _found_once(n, left)


@once
def a_place_beside_another_number() -> Sides:
    n, S = _place_of_last()
    return _found_once(n, _sum_of("zero", n, lambda k: k - S - 1))


def _at_one_position(gap: Callable[[Term, Term], Term]) -> Sides:
    """That Σ_k [0 ≤ k < n] zero(T[k, k]) is 1, T[a, b] being `gap` of the numbers of a and b: its terms are added."""
    n, S = _place_of_last(least=2)
    a, b, k = (position(name, 0, n) for name in "abk")
    hit = apply("zero", gap(number(a), number(b)) - 2 * S, [a, b])
    return _found_once(n, total(substitute(substitute(hit, {a: k}), {b: k}), k))


@once
def a_place_beside_thrice_an_index() -> Sides:
    return _at_one_position(lambda a, b: 2 * a + b)


@once
def a_place_beside_thrice_an_index_in_another_order() -> Sides:
    return _at_one_position(lambda a, b: a + 2 * b)


def _at_one_row(one: int, other: int) -> Sides:
    """That Σ_l [0 ≤ l < n] zero(l + (one + other) S[n, j]) is 1, where two positions are made one."""
    n = size("N", 2)
    i, time = position("i", 0, n), position("t", 0, n)
    state = new_state("S", [i], [])
    always, before = apply("step", number(time) + 1, [time]), state.entry(time, [i])
    Recursion(time, [state], [as_term(0)], [number(time) * always + before - always * before])
    a, b, j, l = (position(name, 0, n) for name in "abjl")
    both = one * state.entry(n, [a]) + other * state.entry(n, [b])
    hit = apply("zero", number(l) + both, [a, b, l])
    left = total(substitute(substitute(hit, {a: j}), {b: j}), l)
    return shown(left, 1, at((n, 2), (j, 1)), lambda goal: goal.one_place(_summed(goal), 0, -1))


@once
def a_place_that_is_taken_off_after_five() -> Sides:
    return _at_one_row(5, -1)


@once
def a_place_that_is_taken_off_before_five() -> Sides:
    return _at_one_row(-1, 5)


@once
def a_place_that_begins_with_one() -> Sides:
    def stays(time: Index, before: Term) -> Term:
        never = apply("zero", number(time) + 1, [time])
        return number(time) * never + before - never * before

    n, S = _place_of_last(first=1, step=stays)
    return _found_once(n, _sum_of("zero", n, lambda k: k - S), at_size=1)


@once
def a_place_between_two() -> Sides:
    def between(time: Index, before: Term) -> Term:
        share = entry("X", time)
        return number(time) * share + before - share * before

    n, S = _place_of_last(step=between)
    return _found_once(n, _sum_of("zero", n, lambda k: k - S), at_size=3)


@once
def any_function_for_an_inverse() -> Sides:
    x = entry("X", 0)
    return shown(x * apply("exp", x, ()), 1, {}, _cancelled("X"))


@stopped_by(
    "Rewriting.cancel: inside != one_factor(g.name, *g.at)._replace(bound=m.bound)",
)
def an_inverse_of_something_else() -> Sides:
    return shown(entry("X", 0) * inverse(entry("Y", 0), ()), 1, {}, _cancelled("X"))


@stopped_by("Rewriting.exponents: any((function_of(f) != EXP for f in (*old, *new)))")
def a_product_of_other_functions() -> Sides:
    """sin(X) sin(−X) is not 1."""
    x = entry("X", 0)
    left = apply("sin", x, ()) * apply("sin", x * -1, ())
    return shown(left, 1, {}, lambda goal: goal.exponents(monomial_with_two(goal), [0, 1], []))


@stopped_by("Rewriting.exponents: made(gap, self.scope).parts")
def exponents_that_do_not_add_up() -> Sides:
    """exp(X) exp(−2X) is not 1."""
    x = entry("X", 0)
    left = apply("exp", x, ()) * apply("exp", x * -2, ())
    return shown(left, 1, {}, lambda goal: goal.exponents(monomial_with_two(goal), [0, 1], []))


@once
def an_exponential_of_what_is_summed_over_elsewhere() -> Sides:
    """Σ_j exp(X[j]) exp(−X[j]) is N, and not Σ_j exp(X[k]) exp(−X[k]) for a k that is summed over in no way."""
    j, n = position("j", 0, size("N", 1)), Index(0, {1: 1})
    x = apply("exp", entry("X", j), [j])
    name = next(iter(x.parts)).factors[0].name

    def step(goal: Goal) -> None:
        k = monomial_of(goal, 1)
        goal.exponents(k, [0], [Factor(name, (variable(-2),))])

    return shown(total(x, j), number(n), {}, step)


def monomial_with_two(goal: Goal) -> int:
    return next(k for k, (m, _) in goal.parts.items() if len(m.factors) == 2)


def _cancelled(name: str) -> Callable[[Goal], None]:
    def step(goal: Goal) -> None:
        k = monomial_with(goal, name)
        factors = goal.parts[k][0].factors
        other = [f.name for f in factors].index(name)
        goal.cancel(k, 1 - other, other)

    return step


@once
def a_place_counted_from_the_end() -> Sides:
    """#[t] = #[t]²: the last factor is taken, and stays."""
    t = position("t", 0)
    return shown(
        number(t),
        number(t) * number(t),
        at((t, 2)),
        lambda goal: goal.number(next(iter(goal.parts)), -1),
    )


@stopped_by("Goal.split: not as_index(guard).variables() <= self.scope")
def a_case_told_by_a_bound_index() -> Sides:
    def step(goal: Goal) -> None:
        goal.split(B1 - 5)
        below = goal.cases[1]
        below.rename(monomial_of(below, 1), [{-1: B1 - 10}])
        for case in goal.cases:
            emptied(case)

    return shown(over((-1, Index(5)), factors=[X(B1)]), 0, {}, step)


@stopped_by("Rewriting.spend: self._registry is not index.current")
def an_inverse_that_is_of_something_else_elsewhere() -> Sides:
    """1/X and 1/Y have one name, each in its registry."""
    here = registry.current
    left = entry("Y", 0) * inverse(entry("X", 0), ())

    def step(goal: Goal) -> None:
        registry.start_afresh()
        inverse(entry("Y", 0), ())
        try:
            _cancelled("Y")(goal)
        finally:
            registry.current = here

    return shown(left, 1, {}, step)


@stopped_by("Rewriting._inverted: function_of(f) != INVERSE")
def any_function_cleared() -> Sides:
    x = entry("X", 0)
    return shown(x * taken("exp", x, ()), 1, {}, _clear_first)


def _clear_first(goal: Goal) -> None:
    for k, (m, _) in goal.parts.items():
        for place, f in enumerate(m.factors):
            if function_of(f) is not None:
                goal.clear(k, place)
                return


@stopped_by("Goal.clear: any((v < 0 for v in f.variables()))")
def a_denominator_that_is_another_in_each_summand() -> Sides:
    """Σ 1/X[j] = N · Σ [j = 0] 1/X[0], times X[j]."""
    n, t = size("N", 1), position("t")
    j = position("j", 0, n)
    left = total(inverse(entry("X", j), [j]), j)
    first = substitute(inverse(entry("X", t), [t]), {t: Index(0)})
    right = total(equal_indices(j, 0) * first, j) * number(n)

    def step(goal: Goal) -> None:
        k = next(k for k, (m, _) in goal.parts.items() if len(m.factors) == 1)
        goal.clear(k, 0)
        k = monomial_with(goal, "X")
        goal.one_point(k, -1, Index(0))
        k = monomial_with(goal, "X")
        factors = goal.parts[k][0].factors
        one = next(n for n, f in enumerate(factors) if function_of(f))
        goal.cancel(k, one, factors.index(X(Index(0))))
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    return shown(left, right, at((n, 2)), step)


@stopped_by(
    "Rewriting._inverted: not implied(f.at[0] - 1, rows) and (not implied(-f.at[0] - 1, rows))"
)
def times_what_may_be_nought() -> Sides:
    """[k ≥ 1] k/k + [k = 0] = [k ≥ 1], times k."""
    k = position("k", 0)
    guarded = substitute(inverse(number(k + 1), ()), {k: k - 1}, [k - 1])
    left = guarded * number(k) + equal_indices(k, 0)

    def step(goal: Goal) -> None:
        n = monomial_with(goal, "1/#")
        goal.clear(n, [f.name for f in goal.parts[n][0].factors].index("1/#"))
        goal.split(k - 1)
        for case in goal.cases:
            emptied(case)
        (n,) = goal.cases[1].parts
        goal.cases[1].one_point(n, k.terms[0][0], Index(0))
        (n,) = goal.cases[1].parts
        goal.cases[1].number(n, 0)

    return shown(left, indicator(k - 1), at((k, 0)), step)


@stopped_by("Rewriting.rename: images.keys() != set(own)")
def a_free_index_renamed() -> Sides:
    """X[t] Σ Y[j] is not Σ X[j] Y[j]."""
    t = position("t", 0, 3)
    left = over((-1, Index(3)), factors=[X(t), Y(B1)], scope=[t])

    def step(goal: Goal) -> None:
        goal.rename(monomial_with(goal, "X"), [{t.terms[0][0]: B1}])

    right = over((-1, Index(3)), factors=[X(B1), Y(B1)])
    return shown(left, right, at((t, 1)), step)


@stopped_by("Rewriting.rewrite: type(theorem) is not Theorem")
def what_only_looks_like_a_theorem() -> Sides:
    """X[0] = 5, says something that has all that a theorem has."""
    has = {"name": "lemma", "left": X(Index(0)), "right": as_term(5), "over": frozenset()}
    has["under"] = frozenset()
    wrong: Any = type("Lookalike", (), {**has, "registry": registry.current, "logarithms": ()})()
    return shown(entry("X", 0), 5, {}, lambda goal: goal.rewrite(0, 0, wrong, {}))

"""One attempt at a false theorem for each check of the kernel, which only that check stops.

An attack hands back two sides that it got the kernel to call equal. It is refused by the whole kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from scanproof.proofs.kernel import index
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import (
    Index,
    anything,
    natural,
    position,
    size,
    variable,
)
from scanproof.proofs.kernel.rules import Goal, Rewriting
from scanproof.proofs.kernel.term import (
    Factor,
    Monomial,
    Term,
    apply,
    as_term,
    entry,
    equal_indices,
    function_of,
    indicator,
    inverse,
    number,
    put,
    total,
)
from scanproof.proofs.kernel.theorem import (
    Recursion,
    Rule,
    State,
    Theorem,
    equation,
    induction,
    moment,
    new_state,
)
from scanproof.proofs.search.normal import show_zero, simplified
from scanproof.proofs.search.session import current, session
from scanproof.proofs.search.unfolding import tactic

from .hostile import Values

Sides = tuple[Any, Any]
Attack = Callable[[], Sides]
ATTACKS: dict[str, Attack] = {}
"""By the name of the check that stops it."""


def succeeds(attack: Attack) -> bool:
    """Whether the attack gets two different values called equal."""
    with session():
        try:
            left, right = attack()
        except KernelError:
            return False
        return left != right


def stopped_by(*names: str) -> Callable[[Attack], Attack]:
    def note(attack: Attack) -> Attack:
        ATTACKS.update(dict.fromkeys(names, attack))
        return attack

    return note


def at(*pairs: tuple[Index, int]) -> dict[int, int]:
    return {e.terms[0][0]: n for e, n in pairs}


def valued(left: Term, right: Term, place: dict[int, int]) -> Sides:
    values = Values()
    return values.value(left, place), values.value(right, place)


def shown(
    left: Term | int, right: Term | int, place: dict[int, int], *steps: Callable[[Goal], Any]
) -> Sides:
    """The values of two sides that these steps show to be equal."""

    def all_steps(goal: Goal, _: Sequence[Rule]) -> None:
        for step in steps:
            step(goal)

    theorem = equation(as_term(left), as_term(right), all_steps)
    return valued(theorem.left, theorem.right, place)


def monomial_with(goal: Rewriting, *names: str) -> int:
    """The number of the first monomial with all of these among its factors' names."""
    for k, (m, _) in goal.parts.items():
        if set(names) <= {f.name for f in m.factors}:
            return k
    raise LookupError(names)


def emptied(goal: Goal) -> None:
    """All monomials whose guards contradict one another go, and needless guards too."""
    for k, (_, c) in list(goal.parts.items()):
        for new in ([], [((), c)]):
            try:
                goal.regroup([k], new)
                break
            except KernelError:
                continue


def over(
    *ends: tuple[int, Index], factors: Sequence[Factor] = (), scope: Sequence[Index] = ()
) -> Term:
    """Σ over bound indices 0 ≤ b < end, for the ends in turn, of factors."""
    guards = [g for v, end in ends for g in (variable(v), end - 1 - variable(v))]
    names = {v for e in (*scope, *(end for _, end in ends)) for v in e.variables()}
    return Term({Monomial(len(ends), frozenset(guards), tuple(factors)): Fraction(1)}, names)


B1, B2 = variable(-1), variable(-2)


def X(e: Index) -> Factor:
    return Factor("X", (e,))


def Y(e: Index) -> Factor:
    return Factor("Y", (e,))


# Indices.


@stopped_by("Index.__mul__: type(factor) is not int")
def a_half_made_by_multiplying() -> Sides:
    return _split_at(Index(1) * Fraction(1, 2))  # type: ignore[arg-type]


@stopped_by("as_index: type(value) is not int")
def a_half_for_an_index() -> Sides:
    return _split_at(Fraction(1, 2))


def _split_at(half: Any) -> Sides:
    """t ≥ ½ or t ≤ −½: t = 0 is in neither case."""
    t = natural("t")

    def halves(goal: Goal) -> None:
        goal.split(t - half)
        for case in goal.cases:
            emptied(case)

    return shown(indicator(t * -1), 0, at((t, 0)), halves)


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


# Terms.


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
    return _product_of_inverses(i, entry("1/#", i))


@stopped_by(
    "inverse: not implied(of - 1, known) and (not implied(of * -1 - 1, known))",
)
def one_over_nought() -> Sides:
    i = natural("i")
    return _product_of_inverses(i, inverse(number(i), ()))


def _product_of_inverses(i: Index, inverted: Term) -> Sides:
    """i · (1/i) is 1 for all i, and 0 for i = 0."""

    def cancelled(goal: Goal) -> None:
        k = monomial_with(goal, "#")
        names = [f.name for f in goal.parts[k][0].factors]
        goal.cancel(k, names.index("1/#"), names.index("#"))

    def counted(goal: Goal) -> None:
        k = monomial_with(goal, "#")
        goal.number(k, [f.name for f in goal.parts[k][0].factors].index("#"))

    term = number(i) * inverted
    equation(term, as_term(1), lambda goal, _: cancelled(goal))
    equation(put(term, {i: Index(0)}), as_term(0), lambda goal, _: counted(goal))
    return 1, 0


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


# Rules.


@stopped_by("Rewriting.regroup: len(set(ks)) != len(ks)")
def one_monomial_named_twice() -> Sides:
    """It goes, then it is not there to go again; and who does not mind has got rid of it."""

    def twice(goal: Goal) -> None:
        with suppress(KeyError):
            goal.regroup([0, 0], [((), Fraction(2))])

    return shown(entry("X", 0), 0, {}, twice)


@stopped_by("Rewriting.regroup: any((m[::2] != first[::2] for m, _ in old))")
def monomials_that_differ() -> Sides:
    return shown(entry("X", 0), entry("X", 1), {}, lambda goal: goal.regroup([0, 1], []))


@stopped_by("Rewriting.regroup: not self._vanish(shares, self.known)")
def guards_that_do_not_add_up() -> Sides:
    return shown(entry("X", 0), 0, {}, lambda goal: goal.regroup([0], []))


@stopped_by(
    "Rewriting.regroup: not {v for m, _ in images for v in m.variables()} <= self._names(first)"
)
def a_guard_that_a_sum_catches_later() -> Sides:
    """S[t] in two cases by an index of nothing, each case by a sum that catches it and has nothing there."""
    n = size("N", 1)
    near, far = _two_ways_of_summing(n)

    def cases(goal: Goal) -> None:
        goal.regroup([0], [([B1 - n], Fraction(1)), ([n - 1 - B1], Fraction(1))])
        for k, rule in zip(list(goal.parts), (near, far), strict=True):
            goal.rewrite(k, 0, rule, _images(rule, 0))
        emptied(goal)

    return shown(_S(near), 0, at((n, 2)), cases)


def _S(rule: Rule) -> Term:
    return entry(rule.left.name, 0)


def _images(rule: Rule, time: int) -> dict[int, Index]:
    return dict.fromkeys(rule.over, Index(time))


def _two_ways_of_summing(n: Index) -> tuple[Rule, Rule]:
    """S[0] = Σ_{0 ≤ j < N} Y[j], and S[t] = Σ_{N ≤ j < 2N} Y[j − N] for all t."""
    state = new_state("S", [], [])
    time, j, k = position("t", 0, n), position("j", 0, n), position("k", n, n * 2)
    first, other = total(entry("Y", j), j), total(entry("Y", k - n), k)
    recursion = Recursion(time, [state], [first], [state.entry(time, [])])
    current().add(recursion)
    when = moment(n)
    (far,) = induction(when, [(Factor(state.name, (when,)), other)], tactic)
    return recursion.rules[0][0], far


@stopped_by("Rewriting.eliminate: v in image.variables()")
def an_index_put_away_for_itself() -> Sides:
    n = size("N", 1)
    left = over((-1, n), (-2, n), factors=[X(B1), Y(B2)])
    return shown(
        left,
        over((-1, n), factors=[X(B1), Y(B1)]),
        at((n, 2)),
        lambda goal: goal.eliminate(monomial_of(goal, 2), -1, B1),
    )


def monomial_of(goal: Rewriting, bound: int) -> int:
    return next(k for k, (m, _) in goal.parts.items() if m.bound == bound)


@stopped_by("Rewriting.eliminate: not implied(gap, rows)")
def the_last_index_for_all() -> Sides:
    return _one_for_all(lambda n: n - 1)


@stopped_by("Rewriting.eliminate: not implied(gap * -1, rows)")
def the_first_index_for_all() -> Sides:
    return _one_for_all(lambda n: Index(0))


def _one_for_all(chosen: Callable[[Index], Index]) -> Sides:
    n = size("N", 1)

    def step(goal: Goal) -> None:
        goal.eliminate(monomial_of(goal, 1), -1, chosen(n))
        emptied(goal)

    return shown(over((-1, n), factors=[X(B1)]), entry("X", chosen(n)), at((n, 2)), step)


@stopped_by("Rewriting.rename: abs(own[0][1]) != 1")
def every_other_index() -> Sides:
    def step(goal: Goal) -> None:
        goal.rename(monomial_of(goal, 1), [{-1: B1 * 2}])
        k = monomial_of(goal, 1)
        goal.regroup([k], [([B1, B1 * -1], Fraction(1)), ([B1 - 1, B1 * -1 + 1], Fraction(1))])
        for _ in range(2):
            k = monomial_of(goal, 1)
            here = next(e for e in (Index(0), Index(1)) if _says(goal, k, e))
            goal.eliminate(k, -1, here)
        emptied(goal)

    return shown(over((-1, Index(3)), factors=[X(B1)]), entry("X", 0) + entry("X", 2), {}, step)


def _says(goal: Goal, k: int, e: Index) -> bool:
    return {B1 - e, e - B1} <= goal.parts[k][0].guards


@stopped_by("Rewriting.rename: not set(images) == set(names) == set(range(-m.bound, 0))")
def two_indices_with_one_name() -> Sides:
    """ΣΣ X[j] X[k] for j < N and k < 2N or k < N: with j for k it is the same."""
    n = size("N", 1)
    more = over((-1, n), (-2, n * 2), factors=[X(B1), X(B2)])
    fewer = over((-1, n), (-2, n), factors=[X(B1), X(B2)])

    def step(goal: Goal) -> None:
        for k in list(goal.parts):
            goal.rename(k, [{-1: B1, -2: B1}])
        goal.regroup(list(goal.parts), [])

    return shown(more, fewer, at((n, 2)), step)


@stopped_by("Rewriting.number: f.name != NUMBER")
def an_entry_taken_for_a_number() -> Sides:
    t = natural("t")
    return shown(
        entry("X", t + 1),
        entry("#1") * 0 + number(t) + 1,
        at((t, 1)),
        lambda goal: goal.number(monomial_with(goal, "X"), 0),
    )


@stopped_by("Rewriting.count: not 0 > v >= -m.bound")
def a_free_index_is_counted() -> Sides:
    n, m, t = size("N", 1), size("M", 1), anything("t")
    left = over((-1, m), factors=[X(B1)]) * indicator(t, n - 1 - t)
    right = number(n) * indicator(t, m - 1 - t) * entry("X", t)

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), t.terms[0][0])
        emptied(goal)
        for k, (_, c) in list(goal.parts.items()):
            goal.regroup([k], [([t, m - 1 - t], c)])

    return shown(left, right, at((n, 2), (m, 2), (t, 1)), step)


@stopped_by("Rewriting.count: any((v in f.variables() for f in m.factors))")
def an_index_is_counted_that_a_factor_mentions() -> Sides:
    n, m = size("N", 1), size("M", 1)
    left = over((-1, n), (-2, m), factors=[X(B1), Y(B2)])
    right = over((-1, m), factors=[X(B1), Y(B1)]) * number(n)

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 2), -1)
        for k, (_, c) in list(goal.parts.items()):
            goal.regroup([k], [([B1, m - 1 - B1], c)])

    return shown(left, right, at((n, 2), (m, 2)), step)


@stopped_by("Rewriting.count: [g.coefficient(v) for g in fences] != [-1, 1]")
def ends_of_twice_an_index() -> Sides:
    """0 ≤ 2j ≤ 4 for three j, not for five."""
    left = Term({Monomial(1, frozenset([B1 * 2, Index(4) - B1 * 2]), ()): Fraction(1)})

    def step(goal: Goal) -> None:
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    return shown(left, 5, {}, step)


@stopped_by("Rewriting.cancel: function_of(f) != INVERSE")
def any_function_for_an_inverse() -> Sides:
    x = entry("X", 0)
    return shown(x * apply("exp", x, ()), 1, {}, _cancelled("X"))


@stopped_by(
    "Rewriting.cancel: [t[:3] for t in inside] != [(m.bound, frozenset(), (g,))]",
)
def an_inverse_of_something_else() -> Sides:
    return shown(entry("X", 0) * inverse(entry("Y", 0), ()), 1, {}, _cancelled("X"))


def _cancelled(name: str) -> Callable[[Goal], None]:
    def step(goal: Goal) -> None:
        k = monomial_with(goal, name)
        factors = goal.parts[k][0].factors
        other = [f.name for f in factors].index(name)
        goal.cancel(k, 1 - other, other)

    return step


@stopped_by("Rewriting._split: not 0 <= place < len(m.factors)")
def a_place_counted_from_the_end() -> Sides:
    """#[t] = #[t]²: the last factor is taken, and stays."""
    t = natural("t")
    return shown(
        number(t),
        number(t) * number(t),
        at((t, 2)),
        lambda goal: goal.number(next(iter(goal.parts)), -1),
    )


@stopped_by("Goal.split: not guard.variables() <= self.scope")
def a_case_told_by_a_bound_index() -> Sides:
    def step(goal: Goal) -> None:
        goal.split(B1 - 5)
        below = goal.cases[1]
        below.rename(monomial_of(below, 1), [{-1: B1 - 10}])
        for case in goal.cases:
            emptied(case)

    return shown(over((-1, Index(5)), factors=[X(B1)]), 0, {}, step)


@stopped_by("Goal.clear: function_of(f) != INVERSE")
def any_function_cleared() -> Sides:
    x = entry("X", 0)
    return shown(x * apply("exp", x, ()), 1, {}, _clear_first)


def _clear_first(goal: Goal) -> None:
    for k, (m, _) in goal.parts.items():
        for place, f in enumerate(m.factors):
            if function_of(f) is not None:
                goal.clear(k, place)
                return


@stopped_by("Goal.clear: any((v < 0 for v in f.variables()))")
def a_denominator_that_is_another_in_each_summand() -> Sides:
    """Σ 1/X[j] = N · Σ [j = 0] 1/X[0], times X[j]."""
    n, t = size("N", 1), anything("t")
    j = position("j", 0, n)
    left = total(inverse(entry("X", j), [j]), j)
    first = put(inverse(entry("X", t), [t]), {t: Index(0)})
    right = total(equal_indices(j, 0) * first, j) * number(n)

    def step(goal: Goal) -> None:
        k = next(k for k, (m, _) in goal.parts.items() if len(m.factors) == 1)
        goal.clear(k, 0)
        k = monomial_with(goal, "X")
        goal.eliminate(k, -1, Index(0))
        k = monomial_with(goal, "X")
        factors = goal.parts[k][0].factors
        one = next(n for n, f in enumerate(factors) if function_of(f))
        goal.cancel(k, one, factors.index(X(Index(0))))
        goal.count(monomial_of(goal, 1), -1)
        emptied(goal)

    return shown(left, right, at((n, 2)), step)


@stopped_by("Goal.clear: not implied(e - 1, self.known) and (not implied(e * -1 - 1, self.known))")
def times_what_may_be_nought() -> Sides:
    """[k ≥ 1] k/k + [k = 0] = [k ≥ 1], times k."""
    k = natural("k")
    guarded = put(inverse(number(k + 1), ()), {k: k - 1}, [k - 1])
    left = guarded * number(k) + equal_indices(k, 0)

    def step(goal: Goal) -> None:
        n = monomial_with(goal, "1/#")
        goal.clear(n, [f.name for f in goal.parts[n][0].factors].index("1/#"))
        goal.split(k - 1)
        for case in goal.cases:
            emptied(case)
        (n,) = goal.cases[1].parts
        goal.cases[1].eliminate(n, k.terms[0][0], Index(0))
        (n,) = goal.cases[1].parts
        goal.cases[1].number(n, 0)

    return shown(left, indicator(k - 1), at((k, 0)), step)


# Theorems.


@stopped_by("Theorem.__init__: key is not _made_here")
def a_theorem_made_by_hand() -> Sides:
    made = Theorem(as_term(0), as_term(1), ())
    return valued(made.left, made.right, {})


@stopped_by("Rule.__init__: key is not _made_here")
def a_rule_made_by_hand() -> Sides:
    rule = Rule("lemma", Factor("X", (Index(0),)), as_term(0), ())
    return shown(entry("X", 0), 0, {}, lambda goal: goal.rewrite(0, 0, rule, {}))


def _defined(first: Term, step: Callable[[State, Index], Term] | None = None, **given: Any) -> Any:
    """A recursion with one state over 0 ≤ t < N."""
    time = given["time"] if "time" in given else position("t", 0, size("N", 1))
    state = given["state"] if "state" in given else new_state("S", [], [])
    after = state.entry(time, list(state.at)) if step is None else step(state, time)
    made = Recursion(time, [state], [first], [after])
    current().add(made)
    return made


def _by(rule: Rule, **images: Index) -> Callable[[Goal], None]:
    """A rule applied once to its factor, with the same index for all variables unless told otherwise."""

    def step(goal: Goal) -> None:
        k = monomial_with(goal, rule.left.name)
        place = [f.name for f in goal.parts[k][0].factors].index(rule.left.name)
        table = {v: images.get(index.name(v), Index(0)) for v in rule.over}
        goal.rewrite(k, place, rule, table)

    return step


@stopped_by("Rule.instance: self.registry is not index.current")
def a_theorem_of_another_registry() -> Sides:
    before, _ = _defined(as_term(5)).rules[0]
    index.start_afresh()
    state = _defined(as_term(7)).states[0]
    return shown(state.entry(0, []), 5, {}, lambda goal: goal.rewrite(0, 0, before, {}))


@stopped_by("Rule.instance: set(images) != self.over")
def another_size_for_the_size_that_there_is() -> Sides:
    """S[0] = N."""
    n = size("N", 1)
    made = _defined(number(n), time=position("t", 0, n))

    def step(goal: Goal) -> None:
        k = monomial_with(goal, made.states[0].name)
        goal.rewrite(k, 0, made.rules[0][0], {n.terms[0][0]: Index(2)})
        goal.number(monomial_with(goal, "#"), 0)

    return shown(made.states[0].entry(0, []), 2, at((n, 3)), step)


@stopped_by("Rule.instance: self.left.put(images) != factor")
def a_definition_of_something_else() -> Sides:
    made = _defined(as_term(5))
    return shown(entry("X", 0), 5, {}, lambda goal: goal.rewrite(0, 0, made.rules[0][0], {}))


@stopped_by("Rule.instance: any((v not in place.scope and (not 0 > v >= -m.bound) for v in own))")
def a_sum_catches_what_is_put() -> Sides:
    """[y ≥ N] Σ_{0 ≤ j < N} Y[j] + [y < N] Σ_{N ≤ j < 2N} Y[j − N] for every y, also for j."""
    n, y = size("N", 1), anything("y")
    state = new_state("S", [], [])
    time, j, k = position("t", 0, n), position("j", 0, n), position("k", n, n * 2)
    near, far = total(entry("Y", j), j), total(entry("Y", k - n), k)
    recursion = Recursion(time, [state], [near], [state.entry(time, [])])
    current().add(recursion)
    when = moment(n)
    either = indicator(y - n) * near + indicator(n - 1 - y) * far
    begun, going = recursion.rules[0]

    def by_hand(goal: Goal, rules: Sequence[Rule]) -> None:
        if not rules:
            goal.rewrite(monomial_with(goal, state.name), 0, begun, {})
        for rule in rules:
            for used, images in ((going, {}), (rule, {y.terms[0][0]: y})):
                k = monomial_with(goal, state.name)
                now = goal.parts[k][0].factors[0].at[0]
                times = dict.fromkeys(used.over, now - 1) if used is going else images
                goal.rewrite(k, 0, used, times)
        show_zero(goal)

    (rule,) = induction(when, [(Factor(state.name, (when,)), either)], by_hand)

    def step(goal: Goal) -> None:
        images = {v: Index(0) for v in rule.over}
        images[y.terms[0][0]] = B1
        goal.rewrite(0, 0, rule, images)
        emptied(goal)

    return shown(state.entry(0, []), 0, at((n, 2)), step)


@stopped_by("Rule.instance: not all((implied(fact.put(images), known) for fact in declared(v)))")
def a_step_before_the_start() -> Sides:
    """S[0] = 5 is not S[−1] + 1."""
    made = _defined(as_term(5), lambda s, t: number(t))
    rule, name = made.rules[0][1], made.states[0].name

    def step(goal: Goal) -> None:
        goal.rewrite(monomial_with(goal, name), 0, rule, {v: Index(-1) for v in rule.over})
        goal.number(monomial_with(goal, "#"), 0)

    return shown(made.states[0].entry(0, []), -1, {}, step)


@stopped_by("equation: not goal.closed()")
def nothing_is_done() -> Sides:
    return shown(entry("X", 0), 0, {})


@stopped_by("Recursion.__init__: not len(states) == len(first) == len(step) == len(names)")
def one_state_with_two_starts() -> Sides:
    time, state = position("t", 0, size("N", 1)), new_state("S", [], [])
    again = state.entry(time, [])
    made = Recursion(time, [state, state], [as_term(5), as_term(7)], [again, again])
    return _two_values(made.rules[0][0], made.rules[1][0], state.entry(0, []))


@stopped_by("Recursion.__init__: any((defined.get(name, True) for name in names))")
def one_state_defined_twice() -> Sides:
    made = _defined(as_term(5))
    other = _defined(as_term(7), state=made.states[0])
    return _two_values(made.rules[0][0], other.rules[0][0], made.states[0].entry(0, []))


def _two_values(one: Rule, other: Rule, of: Term) -> Sides:
    shown(of, 5, {}, _by(one))
    shown(of, 7, {}, _by(other))
    return 5, 7


@stopped_by("Recursion.__init__: time not in declared(t)")
def a_time_before_the_start() -> Sides:
    time = position("t", -1, size("N", 1))
    made = _defined(as_term(5), lambda s, t: as_term(7), time=time)
    step = _by(made.rules[0][1], t=Index(-1))
    shown(made.states[0].entry(0, []), 7, {}, step)
    shown(made.states[0].entry(0, []), 5, {}, _by(made.rules[0][0]))
    return 5, 7


@stopped_by("Recursion.__init__: t in reach([*places, *start.scope])")
def a_start_that_speaks_of_the_time() -> Sides:
    """S[0] = t for all t."""
    time = position("t", 0, size("N", 1))
    return _one_for_many(_defined(number(time), time=time), time)


@stopped_by("Recursion.__init__: not speaks - {t} - index.current.sizes <= set(places)")
def a_start_that_speaks_of_what_is_not_given() -> Sides:
    p = natural("p")
    return _one_for_many(_defined(number(p)), p)


def _one_for_many(made: Recursion, p: Index) -> Sides:
    """S[0] = p for all p: it is 0 and 1."""
    left = made.states[0].entry(0, [])
    equation(left + number(p) - number(p), number(p), lambda goal, _: _by(made.rules[0][0])(goal))
    return 0, 1


@stopped_by("Recursion.__init__: names & mentioned(start)")
def a_start_that_speaks_of_itself() -> Sides:
    """S[0] = S[0] + 1."""
    state = new_state("S", [], [])
    made = _defined(state.entry(0, []) + 1, state=state)
    return _one_more_than_itself(state.entry(0, []), made.rules[0][0])


@stopped_by(
    "Recursion.__init__: any((f.name in names and f.at[0] != time for m in after.parts for f in m.factors))"
)
def a_step_that_speaks_of_itself() -> Sides:
    """S[t + 1] = S[t + 1] + 1."""
    made = _defined(as_term(5), lambda s, t: s.entry(t + 1, []) + 1)
    return _one_more_than_itself(made.states[0].entry(1, []), made.rules[0][1])


def _one_more_than_itself(of: Term, rule: Rule) -> Sides:
    """S = [t ≥ 1] S + [t < 1] (S − 1) for all t ≥ 0, whatever S is: the second S is unfolded."""
    t = natural("t")
    more, less = indicator(t - 1), indicator(t * -1)

    def step(goal: Goal, _: Sequence[Rule]) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.factors and t * -1 in m.guards]
        goal.rewrite(k, 0, rule, dict.fromkeys(rule.over, Index(0)))
        goal.regroup([k for k, (m, _) in goal.parts.items() if m.factors], [])

    equation(of, more * of + less * (of - 1), step)
    return 1, 0


@stopped_by("Recursion.__init__: names & {n for n in mentioned(after, inside=True)}")
def a_step_that_is_a_function_of_itself() -> Sides:
    """S[1] = f(S[1]) for every function f; none if f(x) = x + 1."""
    made = _defined(as_term(5), lambda s, t: apply("f", s.entry(t + 1, []), [t]))
    left = made.states[0].entry(1, [])
    right = put(made.step[0], {made.time: Index(0)})
    equation(left, right, _once(made.rules[0][1]))
    return 0, 1


def _once(rule: Rule) -> Callable[[Goal, Sequence[Rule]], None]:
    """The rule applied to one occurrence of the state: the one with a positive coefficient, if there are two."""

    def step(goal: Goal, _: Sequence[Rule]) -> None:
        _by(rule)(goal)

    return step


@stopped_by("induction: declared(t) != (when, length - when)")
def an_induction_that_begins_before_its_start() -> Sides:
    """S[t] = 5 for −2 ≤ t ≤ N, shown from 0 on."""
    n = size("N", 1)
    made = _defined(as_term(5), time=position("t", 0, n))
    when, name = position("w", -2, n + 1), made.states[0].name
    (rule,) = induction(when, [(Factor(name, (when,)), as_term(5))], tactic)
    step = _by(rule, w=Index(-1))
    return shown(made.states[0].entry(-1, []), 5, at((n, 2)), step)


HARMLESS = {
    "position_number: v in current.sizes": (
        "the ranges of sizes are always there, and `put` and `total` refuse what one of them speaks of"
    ),
    "position_number: v >= len(current.names)": "there are no facts of what is not declared: an IndexError",
    "_contradictory: len(left) > ROWS": "a limit on time",
    "Term.__init__: len(self.parts) > MONOMIALS": "a limit on time",
    "Rewriting.spend: self._left < 0": "a limit on time",
    "as_term: type(value) is not int and (not isinstance(value, Fraction))": (
        "Fraction() takes numbers as they are and refuses everything else"
    ),
    "entry: not name": "an empty name is a name like another",
    "apply: len(set(formals)) != len(formals)": "whatever is put for a position is put in both places",
    "Rewriting._take: k not in self.parts": "a KeyError, before anything is changed",
    "Rewriting.eliminate: not {v, *image.variables()} <= self._names(m)": (
        "guards do not say what a variable is that they do not mention, but where they contradict one another"
    ),
    "Rewriting.rename: len(own) != 1": "the next conditions see a second index, and a missing one is an IndexError",
    "Rewriting.rename: not e.variables() - {own[0][0]} <= self.scope": (
        "a sum shifted by anything at all has the same value"
    ),
    "Rewriting.rename: len(names) != m.bound": "follows from the condition before it",
    "Rewriting.cancel: one == other": "nothing is what it is itself the inverse of",
    "Goal.split: self.cases": "there are more cases to show, none less",
    "Rule.instance: not fixed - index.current.sizes <= reach(place.scope)": (
        "only hypotheses fix variables, and their goals have them in scope"
    ),
    "Recursion.__init__: len({*places, t}) != len(places) + 1": (
        "an entry is still defined once; that the time is no position is checked again"
    ),
    "induction: any((t in reach([v]) for v in over))": "`put` refuses it where the start is stated",
}
"""Checks that may go without a false theorem, and why: they say earlier or more clearly what is wrong."""

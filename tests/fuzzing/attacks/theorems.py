"""Attacks on definitions, on theorems as they are used, and on induction."""

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from scanproof.proofs.interpret.terms import indicator, number, total
from scanproof.proofs.kernel import index
from scanproof.proofs.kernel.errors import KernelError, NotProved
from scanproof.proofs.kernel.index import Index, position, size
from scanproof.proofs.kernel.induction import induction
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.kernel.reduction import unfolding
from scanproof.proofs.kernel.rules import Goal, equation
from scanproof.proofs.kernel.term import Factor, Term, apply, as_term, entry
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.search.session import current
from scanproof.proofs.search.unfolding import tactic
from scanproof.proofs.search.zero import show_zero

from .making import (
    B1,
    Sides,
    at,
    by,
    defined,
    emptied,
    monomial_with,
    once,
    regrouped,
    shown,
    stopped_by,
    valued,
)


@stopped_by("Theorem.__post_init__: key is not BY_THE_KERNEL")
def a_theorem_made_by_hand() -> Sides:
    made = Theorem("equation", as_term(0), as_term(1), frozenset(), frozenset())
    return valued(cast(Term, made.left), made.right, {})


@once
def a_rule_made_by_hand() -> Sides:
    left = Factor("X", (Index(0),))
    rule = Theorem("lemma", left, as_term(0), frozenset(), frozenset())
    return shown(entry("X", 0), 0, {}, lambda goal: goal.rewrite(0, 0, rule, {}))


@stopped_by("Rewriting.rewrite: theorem.registry is not index.current")
def a_theorem_of_another_registry() -> Sides:
    before, _ = defined(as_term(5)).definitions[0]
    index.start_afresh()
    state = defined(as_term(7)).states[0]
    return shown(state.entry(0, []), 5, {}, lambda goal: goal.rewrite(0, 0, before, {}))


@stopped_by("Rewriting.rewrite: images.keys() != theorem.over")
def another_size_for_the_size_that_there_is() -> Sides:
    """S[0] = N."""
    n = size("N", 1)
    made = defined(number(n), time=position("t", 0, n))

    def step(goal: Goal) -> None:
        k = monomial_with(goal, made.states[0].name)
        goal.rewrite(k, 0, made.definitions[0][0], {n.terms[0][0]: Index(2)})
        goal.number(monomial_with(goal, "#"), 0)

    return shown(made.states[0].entry(0, []), 2, at((n, 3)), step)


@stopped_by("Rewriting.rewrite: theorem.left.substitute(images) != f")
def a_definition_of_something_else() -> Sides:
    made = defined(as_term(5))
    return shown(entry("X", 0), 5, {}, lambda goal: goal.rewrite(0, 0, made.definitions[0][0], {}))


@stopped_by("Rewriting.rewrite: not own <= self.scope.union(range(-m.bound, 0))")
def a_sum_catches_what_is_put() -> Sides:
    """[y ≥ N] Σ_{0 ≤ j < N} Y[j] + [y < N] Σ_{N ≤ j < 2N} Y[j − N] for every y, also for j."""
    n, y = size("N", 1), position("y")
    state = new_state("S", [], [])
    time, j, k = position("t", 0, n), position("j", 0, n), position("k", n, n * 2)
    near, far = total(entry("Y", j), j), total(entry("Y", k - n), k)
    recursion = Recursion(time, [state], [near], [state.entry(time, [])])
    current().add(recursion)
    when = position("t", 0, n + 1)
    either = indicator(y - n) * near + indicator(n - 1 - y) * far
    begun, going = recursion.definitions[0]

    def by_hand(goal: Goal, rules: Sequence[Theorem]) -> None:
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


@stopped_by(
    "Rewriting.rewrite: not all((implied(to[fact], rows) for v in theorem.over for fact in declared(v)))"
)
def a_step_before_the_start() -> Sides:
    """S[0] = 5 is not S[−1] + 1."""
    made = defined(as_term(5), lambda s, t: number(t))
    rule, name = made.definitions[0][1], made.states[0].name

    def step(goal: Goal) -> None:
        goal.rewrite(monomial_with(goal, name), 0, rule, {v: Index(-1) for v in rule.over})
        goal.number(monomial_with(goal, "#"), 0)

    return shown(made.states[0].entry(0, []), -1, {}, step)


@stopped_by("shown: not goal.closed()")
def nothing_is_done() -> Sides:
    return shown(entry("X", 0), 0, {})


@stopped_by("Recursion.__init__: any((known.get(s.name) != (s, None) for s in self.states))")
def one_state_defined_twice() -> Sides:
    made = defined(as_term(5))
    other = defined(as_term(7), state=made.states[0])
    return _two_values(made.definitions[0][0], other.definitions[0][0], made.states[0].entry(0, []))


def _two_values(one: Theorem, other: Theorem, of: Term) -> Sides:
    shown(of, 5, {}, by(one))
    shown(of, 7, {}, by(other))
    return 5, 7


@stopped_by("Recursion.__init__: time not in declared(t)")
def a_time_before_the_start() -> Sides:
    time = position("t", -1, size("N", 1))
    made = defined(as_term(5), lambda s, t: as_term(7), time=time)
    step = by(made.definitions[0][1], t=Index(-1))
    shown(made.states[0].entry(0, []), 7, {}, step)
    shown(made.states[0].entry(0, []), 5, {}, by(made.definitions[0][0]))
    return 5, 7


@stopped_by("Recursion.__init__: t in reach([*order[1:], *start.scope])")
def a_start_that_speaks_of_the_time() -> Sides:
    """S[0] = t for all t."""
    time = position("t", 0, size("N", 1))
    return _one_for_many(defined(number(time), time=time), time)


@stopped_by("Recursion.__init__: not spoken <= set(order)")
def a_start_that_speaks_of_what_is_not_given() -> Sides:
    p = position("p", 0)
    return _one_for_many(defined(number(p)), p)


def _one_for_many(made: Recursion, p: Index) -> Sides:
    """S[0] = p for all p: it is 0 and 1."""
    left = made.states[0].entry(0, [])
    equation(
        left + number(p) - number(p), number(p), lambda goal, _: by(made.definitions[0][0])(goal)
    )
    return 0, 1


@stopped_by("Recursion.__init__: any((f.name in orders for f in begins))")
def a_start_that_speaks_of_itself() -> Sides:
    """S[0] = S[0] + 1."""
    state = new_state("S", [], [])
    made = defined(state.entry(0, []) + 1, state=state)
    return _one_more_than_itself(state.entry(0, []), made.definitions[0][0])


@stopped_by("Recursion.__init__: any((f.at[:1] != (time,) for f in own))")
def a_step_that_speaks_of_itself() -> Sides:
    """S[t + 1] = S[t + 1] + 1."""
    made = defined(as_term(5), lambda s, t: s.entry(t + 1, []) + 1)
    return _one_more_than_itself(made.states[0].entry(1, []), made.definitions[0][1])


def _one_more_than_itself(of: Term, rule: Theorem) -> Sides:
    """S = [t ≥ 1] S + [t < 1] (S − 1) for all t ≥ 0, whatever S is: the second S is unfolded."""
    t = position("t", 0)
    more, less = indicator(t - 1), indicator(t * -1)

    def step(goal: Goal, _: Sequence[Theorem]) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.factors and t * -1 in m.guards]
        goal.rewrite(k, 0, rule, dict.fromkeys(rule.over, Index(0)))
        regrouped(goal, [k for k, (m, _) in goal.parts.items() if m.factors], [])

    equation(of, more * of + less * (of - 1), step)
    return 1, 0


@stopped_by("Rewriting.rewrite: not theorem.under <= self._allowed")
def a_hypothesis_that_is_kept() -> Sides:
    """S[t] = 5 + t is not 5, though it would be at all times if it were at some time."""
    n = size("N", 3)
    time = position("t", 0, n)
    made = defined(as_term(5), lambda s, t: s.entry(t, []) + 1, time=time)
    name, when, kept = made.states[0].name, position("t", 0, n + 1), []

    def inner(goal: Goal, rules: Sequence[Theorem]) -> None:
        if not rules:
            by(made.definitions[0][0])(goal)
        for rule in rules:
            claim = [(cast(Factor, rule.left), as_term(5))]
            kept.extend(
                induction(
                    position("t", 0, n + 1), claim, lambda g, _, known=rule: by(known)(g), [rule]
                )
            )

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


@stopped_by("induction: declared(t) != (when, length - when)")
def an_induction_that_begins_before_its_start() -> Sides:
    """S[t] = 5 for −2 ≤ t ≤ N, shown from 0 on."""
    n = size("N", 1)
    made = defined(as_term(5), time=position("t", 0, n))
    when, name = position("w", -2, n + 1), made.states[0].name
    (rule,) = induction(when, [(Factor(name, (when,)), as_term(5))], tactic)
    step = by(rule, w=Index(-1))
    return shown(made.states[0].entry(-1, []), 5, at((n, 2)), step)


@stopped_by('Registry.fresh: not whole.startswith(f"{name}\'")')
def a_state_with_the_name_of_an_array() -> Sides:
    """X[0] = 5."""
    time, state = position("t", 0, size("N", 1)), new_state("S", [], [], "X")
    made = Recursion(time, [state], [as_term(5)], [as_term(5)])
    return shown(entry("X", 0), 5, {}, by(made.definitions[0][0]))


@stopped_by("Registry.fresh: whole in self.states")
def a_state_that_is_defined_twice() -> Sides:
    """S[0] = 5, and S[0] = 7."""
    time, state = position("t", 0, size("N", 1)), new_state("S", [], [])
    first = Recursion(time, [state], [as_term(5)], [as_term(5)])
    again = new_state("S", [], [], state.name)
    second = Recursion(time, [again], [as_term(7)], [as_term(7)])
    for made, n in ((first, 5), (second, 7)):
        equation(
            state.entry(0, []), as_term(n), lambda goal, _, m=made: by(m.definitions[0][0])(goal)
        )
    return 5, 7


@stopped_by("Registry.fresh: whole in self.bodies")
def a_state_with_the_name_of_a_function() -> Sides:
    """f(X[i]) = 5 for i = 0."""
    i = position("i")
    ((m, _),) = apply("f", entry("X", i), [i]).parts.items()
    made = defined(as_term(5), state=new_state("f", [], [], m.factors[0].name))
    value = apply("f", entry("X", i), [i])
    ((m, c),) = value.parts.items()
    there = Term({m.substitute({i.terms[0][0]: Index(0)}, 0): c})
    return shown(there, 5, {}, by(made.definitions[0][0]))


@stopped_by("unfolding: known[name].name != DEFINED")
def a_function_for_a_name() -> Sides:
    """exp(X[i]) = X[i]."""
    i = position("i")
    value = apply("exp", entry("X", i), [i])
    ((m, _),) = value.parts.items()
    rule = unfolding(m.factors[0].name)
    (v,) = rule.over
    return shown(value, entry("X", i), at((i, 1)), lambda goal: goal.rewrite(0, 0, rule, {v: i}))


@stopped_by("induction: declared(position_number(time)) != (time, length - 1 - time)")
def an_induction_that_ends_early() -> Sides:
    """S[t] = 0 for S[0] = 0, S[t + 1] = 1, the step being shown nowhere."""
    n = size("N", 1)
    made = defined(as_term(0), lambda s, t: as_term(1), time=position("t", 0, n))
    when, never = position("t", 0, n + 1), position("s", 0, 0)
    return _by_induction(made, when, as_term(0), never, n)


@stopped_by("induction: position_number(time) in spoken")
def an_induction_at_a_time_that_a_claim_speaks_of() -> Sides:
    """S[t] = t (1 + p − t + 1) for S[t] = t: the step is shown for p = t only."""
    n = size("N", 2)
    made = defined(as_term(0), lambda s, t: number(t) + 1, time=position("t", 0, n))
    when, p = position("t", 0, n + 1), position("p", 0, n)
    right = number(when) * (number(p) - number(when) + 2)
    return _by_induction(made, when, right, p, n)


def _by_induction(made: Recursion, when: Index, right: Term, time: Index, n: Index) -> Sides:
    name = made.states[0].name
    (rule,) = induction(when, [(Factor(name, (when,)), right)], tactic, time=time)
    images = dict.fromkeys(rule.over, Index(1))
    left, value = entry(name, 1), Term(rule.right.parts, rule.right.scope).substitute(images)
    equation(left, value, lambda goal, _: goal.rewrite(0, 0, rule, images))
    return valued(left, value, at((n, 2)))


@stopped_by("Rewriting._inverted: not is_taken(f, rows)")
def an_inverse_where_nothing_is_divided() -> Sides:
    """X[0] = 5, all of it times T, for the inverse of a T that is 0: nobody said that T ≠ 0."""
    inverted = apply("1/", as_term(0), ())
    ((m, _),) = inverted.parts.items()

    def step(goal: Goal) -> None:
        goal.clear(monomial_with(goal, m.factors[0].name), 0)
        emptied(goal)

    return shown(entry("X", 0) + indicator(Index(-1)) * inverted, 5, {}, step)

"""Attacks that no check by itself stops; most of them got through at some time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, cast
from unittest import mock

from scanproof.proofs.interpret.terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    substitute,
    taken,
    total,
)
from scanproof.proofs.kernel import index
from scanproof.proofs.kernel.errors import KernelError, NotProved
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.induction import induction
from scanproof.proofs.kernel.recursion import Recursion, State, new_state
from scanproof.proofs.kernel.reduction import congruence
from scanproof.proofs.kernel.rules import Goal, equation
from scanproof.proofs.kernel.term import Factor, Monomial, Term, apply, as_term, entry, function_of
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.search.session import current
from scanproof.proofs.search.unfolding import tactic

from ..hostile import Values
from .making import (
    B1,
    Sides,
    X,
    Y,
    at,
    by,
    defined,
    emptied,
    monomial_of,
    monomial_with,
    once,
    over,
    product_of_inverses,
    shown,
    stopped_by,
    valued,
    zero_and_one,
)


@once
def a_free_index_put_away_where_a_guard_says_what_it_is() -> Sides:
    """[t = 0] X[t] is not X[0], which it would be without the guard."""
    n = size("N", 1)
    t = position("t", 0, n)

    def step(goal: Goal) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.guards]
        goal.one_point(k, t.terms[0][0], Index(0))
        emptied(goal)

    return shown(equal_indices(t, 0) * entry("X", t), entry("X", 0), at((n, 2), (t, 1)), step)


@once
def an_index_put_away_where_guards_contradict_one_another() -> Sides:
    """[N = 0] is 0 for N ≥ 1."""
    n = size("N", 1)

    def step(goal: Goal) -> None:
        (k,) = [k for k, (m, _) in goal.parts.items() if m.guards]
        goal.one_point(k, n.terms[0][0], Index(0))
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
def one_over_nought_made_by_hand() -> Sides:
    i = position("i", 0)
    parts = {Monomial(0, frozenset(), (Factor("1/#", (i,)),)): Fraction(1)}
    return product_of_inverses(i, Term(parts, i.variables()))


# A recursion that speaks of itself.


@once
def a_step_that_is_a_function_of_itself() -> Sides:
    """S[1] = f(S[1]) for every function f; none if f(x) = x + 1."""
    return _unfolded(defined(as_term(5), lambda s, t: apply("f", s.entry(t + 1, []), [t])))


@once
def two_offsets_that_cancel() -> Sides:
    """R[t + 1] = R[t + i − j] + 1 for i = 1 and j = 0, through an S that is a sum over j."""
    n = size("N", 2)
    p, q, i, j = position("p", 0), position("q", 0), position("i", 0, 2), position("j", 0, 2)
    later = new_state("R", [], [])
    first = total(equal_indices(j, 0) * later.entry(p + q - j, []), j)
    inner = defined(first, time=position("s", 0, n), state=new_state("S", [], [p, q])).states[0]

    def step(s: State, t: Index) -> Term:
        return total(equal_indices(i, 1) * entry(inner.name, 0, i, t), i) + 1

    return _unfolded(defined(as_term(5), step, time=position("t", 0, n), state=later))


@once
def a_position_that_moves() -> Sides:
    """S[0; p] = R[p] and S[s + 1; p] = S[s; p + 1], so S[1; p] is R[p + 1], and R[t + 1] = S[1; t] + 1."""
    n, p = size("N", 2), position("p", 0)
    later, moving = new_state("R", [], []), new_state("S", [p], [])
    step = lambda s, time: s.entry(time, [p + 1])  # noqa: E731
    inner = defined(later.entry(p, []), step, time=position("s", 0, n), state=moving).states[0]
    time = position("t", 0, n)
    after = inner.entry(1, [time]) + 1
    return _unfolded(defined(as_term(5), lambda s, t: after, time=time, state=later))


def _unfolded(made: Recursion) -> Sides:
    """S[1] = F(S[1]), said of an F without such an S."""
    right = substitute(made.step[0], {made.time: Index(0)})
    equation(made.states[0].entry(1, []), right, lambda goal, _: by(made.definitions[0][1])(goal))
    return 0, 1


# Two things with one name.


@once
def a_state_with_the_name_of_a_function() -> Sides:
    """S[0] = 0, and S[0] is 1/X[0]."""
    t = position("t", 0)
    made = defined(as_term(0), state=new_state("1/", [], []))
    inverted = substitute(inverse(entry("X", t), [t]), {t: Index(0)})
    ((m, _),) = inverted.parts.items()
    if m.factors[0].name != made.states[0].name:
        raise NotProved("they have different names")
    return shown(inverted, 0, {}, by(made.definitions[0][0]))


@once
def a_function_read_at_too_few_positions() -> Sides:
    """c · Σ X[j] = Σ 1, and c · Σ X[j]² = Σ X[j]: c is 1/X[j] for every j."""
    n, t = size("N", 1), position("t")
    wrong = Factor("1/'0")
    inverse(entry("X", t), [t])
    c = entry(wrong.name)
    j = position("j", 0, n)
    once, twice = total(entry("X", j), j), total(entry("X", j) * entry("X", j), j)

    def cancelled(goal: Goal) -> None:
        k = monomial_with(goal, wrong.name)
        factors = goal.parts[k][0].factors
        goal.cancel(k, factors.index(wrong), factors.index(X(B1)))

    equation(once * c, total(as_term(1), j), lambda goal, _: cancelled(goal))
    equation(twice * c, once, lambda goal, _: cancelled(goal))
    values, place = Values(), at((n, 2))
    return 2 / values.value(once, place), values.value(once, place) / values.value(twice, place)


# What is declared or made by hand.


@once
def a_range_that_ends_beyond_itself() -> Sides:
    """i < 2 i is i ≥ 1: Σ_i 1 − Σ_{i ≥ 2} 1."""
    i = position("i", 0, variable(len(index.current.names)) * 2)
    return zero_and_one(total(indicator(i + 1), i) - total(indicator(i - 2), i), apart=1)


@once
def a_size_that_is_larger_than_an_index() -> Sides:
    """[N ≥ p + 1] is 1 for all p where N ≥ p + 1 is declared, and 0 at p = N."""
    wrong: Any = position("p", 0)
    n = size("N", wrong + 1)
    time = position("t", 0, n)
    made = defined(indicator(n - 1 - wrong), state=new_state("S", [], [wrong]), time=time)
    state, when = made.states[0], position("t", 0, n + 1)
    claim = [(Factor(state.name, (when, wrong)), as_term(1))]
    (lemma,) = induction(when, claim, tactic)
    left = entry(state.name, 0, n)
    return shown(left, 1, at((n, 2)), by(lemma, p=n))


@once
def less_than_no_bound_index() -> Sides:
    """One, as a sum over −1 indices: it lets go of the index of another sum."""
    j = position("j", 0, 3)
    one = Term({Monomial(-1, frozenset(), ()): Fraction(1)})
    loose = total(entry("X", j), j) * one
    both = loose * over((-1, Index(3)), factors=[Y(B1)])
    return valued(both, total(entry("X", j), j) * over((-1, Index(3)), factors=[Y(B1)]), {})


# What a tactic does besides.


@once
def claims_exchanged_for_others() -> Sides:
    """S[t] = 5 is shown, and then the list says 7."""
    n = size("N", 1)
    made = defined(as_term(5), time=position("t", 0, n))
    when = position("t", 0, n + 1)
    left = Factor(made.states[0].name, (when,))
    claims = [(left, as_term(5))]

    def exchanging(goal: Goal, rules: Sequence[Theorem]) -> None:
        tactic(goal, rules)
        claims[0] = left, as_term(7)

    (lemma,) = induction(when, claims, exchanging)
    return valued(made.states[0].entry(0, []), lemma.right, {})


@once
def what_is_known_of_another_index_by_the_same_number() -> Sides:
    """[t ≥ 0] = 1 for a t ≥ 0; then t is any number."""
    t = position("t", 0)

    def step(goal: Goal) -> None:
        emptied(goal)
        index.start_afresh()
        position("t")

    return shown(indicator(t), 1, at((t, -1)), step)


@once
def a_hypothesis_by_another_name() -> Sides:
    """S[t] = 5 + t, and S[t] = 5 if it is called a lemma."""
    n = size("N", 3)
    made = defined(as_term(5), lambda s, t: s.entry(t, []) + 1, time=position("t", 0, n))
    kept: list[Theorem] = []

    def inner(goal: Goal, rules: Sequence[Theorem]) -> None:
        for rule in rules:
            with suppress(AttributeError):
                rule.name = "lemma"  # type: ignore[misc]
            claim = [(cast(Factor, rule.left), as_term(5))]
            kept.extend(
                induction(position("t", 0, n + 1), claim, lambda g, _, known=rule: by(known)(g))
            )
        by(made.definitions[0][0])(goal)

    when = position("t", 0, n + 1)
    with suppress(KernelError):
        induction(when, [(Factor(made.states[0].name, (when,)), as_term(5))], inner)
    if not kept:
        raise NotProved("nothing is kept")
    return 5, 6


@once
def a_side_that_is_changed_afterwards() -> Sides:
    left, right = entry("X", 0), entry("X", 0)
    changing: Any = left

    def step(goal: Goal) -> None:
        with suppress(AttributeError, TypeError, KernelError):
            changing.parts.clear()
        with suppress(AttributeError, TypeError, KernelError):
            changing.parts = {}

    return shown(left, right, {}, step)


@once
def a_step_within_a_step() -> Sides:
    """X + [a ≥ 0] X − [a ≥ −1] X is X: while the first X is regrouped the second becomes one more of it."""
    a, x = position("a", 0), entry("X", 0)

    def step(goal: Goal) -> None:
        guarded = {m.guards: k for k, (m, _) in goal.parts.items()}
        k, other = guarded[frozenset()], guarded[frozenset([a])]

        def guards() -> Iterator[Index]:
            goal.regroup(other, [((), 1)])
            yield from ()

        goal.regroup(k, [(guards(), 1)])
        emptied(goal)

    return shown(x + indicator(a) * x - indicator(a + 1) * x, 0, at((a, 1)), step)


@once
def a_step_that_breaks_off() -> Sides:
    """1/3 is taken away, and an alarm, or Python's recursion limit, comes before it is there as a number."""

    def step(goal: Goal) -> None:
        with (
            mock.patch.object(type(goal), "_sum", side_effect=TimeoutError),
            suppress(TimeoutError),
        ):
            goal.number(0, 0)

    return shown(inverse(as_term(3), ()), 0, {}, step)


@stopped_by("check: odd and name not in known.states and (name not in known.bodies)")
def an_array_with_the_name_of_a_state_to_come() -> Sides:
    """X[0] = 5 for any array X, if X is called what a state is going to be called."""
    own = entry("S'0", 0)
    made = defined(as_term(5))
    equation(own, as_term(5), lambda goal, _: by(made.definitions[0][0])(goal))
    return 5, 7


@once
def a_time_that_is_guessed() -> Sides:
    """A claim speaks of the variable that induction is about to declare for its time: S[u + 1] = 5 by S[u + 1] = 5."""
    n = size("N", 2)
    made = defined(as_term(5), lambda s, t: equal_indices(t, 0) + 5, time=position("t", 0, n))
    (begin, go), name = made.definitions[0], made.states[0].name
    when, coming = position("t", 0, n + 1), len(index.current.names)
    right = Term(as_term(5).parts, [coming, n.terms[0][0]])

    def by_hand(goal: Goal, rules: Sequence[Theorem]) -> None:
        u = variable(coming)
        if not rules:
            return by(begin)(goal)
        goal.split(n - 2 - u)
        early, late = goal.cases
        k = monomial_with(early, name)
        early.rewrite(k, 0, rules[0], {coming: u + 1})
        k = monomial_with(late, name)
        late.rewrite(k, 0, go, {made.time.terms[0][0]: u})
        return emptied(late)

    (lemma,) = induction(when, [(Factor(name, (when,)), right)], by_hand)
    one = Index(1)
    step = by(lemma, **{index.name(v): one for v in when.variables()})
    return shown(entry(name, 1), 5, at((n, 2)), step)


@once
def states_that_are_looked_at_once() -> Sides:
    """S[0] = 5 and S[0] = 7, said of an iterator."""
    time, state = position("t", 0, size("N", 1)), new_state("S", [], [])
    numbers = as_term(5), as_term(7)
    both = [Recursion(time, _iterated(state), [one], [one]) for one in numbers]
    for made, one in zip(both, numbers, strict=True):
        equation(
            state.entry(0, []), one, lambda goal, _, made=made: by(made.definitions[0][0])(goal)
        )
    return numbers


def _iterated(state: State) -> Any:
    return iter([state])


@once
def a_state_within_a_state() -> Sides:
    """While S is given its positions another state takes its name, S[0] = 5; then S[0] = 7."""
    made: list[Recursion] = []

    def positions() -> Iterator[Index]:
        made.append(defined(as_term(5)))
        yield from ()

    positions_: Any = positions()
    other = defined(as_term(7), state=new_state("S", positions_, []))
    return (5, 7) if made[0].states[0].name == other.states[0].name else (5, 5)


@once
def claims_that_are_lists() -> Sides:
    """S[t] = 5 is shown, and then the claim itself says 7."""
    n = size("N", 1)
    made = defined(as_term(5), time=position("t", 0, n))
    when = position("t", 0, n + 1)
    claim: Any = [Factor(made.states[0].name, (when,)), as_term(5)]

    def exchanging(goal: Goal, rules: Sequence[Theorem]) -> None:
        tactic(goal, rules)
        claim[1] = as_term(7)

    (lemma,) = induction(when, [claim], exchanging)
    return valued(made.states[0].entry(0, []), lemma.right, {})


@once
def a_term_of_another_registry() -> Sides:
    """S[0] = R[1], made where R was a state; here it becomes one later, with R[t + 1] = S[0] + 1."""
    new_state("Q", [], [])
    ahead = new_state("R", [], []).entry(1, [])
    index.start_afresh()
    current().recursions.clear()
    begun = defined(ahead).states[0]
    time, later = position("t", 0, size("N", 2)), new_state("R", [], [])
    after = begun.entry(0, []) + 1
    return _unfolded(defined(as_term(5), lambda s, t: after, time=time, state=later))


def _in_a_case_that_is_none(step: Callable[[Goal], None], term: Term, q: Index) -> Term:
    """What a goal becomes where q ≤ 0 for a q ≥ 1; there anything goes."""
    goal = Goal(term + entry("Q", q) - entry("Q", q))
    goal.split(q * -1)
    case = goal.cases[0]
    step(case)
    return case.term()


@once
def an_index_put_away_that_is_not_there() -> Sides:
    """The index of a sum is taken for the second of one: it is nobody's then, and another sum catches it."""
    q = position("q", 1)
    first = over((-1, Index(3)), factors=[X(B1)])
    loose = _in_a_case_that_is_none(lambda goal: goal.one_point(0, -2, q), first, q)
    return valued(loose, loose, {}) if all(m.bound for m in loose.parts) else (0, 1)


@once
def an_index_renamed_by_what_is_not_there() -> Sides:
    """A shift by an index of nothing: after the index of the sum is put away, the sum speaks of it."""
    q, u = position("q", 1), position("u", 0)
    first = over((-1, Index(3)), factors=[X(B1)])

    def step(goal: Goal) -> None:
        goal.rename(monomial_of(goal, 1), [{-1: B1 - u}])
        goal.one_point(monomial_of(goal, 1), -1, q)

    made = _in_a_case_that_is_none(step, first, q)
    spoken = {v for m in made.parts for v in m.variables()}
    return (0, 0) if spoken <= made.scope else (0, 1)


@once
def a_sum_without_end_from_one_with_ends() -> Sides:
    """A free index that ends a sum is put away for the sum's own."""
    q = position("q", 1)
    fences = frozenset([q - B1, B1])
    first = Term({Monomial(1, fences, (X(B1),)): Fraction(1)}, q.variables())
    made = _in_a_case_that_is_none(
        lambda goal: goal.one_point(monomial_of(goal, 1), q.terms[0][0], B1), first, q
    )
    return (0, 1) if any(len(m.guards) < 2 for m in made.parts) else (0, 0)


@once
def conditions_that_are_forgotten() -> Sides:
    """x · (1/x) = 1 without saying x ≠ 0."""
    x = entry("X", 0)

    def step(goal: Goal) -> None:
        k = monomial_with(goal, "X")
        place = [f.name for f in goal.parts[k][0].factors].index("X")
        goal.cancel(k, 1 - place, place)
        forgetting: Any = goal.used
        with suppress(AttributeError):
            forgetting.clear()

    made = equation(x * inverse(x, ()), as_term(1), lambda goal, _: step(goal))
    return (0, 0) if made.used else (0, 1)


@once
def a_time_that_is_guessed_in_a_place() -> Sides:
    """The claim's own place is the variable that induction is about to declare: S[u + 1; u] is no S[w; u]."""
    n, p = size("N", 2), position("p", 0)
    time, state = position("s", 0, n), new_state("S", [], [p])
    first = as_term(5) + entry("X", p) * 0
    step = as_term(6) - equal_indices(time, p)
    begin, go = Recursion(time, [state], [first], [step]).definitions[0]
    when, coming = position("w", 0, n + 1), variable(len(index.current.names))
    ours = p.terms[0][0]

    def by_hand(goal: Goal, rules: Sequence[Theorem]) -> None:
        k = monomial_with(goal, state.name)
        if rules:
            goal.rewrite(k, 0, go, {ours: coming, time.terms[0][0]: coming})
            emptied(goal)
        else:
            goal.rewrite(k, 0, begin, {ours: coming})

    (lemma,) = induction(when, [(Factor(state.name, (when, coming)), as_term(5))], by_hand)
    images = dict.fromkeys(lemma.over, Index(1))
    used = equation(
        entry(state.name, 1, 1), as_term(5), lambda goal, _: goal.rewrite(0, 0, lemma, images)
    )
    return (5, 6) if used else (0, 0)


@once
def a_function_of_a_term_of_another_registry() -> Sides:
    """S[0] = 1/R[1], made where R was a state; R becomes one later, with R[t + 1] = −S[0]: R[1]² is −1."""
    for _ in range(3):
        new_state("Q", [], [])
    ahead = new_state("R", [], []).entry(1, [])
    index.start_afresh()
    current().recursions.clear()
    begun = defined(apply("1/", ahead, ())).states[0]
    new_state("V", [], [])
    time, later = position("t", 0, size("N", 2)), new_state("R", [], [])
    defined(as_term(5), lambda s, t: begun.entry(0, []) * -1, time=time, state=later)
    return (
        (1, -1) if f"{later.name}" in {f.name for m in ahead.parts for f in m.factors} else (0, 0)
    )


@once
def a_function_at_another_place_than_the_hypothesis() -> Sides:
    """exp([t ≥ c] X + S[t]) = exp(0) for S[t] = 0 and t < c; so it is not for c = 0."""
    c, t, u = position("c", 0), position("t", 0), position("u", 0)
    state, sums = new_state("S", [], []), new_state("Q", [], [])
    first = Recursion(t, [state], [as_term(0)], [state.entry(t, [])])
    inside = indicator(u - c) * entry("X") + state.entry(u, [])
    ((m, _),) = apply("exp", inside, [u, c]).parts.items()
    name = m.factors[0].name
    more = entry(name, u, 0) - apply("exp", as_term(0), [])
    second = Recursion(u, [sums], [as_term(0)], [sums.entry(u, []) + more])
    when = position("w", 0, c + 1)

    def by_hand(goal: Goal, rules: Sequence[Theorem]) -> None:
        spoken = {g.name for m, _ in goal.parts.values() for g in m.factors}
        of = state.name if state.name in spoken else sums.name
        begin, go = (first if of == state.name else second).definitions[0]
        if not rules:
            return by(begin)(goal)
        now = cast(Factor, rules[0].left).at[0]
        by(go, t=now, u=now)(goal)
        if of == sums.name:

            def search(work: Any) -> None:
                emptied(work)
                by(rules[0])(work)

            by(congruence(Factor(name, (now, c)), search, rules), t=now)(goal)
        return by(rules[of == sums.name])(goal)

    claims = [(Factor(one.name, (when,)), as_term(0)) for one in (state, sums)]
    _, lemma = induction(when, claims, by_hand)
    return shown(sums.entry(1, []), 0, {}, by(lemma, w=Index(1), c=Index(1)))


@once
def an_inverse_that_a_false_hypothesis_takes() -> Sides:
    """S[0] = 0 and S[1] = 1. That 1/(t X − X + S[t]) is taken does not let one take 1/(t X − X) at t = 1."""
    n = size("N", 2)
    time = position("t", 0, n)
    made = defined(as_term(0), lambda s, t: as_term(1), time=time)
    state, when, p = made.states[0], position("w", 0, n + 1), position("p")

    def vanishing(at: Index) -> Term:
        return number(at) * entry("X") - entry("X")

    ((m, _),) = taken("1/", vanishing(p) + state.entry(p, []), [p]).parts.items()

    def by_hand(goal: Goal, rules: Sequence[Theorem]) -> None:
        for rule in rules:
            left = Factor(m.factors[0].name, (cast(Factor, rule.left).at[0],))
            congruence(left, by(rule), rules)  # type: ignore[arg-type]
        by(made.definitions[0][0])(goal)

    with suppress(KernelError, LookupError):
        induction(when, [(Factor(state.name, (when,)), as_term(0))], by_hand)
    ((m, _),) = apply("1/", vanishing(time), [time]).parts.items()
    inverted = entry(m.factors[0].name, 1)

    def step(goal: Goal) -> None:
        goal.clear(monomial_with(goal, m.factors[0].name), 0)
        while any(f.name == "#" for n, _ in goal.parts.values() for f in n.factors):
            k = monomial_with(goal, "#")
            goal.number(k, [f.name for f in goal.parts[k][0].factors].index("#"))
        emptied(goal)

    return shown(entry("Y") + indicator(Index(-1)) * inverted, 5, {}, step)

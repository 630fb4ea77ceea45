"""Using the definitions of states: at constant times, and once in the step of an induction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..kernel import index as declarations
from ..kernel.index import Index, variable
from ..kernel.induction import induction
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, Rewriting
from ..kernel.term import Factor, Term
from ..kernel.theorem import HYPOTHESIS, Theorem
from .congruences import inside
from .factors import splitting
from .normal import tidy
from .session import Lemma, Proving, current
from .steps import Step, rewriting
from .zero import show_zero

DEEP = 8
"""States are unfolded down to the start from constant times up to this."""


def tactic(goal: Goal, rules: Sequence[Theorem]) -> None:
    """Show a goal by normal form; rules are used wherever they apply.

    In the step of an induction the states that stand at the next time are unfolded first.
    """
    hypotheses = [rule for rule in rules if rule.name == HYPOTHESIS]
    times = {v for rule in hypotheses for v in cast(Factor, rule.left).at[0].variables()}
    _show(goal, rules, times if hypotheses else None)


def by_induction(
    when: Index, claims: Sequence[tuple[Factor, Term]], rules: Sequence[Theorem] = ()
) -> Lemma:
    """factor = term for every value of `when`, all claims together; a lemma from now on.

    Raises:
        KernelError: if the start or the step is not shown.
    """
    made = induction(when, claims, tactic, rules)
    lemma = Lemma(when, list(claims), made)
    current().inductions.append(lemma)
    current().lemmas += made
    return lemma


def _in_two(when: Index, factor: Factor, right: Term) -> Theorem:
    """A product is two: induction over the length of the second, of which one factor is taken."""
    session = current()

    def peeled(goal: Goal, rules: Sequence[Theorem]) -> None:
        for k, (m, _) in list(goal.parts.items()):
            for f in m.factors:
                if f.name == factor.name and f.at[0].const > 0:
                    rewriting([session.definition(f.name)[1]], only=f)(goal, k)
        show_zero(goal, [at_constant_times(session), rewriting(rules)])

    (rule,) = induction(when, [(factor, right)], peeled)
    return rule


def aligning(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that speaks of one state at neighbouring times: the later ones are unfolded."""
    _show(goal, rules, None, later_ones(current()))


def peeling(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that sums over a state's times: what is summed is unfolded once."""
    _show(goal, rules, set())


def stepping(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal about the last of a state's times: it is unfolded once there."""
    _show(goal, rules, set(declarations.current.sizes))


def _show(goal: Goal, rules: Sequence[Theorem], times: set[int] | None, *more: Step) -> None:
    """Normal form, by these steps besides; states at `times`, if there are any to name, are unfolded once before."""
    also = [at_constant_times(current()), splitting(current(), _in_two), *more]
    if rules:
        also.append(rewriting(rules, divide=True))
    also.append(inside(rules))
    tidy(goal)
    if times is not None:
        unfold_once(goal, current(), times)
    show_zero(goal, also)


def later_ones(session: Proving) -> Step:
    """Of S[e + 2] and S[e] the first is unfolded; of S[L] and R[L − 1], too, where no bound index is in the time."""

    def place(f: Factor) -> tuple[tuple, int]:
        """What makes two states comparable, and when it stands."""
        end = f.at[0] + f.at[1] if f.name in session.ranged else f.at[0]
        terms = tuple(sorted((max(v, 0), c) for v, c in end.terms))
        named = session.is_product(f.name) or any(v == 0 for v, _ in terms)
        return (f.name if named else "", terms), end.const

    def step(work: Rewriting, k: int) -> bool:
        own = [f for f in work.parts[k][0].factors if f.name in session.recursions]
        if not own or not isinstance(work, Goal):
            return False
        first: dict[tuple, int] = {}
        for m, _ in work.parts.values():
            for f in m.factors:
                if f.name in session.recursions:
                    key, when = place(f)
                    first[key] = min(first.get(key, when), when)
        for f in own:
            key, when = place(f)
            if when > first[key] and _unfold(work, k, f, session):
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


def unfold_once(goal: Goal, session: Proving, times: set[int]) -> None:
    """Every state of the goal that stands at a time to come, by its definition: the start at 0, the step after that.

    If none but the one in question does, those are taken whose time is summed over.
    """

    def moves(f: Factor) -> bool:
        last = f.at[: 2 if f.name in session.ranged else 1]
        return any(times & e.variables() for e in last)

    states = [
        (k, [f for f in m.factors if f.name in session.recursions])
        for k, (m, _) in goal.parts.items()
    ]
    waiting = [(k, [f for f in factors if moves(f)]) for k, factors in states]
    if len({f.name for _, factors in waiting for f in factors}) < 2:
        summed = [
            (k, [f for f in factors if any(v < 0 for v in f.at[0].variables())])
            for k, factors in states
        ]
        waiting = [(k, [*one, *more]) for (k, one), (_, more) in zip(waiting, summed, strict=True)]
    while waiting:
        k, factors = waiting.pop()
        if k not in goal.parts or not factors:
            continue
        f, rest = factors[0], factors[1:]
        before = set(goal.parts)
        if f not in goal.parts[k][0].factors or not _unfold(goal, k, f, session):
            waiting.append((k, rest))
            continue
        for n in goal.parts:
            if n not in before:  # where the definition does not yet apply the state is still there
                stays = f in goal.parts[n][0].factors
                waiting.append((n, factors if stays else rest))


def _unfold(goal: Goal, k: int, f: Factor, session: Proving) -> bool:
    """One step with one state, or with the sum that it is in."""
    if not f.at[0].terms:
        return False
    if rewriting([session.definition(f.name)[1]], divide=True, only=f)(goal, k):
        return True
    m, _ = goal.parts[k]
    if implied(f.at[0] * -1, [*goal.known, *m.guards]):  # nothing is left but the start
        for v, c in f.at[0].terms:
            if v < 0 and abs(c) == 1:
                goal.one_point(k, v, variable(v) - f.at[0] * c)
                return True
    return False

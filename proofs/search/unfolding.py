"""Using the definitions of states: at constant times, and once in the step of an induction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import gcd
from typing import cast

from ..kernel import index as declarations
from ..kernel.index import Index, variable
from ..kernel.induction import induction
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, Rewriting, Tactic
from ..kernel.term import INVERSE_NUMBER, Factor, Term, body, function_of
from ..kernel.theorem import HYPOTHESIS, Theorem
from .congruences import inside
from .factors import splitting
from .normal import tidy
from .session import Lemma, Proving, current, spoken_of
from .sigmoids import to_one_degree
from .steps import DEEP, Step, at_constant_times, rewriting
from .zero import show_zero


def tactic(goal: Goal, rules: Sequence[Theorem]) -> None:
    """Show a goal by normal form; rules are used wherever they apply.

    In the step of an induction the states that stand at the next time are unfolded first.
    """
    _show(goal, rules, _times(rules))


def _times(rules: Sequence[Theorem]) -> set[int] | None:
    """The times that the hypotheses of an induction speak of, if there are any."""
    hypotheses = [rule for rule in rules if rule.name == HYPOTHESIS]
    times = {v for rule in hypotheses for v in cast(Factor, rule.left).at[0].variables()}
    return times if hypotheses else None


def by_induction(
    when: Index,
    claims: Sequence[tuple[Factor, Term]],
    rules: Sequence[Theorem] = (),
    by: Tactic | None = None,
) -> Lemma:
    """factor = term for every value of `when`, all claims together; a lemma from now on.

    The start and the step are shown by `tactic`, or another one.

    Raises:
        KernelError: if the start or the step is not shown.
    """
    made = induction(when, claims, by or tactic, rules)
    lemma = Lemma(when, list(claims), made)
    current().inductions.append(lemma)
    current().lemmas += made
    return lemma


def stepwise(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The tactic of an induction in whose step a state takes several."""
    _show(goal, rules, _times(rules), later_ones(current()))


def aligning(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that speaks of one state at neighbouring times: the later ones are unfolded."""
    _show(goal, rules, None, later_ones(current()))


def unrolling(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal about a state at every n-th time: it is unfolded n times there."""
    _show(goal, rules, None, _down_to_multiples(current()))


def peeling(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that sums over a state's times: what is summed is unfolded once."""
    _show(goal, rules, set())


def spelling(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that sums over a few places, a number of them: its terms are spelled out."""
    closing(goal, rules, _spelled)


def _spelled(work: Rewriting, k: int) -> bool:
    """Σ_{e ≤ i < e + 4} F(i) = F(e) + Σ_{e < i < e + 4} F(i)."""
    m, _ = work.parts[k]
    for v in range(-1, -m.bound - 1, -1):
        lows, highs = ([g for g in sorted(m.guards) if g.coefficient(v) == c] for c in (1, -1))
        for low, width in ((low, low + high) for low in lows for high in highs):
            if not width.terms and 0 < width.const < DEEP:
                work.regroup(k, [(m.guards | {-low}, 1), (m.guards | {low - 1}, 1)])
                return True
    return False


def stepping(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal about the last of a state's times: it is unfolded once there."""
    _show(goal, rules, set(declarations.current.sizes))


def parting(goal: Goal, rules: Sequence[Theorem]) -> None:
    """The same for a goal that sums what turns wrote up to some time: that of the last turn is unfolded.

    So is the last factor of products that reach beyond this time.
    """
    session = current()
    tidy(goal)
    every = [f for m, _ in goal.parts.values() for f in m.factors if f.name in session.recursions]
    times = {
        f.at[0] for f in every if f.name not in session.kept and not session.is_product(f.name)
    }
    free = {v for m, _ in goal.parts.values() for v in m.variables() if v > 0}
    times |= {variable(v) for v in free - declarations.current.sizes}
    _part_last(goal, session, times)
    closing(goal, rules, _of_now(session, times))


def _part_last(goal: Goal, session: Proving, times: Collection[Index]) -> None:
    """Σ_{i ≤ t} of entries that turn i writes: that of t apart from those that were there before."""
    if not session.kept:
        return
    for k, (m, _) in list(goal.parts.items()):
        written = {e for f in m.factors if f.name in session.kept for e in _written(f)}
        ends = (g for g in sorted(m.guards) for end in written if _up_to(g, end) in times)
        g = next(ends, None)
        if g is not None and k in goal.parts:
            goal.regroup(k, [(m.guards | {g - 1}, 1), (m.guards | {-g}, 1)])
    tidy(goal)


def _written(f: Factor) -> list[Index]:
    """The turn that wrote an entry, and the place that it wrote: a loop may begin with the second row."""
    turn = f.at[0] - 1
    return [turn, *(e for e in f.at[1:] if e != turn and not (e - turn).terms)]


def _up_to(guard: Index, end: Index) -> Index:
    """The largest that `end` can be, by a guard of the bound index in it; itself if that does not say it."""
    bound = [v for v in guard.variables() if v < 0]
    if len(bound) == 1:
        (v,) = bound
        c = guard.coefficient(v)
        if abs(c) == 1 and c * end.coefficient(v) < 0:
            return end.substitute({v: variable(v) - guard * c})
    return end


def _show(goal: Goal, rules: Sequence[Theorem], times: set[int] | None, *more: Step) -> None:
    """Normal form, by these steps besides; states at `times`, if there are any to name, are unfolded once before."""
    tidy(goal)
    if times is not None:
        nows = [*map(variable, times)]
        _part_last(goal, current(), nows)
        unfold_once(goal, current(), times)
        more = (*more, _of_now(current(), nows)) if current().kept else more
    closing(goal, rules, *more)


def _of_now(session: Proving, times: Collection[Index]) -> Step:
    """What the turn in question writes, or the next, is unfolded once a case says which it is; so are products."""

    def now(f: Factor, work: Rewriting) -> bool:
        if f.name in session.ranged:
            return f.at[0] + f.at[1] - 1 in times
        if f.name not in session.kept or not f.at[0].terms or min(f.at[0].variables()) < 0:
            return False
        gaps = [e - after - t for e in _written(f) for t in times for after in (0, 1)]
        return any(implied(g, work.known) and implied(-g, work.known) for g in gaps)

    def step(work: Rewriting, k: int) -> bool:
        return isinstance(work, Goal) and any(
            now(f, work) and unfold(work, k, f, session) for f in work.parts[k][0].factors
        )

    return step


def closing(goal: Goal, rules: Sequence[Theorem], *more: Step) -> None:
    """Show a goal by normal form and these rules, with no state unfolded but at constant times."""
    also = [at_constant_times(current()), splitting(current()), *more]
    if rules:
        also.append(rewriting(rules, divide=True))
    also += [inside(rules), to_one_degree]
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
            for f in states_in(m.factors, m.bound, session):
                key, when = place(f)
                first[key] = min(first.get(key, when), when)
        for f in own:
            key, when = place(f)
            if when > first[key] and unfold(work, k, f, session):
                return True
        return False

    return step


def _down_to_multiples(session: Proving) -> Step:
    """S[4 i + 4], S[4 i + 3] and so on are unfolded, down to S[4 i]."""

    def step(work: Rewriting, k: int) -> bool:
        for f in work.parts[k][0].factors:
            if f.name in session.recursions and f.name not in session.ranged:
                n = gcd(*(c for _, c in f.at[0].terms))
                late = 1 < n <= DEEP and 0 < f.at[0].const <= DEEP
                if late and isinstance(work, Goal) and unfold(work, k, f, session):
                    return True
        return False

    return step


def states_in(factors: Iterable[Factor], bound: int, session: Proving) -> Iterator[Factor]:
    """The entries of states among factors, and in what functions among them are taken of."""
    for f in factors:
        if f.name in session.recursions:
            yield f
        elif function_of(f) is not None and f.name != INVERSE_NUMBER and spoken_of(f.name, session):
            inside = body(f, bound)
            yield from (g for m, _ in inside for g in states_in(m.factors, m.bound, session))


def unfold_once(goal: Goal, session: Proving, times: set[int]) -> None:
    """Every state of the goal that stands at a time to come, by its definition: the start at 0, the step after that.

    If none but the one in question does, those are taken whose time is summed over.
    """

    def summed(f: Factor) -> bool:
        return any(v < 0 for v in f.at[0].variables())

    def moves(f: Factor) -> bool:
        last = f.at[: 2 if f.name in session.ranged else 1]
        return any(times & e.variables() for e in last) and not (
            summed(f) and f.name in session.kept
        )

    states = [
        (k, [f for f in m.factors if f.name in session.recursions])
        for k, (m, _) in goal.parts.items()
    ]
    waiting = [(k, [f for f in factors if moves(f)]) for k, factors in states]
    kept = session.kept if times else {}
    if len({f.name for _, factors in waiting for f in factors}) < 2:
        waiting = [
            (k, [*one, *(f for f in factors if f.name not in kept and summed(f))])
            for (k, one), (_, factors) in zip(waiting, states, strict=True)
        ]
    while waiting:
        k, factors = waiting.pop()
        if k not in goal.parts or not factors:
            continue
        f, rest = factors[0], factors[1:]
        before = set(goal.parts)
        if f not in goal.parts[k][0].factors or not unfold(goal, k, f, session):
            waiting.append((k, rest))
            continue
        for n in goal.parts:
            if n not in before:  # where the definition does not yet apply the state is still there
                stays = f in goal.parts[n][0].factors
                waiting.append((n, factors if stays else rest))


def unfold(goal: Goal, k: int, f: Factor, session: Proving) -> bool:
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

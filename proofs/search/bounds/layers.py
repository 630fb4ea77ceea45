"""Bounds by induction on layers: at time 0, and from each time to the next, all together.

A bound says something of a state's entries at one time, say the last; the guess is that it holds at every time, with
that time for the last one on the right too. What it says at a time τ bounds the states that stand in the step, and so
the right side is a recurrence that the left side's norm does not outrun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...inequalities.certificate import Images, Side
from ...inequalities.certificate import Timed as Claimed
from ...interpret.session import Session
from ...kernel import index as declarations
from ...kernel.errors import KernelError
from ...kernel.index import Index, declared, facts, position, variable
from ...kernel.rules import Rewriting
from ...kernel.term import NUMBER, Factor, Monomial, Term, made
from ..normal import tidy
from ..session import current
from ..steps import Step, rewriting
from ..unfolding import at_constant_times
from .context import Context
from .facts import within
from .problems import Goal


@dataclass(frozen=True)
class Timed:
    """A bound at any time."""

    goal: Goal
    """It, at the time `when`."""
    when: Index
    length: Index | None
    """The last time, if there is one."""
    end: Index | None = None
    """The time that it is needed for, if it is."""
    free: tuple[Index, ...] = ()
    """Positions that stay the same from one time to the next, and of which it holds, too, whatever they are."""

    def at(self, time: Index) -> Goal:
        """The goal at a time."""
        one, images = self.goal, {self.when.terms[0][0]: time}
        return one._replace(left=one.left.substitute(images), right=one.right.substitute(images))

    @property
    def back(self) -> Images:
        """The time that it is needed for."""
        return () if self.end is None else ((self.when.terms[0][0], self.end),)

    @property
    def claimed(self) -> Claimed:
        """The goal as the certificate's induction claims it."""
        return Claimed(self.when.terms[0][0], self.goal.statement)


def timed(goal: Goal, session: Session) -> Timed | None:
    """The bound at any time of the states on its left side; None if it is about no one time.

    Put back, the time makes it the bound that it was, and is in range.
    """
    one = goal
    found = {
        f.at[0]: f
        for m in one.left.parts
        for f in m.factors
        if f.name in session.recursions and not session.is_product(f.name)
    }
    if len(found) != 1:
        return None
    ((end, f),) = found.items()
    if len(end.terms) != 1 or end.terms[0][1] != 1:
        return None
    length = _length(f, session)
    if length is None:
        return None
    ((v, _),) = end.terms
    when = position("t", 0, length + 1)
    image = when - end.const
    if v in declarations.current.sizes:
        left = _with_time(one.left, v, image, session)
        right = _with_time(one.right, v, image, session, ends=True)
        at = one.at
    else:
        left, right = one.left.substitute({v: image}), one.right.substitute({v: image})
        at = tuple(e for e in one.at if v not in e.variables())
        if len(at) != len(one.at) - 1:
            return None
    there = goal._replace(at=at, left=left, right=right)
    back = {when.terms[0][0]: end}
    same = dict(left.substitute(back).parts) == dict(one.left.parts)
    same = same and dict(right.substitute(back).parts) == dict(one.right.parts)
    rows = facts(one.left.scope | one.right.scope)
    return Timed(there, when, length, end) if same and within(back, back, rows) else None


def timed_sums(rest: Term, session: Session) -> Iterator[Timed]:
    """rest ≥ 0 with a time for a variable: in states' times, numbers and the ends of sums; then without these."""
    times = {v for m in rest.parts for f in m.factors for v in _time(f, session) if v > 0}
    ends = {v for m in rest.parts if m.bound for g in m.guards for v in g.variables()}
    powers = any(_time(f, session) for m in rest.parts if m.bound for f in m.factors)
    for v in sorted(v for v in (times | ends if powers else times) if v > 0):
        when = position("t", 0)
        back = {when.terms[0][0]: variable(v)}
        seen = []
        for ends in (True, False):
            term = _with_time(rest, v, when, session, ends)
            moved = any(when.variables() & m.variables() for m in term.parts)
            if (
                moved
                and term.parts not in seen
                and dict(term.substitute(back).parts) == dict(rest.parts)
            ):
                seen.append(term.parts)
                goal = Goal((), (), term * 0, term)
                yield Timed(goal, when, None)


def _time(f: Factor, session: Session) -> set[int]:
    return f.at[0].variables() if f.name in session.recursions and f.at else set()


def _length(f: Factor, session: Session) -> Index | None:
    """The last time of a state, at the positions that it stands at."""
    recursion, k = session.recursions[f.name]
    state = recursion.states[k]
    ends = declared(recursion.time.terms[0][0])
    places = zip((*state.at, *state.given), f.at[1:], strict=True)
    length = (ends[1] + recursion.time + 1).substitute({v.terms[0][0]: e for v, e in places})
    return length if length.variables() <= declarations.current.sizes else None


def _with_time(term: Term, v: int, image: Index, session: Session, ends: bool = False) -> Term:
    """The term with another index for a size where it is a time of states, a number, or the end of a sum."""

    def guard(g: Index) -> Index:
        return g.substitute({v: image}) if ends and any(w < 0 for w, _ in g.terms) else g

    def factor(f: Factor) -> Factor:
        if f.name == NUMBER:
            return f.substitute({v: image})
        if f.name in session.recursions:
            return Factor(f.name, (f.at[0].substitute({v: image}), *f.at[1:]))
        return f

    pairs = [
        (
            Monomial(
                m.bound, frozenset(map(guard, m.guards)), tuple(sorted(map(factor, m.factors)))
            ),
            c,
        )
        for m, c in term.parts.items()
    ]
    return made(pairs, term.scope | image.variables())


def unfolded(term: Term, times: Iterable[int] = ()) -> Term:
    """The term with states at constant times, and at those after a time, by their definitions."""
    session, times = current(), set(times)
    work = Rewriting(term)
    _peel(work, times)
    tidy(work, [at_constant_times(session), _later(session, times)])
    return work.term()


def _peel(work: Rewriting, times: set[int]) -> None:
    """Σ_{s ≤ τ} as Σ_{s ≤ τ − 1} and what is at s = τ."""
    every = {g for m, _ in work.parts.values() for g in m.guards}
    ends = [
        g
        for g in every
        if any(c > 0 and v in times for v, c in g.terms) and any(v < 0 for v, _ in g.terms)
    ]
    for g in sorted(ends, key=lambda g: (g.const, g)):
        for k in [k for k, (m, _) in work.parts.items() if g in m.guards]:
            guards = work.parts[k][0].guards
            work.regroup(k, [(guards - {g} | {g - 1}, 1), (guards | {-g}, 1)])


def _later(session: Session, times: set[int]) -> Step:
    """S[τ + 1] by its step; so is S[τ] where τ ≥ 1 is known."""

    def step(work: Rewriting, k: int) -> bool:
        for f in work.parts[k][0].factors:
            if f.name in session.recursions and times & f.at[0].variables():
                rule = session.definition(f.name)[1]
                if rewriting([rule], only=f)(work, k):
                    return True
        return False

    return step


Prove = Callable[[Goal, Context], int]


def by_induction(
    every: Sequence[Timed], context: Context, prove: Prove
) -> tuple[list[Timed], list[int], Context]:
    """The bounds that hold at every time if all of them do at the one before, and what is known then.

    Args:
        every: bounds at any time; those with other last times have inductions of their own.
        context: what is known.
        prove: shows a bound and says its number, or raises KernelError.

    Returns:
        The bounds that are shown, their numbers, and what is known with them.
    """
    left = list(every)
    while left:
        book = context.known.book
        time = position("t", 0, left[0].length)  # of the last time it is the step's conclusion
        of, numbers = book.suppose([one.at(time).statement for one in left])
        hypotheses = context
        for one, number in zip(left, numbers, strict=True):
            hypotheses = hypotheses.knowing(one.at(time), number, time)
        found: list[tuple[Timed, int, int]] = []
        for one in left:
            try:
                start = _shown(one.at(Index(0)), (), context, prove)
                step = _shown(one.at(time + 1), time.variables(), hypotheses, prove)
            except KernelError:
                continue
            found.append((one, start, step))
        if len(found) == len(left):
            _, starts, steps = zip(*found, strict=True)
            (v,), claims = time.variables(), [one.claimed for one in left]
            numbers = book.conclude(of, v, claims, starts, steps)
            for one, number in zip(left, numbers, strict=True):
                at = (*one.goal.at, *one.free, one.when)
                context = context.knowing(one.goal._replace(at=at), number)
            return left, numbers, context
        left = [one for one, _, _ in found]
    return [], [], context


def _shown(goal: Goal, times: Iterable[int], context: Context, prove: Prove) -> int:
    """The number of a goal, by one of it with states unfolded."""
    left, right = unfolded(goal.left, times), unfolded(goal.right, times)
    number = prove(goal._replace(left=left, right=right), context)
    return context.known.book.with_sides(number, Side(goal.left), Side(goal.right))

"""Entries that one turn of a loop writes and every other keeps, as the rows of a triangular system's solution.

For S[t + 1, i] = S[t, i] but in the turn t = e(i) there are two lemmas: up to that turn the entry is what it was at
the start, and from then on it stays what was written, S[e + 1, i]. By these all entries come to be spoken of at the
turn that wrote them, so that equal ones look alike. A loop that begins with a later row than the second, because
the turns before would change nothing, is one with these turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, facts, position, position_number
from ..kernel.inequalities import implied
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.rules import Goal
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from .normal import simplified
from .session import current
from .unfolding import by_induction, closing, unfold


def kept(recursion: Recursion, which: int, step: Term, length: Index) -> list[Theorem]:
    """The two lemmas about a state of `length` turns whose step is this in normal form, if there are any."""
    turn = _turn(recursion, recursion.states[which], step)
    if turn is None:
        return []
    found: list[Theorem] = []
    for lemma in (_before, _after):
        try:
            found += lemma(recursion, which, turn, length)
        except KernelError:
            continue
    return found


def begun_earlier(recursion: Recursion, first: Term, step: Term, length: Index) -> Theorem | None:
    """What the only state of a recursion is by a loop that begins a turn earlier, if that one leaves the start.

    Args:
        recursion: of one state, whose rows are written from the third on, or from a later one.
        first: its start in normal form.
        step: its step in normal form.
        length: how many turns it takes.
    """
    (state,), session = recursion.states, current()
    turn = _turn(recursion, state, step)
    if turn is None or not any(
        (i - turn - 2).const >= 0 == len((i - turn).terms) for i in state.at
    ):
        return None
    time, when = (position("t", 0, length + 1) for _ in range(2))
    longer = new_state("S", state.at, state.given)
    # Not the step in normal form, which parts sums as if no turn came before the first.
    earlier = simplified(recursion.step[0].substitute({position_number(recursion.time): time - 1}))

    def named(f: Factor) -> Factor:
        return f._replace(name=longer.name, at=(time, *f.at[1:])) if f.name == state.name else f

    parts = {
        m._replace(factors=tuple(sorted(map(named, m.factors)))): c
        for m, c in earlier.parts.items()
    }
    made = Recursion(time, [longer], [first], [Term(parts, earlier.scope)])
    session.add(made, session.origins.get(state.name), length + 1)
    try:
        claim = _at(state, when), longer.entry(when + 1, state.at)
        return by_induction(when, [claim]).rules[0]
    except KernelError:
        return None


def _turn(recursion: Recursion, state: State, step: Term) -> Index | None:
    """The turn in which an entry is written, as an index in its place; None if there may be others."""
    own = Monomial(0, frozenset(), (_at(state, recursion.time),))
    if step.parts.get(own) != 1:
        return None
    turns = {_only(m.guards, recursion.time) for m in step.parts if m != own}
    turn = turns.pop() if len(turns) == 1 else None
    places = {position_number(i) for i in state.at}
    return turn if turn is not None and turn.variables() & places else None


def _only(guards: Iterable[Index], time: Index) -> Index | None:
    """The e of the guards time = e."""
    t, guards = position_number(time), set(guards)
    for g in sorted(guards):
        if g.coefficient(t) == 1 and -g in guards and all(v > 0 for v in g.variables()):
            return time - g
    return None


def _at(state: State, time: Index, at: Sequence[Index] | None = None) -> Factor:
    return Factor(state.name, (time, *(state.at if at is None else at), *state.given))


def _before(recursion: Recursion, which: int, turn: Index, _: Index) -> list[Theorem]:
    """S[t, i] = S[0, i] for t ≤ e(i)."""
    when = position("t", 0, turn + 1)
    claim = _at(recursion.states[which], when), simplified(recursion.first[which])
    return by_induction(when, [claim]).rules


def _after(recursion: Recursion, which: int, turn: Index, length: Index) -> list[Theorem]:
    """S[e(i) + 1 + t, i] = S[e(i) + 1, i]."""
    state = recursion.states[which]
    at, written = _where(state, turn, length)
    when = position("t", 0, length - written)
    last = _at(state, written + 1, at)
    right = Term({Monomial(0, frozenset(), (last,)): Fraction(1)}, last.variables())
    claim = _at(state, written + 1 + when, at), right

    def tactic(goal: Goal, rules: Sequence[Theorem]) -> None:
        for k, (m, _) in list(goal.parts.items()):
            for f in m.factors:
                if f.name == state.name and f.at != last.at:
                    unfold(goal, k, f, current())
        closing(goal, rules)

    return by_induction(when, [claim], by=tactic).rules


def _where(state: State, turn: Index, length: Index) -> tuple[list[Index], Index]:
    """Positions at which −1 ≤ e < length, in place of all of the state's, and e there.

    Raises:
        KernelError: if they cannot be told.
    """
    moved = next(i for i in state.at if turn.coefficient(position_number(i)))
    v = position_number(moved)
    c = turn.coefficient(v)
    ranges = declared(v)
    if abs(c) != 1 or len(ranges) != 2:
        raise KernelError("the turn of an entry is not a place, or counted from an end")
    rest = turn - moved * c  # e = c i + rest
    lows = [moved - ranges[0], (-rest - 1) if c == 1 else rest - length + 1]
    highs = [ranges[1] + moved + 1, (length - rest) if c == 1 else rest + 2]
    inside = position("i", _largest(lows), -_largest([-e for e in highs]))
    return [inside if i == moved else i for i in state.at], inside * c + rest


def _largest(ends: Sequence[Index]) -> Index:
    for one in ends:
        if all(implied(one - other, facts((one - other).variables())) for other in ends):
            return one
    raise KernelError("which end comes first depends on the sizes")

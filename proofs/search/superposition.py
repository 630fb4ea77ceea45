"""An inner loop of a loop, linear in its own state and in that of the outer one, told apart from the outer.

S[t; n] of a chunk n begins with the outer state R[n], or takes it in. Where no term has both, S[t, i; n] is
S⁰[t, i; n] + Σ_j Φ[t, i, j; n] R[n, j]: S⁰ is the loop without R, and Φ what it makes of each entry of R. Neither
depends on what the outer loop does, so that lemmas about them hold in every chunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..interpret.terms import total
from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position, position_number
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from .session import current
from .unfolding import by_induction

Parts = Mapping[Monomial, Fraction]


def superposed(recursion: Recursion, first: Term, step: Term, length: Index) -> Theorem | None:
    """What the only state of a recursion is by loops without the outer state that it speaks of; None if there is none.

    Args:
        recursion: of one state.
        first: its start in normal form.
        step: its step in normal form.
        length: how many turns it takes.
    """
    state = recursion.states[0]
    outer = _outer(state, [*first.parts, *step.parts])
    if outer is None:
        return None
    name, time = outer
    at = [position("j", *_ends(i)) for i in _state(name).at]
    taken = Factor(name, (time, *at))
    session = current()
    own = new_state("S", state.at, state.given), new_state("S", (*state.at, *at), state.given)
    starts = _without(first, name), _coefficient(first, taken)
    steps = _without(step, name), _coefficient(step, taken)
    try:
        for one, begin, after in zip(own, starts, steps, strict=True):
            places = one.at[len(state.at) :]
            renamed = _of(after, state, one, places)
            if one is own[1]:
                renamed = renamed + _homogeneous(step, state, one, places)
            made = Recursion(recursion.time, [one], [begin], [renamed])
            session.add(made, session.origins.get(state.name), length)
        when = position("t", 0, length + 1)
        transition = own[1].entry(when, own[1].at) * Term(
            {Monomial(0, frozenset(), (taken,)): Fraction(1)}, taken.variables()
        )
        for j in reversed(at):
            transition = total(transition, j)
        claim = Factor(state.name, (when, *state.at, *state.given))
        right = own[0].entry(when, own[0].at) + transition
        (rule,) = by_induction(when, [(claim, right)]).rules
    except KernelError:
        return None
    return rule


def _outer(state: State, monomials: Sequence[Monomial]) -> tuple[str, Index] | None:
    """The one other state that is spoken of, linearly and at a given time, and this time."""
    known, found = declarations.current.states, set()
    session = current()
    for m in monomials:
        states = [f for f in m.factors if f.name in known and not _is_product(f.name)]
        if len(states) > 1:
            return None
        found.update((f.name, f.at[0]) for f in states if f.name != state.name)
    if len(found) != 1:
        return None
    ((name, time),) = found
    if time not in state.given or name in session.closed or not _is_plain(name):
        return None
    return name, time


def _is_product(name: str) -> bool:
    session = current()
    return name in session.recursions and session.is_product(name)


def _is_plain(name: str) -> bool:
    """Whether the state has no positions but its own."""
    return not _state(name).given


def _state(name: str) -> State:
    session = current()
    if name in session.recursions:
        recursion, k = session.recursions[name]
        return recursion.states[k]
    return declarations.current.states[name][0]


def _ends(i: Index) -> tuple[Index, Index]:
    ranges = declared(position_number(i))
    if len(ranges) != 2:
        raise KernelError("a position without two ends")
    return i - ranges[0], ranges[1] + i + 1


def _without(term: Term, name: str) -> Term:
    """The term without the monomials that speak of this state."""
    parts = {m: c for m, c in term.parts.items() if all(f.name != name for f in m.factors)}
    return Term(parts, term.scope)


def _coefficient(term: Term, taken: Factor) -> Term:
    """What stands before an entry of the state, for each of its places."""
    parts: dict[Monomial, Fraction] = {}
    for m, c in term.parts.items():
        for f in m.factors:
            if f.name == taken.name:
                gaps = [one - e for one, e in zip(taken.at, f.at, strict=True) if one != e]
                here = frozenset([e for gap in gaps for e in (gap, -gap)])
                n = m.divided(f)
                n = n._replace(guards=n.guards | here)
                parts[n] = parts.get(n, Fraction(0)) + c
    return Term(parts, term.scope | taken.variables())


def _of(term: Term, state: State, new: State, places: Sequence[Index]) -> Term:
    """The term with the new state for the old one, at these places besides."""
    parts: dict[Monomial, Fraction] = {}
    for m, c in term.parts.items():
        factors = [
            Factor(new.name, (*f.at[: 1 + len(state.at)], *places, *f.at[1 + len(state.at) :]))
            if f.name == state.name
            else f
            for f in m.factors
        ]
        n = m._replace(factors=tuple(sorted(factors)))
        parts[n] = parts.get(n, Fraction(0)) + c
    return Term(parts, term.scope.union(*(e.variables() for e in places)))


def _homogeneous(term: Term, state: State, new: State, places: Sequence[Index]) -> Term:
    """The part that is linear in the state, of the new one."""
    parts = {m: c for m, c in term.parts.items() if any(f.name == state.name for f in m.factors)}
    return _of(Term(parts, term.scope), state, new, places)

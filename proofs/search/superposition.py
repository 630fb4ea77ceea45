"""An inner loop of a loop, linear in its own state and in that of the outer one, told apart from the outer.

S[t; n] of a chunk n begins with the outer state R[n], or takes it in. Where no term has both, S[t, i; n] is
S⁰[t, i; n] + Σ_j Φ[t, i, j; n] R[n, j]: S⁰ is the loop without R, and Φ what it makes of each entry of R. Neither
depends on what the outer loop does, so that lemmas about them hold in every chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..inequalities.statements import summed
from ..interpret.terms import total
from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position, position_number
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from .session import current
from .steps import sum_of
from .stretched import is_product
from .unfolding import by_induction


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
    try:
        return _superposed(recursion, first, step, length, *outer)
    except KernelError:
        return None


def _superposed(
    recursion: Recursion, first: Term, step: Term, length: Index, name: str, time: Index
) -> Theorem:
    state, session = recursion.states[0], current()
    inert = _inert(state, name, [*first.parts, *step.parts])
    own = [i for i in state.at if i not in inert.values()]
    there = [
        inert[n] if n in inert else position("j", *_ends(i)) for n, i in enumerate(_state(name).at)
    ]
    new = [j for n, j in enumerate(there) if n not in inert]
    taken = Factor(name, (time, *there))

    def made(own: Sequence[Index], new: Sequence[Index], begin: Term, after: Term) -> Factor:
        at = *own, *new
        one = new_state("S", at, state.given)
        gone = {position_number(i) for i in state.at if i not in own}
        begin = Term(begin.parts, begin.scope - gone)
        after = _named(after, state, one.name, own, new)
        after = Term(after.parts, after.scope - gone)
        session.add(
            Recursion(recursion.time, [one], [begin], [after]),
            session.origins.get(state.name),
            length,
        )
        return Factor(one.name, (when, *at, *state.given))

    when = position("t", 0, length + 1)
    alone = made(state.at, [], _without(first, name), _without(step, name))
    linear = Term({m: c for m, c in step.parts.items() if _has(m, state.name)}, step.scope)
    turned = made(own, new, _coefficient(first, taken), _coefficient(step, taken) + linear)
    transition = _product(turned, taken)
    for j in reversed(new):
        transition = total(transition, j)
    claim = Factor(state.name, (when, *state.at, *state.given))
    (rule,) = by_induction(when, [(claim, _product(alone) + transition)]).rules
    return rule


def _inert(state: State, name: str, monomials: Sequence[Monomial]) -> dict[int, Index]:
    """For places of the outer state those of the inner one that they always are, and that nothing else has to do with.

    A column of a matrix, for instance, that is multiplied from the left alone.
    """
    found: dict[int, Index] = {}
    concerned = [m for m in monomials if _has(m, state.name) or _has(m, name)]
    for n in range(len(_state(name).at)):
        for k, i in enumerate(state.at):
            v = position_number(i)
            places = {state.name: 1 + k, name: 1 + n}
            kept = all(
                f.at[places[f.name]] == i
                and not any(v in e.variables() for p, e in enumerate(f.at) if p != places[f.name])
                if f.name in places
                else v not in f.variables()
                for m in concerned
                for f in m.factors
            )
            if kept and not any(v in g.variables() for m in concerned for g in m.guards):
                found[n] = i
                break
    return found if len(set(found.values())) == len(found) else {}


def _has(m: Monomial, name: str) -> bool:
    return any(f.name == name for f in m.factors)


def _product(*factors: Factor) -> Term:
    return sum_of([(Monomial(0, frozenset(), tuple(sorted(factors))), Fraction(1))])


def _outer(state: State, monomials: Sequence[Monomial]) -> tuple[str, Index] | None:
    """The one other state that is spoken of, linearly and at a given time, and this time."""
    known, found = declarations.current.states, set()
    for m in monomials:
        states = [f for f in m.factors if f.name in known and not is_product(f.name)]
        if len(states) > 1:
            return None
        found.update((f.name, f.at[0]) for f in states if f.name != state.name)
    if len(found) != 1:
        return None
    ((name, time),) = found
    if time not in state.given or name in current().closed or _state(name).given:
        return None  # or the outer state has positions besides its own
    return name, time


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
    pairs = []
    for m, c in term.parts.items():
        for f in m.factors:
            if f.name == taken.name:
                gaps = [one - e for one, e in zip(taken.at, f.at, strict=True) if one != e]
                here = frozenset([e for gap in gaps for e in (gap, -gap)])
                rest = m.divided(f)
                pairs.append((rest._replace(guards=rest.guards | here), c))
    return Term(summed(pairs), term.scope | taken.variables())


def _named(term: Term, state: State, name: str, own: Sequence[Index], new: Sequence[Index]) -> Term:
    """The term with a new state for the old one, at those places of it that are its own, and new ones."""
    kept = [1 + k for k, i in enumerate(state.at) if i in own]

    def named(f: Factor) -> Factor:
        if f.name != state.name:
            return f
        return Factor(name, (f.at[0], *(f.at[k] for k in kept), *new, *state.given))

    pairs = [
        (m._replace(factors=tuple(sorted(map(named, m.factors)))), c) for m, c in term.parts.items()
    ]
    return Term(summed(pairs), term.scope.union(*(e.variables() for e in new)))

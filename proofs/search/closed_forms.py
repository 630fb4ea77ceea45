"""Closed forms: where a state is a gate times itself plus an input, what it is at every time, by induction.

States are looked at in the order in which they were defined, so that what a step is made of is in normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ..interpret.products import running_product
from ..interpret.terms import equal_indices, indicator, substitute, total
from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, position
from ..kernel.laws import value
from ..kernel.recursion import Recursion, State
from ..kernel.rules import Rewriting
from ..kernel.term import EXP, Factor, Monomial, Term, body, entry
from ..kernel.theorem import Theorem
from .congruences import spoken_of
from .exponents import accumulated, common
from .normal import has_meaning, meanings, normalise, simplified, tidy
from .session import Proving, current
from .steps import rewriting
from .unfolding import by_induction


def normal_form(term: Term) -> Term:
    """An equal term in normal form, closed forms standing for states."""
    settle(current())
    return simplified(term)


def rewritten(work: Rewriting, closed: bool) -> None:
    """Brings a sum that interpreting a program has begun to rewrite into normal form; see `interpret.simplifying`."""
    if closed:
        settle(current())
    normalise(work)


def conditions(names: Iterable[str], session: Proving) -> list[Theorem]:
    """What these 1/T and log(T) are in normal form, for each range that they are used in."""
    settle(session)
    return [rule for name in sorted(names) for rule in meanings(name, session)]


def settle(session: Proving) -> None:
    """Look for the closed forms of all states that were defined since this was last done."""
    while session.seen < len(session.made):
        recursion, turns = session.made[session.seen]
        session.seen += 1
        if turns is None:
            _canonical(recursion, session)
        else:
            session.closed.update(_search(recursion, turns))


def _search(recursion: Recursion, length: Index) -> dict[str, tuple[Theorem, tuple[int, ...]]]:
    """What is found for each state that has a closed form."""
    solved: dict[str, tuple[Theorem, tuple[int, ...]]] = {}
    rules: list[Theorem] = []
    progress = True
    while progress:
        progress = False
        for k, state in enumerate(recursion.states):
            if state.name in solved:
                continue
            step = _rewritten(recursion.step[k], rules)
            when = position("t", 0, length + 1)
            claim = Factor(state.name, (when, *state.at, *state.given))
            rule = None
            for guess, more in _guesses(recursion, k, step, when, solved.keys()):
                with suppress(KernelError):
                    (rule,) = by_induction(when, [(claim, guess)], [*rules, *more]).rules
                    break
            if rule is None:
                continue
            rules.append(rule)
            if {position_of(e) for e in claim.at} == rule.over:
                solved[state.name] = rule, ()
            progress = True
    return solved


def _guesses(
    recursion: Recursion, which: int, step: Term, when: Index, solved: Set[str]
) -> Iterator[tuple[Term, Sequence[Theorem]]]:
    """What a state may be at every time, each with definitions that show it."""
    with suppress(KernelError):
        guess = _closed_form(recursion, which, step, when, solved)
        if guess is not None:
            yield guess, ()
            return
    for guess, stabiliser in _stabilised(recursion, which, step, when):
        yield guess, current().definition(stabiliser)[1:]


def _stabilised(
    recursion: Recursion, which: int, step: Term, when: Index
) -> Iterator[tuple[Term, str]]:
    """For l[t + 1] = exp(m[t] − m[t + 1]) G(t) l[t] + exp(−m[t + 1]) B(t), l[0] = 0, with another state m.

    Then exp(m[t]) l[t] has the gates G and the increments B, whatever m is.
    """
    session, time, state = current(), recursion.time, recursion.states[which]
    own = Factor(state.name, (time, *state.at, *state.given))
    gate = {m.divided(own): c for m, c in step.parts.items() if own in m.factors}
    rest = {m: c for m, c in step.parts.items() if own not in m.factors}
    names = [s.name for s in recursion.states]
    spoken = {f.name for m in (*gate, *rest) for f in m.factors}
    if not gate or not spoken.isdisjoint(names) or simplified(recursion.first[which]).parts:
        return
    for f in common(gate):
        ((m, c),) = (body(f, 0) or [(Monomial(0, frozenset(), ()), 0)])[:1]
        if c != 1 or m.bound or m.guards or len(m.factors) != 1 or m.factors[0].name not in names:
            continue
        (now,) = m.factors
        k = names.index(now.name)
        one = recursion.states[k]
        moved = dict(zip(one.at, now.at[1 : 1 + len(one.at)], strict=True))
        later = substitute(recursion.step[k], {v: e for v, e in moved.items() if v != e})
        later = simplified(later)
        grown = simplified(Term(gate, step.scope) * value(EXP, later - entry(*_flat(now))))
        added = simplified(Term(rest, step.scope) * value(EXP, later))
        every = [*grown.parts, *added.parts]
        if any(_speaks(f.name, names, session) for n in every for f in n.factors):
            continue
        begun = time - 1  # what is 0 at first needs no gate then
        parts = {n._replace(guards=n.guards - {begun}): c for n, c in grown.parts.items()}
        guess = _solution(Term(parts, grown.scope), added, Term({}), time, when)
        scale = value(EXP, entry(now.name, when, *now.at[1:]) * -1)
        yield simplified(guess * scale), now.name


def _flat(f: Factor) -> tuple[Any, ...]:
    return f.name, *f.at


def _speaks(name: str, names: Sequence[str], session: Proving) -> bool:
    """Whether a factor is one of these states, or a function of one."""
    bodies = declarations.current.bodies
    return name in names or (name in bodies and not spoken_of(name, session).isdisjoint(names))


def _rewritten(term: Term, rules: Sequence[Theorem]) -> Term:
    """The term with the closed forms of the states that have one."""
    if not rules:
        return simplified(term)
    work = Rewriting(term)
    tidy(work, [rewriting(rules)])
    return work.term()


def _closed_form(
    recursion: Recursion, which: int, step: Term, when: Index, solved: Set[str]
) -> Term | None:
    """For S[t + 1] = G(t) S[t] + B(t): Π_{r<when} G(r) S[0] + Σ_{s<when} Π_{s<r<when} G(r) B(s)."""
    split = _split(recursion, recursion.states[which], step, solved)
    if split is None:
        return None
    time = recursion.time
    return _solution(*split, simplified(recursion.first[which]), time, when)


def _solution(gate: Term, increment: Term, first: Term, time: Index, when: Index) -> Term:
    """The closed form by what it is made of."""
    written = _written(gate, time)
    if written is not None:
        inside = [written, when - 1 - written]
        return simplified(
            first * (1 + indicator(*inside) * -1) + substitute(increment, {time: written}, inside)
        )
    if not gate.parts:
        later = substitute(increment, {time: when - 1}, [when - 1])
        return simplified(equal_indices(when, 0) * first + later)
    s = position("s", 0, when)
    high = time  # the gate is taken at positions of the recursion's own time
    grown = common(gate.parts)
    for f in grown:
        gate = Term({m.divided(f): c for m, c in gate.parts.items()}, gate.scope)
    begun = running_product(gate, high, Index(0), when) * accumulated(grown, time, Index(0), when)
    going = running_product(gate, high, s + 1, when) * accumulated(grown, time, s + 1, when)
    added = substitute(increment, {time: s}) * going
    return simplified(begun * first + total(added, s))


def _written(gate: Term, time: Index) -> Index | None:
    """For G = 1 − [time = e], an entry that is replaced at one time and kept at others, that time e."""
    parts = {m: c for m, c in gate.parts.items() if m.guards or c != 1}
    if len(gate.parts) != 2 or len(parts) != 1:
        return None
    ((m, c),) = parts.items()
    turn = position_of(time)
    if c != -1 or m.bound or m.factors or len(m.guards) != 2:
        return None
    gap = next((g for g in m.guards if g.coefficient(turn) == 1), None)
    if gap is None or -gap not in m.guards:
        return None
    return time - gap


def _split(
    recursion: Recursion, state: State, step: Term, solved: Set[str]
) -> tuple[Term, Term] | None:
    """G and B of a step G · S[time, at] + B; None if there is more of the states in it, also inside functions."""
    session = current()
    own = Factor(state.name, (recursion.time, *state.at, *state.given))
    names = {s.name for s in recursion.states}
    unknown = names - solved
    known = declarations.current.bodies
    gate: dict[Monomial, Fraction] = {}
    rest: dict[Monomial, Fraction] = {}
    for m, c in step.parts.items():
        if own in m.factors:
            m = m.divided(own)
            gate[m] = c
        else:
            rest[m] = c
        if any(f.name in names for f in m.factors):
            return None
        if any(f.name in known and spoken_of(f.name, session) & unknown for f in m.factors):
            return None  # it is in step with others, and a product of such gates tells nothing
    return Term(gate, step.scope), Term(rest, step.scope)


def position_of(v: Index) -> int:
    """The number of the variable that the index is."""
    return v.terms[0][0]


def _canonical(recursion: Recursion, session: Proving) -> None:
    """A product of a named factor is the product of what the name stands for."""
    (state, *others), (step, *_) = recursion.states, recursion.step
    if others or not session.is_product(state.name):
        return
    own = Factor(state.name, (recursion.time, *state.given))
    formula = {m.divided(own): c for m, c in simplified(step).parts.items()}
    grown = common(formula)
    if not grown and not any(has_meaning(f, session) for m in step.parts for f in m.factors):
        return
    count = position("m", 0)  # the product has any number of factors, but an induction an end
    when = position("t", 0, count + 1)
    running, low, high, given = recursion.time, Index(0), when, state.given
    if state.name in session.ranged:
        running = position("r")
        images = {position_of(given[0]): running - recursion.time}
        formula = {m.substitute(images, m.bound): c for m, c in formula.items()}
        grown = [f.substitute(images) for f in grown]
        if grown:  # a sum that begins at 0 says what is summed up from where on
            given = position("s", 0), *given[1:]
        low, high = given[0], given[0] + when
    for f in grown:
        formula = {m.divided(f): c for m, c in formula.items()}
    scope = {v for m in formula for v in m.variables() if v > 0}
    right = running_product(Term(formula, scope), running, low, high)
    right = right * accumulated(grown, running, low, high)
    claim = Factor(state.name, (when, *given))
    try:
        (rule,) = by_induction(when, [(claim, right)]).rules
    except KernelError:
        return
    session.closed[state.name] = rule, (position_of(count),)

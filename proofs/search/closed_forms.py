"""Closed forms: where a state is a gate times itself plus an input, what it is at every time, by induction.

States are looked at in the order in which they were defined, so that what a step is made of is in normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ..interpret.products import running_product
from ..interpret.terms import equal_indices, indicator, substitute, total
from ..kernel.errors import KernelError
from ..kernel.index import Index, position
from ..kernel.inequalities import negation
from ..kernel.recursion import Recursion, State
from ..kernel.rules import Rewriting
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from .normal import forget, has_meaning, meanings, normalise, simplified, tidy
from .session import Proving, current
from .steps import rewriting
from .superposition import superposed
from .unfolding import by_induction
from .written_once import kept


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
            closed, rules = _search(recursion, turns)
            session.closed.update(closed)
            if not _superpose(recursion, turns, session):
                _keep(recursion, turns, rules, session)
            forget(session.closed.keys() | session.kept.keys(), session)


def _superpose(recursion: Recursion, length: Index, session: Proving) -> bool:
    """Whether an inner loop's state is told apart from that of the outer loop."""
    state, *others = recursion.states
    if others or state.name in session.closed:
        return False
    first, step = simplified(recursion.first[0]), simplified(recursion.step[0])
    rule = superposed(recursion, first, step, length)
    if rule is not None:
        session.closed[state.name] = rule, ()
    return rule is not None


def _keep(recursion: Recursion, length: Index, rules: Sequence[Theorem], session: Proving) -> None:
    """What is kept between the turns of states without a closed form."""
    for k, state in enumerate(recursion.states):
        if state.name not in session.closed:
            found = kept(recursion, k, _rewritten(recursion.step[k], rules), length)
            if found:
                session.kept[state.name] = tuple(found)


def _search(
    recursion: Recursion, length: Index
) -> tuple[dict[str, tuple[Theorem, tuple[int, ...]]], list[Theorem]]:
    """What is found for each state that has a closed form, and all rules that were."""
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
            try:
                guess = _closed_form(recursion, k, step, when)
                if guess is None:
                    continue
                claim = Factor(state.name, (when, *state.at, *state.given))
                (rule,) = by_induction(when, [(claim, guess)], rules).rules
            except KernelError:
                continue
            rules.append(rule)
            if {position_of(e) for e in claim.at} == rule.over:
                solved[state.name] = rule, ()
            progress = True
    return solved, rules


def _rewritten(term: Term, rules: Sequence[Theorem]) -> Term:
    """The term with the closed forms of the states that have one."""
    if not rules:
        return simplified(term)
    work = Rewriting(term)
    tidy(work, [rewriting(rules)])
    return work.term()


def _closed_form(recursion: Recursion, which: int, step: Term, when: Index) -> Term | None:
    """For S[t + 1] = G(t) S[t] + B(t): Π_{r<when} G(r) S[0] + Σ_{s<when} Π_{s<r<when} G(r) B(s)."""
    state, time = recursion.states[which], recursion.time
    split = _split(recursion, state, step)
    if split is None:
        return None
    gate, increment = split
    first = simplified(recursion.first[which])
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
    begun = running_product(gate, high, Index(0), when)
    going = running_product(gate, high, s + 1, when)
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


def _split(recursion: Recursion, state: State, step: Term) -> tuple[Term, Term] | None:
    """G and B of a step G · S[time, at] + B; None if there is more of the states in it."""
    own = Factor(state.name, (recursion.time, *state.at, *state.given))
    names = {s.name for s in recursion.states}
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
    return Term(gate, step.scope), Term(rest, step.scope)


def position_of(v: Index) -> int:
    """The number of the variable that the index is."""
    return v.terms[0][0]


def _canonical(recursion: Recursion, session: Proving) -> None:
    """A product of a named factor is the product of what the name stands for; one in two cases is two products."""
    (state, *others), (step, *_) = recursion.states, recursion.step
    if others or not session.is_product(state.name):
        return
    own = Factor(state.name, (recursion.time, *state.given))
    ranged = state.name in session.ranged
    parts = simplified(step).parts
    if not all(own in m.factors for m in parts):  # the product itself goes by another name
        return
    formula = {m.divided(own): c for m, c in parts.items()}
    end = _end(formula, recursion.time) if ranged else None
    if end is None and not any(has_meaning(f, session) for m in step.parts for f in m.factors):
        return
    count = position("m", 0)  # the product has any number of factors, but an induction an end
    when = position("t", 0, count + 1)
    running, low, high = None, Index(0), when
    if ranged:
        running, low = position("r"), state.given[0]
        images = {position_of(low): running - recursion.time}
        formula = {m.substitute(images, m.bound): c for m, c in formula.items()}
        end = None if end is None else end.substitute(images)
        high = low + when

    def product(of: Mapping[Monomial, Fraction], start: Index, stop: Index) -> Term:
        scope = {v for m in of for v in m.variables() if v > 0}
        return running_product(Term(of, scope), running, start, stop)

    if end is None or running is None:
        right = product(formula, low, high)
    else:
        turn = running - end
        first, then = _cases(formula, end)
        right = (
            indicator(low - turn) * product(then, low, high)
            + indicator(turn - high) * indicator(turn - low - 1) * product(first, low, high)
            + indicator(turn - low - 1, high - turn - 1)
            * product(first, low, turn)
            * product(then, turn, high)
        )
    claim = Factor(state.name, (when, *state.given))
    (rule,) = by_induction(when, [(claim, right)]).rules
    session.closed[state.name] = rule, (position_of(count),)


def _end(formula: Mapping[Monomial, Fraction], time: Index) -> Index | None:
    """The e of the guards e ≥ 0 and e < 0 that distinguish two cases of a product's factor, if there are but these."""
    t = position_of(time)
    ends = {
        g if g.coefficient(t) > 0 else negation(g)
        for m in formula
        for g in m.guards
        if t in g.variables()
    }
    end = ends.pop() if len(ends) == 1 else None
    if end is None or end.coefficient(t) != 1 or any(v < 0 for v in end.variables()):
        return None
    return end


def _cases(
    formula: Mapping[Monomial, Fraction], end: Index
) -> tuple[dict[Monomial, Fraction], dict[Monomial, Fraction]]:
    """The factor where `end` < 0, and where it is ≥ 0."""
    cases: list[dict[Monomial, Fraction]] = []
    for holds in (negation(end), end):
        case: dict[Monomial, Fraction] = {}
        for m, c in formula.items():
            if negation(holds) not in m.guards:
                n = m._replace(guards=m.guards - {holds})
                case[n] = case.get(n, Fraction(0)) + c
        cases.append({m: c for m, c in case.items() if c})
    return cases[0], cases[1]

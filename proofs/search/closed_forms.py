"""Closed forms: where a state is a gate times itself plus an input, what it is at every time, by induction.

States are looked at in the order in which they were defined, so that what a step is made of is in normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction

from ..inequalities.statements import summed
from ..interpret.products import running_product
from ..interpret.terms import equal_indices, indicator, number, substitute, total
from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position, position_number
from ..kernel.inequalities import negation
from ..kernel.laws import value
from ..kernel.recursion import Recursion, State
from ..kernel.rules import Rewriting
from ..kernel.term import EXP, INVERSE_NUMBER, ONE, Factor, Monomial, Term, body, entry, one_factor
from ..kernel.theorem import Theorem
from .accumulating import accumulated
from .exponents import common
from .normal import forget, has_meaning, meanings, normalise, simplified, tidied
from .session import Lemma, Proving, current, spoken_of
from .steps import rewriting, sum_of
from .superposition import superposed
from .unfolding import by_induction, stepwise
from .written_once import begun_earlier, kept
from .zero import Stuck


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
            rules = _search(recursion, turns, session)
            if not _superpose(recursion, turns, session):
                _keep(recursion, turns, rules, session)
            forget(session.closed.keys() | session.kept.keys(), session)


def _superpose(recursion: Recursion, length: Index, session: Proving) -> bool:
    """Whether a state is told apart from that of an outer loop, or is that of a loop which begins earlier."""
    state, *others = recursion.states
    if others or state.name in session.closed:
        return False
    first, step = simplified(recursion.first[0]), simplified(recursion.step[0])
    rule = superposed(recursion, first, step, length)
    rule = rule or begun_earlier(recursion, first, step, length)
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


def _search(recursion: Recursion, length: Index, session: Proving) -> list[Theorem]:
    """Look for the closed form of each state, of which functions are in normal form from then on; all rules found."""
    solved = session.closed
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
                    (rule,) = _by_induction(when, claim, guess, [*rules, *more], session).rules
                    break
            if rule is None:
                continue
            rules.append(rule)
            if {position_number(e) for e in claim.at} == rule.over:
                solved[state.name] = rule, ()
                forget([state.name], session)  # functions of it are taken of its closed form
            progress = True
    return rules


def _by_induction(
    when: Index, claim: Factor, guess: Term, rules: Sequence[Theorem], session: Proving
) -> Lemma:
    """By induction; where a turn multiplies by several factors, these are taken apart."""
    try:
        return by_induction(when, [(claim, guess)], rules)
    except Stuck:
        if not any(f.name in session.ranged for m in guess.parts for f in m.factors):
            raise
        return by_induction(when, [(claim, guess)], rules, stepwise)


def _guesses(
    recursion: Recursion, which: int, step: Term, when: Index, solved: Set[str]
) -> Iterator[tuple[Term, Sequence[Theorem]]]:
    """What a state may be at every time, each with definitions that show it."""
    with suppress(KernelError):
        guess = _mean(recursion, which, step, when, solved)
        if guess is not None:
            yield guess, ()
    with suppress(KernelError):
        guess = _shifted(recursion, which, step, when)
        if guess is not None:
            yield guess, ()
            return
    with suppress(KernelError):
        guess = _closed_form(recursion, which, step, when, solved)
        if guess is None:
            guess = _copied(recursion, which, step, when)
        if guess is not None:
            yield guess, ()
            return
    for guess, stabiliser in _stabilised(recursion, which, step, when):
        yield guess, current().definition(stabiliser)[1:]


def _mean(
    recursion: Recursion, which: int, step: Term, when: Index, solved: Set[str]
) -> Term | None:
    """For a running mean, S[t + 1] = (1 − 1/(t + a)) S[t] + B(t), S[0] = 0: Σ_{s<t} (s + a) B(s) / (t + a − 1)."""
    split = _split(recursion, recursion.states[which], step, solved)
    if split is None or simplified(recursion.first[which]).parts:
        return None
    (gate, added), time = split, recursion.time
    divisors = {f.at[0] for m in gate.parts for f in m.factors if f.name == INVERSE_NUMBER}
    for e in divisors:
        share = Term({one_factor(INVERSE_NUMBER, e): Fraction(1)}, e.variables())
        ways = (1 + share * -1, number(e - 1) * share)
        if e.coefficient(position_number(time)) != 1 or all(
            gate.parts != simplified(one).parts for one in ways
        ):
            continue
        s = position("s", 0, when)
        terms = substitute(added * number(e), {time: s})
        end = (
            e.substitute({position_number(time): when}) - 1
        )  # not 0 where there is anything to sum up
        by = Term({one_factor(INVERSE_NUMBER, end): Fraction(1)}, end.variables())
        return simplified(total(terms * by, s))
    return None


def _shifted(recursion: Recursion, which: int, step: Term, when: Index) -> Term | None:
    """For a register, S[t + 1, i] = S[t, i + c] + B(t, i), where what is read beyond an end is 0.

    Σ_{k<t} B(t − 1 − k, i + ck) + S[0, i + ct], where these places lie within the ends.
    """
    time, state = recursion.time, recursion.states[which]
    names = {s.name for s in recursion.states}
    spoken = {m: [f for f in m.factors if f.name in names] for m in step.parts}
    moved = [m for m, found in spoken.items() if found]
    if len(moved) != 1 or moved[0].bound or len(moved[0].factors) != 1 or step.parts[moved[0]] != 1:
        return None
    (m,) = moved
    (f,) = m.factors
    here = time, *state.at, *state.given
    apart = (
        [(v, e - v) for v, e in zip(here, f.at, strict=True) if e != v]
        if f.name == state.name
        else []
    )
    if len(apart) != 1 or apart[0][1].terms or apart[0][0] not in state.at:
        return None
    ((place, by),) = apart
    ends = declared(position_number(place))
    if not m.guards <= {e.substitute({position_number(place): place + by}) for e in ends}:
        return None
    k = position("k", 0, when)

    def at(term: Term, images: dict[Index, Index], turns: Index) -> Term:
        there = place + turns * by.const
        rows = [e.substitute({position_number(place): there}) for e in ends]
        return substitute(term, {**images, place: there}, rows)

    added = Term({n: c for n, c in step.parts.items() if n != m}, step.scope)
    return simplified(
        total(at(added, {time: when - 1 - k}, k), k)
        + at(simplified(recursion.first[which]), {}, when)
    )


def _copied(recursion: Recursion, which: int, step: Term, when: Index) -> Term | None:
    """For entries that one turn writes and the loop never reads, as outputs beside a state: what was written.

    S[t + 1, i] = S[t, i] but in the turn t = e(i), where what is written may speak of the other states.
    """
    state, session, time = recursion.states[which], current(), recursion.time
    others = [s for k, s in enumerate(recursion.step) if k != which]
    if any(
        _speaks(f.name, [state.name], session) for s in others for m in s.parts for f in m.factors
    ):
        return None
    gate, added = _of(Factor(state.name, (time, *state.at, *state.given)), step)
    spoken = [f for one in (gate, added) for m in one.parts for f in m.factors]
    if _written(gate, time) is None or any(_speaks(f.name, [state.name], session) for f in spoken):
        return None
    return _solution(gate, added, simplified(recursion.first[which]), time, when)


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
        before = entry(now.name, *now.at)
        grown = simplified(Term(gate, step.scope) * value(EXP, later - before))
        added = simplified(Term(rest, step.scope) * value(EXP, later))
        every = [*grown.parts, *added.parts]
        if any(_speaks(f.name, names, session) for n in every for f in n.factors):
            continue
        begun = time - 1  # what is 0 at first needs no gate then
        parts = {n._replace(guards=n.guards - {begun}): c for n, c in grown.parts.items()}
        guess = _solution(Term(parts, grown.scope), added, Term({}), time, when)
        scale = value(EXP, entry(now.name, when, *now.at[1:]) * -1)
        yield simplified(guess * scale), now.name


def _speaks(name: str, names: Sequence[str], session: Proving) -> bool:
    """Whether a factor is one of these states, or a function of one."""
    bodies = declarations.current.bodies
    return name in names or (name in bodies and not spoken_of(name, session).isdisjoint(names))


def _rewritten(term: Term, rules: Sequence[Theorem]) -> Term:
    """The term with the closed forms of the states that have one."""
    if not rules:
        return simplified(term)
    return tidied(term, [rewriting(rules)])


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
    blocks = _blocks(gate, time)
    if blocks is not None:
        s = position("s", 0, when)
        kept = 1 + total(substitute(blocks, {time: s}), s) * -1
        return simplified(first * kept + total(substitute(increment, {time: s}), s))
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
    turn = position_number(time)
    if c != -1 or m.bound or m.factors or len(m.guards) != 2:
        return None
    gap = next((g for g in m.guards if g.coefficient(turn) == 1), None)
    if gap is None or -gap not in m.guards:
        return None
    return time - gap


def _blocks(gate: Term, time: Index) -> Term | None:
    """For G = 1 − [where], entries that are replaced at a time and kept before and after, [where]."""
    written = {m: -c for m, c in gate.parts.items() if m.guards}
    rest = {m: c for m, c in gate.parts.items() if not m.guards}
    if rest != {ONE: 1} or len(written) != 1:
        return None
    ((m, c),) = written.items()
    if (
        c != 1
        or m.bound
        or m.factors
        or not any(position_number(time) in g.variables() for g in m.guards)
    ):
        return None
    return Term(written, gate.scope)


def _split(
    recursion: Recursion, state: State, step: Term, solved: Set[str]
) -> tuple[Term, Term] | None:
    """G and B of a step G · S[time, at] + B; None if there is more of the states in it, also inside functions."""
    session = current()
    names = {s.name for s in recursion.states}
    unknown = names - solved
    known = declarations.current.bodies
    split = _of(Factor(state.name, (recursion.time, *state.at, *state.given)), step)
    for f in (f for one in split for m in one.parts for f in m.factors):
        if f.name in names or (f.name in known and spoken_of(f.name, session) & unknown):
            return None  # it is in step with others, and a product of such gates tells nothing
    return split


def _of(own: Factor, step: Term) -> tuple[Term, Term]:
    """G and B of a step G · own + B, whatever they speak of."""
    gate = {m.divided(own): c for m, c in step.parts.items() if own in m.factors}
    rest = {m: c for m, c in step.parts.items() if own not in m.factors}
    return Term(gate, step.scope), Term(rest, step.scope)


def _canonical(recursion: Recursion, session: Proving) -> None:
    """A product of a named factor is the product of what the name stands for; one in two cases is two products."""
    (state, *others), (step, *_) = recursion.states, recursion.step
    if others or not session.is_product(state.name):
        return
    own = Factor(state.name, (recursion.time, *state.given))
    after = simplified(step).parts
    if not all(own in m.factors for m in after):  # the product itself goes by another name
        return
    formula = {m.divided(own): c for m, c in after.items()}
    end = _end(formula, recursion.time) if state.name in session.ranged else None
    grown = [] if end is not None else common(formula)
    named = any(has_meaning(f, session) for m in step.parts for f in m.factors)
    if end is None and not grown and not named:
        return
    count = position("m", 0)  # the product has any number of factors, but an induction an end
    when = position("t", 0, count + 1)
    running, low, high, given = recursion.time, Index(0), when, state.given
    if state.name in session.ranged:
        running = position("r")
        images = {position_number(given[0]): running - recursion.time}
        formula = {m.substitute(images, m.bound): c for m, c in formula.items()}
        grown = [f.substitute(images) for f in grown]
        if grown:  # a sum that begins at 0 says what is summed up from where on
            given = position("s", 0), *given[1:]
        low, high = given[0], given[0] + when
    if end is not None:
        right = _in_two_cases(formula, end.substitute(images), running, low, high)
    else:
        for f in grown:
            formula = {m.divided(f): c for m, c in formula.items()}
        right = _product(formula, running, low, high) * accumulated(grown, running, low, high)
    claim = Factor(state.name, (when, *given))
    try:
        (rule,) = by_induction(when, [(claim, right)]).rules
    except KernelError:
        return
    session.closed[state.name] = rule, (position_number(count),)


def _product(of: Mapping[Monomial, Fraction], running: Index, start: Index, stop: Index) -> Term:
    return running_product(sum_of(of.items()), running, start, stop)


def _in_two_cases(
    formula: Mapping[Monomial, Fraction], end: Index, running: Index, low: Index, high: Index
) -> Term:
    """A product whose factor is one before a place and another from there on: two products."""
    turn = running - end
    first, then = _cases(formula, end)
    return (
        indicator(low - turn) * _product(then, running, low, high)
        + indicator(turn - high) * indicator(turn - low - 1) * _product(first, running, low, high)
        + indicator(turn - low - 1, high - turn - 1)
        * _product(first, running, low, turn)
        * _product(then, running, turn, high)
    )


def _end(formula: Mapping[Monomial, Fraction], time: Index) -> Index | None:
    """The e of the guards e ≥ 0 and e < 0 that distinguish two cases of a product's factor, if there are but these."""
    t = position_number(time)
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
        case = summed(
            (m._replace(guards=m.guards - {holds}), c)
            for m, c in formula.items()
            if negation(holds) not in m.guards
        )
        cases.append({m: c for m, c in case.items() if c})
    return cases[0], cases[1]

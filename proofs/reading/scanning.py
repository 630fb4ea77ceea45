"""A scan over a symbolic number of tokens: a recursion of the kernel, solved in closed form where that can be done.

The step is run once on states of which nothing is known; that defines the recursion. Where a state is a gate times
itself plus an input, its closed form is guessed and proved by induction. Then the step is run again, on the closed
forms, for the outputs. A state without a closed form stays what its recursion says it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, cast

from scanproof.constructs.scan import Scan, leaves, map_leaves

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position, reach, variable
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.rules import Rewriting
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from ..search import tape
from ..search.encoding import expect
from ..search.inductions import by_induction
from ..search.normal import rewriting, simplified, tidy
from ..search.session import Lemma, current
from .array import KernelArray
from .products import running_product
from .questions import Unreadable
from .size import plain
from .terms import equal_indices, indicator, put, total


def scan(step: Any, parameters: Any, state: Any, tokens: Any, length: Index) -> Scan:
    """`constructs.scan.scan` on kernel arrays: states, outputs and the last state as comprehensions."""

    def at(time: Index, before: Any) -> tuple[Any, Any]:
        token = map_leaves(lambda leaf: leaf[plain(time)], tokens)
        return step(parameters, before, token)

    return run_recursion(at, state, length, [*leaves(tokens), *leaves(parameters)], step)


def merged(
    step: Any, parameters: Any, state: Any, tokens: Any, chunks: Index, length: Index
) -> Scan:
    """A scan over chunks · length tokens, as a scan over the chunks of scans: their order is the same."""

    def at(chunk: Index, before: Any) -> tuple[Any, Any]:
        own = map_leaves(lambda leaf: leaf[plain(chunk)], tokens)
        inner = scan(step, parameters, before, own, length)
        return inner.final_state, inner

    found = run_recursion(at, state, chunks, [*leaves(tokens), *leaves(parameters)], step)
    return Scan(found.outputs.states, found.outputs.outputs, found.final_state)


def iterated(step: Callable[[Any], Any], state: Any, count: Index) -> Scan:
    """`count` applications of `state = step(state)`; the states are those before each of them."""
    found = run_recursion(lambda time, before: (step(before), before), state, count, [], step)
    return Scan(found.outputs, None, found.final_state)


def run_recursion(
    at: Callable[[Index, Any], tuple[Any, Any]],
    state: Any,
    length: Index,
    others: Sequence[KernelArray],
    step: Callable[..., Any],
) -> Scan:
    """A state that goes through `length` turns.

    Args:
        at: (time, state before) -> (state after, output), with tuples of kernel arrays.
        state: the state before the first turn.
        length: how many turns.
        others: the arrays that a turn reads besides.
        step: what derivations name.
    """
    start = leaves(state)
    time = position("t", 0, length)
    places = [[position("i", 0, d) for d in leaf.dims] for leaf in start]
    states, steps = _opaque(at, state, start, time, places, length, others)
    recursion = Recursion(
        time,
        states,
        [simplified(leaf.entry(i)) for leaf, i in zip(start, places, strict=True)],
        [simplified(leaf.entry(i)) for leaf, i in zip(steps, places, strict=True)],
    )
    current().add(recursion, step)
    closed = _solved(recursion, length)
    when = time

    def held(moment_: Index) -> list[KernelArray]:
        """The states at a moment, closed where they are solved."""
        arrays = []
        for k, leaf in enumerate(start):
            found = closed.get(k)
            if found is None:
                term = states[k].entry(moment_, places[k])
            else:
                term = simplified(put(found[1], {found[0]: moment_}))
            arrays.append(KernelArray(leaf.dims, places[k], term))
        return arrays

    before = iter(held(time))
    _, output = at(time, map_leaves(lambda _: next(before), state))
    through = iter(
        KernelArray((length, *a.dims), (when, *a.at), simplified(a.term)) for a in held(time + 1)
    )
    last = iter(held(length))
    return Scan(
        map_leaves(lambda _: next(through), state),
        map_leaves(lambda leaf: _stacked(leaf, time, length), output),
        map_leaves(lambda _: next(last), state),
    )


def _stacked(leaf: KernelArray, time: Index, length: Index) -> KernelArray:
    if any(d.variables() & time.variables() for d in leaf.dims):
        raise Unreadable("outputs of different lengths")
    return KernelArray((length, *leaf.dims), (time, *leaf.at), leaf.term)


def _opaque(at, state, start, time, places, length, others):
    """States of which nothing is known, and what the step makes of them."""
    given: list[Index] = []
    while True:
        states = [new_state("S", i, given) for i in places]
        before = iter(
            KernelArray(leaf.dims, i, s.entry(time, i))
            for leaf, i, s in zip(start, places, states, strict=True)
        )
        after, _ = at(time, map_leaves(lambda _, before=before: next(before), state))
        steps = leaves(after)
        if [leaf.dims for leaf in steps] != [leaf.dims for leaf in start]:
            raise Unreadable("a step that changes the shape of its state")
        more = _spoken_of(start, steps, places, time, length)
        if more == [position_of(v) for v in given]:
            return states, steps
        given = [variable(v) for v in more]


def position_of(v: Index) -> int:
    return v.terms[0][0]


def _spoken_of(start, steps, places, time, length) -> list[int]:
    """Every other position that a recursion speaks of."""
    found = set(length.variables())
    own = {position_of(time)}
    for leaf, after, place in zip(start, steps, places, strict=True):
        own |= {position_of(v) for v in place}
        for one in (leaf, after):
            found |= one.term.scope - {position_of(v) for v in one.at}
        found = found.union(*(d.variables() for d in leaf.dims))
    return sorted(reach(found) - own - declarations.current.sizes)


Closed = dict[int, tuple[Index, Term]]
"""For each state that has a closed form: (when, term)."""


def _solved(recursion: Recursion, length: Index) -> Closed:
    def again(lemmas: Sequence[Lemma]) -> Closed:
        return dict(_closed(recursion, length, lemma) for lemma in lemmas)

    return tape.choice(lambda: _search(recursion, length), again)


def _closed(recursion: Recursion, length: Index, lemma: Lemma) -> tuple[int, tuple[Index, Term]]:
    """The state that a lemma is the closed form of, and that form: whoever found it, it is compared with the recursion.

    Raises:
        Malformed: unless it is about one state of the recursion, at every time from 0 to the length and at every
            position.
    """
    expect("a lemma about one state", len(lemma.rules) == 1, len(lemma.rules))
    (rule,) = lemma.rules
    places = {s.name: (*s.at, *s.given) for s in recursion.states}
    factor = cast(Factor, rule.left)  # lemmas have one on their left side
    known = isinstance(factor, Factor) and factor.name in places
    expect("a lemma about a state of this recursion", known, factor)
    when = lemma.when
    time = len(when.terms) == 1 and declared(position_of(when)) == (when, length - when)
    expect(f"a lemma about the times from 0 to {length!r}", time, when)
    at = (when, *places[factor.name])
    every = {position_of(e) for e in at} - declarations.current.sizes
    whole = factor == Factor(factor.name, at) and every <= rule.over
    expect(f"a lemma about every entry of {factor.name}", whole, factor)
    return list(places).index(factor.name), (when, rule.right)


def _search(recursion: Recursion, length: Index) -> Closed:
    solved: Closed = {}
    rules: list[Theorem] = []
    progress = True
    while progress:
        progress = False
        for k in range(len(recursion.states)):
            if k in solved:
                continue
            step = _rewritten(recursion.step[k], rules)
            when = position("t", 0, length + 1)
            try:
                guess = _closed_form(recursion, k, step, when)
                if guess is None:
                    continue
                state = recursion.states[k]
                claim = Factor(state.name, (when, *state.at, *state.given))
                lemma = by_induction(when, [(claim, guess)], rules)
            except KernelError:
                continue
            rules += lemma.rules
            solved.update([_closed(recursion, length, lemma)])
            progress = True
    return solved


def _rewritten(term: Term, rules: Sequence[Theorem]) -> Term:
    """The term with the closed forms of the states that have one."""
    if not rules:
        return term
    work = Rewriting(term)
    tape.run("rewrite", work, lambda work: tidy(work, [rewriting(rules)]))
    return work.term()


def _closed_form(recursion: Recursion, which: int, step: Term, when: Index) -> Term | None:
    """For S[t + 1] = G(t) S[t] + B(t): Π_{r<when} G(r) S[0] + Σ_{s<when} Π_{s<r<when} G(r) B(s)."""
    state, time = recursion.states[which], recursion.time
    split = _split(recursion, state, step)
    if split is None:
        return None
    gate, increment = split
    first = recursion.first[which]
    written = _written(gate, time)
    if written is not None:
        inside = [written, when - 1 - written]
        return simplified(
            first * (1 + indicator(*inside) * -1) + put(increment, {time: written}, inside)
        )
    if not gate.parts:
        later = put(increment, {time: when - 1}, [when - 1])
        return simplified(equal_indices(when, 0) * first + later)
    s = position("s", 0, when)
    high = time  # the gate is taken at positions of the recursion's own time
    begun = running_product(gate, high, Index(0), when)
    going = running_product(gate, high, s + 1, when)
    added = put(increment, {time: s}) * going
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
            factors = list(m.factors)
            factors.remove(own)
            m = m._replace(factors=tuple(factors))
            gate[m] = c
        else:
            rest[m] = c
        if any(f.name in names for f in m.factors):
            return None
    return Term(gate, step.scope), Term(rest, step.scope)

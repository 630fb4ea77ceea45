"""A scan over a symbolic number of tokens: the step is run once, a closed form is guessed, the kernel checks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from scanproof.constructs.scan import Scan, leaves, map_leaves

from ..kernel.index import Index, facts, position, variable
from ..kernel.normal import simplified
from ..kernel.term import Monomial, Term, put, total
from ..kernel.theorem import Recursion, Solved, State, induction, moment, new_state, rewrite
from .array import KernelArray, running_product
from .size import Unreadable, plain

_solved: ContextVar[list[Solved] | None] = ContextVar("solved", default=None)


@contextmanager
def inductions() -> Iterator[list[Solved]]:
    """Collect the recursions that are solved inside the `with` block."""
    found: list[Solved] = []
    token = _solved.set(found)
    try:
        yield found
    finally:
        _solved.reset(token)


def _record(one: Solved) -> None:
    found = _solved.get()
    if found is not None:
        found.append(one)


def scan(step: Any, parameters: Any, state: Any, tokens: Any, length: Index) -> Scan:
    """`constructs.scan.scan` on kernel arrays: states, outputs and the last state as comprehensions.

    Raises:
        Unreadable: if no closed form is known for the state.
        NotProved: if the guessed one is wrong.
    """
    start = leaves(state)
    given = _given([*start, *leaves(tokens), *leaves(parameters)], length)
    time = position("t", 0, length)
    places = [[position("i", 0, d) for d in leaf.dims] for leaf in start]
    states = [new_state("Z", at, given) for at in places]
    before = iter(
        KernelArray(leaf.dims, at, s.entry(time, at))
        for leaf, at, s in zip(start, places, states, strict=True)
    )
    after, output = step(
        parameters,
        map_leaves(lambda _: next(before), state),
        map_leaves(lambda leaf: leaf[plain(time)], tokens),
    )
    steps = leaves(after)
    if [leaf.dims for leaf in steps] != [leaf.dims for leaf in start]:
        raise Unreadable("a step that changes the shape of its state")
    recursion = Recursion(
        time,
        length,
        states,
        [leaf.entry(at) for leaf, at in zip(start, places, strict=True)],
        [simplified(leaf.entry(at)) for leaf, at in zip(steps, places, strict=True)],
    )
    when = moment(recursion)
    closed = [_closed_form(recursion, k, when) for k in range(len(states))]
    solved = induction(recursion, when, closed)
    _record(solved)

    def at_moment(moment_: Index) -> list[KernelArray]:
        arrays = []
        for leaf, at, term in zip(start, places, solved.closed, strict=True):
            arrays.append(KernelArray(leaf.dims, at, put(term, {when: moment_})))
        return arrays

    through = iter(
        KernelArray((length, *a.dims), (time, *a.at), simplified(a.term))
        for a in at_moment(time + 1)
    )
    last = iter(at_moment(length))
    return Scan(
        map_leaves(lambda _: next(through), state),
        map_leaves(lambda leaf: _through(leaf, time, length, solved), output),
        map_leaves(lambda _: next(last), state),
    )


def _through(leaf: KernelArray, time: Index, length: Index, solved: Solved) -> KernelArray:
    if any(d.variables() & time.variables() for d in leaf.dims):
        raise Unreadable("outputs of different lengths")
    return KernelArray((length, *leaf.dims), (time, *leaf.at), rewrite(leaf.term, solved))


def _given(arrays: Sequence[KernelArray], length: Index) -> list[Index]:
    """Every variable that the recursion may speak of, besides time and the state's own positions."""
    found = set(length.variables())
    for one in arrays:
        own = {v for e in one.at for v in e.variables()}
        found |= one.term.scope - own
        found = found.union(*(d.variables() for d in one.dims))
    while True:
        more = {v for e in facts(found) for v in e.variables()} - found
        if not more:
            return [variable(v) for v in sorted(found)]
        found |= more


def _closed_form(recursion: Recursion, which: int, when: Index) -> Term:
    """For S[t + 1] = G(t) S[t] + B(t): Π_{r<when} G(r) S[0] + Σ_{s<when} Π_{s<r<when} G(r) B(s)."""
    state, step = recursion.states[which], recursion.step[which]
    gate, increment = _split(state, step, recursion.time)

    def decay(low: Index) -> Term:
        return running_product(lambda r: put(gate, {recursion.time: r}), low, when)

    s = position("s", 0, when)
    added = put(increment, {recursion.time: s}) * decay(s + 1)
    return simplified(decay(Index(0)) * recursion.first[which] + total(added, s))


def _split(state: State, step: Term, time: Index) -> tuple[Term, Term]:
    """G and B of a step G · S[time, at] + B."""
    ((own, _),) = state.entry(time, state.at).monomials.items()
    gate: dict[Monomial, Any] = {}
    rest: dict[Monomial, Any] = {}
    for m, c in step.monomials.items():
        if own.factors[0] in m.factors:
            factors = list(m.factors)
            factors.remove(own.factors[0])
            gate[m._replace(factors=tuple(factors))] = c
        else:
            rest[m] = c
        if any(f.name == state.name for f in m.factors if f != own.factors[0]):
            raise Unreadable("a state whose entries mix from step to step has no known closed form")
    scope = step.scope
    return Term(gate, scope), Term(rest, scope)

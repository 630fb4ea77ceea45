"""Definition by recursion: scans, running products, powers and iterations are all states that one defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from . import index
from .errors import IllTyped
from .index import Index, declared, position_number, reach, variable
from .term import Factor, Term, entry
from .theorem import BY_THE_KERNEL, Theorem


class State(NamedTuple):
    """An array that a recursion over `time` defines; its entries are name[time, *at, *given]."""

    name: str
    at: tuple[Index, ...]
    """Declared indices, one for each axis."""
    given: tuple[Index, ...]
    """All other positions that the recursion speaks of: it is another one for other values of them."""

    def entry(self, time: Index | int, at: Sequence[Index | int]) -> Term:
        """The state's entry at a time and place, as a term."""
        return entry(self.name, time, *at, *self.given)


def new_state(
    name: str, at: Sequence[Index], given: Sequence[Index], whole: str | None = None
) -> State:
    """A state with a name that nothing else has, `whole` if that is given."""
    at, given = tuple(at), tuple(given)
    new = State(index.current.fresh(name, whole), at, given)
    index.current.states[new.name] = new, None
    return new


class Recursion:
    """States S with S[0] = first and S[time + 1] = step in the range of `time` ≥ 0; `step` speaks of S at `time`.

    There is one S like that. `first` and `step` may speak of other states that still wait for their own recursion; of
    those entries S is a function. What is noted of them lets their recursion speak of S in turn, if it does not come
    to speak of itself at another time.
    """

    def __init__(
        self, time: Index, states: Sequence[State], first: Sequence[Term], step: Sequence[Term]
    ) -> None:
        t, known = position_number(time), index.current.states
        self.time, self.states = time, tuple(states)
        self.first, self.step = tuple(first), tuple(step)
        orders = {s.name: (t, *map(position_number, (*s.at, *s.given))) for s in self.states}
        if any(known.get(s.name) != (s, None) for s in self.states):
            raise IllTyped("a recursion defines new states")
        if any(len(set(order)) < len(order) for order in orders.values()):
            raise IllTyped("a state's positions are different ones")
        if time not in declared(t):
            raise IllTyped("a recursion's time runs from 0 on")
        for order, start, after in zip(orders.values(), self.first, self.step, strict=True):
            if t in reach([*order[1:], *start.scope]):
                raise IllTyped("a recursion's start and positions do not speak of its time")
            spoken = reach(start.scope | after.scope | set(order)) - index.current.sizes
            if not spoken <= set(order):
                raise IllTyped("a recursion speaks of a variable that it is not given")
        begins, goes = _waiting_in(self.first), _waiting_in(self.step)
        own = {f for f in goes if f.name in orders}
        if any(f.name in orders for f in begins) or any(f.at[:1] != (time,) for f in own):
            raise IllTyped("a recursion's start speaks of its states, or its step at another time")
        # A position that every entry of S in the step keeps is the same all the way down to the start.
        moves = [dict(zip(orders[f.name][1:], f.at[1:], strict=False)) for f in own]
        every = {v for order in orders.values() for v in order}
        lost = {v for v in every if v == t or any(at.get(v) != variable(v) for at in moves)}
        rests = frozenset(_substituted(f, dict.fromkeys(lost, ANY)) for f in (begins | goes) - own)
        self.definitions: list[tuple[Theorem, Theorem]] = []
        """For each state what it is at 0, and at time + 1."""
        for (name, order), start, after in zip(orders.items(), self.first, self.step, strict=True):
            at, known[name] = [variable(v) for v in order[1:]], (order, rests)
            sides = (Index(0), start, order[1:]), (time + 1, after, order)
            begin, go = (
                _definition(Factor(name, (when, *at)), right, over, k)
                for k, (when, right, over) in enumerate(sides)
            )
            self.definitions.append((begin, go))
        index.current.recursions.append(self)


def _definition(left: Factor, right: Term, over: Iterable[int], k: int) -> Theorem:
    proof = "definition", left.name, k
    return Theorem("definition", left, right, frozenset(over), frozenset(), BY_THE_KERNEL, proof)


def _waiting_in(terms: Iterable[Term]) -> set[Factor]:
    for term in terms:
        Term(term.parts, term.scope)  # it may have been made where other things are declared
    factors = {f for term in terms for m in term.parts for f in m.factors}
    known: dict[Factor, set[Factor]] = {}
    return {g for f in factors for g in _waiting(_substituted(f, {}), known)}


def _waiting(f: Factor, known: dict[Factor, set[Factor]]) -> set[Factor]:
    """The entries that an entry is a function of, of states that have no recursion yet."""
    if f not in known:
        known[f] = _looked_up(f, known)
    return known[f]


def _looked_up(f: Factor, known: dict[Factor, set[Factor]]) -> set[Factor]:
    function = index.current.bodies.get(f.name)
    order, rests = index.current.states.get(f.name, ((), ()))
    if function is not None:
        order = range(-1, -function.arity - 1, -1)
        rests = {g for m, _ in function.body for g in m.factors}
    if rests is None:
        return {f}
    images = dict(zip(order, f.at, strict=False))
    return {g for one in rests for g in _waiting(_substituted(one, images), known)}


ANY = variable(0)
"""Stands for every position that is not the same all the way."""


def _substituted(f: Factor, images: Mapping[int, Index]) -> Factor:
    """Bound indices that nothing is substituted for are any positions; two of them do not cancel."""
    at = []
    for e in f.at:
        names = {w for v in e.variables() for w in images.get(v, variable(v)).variables()}
        at.append(e.substitute(images) if min(names, default=1) > 0 else ANY)
    return Factor(f.name, tuple(at))

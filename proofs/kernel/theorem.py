"""Theorems: equations for all values of their variables, by rewriting, by definition and by induction only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import Any

from . import index
from .errors import IllTyped, NotProved
from .index import Index, as_index, declared, position, position_number, reach, variable
from .inequalities import implied
from .rules import HYPOTHESIS, Goal, Rewriting
from .term import Factor, Monomial, Term, entry, put

_made_here = object()


@dataclass(frozen=True, eq=False, slots=True)
class Theorem:
    """left = right for all values of their variables in the declared ranges."""

    left: Term
    right: Term
    used: frozenset[Any]
    """The rules that it rests on, and the inverses 1/T that were taken for such: T ≠ 0."""
    key: InitVar[object] = None
    registry: index.Registry = field(default_factory=lambda: index.current, init=False)

    def __post_init__(self, key: object) -> None:
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """factor = term for all values of the variables `over` in their ranges; what else is free is fixed."""

    name: str
    left: Factor
    right: Term
    over: frozenset[int]
    used: frozenset[Any] = frozenset()
    key: InitVar[object] = None
    registry: index.Registry = field(default_factory=lambda: index.current, init=False)

    def __post_init__(self, key: object) -> None:
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")
        index.current.rules.append(self)

    def instance(
        self, factor: Factor, images: Mapping[int, Index], m: Monomial, place: Rewriting
    ) -> list[tuple[Monomial, Fraction]]:
        """What the factor of the monomial m is equal to; bound indices are numbered after those of m."""
        if self.registry is not index.current:
            raise IllTyped("a theorem is used where its variables are not declared")
        if set(images) != self.over or self.left.put(images) != factor:
            raise IllTyped(f"the {self.name} does not speak of {factor}")
        own = {v for e in images.values() for v in e.variables()}
        if not own <= place.scope | set(range(-m.bound, 0)):
            raise IllTyped("an index speaks of a variable outside the scope")
        fixed = reach(self.brings | self.over) - self.over
        if not fixed - index.current.sizes <= reach(place.scope):
            raise IllTyped("a theorem is used outside the scope of a variable that it fixes")
        known = [*place.known, *m.guards]
        for v in self.over:
            if not all(implied(fact.put(images), known) for fact in declared(v)):
                raise IllTyped(f"the {self.name} is used outside the range of {index.name(v)}")
        own = [(n.after(m.bound), c) for n, c in self.right.parts.items()]
        return [(n.put(images, n.bound), c) for n, c in own]

    @property
    def brings(self) -> frozenset[int]:
        """The variables that it fixes and speaks of."""
        return (self.right.scope | self.left.variables()) - self.over


Tactic = Callable[[Goal, Sequence[Rule]], None]
"""Rewrites a goal until nothing is left; what it leaves over is not proved."""


def equation(left: Term, right: Term, tactic: Tactic, rules: Sequence[Rule] = ()) -> Theorem:
    """left = right, shown by rewriting the difference to 0.

    Raises:
        NotProved, TooHard: if that does not show it.
    """
    return Theorem(left, right, _shown(left, right, tactic, rules), _made_here)


def _shown(
    left: Term, right: Term, tactic: Tactic, rules: Iterable[Rule], hypotheses: Iterable[Rule] = ()
) -> frozenset[Any]:
    """What left = right rests on."""
    goal = Goal(left - right, hypotheses)
    tactic(goal, [*rules, *hypotheses])
    if not goal.closed():
        raise NotProved("something is left over")
    return goal.used


@dataclass(frozen=True)
class State:
    """An array that a recursion over `time` defines; its entries are name[time, *at, *given]."""

    name: str
    at: tuple[Index, ...]
    """Declared indices, one for each axis."""
    given: tuple[Index, ...]
    """All other positions that the recursion speaks of: it is another one for other values of them."""

    def entry(self, time: Index | int, at: Sequence[Index | int]) -> Term:
        return entry(self.name, time, *at, *self.given)


def new_state(name: str, at: Sequence[Index], given: Sequence[Index]) -> State:
    """A state with a name that nothing else has."""
    states = index.current.states
    new = State(index.current.fresh(name), tuple(at), tuple(given))
    states[new.name] = (0,) * (1 + len(new.at) + len(new.given)), None
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
        orders = {s.name: (t, *map(position_number, (*s.at, *s.given))) for s in states}
        if not len(orders) == len(states) == len(first) == len(step):
            raise IllTyped("a recursion needs one start and one step for each of its states")
        if any(known.get(name) != ((0,) * len(vs), None) for name, vs in orders.items()):
            raise IllTyped("a recursion defines new states")
        if time not in declared(t):
            raise IllTyped("a recursion's time runs from 0 on")
        for order, start, after in zip(orders.values(), first, step, strict=True):
            if len(set(order)) != len(order) or t in reach([*order[1:], *start.scope]):
                raise IllTyped("a recursion's positions are different and do not speak of its time")
            if not reach(start.scope | after.scope | set(order)) - index.current.sizes <= set(
                order
            ):
                raise IllTyped("a recursion speaks of a variable that it is not given")
        begins, goes = _waiting_in(first), _waiting_in(step)
        own = {f for f in goes if f.name in orders}
        if any(f.name in orders for f in begins) or any(f.at[:1] != (time,) for f in own):
            raise IllTyped("a recursion's start speaks of its states, or its step at another time")
        # A position that every entry of S in the step keeps is the same all the way down to the start.
        moves = [dict(zip(orders[f.name][1:], f.at[1:], strict=False)) for f in own]
        every = {v for order in orders.values() for v in order}
        lost = {v for v in every if v == t or any(at.get(v) != variable(v) for at in moves)}
        rests = frozenset(_put(f, dict.fromkeys(lost, ANY)) for f in (begins | goes) - own)
        self.time, self.states, self.first, self.step = (
            time,
            tuple(states),
            tuple(first),
            tuple(step),
        )
        self.rules: list[tuple[Rule, Rule]] = []
        """For each state what it is at 0, and at time + 1."""
        for (name, order), start, after in zip(orders.items(), first, step, strict=True):
            at = [variable(v) for v in order[1:]]
            begun, going = Factor(name, (Index(0), *at)), Factor(name, (time + 1, *at))
            begin = Rule("definition", begun, start, frozenset(order[1:]), key=_made_here)
            go = Rule("definition", going, after, frozenset(order), key=_made_here)
            self.rules.append((begin, go))
            known[name] = order, rests


def _waiting_in(terms: Iterable[Term]) -> set[Factor]:
    factors = {f for term in terms for m in term.parts for f in m.factors}
    return {g for f in factors for g in _waiting(_put(f, {}))}


def _waiting(f: Factor) -> set[Factor]:
    """The entries that an entry is a function of, of arrays without a recursion: each may get one yet."""
    function = index.current.bodies.get(f.name)
    order, rests = index.current.states.get(f.name, ((), None))
    if function is not None:
        order = range(-1, -function.arity - 1, -1)
        rests = {g for m, _ in function.body for g in m.factors}
    if rests is None:
        return {f}
    images = dict(zip(order, f.at, strict=False))
    return {g for one in rests for g in _waiting(_put(one, images))}


ANY = variable(0)
"""Stands for every position that is not the same all the way."""


def _put(f: Factor, images: Mapping[int, Index]) -> Factor:
    """Bound indices, if nothing is put for them, are any positions; two of them do not cancel."""
    whole = [
        {w for v in e.variables() for w in images.get(v, variable(v)).variables()} for e in f.at
    ]
    at = [
        e.put(images) if min(vs, default=1) > 0 else ANY for e, vs in zip(f.at, whole, strict=True)
    ]
    return Factor(f.name, tuple(at))


def moment(length: Index | int) -> Index:
    """An index for the time of a closed form: 0 ≤ it ≤ length."""
    return position("t", 0, as_index(length) + 1)


def induction(
    when: Index,
    claims: Sequence[tuple[Factor, Term]],
    tactic: Tactic,
    rules: Sequence[Rule] = (),
) -> list[Rule]:
    """factor = term for every value of `when`, all claims together: at 0, and from each time to the next.

    Args:
        when: an index from 0 to a length, as `moment` makes it.
        claims: the equations, for all values of their positions.
        tactic: shows the goals; it is given the induction's hypothesis among the rules.
        rules: what is known besides.

    Raises:
        NotProved, TooHard: if the start or the step is not shown.
    """
    t = position_number(when)
    length = declared(t)[1] + when
    if declared(t) != (when, length - when):
        raise IllTyped("induction runs over an index from 0 to a length")
    time = position("t", 0, length)
    fixed = reach([t]) - {t}
    given, hypotheses = [], []
    for factor, right in claims:
        left = entry(factor.name, *factor.at)
        over = reach(left.scope | right.scope | fixed) - {t} - index.current.sizes
        if any(t in reach([v]) for v in over):
            raise IllTyped("a position of an induction has a range that depends on the time")
        given.append((factor, left, right, over))
        now = put(right, {when: time})
        at_time = factor.put({t: time})
        hypotheses.append(Rule(HYPOTHESIS, at_time, now, frozenset(over - fixed), key=_made_here))
    used: set[Any] = set()
    for _, left, right, _ in given:
        for at, known in ((as_index(0), []), (time + 1, hypotheses)):
            used |= _shown(put(left, {when: at}), put(right, {when: at}), tactic, rules, known)
    used -= set(hypotheses)
    return [
        Rule("lemma", factor, right, frozenset({*over, t}), frozenset(used), _made_here)
        for factor, _, right, over in given
    ]

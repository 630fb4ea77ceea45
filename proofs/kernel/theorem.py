"""Theorems: equations for all values of their variables, by rewriting, by definition and by induction only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import index
from .errors import IllTyped, NotProved
from .index import Index, as_index, declared, facts, position, position_number, reach, variable
from .inequalities import implied
from .rules import Goal, Rewriting
from .term import Factor, Monomial, Term, entry, put

_made_here = object()


class Theorem:
    """left = right for all values of their variables in the declared ranges."""

    __slots__ = ("left", "registry", "right", "used")

    def __init__(self, left: Term, right: Term, used: Iterable[Any], key: object = None) -> None:
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")
        self.left, self.right, self.registry = left, right, index.current
        self.used = frozenset(used)
        """The rules that it rests on, and the inverses 1/T that were taken for such: T ≠ 0."""


class Rule:
    """factor = term for all values of the variables `over` in their ranges; what else is free is fixed."""

    __slots__ = ("left", "name", "over", "registry", "right", "used")

    def __init__(
        self,
        name: str,
        left: Factor,
        right: Term,
        over: Iterable[int],
        used: Iterable[Any] = (),
        key: object = None,
    ) -> None:
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")
        self.name, self.left, self.right, self.registry = name, left, right, index.current
        self.over, self.used = frozenset(over), frozenset(used)
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
        if any(v not in place.scope and not 0 > v >= -m.bound for v in own):
            raise IllTyped("an index speaks of a variable outside the scope")
        free = self.right.scope | self.left.variables()
        fixed = reach(free | self.over) - self.over
        if not fixed - index.current.sizes <= reach(place.scope):
            raise IllTyped("a theorem is used outside the scope of a variable that it fixes")
        known = [*place.known, *m.guards]
        for v in self.over:
            if not all(implied(fact.put(images), known) for fact in declared(v)):
                raise IllTyped(f"the {self.name} is used outside the range of {index.name(v)}")
        place.extend(fixed & free)
        result = []
        for n, c in self.right.parts.items():
            n = n.after(m.bound)
            result.append((n.put(images, n.bound), c))
        return result


Tactic = Callable[[Goal, Sequence[Rule]], None]
"""Rewrites a goal until nothing is left; what it leaves over is not proved."""


def equation(left: Term, right: Term, tactic: Tactic, rules: Sequence[Rule] = ()) -> Theorem:
    """left = right, shown by rewriting the difference to 0.

    Raises:
        NotProved, TooHard: if that does not show it.
    """
    goal = Goal(left - right)
    tactic(goal, rules)
    if not goal.closed():
        raise NotProved("something is left over")
    return Theorem(left, right, goal.used, _made_here)


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
    states[unique := f"{name}'{len(states)}"] = False
    return State(unique, tuple(at), tuple(given))


class Recursion:
    """States S with S[0] = first and S[time + 1] = step in the range of `time` ≥ 0; `step` speaks of S at `time`."""

    def __init__(
        self,
        time: Index,
        states: Sequence[State],
        first: Sequence[Term],
        step: Sequence[Term],
    ) -> None:
        names = {s.name for s in states}
        defined = index.current.states
        t = position_number(time)
        if not len(states) == len(first) == len(step) == len(names):
            raise IllTyped("a recursion needs one start and one step for each of its states")
        if any(defined.get(name, True) for name in names):
            raise IllTyped("a recursion defines new states")
        if time not in declared(t):
            raise IllTyped("a recursion's time runs from 0 on")
        self.rules: list[tuple[Rule, Rule]] = []
        """For each state what it is at 0, and at time + 1."""
        for state, start, after in zip(states, first, step, strict=True):
            places = [position_number(v) for v in (*state.at, *state.given)]
            speaks = reach(start.scope | after.scope | {*places, t})
            if len({*places, t}) != len(places) + 1 or t in reach([*places, *start.scope]):
                raise IllTyped("a recursion's positions are different and do not speak of its time")
            if not speaks - {t} - index.current.sizes <= set(places):
                raise IllTyped("a recursion speaks of a variable that it is not given")
            if names & mentioned(start) or names & {n for n in mentioned(after, inside=True)}:
                raise IllTyped("a recursion's start speaks of its states, or a function does")
            if any(f.name in names and f.at[0] != time for m in after.parts for f in m.factors):
                raise IllTyped("a recursion's step speaks of its states at another time than `time`")
            begun = Factor(state.name, (as_index(0), *state.at, *state.given))
            going = Factor(state.name, (time + 1, *state.at, *state.given))
            self.rules.append(
                (
                    Rule("definition", begun, start, places, (), _made_here),
                    Rule("definition", going, after, [t, *places], (), _made_here),
                )
            )
        for name in names:
            defined[name] = True
        self.time, self.states = time, tuple(states)
        self.first, self.step = tuple(first), tuple(step)


def mentioned(term: Term, inside: bool = False) -> set[str]:
    """The names of the term's factors, and of what functions in it are taken of; the latter alone if `inside`."""
    found = {f.name for m in term.parts for f in m.factors}
    result, waiting = set() if inside else set(found), list(found)
    while waiting:
        function = index.current.bodies.get(waiting.pop())
        new = {f.name for m, _ in function.body for f in m.factors} - result if function else set()
        result |= new
        waiting += new
    return result


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
        given.append((left, right, over))
        now = put(right, {when: time})
        at_time = factor.put({t: time})
        name = "induction hypothesis"
        hypotheses.append(Rule(name, at_time, now, over - fixed, (), _made_here))
    used: set[Any] = set()
    for left, right, _ in given:
        for at, known in ((as_index(0), [*rules]), (time + 1, [*rules, *hypotheses])):
            shown = equation(put(left, {when: at}), put(right, {when: at}), tactic, known)
            used |= shown.used
    used -= set(hypotheses)
    return [
        Rule("lemma", factor, right, {*over, t}, used, _made_here)
        for (factor, right), (_, _, over) in zip(claims, given, strict=True)
    ]

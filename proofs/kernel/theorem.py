"""Theorems: equations for all values of their variables, made by normal form, by induction and by rewriting only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import IllTyped, TooHard
from .index import Index, as_index, declared, facts, position, variable
from .inequalities import implied
from .normal import show_zero, simplified
from .term import Factor, Monomial, Term, collected, entry, put

_made_here = object()
_started: set[str] = set()
_finished: set[str] = set()


class Theorem:
    """left = right for all values of their variables in the declared ranges, if no denominator is 0 there."""

    __slots__ = ("conditions", "left", "right")

    def __init__(self, left: Term, right: Term, key: object = None) -> None:
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")
        self.left, self.right = left, right
        self.conditions = frozenset(of for of in denominators(left, right) if of.as_index() is None)


def denominators(*terms: Term) -> set[Term]:
    return {f.of for t in terms for m in t.monomials for f in m.factors if f.of is not None}


def equation(left: Term, right: Term) -> Theorem:
    """left = right by normal form.

    Raises:
        NotProved, TooHard: if that does not show it.
    """
    show_zero(left - right)
    return Theorem(left, right, _made_here)


@dataclass(frozen=True)
class State:
    """An array that a recursion over `time` defines; its entries are name[time, *at, *given]."""

    name: str
    at: tuple[Index, ...]
    """Declared indices, one for each axis."""
    given: tuple[Index, ...]
    """All other variables that the recursion speaks of: it is another one for other values of them."""

    def entry(self, time: Index, at: Sequence[Index | int]) -> Term:
        return entry(self.name, time, *at, *self.given)


def new_state(name: str, at: Sequence[Index], given: Sequence[Index]) -> State:
    """A state with a name that nothing else has."""
    unique = f"{name}'{len(_started)}"
    _started.add(unique)
    return State(unique, tuple(at), tuple(given))


class Recursion:
    """States S with S[0] = first and S[time + 1] = step for 0 ≤ time < length; `step` speaks of S at `time`."""

    def __init__(
        self,
        time: Index,
        length: Index | int,
        states: Sequence[State],
        first: Sequence[Term],
        step: Sequence[Term],
    ) -> None:
        names = {s.name for s in states}
        if not len(states) == len(first) == len(step) == len(names):
            raise IllTyped("a recursion needs one start and one step for each of its states")
        if not names <= _started - _finished:
            raise IllTyped("a recursion defines new states")
        if declared(_number(time)) != (time, as_index(length) - 1 - time):
            raise IllTyped("a recursion's time runs from 0 to its length")
        for state, start, after in zip(states, first, step, strict=True):
            allowed = {_number(v) for v in (*state.at, *state.given)}
            if any(f.name in names for f in _factors(start)) or not start.scope <= allowed:
                raise IllTyped("a recursion's start speaks of its states, its time or a stranger")
            if not after.scope <= allowed | {_number(time)}:
                raise IllTyped("a recursion's step speaks of a variable that it is not given")
            if not as_index(length).variables() <= {_number(v) for v in state.given}:
                raise IllTyped("a recursion's length speaks of a variable that it is not given")
        for f in (f for term in step for f in _factors(term)):
            if f.name in names and (f.span is not None or f.at[0] != time):
                raise IllTyped(
                    "a recursion's step speaks of its states at another time than `time`"
                )
        _finished.update(names)
        self.time, self.length, self.states = time, as_index(length), tuple(states)
        self.first, self.step = tuple(first), tuple(step)


class Solved:
    """S[time, *at] = closed for 0 ≤ time ≤ length, all states of a recursion; made by `induction` only."""

    def __init__(self, recursion: Recursion, when: Index, closed: Sequence[Term], key: object):
        if key is not _made_here:
            raise IllTyped("theorems are made by the kernel's rules only")
        self.recursion, self.when, self.closed = recursion, when, tuple(closed)


def moment(recursion: Recursion) -> Index:
    """An index for the time of a closed form: 0 ≤ it ≤ length."""
    return position("t", 0, recursion.length + 1)


def induction(recursion: Recursion, when: Index, closed: Sequence[Term]) -> Solved:
    """The closed forms, terms in `when`, by induction: they start right, and the step takes them to the next.

    Raises:
        NotProved, TooHard: if the start or the step is not shown.
    """
    if declared(_number(when)) != (when, recursion.length - when):
        raise IllTyped("a closed form is stated for the times 0 to the recursion's length")
    names = {s.name for s in recursion.states}
    if len(closed) != len(names) or any(f.name in names for t in closed for f in _factors(t)):
        raise IllTyped("a closed form for each state, free of the states, is needed")
    solved = Solved(recursion, when, closed, _made_here)
    for k, term in enumerate(closed):
        show_zero(put(term, {when: 0}) - recursion.first[k])
        after = rewrite(recursion.step[k], solved)  # the induction's hypothesis, at `time`
        show_zero(put(term, {when: recursion.time + 1}) - after)
    return solved


def rewrite(term: Term, solved: Solved) -> Term:
    """The term with the closed forms for the states; each index must lie in its axis, as far as guards let it."""
    table = {s.name: (s, c) for s, c in zip(solved.recursion.states, solved.closed, strict=True)}
    scope = set(term.scope)
    pairs = []
    for m, c in term.monomials.items():
        kept = [_rewritten(f, solved, set(table)) for f in m.factors if f.name not in table]
        scope |= {v for f in kept if f.of is not None for v in f.of.scope}
        rest = m._replace(factors=tuple(kept))
        new = [(rest, c)]
        for f in m.factors:
            if f.name in table:
                state, closed = table[f.name]
                images = _images(f, state, solved.when, [*facts(term.scope), *m.guards])
                if not closed.scope <= set(images):
                    raise IllTyped("a closed form speaks of a variable that the state does not")
                new = [
                    (_joined(one, n, images), d * e)
                    for one, d in new
                    for n, e in closed.monomials.items()
                ]
                scope |= {v for e in images.values() for v in e.variables() if v > 0}
        pairs += new
    return simplified(Term(collected(pairs), scope))


def _rewritten(f: Factor, solved: Solved, names: set[str]) -> Factor:
    """An inverse 1/T with T rewritten; what is no inverse, or has no state in it, as it is."""
    if f.of is None or not any(g.name in names for g in _factors(f.of)):
        return f
    if any(v < 0 for v in f.variables()):
        raise TooHard("a state in a denominator with a bound index of its term")
    return f._replace(of=rewrite(f.of, solved))


def _images(f: Factor, state: State, when: Index, known: Sequence[Index]) -> dict[int, Index]:
    """What the closed form's variables stand for in this entry of the state, all within their ranges."""
    variables = [when, *state.at, *state.given]
    if f.span is not None or len(f.at) != len(variables):
        raise IllTyped(f"{f.name} is not an entry of the state")
    images = {_number(v): e for v, e in zip(variables, f.at, strict=True)}
    rows = [*known, *facts(v for e in images.values() for v in e.variables())]
    for v in images:
        if not all(implied(fact.put(images), rows) for fact in declared(v)):
            raise IllTyped(f"{f.name} is read outside its range")
    return images


def _joined(one: Monomial, other: Monomial, images: dict[int, Index]) -> Monomial:
    """one · other with `images`, which speak of bound indices of `one`, in `other`."""
    moved = {-k: variable(-k - one.bound) for k in range(1, other.bound + 1)}
    other = other.put(moved, other.bound).put(images, other.bound)
    bound = one.bound + other.bound
    return Monomial(bound, one.guards | other.guards, one.factors + other.factors)


def _number(v: Index) -> int:
    return v.terms[0][0]


def _factors(term: Term) -> list[Factor]:
    found = [f for m in term.monomials for f in m.factors]
    return found + [g for f in found if f.of is not None for g in _factors(f.of)]

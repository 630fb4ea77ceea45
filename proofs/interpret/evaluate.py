"""The value of a kernel term at given sizes and entries, by plain enumeration: no rule of the kernel is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ..kernel import index as declarations
from ..kernel.index import Index, declared, facts
from ..kernel.term import (
    DEFINED,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    function_of,
)
from .session import Session

STRIDE = 10
"""A state is computed by this many steps from one that is computed before."""
Entries = Callable[[str, tuple[int, ...]], Any]
"""The value of the entry of a named array."""


class Evaluator:
    """Values of terms where the entries of arrays are given; states are computed by their recursions."""

    def __init__(
        self,
        entries: Entries,
        session: Session | None = None,
        functions: Callable[[str, Any], Any] | None = None,
    ) -> None:
        self.entries = entries
        self.functions = functions or (lambda name, value: entries(name, (value,)))
        """The value of a named function, which an array may share its name with."""
        self.recursions = session.recursions if session else {}
        self._known: dict[Any, Any] = {}
        self._sizes = sorted(declarations.current.sizes)
        self._bodies: dict[str, list[tuple[Monomial, Any]]] = {}

    def value(self, term: Term, at: Mapping[int, int]) -> Any:
        """The term where its variables have the values `at`.

        Raises:
            ZeroDivisionError: where a denominator is 0.
            ValueError: if a bound index has no range, or a function has no exact value.
        """
        found = self._sum(_plain(term.parts.items()), dict(at))
        return Fraction(found) if type(found) is int else found

    def _sum(
        self, pairs: Iterable[tuple[Monomial, Any]], at: dict[int, int], bound: int = 0
    ) -> Any:
        result: Any = 0
        for m, c in pairs:
            plan = _plan(m, bound, frozenset(at))
            if plan is None:
                subtotal = self._searched(m, at, bound)
            elif all(at_index(g, at) >= 0 for g in plan.guards):
                subtotal = self._nested(plan.depths, 0, dict(at), m.bound)
            else:
                continue
            if subtotal is not None:  # whole numbers stay such until the coefficient comes
                result = result + (subtotal if c == 1 else c * subtotal)
        return result

    def _nested(self, depths: Sequence[Depth], d: int, place: dict[int, int], bound: int) -> Any:
        """Σ of the product of the factors from this depth on; None if it is over nothing at all.

        A factor stands before the sums over indices that it does not mention, and counts only if they are over
        something: elsewhere it need not have a value.
        """
        v, fences, factors = depths[d]
        low, high = _range(v, fences, place) if fences else (0, 0)
        last = d + 1 == len(depths)
        result: Any = None
        for n in range(low, high + 1):
            place[v] = n
            product = 1 if last else self._nested(depths, d + 1, place, bound)
            if product is not None:
                for f in factors:
                    product = product * self._factor(f, place, bound)
                result = product if result is None else result + product
        place.pop(v, None)
        return result

    def _searched(self, m: Monomial, at: dict[int, int], bound: int) -> Any:
        """The same where ends of indices speak of one another."""
        result: Any = None
        for place in _searched(m, at, bound):
            product: Any = 1
            for f in m.factors:
                product = product * self._factor(f, place, m.bound)
            result = product if result is None else result + product
        return result

    def _factor(self, f: Factor, place: dict[int, int], bound: int) -> Any:
        spots = tuple(at_index(e, place) for e in f.at)
        if f.name == NUMBER:
            return spots[0]
        name = function_of(f)
        if f.name == INVERSE_NUMBER:
            return Fraction(1) / spots[0]
        if name is not None:
            key = f.name, spots, *[place.get(v) for v in self._sizes]
            if key not in self._known:
                self._known[key] = self._function(name, f.name, spots, place)
            return self._known[key]
        if f.name in self.recursions:
            return self._state(f.name, spots, place)
        return self.entries(f.name, spots)

    def _function(
        self, function: str, name: str, spots: tuple[int, ...], place: dict[int, int]
    ) -> Any:
        """The value of a function of a term, whose first bound indices are its positions."""
        if name not in self._bodies:
            self._bodies[name] = _plain(declarations.current.bodies[name].body)
        at = {v: n for v, n in place.items() if v > 0}
        at.update({-k: n for k, n in enumerate(spots, start=1)})
        inner = self._sum(self._bodies[name], at, len(spots))
        if function == DEFINED:
            return inner
        return Fraction(1) / inner if function == INVERSE else self.functions(function, inner)

    def _state(self, name: str, spots: tuple[int, ...], place: dict[int, int]) -> Any:
        if (name, spots) not in self._known:
            recursion, k = self.recursions[name]
            state = recursion.states[k]
            time, *others = spots
            if time < 0:
                raise ValueError(f"{name} is read before its start")
            if time > STRIDE:  # Python's stack is not deep enough for all times at once
                self._state(name, (time - STRIDE, *others), place)
            given = zip((*state.at, *state.given), others, strict=True)
            at = {**place, **{v.terms[0][0]: n for v, n in given}}
            at = {v: n for v, n in at.items() if v > 0}
            if time:
                at[recursion.time.terms[0][0]] = time - 1
            term = recursion.step[k] if time else recursion.first[k]
            self._known[name, spots] = self._sum(_plain(term.parts.items()), at)
        return self._known[name, spots]


def _plain(pairs: Iterable[tuple[Monomial, Fraction]]) -> list[tuple[Monomial, Any]]:
    """Whole numbers as such: they multiply faster."""
    return [(m, c.numerator if c.denominator == 1 else c) for m, c in pairs]


def at_index(e: Index, place: Mapping[int, int]) -> int:
    """The number that an index is, with these numbers for its variables."""
    result = e.const
    for v, c in e.terms:
        result += c * place[v]
    return result


Fences = tuple[tuple[Index, int], ...]
"""Guards with the coefficient of the index that they are ends of."""
Depth = tuple[int, Fences, tuple[Factor, ...]]
"""A bound index, its ends, and the factors that need no later one; outside all sums 0 and no ends."""


class _Plan(NamedTuple):
    """In which order the bound indices of a monomial are run through."""

    guards: tuple[Index, ...]
    """The guards in which no bound index of its own occurs."""
    depths: tuple[Depth, ...]


@lru_cache(maxsize=20_000)
def _plan(m: Monomial, outer: int, known: frozenset[int]) -> _Plan | None:
    """The bound indices after `outer` others, each after those that its ends speak of; None if that cannot be."""
    waiting = [v for v in range(-1 - outer, -m.bound - 1, -1) if v not in known]
    ready, order = set(known), []
    while waiting:
        for v in waiting:
            fences = tuple(
                (g, g.coefficient(v))
                for g in m.guards
                if g.coefficient(v) and g.variables() - {v} <= ready
            )
            if {c > 0 for _, c in fences} == {True, False}:
                order.append((v, fences))
                ready.add(v)
                waiting.remove(v)
                break
        else:
            return None
    depth = {v: d for d, (v, _) in enumerate(order, start=1)}
    held: list[list[Factor]] = [[] for _ in range(1 + len(order))]
    for f in m.factors:
        held[max((depth.get(v, 0) for v in f.variables()), default=0)].append(f)
    steps = zip([(0, ()), *order], held, strict=True)
    guards = tuple(g for g in m.guards if depth.keys().isdisjoint(g.variables()))
    return _Plan(guards, tuple((v, fences, tuple(factors)) for (v, fences), factors in steps))


def _range(v: int, fences: Fences, place: Mapping[int, int]) -> tuple[int, int]:
    """The least and the greatest value that the index has between these ends."""
    lows, highs = [], []
    for g, c in fences:
        rest = g.const
        for w, d in g.terms:
            if w != v:
                rest += d * place[w]
        if c > 0:
            lows.append(-(rest // c))
        else:
            highs.append(rest // -c)
    return max(lows), min(highs)


def _searched(m: Monomial, place: dict[int, int], outer: int) -> Iterator[dict[int, int]]:
    """The same where ends of indices speak of one another."""
    waiting = [v for v in range(-1 - outer, -m.bound - 1, -1) if v not in place]
    if not waiting:
        if all(at_index(g, place) >= 0 for g in m.guards):
            yield place
        return
    ends = _ends(waiting, m.guards, place)
    v = next((v for v in waiting if None not in ends[v]), None)
    if v is None:
        raise ValueError(f"a bound index of {m} has no range")
    for chosen in range(ends[v][0], ends[v][1] + 1):
        yield from _searched(m, {**place, v: chosen}, outer)


def _ends(waiting: Sequence[int], guards: Any, place: Mapping[int, int]) -> dict[int, list[Any]]:
    """The least and the greatest value of each waiting index that the guards allow, or None, one guard at a time."""
    ends: dict[int, list[Any]] = {v: [n, n] for v, n in place.items()}
    ends.update({v: [None, None] for v in waiting})
    for _ in range(len(waiting) + 1):
        for g in guards:
            for v, c in g.terms:
                if v not in waiting:
                    continue
                others = [(d, ends[w][d > 0]) for w, d in g.terms if w != v]
                if any(end is None for _, end in others):
                    continue
                rest = g.const + sum(d * end for d, end in others)
                side, end = (0, -(rest // c)) if c > 0 else (1, rest // -c)
                old = ends[v][side]
                ends[v][side] = end if old is None else max(old, end) if c > 0 else min(old, end)
    return ends


def positions(variables: Sequence[int], at: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """All values of free variables within their declared ranges; later ones may depend on earlier ones."""
    if not variables:
        yield dict(at)
        return
    v, *rest = variables
    low, high = (at_index(e, {**at, v: 0}) for e in declared(v))
    for chosen in range(-low, high + 1):
        yield from positions(rest, {**at, v: chosen})


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{"exp": math.exp, "log": math.log, "sqrt": math.sqrt, "abs": abs},
    **{name: getattr(math, name) for name in ("tanh", "sin", "cos", "erf")},
    **{name: getattr(math, name) for name in ("asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("asinh", "acosh", "atanh")},
    **{"floor": math.floor, "ceil": math.ceil, "round": round},
    "softplus": lambda value: max(value, 0) + math.log1p(math.exp(-abs(value))),
}
EXACT: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "relu": lambda value: max(value, value * 0),
    "step": lambda value: Fraction(value > 0),
    "zero": lambda value: Fraction(value == 0),
}


def function_value(name: str, at: Any) -> Any:
    """|z|, exp(0) and log(1) as such; other values as floats."""
    if name in EXACT:
        return EXACT[name](at)
    exact = {("exp", 0): Fraction(1), ("log", 1): Fraction(0)}.get((name, at))
    return FUNCTIONS[name](float(at)) if exact is None else exact


def free_variables(terms: Sequence[Term], axes: Sequence[Index], at: dict[int, int]) -> list[int]:
    """The free variables but sizes, and those of their ranges, in the order of their declaration."""
    found = {v for t in terms for v in t.scope} | {v for e in axes for v in e.variables()}
    while True:
        more = {v for e in facts(found) for v in e.variables()} - found
        if not more:
            return sorted(found - set(at))
        found |= more

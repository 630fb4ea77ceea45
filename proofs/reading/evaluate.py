"""The value of a kernel term at given sizes and entries, by plain enumeration: no rule of the kernel is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..kernel.index import Index, declared
from ..kernel.term import INVERSE, NUMBER, Factor, Monomial, Term, body, function_of
from ..search.session import Session

Entries = Callable[[str, tuple[int, ...]], Any]
"""The value of the entry of a named array."""


class Evaluator:
    """Values of terms where the entries of arrays are given; states are computed by their recursions."""

    def __init__(self, entries: Entries, session: Session | None = None) -> None:
        self.entries = entries
        self.recursions = session.recursions if session else {}
        self._known: dict[Any, Any] = {}

    def value(self, term: Term, at: Mapping[int, int]) -> Any:
        """The term where its variables have the values `at`.

        Raises:
            ZeroDivisionError: where a denominator is 0.
            ValueError: if a bound index has no range, or a function has no exact value.
        """
        return self._sum(term.parts.items(), dict(at))

    def _sum(
        self, pairs: Iterable[tuple[Monomial, Any]], at: dict[int, int], bound: int = 0
    ) -> Any:
        result = Fraction(0)
        for m, c in pairs:
            subtotal: Any = 0  # whole numbers stay such until the coefficient comes
            for place in _places(m, at, bound):
                product: Any = 1
                for f in m.factors:
                    product = product * self._factor(f, place, m.bound)
                subtotal = subtotal + product
            result = result + c * subtotal
        return result

    def _factor(self, f: Factor, place: dict[int, int], bound: int) -> Any:
        spots = tuple(at_index(e, place) for e in f.at)
        if f.name == NUMBER:
            return spots[0]
        name = function_of(f)
        if name is not None:
            inner = self._sum(body(f, bound), place, bound)
            if name != INVERSE:
                return self.entries(name, (inner,))
            return Fraction(1) / inner
        if f.name in self.recursions:
            return self._state(f.name, spots, place)
        return self.entries(f.name, spots)

    def _state(self, name: str, spots: tuple[int, ...], place: dict[int, int]) -> Any:
        if (name, spots) not in self._known:
            recursion, k = self.recursions[name]
            state = recursion.states[k]
            time, *others = spots
            if time < 0:
                raise ValueError(f"{name} is read before its start")
            given = zip((*state.at, *state.given), others, strict=True)
            at = {**place, **{v.terms[0][0]: n for v, n in given}}
            at = {v: n for v, n in at.items() if v > 0}
            if time:
                at[recursion.time.terms[0][0]] = time - 1
            term = recursion.step[k] if time else recursion.first[k]
            self._known[name, spots] = self.value(term, at)
        return self._known[name, spots]


def at_index(e: Index, place: Mapping[int, int]) -> int:
    return e.const + sum(c * place[v] for v, c in e.terms)


def _places(m: Monomial, place: dict[int, int], outer: int = 0) -> Iterator[dict[int, int]]:
    """Every value of the bound indices, those after `outer` others, at which all guards hold."""
    known = frozenset(place)
    order = _order(m, outer, known)
    if order is None:
        yield from _searched(m, place, outer)
        return

    def chosen(place: dict[int, int], depth: int) -> Iterator[dict[int, int]]:
        if depth == len(order):
            if all(at_index(g, place) >= 0 for g in m.guards):
                yield place
            return
        v, fences = order[depth]
        low = high = None
        for g, c in fences:
            rest = g.const + sum(d * place[w] for w, d in g.terms if w != v)
            if c > 0:
                end = -(rest // c)
                low = end if low is None else max(low, end)
            else:
                end = rest // -c
                high = end if high is None else min(high, end)
        for n in range(low, high + 1):  # type: ignore[operator]
            yield from chosen({**place, v: n}, depth + 1)

    yield from chosen(place, 0)


@lru_cache(maxsize=20_000)
def _order(
    m: Monomial, outer: int, known: frozenset[int]
) -> tuple[tuple[int, tuple[tuple[Index, int], ...]], ...] | None:
    """The bound indices, each after those that its ends speak of, with these ends; None if there is no such order."""
    waiting = [v for v in range(-1 - outer, -m.bound - 1, -1) if v not in known]
    ready, found = set(known), []
    while waiting:
        for v in waiting:
            fences = tuple(
                (g, g.coefficient(v))
                for g in m.guards
                if g.coefficient(v) and g.variables() - {v} <= ready
            )
            if {c > 0 for _, c in fences} == {True, False}:
                found.append((v, fences))
                ready.add(v)
                waiting.remove(v)
                break
        else:
            return None
    return tuple(found)


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

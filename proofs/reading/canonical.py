"""One text for what the definitions of a claim produce, by which a change of them is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..kernel.index import declared, name, reach
from ..kernel.term import Factor, Monomial, Term, body, function_of
from ..search.writing import guards_to, index_to, indices_to
from .array import KernelArray
from .claims import Part, Reading


def canonical(reading: Reading) -> str:
    """Both sides of every statement and hypothesis, the recursions and the ranges of the variables.

    Nothing depends on an order.
    """
    writer = _Writer()
    sizes = {size: index_to(e) for size, e in reading.sizes.items()}
    parts = [writer.part(part) for part in (*reading.parts, *reading.conditions)]
    recursions = []
    for recursion in dict.fromkeys(found for found, _ in reading.session.recursions.values()):
        states = [[s.name, writer.indices(s.at), writer.indices(s.given)] for s in recursion.states]
        terms = [[writer.term(t) for t in terms] for terms in (recursion.first, recursion.step)]
        recursions.append([writer.indices([recursion.time]), states, *terms])
    variables = [[v, name(v), indices_to(declared(v))] for v in sorted(reach(writer.free))]
    return json.dumps([sizes, parts, recursions, variables], sort_keys=True)


class _Writer:
    """Writes terms, with what functions in them are taken of, and notes the variables."""

    def __init__(self) -> None:
        self.free: set[int] = set()
        self._known: dict[tuple[Factor, int], Any] = {}

    def part(self, one: Part) -> list[Any]:
        sides = [self.array(one.left), self.array(one.right)]
        return [one.kind.__name__, *sides, *filter(None, (one.measure, one.condition))]

    def array(self, one: KernelArray) -> list[Any]:
        return [self.indices(one.dims), self.indices(one.at), self.term(one.term)]

    def indices(self, every: Iterable[Any]) -> list[Any]:
        every = tuple(every)
        self.free |= {v for e in every for v in e.variables() if v > 0}
        return indices_to(every)

    def term(self, term: Term) -> list[Any]:
        self.free |= term.scope
        return self._sum(term.parts.items())

    def _sum(self, pairs: Iterable[tuple[Monomial, Fraction]]) -> list[Any]:
        found = [
            [str(c), m.bound, guards_to(m.guards), [self._factor(f, m.bound) for f in m.factors]]
            for m, c in pairs
        ]
        return sorted(found, key=json.dumps)

    def _factor(self, f: Factor, bound: int) -> Any:
        if (f, bound) not in self._known:
            function = function_of(f)
            of = [] if function is None else [self._sum(body(f, bound))]
            self._known[f, bound] = [function or f.name, indices_to(f.at), *of]
        return self._known[f, bound]

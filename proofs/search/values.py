"""Values of one function of what is equal, but not by normal forms: √(Σ (x − m)² / n) is √(Σ x² / n − m²)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, position, variable
from ..kernel.reduction import equality
from ..kernel.rules import Goal
from ..kernel.term import DEFINED, Factor, Monomial, entry, function_of
from .congruences import position_in
from .session import Proving
from .steps import is_function
from .together import at_random
from .unfolding import tactic


def equal_values(goals: Sequence[Goal], session: Proving) -> bool:
    """Whether two values of a function in what is left over are shown to be equal, which is a lemma then."""
    for goal in goals:
        for left, right in _alike(goal):
            key = left.name, right.name, tuple(shift[1] for shift in map(_shift, right.at) if shift)
            if key in session.unequal:
                continue
            session.unequal.add(key)
            if at_random(left, entry(right.name, *right.at), session) is False:
                continue
            with suppress(KernelError):
                session.lemmas.append(equality(left, right, tactic, session.lemmas))
                return True
    return False


def _alike(goal: Goal) -> Iterator[tuple[Factor, Factor]]:
    """Values of one function under two names, the indices of one monomial being positions."""
    every: dict[Factor, Monomial] = {}
    for m, _ in goal.parts.values():
        for f in m.factors:
            if is_function(f) and function_of(f) != DEFINED:
                every.setdefault(f, m)
    for (f, m), (g, _) in itertools.permutations(every.items(), 2):
        if f.name == g.name or function_of(f) != function_of(g):
            continue
        every_place = dict.fromkeys((*f.at, *g.at))
        places = {e: p for e in every_place if (p := _position(e, m, goal)) is not None}
        shifts = {e: shift for e in every_place if (shift := _shift(e)) is not None}
        if any(by != Index(0) for _, by in shifts.values()) and all(e in places for e in f.at):
            images = {shifts[e][0]: places[e] - shifts[e][1] for e in f.at if e in shifts}
            if g.variables() - declarations.current.sizes <= images.keys():
                yield Factor(f.name, tuple([places[e] for e in f.at])), g.substitute(images)
        if len(places) == len(every_place):
            left, right = (Factor(h.name, tuple([places[e] for e in h.at])) for h in (f, g))
            yield left, right


def _shift(e: Index) -> tuple[int, Index] | None:
    """The variable of an index, and what is added to it: a number and sizes."""
    sizes = declarations.current.sizes
    own = [v for v, c in e.terms if v not in sizes and c == 1]
    if len(own) != 1 or not e.variables() - {own[0]} <= sizes:
        return None
    return own[0], e - variable(own[0])


def _position(e: Index, m: Monomial, goal: Goal) -> Index | None:
    """A position for an index, in its range in a monomial; a number is the only value of its own."""
    if not e.terms:
        return position("p", e, e + 1)
    return position_in(e, m, goal)

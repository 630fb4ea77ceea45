"""Showing that a term is 0: normal forms, in cases where free variables decide, symmetric sums looking the same."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from ..kernel.errors import NotProved
from ..kernel.index import Index, variable
from ..kernel.inequalities import contradictory, implied, regions
from ..kernel.rules import Goal
from ..kernel.term import INVERSE, Factor, function_of
from . import labelling
from .guards import tense
from .normal import tidy
from .steps import Step


class Stuck(NotProved):
    """Something stays."""

    def __init__(self, goal: Goal, before: Goal | None = None) -> None:
        self.goal = goal
        self.before = before
        """What it was before all of it was multiplied by denominators."""
        self.whole = goal
        """The goal before it was split into cases."""
        self.words = ""
        """What is left over, as it is told."""
        m, c = next(iter(goal.parts.values()))
        super().__init__(f"left over: {c} · {m}")


def show_zero(goal: Goal, also: Sequence[Step] = ()) -> None:
    """Rewrite the goal until nothing is left, in cases where free variables decide.

    Raises:
        NotProved: if something stays; it is named.
    """
    _replace_known(goal)
    level: int | None = None
    before: Goal | None = None
    while True:
        tidy(goal, also)
        if not goal.parts:
            return
        guard = _free_guard(goal)
        if guard is not None:
            _split(goal, guard, also)
            return
        whole = goal.term()
        if _clear(goal):
            before = Goal(whole) if before is None else before
            level = None
            continue
        most = max(m.bound for m, _ in goal.parts.values())
        if level is not None and most >= level:
            raise Stuck(goal, before)
        level = most
        _spread(goal, most)
        groups: dict[tuple[Factor, ...], list[int]] = {}
        for k, (m, _) in goal.parts.items():
            if m.bound == most:
                groups.setdefault(m.factors, []).append(k)
        for ks in groups.values():
            shares = [(tuple(goal.parts[k][0].guards), goal.parts[k][1]) for k in ks]
            split = ((rows, sum(cs)) for rows, cs in regions(shares, goal.known))
            _regrouped(goal, ks, [(rows, Fraction(c)) for rows, c in split if c])


def _regrouped(
    goal: Goal, ks: Sequence[int], new: Sequence[tuple[tuple[Index, ...], Fraction]]
) -> None:
    """Monomials that differ in guards only become others: the first is what those are without the rest of these."""
    _, whole = goal.parts[ks[0]]
    rest = [(goal.parts[k][0].guards, -goal.parts[k][1]) for k in ks[1:]]
    goal.regroup(ks[0], [(rows, c / whole) for rows, c in (*new, *rest)])


def _split(goal: Goal, guard: Index, also: Sequence[Step]) -> None:
    goal.split(guard)
    try:
        for case in goal.cases:
            show_zero(case, also)
    except Stuck as error:
        error.whole = goal
        raise


def _free_guard(goal: Goal) -> Index | None:
    """A guard that no bound index has a part in: it is true or false of all of the monomial."""
    for m, _ in goal.parts.values():
        for guard in sorted(m.guards):
            if all(v > 0 for v in guard.variables()):
                return guard
    return None


def _replace_known(goal: Goal) -> None:
    """The one-point rule for free variables: where one is known to equal an index, that is substituted."""
    if contradictory(goal.known):
        return
    firm = sorted(tense(goal.known))
    equations = [e for e in firm if e.terms and implied(e * -1, goal.known)]
    gone: set[int] = set()
    for e in equations:
        v, c = e.terms[-1]
        if abs(c) != 1 or v in gone or gone & e.variables() or not e.variables() <= goal.scope:
            continue
        gone.add(v)
        for k in list(goal.parts):
            if k in goal.parts and v in goal.parts[k][0].variables():
                goal.one_point(k, v, variable(v) - e * c)


def _clear(goal: Goal) -> bool:
    """All denominators that no bound index enters."""
    cleared = False
    while _clear_one(goal):
        cleared = True
    return cleared


def _clear_one(goal: Goal) -> bool:
    for k, (m, _) in goal.parts.items():
        for place, f in enumerate(m.factors):
            if function_of(f) == INVERSE and all(v > 0 for v in f.variables()):
                with suppress(NotProved):  # one that is not known not to be 0 stays
                    goal.clear(k, place)
                    return True
    return False


def _spread(goal: Goal, bound: int) -> None:
    """Monomials with symmetries become the mean over them, so that equal sums look the same."""
    for k in list(goal.parts):
        m, _ = goal.parts[k]
        if m.bound == bound:
            found = labelling.ways(m)
            if len(found) > 1:
                goal.rename(k, found)

"""Showing that a term is 0: normal forms, in cases where free variables decide, symmetric sums looking the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction

from ..kernel.errors import NotProved
from ..kernel.index import Index, variable
from ..kernel.inequalities import contradictory, implied, negation, regions
from ..kernel.rules import Goal
from ..kernel.term import INVERSE, Factor, Monomial, function_of
from . import labelling
from .antisymmetry import exchanged
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
    again = True
    before: Goal | None = None
    fewest: int | None = None
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
        if level is None or most < level:
            again = True
        elif most == level and again:
            again = False  # what was parted may have been exchanged since, as |x[j] − x[k]| is where k > j
        elif (fewest is None or len(goal.parts) < fewest) and _join(goal):
            level, fewest = None, len(goal.parts)
            continue
        else:
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


def _join(goal: Goal) -> bool:
    """[e ≥ 0] F + [e < 0] F = F: whether there were such monomials, other guards saying the same of both."""
    for (k, (m, c)), (l, (n, d)) in itertools.permutations(goal.parts.items(), 2):
        if c != d or m.bound != n.bound or m.factors != n.factors:
            continue
        for g in sorted(m.guards):
            if negation(g) not in n.guards:
                continue
            one, other = _said(m, goal), _said(n, goal)
            both = (one | other) - {g, negation(g)}
            if _follow(both, goal.known | one) and _follow(both, goal.known | other):
                goal.regroup(l, [(other, 1)])
                goal.regroup(k, [(both, 1), (other, -1)])
                return True
    return False


def _said(m: Monomial, goal: Goal) -> frozenset[Index]:
    """The guards, and which of the indices that are summed over are ≥ 0 by these."""
    own = (variable(v) for v in range(-1, -m.bound - 1, -1))
    return m.guards | {e for e in own if implied(e, goal.known | m.guards)}


def _follow(every: Iterable[Index], rows: frozenset[Index]) -> bool:
    return all(implied(e, rows) for e in every)


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
            found = [*labelling.ways(m)]
            for other in exchanged(m):
                more = labelling.ways(other)
                if more and _named_by(found[0], m) == _named_by(more[0], other):
                    found += more
            if len(found) > 1:
                goal.rename(k, found)


def _named_by(way: labelling.Way, m: Monomial) -> tuple[Factor, ...]:
    return m.substitute(way, m.bound).factors

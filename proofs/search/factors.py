"""Products over a range as two: Π_{lo ≤ r < hi} = Π_{lo ≤ r < mid} Π_{mid ≤ r < hi}, and γ^(a + b) = γ^a γ^b.

A product is split where it meets the inverse of one part, or where another monomial has it in more parts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import cast

from ..interpret.session import Session
from ..kernel.errors import KernelError
from ..kernel.index import Index, position
from ..kernel.inequalities import implied
from ..kernel.rules import Rewriting
from ..kernel.term import INVERSE, INVERSE_NUMBER, Factor, Monomial, Term, body, function_of
from ..kernel.theorem import Theorem
from .session import Proving
from .steps import Step

Induction = Callable[[Index, Factor, Term], Theorem]
"""Shows by induction what a factor is, or raises."""


def splitting(session: Proving, induct: Induction) -> Step:
    """A step that splits a product of a monomial in two."""

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        rows = [*work.known, *m.guards]
        for f in m.factors:
            if f.name not in session.recursions or not session.is_product(f.name):
                continue
            for count in _counts(work, m, f):
                if not all(implied(e, rows) for e in (count, f.at[0] - count)):
                    continue
                rule = _rule(f.name, session, induct)
                if rule is not None:
                    left = cast(Factor, rule.left)
                    first = left.at[0].terms[0][0]
                    images = dict.fromkeys(rule.over, f.at[0] - count)  # the time and its end
                    images[first] = count
                    images |= {
                        e.terms[0][0]: at for e, at in zip(left.at[1:], f.at[1:], strict=True)
                    }
                    work.rewrite(k, m.factors.index(f), rule, images)
                    return True
        return False

    return step


def _counts(work: Rewriting, m: Monomial, f: Factor) -> Iterator[Index]:
    """How many factors the first part may have: as many as one that the monomial divides by, or another's."""
    for g in m.factors:
        if function_of(g) == INVERSE and g.name != INVERSE_NUMBER:
            for n, _ in body(g, m.bound):
                yield from (h.at[0] for h in n.factors if _alike(f, h) and h != f)
    own = [g for g in m.factors if _alike(f, g)]
    for n, _ in work.parts.values():
        others = [g for g in n.factors if _alike(f, g)]
        if len(others) > len(own) and not (_sum(others) - _sum(own)).terms:
            yield from (g.at[0] for g in others if g not in own)


def _sum(factors: Iterable[Factor]) -> Index:
    return sum((f.at[0] for f in factors), start=Index(0))


def _alike(f: Factor, g: Factor) -> bool:
    """Whether two products differ in the number of their factors only."""
    return f.name == g.name and f.at[1:] == g.at[1:]


def _rule(name: str, session: Proving, induct: Induction) -> Theorem | None:
    """P[a + n] = P[a] P[n], the second part beginning where the first ends."""
    if name not in session.parted:
        session.parted[name] = None  # while it is looked for
        with contextlib.suppress(KernelError):
            session.parted[name] = induct(*_claim(name, session))
    return session.parted[name]


def _claim(name: str, session: Session) -> tuple[Index, Factor, Term]:
    recursion, which = session.recursions[name]
    state = recursion.states[which]
    first, count = position("a", 0), position("m", 0)
    when = position("t", 0, count + 1)
    moved = list(state.given)
    if name in session.ranged:
        moved[0] = moved[0] + first
    two = state.entry(first, []) * Term(
        {Monomial(0, frozenset(), (Factor(name, (when, *moved)),)): Fraction(1)},
        when.variables().union(*(e.variables() for e in moved)),
    )
    return when, Factor(name, (first + when, *state.given)), two
